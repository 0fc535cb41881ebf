"""``treevote train``: from treebank files to a model folder."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from treevote.annotation.cross_parsing import save_parses
from treevote.commands.treebanks import read_development, read_some, read_training
from treevote.config import in_file
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import are_partial
from treevote.ensemble.annotator_trainer import AnnotatorTrainer, TrainedAnnotator
from treevote.ensemble.configuration import (
    PRESETS,
    Configuration,
    Preset,
    ensemble_of,
    read_configuration,
    require_members,
)
from treevote.ensemble.members import member_from_record, with_clusters, with_vectors
from treevote.ensemble.parser import EnsembleParser, save
from treevote.ensemble.partial_trees import require_whole_trees
from treevote.ensemble.plug_in_faults import faults_named, is_plug_in
from treevote.ensemble.selection import VoteKind
from treevote.ensemble.trainer import EnsembleTrainer, OnFolds
from treevote.errors import ConfigError, InputError, require_known, warn
from treevote.files.streams import path_of
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.clusters.files import read_clusters
from treevote.models.learning.vectors.files import read_vectors
from treevote.models.learning.vectors.vectors import NO_VECTORS, WordVectors
from treevote.models.text.tokenization.training import require_library
from treevote.parallel import Jobs
from treevote.store import folder as store


@dataclass(frozen=True)
class TrainingResult:
    """Result of `train`: ``n_bytes`` is the size of the model folder, 0 without one.

    ``milliseconds`` is the CPU time of each member for 1,000 tokens; it is empty if nothing was measured.
    """

    parser: EnsembleParser
    seconds: float
    n_bytes: int
    milliseconds: dict[str, float]


FOLDS = 3
"""Number of folds where something is to be measured, and the user gives neither folds nor a development set."""

FEWEST, FEW = 100, 3_000
"""Numbers of training sentences between which scores, confidence and weights are measured on folds by default. Of fewer
sentences some folds may hold nothing to learn from; of more a part can be spared as a development set."""


def train(
    files: Sequence[str | Path | Treebank],
    output: str | Path | None,
    *,
    dev: str | Path | Treebank | None,
    config: str | Path | None,
    preset: Preset,
    members: Sequence[str],
    settings: Mapping[str, object] | None,
    weights: VoteKind | Literal["auto"] | None,
    select: bool,
    folds: int | None,
    seed: int | None,
    annotator: AnnotatorTrainer | None,
    clusters: str | os.PathLike[str] | Clusters | None,
    vectors: str | os.PathLike[str] | WordVectors | None,
    jobs: Jobs,
    save_folds: str | Path | None = None,
    format: Format | Literal["auto"] = "auto",
) -> TrainingResult:
    """Train an ensemble and write its model folder, if one is asked for; nothing is trained if it could not be written.

    Names of members, weights, folds, seed and ``select`` take the place of those of the configuration file or preset;
    ``settings`` are those of `treevote.models.parsers.transition.parser.TransitionTrainer` for all members. Without a
    development set, the default number of folds is ``FOLDS`` for a selection, for measured weights, and for ``FEWEST``
    sentences and more, up to ``FEW``; else 0. Without an annotator the model reads tagged treebanks only. Clusters of
    words, or word vectors in their place, are for parsers and taggers; ``vectors`` are for neural ones.
    ``save_folds`` is a folder for the parses of the folds, from which `treevote.commands.doctor` goes on.
    """
    start = time.monotonic()
    if dev is not None and folds:
        raise ConfigError("a model is measured on a development set or on folds; leave one of them out")
    if select and weights not in (None, "auto"):
        raise ConfigError("a selection of members chooses their weights as well; leave the weights out")
    # a string is refused, and a set, which has no order
    names = tuple(members) if isinstance(members, Sequence) and not isinstance(members, str) else members
    given = {"members": names, "weights": weights, "select": select, "folds": folds, "seed": seed}
    configuration = chosen(config, preset, given)
    trainer = ensemble_of(configuration, settings)
    if output is not None:
        store.check_target(output)
        if save_folds is not None:
            store.check_apart(output, path_of(save_folds))
    if not isinstance(annotator, AnnotatorTrainer | None):
        problem = f"expected an AnnotatorTrainer, found {type(annotator).__name__}"
        raise ConfigError(f"annotator: {problem}; make one, of treevote.ensemble.annotator_trainer")
    if annotator is not None and annotator.tags == "gold":
        warn("the parsers learn from gold tags, and will be given predicted ones; leave out --tags gold")
    if annotator is not None and annotator.reads == "text":
        require_library()  # before the work: it may be missing
    known = clusters if clusters is None or isinstance(clusters, Clusters) else read_clusters(clusters)
    if known is not None:
        trainer = dataclasses.replace(trainer, members=with_clusters(trainer.members, known))
        annotator = annotator and annotator.with_clusters(known)
    if vectors is not None:
        with_vectors(trainer.members, NO_VECTORS)  # before the work: a member may be missing
    texts: list[Treebank] = []
    on_text = None if annotator is None else texts.append
    treebank, convention = read_training(files, format, on_text=on_text)
    if known is not None:
        _warn_of_foreign("cluster", known.words, treebank)
    if vectors is not None:
        forms = {word.form for word in treebank.words}
        own = vectors if isinstance(vectors, WordVectors) else read_vectors(vectors, forms)
        _warn_of_foreign("vector", own.words, treebank)
        trainer = dataclasses.replace(trainer, members=with_vectors(trainer.members, own))
        annotator = annotator and annotator.with_vectors(own)
    held_out = None if dev is None else read_development(dev, treebank, format)
    if held_out is None and configuration.folds is None:
        trainer = with_folds(trainer, int((~are_partial(treebank)).sum()))
    on_folds = None
    if save_folds is not None:
        folder = Path(path_of(save_folds))
        on_folds = _folds_saved(folder, trainer, treebank, held_out, annotator, configuration.seed)
    with in_file(config):
        compile_kernels(trainer, treebank)
    seen: TrainedAnnotator | None = None
    if annotator is not None:
        dev_text = held_out
        if dev is not None and held_out is not None and held_out.source is None:  # sentences without trees are left out
            dev_text = read_some(dev, format)
        seen = annotator.train(treebank, held_out, texts=(texts[0], dev_text), seed=configuration.seed, jobs=jobs)
    data = (treebank, held_out) if seen is None else (seen.treebank, seen.dev)
    parser, milliseconds = trainer.train_measured(
        *data, seed=configuration.seed, jobs=jobs, convention=convention, on_folds=on_folds
    )
    if seen is not None:
        parser = seen.of(parser)
    n_bytes = 0
    if output is not None:
        save(parser, output)
        n_bytes = sum(store.sizes(output).values())
    return TrainingResult(parser, time.monotonic() - start, n_bytes, milliseconds)


def chosen(path: str | Path | None, preset: Preset, given: Mapping[str, Any]) -> Configuration:
    """Return the configuration of a file or preset with what is given in place of its keys."""
    require_known("preset", preset, PRESETS)
    if path is not None and preset != "default":
        raise ConfigError(f"--{preset} is a configuration of its own; leave it out, or --config")
    changes = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in given.items()
        if not (value is None or value is False or (isinstance(value, tuple | list) and not value))
    }
    configuration = PRESETS[preset] if path is None else read_configuration(path)
    if "members" not in changes:
        with in_file(path):
            require_members(configuration)
    return dataclasses.replace(configuration, **changes)


def _warn_of_foreign(kind: str, words: Sequence[str], treebank: Treebank) -> None:
    """Warn of clusters or vectors, if no word of the training data has one."""
    forms = {form for word in treebank.words for form in (word.form, word.form.lower())}
    if words and forms.isdisjoint(words):
        warn(f"no word of the training data has a {kind}; are the {kind}s of the same language?")


def with_folds(trainer: EnsembleTrainer, n_sentences: int) -> EnsembleTrainer:
    """Return a trainer without a development set with the default number of folds."""
    needed = trainer.select or trainer.weights not in ("auto", "equal") or FEWEST <= n_sentences < FEW
    return dataclasses.replace(trainer, folds=FOLDS if needed else 0)


def _folds_saved(
    folder: Path,
    trainer: EnsembleTrainer,
    treebank: Treebank,
    dev: Treebank | None,
    annotator: AnnotatorTrainer | None,
    seed: int,
) -> OnFolds:
    """Open a folder for the parses of the folds, and return the call that writes them; ConfigError if there are none.

    Errors are also those of `treevote.annotation.cross_parsing.save_parses`: the folder may hold something else.
    """
    if dev is not None or not trainer.folds:
        remedy = "add --folds 3" if dev is None else "leave out --dev"
        raise ConfigError(f"nothing is parsed by folds, so --save-folds has nothing to keep; {remedy}")
    if annotator is not None and annotator.tags != "gold":
        raise ConfigError("--save-folds is for parses with the tags of the treebank; add --tags gold")
    plan, whole = (trainer.members, trainer.folds, seed), require_whole_trees(treebank)
    trainer.require_sentences(len(whole))
    save_parses(folder, whole, {}, *plan)
    return lambda gold, parses: save_parses(folder, gold, parses, *plan)


def compile_kernels(trainer: EnsembleTrainer, treebank: Treebank) -> None:
    """Train on two sentences: kernels are compiled here, and not in every job, and a wrong option is found at once.

    A plug-in is also written to disk and read again: ModelError, with its name, if that fails.
    """
    few = treebank.select(np.flatnonzero(~are_partial(treebank))[:2])
    with suppress(InputError):  # two sentences may be too few to learn from
        parser = EnsembleTrainer(trainer.members).train(few, few)
        parser.record()
        for name, member in parser.members.items():
            if is_plug_in(member):
                with TemporaryDirectory() as folder:
                    with faults_named(name, member):
                        store.save(member.record(), Path(folder, "model"))
                    member_from_record(name, store.load(Path(folder, "model")))
