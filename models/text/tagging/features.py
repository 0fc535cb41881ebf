"""The features of a token for taggers: the templates of a task, with the values of the token and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treevote.corpus.folds import runs_of
from treevote.kernels import Bools, Ints, Keys, Longs, kernel, leaf
from treevote.models.learning.features.rows import BATCH_KEYS, Batch
from treevote.models.learning.features.trie import START, mix
from treevote.models.text.tagging.forms import SPELLING
from treevote.models.text.tagging.templates import MAX_ATOMS, NO_ATOM

_N_SPELLING = len(SPELLING)
_OUTSIDE = 1  # value of every place outside the sentence
_FIRST_TAG = 2
_CONTEXT = np.uint64(2)


class Text(NamedTuple):
    """Sentences as a tagger sees them; rows are those of `treevote.models.text.tagging.forms.FormMemo.encode`."""

    tokens: Ints  # shape (n_slots,): the row of each slot; those of ROOT are never read
    offsets: Longs  # shape (n_sentences + 1,)
    values: Longs  # shape (n_rows, len(SPELLING))
    known: Ints  # shape (n_rows,): the row of the form in the training data
    groups: Ints  # shape (n_slots,): the group of each token in the tagset; 0 in ROOT slots
    tags: Ints  # shape (n_slots, len(TAGS)): numbers of the tags that are decided; -1 for none

    @property
    def is_token(self) -> Bools:
        """Mask of the slots that hold a token."""
        mask: Bools = np.ones(len(self.tokens), np.bool_)
        mask[self.offsets[:-1]] = False
        return mask


@leaf
def fire(text: Text, sentence: int, position: int, templates: Ints, keys: Keys) -> int:
    """Write the features of the token at a position, from 1, and return their number.

    The group of the token is part of every feature. The second bit of a key tells whether it is of the context.
    """
    first = text.offsets[sentence]
    length = text.offsets[sentence + 1] - first
    start = mix(START, 0, int(text.groups[first + position]))
    n = 0
    for t in range(len(templates)):
        key, fires, context = start, True, np.uint64(0)
        for a in range(MAX_ATOMS):
            column, at = templates[t, a, 1], position + templates[t, a, 0]
            if column == NO_ATOM:
                break
            if templates[t, a, 0] != 0:
                context = _CONTEXT
            value = _OUTSIDE
            if 0 < at < length:
                if column < _N_SPELLING:
                    value = int(text.values[text.tokens[first + at], column])
                else:
                    value = int(text.tags[first + at, column - _N_SPELLING]) + _FIRST_TAG
                    if value < _FIRST_TAG:
                        value = 0
            if value == 0:
                fires = False
                break
            key = mix(key, 1 + MAX_ATOMS * t + a, value)
        if fires:
            keys[n] = (key & ~_CONTEXT) | context
            n += 1
    return n


def of_context(keys: Keys) -> Bools:
    """Tell which features read a neighbour of the token."""
    context: Bools = (keys & _CONTEXT) != 0
    return context


@kernel
def fire_all(text: Text, first: int, last: int, templates: Ints, keys: Keys, lengths: Ints) -> int:
    """Write the features of all tokens of sentences ``first:last``, and the number of each; return the total."""
    n, token = 0, 0
    for sentence in range(first, last):
        for position in range(1, text.offsets[sentence + 1] - text.offsets[sentence]):
            found = fire(text, sentence, position, templates, keys[n:])
            lengths[token] = found
            n += found
            token += 1
    return n


def batches(text: Text, classes: Ints, templates: Ints) -> Iterator[Batch]:
    """Extract the features of all tokens; ``classes``, shape (n_slots,), are those of the rows."""
    is_token = text.is_token
    for first, last in runs_of(text.offsets, BATCH_KEYS // len(templates)):
        own = slice(text.offsets[first], text.offsets[last])
        of_tokens = classes[own][is_token[own]]
        keys, counts = np.empty(len(of_tokens) * len(templates), np.uint64), np.empty(len(of_tokens), np.int32)
        n = fire_all(text, first, last, templates, keys, counts)
        yield keys[:n], counts, of_tokens
