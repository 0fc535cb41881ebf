"""Batches: sentences of similar lengths, as rows in the order of the steps of a recurrent network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treevote.kernels import Longs


class Batch(NamedTuple):
    """Sentences, the longest first, with their slots as rows by step: see `treevote.models.learning.network.lstm`."""

    sentences: Longs
    slots: Longs  # shape (n_rows,): the slot in the treebank of each row
    starts: Longs  # shape (n_steps + 1,): the first row of each step
    sentence_of: Longs  # shape (n_rows,): the sentence of each row, from 0 in the batch
    rows: Longs  # shape (n_rows,): the row of each slot, one sentence after the other
    offsets: Longs  # shape (n_sentences + 1,): where each sentence begins in ``rows``

    @classmethod
    def of(cls, sentences: Longs, offsets: Longs) -> Batch:
        """Make a batch of sentences that are sorted by length, the longest first; ``offsets`` are those of all."""
        lengths = offsets[sentences + 1] - offsets[sentences]
        own = np.append(0, np.cumsum(lengths))
        counts = np.searchsorted(-lengths, -np.arange(lengths[0]))  # sentences that are longer than each step
        starts = np.append(0, np.cumsum(counts))
        steps = np.repeat(np.arange(len(counts)), counts)
        sentence_of = np.arange(len(steps)) - starts[steps]
        rows = np.empty(len(steps), np.int64)
        rows[own[sentence_of] + steps] = np.arange(len(steps))
        return cls(sentences, offsets[sentences][sentence_of] + steps, starts, sentence_of, rows, own)

    @property
    def in_order(self) -> Longs:
        """The slots in the treebank, one sentence after the other."""
        return self.slots[self.rows]


def batches(offsets: Longs, n_slots: int, rng: np.random.Generator | None = None) -> Iterator[Batch]:
    """Yield all sentences in batches of at most ``n_slots`` slots, unless one sentence has more.

    Sentences are sorted by length. With ``rng`` those of the same length, and the batches, are in random order.
    """
    lengths = np.diff(offsets)
    order = np.arange(len(lengths)) if rng is None else rng.permutation(len(lengths))
    order = order[np.argsort(-lengths[order], kind="stable")]
    begins, filled = [0], 0
    for place, length in enumerate(lengths[order].tolist()):
        if filled and filled + length > n_slots:
            begins.append(place)
            filled = 0
        filled += length
    parts = list(zip(begins, [*begins[1:], len(order)], strict=True)) if len(order) else []
    for number in range(len(parts)) if rng is None else rng.permutation(len(parts)).tolist():
        begin, end = parts[number]
        yield Batch.of(order[begin:end], offsets)
