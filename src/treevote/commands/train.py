"""``treevote train``: from treebank files to a model folder."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from treevote.commands.answer import answer
from treevote.conll.guidelines import departures, unknown_labels
from treevote.conll.reader import read
from treevote.corpus.treebank import Format, Treebank
from treevote.ensemble.configuration import ensemble_of, read_configuration
from treevote.ensemble.members import known_members
from treevote.ensemble.parser import EnsembleParser, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import ConfigError, TreevoteError
from treevote.evaluation.counts import convention_of
from treevote.parallel import ONE_JOB, Jobs
from treevote.report.scores import scores
from treevote.store import folder as store
from treevote.terminal import duration, size


@dataclass(frozen=True)
class Trained:
    """Result of `train`.

    Attributes
    ----------
    parser : EnsembleParser
    seconds : float
        Wall-clock time.
    n_bytes : int
        Size of the model folder.
    milliseconds : dict of str to float
        CPU time of each member for 1,000 tokens; empty if nothing was measured.
    """

    parser: EnsembleParser
    seconds: float
    n_bytes: int
    milliseconds: dict[str, float]


FOLDS = 5
"""Number of folds for the selection of members if the user gives neither folds nor a development set."""


def train(
    files: Sequence[str | Path],
    output: str | Path,
    *,
    dev: str | Path | None = None,
    config: str | Path | None = None,
    members: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    weights: Literal["equal", "accuracy", "pos"] | None = None,
    select: bool = False,
    folds: int | None = None,
    seed: int | None = None,
    format: Format | Literal["auto"] = "auto",
    jobs: Jobs = ONE_JOB,
    warn: Callable[[str], None] = lambda sentence: None,
) -> Trained:
    """Train an ensemble and write its model folder.

    Parameters
    ----------
    files : sequence of path
        Treebanks to train on.
    output : path
        The model folder; nothing is trained if it could not be written.
    dev : path, optional
        A treebank to measure on.
    config : path, optional
        See `treevote.ensemble.configuration`.
    members : sequence of str, default=()
        Names, in place of those of the configuration; ``("all",)`` for all that there are.
    settings : mapping, optional
        Settings of `treevote.models.transition.parser.TransitionTrainer` for all members.
    weights, folds, seed : optional
        In place of those of the configuration.
    select : bool, default=False
        Whether the subset of members with the best vote is selected, in place of the key of the configuration. Without
        development set and folds, the number of folds is ``FOLDS``.
    format : {"auto", "conllu", "conllx"}, default="auto"
        Format of the treebanks.
    jobs : Jobs, optional
    warn : callable, optional
        Called with warnings about the files, see `treevote.conll.guidelines`.

    Raises
    ------
    InputError, ConfigError, ModelError
        If a treebank, the configuration, or the model folder cannot be used.
    """
    start = time.monotonic()
    configuration = read_configuration(config)
    named = tuple(known_members()) if tuple(members) == ("all",) else tuple(members) or None
    given: dict[str, Any] = {
        "members": named,
        "weights": weights,
        "select": select or None,
        "folds": folds,
        "seed": seed,
    }
    configuration = dataclasses.replace(
        configuration, **{name: value for name, value in given.items() if value is not None}
    )
    trainer = ensemble_of(configuration, settings)
    if trainer.select and dev is None and not trainer.folds:
        trainer = dataclasses.replace(trainer, folds=FOLDS)
    if trainer.weights != "equal" and dev is None and not trainer.folds:
        raise ConfigError(
            f"weights by {trainer.weights} are measured on a development set; give one with --dev, or --folds"
        )
    store.check_target(output)
    treebanks = [read(path, format=format) for path in files]
    treebank = treebanks[0]
    if len(treebanks) > 1:
        treebank = Treebank.concatenate(treebanks, " + ".join(part.name for part in treebanks))
    held_out = None if dev is None else read(dev, format=format)
    for part in treebanks:
        for warning in departures(part):
            warn(warning)
    for warning in () if held_out is None else unknown_labels(held_out, treebank):
        warn(warning)
    compile_kernels(trainer, treebank, jobs)
    parser, milliseconds = trainer.train_measured(
        treebank,
        held_out,
        seed=configuration.seed,
        jobs=jobs,
        convention=convention_of(treebanks[0]),
    )
    save(parser, output)
    return Trained(parser, time.monotonic() - start, sum(store.sizes(output).values()), milliseconds)


def compile_kernels(trainer: EnsembleTrainer, treebank: Treebank, jobs: Jobs = ONE_JOB) -> None:
    """Train on two sentences, so that the first run on a machine compiles kernels here, and not in every job.

    Parameters
    ----------
    trainer : EnsembleTrainer
        The trainer of the members.
    treebank : Treebank
        The training data.
    jobs : Jobs, optional
        Their progress is called at the start and at the end of the compilation.
    """
    few = treebank.select(range(min(2, treebank.n_sentences)))
    jobs.tell("compiling", 0, 1)
    with suppress(TreevoteError):  # two sentences may be too few to learn from
        EnsembleTrainer(trainer.members).train(few, few)
    jobs.tell("compiling", 1, 1)


def report(trained: Trained) -> str:
    """Return scores, time and size for a person to read."""
    last = f"trained in {duration(trained.seconds)}, {size(trained.n_bytes)} on disk"
    return f"{scores(trained.parser.facts, trained.parser.members, trained.milliseconds)}\n\n{last}"


def as_json(trained: Trained, output: str | Path, command: str = "") -> str:
    """Return the facts of the model, with time and size, as JSON."""
    measured = {"seconds": round(trained.seconds, 1), "bytes": trained.n_bytes, "milliseconds": trained.milliseconds}
    facts = {"model": os.fspath(output), "members": list(trained.parser.members), **trained.parser.facts}
    return answer("training", facts | measured, command)
