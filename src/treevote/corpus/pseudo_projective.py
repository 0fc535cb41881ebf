"""Pseudo-projective parsing (Nivre & Nilsson 2005): non-projective trees by way of projective ones.

Before training, :func:`projectivize` lifts the non-projective arcs: the dependent moves to the head of its
head, the shortest arc first, of equally long ones that with the leftmost dependent, until the tree is
projective. Labels record the lifts, in one of the three encodings of the paper. Let ``d`` be the label of
a lifted arc, ``h`` that of the arc to its original head, and ``p`` that of an arc on its lifting path,
which goes to a head it was lifted away from:

=========  ==========  ========
encoding   lifted arc  path arc
=========  ==========  ========
none       ``d``       ``p``
head       ``d↑h``     ``p``
path       ``d↑``      ``p↓``
head+path  ``d↑h``     ``p↓``
=========  ==========  ========

An arc that is both is marked as both, such as ``d↑h↓``. Arrows and backslashes in the labels of the treebank are
escaped by a backslash.

After parsing, :func:`deprojectivize` looks for the original head of each dependent with a ``↑``. It
searches below the head that was found, breadth first and from left to right, for a *target arc*, whose
dependent becomes the head:

- head: an arc with the label ``h``;
- path: an arc marked ``↓`` with no such arc below it, reached along arcs marked ``↓``;
- head+path: an arc with label ``h`` and mark ``↓``, reached along arcs marked ``↓``; without one, as head.

Without a target arc the dependent keeps its head. Dependents are taken in the breadth-first order of the parsed tree,
and each search sees the heads found before it: so a word lifted over a lifted word is found again, which the paper
leaves open. No search enters the subtree of the dependent, so a tree remains a tree; and arcs only move down, so the
number of roots never grows.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import (
    list_dependents,
    non_projective,
    number_subtrees,
    per_sentence,
    require_trees,
    spans_outsider,
)
from treevote.errors import require_known
from treevote.kernels import Bools, Ints, Longs, kernel, leaf

Encoding: TypeAlias = Literal["none", "head", "path", "head+path"]

_PLAIN = r"(?:[^\\↑↓]|\\[\\↑↓])"
_MARKED = re.compile(rf"({_PLAIN}+)(?:(↑)({_PLAIN}*))?(↓)?")  # a label of marks alone has no marks


def projectivize(treebank: Treebank, encoding: Encoding = "path") -> Treebank:
    """Lift the non-projective arcs of every sentence and mark the labels; marked labels come after all others.

    InputError if a sentence is not a tree, ConfigError for an unknown encoding.

    >>> words, labels = ["What", "did", "you", "think", "of"], ["pcomp", "root", "subj", "xcomp", "obl"]
    >>> gold = Treebank.of([(words, [5, 0, 2, 2, 4], labels)])
    >>> sentence = projectivize(gold, "head+path").sentence(0)
    >>> sentence.heads[1:].tolist(), sentence.deprels[1:]
    ([2, 0, 2, 2, 4], ('pcomp↑obl', 'root', 'subj', 'xcomp↓', 'obl↓'))
    """
    require_known("pseudo-projective encoding", encoding, get_args(Encoding))
    crossing = non_projective(treebank)
    sentences = np.flatnonzero(per_sentence(crossing, treebank.offsets))
    heads, on_path = treebank.heads.copy(), np.zeros(len(treebank.heads), np.bool_)
    _lift(heads, crossing, on_path, treebank.offsets, sentences)
    if encoding == "none":
        return treebank.with_trees(heads, treebank.deprels, treebank.labels)
    escaped = [_escape(label) for label in treebank.labels]
    labels = {label: index for index, label in enumerate(escaped)}
    deprels = treebank.deprels.copy()
    lifted = heads != treebank.heads
    changed = np.flatnonzero(lifted | on_path if "path" in encoding else lifted)
    for slot, start in zip(changed.tolist(), treebank.starts[changed].tolist(), strict=True):
        marked = escaped[treebank.deprels[slot]]
        if lifted[slot]:
            marked += "↑"
            if "head" in encoding:
                marked += escaped[treebank.deprels[start + treebank.heads[slot]]]
        if on_path[slot] and "path" in encoding:
            marked += "↓"
        deprels[slot] = labels.setdefault(marked, len(labels))
    return treebank.with_trees(heads, deprels, tuple(labels))


def deprojectivize(treebank: Treebank, encoding: Encoding = "path") -> Treebank:
    """Move the dependents with marked labels to the heads that the marks point to, and remove all marks.

    Other labels do not change; with the encoding ``"none"`` the result is ``treebank`` itself. InputError if a sentence
    with a lifted arc is not a tree, ConfigError for an unknown encoding.
    """
    require_known("pseudo-projective encoding", encoding, get_args(Encoding))
    if encoding == "none":
        return treebank
    labels, plain, lift, head_label, path = _columns(treebank.labels)
    used = treebank.deprels
    deprels, lifted = plain[used], lift[used]
    if not lifted.any():
        return treebank.with_trees(treebank.heads, deprels, labels)
    marked, sought, on_path = per_sentence(lifted, treebank.offsets) > 0, head_label[used], path[used]
    require_trees(treebank, marked)
    heads, sentences = treebank.heads.copy(), np.flatnonzero(marked)
    by_label, by_path = "head" in encoding, "path" in encoding
    _restore(heads, deprels, lifted, sought, on_path, treebank.offsets, sentences, by_label, by_path)
    return treebank.with_trees(heads, deprels, labels)


@functools.lru_cache(1 << 7)  # the labels of a parser are always the same
def _columns(marked: tuple[str, ...]) -> tuple[tuple[str, ...], Ints, Bools, Ints, Bools]:
    """Return the labels without marks, and for each marked label its plain label, lift, label sought, and path mark.

    One entry more is at the end, since the deprel of ROOT and of tokens without a head is -1.
    """
    marks = [_read(label) for label in marked]
    labels = {label: index for index, label in enumerate(dict.fromkeys(mark.label for mark in marks))}
    return (
        tuple(labels),
        np.array([*(labels[mark.label] for mark in marks), -1], np.int32),
        np.array([*(mark.lifted for mark in marks), False]),
        np.array([*(labels.get(mark.head, -1) for mark in marks), -1], np.int32),
        np.array([*(mark.on_path for mark in marks), False]),
    )


def plain_labels(labels: Sequence[str], encoding: Encoding) -> tuple[list[str], Bools]:
    """Return labels without their marks, and a mask of those of lifted arcs.

    >>> plain_labels(["obj", "obj↑", "root↓"], "path")
    (['obj', 'obj', 'root'], array([False,  True, False]))
    """
    if encoding == "none":
        return list(labels), np.zeros(len(labels), np.bool_)
    marks = [_read(label) for label in labels]
    return [mark.label for mark in marks], np.array([mark.lifted for mark in marks], np.bool_)


class _Mark(NamedTuple):
    """The parts of a label: ``head`` is the label of the original head, empty if it is not known."""

    label: str
    lifted: bool
    head: str
    on_path: bool


@functools.lru_cache(1 << 12)
def _read(marked: str) -> _Mark:
    match = _MARKED.fullmatch(marked)
    if match is None:
        return _Mark(marked, False, "", False)
    label, up, head, down = match.groups(default="")
    return _Mark(_unescape(label), up != "", _unescape(head), down != "")


def _escape(label: str) -> str:
    return re.sub(r"([\\↑↓])", r"\\\1", label)


def _unescape(label: str) -> str:
    return re.sub(r"\\([\\↑↓])", r"\1", label)


@kernel
def _lift(heads: Ints, crossing: Bools, on_path: Bools, offsets: Longs, sentences: Longs) -> None:
    """Lift until no arc crosses. All columns but ``offsets`` are written to."""
    for i in sentences:
        span = slice(offsets[i], offsets[i + 1])
        _lift_sentence(heads[span], crossing[span], on_path[span])


@kernel
def _lift_sentence(heads: Ints, crossing: Bools, on_path: Bools) -> None:
    enter, leave = np.empty_like(heads), np.empty_like(heads)
    while True:
        lifted = 0
        for token in range(1, len(heads)):
            shorter = lifted == 0 or abs(heads[token] - token) < abs(heads[lifted] - lifted)
            if crossing[token] and shorter:
                lifted = token
        if lifted == 0:
            return
        left = heads[lifted]
        heads[lifted] = heads[left]
        on_path[left] = True
        # Only the head that was left dominates less than before: all other arcs are as they were.
        number_subtrees(heads, enter, leave)
        for token in range(1, len(heads)):
            if token == lifted or (heads[token] == left and not crossing[token]):
                crossing[token] = spans_outsider(heads[token], token, enter, leave)


@kernel
def _restore(
    heads: Ints,
    deprels: Ints,
    lifted: Bools,
    sought: Ints,
    on_path: Bools,
    offsets: Longs,
    sentences: Longs,
    by_label: bool,
    by_path: bool,
) -> None:
    """Find the heads of the lifted dependents of some sentences; ``heads`` is written to."""
    for i in sentences:
        start, span = offsets[i], slice(offsets[i], offsets[i + 1])
        for token in _breadth_first(heads[span]):
            if lifted[start + token]:
                label = int(sought[start + token])
                marked, target = by_path, -1
                while target < 0:  # at last by the label alone
                    target = _target(token, label, by_label, marked, heads[span], deprels[span], on_path[span])
                    if not (by_label and marked):
                        break
                    marked = not marked
                if target >= 0:
                    heads[start + token] = target


@kernel
def _breadth_first(heads: Ints) -> Ints:
    """Return the positions of a tree from the top down, those of one head from left to right."""
    first, following, order = np.empty_like(heads), np.empty_like(heads), np.zeros_like(heads)
    list_dependents(heads, first, following)
    found = 1
    for at in range(len(heads)):
        token = first[order[at]]
        while token >= 0:
            order[found] = token
            found += 1
            token = following[token]
    return order


@kernel
def _target(lifted: int, sought: int, by_label: bool, by_path: bool, heads: Ints, deprels: Ints, on_path: Bools) -> int:
    """Return the dependent of the target arc for a lifted token, or -1."""
    first, following, queue = np.empty_like(heads), np.empty_like(heads), np.empty_like(heads)
    list_dependents(heads, first, following)
    queue[0] = heads[lifted]
    at, found = 0, 1
    while at < found:
        token = first[queue[at]]
        at += 1
        while token >= 0:
            if token != lifted and (on_path[token] or not by_path):
                if by_label and sought >= 0 and deprels[token] == sought:
                    return int(token)
                if not by_label and not _any_on_path(int(first[token]), following, on_path):
                    return int(token)
                queue[found] = token
                found += 1
            token = following[token]
    return -1


@leaf
def _any_on_path(token: int, following: Ints, on_path: Bools) -> bool:
    """Tell whether ``token`` or a sibling to its right is on a lifting path."""
    while token >= 0:
        if on_path[token]:
            return True
        token = following[token]
    return False
