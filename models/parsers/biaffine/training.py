"""Training of the network: passes over batches of sentences, with dropout, by Adam.

The number of passes is fixed, and the learning rate falls in a straight line to zero at their end, so no development
data are needed to stop. Dropped out are

- words: form and lemma become unknown, the more often the rarer they are, so that the vectors of unknown words are
  learned (Kiperwasser & Goldberg 2016, section 4.2); some of the other attributes, too;
- inputs of the layers, recurrent units, and the representations of words: the same ones in a whole sentence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Doubles, Floats, Ints, Longs
from treevote.models.parsers.biaffine.adam import Adam
from treevote.models.parsers.biaffine.batches import Batch, batches
from treevote.models.parsers.biaffine.encoder import Masks, embed, embed_back, encode, encode_back
from treevote.models.parsers.biaffine.parameters import Arrays, Shapes, initial, views
from treevote.models.parsers.biaffine.scorer import loss_of
from treevote.models.parsers.biaffine.words import Words
from treevote.parallel import Jobs

FEWEST_STEPS, MOST_PASSES = 1_000, 4
"""A treebank with fewer steps of Adam gets more passes for them, up to four times as many."""

TAGS = 0.1
"""Share of the tags that are dropped."""


class Examples(NamedTuple):
    """Sentences with trees: for each slot the row in ``words``, the head in the sentence, and the label."""

    words: Words
    tokens: Longs
    offsets: Longs
    heads: Ints
    labels: Ints


class Dropout(NamedTuple):
    """Shares of what is dropped: of each value of each attribute, and of all else."""

    values: tuple[Doubles, ...]
    units: float

    @classmethod
    def of(cls, examples: Examples, frequent: Bools, units: float, words: float) -> Dropout:
        """Drop a value that occurs n times with probability ``words / (words + n)``, a ``frequent`` one with `TAGS`."""
        values = []
        for own, is_frequent in zip(examples.words.attributes.T, frequent.tolist(), strict=True):
            counts = np.maximum(np.bincount(own[examples.tokens], minlength=own.max(initial=0) + 1), 1)
            values.append(np.full(len(counts), TAGS) if is_frequent else words / (words + counts))
        return cls(tuple(values), units)

    def attributes(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """Return the attributes of words, 0 for those that are dropped."""
        rows = rows.copy()
        for own, shares in zip(rows.T, self.values, strict=True):
            own[rng.random(len(own), np.float32) < shares[own]] = 0
        return rows

    def masks(self, p: Arrays, n_sentences: int, rng: np.random.Generator) -> Masks:
        """Return masks for a batch."""
        inputs = [array for name, array in p.items() if name.startswith("input") and name.endswith("forward")]
        recurrent = [array for name, array in p.items() if name.startswith("recurrent")]
        return Masks(
            tuple(_mask((n_sentences, len(array)), self.units, rng) for array in inputs),
            tuple(_mask((n_sentences, len(array)), self.units, rng) for array in recurrent),
            _mask((n_sentences, p["hidden"].shape[1]), self.units, rng),
        )


class Schedule(NamedTuple):
    """Passes over the sentences, the maximum number of slots of a batch, and the learning rate of the first step."""

    passes: int
    n_slots: int
    rate: float


def _mask(shape: tuple[int, int], share: float, rng: np.random.Generator) -> Floats:
    return (rng.random(shape, np.float32) >= share).astype(np.float32) / np.float32(1 - share)


def loss_of_batch(p: Arrays, d: Arrays, examples: Examples, batch: Batch, attributes: Ints, masks: Masks) -> float:
    """Return the mean loss of the tokens of a batch, and add the derivatives of all parameters to ``d``."""
    inputs = embed(p, examples.words, examples.tokens[batch.slots], attributes)
    h, layers = encode(p, inputs.vectors, batch, masks)
    hidden = None if masks.hidden is None else np.repeat(masks.hidden, np.diff(batch.offsets), 0)
    slots = batch.in_order
    loss, d_in_order = loss_of(
        p, d, h[batch.rows], batch.offsets, examples.heads[slots], examples.labels[slots], hidden
    )
    dh = np.empty_like(d_in_order)
    dh[batch.rows] = d_in_order
    embed_back(p, d, inputs, encode_back(p, d, layers, dh, batch, masks))
    return loss


def train(shapes: Shapes, examples: Examples, dropout: Dropout, schedule: Schedule, seed: int, jobs: Jobs) -> Floats:
    """Return trained parameters as one vector."""
    rng, (passes, n_slots, rate) = np.random.default_rng(seed), schedule
    vector = initial(shapes, [*list(shapes)[: len(dropout.values)], "split-feats", "letters"], rng)
    gradient, adam = np.zeros_like(vector), Adam.of(vector)
    p, d = views(vector, shapes), views(gradient, shapes)
    n_batches = sum(1 for _ in batches(examples.offsets, n_slots))
    passes = max(passes, min(MOST_PASSES * passes, -(-FEWEST_STEPS // max(1, n_batches))))
    number = 0
    for done in range(1, passes + 1):
        for batch in batches(examples.offsets, n_slots, rng):
            attributes = dropout.attributes(examples.words.attributes[examples.tokens[batch.slots]], rng)
            loss_of_batch(p, d, examples, batch, attributes, dropout.masks(p, len(batch.sentences), rng))
            adam.step(gradient, number + 1, rate * (1 - number / (passes * n_batches)))
            number += 1
        jobs.tell("training", done, passes)
    return vector
