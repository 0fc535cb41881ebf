"""Decision lists (Rivest 1987): the first rule that matches decides.

A rule is a pattern, a set of features that must all be present, and a class. The last rule of a list has the empty
pattern and matches everything.

The first match is found through an index. It lists every rule under the rarest feature of its pattern, so an instance
is only compared with the rules listed under its own features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Ints, kernel, leaf
from treevote.store.validation import check_offsets

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class DecisionList(NamedTuple):
    """Rules from the top of the list to its bottom; features ascend in a pattern, only the last pattern is empty."""

    features: Ints  # of all patterns in a row
    offsets: Ints  # shape (n_rules + 1,): start of each pattern in ``features``
    classes: Ints  # shape (n_rules,)
    gains: Ints  # more instances right when the rule was put on top; of the last rule, those it has right alone
    decided: Ints  # training instances that each rule of the whole list decides
    right: Ints  # and those that it decides correctly

    def pattern(self, rule: int) -> list[int]:
        """Return the features of a rule, counted from 0 at the top."""
        found: list[int] = self.features[self.offsets[rule] : self.offsets[rule + 1]].tolist()
        return found


def check_rules(rules: DecisionList, n_features: int, n_classes: int) -> None:
    """Raise ValueError unless a list is well formed, so that kernels never read outside its arrays."""
    n = len(rules.classes)
    check_offsets("offsets", rules.offsets, n, len(rules.features))
    lengths = np.diff(rules.offsets)
    if not (
        n > 0
        and len(rules.gains) == len(rules.decided) == len(rules.right) == n
        and (lengths[:-1] > 0).all()
        and lengths[-1] == 0
        and ((rules.features >= 0) & (rules.features < n_features)).all()
        and ((rules.classes >= 0) & (rules.classes < n_classes)).all()
        and ((rules.right >= 0) & (rules.right <= rules.decided)).all()
    ):
        raise ValueError("its rules")


class CompiledRules(NamedTuple):
    """A decision list with its index: the rules listed under each feature from the top, one feature after the other."""

    numbers: Ints  # shape (n_features,): number of each feature within the list, -1 if no rule has it
    features: Ints  # the patterns, as in ``DecisionList``, by the numbers of their features
    offsets: Ints
    listed: Ints
    starts: Ints  # shape (n_numbers + 1,): start of each feature in ``listed``
    classes: Ints
    reliability: Doubles  # smoothed precision on the training instances, ``(right + 0.5) / (decided + 1)``


def compile_rules(rules: DecisionList, n_features: int) -> CompiledRules:
    """Return a decision list with its index; every feature is below ``n_features``."""
    used, features, counts = np.unique(rules.features, return_inverse=True, return_counts=True)
    numbers = np.full(n_features, -1, np.int32)
    numbers[used] = np.arange(len(used))
    lengths = np.diff(rules.offsets)
    n_rules = len(lengths)
    # Sort each pattern by the frequency of its features. The last rule has none and is not listed.
    order = np.lexsort((features, counts[features], np.repeat(np.arange(n_rules), lengths)))
    rarest = features[order[rules.offsets[:-1][lengths > 0]]]
    listed = np.argsort(rarest, kind="stable").astype(np.int32)
    starts = np.searchsorted(rarest[listed], np.arange(len(used) + 1)).astype(np.int32)
    reliability = (rules.right + 0.5) / (rules.decided + 1.0)
    return CompiledRules(numbers, features.astype(np.int32), rules.offsets, listed, starts, rules.classes, reliability)


class Marks(NamedTuple):
    """Scratch arrays for the features of an instance, by their numbers within a list."""

    stamps: Ints  # shape (n_numbers + 1,): the number of the last instance that had each; the last is that of all
    known: Ints  # shape (n_numbers + 1,)


@kernel
def marks(rules: CompiledRules) -> Marks:
    """Return the arrays before the first instance."""
    return Marks(np.zeros(len(rules.starts), np.int32), np.empty(len(rules.starts), np.int32))


@leaf
def first_match(n: int, features: Ints, marks: Marks, rules: CompiledRules, allowed: Bools) -> int:
    """Return the first rule that matches the first ``n`` features, of those whose class is ``allowed``; -1 for none."""
    stamps, known = marks
    stamp = stamps[-1] + 1
    stamps[-1] = stamp
    n_known = 0
    for k in range(n):
        number = rules.numbers[features[k]]
        if number >= 0 and stamps[number] != stamp:
            known[n_known] = number
            stamps[number] = stamp
            n_known += 1
    best = len(rules.classes) - 1  # it matches everything
    for j in range(n_known):
        for k in range(rules.starts[known[j]], rules.starts[known[j] + 1]):
            rule = rules.listed[k]
            if rule >= best:
                break
            at, end = rules.offsets[rule], rules.offsets[rule + 1]
            while at < end and stamps[rules.features[at]] == stamp:
                at += 1
            if at == end and allowed[rules.classes[rule]]:
                best = rule
                break
    return best if allowed[rules.classes[best]] else -1


@kernel
def first_matches(indptr: Ints, indices: Ints, rules: CompiledRules, found: Ints) -> None:
    """Write the first rule that matches each row of a CSR matrix to ``found``, shape (n_rows,)."""
    scratch, allowed = marks(rules), np.ones(rules.classes.max() + 1, np.bool_)
    for row in range(len(found)):
        features = indices[indptr[row] : indptr[row + 1]]
        found[row] = first_match(len(features), features, scratch, rules, allowed)


def where_positive(X: Any) -> csr_matrix:
    """Tell where the values of a matrix are positive; columns ascend in each row."""
    from scipy.sparse import csr_matrix  # slow to import, and not needed to parse

    matrix = csr_matrix(X > 0)
    matrix.sum_duplicates()
    return matrix


def places_of(matrix: Any) -> tuple[Ints, Ints]:
    """Return the index pointers and the indices of a compressed matrix."""
    return matrix.indptr.astype(np.int32, copy=False), matrix.indices.astype(np.int32, copy=False)


def decide(rules: DecisionList, X: Any) -> Ints:
    """Return the number of the first rule that matches each row, shape (n_rows,); 0 is the top of the list.

    A row has a feature if its value is positive.
    """
    found = np.empty(X.shape[0], np.int32)
    first_matches(*places_of(where_positive(X)), compile_rules(rules, X.shape[1]), found)
    return found
