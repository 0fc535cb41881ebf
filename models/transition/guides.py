"""Guides: the scores of a trained model for the next action.

A linear model is packed and scored inside the search (`treevote.models.features.weights`). Any other
scikit-learn classifier is asked in lock step: all sentences take their next action together, so that it
sees one large batch for each step and not one row at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treevote.errors import ModelError
from treevote.kernels import Doubles, Ints, Keys, Longs, kernel
from treevote.models.features.feature_index import find_rows, index_of
from treevote.models.features.firing import MAX_FEATURES, scratch
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.linear_guide import NEVER
from treevote.models.features.templates import TemplateTable
from treevote.models.features.weights import best_class
from treevote.models.learners.classifier_record import read_classifier
from treevote.models.transition.arc_standard import Actions, advance, legal, write_tree
from treevote.models.transition.configuration import CONFIGURATION_WIDTH, TREE_WIDTH, Arena, initial
from treevote.models.transition.features import fire
from treevote.protocols import Learner
from treevote.store.record import Record

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_BATCH = 2_000  # sentences in lock step


@dataclass(frozen=True, eq=False)
class ClassifierGuide:
    """The guide of a scikit-learn classifier that is not linear.

    Attributes
    ----------
    classifier : scikit-learn estimator
    keys : ndarray of uint64, shape (n_features,)
        The feature of each column.
    slots : ndarray of uint64
        Index of ``keys``.
    """

    classifier: Any
    keys: Keys
    slots: Keys

    @classmethod
    def of(cls, classifier: Learner, keys: Keys, n_actions: int) -> ClassifierGuide:
        """Make the guide of a trained classifier with ``keys`` as columns; ModelError if it fails on a row of zeros."""
        from scipy.sparse import csr_matrix  # slow to import, and most parsers are linear

        guide = cls(classifier, keys, index_of(keys, np.arange(len(keys))))
        guide.scores(csr_matrix(np.zeros((1, len(keys)), np.float32)), n_actions)
        return guide

    @classmethod
    def from_record(cls, record: Record, keys: Keys, n_actions: int) -> ClassifierGuide:
        """Make the guide of a classifier from its record.

        Raises as `treevote.models.learners.classifier_record.read_classifier`, or ModelError.
        """
        return cls.of(read_classifier(record, len(keys)), keys, n_actions)

    def scores(self, rows: csr_matrix, n_actions: int) -> Doubles:
        """Return the scores of all actions, shape (n_rows, n_actions).

        Raises
        ------
        ModelError
            If the classifier fails, or does not give a score to each of its classes, which are numbers of actions.
        """
        model = self.classifier
        try:
            classes = np.asarray(model.classes_, np.int64)
            if hasattr(model, "predict_proba"):
                known = np.asarray(model.predict_proba(rows), np.float64)
            elif hasattr(model, "decision_function"):
                known = np.asarray(model.decision_function(rows), np.float64)
            else:
                known = (model.predict(rows)[:, None] == classes).astype(np.float64)
            if known.ndim == 1:
                known = np.column_stack([-known, known])
            pairs = getattr(model, "decision_function_shape", "ovr") != "ovr" and not hasattr(model, "predict_proba")
        except Exception as error:  # a classifier that was read from a model may do anything
            raise ModelError(f"the classifier {type(model).__name__} fails ({error}); train with another") from error
        if pairs:
            raise ModelError("the classifier scores pairs of classes; set its decision_function_shape to 'ovr'")
        if known.shape != (rows.shape[0], len(classes)) or classes.min() < 0 or classes.max() >= n_actions:
            raise ModelError("the classifier of a model does not fit its actions; train it again")
        scores = np.full((rows.shape[0], n_actions), float(NEVER))
        scores[:, classes] = np.nan_to_num(known, nan=float(NEVER))
        return scores


def parse_in_lock_step(
    actions: Actions,
    table: TemplateTable,
    guide: ClassifierGuide,
    words: WordColumns,
    tokens: Ints,
    offsets: Longs,
    heads: Ints,
    deprels: Ints,
) -> None:
    """Parse all sentences greedily; parameters as for `treevote.models.transition.search.parse_beam`."""
    from scipy.sparse import csr_matrix

    for first in range(0, len(offsets) - 1, _BATCH):
        batch = offsets[first : first + _BATCH + 1]
        size = int(batch[-1] - batch[0])
        configurations = np.empty((2 * size, CONFIGURATION_WIDTH), np.int32)
        space = Arena(configurations, np.empty((3 * size, TREE_WIDTH), np.int32))
        begin_all(space, batch)
        for step in range(2 * int(np.diff(batch).max() - 1)):
            unfinished = np.flatnonzero(2 * (np.diff(batch) - 1) > step)
            columns = np.empty(len(unfinished) * MAX_FEATURES, np.int32)
            indptr = np.zeros(len(unfinished) + 1, np.int32)
            fire_all(space, unfinished, batch, step, tokens, words, table, guide.slots, columns, indptr)
            columns = columns[: indptr[-1]]
            rows = csr_matrix(
                (np.ones(len(columns), np.float32), columns, indptr), shape=(len(unfinished), len(guide.keys))
            )
            advance_all(space, actions, unfinished, batch, step, guide.scores(rows, len(actions.kind)))
        write_all(space, actions, batch, heads, deprels)


@kernel
def room_of(space: Arena, offsets: Longs, sentence: int) -> Arena:
    """Return the part of a large arena that belongs to one sentence."""
    first, last = offsets[sentence] - offsets[0], offsets[sentence + 1] - offsets[0]
    return Arena(space.configurations[2 * first : 2 * last], space.trees[3 * first : 3 * last])


@kernel
def begin_all(space: Arena, offsets: Longs) -> None:
    """Write the initial configuration of every sentence."""
    for sentence in range(len(offsets) - 1):
        initial(room_of(space, offsets, sentence), offsets[sentence + 1] - offsets[sentence] - 1)


@kernel
def fire_all(
    space: Arena,
    unfinished: Longs,
    offsets: Longs,
    step: int,
    tokens: Ints,
    words: WordColumns,
    table: TemplateTable,
    slots: Keys,
    columns: Ints,
    indptr: Ints,
) -> None:
    """Write the columns that fire in configuration ``step`` of each unfinished sentence, sorted, as CSR."""
    room, keys, rows = scratch(table), np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
    for i in range(len(unfinished)):
        first, last = offsets[unfinished[i]], offsets[unfinished[i] + 1]
        own = room_of(space, offsets, unfinished[i])
        count = fire(own, step, int(last - first - 1), tokens[first:last], words, table, room, keys)
        found = find_rows(keys, count, slots, rows)
        columns[indptr[i] : indptr[i] + found] = np.sort(rows[:found])
        indptr[i + 1] = indptr[i] + found


@kernel
def advance_all(space: Arena, actions: Actions, unfinished: Longs, offsets: Longs, step: int, scores: Doubles) -> None:
    """Take the best legal action in configuration ``step`` of each unfinished sentence."""
    mask = np.empty(len(actions.kind), np.bool_)
    for i in range(len(unfinished)):
        n = int(offsets[unfinished[i] + 1] - offsets[unfinished[i]] - 1)
        own = room_of(space, offsets, unfinished[i])
        legal(own, actions, step, n, mask)
        advance(own, actions, step, step + 1, n + 1 + step, best_class(scores[i], mask))


@kernel
def write_all(space: Arena, actions: Actions, offsets: Longs, heads: Ints, deprels: Ints) -> None:
    """Write the trees of all sentences, whose final configurations have been reached."""
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        own = room_of(space, offsets, sentence)
        write_tree(own, actions, 2 * (last - first - 1), heads[first:last], deprels[first:last])
