"""Keys of features: they are in the files of models, so they stay as they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treevote.models.learning.features.trie import mix


@given(st.integers(0, 2**64 - 1), st.integers(0, 1000), st.integers(0, 2**31 - 1))
def test_a_key_is_mixed_with_atom_and_value(key: int, atom: int, value: int) -> None:
    mixed = (key ^ (atom * 2**32 + value)) * 0xBF58476D1CE4E5B9 % 2**64
    assert int(mix(np.uint64(key), atom, value)) == mixed ^ (mixed >> 29)
