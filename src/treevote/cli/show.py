"""Arguments of ``treevote show``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated, Literal

from treevote.cli import options


def show(
    file: Annotated[str, options.argument("<FILE>", "Sentences, with trees or without; - is standard input.")],
    against: Annotated[
        str | None,
        options.input(
            metavar="<SYSTEM>",
            help="Parses of the same sentences; differences are marked. NAME=FILE gives the system a name.",
        ),
    ] = None,
    format: options.FileFormat = "auto",
    sentence: Annotated[
        str | None,
        options.choice(metavar="<N,N-N,...>", help="Numbers of sentences, such as 3 or 1,5-8.", show_default="all"),
    ] = None,
    sent_id: Annotated[str | None, options.choice(metavar="<ID>", help="The sentence of this sent_id.")] = None,
    differing: Annotated[bool, options.choice("--differing", help="Only sentences that differ from SYSTEM.")] = False,
    worst: Annotated[
        int | None, options.number(help="The N sentences that differ most; without SYSTEM the N least sure ones.")
    ] = None,
    sort: Annotated[
        Literal["file", "unsure", "differing"],
        options.choice(help="Order: as in FILE, the least sure first, or those that differ most first."),
    ] = "file",
    width: Annotated[
        int | None,
        options.output(
            metavar="<N>",
            min=20,
            help="Width of the drawing in columns, or of an SVG file in pixels.",
            show_default="the terminal's, or 960",
        ),
    ] = None,
    svg: Annotated[
        str | None,
        options.written(help="Write an SVG file, or into a folder one for each sentence; - is standard output."),
    ] = None,
) -> None:
    """Draw trees in the terminal or as SVG.

    Each word has a line with its number, its arc, its form, its part of speech and its label. The confidence follows if
    FILE has one (parse --confidence), or else SYSTEM, with a ? below 0.7. Lights (parse --lights) mark a yellow arc
    with ? and a red one with ??. With --against, the other label and head stand behind a ≠.
    """
    from treevote.commands.show import show as run
    from treevote.evaluation.names import named
    from treevote.files.streams import require_apart, writing
    from treevote.report.drawings import WIDTH, as_svg, as_svgs, shown

    require_apart([svg], [file, *named([against] if against else []).values()])
    chosen = run(
        file,
        sentences=sentence,
        id=sent_id,
        against=against,
        sort=sort,
        differing=differing,
        worst=worst,
        format=format,
    )
    if svg is None:
        shown(chosen, width)
        return
    width = width or WIDTH
    pictures: Iterable[tuple[str, bytes]]
    if svg.endswith("/") or os.path.isdir(svg):
        from treevote.store.folder import check_folder

        check_folder(svg)
        os.makedirs(svg, exist_ok=True)
        pictures = ((f"{svg.rstrip('/')}/{name}", picture) for name, picture in as_svgs(chosen, width))
    else:
        pictures = [(svg, as_svg(chosen, width))]
    for path, picture in pictures:
        with writing(path) as stream:
            stream.write(picture)
