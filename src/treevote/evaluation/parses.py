"""The trees of all systems over the gold words, in eight bytes a token and system."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from treevote.corpus.sentence import Sentence
from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import Convention, compared_part
from treevote.kernels import Bools


class SentenceTrees(NamedTuple):
    """A sentence with its gold tree and those of the systems, all over the gold tokens.

    ``number`` counts in the gold file; ``scored`` is false for ROOT, and for punctuation that is left out. The trees of
    a system with other words are projected by the alignment, without heads that have no counterpart.
    """

    number: int
    scored: tuple[bool, ...]
    gold: Sentence
    systems: tuple[Sentence, ...]


class Parses:
    """Gold trees and those of the systems, with labels as the convention compares them.

    ``scored`` is the mask of the scored slots, shape (n_slots,).

    >>> toy = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj:x", "root"])])
    >>> parses = Parses(toy, toy.is_token, "ud")
    >>> parses.add(toy)
    >>> [system.deprels for system in parses.sentence(1).systems]
    [('', 'nsubj', 'root')]
    """

    def __init__(self, gold: Treebank, scored: Bools, convention: Convention) -> None:
        self._part, self.scored = compared_part(convention), scored
        self.gold, self.systems = self._compared(gold), list[Treebank]()

    def add(self, projected: Treebank) -> None:
        """Add the trees of a system over the gold words."""
        self.systems.append(self._compared(projected))

    def sentence(self, number: int) -> SentenceTrees:
        """Return a sentence, counted from 1, with all its trees; IndexError if there is none."""
        if not 1 <= number <= len(self.gold):
            raise IndexError(f"expected a sentence in 1..{len(self.gold)}, found {number}")
        span = slice(*self.gold.offsets[number - 1 : number + 1].tolist())
        gold, *systems = (treebank.sentence(number - 1) for treebank in (self.gold, *self.systems))
        return SentenceTrees(number, tuple(self.scored[span].tolist()), gold, tuple(systems))

    def _compared(self, treebank: Treebank) -> Treebank:
        return dataclasses.replace(treebank, labels=tuple(map(self._part, treebank.labels)))
