"""Parses of a treebank by its folds: each sentence as parsers see it that were trained on the other folds.

The parses are those on which ``treevote train --folds`` measures. Each parser on each fold is a step on disk, so a run
that was killed goes on from there; a damaged step is made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from treevote.config import to_mapping
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.treebank import Treebank, checksum
from treevote.ensemble.member_training import Task, train_and_parse
from treevote.ensemble.members import kind_of, packages_of
from treevote.ensemble.proposals import in_turn
from treevote.ensemble.trainer import MAX_FOLDS
from treevote.errors import ConfigError
from treevote.parallel import Jobs
from treevote.protocols import Trainer
from treevote.store.checkpoints import Checkpoints, checkpoints, is_whole, seal
from treevote.version import __version__


def plan_of(treebank: Treebank, members: Mapping[str, Any], n_folds: int, seed: int) -> dict[str, Any]:
    """Return what the parses of the folds depend on."""
    kinds = {name: kind_of(trainer) for name, trainer in members.items()}
    plan: dict[str, Any] = {
        "treebank": checksum(treebank.compact()),
        "members": {name: {"kind": kinds[name], **to_mapping(trainer)} for name, trainer in members.items()},
        "folds": n_folds,
        "seed": seed,
        "version of treevote": __version__,
    }
    packages = packages_of(kinds.values())
    return plan | {"versions of plug-ins": packages} if packages else plan


def save_parses(
    folder: Path,
    treebank: Treebank,
    parses: Mapping[str, Treebank],
    members: Mapping[str, Any],
    n_folds: int,
    seed: int,
) -> None:
    """Write the parses of a training by folds where `cross_parsed` finds them; without any, open the folder for them.

    Errors are those of `treevote.store.checkpoints.checkpoints`.
    """
    with checkpoints(folder, plan_of(treebank, members, n_folds, seed), work="diagnosis") as steps:
        for number, (_, held_out) in enumerate(folds_of(len(treebank), n_folds), start=1):
            for name, parse in parses.items():
                steps.file(_file(name, number), partial(write, parse.select(held_out).only()))


def require_folds(n_folds: int) -> None:
    """Raise a ConfigError for a number of folds that is not possible."""
    if n_folds not in range(2, MAX_FOLDS + 1):
        raise ConfigError(f"expected 2 to {MAX_FOLDS} folds, found {n_folds!r}")


def cross_parsed(
    treebank: Treebank, members: Mapping[str, Trainer], n_folds: int, steps: Checkpoints, *, seed: int, jobs: Jobs
) -> list[Treebank]:
    """Return the parse of each member; ConfigError as of `require_folds`, or if there are too few sentences."""
    require_folds(n_folds)
    if len(treebank) < 2 * n_folds:
        raise ConfigError(
            f"{n_folds} folds need {2 * n_folds} sentences with trees, found {len(treebank)}; "
            "choose fewer folds, or give more sentences"
        )
    folds = list(enumerate(folds_of(len(treebank), n_folds), start=1))
    paths = {(name, number): steps.step(_file(name, number)) for name in members for number, _ in folds}

    def parsed(name: str, number: int) -> Treebank:
        return read(paths[name, number], format="conllu", trees="optional")

    first, last = in_turn(members)
    for names in (first, last):
        tasks = {
            paths[name, number]: (
                Task(f"{name} {number}/{n_folds}", name, members[name], treebank.select(others)),
                treebank.select(held_out),
                [parsed(other, number) for other in first] if names is last else (),
            )
            for number, (others, held_out) in folds
            for name in names
            if not is_whole(paths[name, number])
        }
        run = partial(train_and_parse, seed=seed)
        for path, (parse, _) in zip(tasks, jobs.map(run, tasks.values()), strict=True):
            write(parse.only(), path)
            seal(path)
    return [rejoined([parsed(name, number) for number, _ in folds]) for name in members]


def _file(name: str, number: int) -> str:
    return f"{name}-{number}.conllu"
