"""Arguments of ``treevote evaluate``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli.options import AllFaults, FileFormat, Json, choice_option, input_option, machine_option, output_option


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentences with trees.")],
    systems: Annotated[list[str], typer.Argument(metavar="SYSTEM...", help="Parses of the same sentences.")],
    train: Annotated[
        str | None, input_option(metavar="FILE", help="Training data, to tell known words and labels from others.")
    ] = None,
    format: FileFormat = "auto",
    ud: Annotated[
        bool | None, choice_option("--ud/--conllx", help="Convention; by default that of GOLD's format.")
    ] = None,
    punct: Annotated[bool, choice_option("--punct/--no-punct", help="Whether punctuation is scored.")] = True,
    all_faults: AllFaults = False,
    seed: Annotated[int, machine_option(min=0, help="Seed of the significance tests.")] = 0,
    report: Annotated[str | None, output_option(metavar="FILE", help="Write a report, one HTML page.")] = None,
    json: Json = False,
    csv: Annotated[
        bool, output_option("--csv", help="Answer in CSV; a text that begins with = + - @ gets an apostrophe in front.")
    ] = False,
) -> None:
    """Compare the parses of systems with gold trees.

    LAS, UAS: tokens with the right head, with and without the label. CLAS: the same for content words; MLAS: with tags
    and features as well; BLEX: with lemmas. LA: the right label. root: tokens rightly on ROOT. complete: sentences with
    all heads right. Two systems or more are compared by paired tests.
    """
    from treevote.commands.evaluate import as_csv, as_json, as_table
    from treevote.commands.evaluate import evaluate as run
    from treevote.commands.faults import require_no_faults
    from treevote.terminal import fault, tell, warn

    if all_faults:
        others = [*systems, *([train] if train else [])]
        require_no_faults({"required": [gold], "optional": others}, fault, format=format)
    asked: Literal["ud", "conllx"] | None = None if ud is None else "ud" if ud else "conllx"
    evaluation = run(
        gold, systems, convention=asked, punctuation=punct, format=format, training=train, seed=seed, warn=warn
    )
    tell((as_json if json else as_csv if csv else as_table)(evaluation))
    if report is not None:
        from treevote.report.page import write_report

        write_report(evaluation, report)
