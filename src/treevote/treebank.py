"""A treebank as integer columns.

All sentences stand in one array per column, one after the other, each with a slot for ROOT in front: sentence ``i``
is ``offsets[i]:offsets[i + 1]``. A token is the number of its distinct word in ``words``, so whatever depends on the
word alone is worked out once for each distinct word and not for each token.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treevote.kernels import Floats, Ints, Longs
from treevote.sentence import ROOT, Sentence, Word


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text that sentences were read from, so that all that is not predicted is written back as it was.

    Attributes
    ----------
    path : str
        The file, or ``<stdin>``.
    first_line : int
        Number of ``lines[0]`` in the file, counted from 1.
    lines : tuple of str
        All lines, without their line feed (a carriage return stays).
    line_of : ndarray of int32, shape (n_slots,)
        Index in ``lines`` of each token; for a ROOT slot the first line of the sentence, comments included.
    """

    path: str
    first_line: int
    lines: tuple[str, ...]
    line_of: Ints


MARKS = {
    "support": "Support={:.2f}",
    "label_support": "LabelSupport={:.2f}",
    "confidence": "Confidence={:.3f}",
    "label_confidence": "LabelConfidence={:.3f}",
}
"""Numbers that may stand at each arc: the field of `Treebank`, and what is written into MISC."""


@dataclass(frozen=True, slots=True, eq=False)
class Treebank:
    """Sentences with their trees, as columns. Immutable: every change gives a new treebank that shares the rest.

    Attributes
    ----------
    words : tuple of Word
        The distinct words; ``words[0]`` is ROOT.
    tokens : ndarray of int32, shape (n_slots,)
        For each slot the index in ``words``; 0 in ROOT slots. ``n_slots`` is tokens plus sentences.
    heads : ndarray of int32, shape (n_slots,)
        Position of the head within the sentence, 0 for ROOT; -1 in ROOT slots and where no head is known.
    labels : tuple of str
        The distinct deprels.
    deprels : ndarray of int32, shape (n_slots,)
        Index in ``labels``; -1 in ROOT slots and where no head is known.
    offsets : ndarray of int64, shape (n_sentences + 1,)
        Slot of ROOT of each sentence, and the number of slots.
    name : str
        Where the sentences come from, for messages and reports.
    source : Source, optional
        The text they were read from.
    support, label_support : ndarray of float32, shape (n_slots,), optional
        Share of the votes for each arc, and for its label among them; 0..1.
    confidence, label_confidence : ndarray of float32, shape (n_slots,), optional
        Probability that an arc is right, and that it is right with its label; 0..1.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> toy.n_sentences, toy.n_tokens
    (1, 3)
    >>> toy.sentence(0).heads.tolist()
    [-1, 2, 3, 0]
    """

    words: tuple[Word, ...]
    tokens: Ints
    heads: Ints
    labels: tuple[str, ...]
    deprels: Ints
    offsets: Longs
    name: str = ""
    source: Source | None = None
    support: Floats | None = None
    label_support: Floats | None = None
    confidence: Floats | None = None
    label_confidence: Floats | None = None

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """Number of tokens, ROOT not counted."""
        return len(self.tokens) - self.n_sentences

    @property
    def is_token(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Mask of the slots that hold a token, shape (n_slots,); false in ROOT slots."""
        mask = np.ones(len(self.tokens), np.bool_)
        mask[self.offsets[:-1]] = False
        return mask

    def sentence(self, i: int) -> Sentence:
        """Return sentence ``i``, counted from 0."""
        span = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        return Sentence(
            tuple(self.words[word] for word in self.tokens[span]),
            self.heads[span].copy(),
            tuple(self.labels[label] if label >= 0 else "" for label in self.deprels[span]),
        )

    def sentences(self) -> Iterator[Sentence]:
        """Iterate over the sentences."""
        return (self.sentence(i) for i in range(self.n_sentences))

    def with_trees(self, heads: Ints, deprels: Ints, labels: Sequence[str]) -> Treebank:
        """Return the same sentences with other trees (and no marks).

        Parameters
        ----------
        heads, deprels : ndarray of int32, shape (n_slots,)
            As the attributes of that name.
        labels : sequence of str
            What ``deprels`` counts in.
        """
        return dataclasses.replace(self.only(), heads=heads, deprels=deprels, labels=tuple(labels))

    @property
    def marks(self) -> dict[str, Floats]:
        """Those of the fields named in ``MARKS`` that there are."""
        return {field: column for field in MARKS if (column := getattr(self, field)) is not None}

    def only(self, *fields: str) -> Treebank:
        """Return the same trees with no other marks than these, each a name of ``MARKS``.

        Examples
        --------
        >>> toy = Treebank.of([(["a"], [0], ["root"])])
        >>> marked = dataclasses.replace(toy, support=np.ones(2, np.float32), confidence=np.ones(2, np.float32))
        >>> list(marked.only("support").marks)
        ['support']
        """
        dropped: dict[str, Any] = {field: None for field in self.marks if field not in fields}
        return dataclasses.replace(self, **dropped)

    def select(self, sentences: Sequence[int] | Ints | Longs) -> Treebank:
        """Return the named sentences (from 0) in the given order; the result has no source text.

        Examples
        --------
        >>> toy = Treebank.of([(["a"], [0], ["root"]), (["b"], [0], ["root"])])
        >>> [s.words[1].form for s in toy.select([1]).sentences()]
        ['b']
        """
        chosen = np.asarray(sentences, np.int64)
        lengths = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        slots = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        marks: dict[str, Any] = {field: column[slots] for field, column in self.marks.items()}
        return dataclasses.replace(
            self,
            tokens=self.tokens[slots],
            heads=self.heads[slots],
            deprels=self.deprels[slots],
            offsets=offsets,
            source=None,
            **marks,
        )

    @staticmethod
    def of(sentences: Sequence[tuple[Sequence[Word | str], Sequence[int], Sequence[str]]], name: str = "") -> Treebank:
        """Build a treebank by hand: for each sentence its words (forms will do), heads and deprels, without ROOT.

        Parameters
        ----------
        sentences : sequence of (words, heads, deprels)
            Each of length n; heads count from 1, 0 is ROOT, -1 unknown.
        name : str, default=""
            As the attribute.
        """
        words: dict[Word, int] = {ROOT: 0}
        labels: dict[str, int] = {}
        tokens: list[int] = []
        heads: list[int] = []
        deprels: list[int] = []
        offsets = [0]
        for sentence_words, sentence_heads, sentence_deprels in sentences:
            tokens.append(0)
            heads.append(-1)
            deprels.append(-1)
            for item, head, deprel in zip(sentence_words, sentence_heads, sentence_deprels, strict=True):
                word = Word(item, "_", "_", "_", "_") if isinstance(item, str) else item
                tokens.append(words.setdefault(word, len(words)))
                heads.append(head)
                deprels.append(labels.setdefault(deprel, len(labels)) if head >= 0 else -1)
            offsets.append(len(tokens))
        return Treebank(
            tuple(words),
            np.array(tokens, np.int32),
            np.array(heads, np.int32),
            tuple(labels),
            np.array(deprels, np.int32),
            np.array(offsets, np.int64),
            name,
        )

    @staticmethod
    def concatenate(parts: Sequence[Treebank], name: str = "") -> Treebank:
        """Join treebanks, in order; the result has no source text.

        Examples
        --------
        >>> one = Treebank.of([(["a"], [0], ["root"])])
        >>> two = Treebank.of([(["b"], [0], ["ROOT"])])
        >>> both = Treebank.concatenate([one, two])
        >>> [s.deprels[1] for s in both.sentences()]
        ['root', 'ROOT']
        """
        words: dict[Word, int] = {ROOT: 0}
        labels: dict[str, int] = {}
        tokens, heads, deprels, offsets = [], [], [], [np.zeros(1, np.int64)]
        start = 0
        for part in parts:
            word_map = np.array([words.setdefault(word, len(words)) for word in part.words], np.int32)
            label_map = np.array([*(labels.setdefault(label, len(labels)) for label in part.labels), -1], np.int32)
            tokens.append(word_map[part.tokens])
            heads.append(part.heads)
            deprels.append(label_map[part.deprels])
            offsets.append(part.offsets[1:] + start)
            start += len(part.tokens)
        return Treebank(
            tuple(words),
            np.concatenate(tokens) if tokens else np.zeros(0, np.int32),
            np.concatenate(heads) if heads else np.zeros(0, np.int32),
            tuple(labels),
            np.concatenate(deprels) if deprels else np.zeros(0, np.int32),
            np.concatenate(offsets),
            name,
        )


def checksum(treebank: Treebank) -> str:
    """Return the SHA-256 of words and trees; it depends on the order of ``words`` and ``labels``, not on the name.

    Examples
    --------
    >>> toy = Treebank.of([(["a"], [0], ["root"])])
    >>> checksum(toy) == checksum(Treebank.of([(["a"], [0], ["root"])], name="other"))
    True
    >>> checksum(toy) == checksum(Treebank.of([(["b"], [0], ["root"])]))
    False
    """
    digest = hashlib.sha256()
    for column in (treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets):
        digest.update(column.tobytes())
    for string in (*("\t".join(word) for word in treebank.words), *treebank.labels):
        digest.update(string.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
