"""Training rows: the features of the arcs of gold trees, and their labels."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features import rows as training_rows
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.rows import BATCH_KEYS, Batch, Rows
from treevote.models.features.templates import TemplateTable
from treevote.models.labelling.features import Sentence, fire, max_features, scratch
from treevote.models.labelling.surroundings import LINKS, bottom_up, link


def rows_of(treebank: Treebank, words: WordColumns, table: TemplateTable, cutoff: int) -> Rows:
    """Return the training rows of a treebank; classes are labels.

    Parameters
    ----------
    treebank : Treebank
        With trees.
    words : WordColumns
        For ``treebank.words``.
    table : TemplateTable
    cutoff : int
        Features seen fewer times are left out.

    Raises
    ------
    InputError
        If there are too many for 32-bit indices.
    """
    return training_rows.rows_of(functools.partial(labelled_arcs, treebank, words, table), cutoff, treebank.name)


def labelled_arcs(treebank: Treebank, words: WordColumns, table: TemplateTable) -> Iterator[Batch]:
    """Go through the arcs of all trees, some sentences at a time.

    Yields
    ------
    keys : ndarray of uint64
        Features of the arcs, one after the other.
    lengths : ndarray of int32, shape (n_arcs,)
        How many each has.
    labels : ndarray of int32, shape (n_arcs,)
        The label of each.
    """
    longest = int(np.diff(treebank.offsets).max(initial=1)) - 1
    buffer = np.empty(BATCH_KEYS + longest * max_features(table), np.uint64)
    lengths, labels = np.empty(treebank.n_tokens, np.int32), np.empty(treebank.n_tokens, np.int32)
    sentence = 0
    while sentence < treebank.n_sentences:
        sentence, n_keys, n_arcs = extract(
            treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets, sentence, words, table, buffer,
            lengths, labels,
        )  # fmt: skip
        yield buffer[:n_keys], lengths[:n_arcs], labels[:n_arcs]


@kernel
def extract(
    tokens: Ints,
    heads: Ints,
    deprels: Ints,
    offsets: Longs,
    sentence: int,
    words: WordColumns,
    table: TemplateTable,
    keys: Keys,
    lengths: Ints,
    labels: Ints,
) -> tuple[int, int, int]:
    """Extract the features of the arcs of sentences from ``sentence`` on until ``BATCH_KEYS`` keys are there.

    Arcs come in the order in which they are labelled, and each sees the labels of those before it.

    Returns
    -------
    sentence, n_keys, n_arcs : int
        The next sentence, and how much was written into ``keys``, and into ``lengths`` and ``labels``.
    """
    room = scratch(table)
    n_keys, n_arcs = 0, 0
    while sentence < len(offsets) - 1 and n_keys < BATCH_KEYS:
        first, last = offsets[sentence], offsets[sentence + 1]
        links, order = np.empty((last - first, len(LINKS)), np.int32), np.empty(last - first, np.int32)
        link(heads[first:last], links)
        bottom_up(links, order)
        known = np.full(last - first, -1, np.int32)
        tree = Sentence(tokens[first:last], heads[first:last], known, links)
        for dependent in order[:-1]:
            count = fire(tree, dependent, words, table, room, keys[n_keys:])
            n_keys += count
            known[dependent] = deprels[first + dependent]
            lengths[n_arcs] = count
            labels[n_arcs] = known[dependent]
            n_arcs += 1
        sentence += 1
    return sentence, n_keys, n_arcs
