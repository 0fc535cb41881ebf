"""The tree over classes: each merger loses least, and paths are those of a binary tree."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.reference import clusters as twin
from treevote.models.learning.clusters.hierarchy import merge, paths, paths_of

counts = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 50), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(counts, st.integers(0, 2))
def test_each_merger_loses_least(table: list[list[int]], n_fixed: int) -> None:
    n_classes = max(1, len(table) - n_fixed)
    mergers = merge(np.array(table, np.float64), n_classes)
    assert len(mergers) == n_classes - 1
    now: list[list[float]] = [list(map(float, row)) for row in table]
    names, n_left = list(range(n_classes)), n_classes
    for done, (one, other) in enumerate(mergers.tolist()):
        lost = twin.losses(now, n_left)
        least = min(lost.values())
        a, b = names.index(one), names.index(other)
        assert a < b
        assert np.isclose(lost[a, b], least, atol=1e-6)
        now = twin.merged(now, a, b)
        names[a] = n_classes + done
        del names[b]
        n_left -= 1


@given(counts)
def test_paths_are_those_of_a_binary_tree(table: list[list[int]]) -> None:
    n_classes = len(table)
    found = paths(np.array(table), n_classes)
    assume(n_classes > 1)
    assert sum(2.0 ** -len(path) for path in found) == 1  # Kraft's equality: no path begins another, none is missing
    assert len(set(found)) == n_classes


def test_one_class_has_a_path() -> None:
    assert paths(np.array([[3]]), 1) == ["0"]


def test_the_last_merger_is_the_root() -> None:
    assert paths_of(np.array([[0, 3], [1, 2], [4, 5]]), 4) == ["00", "10", "11", "01"]
