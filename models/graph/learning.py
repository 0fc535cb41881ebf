"""Online learning of structures: the averaged perceptron and MIRA.

Both parse a training sentence with the weights of the moment, and move the weights towards the features of the gold
tree and away from those of the tree found, by a *step*:

- perceptron (Collins 2002, "Discriminative training methods for hidden Markov models"): a step of 1;
- MIRA (Crammer & Singer 2003; McDonald et al. 2005, with the one best tree): while the sentence is parsed a
  wrong head counts one more, so that the most dangerous tree is found; then the smallest step after which the gold
  tree scores higher than this one by its number of wrong heads, but at most ``limit``.

The model is the average of the weights after every sentence. Weights are kept with their *lag*, the sum of all steps,
each times the share of the training that was over before it: the average is ``weights - lag``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Floats, Longs, kernel


class Rule(NamedTuple):
    """How to learn from a mistake.

    Attributes
    ----------
    cost : float
        What is added in training to the score of a wrong head; 0 for the perceptron.
    limit : float
        The longest step of MIRA; infinite for the perceptron, which does not measure its steps.
    """

    cost: float
    limit: float


PERCEPTRON = Rule(0.0, np.inf)


class Sums(NamedTuple):
    """Weights in training.

    Attributes
    ----------
    weights, lag : ndarray of float32, shape (2**bits,)
    change : ndarray of float32, shape (2**bits,)
        Room for a step, all 0 between steps; empty for the perceptron.
    """

    weights: Floats
    lag: Floats
    change: Floats


def sums_of(bits: int, rule: Rule) -> Sums:
    """Return weights before training, all zero."""
    size = 1 << bits
    return Sums(np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros(size if rule.cost else 0, np.float32))


class Difference(NamedTuple):
    """Features of the gold tree that are not in the tree found, and the other way round.

    Attributes
    ----------
    slots : ndarray of int64, shape (n_features,)
    gains : ndarray of float32, shape (n_features,)
        1 for the gold tree, -1 for the one found.
    """

    slots: Longs
    gains: Floats


@kernel
def extend(difference: Difference, used: int, slots: Longs, count: int, gain: float) -> Difference:
    """Enter the first ``count`` of ``slots``, the first ``used`` entries being taken; return it, larger if need be."""
    if used + count > len(difference.slots):
        size = 2 * (used + count)
        longer = Difference(np.empty(size, np.int64), np.empty(size, np.float32))
        longer.slots[:used], longer.gains[:used] = difference.slots[:used], difference.gains[:used]
        difference = longer
    difference.slots[used : used + count] = slots[:count]
    difference.gains[used : used + count] = gain
    return difference


@kernel
def learn(rule: Rule, sums: Sums, difference: Difference, used: int, mistakes: int, over: float) -> None:
    """Take a step.

    Parameters
    ----------
    rule : Rule
    sums : Sums
        Written to.
    difference : Difference
    used : int
        Number of its entries.
    mistakes : int
        Wrong heads.
    over : float
        The share of the training that was over before this sentence.
    """
    slots, gains = difference
    step = 1.0
    if rule.cost > 0:
        step = min(rule.limit, step_of(sums, slots, gains, used, rule.cost * mistakes))
    for i in range(used):
        sums.weights[slots[i]] += np.float32(step * gains[i])
        sums.lag[slots[i]] += np.float32(over * step * gains[i])


@kernel
def step_of(sums: Sums, slots: Longs, gains: Floats, used: int, loss: float) -> float:
    """Return the step after which the gold tree is ahead by ``loss``; 0 if it is already."""
    margin, square = 0.0, 0.0
    for i in range(used):
        margin += gains[i] * sums.weights[slots[i]]
        sums.change[slots[i]] += gains[i]
    for i in range(used):
        square += gains[i] * sums.change[slots[i]]
    for i in range(used):
        sums.change[slots[i]] = 0
    return max(0.0, loss - margin) / square if square > 0 else 0.0


@kernel
def average(sums: Sums) -> Floats:
    """Return the average of the weights over the training; writes it into ``sums.weights``."""
    for i in range(len(sums.weights)):
        sums.weights[i] -= sums.lag[i]
    return sums.weights
