"""Arguments of ``treevote train``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal

from treevote.cli.options import (
    AllFaults,
    Backend,
    Cluster,
    Clusters,
    Config,
    FileFormat,
    Json,
    NJobs,
    WeightKind,
    choice_option,
    command_line,
    input_option,
    machine_option,
    names,
    output_option,
)


def train(
    files: Annotated[list[str], input_option("--train", metavar="FILE...", help="Treebanks to train on.")],
    output: Annotated[Path, output_option("--output", "-o", metavar="MODEL", help="Model folder to write.")],
    dev: Annotated[str | None, input_option(metavar="FILE", help="Treebank to measure on.")] = None,
    format: FileFormat = "auto",
    config: Config = None,
    fast: Annotated[bool, choice_option("--fast", help="One greedy parser.")] = False,
    best: Annotated[
        bool, choice_option("--best", help="The best vote among eight members, chosen as by --select.")
    ] = False,
    members: Annotated[
        str | None, choice_option(metavar="A,B,...", help="Members, the best first: it decides ties; or all.")
    ] = None,
    select: Annotated[
        bool, choice_option("--select", help="Choose the members and weights that vote best, by --dev or --folds.")
    ] = False,
    folds: Annotated[
        int | None,
        choice_option(
            metavar="N",
            min=0,
            help="Without --dev: parts of the training data to measure on; 0 for none.",
            show_default="3 for 100 to 2,999 sentences and where something is chosen, else 0",
        ),
    ] = None,
    weights: Annotated[
        WeightKind | None,
        choice_option(
            help="Weights of the votes; auto: learned on --dev or --folds if that votes better, else equal.",
            show_default="auto",
        ),
    ] = None,
    search: Annotated[
        Literal["greedy", "beam", "best-first"] | None, choice_option(help="Search of all members.")
    ] = None,
    beam: Annotated[
        int | None, choice_option(metavar="N", min=1, help="Width of that search; alone: beam search for all members.")
    ] = None,
    encoding: Annotated[
        Literal["none", "head", "path", "head+path"] | None,
        choice_option(help="Encoding of non-projective trees in labels."),
    ] = None,
    from_text: Annotated[
        bool, choice_option("--from-text", help="Train a tokenizer and a tagger, too: the model reads raw text.")
    ] = False,
    from_tokens: Annotated[
        bool, choice_option("--from-tokens", help="Train a tagger, too: the model reads tokens without tags.")
    ] = False,
    tags: Annotated[
        Literal["predicted", "gold"] | None,
        choice_option(
            help="With these two: tags that the parsers are trained on; predicted by jack-knifing.",
            show_default="predicted",
        ),
    ] = None,
    clusters: Clusters = None,
    all_faults: AllFaults = False,
    seed: Annotated[int | None, machine_option(min=0, help="Seed of the training.", show_default="0")] = None,
    jobs: NJobs = 1,
    backend: Backend = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Train an ensemble of parsers on a treebank."""
    from treevote.commands.faults import require_no_faults
    from treevote.commands.inspect import model_at
    from treevote.commands.train import as_json, report
    from treevote.commands.train import train as run
    from treevote.ensemble.annotator_trainer import AnnotatorTrainer
    from treevote.errors import ConfigError
    from treevote.parallel import Jobs
    from treevote.parallel import cluster as connected
    from treevote.terminal import fault, progress_shown, say, tell, warn

    if (fast and (best or select or members)) or (best and members):
        raise ConfigError("--fast, --best and --members are three choices of members; give one of them")
    if from_text and from_tokens:
        raise ConfigError("--from-text reads tokens, too; leave --from-tokens out")
    if tags and not (from_text or from_tokens):
        raise ConfigError("--tags belongs to --from-text or to --from-tokens; give one of these two")
    before = model_at(output)
    if all_faults:
        require_no_faults({"some": [*files, *([dev] if dev else [])]}, fault, format=format)
    settings: dict[str, object] = {"search": search or (beam and "beam"), "width": beam, "encoding": encoding}
    with progress_shown() as progress, connected(cluster) if cluster else nullcontext():
        trained = run(
            files,
            output,
            dev=dev,
            config=config,
            preset="fast" if fast else "best" if best else "default",
            members=names(members) or (),
            settings={name: value for name, value in settings.items() if value is not None},
            weights=weights,
            select=select,
            folds=folds,
            seed=seed,
            reader=AnnotatorTrainer("text" if from_text else "tokens", tags or "predicted")
            if from_text or from_tokens
            else None,
            clusters=clusters,
            format=format,
            jobs=Jobs(-1, None, progress) if cluster else Jobs(jobs, backend, progress),
            warn=warn,
        )
    tell(as_json(trained, output, command_line()) if json else report(trained))
    if before:
        say(f"replaced {before}")
