"""A log-linear model of actions whose weights still change: the probability of an action, and steps up its gradient.

The weights are dense rows of 32-bit numbers, one for each feature, in the layout of `features.weights`, which packs
them after the training. While they stay as they are, scores of parts of the templates are cached as in parsing: the
derivations of a beam have most words in common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Floats, Ints, Keys, Longs, leaf
from treevote.models.learning.features.feature_index import index_of
from treevote.models.learning.features.firing import MAX_FEATURES, Scratch, scratch
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.linear_guide import Coefficients
from treevote.models.learning.features.partial_scores import Parts, ScoreCache, divide, empty_cache
from treevote.models.learning.features.rich_templates import JOINT, OTHERS
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.learning.features.weights import LEAST, UNIT, DenseWeights, exponential, only_class
from treevote.models.learning.features.weights import score as score_features
from treevote.models.parsers.transition.arc_standard import Actions, legal
from treevote.models.parsers.transition.configuration import ACTION, Workspace
from treevote.models.parsers.transition.features import Model, fire, score_configuration

_LEAST = 1e-3  # smaller gradients are treated as 0


class LogLinear(NamedTuple):
    """A model with the words of its training sentences, and arrays for one configuration."""

    actions: Actions
    words: WordColumns
    table: TemplateTable
    parts: Parts
    weights: DenseWeights
    seen: Bools  # shape (n_actions,): whether the training of the learner had rows of the action
    cache: ScoreCache  # of the present weights
    room: Scratch
    keys: Keys  # shape (MAX_FEATURES,): the features of a configuration
    rows: Longs  # shape (MAX_FEATURES,): their rows of weights, -1 for none
    mask: Bools  # shape (n_actions,): the legal actions
    logs: Floats  # shape (n_actions,): their log-probabilities; the numbers of other actions have no meaning

    @classmethod
    def of(
        cls, actions: Actions, words: WordColumns, table: TemplateTable, keys: Keys, coefficients: Coefficients
    ) -> LogLinear:
        """Make the model of a copy of these weights; ``keys`` has the feature of each row."""
        n_actions, parts = len(actions.kind), divide(table, OTHERS, JOINT)
        rows = np.full((len(keys), 1 + n_actions), -1, np.float32)  # the mark of a dense row, and its weights
        rows[:, 1:] = coefficients.weights
        slots = index_of(keys, (1 + n_actions) * np.arange(len(keys)))
        weights = DenseWeights(slots, rows.ravel(), coefficients.bias.copy(), 1.0)
        cache = empty_cache(parts, n_actions, np.float32)
        fired = scratch(table), np.empty(MAX_FEATURES, np.uint64), np.empty(MAX_FEATURES, np.int64)
        scored = np.empty(n_actions, np.bool_), np.empty(n_actions, np.float32)
        return cls(actions, words, table, parts, weights, coefficients.seen, cache, *fired, *scored)

    @property
    def coefficients(self) -> Coefficients:
        """The present weights, not a copy; after a change of them the cache has to be forgotten."""
        rows = self.weights.packed.reshape(-1, 1 + len(self.weights.bias))
        return Coefficients(rows[:, 1:], self.weights.bias, self.seen)


@leaf
def score(model: LogLinear, space: Workspace, here: int, tokens: Ints) -> bool:
    """Write the legal actions of a configuration and their log-probabilities.

    Return False, and write no log-probabilities, if there is no choice.
    """
    if not has_choice(model, space, here, tokens):
        return False
    own = Model(model.actions, model.parts, model.weights, model.words)
    score_configuration(own, model.cache, space, here, tokens, model.logs)
    log_softmax(model.mask, model.logs)
    return True


@leaf
def has_choice(model: LogLinear, space: Workspace, here: int, tokens: Ints) -> bool:
    """Write the legal actions of a configuration; return whether there are several."""
    legal(space, model.actions, here, len(tokens) - 1, model.mask)
    return only_class(model.mask) < 0


@leaf
def log_softmax(mask: Bools, scores: Floats) -> None:
    """Write the log-probabilities of the classes in ``mask`` over their scores, summed as in `features.weights`."""
    best, total = np.float32(-np.inf), np.int64(0)
    for k in range(len(scores)):
        best = max(best, scores[k] if mask[k] else np.float32(-np.inf))
    for k in range(len(scores)):
        log = min(np.float64(scores[k]) - np.float64(best), 0.0)
        total += int(UNIT * exponential(max(log, LEAST))) if mask[k] and log > LEAST else 0
    shift = np.float32(best + np.log(total / UNIT))
    for k in range(len(scores)):
        scores[k] -= shift


@leaf
def ascend(model: LogLinear, space: Workspace, path: Longs, tokens: Ints, rate: np.float32) -> None:
    """Move the weights up the gradient of the log-probability of the actions between the configurations of ``path``.

    One action after the other: each gradient is that of the weights which the action before it left. The cache is not
    read, and has to be forgotten.
    """
    mask, logs, rows, packed, bias = model.mask, model.logs, model.rows, model.weights.packed, model.weights.bias
    for at in range(len(path) - 1):
        here = path[at]
        if not has_choice(model, space, here, tokens):
            continue
        count = fire(space, here, tokens, model.words, model.table, model.room, model.keys)
        score_features(model.weights, model.keys, count, rows, logs)
        log_softmax(mask, logs)
        action = space.configurations[path[at + 1], ACTION]
        for k in range(len(logs)):
            slope = np.float32(0)
            if mask[k]:
                slope = (np.float32(1) if k == action else np.float32(0)) - np.exp(logs[k])
            logs[k] = rate * slope if abs(slope) > _LEAST else np.float32(0)
            bias[k] += logs[k]
        for i in range(count):
            if rows[i] >= 0:
                own = packed[rows[i] + 1 :]
                for k in range(len(logs)):
                    own[k] += logs[k]
