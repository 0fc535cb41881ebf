"""Training of one member of an ensemble: its seed follows from its name, alone and beside others."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import Member
from treevote.ensemble.plug_in_faults import apart, faults_named, parsed_by, required
from treevote.ensemble.proposals import around
from treevote.errors import ConfigError
from treevote.parallel import Jobs, Progress
from treevote.protocols import Trainer


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
    try:
        with faults_named(task.name, task.trainer):
            own = apart(task.trainer, task.treebank)
            member: Member = required(task.trainer.train(own, dev, seed=own_seed, jobs=named))
            return member
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
