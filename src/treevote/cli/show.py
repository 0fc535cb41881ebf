"""Arguments of ``treevote show``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli.options import FileFormat, choice_option, input_option, output_option


def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences, with trees or without; - is standard input.")],
    against: Annotated[
        str | None,
        input_option(
            metavar="SYSTEM",
            help="Parses of the same sentences; differences are marked. NAME=FILE gives the system a name.",
        ),
    ] = None,
    format: FileFormat = "auto",
    sentence: Annotated[
        str | None,
        choice_option(metavar="N,N-N,...", help="Numbers of sentences, such as 3 or 1,5-8.", show_default="all"),
    ] = None,
    sent_id: Annotated[str | None, choice_option(metavar="ID", help="The sentence of this sent_id.")] = None,
    differing: Annotated[bool, choice_option("--differing", help="Only sentences that differ from SYSTEM.")] = False,
    worst: Annotated[
        int | None,
        choice_option(metavar="N", min=1, help="The N sentences that differ most, or without SYSTEM the least sure."),
    ] = None,
    sort: Annotated[
        Literal["file", "unsure", "differing"],
        choice_option(help="Order: as in FILE, the least sure first, or those that differ most first."),
    ] = "file",
    width: Annotated[
        int | None,
        output_option(
            metavar="N", min=20, help="Width: columns, or of a picture pixels.", show_default="the terminal's, or 960"
        ),
    ] = None,
    svg: Annotated[
        str | None,
        output_option(
            metavar="FILE", help="Write an SVG file instead, into a folder one of each sentence; - is standard output."
        ),
    ] = None,
) -> None:
    """Draw trees, and the differences of a system, in the terminal or as SVG.

    A line for each word: its number, its arc, the word, its part of speech, the label of the arc, and where FILE
    carries it (parse --confidence) the confidence of both, with a ? below 0.7; after ≠ other label and head in SYSTEM.
    """
    from treevote.commands.show import WIDTH, as_svg, as_svgs, shown
    from treevote.commands.show import show as run
    from treevote.files.streams import writing

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
    if is_folder(svg):
        for name, picture in as_svgs(chosen, width or WIDTH):
            with writing(f"{svg.rstrip('/')}/{name}") as stream:
                stream.write(picture)
        return
    picture = as_svg(chosen, width or WIDTH)
    with writing(svg) as stream:
        stream.write(picture)


def is_folder(path: str) -> bool:
    """Tell whether an output is a folder: one that is there, or whose name ends with a slash, which is made."""
    import os

    if path.endswith("/"):
        os.makedirs(path, exist_ok=True)
    return os.path.isdir(path)
