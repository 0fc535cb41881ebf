"""A log-linear model of actions whose weights still change: the probability of an action, and steps up its gradient.

The weights are dense rows of 32-bit numbers, one for each feature; `features.weights` packs them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Floats, Ints, Keys, Longs, leaf
from treevote.models.learning.features.feature_index import find_rows, index_of
from treevote.models.learning.features.firing import MAX_FEATURES, Scratch, scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.linear_guide import Coefficients
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.learning.features.weights import only_class
from treevote.models.parsers.transition.arc_standard import Actions, legal
from treevote.models.parsers.transition.configuration import ACTION, Workspace
from treevote.models.parsers.transition.features import fire

_LEAST = 1e-3  # smaller gradients are treated as 0


class LogLinear(NamedTuple):
    """A model with the words of its training sentences, and arrays for one configuration."""

    actions: Actions
    words: WordColumns
    table: TemplateTable
    slots: Keys  # index from the key of a feature to its row of the weights
    coefficients: Coefficients
    room: Scratch
    keys: Keys  # shape (MAX_FEATURES,): the features of a configuration
    rows: Longs  # shape (MAX_FEATURES,): the rows of those that have weights
    mask: Bools  # shape (n_actions,): the legal actions
    logs: Floats  # shape (n_actions,): their log-probabilities; the numbers of other actions have no meaning

    @classmethod
    def of(
        cls, actions: Actions, words: WordColumns, table: TemplateTable, keys: Keys, coefficients: Coefficients
    ) -> LogLinear:
        """Make the model of these weights; ``keys`` has the feature of each row."""
        slots, n_actions = index_of(keys, np.arange(len(keys))), len(actions.kind)
        features, rows = np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
        mask, logs = np.empty(n_actions, np.bool_), np.empty(n_actions, np.float32)
        return cls(actions, words, table, slots, coefficients, scratch(table), features, rows, mask, logs)


@leaf
def score(model: LogLinear, space: Workspace, here: int, tokens: Ints) -> int:
    """Write the legal actions of a configuration and their log-probabilities.

    Return the number of its features that have weights, whose rows are in ``model.rows``; -1 if there is no choice, and
    no log-probabilities.
    """
    weights, bias = model.coefficients.weights, model.coefficients.bias
    mask, logs, rows, n = model.mask, model.logs, model.rows, len(tokens) - 1
    legal(space, model.actions, here, n, mask)
    if only_class(mask) >= 0:
        return -1
    count = fire(space, here, tokens, model.words, model.table, model.room, model.keys)
    found = find_rows(model.keys, count, model.slots, rows)
    for k in range(len(logs)):
        logs[k] = bias[k]
    for i in range(found):
        row = weights[rows[i]]
        for k in range(len(logs)):
            logs[k] += row[k]
    best, total = np.float64(-np.inf), np.float64(0.0)
    for k in range(len(logs)):
        if mask[k] and logs[k] > best:
            best = np.float64(logs[k])
    for k in range(len(logs)):
        if mask[k]:
            total += np.exp(logs[k] - best)
    shift = np.float32(best + np.log(total))
    for k in range(len(logs)):
        logs[k] -= shift
    return found


@leaf
def ascend(model: LogLinear, space: Workspace, path: Longs, tokens: Ints, rate: np.float32) -> None:
    """Move the weights up the gradient of the log-probability of the actions between the configurations of ``path``.

    One action after the other: each gradient is that of the weights which the action before it left.
    """
    mask, logs = model.mask, model.logs
    weights, bias = model.coefficients.weights, model.coefficients.bias
    for at in range(len(path) - 1):
        found = score(model, space, path[at], tokens)
        if found < 0:
            continue
        action = space.configurations[path[at + 1], ACTION]
        for k in range(len(logs)):
            slope = np.float32(0)
            if mask[k]:
                slope = (np.float32(1) if k == action else np.float32(0)) - np.exp(logs[k])
            logs[k] = rate * slope if abs(slope) > _LEAST else np.float32(0)
            bias[k] += logs[k]
        for i in range(found):
            row = weights[model.rows[i]]
            for k in range(len(logs)):
                row[k] += logs[k]
