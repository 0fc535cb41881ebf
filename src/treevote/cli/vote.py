"""Arguments of ``treevote vote``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli.options import Confidence, FileFormat, Output, Support, WeightKind


def vote(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...", help="Parses of the same sentences; the first decides ties.", show_default=False
        ),
    ],
    output: Output = "-",
    weights: Annotated[WeightKind, typer.Option(help="How much each system counts.")] = "equal",
    select: Annotated[
        bool, typer.Option("--select", help="Choose the systems and weights that vote best, by --gold and --dev.")
    ] = False,
    gold: Annotated[str | None, typer.Option(metavar="FILE", help="Trees to measure on.", show_default=False)] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(metavar="SYSTEM...", help="Parses of the sentences of --gold.", show_default=False),
    ] = None,
    roots: Annotated[
        Literal["one", "several", "auto"],
        typer.Option(help="Roots of a sentence; auto: as in --gold, else as the systems do."),
    ] = "auto",
    support: Support = False,
    confidence: Confidence = False,
    format: FileFormat = "auto",
) -> None:
    """Combine the parses of any parsers into one."""
    from treevote.commands.vote import vote as run
    from treevote.terminal import say

    parse, single, voters = run(
        systems,
        output,
        weights=weights,
        select=select,
        gold=gold,
        dev=dev or [],
        roots=roots,
        support=support,
        confidence=confidence,
        format=format,
    )
    say(
        f"{len(voters)} systems voted on {parse.n_sentences:,} sentences with "
        f"{'one root each' if single else 'one root or several'}{': ' + ', '.join(voters) if select else ''}"
    )
