"""Arguments of ``treevote adapt``."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from treevote.cli import options

_setting = functools.partial(options.choice, show_default="the scheme's")


def adapt(
    model: options.Model,
    train: Annotated[list[str], options.input(metavar="<FILE>...", help="Training data of the model.")],
    output: Annotated[str, options.output("--output", "-o", metavar="<MODEL>", help="Model folder to write.")],
    unlabelled: Annotated[
        list[str] | None,
        options.argument(
            "<TEXT>...",
            "Text of the new domain, with tags as in the training data; any text if the model has a tagger. "
            "With --target-train it may be left out.",
        ),
    ] = None,
    dev: Annotated[str | None, options.file(help="Treebank of the old domain to measure on.")] = None,
    target_dev: Annotated[str | None, options.file(help="Treebank of the new domain to measure on.")] = None,
    target_train: Annotated[
        str | None, options.file(help="A few labelled sentences of the new domain, 20 to 500, to train on.")
    ] = None,
    external: Annotated[
        list[str] | None,
        options.input(
            metavar="<PARSE>...", help="Parses of the text by other parsers, as further members of the committee."
        ),
    ] = None,
    format: Annotated[
        options.AnyFormat, options.input(help="Format of the files; only TEXT may be running text (text, lines).")
    ] = "auto",
    clusters: options.Clusters = None,
    config: options.Config = None,
    scheme: Annotated[
        options.Scheme | None,
        options.choice(
            help="paper: identical parses, as Sagae & Tsujii; distil: the committee's vote in one fast member.",
            show_default="that of --config, or default",
        ),
    ] = None,
    committee: Annotated[
        str | None, options.members(show_default="the scheme's", help="Parsers that have to agree.")
    ] = None,
    rounds: Annotated[int | None, _setting(metavar="<N>", min=1, help="Maximum number of rounds.")] = None,
    min_agreement: Annotated[
        float | None,
        _setting(
            metavar="<SHARE>",
            min=0,
            max=1,
            help="Least share of tokens on which the committee agrees; 1 for identical parses, 0 for any.",
        ),
    ] = None,
    min_confidence: Annotated[
        float | None, _setting(metavar="<P>", min=0, max=1, help="Least mean confidence of a sentence.")
    ] = None,
    balanced: Annotated[
        bool | None,
        _setting("--balanced/--unbalanced", help="Select the same proportion of long and of short sentences."),
    ] = None,
    members: Annotated[
        str | None,
        options.members(help="Members of the adapted model.", show_default="the scheme's, or those of MODEL"),
    ] = None,
    source_copies: Annotated[
        int | None, _setting(metavar="<N>", min=1, help="Copies of the training data beside the new sentences.")
    ] = None,
    retrain: Annotated[
        Literal["both", "parsers", "taggers"] | None,
        _setting(help="Parts of a model with taggers that are trained again."),
    ] = None,
    margin: Annotated[
        float | None,
        options.guard(
            metavar="<POINTS>",
            min=0,
            max=100,
            help="Maximum loss of LAS on --dev.",
            show_default="that of --config, or 1.5",
        ),
    ] = None,
    force: Annotated[bool, options.guard("--force", help="Write the model even if it is judged worse.")] = False,
    seed: Annotated[
        int | None,
        options.machine(
            metavar="<N>", min=0, help="Seed of the training.", show_default="that of --config, or the model's"
        ),
    ] = None,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
    cluster: options.Cluster = None,
    work: Annotated[
        str | None,
        options.machine(
            metavar="<DIR>",
            help="Folder for finished steps; the same command goes on from there.",
            show_default="the --output with .work",
        ),
    ] = None,
    report: Annotated[
        str | None, options.written(help="Write a report with the added sentences, one HTML page.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Adapt a model to unlabelled text of a new domain.

    Sentences on which different parsers agree join the training data. If the model has taggers, sentences on whose tags
    they agree join the training data of the taggers. The labelled sentences of --target-train are added as well. Trees
    in TEXT are not read. An adapted model that is judged worse is not written, and the exit code is 3.
    """
    from treevote.adaptation.configuration import read_configuration
    from treevote.commands.adapt import adapt as run
    from treevote.commands.inspect import model_at
    from treevote.errors import ConfigError
    from treevote.files.streams import require_apart
    from treevote.report.adaptation import outcome_json, outcome_text
    from treevote.terminal import say, tell

    selection = {"min_agreement": min_agreement, "min_confidence": min_confidence, "balanced": balanced}
    settings: dict[str, Any] = {"committee": options.names(committee), "rounds": rounds, "selection": selection}
    settings |= {"members": options.names(members), "source_copies": source_copies, "retrained": retrain}
    changes = {"scheme": settings, "guard": {"source_margin": margin}, "seed": seed}
    read = [*(unlabelled or []), *train, dev, target_dev, target_train, *(external or []), clusters, config]
    require_apart([report, f"{Path(output)}.silver.conllu"], read)
    options.require_pages(report)
    configuration = read_configuration(config, scheme, changes)
    if not unlabelled or configuration.scheme.retrained == "taggers":  # no parsers choose sentences
        choice: dict[str, object] = {"--committee": committee, "--rounds": rounds, "--external": external or None}
        choice |= {"--min-agreement": min_agreement, "--min-confidence": min_confidence, "--balanced": balanced}
        choice |= {"--members": members} if unlabelled else {}
        if unused := [option for option, value in choice.items() if value is not None]:
            without = "taggers alone are trained" if unlabelled else "there is no text"
            raise ConfigError(f"{without}, so {', '.join(unused)} would do nothing; leave it out")
    before = model_at(output)
    with options.running(jobs, backend, cluster) as running:
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
            jobs=running,
        )
    tell(outcome_json(outcome, options.command_line()) if json else outcome_text(outcome))
    if report is not None:
        from treevote.report.silver import write_report

        silver = outcome.silver or (outcome.adapted.silver if outcome.work else None)
        facts, promoted = outcome.adapted.report, outcome.promoted
        write_report(facts, silver, report, promoted=promoted, command=options.command_line(), date=options.today())
    if before and outcome.promoted:
        say(f"replaced {before}")
    if not outcome.promoted:
        raise typer.Exit(options.FAILED)
