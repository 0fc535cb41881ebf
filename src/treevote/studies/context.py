"""The context of a study: its treebanks and the settings of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import Convention, Counts, count_by_sentence
from treevote.evaluation.significance import randomization_p
from treevote.kernels import Bools
from treevote.parallel import ONE_JOB, Jobs
from treevote.store.checkpoints import checkpoints
from treevote.studies.jobs import Job, run

T = TypeVar("T")


@dataclass(frozen=True)
class Context:
    """The context of a study: treebanks with trees, the folder of the cached jobs, and settings.

    Members, for a study of members, are names of `treevote.ensemble.members`; the convention is that of LAS and UAS.
    """

    training: Treebank
    test: Treebank
    folder: Path
    members: tuple[str, ...] = ()
    convention: Convention = "ud"
    seed: int = 0
    jobs: Jobs = ONE_JOB

    def run(self, work: Sequence[Job[T]]) -> list[T]:
        """Return the results of jobs, see `treevote.studies.jobs.run`."""
        with checkpoints(self.folder, {}, work="study") as steps:
            return run(work, steps, self.jobs)

    def counts(self, parse: Treebank, sentences: Bools | None = None, *, punctuation: bool = True) -> Counts:
        """Compare a parse of the test set, or of some of its sentences, with the gold trees."""
        columns = count_by_sentence(self.test, parse, convention=self.convention, punctuation=punctuation)
        chosen = slice(None) if sentences is None else sentences
        return Counts(**{name: int(column[chosen].sum()) for name, column in columns.items()})

    def p_value(self, first: Treebank, second: Treebank, metric: Literal["las", "uas"]) -> float:
        """Return the p-value of the difference of two parses of the test set, by the randomization test."""
        right = {"las": "arcs", "uas": "heads"}[metric]
        columns = [count_by_sentence(self.test, parse, convention=self.convention) for parse in (first, second)]
        counts = [np.stack([own[right], own["tokens"]], axis=1)[:, None, :] for own in columns]
        return float(randomization_p(counts[0], counts[1], 10_000, self.seed)[0])


def hold_out(treebank: Treebank) -> tuple[Treebank, Treebank]:
    """Split off every tenth sentence; return the other sentences first.

    Examples
    --------
    >>> toy = Treebank.of([([str(number)], [0], ["root"]) for number in range(20)])
    >>> training, test = hold_out(toy)
    >>> [sentence.words[1].form for sentence in test.sentences()]
    ['9', '19']
    """
    tenth = np.arange(treebank.n_sentences) % 10 == 9
    training, test = treebank.select(np.flatnonzero(~tenth)), treebank.select(np.flatnonzero(tenth))
    return (
        dataclasses.replace(training, name=f"{treebank.name} without every tenth sentence"),
        dataclasses.replace(test, name=f"every tenth sentence of {treebank.name}"),
    )
