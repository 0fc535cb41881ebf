"""Cached jobs: the independent pieces of work of a study, each done once.

The result of a job is a function of its *facts*: checksums of its treebanks, the trainer with all its settings, the
seed, and the versions of treevote and of the trainer's plug-in. It is a step (`treevote.store.checkpoints`) named by
the digest of the facts. So an interrupted study goes on where it was, a second run trains nothing, and studies share
their common jobs.
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
from treevote.corpus.sentence import ROOT
from treevote.corpus.treebank import Treebank, checksum
from treevote.corpus.trees import are_trees
from treevote.corpus.vocabulary import encode
from treevote.ensemble.members import kind_of, packages_of
from treevote.ensemble.plug_in_faults import apart, faults_named, is_plug_in, parsed_by
from treevote.errors import InputError, TreevoteError
from treevote.files.streams import writing
from treevote.kernels import Ints
from treevote.parallel import ONE_JOB, Jobs, Progress
from treevote.store.checkpoints import Checkpoints
from treevote.store.manifest import JSON, digest
from treevote.version import __version__

COLUMNS = ("upos", "xpos", "feats")
"""The tags that `Tagging` gives, by the names of the fields of `treevote.corpus.sentence.Word`."""

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Job(ABC, Generic[Result]):
    """Training on some sentences, and the application of the result to others; treebanks as `compact` returns them.

    The title is its name in progress messages; the trainer is a dataclass of hyper-parameters.
    """

    title: str
    trainer: Any
    training: Treebank
    test: Treebank
    seed: int = 0
    dev: Treebank | None = None

    @abstractmethod
    def compute(self, progress: Progress | None) -> JSON:
        """Do the work; return its result."""

    @abstractmethod
    def decode(self, result: Any) -> Result:
        """Return the meaning of a result, or raise KeyError, TypeError, ValueError, OverflowError or InputError."""

    def facts(self) -> dict[str, JSON]:
        """Return everything that the result depends on."""
        facts: dict[str, JSON] = {
            "work": type(self).__name__,
            "treevote": __version__,
            "trainer": {"kind": type(self.trainer).__name__, **to_mapping(self.trainer)},
            "training": checksum(self.training),
            "test": checksum(self.test),
            "seed": self.seed,
        }
        return facts if self.dev is None else {**facts, "development": checksum(self.dev)}

    def read(self, path: Path) -> Result | None:
        """Return the result in a file; None if there is no intact one."""
        try:
            content = json.loads(path.read_bytes())
            return self.decode(content["result"]) if content["job"] == self.facts() else None
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError, InputError):
            return None

    def reduced(self) -> Self:
        """Return the same job on two sentences; it compiles the same kernels."""
        few = self.training.select(range(min(2, self.training.n_sentences)))
        return dataclasses.replace(self, training=few, test=few, dev=None if self.dev is None else few)

    def jobs(self, progress: Progress | None) -> Jobs:
        """Return one job for the training, whose progress has the title of this job."""
        return Jobs(progress=progress).renamed(lambda _: self.title)


class Parsing(Job[Treebank]):
    """Training of a parser, with a development set if there is one, and its parse of a test set."""

    def facts(self) -> dict[str, JSON]:
        """Return everything that the result depends on."""
        packages = {"packages": packages_of([kind_of(self.trainer)])} if is_plug_in(self.trainer) else {}
        return super().facts() | packages

    def compute(self, progress: Progress | None) -> JSON:
        """Return heads and labels of all tokens of the test set."""
        with faults_named(self.title, self.trainer):
            own, dev = apart(self.trainer, self.training), None if self.dev is None else apart(self.trainer, self.dev)
            parser = self.trainer.train(own, dev, seed=self.seed, jobs=self.jobs(progress))
        parse, _ = parsed_by(self.title, parser, self.test, lambda member, treebank: (member.parse(treebank), None))
        tokens = parse.is_token
        used, deprels = np.unique(parse.deprels[tokens], return_inverse=True)
        labels = [parse.labels[label] for label in used]
        return {"heads": parse.heads[tokens].tolist(), "deprels": deprels.tolist(), "labels": labels}

    def decode(self, result: Any) -> Treebank:
        """Return the test set with the parser's trees."""
        heads = token_column(self.test, result["heads"], len(self.test.tokens))
        labels = [str(label) for label in result["labels"]]
        parse = self.test.with_trees(heads, token_column(self.test, result["deprels"], len(labels)), labels)
        if not are_trees(parse).all():
            raise ValueError("heads that are no trees")
        return parse


class Tagging(Job[Treebank]):
    """Training of the tagger of treevote, and its UPOS, XPOS and FEATS of other sentences; lemmas stay."""

    def compute(self, progress: Progress | None) -> JSON:
        """Return the tags of all tokens of the test set."""
        tagger = self.trainer.train(self.training, seed=self.seed, jobs=self.jobs(progress))
        tagged: Treebank = tagger.tag(self.test)
        tags_of = [tuple(getattr(word, column) for column in COLUMNS) for word in tagged.words]
        found = [tags_of[word] for word in tagged.tokens[tagged.is_token].tolist()]
        numbers = {tags: number for number, tags in enumerate(sorted({*found}))}
        return {"tags": list(map(list, numbers)), "of_tokens": [numbers[tags] for tags in found]}

    def decode(self, result: Any) -> Treebank:
        """Return the test set with the tagger's tags."""
        test, tags = self.test, [dict(zip(COLUMNS, map(str, row), strict=True)) for row in result["tags"]]
        slots = np.stack([test.tokens, token_column(test, result["of_tokens"], len(tags))])[:, test.is_token]
        distinct, number = np.unique(slots, axis=1, return_inverse=True)
        words = {ROOT: 0}
        found = encode((test.words[word]._replace(**tags[own]) for word, own in distinct.T.tolist()), words)
        tokens = np.zeros(len(test.tokens), np.int32)
        tokens[test.is_token] = found[number.ravel()]
        return dataclasses.replace(test, words=tuple(words), tokens=tokens, source=None)


def run(work: Sequence[Job[Result]], steps: Checkpoints, jobs: Jobs = ONE_JOB) -> list[Result]:
    """Return the results of jobs: read from finished steps, else computed and written; a damaged step is replaced.

    InputError if a step cannot be written; errors of the jobs come through.
    """
    paths = [steps.step(f"{digest(job.facts())[:32]}.json") for job in work]
    results = {path: found for path, job in zip(paths, work, strict=True) if (found := job.read(path)) is not None}
    missing = {path: job for path, job in zip(paths, work, strict=True) if path not in results}
    kinds = {repr(job.trainer): job for job in missing.values()}
    for job in kinds.values():  # kernels are compiled once here, not in every process
        with contextlib.suppress(TreevoteError):  # two sentences may be too few to learn from
            job.reduced().compute(None)
    computed = jobs.map(_compute, missing.items())
    for number, ((path, job), result) in enumerate(zip(missing.items(), computed, strict=True), start=1):
        jobs.tell("study", number, len(missing))
        results[path] = job.decode(result)
    return [results[path] for path in paths]


def _compute(step: tuple[Path, Job[Any]], progress: Progress | None = None) -> JSON:
    path, job = step
    result = job.compute(progress)
    with writing(path) as stream:
        stream.write(json.dumps({"job": job.facts(), "result": result}, separators=(",", ":")).encode())
    return result


def token_column(treebank: Treebank, values: Any, limit: int) -> Ints:
    """Return the numbers of tokens in a file as a column, with -1 in ROOT slots.

    TypeError, ValueError or OverflowError unless there is a whole number of ``0..limit - 1`` for each token.
    """
    numbers = np.array(values)
    if numbers.shape != (treebank.n_tokens,) or (len(numbers) and numbers.dtype != np.int64):
        raise ValueError("another number of tokens, or no whole numbers")
    if ((numbers < 0) | (numbers >= limit)).any():
        raise ValueError("a number out of range")
    column = np.full(len(treebank.tokens), -1, np.int32)
    column[treebank.is_token] = numbers
    return column


def compact(treebank: Treebank) -> Treebank:
    """Return the same sentences without unused words and labels, and without arc annotations.

    Words and labels stay in their order, unlike those of `Treebank.compact`: checksums in the facts depend on it.
    """
    words, tokens = np.unique(np.append(treebank.tokens, 0), return_inverse=True)  # ROOT always
    labels, deprels = np.unique(np.append(treebank.deprels, -1), return_inverse=True)  # -1, no label, always
    return dataclasses.replace(
        treebank.only(),
        words=tuple(treebank.words[word] for word in words),
        tokens=tokens[:-1].astype(np.int32),
        labels=tuple(treebank.labels[label] for label in labels[1:]),
        deprels=(deprels[:-1] - 1).astype(np.int32),
        source=None,
    )
