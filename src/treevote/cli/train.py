"""Arguments of ``treevote train`` and ``config``."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import typer

from treevote.cli import options
from treevote.errors import ConfigError

Fast: TypeAlias = Annotated[bool, options.choice("--fast", help="Train one greedy parser in place of the ensemble.")]
Best: TypeAlias = Annotated[
    bool,
    options.choice("--best", help="Add two neural parsers, in a learned vote; with a tagger, a neural tagger, too."),
]


def train(
    output: Annotated[str, options.output("--output", "-o", metavar="<MODEL>", help="Model folder to write.")],
    files: Annotated[list[str] | None, options.argument("<FILE>...", "Treebanks to train on.")] = None,
    named: Annotated[
        list[str] | None, options.input("--train", metavar="<FILE>...", help="Treebanks to train on, as an option.")
    ] = None,
    dev: Annotated[str | None, options.file(help="Treebank to measure on; no parser is trained on it.")] = None,
    format: options.FileFormat = "auto",
    config: options.Config = None,
    fast: Fast = False,
    best: Best = False,
    members: Annotated[
        str | None, options.members(help="Names of the members, the best first; default or all.")
    ] = None,
    select: Annotated[
        bool, options.choice("--select", help="Choose the members and weights that vote best on --dev or --folds.")
    ] = False,
    folds: Annotated[
        int | None,
        options.choice(
            metavar="<N>",
            min=0,
            help="Number of folds of the training data to measure on, without --dev; 0 for none.",
            show_default="3 for 100 to 2,999 sentences, --best, --select and measured weights; else, and for --fast, 0",
        ),
    ] = None,
    save_folds: Annotated[
        str | None,
        options.output(
            "--save-folds",
            metavar="<DIR>",
            help="Keep the parses of the folds in DIR: treevote doctor --work DIR takes them.",
        ),
    ] = None,
    weights: Annotated[
        Literal["auto", "equal", "accuracy", "pos", "learned"] | None,
        options.choice(
            help="Weights of the votes; auto: learned ones if they vote better on --dev or --folds, else equal.",
            show_default="auto",
        ),
    ] = None,
    search: Annotated[
        Literal["greedy", "beam", "best-first"] | None, options.choice(help="Search of all members that can use it.")
    ] = None,
    beam: Annotated[
        int | None, options.number(help="Width of the search; without --search it means beam search.")
    ] = None,
    encoding: Annotated[
        Literal["none", "head", "path", "head+path"] | None,
        options.choice("--pseudo-projective", help="Encoding of non-projective trees in labels."),
    ] = None,
    from_text: Annotated[
        bool, options.choice("--from-text", help="Train a tokenizer and a tagger as well: the model reads raw text.")
    ] = False,
    from_tokens: Annotated[
        bool, options.choice("--from-tokens", help="Train a tagger as well: the model reads tokens without tags.")
    ] = False,
    tags: Annotated[
        Literal["predicted", "gold"] | None,
        options.choice(
            help="With --from-text or --from-tokens: tags to train the parsers on; predicted: by jackknifing.",
            show_default="predicted",
        ),
    ] = None,
    clusters: options.Clusters = None,
    vectors: Annotated[
        str | None,
        options.file(help="Word vectors for neural members and taggers: word2vec (text or binary), fastText, GloVe."),
    ] = None,
    all_faults: options.AllFaults = False,
    seed: options.Seed = None,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
    cluster: options.Cluster = None,
    json: options.Json = False,
) -> None:
    """Train an ensemble of parsers on a treebank.

    With a development set or folds, it prints the scores of the members and of the vote.
    """
    from treevote.commands.faults import require_no_faults
    from treevote.commands.inspect import model_at
    from treevote.commands.train import train as run
    from treevote.ensemble.annotator_trainer import AnnotatorTrainer
    from treevote.files.streams import require_apart
    from treevote.models.text.tagging.neural_tagger import NeuralTaggerTrainer
    from treevote.models.text.tagging.tagger import TaggerTrainer
    from treevote.report.scores import as_json, as_text
    from treevote.terminal import fault, say, tell

    if bool(files) == bool(named):
        problem = (
            "the treebanks to train on stand before or behind --train" if files else "there is nothing to train on"
        )
        raise typer.BadParameter(f"{problem}; write treevote train <FILE>... -o <MODEL>")
    trainings = files or named or []
    if fast and select and not (best or members):
        raise ConfigError("--fast has one member, and nothing to select from; leave --fast or --select out")
    preset = _preset(fast, best, members)
    if search == "greedy" and beam is not None:
        raise ConfigError("--search greedy has no width; leave --beam out, or choose --search beam or best-first")
    if from_text and from_tokens:
        raise ConfigError("--from-text reads tokens, too; leave --from-tokens out")
    if tags and not (from_text or from_tokens):
        raise ConfigError("--tags belongs to --from-text or to --from-tokens; give one of these two")
    require_apart([], [*trainings, dev, config, clusters, vectors])
    before = model_at(output)
    if all_faults:
        require_no_faults({"partial": trainings, "some": [dev] if dev else []}, fault, format=format)
    settings: dict[str, object] = {"width": beam, "search": search or (beam and "beam"), "encoding": encoding}
    with options.running(jobs, backend, cluster) as running:
        trained = run(
            trainings,
            output,
            dev=dev,
            config=config,
            preset=preset,
            members=options.names(members) or (),
            settings={name: value for name, value in settings.items() if value is not None},
            weights=weights,
            select=select,
            folds=folds,
            save_folds=save_folds,
            seed=seed,
            annotator=AnnotatorTrainer(
                "text" if from_text else "tokens",
                tags or "predicted",
                tagger=TaggerTrainer(neural=NeuralTaggerTrainer() if best else None),
            )
            if from_text or from_tokens
            else None,
            clusters=clusters,
            vectors=vectors,
            format=format,
            jobs=running,
        )
    tell(as_json(trained, output, options.command_line()) if json else as_text(trained))
    if before:
        say(f"replaced {before}")


def config(
    command: Annotated[
        Literal["train", "adapt"], options.argument("train|adapt", "The command that reads the configuration.")
    ] = "train",
    path: options.Config = None,
    fast: Fast = False,
    best: Best = False,
    members: Annotated[
        str | None,
        options.members(
            help="Members of the model; train also takes all.", show_default="those of --config, or the default"
        ),
    ] = None,
    scheme: Annotated[
        options.Scheme | None,
        options.choice(help="Scheme of the adaptation.", show_default="that of --config, or default"),
    ] = None,
) -> None:
    """Write a configuration file with the defaults.

    It is for train --config or adapt --config.
    """
    preset = _preset(fast, best, members)
    if command == "adapt" and preset != "default":
        raise ConfigError(f"an adaptation has no --{preset}; write treevote config train, or leave it out")
    if command == "train" and scheme is not None:
        raise ConfigError("a training has no scheme; write treevote config adapt, or leave out --scheme")
    from treevote.adaptation import configuration as adaptation
    from treevote.commands.train import chosen
    from treevote.config import to_toml
    from treevote.ensemble.configuration import in_full
    from treevote.terminal import tell

    names = options.names(members)
    if command == "adapt":
        tell(to_toml(adaptation.read_configuration(path, scheme, {"scheme": {"members": names}})).rstrip())
    else:
        tell(to_toml(in_full(chosen(path, preset, {"members": names}))).rstrip())


def _preset(fast: bool, best: bool, members: str | None) -> Literal["fast", "default", "best"]:
    """Return the choice of the members; ConfigError if there are several."""
    if (fast and (best or members)) or (best and members):
        raise ConfigError("--fast, --best and --members are three choices of members; give one of them")
    return "fast" if fast else "best" if best else "default"
