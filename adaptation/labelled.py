"""A few labelled sentences of the target: their weight in training, and what models trained without them say of them.

Some dozens of sentences would drown in a treebank, so each is repeated until all of them are a fixed share of the
labelled tokens. They also measure the adapted model: by folds, each parsed by parsers that were trained on the others,
but not on the text: a committee that has learned from all folds tells of them in its trees, and LAS by folds would be
five points too high.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treevote.adaptation.data import Data
from treevote.corpus.treebank import Treebank
from treevote.kernels import Longs

MAX_COPIES = 20
"""Maximum number of copies of a labelled sentence of the target."""


def copies_of(n_source: int, n_target: int, share: float) -> int:
    """Return how often the sentences of the target are repeated: from 1 to ``MAX_COPIES``, to be nearest to a share.

    Parameters
    ----------
    n_source, n_target : int
        Labelled tokens of both domains, with all copies of the source.
    share : float
        Wanted share of the target's tokens in all labelled ones, 0..1, less than 1.

    Examples
    --------
    >>> copies_of(90_000, 2_500, 0.1), copies_of(90_000, 12_000, 0.1), copies_of(10**6, 500, 0.5)
    (4, 1, 20)
    """
    return int(np.clip(round(share / (1 - share) * n_source / max(1, n_target)), 1, MAX_COPIES))


def labelled(data: Data, share: float, source_copies: int = 1, chosen: Longs | None = None) -> list[Treebank]:
    """Return the labelled sentences of both domains as they are trained on, with their copies.

    ``chosen`` are those of the target, by number from 0; by default all. The number of copies is that for all.
    """
    parts = [data.source] * source_copies
    if (target := data.target_train) is not None:
        copies = copies_of(source_copies * data.source.n_tokens, target.n_tokens, share)
        parts += [target if chosen is None else target.select(chosen)] * copies
    return parts


def folds_of(n_sentences: int, n_folds: int) -> Iterator[tuple[Longs, Longs]]:
    """Yield for each fold the sentences to train on, and those to parse: sentence ``i`` is in fold ``i % n_folds``.

    Examples
    --------
    >>> [held_out.tolist() for _, held_out in folds_of(5, 2)]
    [[0, 2, 4], [1, 3]]
    """
    fold = np.arange(n_sentences) % n_folds
    for number in range(n_folds):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)
