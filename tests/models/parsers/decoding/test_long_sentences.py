"""Long sentences: cut into pieces, and joined to trees."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treevote.corpus.trees import mask_of_trees
from treevote.models.parsers.decoding.long_sentences import cut, join


@given(st.lists(st.integers(0, 9), max_size=5), st.integers(1, 4), st.booleans())
def test_cut_sentences_are_joined_to_trees(sizes: list[int], longest: int, single_root: bool) -> None:
    tokens = np.concatenate([np.zeros(0, np.int32), *([0, *range(1, n + 1)] for n in sizes)]).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum([n + 1 for n in sizes])]).astype(np.int64)
    pieces = cut(tokens, offsets, longest)
    assert np.diff(pieces.offsets).max(initial=0) <= longest + 1
    assert pieces.tokens[pieces.offsets[:-1]].tolist() == [0] * len(pieces.sentence)
    assert pieces.n_cut == sum(n > longest for n in sizes)
    chains = np.concatenate([np.zeros(0, np.int32), *(np.arange(-1, n - 1) for n in np.diff(pieces.offsets))])
    heads = join(pieces, chains.astype(np.int32), offsets, single_root)
    assert mask_of_trees(heads, offsets).all()
    assert not single_root or all((heads[i:j] == 0).sum() <= 1 for i, j in itertools.pairwise(offsets))
