"""Training of one member of an ensemble: its seed follows from its name, and it is the same alone and beside others.

*Partial trees* are those of a treebank in which some words have no head yet. Each member completes them for itself: it
is trained on the whole trees, parses the partial ones around what is given, and is trained again on both. This asks
nothing of a family but a parse with given arcs (Zhang et al. 2017, "Dependency Parsing with Partial Annotations: An
Empirical Comparison", complete trees in this way for parsers that cannot learn from forests).
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_partial, require_labelled_trees
from treevote.ensemble.members import Member
from treevote.ensemble.parser import parse_counted
from treevote.ensemble.plug_in_faults import apart, faults_named, parsed_by, required
from treevote.ensemble.proposals import around
from treevote.errors import ConfigError, InputError
from treevote.parallel import Jobs, Progress
from treevote.protocols import Parser, Trainer


class Task(NamedTuple):
    """A member to train: its title in messages, its name, which gives its seed, and its data."""

    title: str
    name: str
    trainer: Trainer
    treebank: Treebank
    dev: Treebank | None = None


def warm(name: str, member: Member, treebank: Treebank) -> None:
    """Compile the kernels of a parse."""
    with faults_named(name, member):
        member.parse(treebank.select(range(min(1, treebank.n_sentences))))


def timed_parse(member: Member, treebank: Treebank) -> tuple[Treebank, float]:
    """Return a parse and its seconds of CPU."""
    start = time.thread_time()
    return member.parse(treebank), time.thread_time() - start


def train_member(task: Task, seed: int, jobs: Jobs) -> Member:
    """Train a member; faults name it."""
    own_seed = int(np.random.default_rng([seed, zlib.crc32(task.name.encode())]).integers(2**31))
    dev = None if task.dev is None else apart(task.trainer, task.dev)
    named = jobs.renamed(lambda _: task.title)

    def train(treebank: Treebank) -> Member:
        found: Member = required(task.trainer.train(apart(task.trainer, treebank), dev, seed=own_seed, jobs=named))
        return found

    try:
        with faults_named(task.name, task.trainer):
            return train_on_partial(train, task.treebank)
    except ConfigError as fault:
        raise ConfigError(f"member {task.name}: {fault}") from None


def train_alone(task: Task, *, seed: int, progress: Progress | None = None) -> Member:
    """Train a member in one of several jobs."""
    return train_member(task, seed, Jobs(progress=progress))


def train_and_parse(
    task_part_and_proposals: tuple[Task, Treebank, Sequence[Treebank]], *, seed: int, progress: Progress | None = None
) -> tuple[Treebank, float]:
    """Train a member; return its parse of other sentences, and the seconds of CPU for parsing."""
    task, part, proposals = task_part_and_proposals
    member = train_alone(task, seed=seed, progress=progress)
    warm(task.name, member, part)
    return parsed_by(task.name, around(member, proposals), part, timed_parse)


def require_whole_trees(treebank: Treebank) -> Treebank:
    """Return the sentences whose trees are whole; InputError if there are none, or they are no trees to learn from."""
    partial = are_partial(treebank)
    whole = treebank.select(~partial).compact() if partial.any() else treebank
    if not len(whole) and len(treebank):
        problem = "expected some whole trees to learn from, found sentences without a part of their heads"
        raise InputError(problem, path=treebank.name, remedy="complete some of them")
    require_labelled_trees(whole)
    return whole


def train_on_partial(train: Callable[[Treebank], Member], treebank: Treebank) -> Member:
    """Train a member on whole trees and on partial ones; without partial ones, on the treebank as it is."""
    whole = require_whole_trees(treebank)
    return train(treebank) if whole is treebank else train(completed(treebank, train(whole)))


def completed(treebank: Treebank, parser: Parser) -> Treebank:
    """Return a treebank with the best trees that hold its partial ones; InputError, with the sentence, for none."""
    partial = are_partial(treebank)
    half_done = treebank.select(partial)
    parse, _ = parse_counted(parser, half_done, Given.of(half_done, "all", single_root=parser.single_root))
    order = np.argsort(np.concatenate([np.flatnonzero(~partial), np.flatnonzero(partial)]))
    return Treebank.concatenate([treebank.select(~partial), parse], treebank.name).select(order).compact()
