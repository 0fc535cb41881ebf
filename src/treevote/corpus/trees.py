"""Trees over the words of a sentence: validity, projectivity, and mirror images.

A tree is a head array over positions ``0..n``: ``heads[0]`` is -1, every other entry is the position of the
head, 0 for ROOT. An arc is *non-projective* if a word strictly between head and dependent is not dominated
by the head. ROOT dominates every word, so an arc from ROOT never is; any other arc over a word that hangs
on ROOT is.

The functions for one sentence take its head array, those for many a :class:`~treevote.corpus.treebank.Treebank`.
The search for non-projective arcs takes time linear in the sum of the lengths of all arcs, everything else linear in
the number of words.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from reprlib import repr as short
from typing import Any

import numpy as np

from treevote.corpus.sentence import is_label
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.kernels import Bools, Ints, Longs, kernel, leaf


def is_tree(heads: Ints, single_root: bool = False) -> bool:
    """Tell whether every token reaches ROOT along its heads; with ``single_root``, ROOT must have one dependent.

    ``heads``, shape (n + 1,), begins with -1 in a tree, and may have any other content.

    >>> is_tree(np.array([-1, 2, 0, 2], np.int32)), is_tree(np.array([-1, 2, 1, 0], np.int32))
    (True, False)
    """
    return bool(_is_tree(heads)) and (not single_root or int(np.count_nonzero(heads == 0)) == 1)


def non_projective_arcs(heads: Ints) -> Bools:
    """Return a mask, shape (n + 1,), of the dependents whose arc is non-projective; InputError if there is no tree."""
    if not is_tree(heads):
        raise InputError(f"expected a tree, found the heads {heads[1:].tolist()}", remedy="correct the heads")
    return _non_projective(heads, np.array([0, len(heads)]))


def is_projective(heads: Ints) -> bool:
    """Tell whether a tree has no non-projective arc."""
    return not non_projective_arcs(heads).any()


def are_trees(treebank: Treebank) -> Bools:
    """Return a mask of the sentences whose heads are a tree, shape (n_sentences,); several roots are allowed."""
    sound = dataclasses.replace(treebank)  # which checks its arrays: they may have been written into
    return mask_of_trees(sound.heads, sound.offsets)


def cycles(heads: Sequence[int]) -> Iterator[list[int]]:
    """Yield each cycle of heads, upwards from the token at which the way up first met itself; ``heads[0]`` is -1."""
    seen = [0] * len(heads)  # the token from which the way up first came here
    for token in range(1, len(heads)):
        position = token
        while position > 0 and not seen[position]:
            seen[position] = token
            position = heads[position]
        if position > 0 and seen[position] == token:
            cycle = [position]
            while (above := heads[cycle[-1]]) != position:
                cycle.append(above)
            yield cycle


def are_partial(treebank: Treebank) -> Bools:
    """Return a mask of the sentences in which some token has no head, shape (n_sentences,).

    >>> are_partial(Treebank.of([(["a"], [0], ["root"]), (["b", "c"], [-1, 0], ["", "root"])])).tolist()
    [False, True]
    """
    return per_sentence(treebank.is_token & (treebank.heads < 0), treebank.offsets) > 0


def require_trees(treebank: Treebank, sentences: Bools | None = None) -> None:
    """Raise an InputError that names the first sentence (of a mask) whose heads are not a tree, if there is one."""
    sound = are_trees(treebank)
    faults = np.flatnonzero(~sound if sentences is None else ~sound & sentences)
    if len(faults):
        _, *heads = treebank[int(faults[0])].heads.tolist()
        token = 1 + heads.index(-1) if -1 in heads else next(cycles([-1, *heads]))[0]
        problem, remedy = f"expected a tree, found the heads {heads}", "correct the heads, or leave the sentence out"
        raise treebank.fault(int(treebank.offsets[faults[0]]) + token, problem, remedy)


def require_labelled_trees(treebank: Treebank) -> None:
    """Raise an InputError unless a treebank can be trained on: it has tokens, and each has a head and a deprel.

    A label must be one that could be read back from a model (`is_label`).

    >>> require_labelled_trees(Treebank.of([], name="toy"))
    Traceback (most recent call last):
    treevote.errors.InputError: toy: expected trees to learn from, found no sentence; give a labelled treebank
    """
    tokens = treebank.is_token
    bare = (treebank.heads[tokens] < 0).any() or (treebank.deprels[tokens] < 0).any()
    if not treebank.n_tokens or bare:
        problem = f"expected trees to learn from, found {'sentences without heads' if bare else 'no sentence'}"
        raise InputError(problem, path=treebank.title, remedy="give a labelled treebank")
    for number, label in enumerate(treebank.labels):
        if not is_label(label):
            problem, remedy = f"expected a label with no control character, found {short(label)}", "correct the DEPREL"
            slots = np.flatnonzero(treebank.deprels == number).tolist()
            unused = InputError(problem, path=treebank.title, remedy=remedy)
            raise treebank.fault(slots[0], problem, remedy) if slots else unused
    require_trees(treebank)


def non_projective(treebank: Treebank) -> Bools:
    """Return a mask of the slots whose arc is non-projective, shape (n_slots,); InputError without trees."""
    require_trees(treebank)
    return _non_projective(treebank.heads, treebank.offsets)


def roots(treebank: Treebank) -> Longs:
    """Return the number of dependents of ROOT in each sentence, shape (n_sentences,)."""
    return per_sentence(treebank.heads == 0, treebank.offsets)


def is_single_rooted(treebank: Treebank) -> bool:
    """Tell whether ROOT has exactly one dependent in every sentence, as Universal Dependencies demand."""
    return bool((roots(treebank) == 1).all())


def per_sentence(mask: Bools, offsets: Longs) -> Longs:
    """Return the number of true slots of each sentence, shape (n_sentences,).

    >>> per_sentence(np.array([False, True, True, False, False]), np.array([0, 3, 5])).tolist()
    [2, 0]
    """
    before = np.zeros(len(mask) + 1, np.int64)
    mask.cumsum(out=before[1:])
    at = before[offsets]
    return at[1:] - at[:-1]


def reverse(treebank: Treebank) -> Treebank:
    """Return the mirror image of every sentence: position ``p`` becomes ``n + 1 - p``, ROOT stays in front.

    A backward parser is a forward parser between two reversals. The mirror image of a (projective) tree is a
    (projective) tree. Two reversals give the treebank back without its source text.
    """
    lengths, positions = (treebank.lengths + 1)[treebank.sentence_of], treebank.positions
    mirror = treebank.starts + np.where(positions > 0, lengths - positions, 0)
    heads = treebank.heads[mirror]
    columns: dict[str, Any] = {field: column[mirror] for field, column in treebank.marks.items()}
    columns |= {"tokens": treebank.tokens[mirror], "deprels": treebank.deprels[mirror]}
    heads = np.where(heads > 0, lengths - heads, heads).astype(np.int32)
    return dataclasses.replace(treebank, **columns, heads=heads, source=None)


@kernel
def _is_tree(heads: Ints) -> bool:
    n = len(heads) - 1
    if n < 0 or heads[0] != -1:
        return False
    seen = np.zeros(n + 1, np.int32)  # the token from which the way up first came here
    for token in range(1, n + 1):
        position = token
        while position != 0 and seen[position] == 0:
            seen[position] = token
            position = heads[position]
            if position < 0 or position > n:
                return False
        if position != 0 and seen[position] == token:
            return False
    return True


@kernel
def mask_of_trees(heads: Ints, offsets: Longs) -> Bools:
    """Return a mask of the sentences whose heads are a tree, as `are_trees` does; heads may be out of range."""
    result = np.zeros(len(offsets) - 1, np.bool_)
    for i in range(len(result)):
        result[i] = _is_tree(heads[offsets[i] : offsets[i + 1]])
    return result


@leaf
def list_dependents(heads: Ints, first: Ints, following: Ints) -> None:
    """Write the leftmost dependent of every position of a tree, and its next sibling to the right; -1 for none."""
    for token in range(len(heads)):
        first[token] = following[token] = -1
    for token in range(len(heads) - 1, 0, -1):
        following[token] = first[heads[token]]
        first[heads[token]] = token


@kernel
def number_subtrees(heads: Ints, enter: Ints, leave: Ints) -> None:
    """Write the number of each position of a tree in depth-first order, and the last number below it.

    ``h`` dominates ``w`` if and only if ``enter[h] <= enter[w] <= leave[h]``.
    """
    first, following = np.empty_like(heads), np.empty_like(heads)
    list_dependents(heads, first, following)
    position, number = 0, 0
    enter[0] = 0
    while position >= 0:
        dependent = first[position]
        if dependent >= 0:
            first[position] = following[dependent]
            number += 1
            enter[dependent] = number
            position = dependent
        else:
            leave[position] = number
            position = heads[position]


@leaf
def spans_outsider(head: int, dependent: int, enter: Ints, leave: Ints) -> bool:
    """Tell whether a word strictly between the two positions is not dominated by ``head``."""
    if head == 0:
        return False
    for word in range(min(head, dependent) + 1, max(head, dependent)):
        if enter[word] < enter[head] or enter[word] > leave[head]:
            return True
    return False


@kernel
def _non_projective(heads: Ints, offsets: Longs) -> Bools:
    marks = np.zeros(len(heads), np.bool_)
    for i in range(len(offsets) - 1):
        own = heads[offsets[i] : offsets[i + 1]]
        enter, leave = np.empty_like(own), np.empty_like(own)
        number_subtrees(own, enter, leave)
        for token in range(1, len(own)):
            marks[offsets[i] + token] = spans_outsider(own[token], token, enter, leave)
    return marks
