"""The guide of `learners.pairs.PairsSVM`: weights of features and of their pairs, searched greedily.

A configuration has too many pairs for the packed rows of `features.weights`: they are looked up among
those of the training.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treevote.kernels import Floats, Ints, Keys, Longs, kernel
from treevote.models.learning.features.feature_index import find_rows, index_of
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.linear_guide import NEVER, coefficients_of
from treevote.models.learning.features.pairs import write_pairs
from treevote.models.learning.features.rows import Trees
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.learning.features.weights import best_class, only_class
from treevote.models.parsers.given_arcs import GivenArcs, given_in
from treevote.models.parsers.transition.arc_standard import Actions, advance, legal, write_tree
from treevote.models.parsers.transition.configuration import initial, workspace
from treevote.models.parsers.transition.features import fire
from treevote.models.parsers.transition.reachability import reachable
from treevote.store.manifest import JSON
from treevote.store.record import Record
from treevote.store.validation import check_offsets, column

if TYPE_CHECKING:
    from treevote.models.learning.learners.pairs import PairsSVM


class PairWeights(NamedTuple):
    """Weights of features and pairs: feature j is paired with ``earlier[starts[j]:starts[j + 1]]``, all before it."""

    slots: Keys  # index of the keys of the features
    starts: Longs  # shape (n_features + 1,)
    earlier: Ints  # shape (n_pairs,)
    pair_weights: Floats  # shape (n_features + n_pairs, n_actions): of the features, then of the pairs
    bias: Floats  # shape (n_actions,)


@dataclass(frozen=True, eq=False)
class PairGuide:
    """The guide of a support vector machine over pairs of features."""

    keys: Keys
    weights: PairWeights

    @classmethod
    def of(cls, keys: Keys, starts: Longs, earlier: Ints, pair_weights: Floats, bias: Floats) -> PairGuide:
        """Make the guide of such arrays; ModelError if the keys are not distinct."""
        slots = index_of(keys, np.arange(len(keys)))
        return cls(keys, PairWeights(slots, starts, earlier, pair_weights, bias))

    @classmethod
    def trained(cls, learner: PairsSVM, keys: Keys, n_actions: int) -> PairGuide:
        """Make the guide of a trained learner with ``keys`` as columns, whose classes are actions."""
        weights, bias, seen = coefficients_of(learner.svm_, n_actions)
        bias[~seen] = NEVER
        expansion = learner.expansion_
        return cls.of(keys, expansion.starts, expansion.earlier, weights, bias)

    def facts(self) -> dict[str, JSON]:
        """Return the facts of its record: none."""
        return {}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of its record."""
        return {"keys": self.keys, **{name: getattr(self.weights, name) for name in PairWeights._fields[1:]}}

    @classmethod
    def from_record(cls, record: Record, n_actions: int) -> PairGuide:
        """Make the guide from the `arrays` of a record; raises as `rebuild` of the store expects."""
        keys, starts = column(record, "keys", np.uint64), column(record, "starts", np.int64)
        earlier, bias = column(record, "earlier", np.int32), column(record, "bias", np.float32)
        check_offsets("starts", starts, len(keys), len(earlier))
        weights = np.array(record.arrays["pair_weights"], order="C")
        if weights.dtype != np.float32 or weights.shape != (len(keys) + len(earlier), n_actions):
            raise ValueError("the weights of its pairs")
        if len(bias) != n_actions or not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise ValueError("its scores")
        return cls.of(keys, starts, earlier, weights, bias)


@kernel
def score_with_pairs(weights: PairWeights, rows: Longs, scores: Floats) -> None:
    """Write the scores of all actions for a configuration with the features of some rows, sorted."""
    columns, values, n = np.empty(len(rows), np.int32), np.ones(len(rows), np.float32), 0
    for row in rows:
        if n > 0 and columns[n - 1] == row:  # a feature that fires twice
            values[n - 1] += np.float32(1)
        else:
            columns[n] = row
            n += 1
    ends = np.array([0, n])
    _, columns, values = write_pairs(ends, columns, values, weights.starts, weights.earlier)
    scores[:] = 0
    for i in range(len(columns)):
        for k in range(len(scores)):
            scores[k] += values[i] * weights.pair_weights[columns[i], k]
    for k in range(len(scores)):
        scores[k] += weights.bias[k]


@kernel
def parse_with_pairs(
    actions: Actions, table: TemplateTable, weights: PairWeights, words: WordColumns, given: GivenArcs, trees: Trees
) -> None:
    """Parse every sentence greedily; parameters as for `treevote.models.parsers.transition.search.parse_beam`."""
    tokens, heads, deprels, offsets = trees
    room, keys, rows = scratch(table), np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
    scores = np.empty(len(actions.kind), np.float32)
    mask, kept = np.empty(len(actions.kind), np.bool_), np.empty(len(actions.kind), np.bool_)
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        own, n = given_in(given, first, last), int(last - first - 1)
        space = workspace(n, 2 * n)
        initial(space, n)
        for here in range(2 * n):
            legal(space, actions, here, n, mask)
            reachable(space, actions, own, here, mask, kept)
            action = only_class(kept)
            if action < 0:
                count = fire(space, here, tokens[first:last], words, table, room, keys)
                found = find_rows(keys, count, weights.slots, rows)
                score_with_pairs(weights, np.sort(rows[:found]), scores)
                action = best_class(scores, kept)
            advance(space, actions, here, here + 1, n + 1 + here, action)
        write_tree(space, actions, 2 * n, heads[first:last], deprels[first:last])
