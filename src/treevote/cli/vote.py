"""Arguments of ``treevote vote``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli.options import (
    AllFaults,
    Confidence,
    FileFormat,
    Output,
    Support,
    WeightKind,
    choice_option,
    input_option,
)


def vote(
    systems: Annotated[
        list[str], typer.Argument(metavar="SYSTEM...", help="Parses of the same sentences; the first decides ties.")
    ],
    gold: Annotated[str | None, input_option(metavar="FILE", help="Trees to measure on.")] = None,
    dev: Annotated[
        list[str] | None,
        input_option(metavar="SYSTEM...", help="Parses of the sentences of --gold, in the order of the systems."),
    ] = None,
    format: FileFormat = "auto",
    weights: Annotated[WeightKind, choice_option(help="Weights of the votes; measured on --gold.")] = "equal",
    select: Annotated[
        bool, choice_option("--select", help="Choose the systems and weights that vote best, by --gold and --dev.")
    ] = False,
    roots: Annotated[
        Literal["one", "several", "auto"],
        choice_option(help="Roots of a sentence; auto: as in --gold, else as in the systems' parses."),
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
