"""``treevote doctor``: annotation errors of a treebank, the most probable first."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from treevote.annotation.acknowledged import read_acknowledged
from treevote.annotation.cross_parsing import cross_parsed
from treevote.annotation.suspects import LEAST, Diagnosis, Evidence, suspects_of
from treevote.commands.train import FOLDS, chosen, compile_kernels
from treevote.commands.treebanks import read_some, with_texts
from treevote.config import to_mapping
from treevote.conll.misc import require_misc
from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Format, Treebank, checksum
from treevote.corpus.trees import are_bare, require_labelled_trees
from treevote.ensemble.configuration import Preset, ensemble_of
from treevote.ensemble.members import kind_of
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import TreevoteError
from treevote.parallel import ONE_JOB, Jobs
from treevote.store.checkpoints import checkpoints
from treevote.version import __version__

MEMBERS = ("graph-mira", "pipeline", "lr-maxent-forward")
"""Parsers by default, one quick one of each family. Of errors planted into Greek-GDT 68 % are among the first 5 % of
the tokens by them, 71 % by those of the default vote, for three times the time, and 62 % by that of ``--fast``."""


def doctor(
    files: Sequence[str | Path | Treebank],
    *,
    config: str | Path | None = None,
    preset: Preset = "default",
    members: Sequence[str] = (),
    folds: int | None = None,
    seed: int | None = None,
    least: float = LEAST,
    acknowledged: str | Path | None = None,
    work: str | Path | None = None,
    format: Format | Literal["auto"] = "auto",
    misc: bool = False,
    jobs: Jobs = ONE_JOB,
    warn: Callable[[str], None] = lambda sentence: None,
) -> Diagnosis:
    """Parse a treebank by folds, and return the tokens whose analysis is probably wrong.

    Parsers, folds and seed are chosen as for `treevote.commands.train.train`; by default the parsers are ``MEMBERS``.
    Sentences without trees are left out.
    Finished parses are in the folder ``work``, by default one with the name of the first file and ``.doctor``, in the
    working directory, which is removed at the end. A folder that is named stays: another run on the same treebank takes
    the parses from there. With ``misc`` a treebank in CoNLL-X, which has no MISC, is refused before the work.
    """
    cases = frozenset() if acknowledged is None else read_acknowledged(acknowledged)
    named = tuple(members) or (MEMBERS if config is None and preset == "default" else ())
    configuration = chosen(config, preset, {"members": named, "folds": folds, "seed": seed})
    trainers: dict[str, Any] = dict(ensemble_of(configuration).members)
    whole = with_texts([read_some(file, format) for file in files])
    if misc:
        require_misc(whole)
    numbers = np.flatnonzero(~are_bare(whole))
    if len(numbers) < len(whole):
        warn(f"{len(whole) - len(numbers):,} of {len(whole):,} sentences have no tree and are left out")
    judged = whole.select(numbers).compact()
    require_labelled_trees(judged)
    n_folds = configuration.folds or FOLDS
    plan: dict[str, Any] = {
        "treebank": checksum(judged),
        "members": {name: {"kind": kind_of(trainer), **to_mapping(trainer)} for name, trainer in trainers.items()},
        "folds": n_folds,
        "seed": configuration.seed,
        "version of treevote": __version__,
    }
    folder = Path(work) if work is not None else Path(f"{os.path.basename(_name(files[0]))}.doctor")
    if jobs.n_jobs != 1:
        compile_kernels(EnsembleTrainer(trainers), judged)
    with checkpoints(folder, plan, work="diagnosis") as steps:
        try:
            parses = cross_parsed(judged, trainers, n_folds, steps, seed=configuration.seed, jobs=jobs)
        except TreevoteError:
            if not steps.has_steps:  # nothing to resume
                steps.clear()
            raise
        if work is None:
            steps.clear()
    names = [sent_id(whole.comments(i)) or str(i + 1) for i in numbers.tolist()]
    found = suspects_of(judged, names, Evidence.of(judged, parses), least=least)
    shown = [dataclasses.replace(one, sentence=int(numbers[one.sentence])) for one in found if one.case not in cases]
    return Diagnosis(whole, shown, tuple(map(_name, files)), tuple(trainers), n_folds, least, len(found) - len(shown))


def _name(file: str | Path | Treebank) -> str:
    """Return a name for a file, which may be standard input or a treebank in memory."""
    if isinstance(file, Treebank):
        return file.title or "treebank"
    return "stdin" if file == "-" else os.fspath(file)
