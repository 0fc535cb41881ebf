"""The trees of all systems over the gold words, in eight bytes a token and system."""

from __future__ import annotations

from typing import NamedTuple

from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.corpus.vocabulary import encode
from treevote.evaluation.agreement import Arcs
from treevote.evaluation.counts import Convention, compared_part
from treevote.kernels import Bools, Longs


class Tree(NamedTuple):
    """Heads and deprels of the tokens ``1..n`` of a sentence; -1 and ``""`` where there is none."""

    heads: tuple[int, ...]
    deprels: tuple[str, ...]


class SentenceTrees(NamedTuple):
    """A sentence with its gold tree and those of the systems, all over the gold tokens ``1..n``.

    ``number`` counts in the gold file; ``id`` is the ``sent_id`` or empty; ``scored`` is false for punctuation that is
    left out. Deprels are the part that the convention compares. The trees of a system with other words are projected by
    the alignment, without heads that have no counterpart.
    """

    number: int
    id: str
    forms: tuple[str, ...]
    pos: tuple[str, ...]
    scored: tuple[bool, ...]
    gold: Tree
    systems: tuple[Tree, ...]


class Parses:
    """Gold trees and those of the systems, with labels as the convention compares them.

    ``scored`` is the mask of the scored slots, shape (n_slots,).

    >>> toy = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj:x", "root"])])
    >>> parses = Parses(toy, toy.is_token, "ud")
    >>> parses.add(toy)
    >>> parses.sentence(1).systems
    (Tree(heads=(2, 0), deprels=('nsubj', 'root')),)
    """

    def __init__(self, gold: Treebank, scored: Bools, convention: Convention) -> None:
        self.words, self.scored = gold, scored
        self.convention: Convention = convention
        self.labels: dict[str, int] = {}
        self.gold = self._arcs(gold)
        self.systems: list[Arcs] = []

    def add(self, projected: Treebank) -> None:
        """Add the trees of a system over the gold words."""
        self.systems.append(self._arcs(projected))

    @property
    def lengths(self) -> Longs:
        """Number of words of each sentence, shape (n_sentences,)."""
        return self.words.lengths

    def n_differing(self, first: int, second: int) -> Longs:
        """Return for each sentence the number of scored words with different heads or labels in two systems."""
        one, other = self.systems[first], self.systems[second]
        differ = (one.heads != other.heads) | (one.deprels != other.deprels)
        return per_sentence(self.scored & differ, self.words.offsets)

    def sentence(self, number: int) -> SentenceTrees:
        """Return a sentence, counted from 1, with all its trees; IndexError if there is none."""
        i = number - 1
        if not 0 <= i < self.words.n_sentences:
            raise IndexError(f"expected a sentence in 1..{self.words.n_sentences}, found {number}")
        span = slice(int(self.words.offsets[i]) + 1, int(self.words.offsets[i + 1]))
        words = [self.words.words[word] for word in self.words.tokens[span].tolist()]
        labels = [*self.labels, ""]
        trees = [
            Tree(tuple(heads[span].tolist()), tuple(labels[label] for label in deprels[span].tolist()))
            for heads, deprels in (self.gold, *self.systems)
        ]
        return SentenceTrees(
            number,
            sent_id(self.words.comments(i)),
            tuple(word.form for word in words),
            tuple(word.xpos if word.upos == "_" else word.upos for word in words),
            tuple(self.scored[span].tolist()),
            trees[0],
            tuple(trees[1:]),
        )

    def _arcs(self, treebank: Treebank) -> Arcs:
        numbers = encode(map(compared_part(self.convention), treebank.labels), self.labels)
        return Arcs(treebank.heads, numbers[treebank.deprels])
