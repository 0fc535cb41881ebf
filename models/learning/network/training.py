"""Training of the network: passes over batches of sentences, with dropout, by Adam (Kingma & Ba 2015).

The number of passes is fixed, and the learning rate falls in a straight line to zero at their end, so no development
data are needed to stop. Dropped out are

- words: form and lemma become unknown, the more often the rarer they are, so that the vectors of unknown words are
  learned (Kiperwasser & Goldberg 2016, section 4.2); some of the other attributes, too;
- inputs of the layers, recurrent units, and the representations of words: the same ones in a whole sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Doubles, Floats, Ints, Longs, kernel
from treevote.models.learning.network.batches import Batch, batches
from treevote.models.learning.network.encoder import Masks, embed, embed_back, encode, encode_back
from treevote.models.learning.network.parameters import Arrays, Shapes, initial, views
from treevote.models.learning.network.words import WORDS, Words
from treevote.models.learning.vectors.vectors import Halves
from treevote.parallel import Jobs

FEWEST_STEPS, MOST_PASSES = 1_000, 4
"""A treebank with fewer steps of Adam gets more passes for them, up to four times as many."""

TAGS = 0.1  # share of the tags that are dropped


class Sentences(NamedTuple):
    """Sentences to learn from: for each slot the row in ``words``."""

    words: Words
    tokens: Longs
    offsets: Longs


Loss: TypeAlias = Callable[[Arrays, Arrays, Floats, Batch, Floats | None], tuple[float, Floats]]
"""Gives the mean loss of a batch, and its derivatives by the outputs of the encoder.

Its arguments are the parameters; their derivatives, to which it adds; the outputs of the encoder for the slots of the
batch, one sentence after the other; the batch; a mask of the hidden layer, a row for each slot.
"""


class Dropout(NamedTuple):
    """Shares of what is dropped: of each value of each attribute, and of all else."""

    values: tuple[Doubles, ...]
    units: float

    @classmethod
    def of(cls, sentences: Sentences, names: Iterable[str], units: float = 0.33, words: float = 0.25) -> Dropout:
        """Drop a form or lemma that occurs n times with probability ``words / (words + n)``, other values with `TAGS`.

        ``names`` are those of the attributes of the sentences.
        """
        values = []
        for name, own in zip(names, sentences.words.attributes.T, strict=True):
            counts = np.maximum(np.bincount(own[sentences.tokens], minlength=own.max(initial=0) + 1), 1)
            values.append(words / (words + counts) if name in WORDS else np.full(len(counts), TAGS))
        return cls(tuple(values), units)

    def attributes(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """Return the attributes of words, 0 for those that are dropped."""
        rows = rows.copy()
        for own, shares in zip(rows.T, self.values, strict=True):
            own[rng.random(len(own), np.float32) < shares[own]] = 0
        return rows

    def masks(self, p: Arrays, n_sentences: int, rng: np.random.Generator) -> Masks:
        """Return masks for a batch."""

        def mask(size: int) -> Floats:
            kept = rng.random((n_sentences, size), np.float32) >= self.units
            return kept.astype(np.float32) / np.float32(1 - self.units)

        inputs = tuple(mask(len(own)) for name, own in p.items() if re.fullmatch("input-.*-forward", name))
        recurrent = tuple(mask(len(own)) for name, own in p.items() if name.startswith("recurrent"))
        return Masks(inputs, recurrent, mask(p["hidden"].shape[1]))


class Schedule(NamedTuple):
    """Passes over the sentences, the maximum number of slots of a batch, and the learning rate of the first step."""

    passes: int
    n_slots: int = 250
    rate: float = 0.004


def loss_of_batch(
    p: Arrays, d: Arrays, sentences: Sentences, loss: Loss, batch: Batch, attributes: Ints, masks: Masks
) -> float:
    """Return the mean loss of a batch, and add the derivatives of all parameters to ``d``."""
    inputs = embed(p, sentences.words, sentences.tokens[batch.slots], attributes)
    h, runs = encode(p, inputs.vectors, batch, masks)
    hidden = None if masks.hidden is None else np.repeat(masks.hidden, np.diff(batch.offsets), 0)
    mean, d_in_order = loss(p, d, h[batch.rows], batch, hidden)
    dh = np.empty_like(d_in_order)
    dh[batch.rows] = d_in_order
    embed_back(p, d, inputs, encode_back(p, d, runs, dh, batch, masks))
    return mean


def train(
    shapes: Shapes, sentences: Sentences, loss: Loss, dropout: Dropout, schedule: Schedule, seed: int, jobs: Jobs
) -> Halves:
    """Return trained parameters as one vector; ConfigError if they are not finite in half precision."""
    rng, (passes, n_slots, rate) = np.random.default_rng(seed), schedule
    vector = initial(shapes, [*list(shapes)[: len(dropout.values)], "split-feats", "letters"], rng)
    gradient, adam = np.zeros_like(vector), Adam.of(vector)
    p, d = views(vector, shapes), views(gradient, shapes)
    n_batches = sum(1 for _ in batches(sentences.offsets, n_slots))
    passes = max(passes, min(MOST_PASSES * passes, -(-FEWEST_STEPS // max(1, n_batches))))
    number = 0
    for done in range(1, passes + 1):
        for batch in batches(sentences.offsets, n_slots, rng):
            attributes = dropout.attributes(sentences.words.attributes[sentences.tokens[batch.slots]], rng)
            loss_of_batch(p, d, sentences, loss, batch, attributes, dropout.masks(p, len(batch.sentences), rng))
            adam.step(gradient, number + 1, rate * (1 - number / (passes * n_batches)))
            number += 1
        jobs.tell("training", done, passes)
    halves = vector.astype(np.float16)
    if not np.isfinite(halves).all():
        raise ConfigError("the weights of the network are not finite numbers; let it take smaller steps")
    return halves


BETA1, BETA2, EPSILON = 0.9, 0.95, 1e-8  # shares of the running means that a step keeps, and what keeps a step finite


class Adam(NamedTuple):
    """Parameters, and the running means of their derivatives and of the squares of these; all of one shape."""

    parameters: Floats
    means: Floats
    squares: Floats

    @classmethod
    def of(cls, parameters: Floats) -> Adam:
        """Start with parameters, which every step changes."""
        return cls(parameters, np.zeros_like(parameters), np.zeros_like(parameters))

    def step(self, gradient: Floats, number: int, rate: float) -> None:
        """Make step ``number``, from 1, and set the gradient to zero."""
        correction = np.sqrt(1 - BETA2**number)
        step(*self, gradient, np.float32(rate * correction / (1 - BETA1**number)), np.float32(EPSILON * correction))


BLOCK = 16  # parameters that are changed together

_KEPT1, _NEW1, _KEPT2, _NEW2 = map(np.float32, (BETA1, 1 - BETA1, BETA2, 1 - BETA2))
_ZERO = np.float32(0.0)


@kernel
def step(
    parameters: Floats, means: Floats, squares: Floats, gradient: Floats, rate: np.float32, epsilon: np.float32
) -> None:
    """Change the parameters by a step of Adam, section 2, in its more efficient order.

    Blocks whose derivatives are all zero stay as they are, their means included: most vectors of words have none in a
    batch, and would take most of the time.
    """
    for begin in range(0, len(parameters), BLOCK):
        d = gradient[begin : begin + BLOCK]
        place = 0
        while place < len(d) and d[place] == _ZERO:
            place += 1
        if place == len(d):
            continue
        p, m, v = parameters[begin : begin + BLOCK], means[begin : begin + BLOCK], squares[begin : begin + BLOCK]
        for i in range(len(d)):
            m[i] = _KEPT1 * m[i] + _NEW1 * d[i]
            v[i] = _KEPT2 * v[i] + _NEW2 * d[i] * d[i]
            p[i] -= np.true_divide(rate * m[i], np.sqrt(v[i]) + epsilon)
            d[i] = _ZERO
