"""Arguments of ``treevote vote``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli.options import CHOICE, INPUT, AllFaults, Confidence, FileFormat, Output, Support, WeightKind


def vote(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...", help="Parses of the same sentences; the first decides ties.", show_default=False
        ),
    ],
    gold: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Trees to measure on.", show_default=False, rich_help_panel=INPUT),
    ] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SYSTEM...",
            help="Parses of the sentences of --gold, in the order of the systems.",
            show_default=False,
            rich_help_panel=INPUT,
        ),
    ] = None,
    format: FileFormat = "auto",
    weights: Annotated[
        WeightKind, typer.Option(help="Weights of the votes; measured on --gold.", rich_help_panel=CHOICE)
    ] = "equal",
    select: Annotated[
        bool,
        typer.Option(
            "--select",
            help="Choose the systems and weights that vote best, by --gold and --dev.",
            rich_help_panel=CHOICE,
        ),
    ] = False,
    roots: Annotated[
        Literal["one", "several", "auto"],
        typer.Option(
            help="Roots of a sentence; auto: as in --gold, else as in the systems' parses.", rich_help_panel=CHOICE
        ),
    ] = "auto",
    all_faults: AllFaults = False,
    output: Output = "-",
    support: Support = False,
    confidence: Confidence = False,
) -> None:
    """Combine the parses of any parsers into one."""
    from treevote.commands.faults import require_no_faults
    from treevote.commands.vote import vote as run
    from treevote.terminal import fault, say

    if all_faults:
        trees = [gold] if gold else []
        require_no_faults({"optional": [*systems, *(dev or [])], "required": trees}, fault, format=format)
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
