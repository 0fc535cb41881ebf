"""Arguments of ``treevote show``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli.options import FileFormat, choice_option, input_option, output_option


def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences, with trees or without; - is standard input.")],
    against: Annotated[
        str | None, input_option(metavar="SYSTEM", help="Parses of the same sentences; differences are marked.")
    ] = None,
    format: FileFormat = "auto",
    sentence: Annotated[
        str | None,
        choice_option(metavar="N,N-N,...", help="Numbers of sentences, such as 3 or 1,5-8.", show_default="all"),
    ] = None,
    sent_id: Annotated[str | None, choice_option(metavar="ID", help="The sentence of this sent_id.")] = None,
    svg: Annotated[
        str | None, output_option(metavar="FILE", help="Write an SVG file instead; - is standard output.")
    ] = None,
) -> None:
    """Draw trees, and the differences of a system, in the terminal or as SVG."""
    from treevote.commands.show import as_svg, shown
    from treevote.commands.show import show as run
    from treevote.files.streams import writing

    chosen = run(file, sentences=sentence, id=sent_id, against=against, format=format)
    if svg is None:
        shown(chosen)
        return
    picture = as_svg(chosen)
    with writing(svg) as stream:
        stream.write(picture)
