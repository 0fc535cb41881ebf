"""``treevote doctor``: annotation errors of a treebank, the most probable first."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from treevote.annotation.acknowledged import read_acknowledged
from treevote.annotation.cross_parsing import cross_parsed, plan_of, require_folds
from treevote.annotation.suspects import LEAST, Diagnosis, Evidence, suspects_of
from treevote.commands.train import FOLDS, chosen, compile_kernels
from treevote.commands.treebanks import read_some, with_texts
from treevote.config import converted, from_mapping, in_file
from treevote.conll.writer import require_misc
from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import are_partial, require_labelled_trees
from treevote.ensemble.configuration import Configuration, Preset, ensemble_of
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import InputError, TreevoteError
from treevote.files.streams import path_of
from treevote.parallel import ONE_JOB, Jobs
from treevote.settings import Interval
from treevote.store.checkpoints import PLAN, checkpoints, plan_at

File: TypeAlias = str | Path | Treebank

MEMBERS = ("graph-mira", "pipeline", "lr-maxent-forward")
"""Parsers by default, one quick one of each family. Of errors planted into Greek-GDT 66 % are among the first 5 % of
the tokens by them, and 60 % by that of ``--fast``; those of the default vote find more, for three times the time."""


def doctor(
    files: File | Sequence[File],
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
    jobs: int | Jobs = ONE_JOB,
    warn: Callable[[str], None] = lambda sentence: None,
) -> Diagnosis:
    """Find annotation errors of a treebank: arcs and labels that are probably wrong.

    The treebank is parsed by folds; sentences without whole trees are left out.

    Parameters
    ----------
    files : path, "-", Treebank, or sequence of these
        Sentences with trees.
    config, preset, members, folds, seed
        Parsers and folds, as for a training; by default those of the folder ``work``, if it holds parses, else
        ``MEMBERS`` and three folds.
    least : float, default=0.2
        Least probability of a suspect by the parsers, 0..1; variations and breaks of habits are all suspects.
    acknowledged : path, optional
        File of cases that are left out, see `treevote.annotation.acknowledged`.
    work : path, optional
        Folder of the finished parses. By default it has the name of the first file and ``.doctor``, is in the working
        directory, and is removed at the end. One that is named stays: another run on the same treebank goes on from it.
        It may be the one in which a training saved its folds.
    format : {"auto", "conllu", "conllx"}, default="auto"
    misc : bool, default=False
        Whether a treebank in CoNLL-X, which has no MISC to mark suspects in, is refused before the work.
    jobs : int or Jobs, default=1
        The result does not depend on them.
    warn : callable, optional
        Called with a warning about the treebank.

    Returns
    -------
    Diagnosis
        Its ``suspects``, the most probable error first.

    Raises
    ------
    InputError
        If there is no file, or one is no path, cannot be read, or has no trees.
    ConfigError
        If ``least`` is no probability, the folds are not 2 to 100, there are too few sentences for them, or the folder
        is that of another treebank or setting.

    Examples
    --------
    >>> words, heads = ["a", "dog", "barks"], [2, 3, 0]
    >>> toy = Treebank.of([(words, heads, ["det", label, "root"]) for label in ["nsubj"] * 9 + ["obj"]])
    >>> found = doctor(toy, members=["lr-svm-forward"])
    >>> [(one.sent_id, one.form, one.given.deprel, one.suggested.deprel) for one in found.suspects]
    [('10', 'dog', 'obj', 'nsubj')]
    """
    jobs = Jobs.of(jobs)
    if isinstance(files, str | bytes | os.PathLike | Treebank) or not isinstance(files, Iterable):
        files = [files]
    files = list(files)
    if not files:
        raise InputError("expected files to look at, found none", remedy="name one or more files")
    titles = tuple(map(_name, files))
    converted(Annotated[float, Interval(0, 1)], least, "least")
    if folds is not None:
        require_folds(folds)
    cases = frozenset() if acknowledged is None else read_acknowledged(acknowledged)
    named = members or (MEMBERS if config is None and preset == "default" else ())
    configuration = chosen(config, preset, {"members": named, "folds": folds, "seed": seed})
    asked = members or folds or seed is not None or config is not None or preset != "default"
    folder = Path(f"{Path(titles[0]).name}.doctor" if work is None else path_of(work))
    if work is not None and not asked and (known := plan_at(folder, "diagnosis")) is not None:
        settings = {"member": known.get("members"), "folds": known.get("folds"), "seed": known.get("seed")}
        configuration = from_mapping(Configuration, settings, f"{work}/{PLAN}")
    trainers: dict[str, Any] = dict(ensemble_of(configuration).members)
    parts = [read_some(file, format, partial=True) for file in files]
    if misc:
        for part in parts:
            require_misc(part)
    whole = with_texts(parts)
    numbers = np.flatnonzero(~are_partial(whole))
    if n_partial := len(whole) - len(numbers):
        said = "has no whole tree and is" if n_partial == 1 else "have no whole tree and are"
        warn(f"{n_partial:,} of {len(whole):,} sentences {said} left out")
    # a list of suspects has tabs between its columns
    names = [sent_id(whole.comments(i)).replace("\t", " ") or str(i + 1) for i in numbers.tolist()]
    if n_repeated := len(names) - len(set(names)):
        example = Counter(names).most_common(1)[0][0]
        said = f"{'has' if n_repeated == 1 else 'have'} the sent_id of another one, such as {example}"
        remark = "a case that is left out of one is left out of all of these"
        warn(f"{n_repeated:,} of {len(names):,} sentences {said}; {remark}")
    judged = whole.select(numbers).compact()
    require_labelled_trees(judged)
    n_folds = configuration.folds or FOLDS
    plan = plan_of(judged, trainers, n_folds, configuration.seed)
    with in_file(config):
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
    suspects = suspects_of(judged, names, Evidence.of(judged, parses), least=least)
    others = [suspect for suspect in suspects if suspect.case not in cases]
    shown = [dataclasses.replace(suspect, sentence=int(numbers[suspect.sentence])) for suspect in others]
    return Diagnosis(whole, shown, titles, tuple(trainers), n_folds, least, len(suspects) - len(shown))


def _name(file: File) -> str:
    """Return a name for a file, which may be standard input or a treebank in memory."""
    if isinstance(file, Treebank):
        return file.title or "treebank"
    return "stdin" if file == "-" else path_of(file)
