"""Given arcs: heads and labels that were decided before the parse, and that a parse must hold.

They are those of a treebank in which some words have no head yet: the half-done trees of an annotator. Heads hold
together if they close no cycle and, where every tree has one root, name one root at most: then some tree has them all.
"""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import reverse
from treevote.corpus.vocabulary import encode
from treevote.errors import require_known
from treevote.kernels import Ints, Longs, kernel

Keep: TypeAlias = Literal["heads", "labels", "all"]
"""Keep given heads, given labels (on whatever head is found), or both."""

FREE_LABEL = "_"  # of a word that has no label yet
ROOT_LABEL = "root"  # of an arc from ROOT, and of no other, in upper or lower case


class Given(NamedTuple):
    """Given heads and labels; a word may have one without the other."""

    heads: Ints  # shape (n_slots,), position of the head in the sentence; -1 where it is free
    deprels: Ints  # shape (n_slots,), index in labels; -1 where the label is free
    labels: tuple[str, ...]

    @classmethod
    def of(cls, treebank: Treebank, keep: Keep | None, *, single_root: bool) -> Given | None:
        """Return what is given by the trees of a treebank; None if that is nothing.

        A word with the given label ``root`` and no given head is given ROOT, if no other word of its sentence has this
        label or head. InputError, with file, line and sentence, if given heads close a cycle, or name two roots where
        there must be one; ConfigError for another ``keep``.

        >>> half_done = Treebank.of([(["a", "dog", "barks"], [2, -1, 0], ["det", "", "root"])])
        >>> Given.of(half_done, "heads", single_root=True).heads.tolist()
        [-1, 2, -1, 0]
        """
        if keep is None:
            return None
        require_known("keep", keep, get_args(Keep))
        treebank = dataclasses.replace(treebank)  # which checks its arrays: they may have been written into
        none = np.full_like(treebank.heads, -1)
        named = np.array([*(label != FREE_LABEL for label in treebank.labels), False])[treebank.deprels]
        heads = none if keep == "labels" else treebank.heads
        deprels = none if keep == "heads" else np.where(named, treebank.deprels, -1).astype(np.int32)
        if (heads < 0).all() and (deprels < 0).all():
            return None
        heads = _with_named_roots(heads, deprels, treebank)
        slot = first_conflict(heads, treebank.offsets, single_root)
        if slot >= 0:
            found = "a second root" if heads[slot] == 0 else f"a cycle through its head {heads[slot]}"
            expected = "expected given heads that some tree has"
            raise treebank.fault(slot, f"{expected}, found {found}", "correct the heads, or leave some open as _")
        return cls(heads, deprels, treebank.labels)

    def within(self, first: int, last: int) -> Given | None:
        """Return what is given in the slots ``first:last``; None if that is nothing."""
        heads, deprels = self.heads[first:last], self.deprels[first:last]
        return None if (heads < 0).all() and (deprels < 0).all() else Given(heads, deprels, self.labels)

    def mirrored(self, treebank: Treebank) -> Given:
        """Return what is given in the mirror images of the sentences of ``treebank``."""
        mirror = reverse(treebank.with_trees(*self))
        return Given(mirror.heads, mirror.deprels, mirror.labels)

    def held(self, parse: Treebank) -> Treebank:
        """Return a parse with the given heads and labels in place of its own; it may be a tree no longer.

        A given arc without a label has that of the parse for its word. Where that is none, or ``root`` and the head a
        word, it is ``dep``; where the head is ROOT, and that of the parse is not, it is the one of the first arc from
        ROOT in the sentence, or ``root`` if there is none.
        """
        known = {label: number for number, label in enumerate(parse.labels)}
        numbers = encode(self.labels, known)
        deprels = np.where(self.deprels >= 0, numbers[self.deprels], parse.deprels)
        of_root = np.array([*(label.lower() == ROOT_LABEL for label in parse.labels), True])[parse.deprels]
        is_free = (self.heads >= 0) & (self.deprels < 0)
        below = is_free & (self.heads > 0) & of_root
        top = is_free & (self.heads == 0) & ((parse.heads != 0) | (parse.deprels < 0))
        if below.any() or top.any():
            root, other = (known.setdefault(label, len(known)) for label in (ROOT_LABEL, "dep"))
            first = np.full(len(parse), root)
            roots = np.flatnonzero((parse.heads == 0) & (parse.deprels >= 0))[::-1]
            first[parse.sentence_of[roots]] = parse.deprels[roots]
            deprels = np.where(below, other, np.where(top, first[parse.sentence_of], deprels))
        heads = np.where(self.heads >= 0, self.heads, parse.heads)
        return parse.with_trees(heads, deprels.astype(np.int32), tuple(known))


def _with_named_roots(heads: Ints, deprels: Ints, treebank: Treebank) -> Ints:
    """Return given heads, with ROOT for the word whose given label alone says that it is the root of its sentence."""
    is_root = np.array([*(label.lower() == ROOT_LABEL for label in treebank.labels), False])[deprels]
    candidates = np.flatnonzero(is_root | (heads == 0))
    sentences, counts = np.unique(treebank.sentence_of[candidates], return_counts=True)
    alone = candidates[np.isin(treebank.sentence_of[candidates], sentences[counts == 1])]
    found = heads.copy()
    found[alone[heads[alone] < 0]] = 0
    return found


@kernel
def first_conflict(heads: Ints, offsets: Longs, single_root: bool) -> int:
    """Return the first slot whose head closes a cycle, or is the second root where there must be one; -1 for none."""
    seen = np.full(len(heads), -1, np.int32)  # the token from which the way up first came here
    for i in range(len(offsets) - 1):
        first, n = offsets[i], offsets[i + 1] - offsets[i] - 1
        roots = 0
        for token in range(1, n + 1):
            roots += int(heads[first + token] == 0)
            if single_root and roots > 1:
                return int(first + token)
            position = token
            while position > 0 and seen[first + position] < 0:
                seen[first + position] = token
                position = int(heads[first + position])
            if position > 0 and seen[first + position] == token:
                return int(first + position)
    return -1
