"""Confidence of tags: a calibrated probability that UPOS, FEATS and XPOS of a token are all right.

A logistic regression on development data, from the margins of the tags: by how much the sum of the taggers' scores is
higher than that of the next best tag. Whether the taggers agree adds nothing to that. The least of the margins counts
most, and its effect is no straight line: it enters cut off at some heights, so that the log-odds are piecewise linear.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treevote.corpus.folds import folds_of
from treevote.corpus.treebank import Treebank
from treevote.evaluation.calibration import LEAST, table
from treevote.kernels import Bools, Doubles, Floats
from treevote.store.manifest import JSON
from treevote.store.record import Record
from treevote.store.validation import column, rebuild

KIND = "tag-confidence"

HEIGHTS = (0.5, 1.0, 2.0, 4.0, 8.0, 20.0)  # where the least margin is cut off
N_TASKS = 3  # margins of a token: those of `treevote.models.text.tagging.templates.TAGS`
MAX_LOG_ODDS = math.log((1 - LEAST) / LEAST)
DIGITS = 6  # decimals of a weight
MAX_WEIGHT = 1e6  # maximum absolute weight, so that sums stay finite


@dataclass(frozen=True, eq=False)
class TagConfidence:
    """Weights of a logistic regression, shape (len(HEIGHTS) + N_TASKS + 1,); the last one is the intercept."""

    weights: Doubles

    @staticmethod
    def fit(margins: Floats, right: Bools) -> TagConfidence:
        """Fit to the margins of tokens that no tagger was trained on, shape (n, N_TASKS); ``right``: their tags are.

        There is only an intercept if all or none are right.
        """
        X = _features(margins)
        if right.all() or not right.any():
            share = (int(right.sum()) + 1) / (len(right) + 2)
            return TagConfidence(np.array([*np.zeros(X.shape[1]), np.log(share / (1 - share))]))
        from sklearn.linear_model import LogisticRegression  # slow to import, and not needed to parse

        model = LogisticRegression(max_iter=1000).fit(X, right)
        weights: Doubles = np.concatenate([model.coef_[0], model.intercept_]).astype(np.float64)
        return TagConfidence(weights.round(DIGITS))

    def of(self, margins: Floats) -> Floats:
        """Return the probability that all tags of each token are right, shape (n,)."""
        log_odds: Doubles = np.full(len(margins), self.weights[-1])
        for weight, own in zip(self.weights, _features(margins).T, strict=False):
            log_odds += weight * own
        probabilities: Doubles = 1 / (1 + np.exp(-np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)))
        return probabilities.astype(np.float32)

    def record(self) -> Record:
        """Return the weights as data."""
        return Record(KIND, arrays={"weights": self.weights})

    @staticmethod
    def from_record(record: Record) -> TagConfidence:
        """Return the confidence of a record; ModelError if its parts do not fit together."""
        return rebuild(record, KIND, _checked)


def _checked(record: Record) -> TagConfidence:
    weights = column(record, "weights", np.float64)
    if len(weights) != len(HEIGHTS) + N_TASKS + 1 or not (np.abs(weights) <= MAX_WEIGHT).all():
        raise ValueError("the weights of the confidence of tags")
    return TagConfidence(weights)


def _features(margins: Floats) -> Doubles:
    """Return the least margin of each token, cut off at each height, and the logarithm of each margin plus 1."""
    least = margins.min(1).astype(np.float64)
    return np.column_stack([*(np.minimum(least, height) for height in HEIGHTS), np.log1p(margins.astype(np.float64))])


def cross_fitted(gold: Treebank, margins: Floats, right: Bools) -> dict[str, JSON]:
    """Measure by cross-validation on the two halves of the sentences, see `table`; empty if one has no token.

    ``margins`` have the shape (n_slots, N_TASKS).
    """
    tokens, folds = gold.is_token, folds_of(gold.n_sentences, 2)
    halves = [tokens & np.isin(gold.sentence_of, held_out) for _, held_out in folds]
    if not all(half.any() for half in halves):
        return {}
    sure = np.zeros(len(right), np.float32)
    for fit, held_out in (halves, halves[::-1]):
        sure[held_out] = TagConfidence.fit(margins[fit], right[fit]).of(margins[held_out])
    return table(sure[tokens], right[tokens])
