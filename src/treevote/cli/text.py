"""Arguments of ``treevote text``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli import options


def text(
    file: Annotated[str, typer.Argument(metavar="FILE", help="CoNLL-U; - is standard input.")],
    output: options.Output = "-",
    lines: Annotated[bool, options.output("--lines", help="Write each sentence on a line of its own.")] = False,
) -> None:
    """Write the plain text of a CoNLL-U file: of parsed running text, that text byte for byte."""
    from treevote.commands.text import write_text
    from treevote.terminal import say, warn

    summary = write_text(file, output, lines=lines)
    if summary.different:
        warn(
            f"{file}: in {summary.different:,} of {summary.sentences:,} sentences, first {summary.first_different}, "
            "the comment # text has something else than the tokens and spaces, which were written"
        )
    say(f"wrote {summary.sentences:,} sentences")
