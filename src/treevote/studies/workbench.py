"""The workbench of a study: its sentences, the parses of its members, and what they score."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from treevote.ensemble.members import members_of
from treevote.ensemble.vote import vote
from treevote.evaluation.significance import randomization_p
from treevote.metrics import Convention, Counts, count_by_sentence, evaluate
from treevote.protocols import Progress, Trainer
from treevote.studies.cells import Cell, Parsing, alone, run
from treevote.studies.tables import rate
from treevote.treebank import Treebank
from treevote.trees import is_single_rooted

T = TypeVar("T")

PERMUTATIONS = 10_000
"""Of a randomization test."""


@dataclass(frozen=True)
class Workbench:
    """What a study works with.

    Attributes
    ----------
    training, test : Treebank
        Every sentence has a tree.
    folder : path
        Where finished cells are.
    members : tuple of str
        Names of `treevote.ensemble.members`, for a study that is about some.
    convention : {"ud", "conllx"}
        Of LAS and UAS.
    seed : int
        Of everything that is random.
    n_jobs, backend, progress
        See `treevote.parallel.map_parallel`.
    """

    training: Treebank
    test: Treebank
    folder: Path
    members: tuple[str, ...] = ()
    convention: Convention = "ud"
    seed: int = 0
    n_jobs: int = 1
    backend: str | None = None
    progress: Progress | None = None

    @property
    def trainers(self) -> dict[str, Trainer]:
        """The trainers of the members."""
        return members_of(self.members)

    def run(self, cells: Sequence[Cell[T]]) -> list[T]:
        """Return the outcomes of cells, see `treevote.studies.cells.run`."""
        return run(cells, self.folder, n_jobs=self.n_jobs, backend=self.backend, progress=self.progress)

    def parses(self, trainers: Mapping[str, Trainer]) -> dict[str, Treebank]:
        """Train parsers on the training set, and return their parses of the test set."""
        training, test = alone(self.training), alone(self.test)
        cells = [Parsing(name, trainer, training, test, self.seed) for name, trainer in trainers.items()]
        return dict(zip(trainers, self.run(cells), strict=True))

    def vote(self, parses: Iterable[Treebank]) -> Treebank:
        """Return the vote of parses, which all count the same."""
        return vote(list(parses), single_root=is_single_rooted(self.training)).only()

    def counts(self, parse: Treebank, *, punctuation: bool = True) -> Counts:
        """Compare a parse of the test set with its trees."""
        return evaluate(self.test, parse, convention=self.convention, punctuation=punctuation)

    def p_value(self, first: Treebank, second: Treebank, right: Literal["arcs", "heads"]) -> float:
        """Return how probable it is that two parses of the test set differ as much by chance.

        By the randomization test over sentences (`treevote.evaluation.significance`), on LAS or on UAS.
        """
        columns = [count_by_sentence(self.test, parse, convention=self.convention) for parse in (first, second)]
        counts = [np.stack([own[right], own["tokens"]], axis=1)[:, None, :] for own in columns]
        return float(randomization_p(counts[0], counts[1], PERMUTATIONS, self.seed)[0])

    def scores(self, parse: Treebank) -> tuple[float | None, float | None]:
        """Return LAS and UAS of a parse of the test set."""
        counts = self.counts(parse)
        return rate(counts.las), rate(counts.uas)


def held_out(treebank: Treebank) -> tuple[Treebank, Treebank]:
    """Return a treebank without every tenth sentence, and these.

    Examples
    --------
    >>> toy = Treebank.of([([str(number)], [0], ["root"]) for number in range(20)])
    >>> training, test = held_out(toy)
    >>> [sentence.words[1].form for sentence in test.sentences()]
    ['9', '19']
    """
    tenth = range(9, treebank.n_sentences, 10)
    rest = [i for i in range(treebank.n_sentences) if i % 10 != 9]
    return (
        dataclasses.replace(treebank.select(rest), name=f"{treebank.name} without every tenth sentence"),
        dataclasses.replace(treebank.select(tenth), name=f"every tenth sentence of {treebank.name}"),
    )
