"""Cached jobs: the independent pieces of work of a study, each done once.

The result of a job is a function of its *facts*: checksums of its treebanks, the trainer with all its settings, the
seed and the version of treevote. It is a step (`treevote.store.checkpoints`) named by the digest of the facts. So an
interrupted study goes on where it was, a second run trains nothing, and studies share their common jobs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np

from treevote.config import to_mapping
from treevote.corpus.treebank import Treebank, checksum
from treevote.corpus.trees import are_trees
from treevote.errors import InputError, TreevoteError
from treevote.files.streams import writing
from treevote.kernels import Ints
from treevote.parallel import ONE_JOB, Jobs, Progress
from treevote.store.checkpoints import Checkpoints
from treevote.store.manifest import JSON, digest
from treevote.version import __version__

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Job(ABC, Generic[T]):
    """Training on some sentences, and the application of the result to others.

    Attributes
    ----------
    title : str
        Name of the job in progress messages.
    trainer : dataclass
        Hyper-parameters.
    training, test : Treebank
        As `compact` returns them.
    """

    title: str
    trainer: Any
    training: Treebank
    test: Treebank
    seed: int = 0

    @abstractmethod
    def compute(self, progress: Progress | None) -> JSON:
        """Do the work; return its result."""

    @abstractmethod
    def decode(self, result: Any) -> T:
        """Return the meaning of a result of `compute`, or of the content of a file.

        Raises
        ------
        KeyError, TypeError, ValueError, OverflowError, InputError
            If `compute` cannot have returned it.
        """

    def facts(self) -> dict[str, JSON]:
        """Return everything that the result depends on."""
        return {
            "work": type(self).__name__,
            "treevote": __version__,
            "trainer": {"kind": type(self.trainer).__name__, **to_mapping(self.trainer)},
            "training": checksum(self.training),
            "test": checksum(self.test),
            "seed": self.seed,
        }

    def read(self, path: Path) -> T | None:
        """Return the result in a file; None if there is no intact one."""
        try:
            content = json.loads(path.read_bytes())
            return self.decode(content["result"]) if content["job"] == self.facts() else None
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError, InputError):
            return None

    def reduced(self) -> Self:
        """Return the same job on two sentences; it compiles the same kernels."""
        few = self.training.select(range(min(2, self.training.n_sentences)))
        return dataclasses.replace(self, training=few, test=few)

    def jobs(self, progress: Progress | None) -> Jobs:
        """Return one job for the training, whose progress has the title of this job."""
        return Jobs(progress=progress).renamed(lambda _: self.title)


@dataclass(frozen=True, eq=False)
class Parsing(Job[Treebank]):
    """Training of a parser, with a development set if there is one, and its parse of a test set."""

    dev: Treebank | None = None

    def compute(self, progress: Progress | None) -> JSON:
        """Return heads and labels of all tokens of the test set."""
        parser = self.trainer.train(self.training, self.dev, seed=self.seed, jobs=self.jobs(progress))
        parse: Treebank = parser.parse(self.test)
        tokens = parse.is_token
        used, deprels = np.unique(parse.deprels[tokens], return_inverse=True)
        return {
            "heads": parse.heads[tokens].tolist(),
            "deprels": deprels.tolist(),
            "labels": [parse.labels[label] for label in used],
        }

    def decode(self, result: Any) -> Treebank:
        """Return the test set with the parser's trees."""
        heads = token_column(self.test, result["heads"])
        labels = [str(label) for label in result["labels"]]
        parse = self.test.with_trees(heads, token_column(self.test, result["deprels"], len(labels)), labels)
        if not are_trees(parse).all():
            raise ValueError("heads that are no trees")
        return parse

    def facts(self) -> dict[str, JSON]:
        """Return everything that the result depends on."""
        own: dict[str, JSON] = {} if self.dev is None else {"development": checksum(self.dev)}
        return super().facts() | own

    def reduced(self) -> Self:
        """Return the same job on two sentences; it compiles the same kernels."""
        few = super().reduced()
        return few if self.dev is None else dataclasses.replace(few, dev=few.training)


def run(work: Sequence[Job[T]], steps: Checkpoints, jobs: Jobs = ONE_JOB) -> list[T]:
    """Return the results of jobs: read from finished steps, else computed and written.

    Parameters
    ----------
    work : sequence of Job
    steps : Checkpoints
        The finished steps; a damaged one is replaced.
    jobs : Jobs, optional
        The results do not depend on it.

    Raises
    ------
    InputError
        If a step cannot be written; and all errors of the jobs.
    """
    paths = [steps.step(f"{digest(job.facts())[:32]}.json") for job in work]
    results = {path: found for path, job in zip(paths, work, strict=True) if (found := job.read(path)) is not None}
    missing = {path: job for path, job in zip(paths, work, strict=True) if path not in results}
    kinds = {repr(job.trainer): job for job in missing.values()}
    for job in kinds.values():  # kernels are compiled once here, not in every process
        with contextlib.suppress(TreevoteError):  # two sentences may be too few to learn from
            job.reduced().compute(None)
    done = jobs.map(_compute, missing.items())
    for number, ((path, job), result) in enumerate(zip(missing.items(), done, strict=True), start=1):
        jobs.tell("study", number, len(missing))
        results[path] = job.decode(result)
    return [results[path] for path in paths]


def _compute(step: tuple[Path, Job[Any]], progress: Progress | None = None) -> JSON:
    """Compute the result of a job; write it, and return it."""
    path, job = step
    result = job.compute(progress)
    with writing(path) as stream:
        stream.write(json.dumps({"job": job.facts(), "result": result}, separators=(",", ":")).encode())
    return result


def token_column(treebank: Treebank, values: Any, limit: int | None = None) -> Ints:
    """Return the numbers of tokens in a file as a column, with -1 in ROOT slots.

    Raises
    ------
    TypeError, ValueError, OverflowError
        If they are not one whole number for each token, or not all in ``0..limit - 1``.

    Examples
    --------
    >>> token_column(Treebank.of([(["a", "b"], [2, 0], ["x", "root"])]), [5, 6]).tolist()
    [-1, 5, 6]
    """
    numbers = np.array(values)
    if numbers.shape != (treebank.n_tokens,) or (len(numbers) and numbers.dtype != np.int64):
        raise ValueError("another number of tokens, or no whole numbers")
    if (numbers < 0).any() or (limit is not None and (numbers >= limit).any()):
        raise ValueError("a number out of range")
    column = np.full(len(treebank.tokens), -1, np.int32)
    column[treebank.is_token] = np.minimum(numbers, np.iinfo(np.int32).max)
    return column


def compact(treebank: Treebank) -> Treebank:
    """Return the same sentences without unused words and labels, and without arc annotations.

    Examples
    --------
    >>> toy = Treebank.of([(["a"], [0], ["root"]), (["b"], [0], ["top"])])
    >>> part = compact(toy.select([1]))
    >>> [word.form for word in part.words], part.labels
    (['<root>', 'b'], ('top',))
    """
    words, tokens = np.unique(np.append(treebank.tokens, 0), return_inverse=True)  # ROOT always
    has_label = treebank.deprels >= 0
    labels, deprels = np.unique(treebank.deprels[has_label], return_inverse=True)
    column = np.full(len(treebank.deprels), -1, np.int32)
    column[has_label] = deprels
    return dataclasses.replace(
        treebank.only(),
        words=tuple(treebank.words[word] for word in words),
        tokens=tokens[:-1].astype(np.int32),
        labels=tuple(treebank.labels[label] for label in labels),
        deprels=column,
        source=None,
    )
