"""Arguments of ``treevote adapt``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal

import typer

from treevote.cli.options import (
    FAILED,
    Backend,
    Cluster,
    Clusters,
    Config,
    Json,
    Model,
    NJobs,
    choice_option,
    command_line,
    guard_option,
    input_option,
    machine_option,
    names,
    output_option,
    today,
)


def adapt(
    model: Model,
    train: Annotated[list[str], input_option(metavar="FILE...", help="Training data of the model.")],
    output: Annotated[Path, output_option("--output", "-o", metavar="MODEL", help="Model folder to write.")],
    unlabelled: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT...]",
            help="Text of the new domain, tagged as the training data; any text if the model tags. "
            "None is needed with --target-train.",
        ),
    ] = None,
    dev: Annotated[str | None, input_option(metavar="FILE", help="Treebank of the old domain to measure on.")] = None,
    target_dev: Annotated[
        str | None, input_option(metavar="FILE", help="Treebank of the new domain to measure on.")
    ] = None,
    target_train: Annotated[
        str | None,
        input_option(metavar="FILE", help="A few labelled sentences of the new domain, 20 to 500, to train on."),
    ] = None,
    external: Annotated[
        list[str] | None,
        input_option(metavar="PARSE...", help="Parses of TEXT by other parsers, as further members of the committee."),
    ] = None,
    format: Annotated[
        Literal["auto", "conllu", "conllx", "text", "lines"],
        input_option(help="Format of the files; text and lines are running text, of TEXT alone."),
    ] = "auto",
    clusters: Clusters = None,
    config: Config = None,
    scheme: Annotated[
        Literal["default", "paper", "distil"] | None,
        choice_option(
            help="paper: one round, as Sagae & Tsujii; distil: the committee's vote in one fast member.",
            show_default="that of --config, or default",
        ),
    ] = None,
    committee: Annotated[
        str | None,
        choice_option(metavar="A,B,...", help="Parsers whose agreement counts.", show_default="the scheme's"),
    ] = None,
    rounds: Annotated[
        int | None, choice_option(min=1, help="Maximum number of rounds.", show_default="the scheme's")
    ] = None,
    min_agreement: Annotated[
        float | None,
        choice_option(
            min=0,
            max=1,
            help="Least share of tokens on which the committee agrees; 1: identical parses, 0: all sentences.",
            show_default="the scheme's",
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        choice_option(min=0, max=1, help="Least mean confidence of a sentence.", show_default="the scheme's"),
    ] = None,
    balanced: Annotated[
        bool | None,
        choice_option(
            "--balanced/--unbalanced",
            help="Whether the same proportion of long and of short sentences is selected.",
            show_default="the scheme's",
        ),
    ] = None,
    members: Annotated[
        str | None,
        choice_option(
            metavar="A,B,...", help="Members of the adapted model.", show_default="the scheme's, or those of MODEL"
        ),
    ] = None,
    source_copies: Annotated[
        int | None,
        choice_option(min=1, help="Copies of the training data beside the new sentences.", show_default="the scheme's"),
    ] = None,
    retrain: Annotated[
        Literal["both", "parsers", "taggers"] | None,
        choice_option(help="What is trained again, of a model with taggers.", show_default="the scheme's"),
    ] = None,
    margin: Annotated[
        float | None,
        guard_option(min=0, max=100, help="Maximum loss of LAS on --dev.", show_default="that of --config, or 1.5"),
    ] = None,
    force: Annotated[bool, guard_option("--force", help="Write the model even if it is judged worse.")] = False,
    seed: Annotated[
        int | None, machine_option(min=0, help="Seed of the training.", show_default="that of --config, or the model's")
    ] = None,
    jobs: NJobs = 1,
    backend: Backend = None,
    cluster: Cluster = None,
    work: Annotated[
        Path | None,
        machine_option(
            metavar="DIR",
            help="Folder for finished steps, from which the same command goes on after a kill.",
            show_default="the --output with .work",
        ),
    ] = None,
    report: Annotated[
        str | None, output_option(metavar="FILE", help="Write a report with the added sentences, one HTML page.")
    ] = None,
    json: Json = False,
) -> None:
    """Adapt a model to text of a new domain, and keep it only if it is no worse.

    Sentences on which different parsers agree join the training data; so do, for the taggers of a model that tags,
    sentences on whose tags they agree; and the labelled sentences of --target-train. Trees in TEXT are not read. An
    adapted model that is judged worse is not written, and the exit code is 3.
    """
    from treevote.adaptation.configuration import read_configuration
    from treevote.commands.adapt import adapt as run
    from treevote.commands.adapt import as_json, as_text
    from treevote.commands.inspect import model_at
    from treevote.parallel import Jobs
    from treevote.parallel import cluster as connected
    from treevote.terminal import progress_shown, say, tell, warn

    selection = {"min_agreement": min_agreement, "min_confidence": min_confidence, "balanced": balanced}
    changes = {
        "scheme": {
            "committee": names(committee),
            "rounds": rounds,
            "selection": selection,
            "members": names(members),
            "source_copies": source_copies,
            "retrained": retrain,
        },
        "guard": {"source_margin": margin},
        "seed": seed,
    }
    if report is not None:
        from treevote.report.page import environment

        environment()  # before the work: it may be missing
    configuration = read_configuration(config, scheme, changes)
    before = model_at(output)
    with progress_shown() as progress, connected(cluster) if cluster else nullcontext():
        outcome = run(
            model,
            unlabelled or [],
            output,
            train=train,
            dev=dev,
            target_dev=target_dev,
            target_train=target_train,
            external=external or [],
            clusters=clusters,
            configuration=configuration,
            force=force,
            work=work,
            format=format,
            jobs=Jobs(-1, None, progress) if cluster else Jobs(jobs, backend, progress),
            warn=warn,
        )
    tell(as_json(outcome, command_line()) if json else as_text(outcome))
    if report is not None:
        from treevote.report.silver import write_report

        silver = outcome.silver or (outcome.adapted.silver if outcome.work else None)
        facts, promoted = outcome.adapted.report, outcome.promoted
        write_report(facts, silver, report, promoted=promoted, command=command_line(), date=today())
    if before and outcome.promoted:
        say(f"replaced {before}")
    if not outcome.promoted:
        raise typer.Exit(FAILED)
