"""Arguments of ``treevote clusters``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli import options


def clusters(
    texts: Annotated[
        list[str], typer.Argument(metavar="TEXT...", help="CoNLL-U, or running text; - is standard input.")
    ],
    output: options.Output = "-",
    model: Annotated[
        str | None, options.input(metavar="MODEL", help="Model whose tokenizer reads running text.")
    ] = None,
    format: Annotated[
        Literal["auto", "conllu", "conllx", "text", "lines"],
        options.input(help="Format of the files; text and lines are running text."),
    ] = "auto",
    classes: Annotated[int, options.choice(metavar="N", min=1, max=2000, help="Number of classes of words.")] = 128,
    least: Annotated[int, options.choice(metavar="N", min=1, help="Least number of occurrences of a word.")] = 2,
) -> None:
    """Make clusters of words from text without trees, for train and adapt --word-clusters.

    Words that occur among the same words have paths with a common prefix (Brown et al. 1992).
    """
    from treevote.commands.clusters import make_clusters
    from treevote.terminal import say

    with options.running() as jobs:
        summary = make_clusters(texts, output, model=model, n_classes=classes, least=least, format=format, jobs=jobs)
    say(f"{summary.words:,} words in {summary.classes:,} classes, from {summary.tokens:,} tokens")
