"""First-order decoders: equal to brute force, and to each other where they must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.decoders import all_trees, first_order_values, projective_trees
from treevote.corpus.trees import is_projective, is_tree
from treevote.ensemble.arborescence import spanning_tree
from treevote.kernels import Floats, Ints
from treevote.models.parsers.decoding import chu_liu_edmonds, eisner
from treevote.models.parsers.decoding.eisner import NEVER

DECODERS = {"eisner": (eisner.decode, projective_trees), "chu_liu_edmonds": (chu_liu_edmonds.decode, all_trees)}

KINDS: dict[str, tuple[float, ...]] = {
    "reals": (),
    "ties": (-1, 0, 1),
    "extremes": (-1e9, -1, 0, 1, 1e9),
    "pruned": (0, 1, 2, 3, -np.inf, NEVER, np.nan),
    "mostly pruned": (0, 3, -np.inf, -np.inf, -np.inf),
}
"""The scores in a matrix of each kind; normally distributed ones are none of these."""


@st.composite
def matrices(draw: st.DrawFn, max_tokens: int = 6, kinds: tuple[str, ...] = tuple(KINDS)) -> Floats:
    """Score matrices of random kinds, sizes and content; entries that no decoder may read are NaN."""
    n, values = draw(st.integers(1, max_tokens)), KINDS[draw(st.sampled_from(kinds))]
    rng, shape = np.random.default_rng(draw(st.integers(0, 2**32))), (n + 1, n + 1)
    scores = (rng.choice(values, shape) if values else rng.normal(size=shape)).astype(np.float32)
    scores[0] = np.nan
    np.fill_diagonal(scores, np.nan)
    return scores


def decoded(decoder: str, scores: Floats, single_root: bool) -> Ints:
    heads = np.full(len(scores), 77, np.int32)
    DECODERS[decoder][0](scores, single_root, heads)
    return heads


@pytest.mark.parametrize("decoder", DECODERS)
@settings(max_examples=250)
@given(scores=matrices(), single_root=st.booleans())
def test_equals_the_best_of_all_trees(decoder: str, scores: Floats, single_root: bool) -> None:
    heads = decoded(decoder, scores, single_root)
    trees = DECODERS[decoder][1](len(scores) - 1, single_root)
    values = first_order_values(scores, trees)
    n_kept, score = values[trees.index(tuple(heads.tolist()))]
    best_n_kept, best_score = max(values)
    assert n_kept == best_n_kept
    # Where not even the best tree can do without a pruned arc, only the number of these counts for Eisner.
    if decoder == "chu_liu_edmonds" or n_kept == len(scores) - 1:
        assert score == pytest.approx(best_score, rel=1e-9, abs=1e-9)


@given(matrices(max_tokens=10, kinds=("reals",)), st.booleans())
def test_agree_on_projective_optima(scores: Floats, single_root: bool) -> None:
    by_edmonds, by_eisner = (decoded(decoder, scores, single_root) for decoder in ("chu_liu_edmonds", "eisner"))

    def total(heads: Ints) -> float:
        return float(scores[np.arange(1, len(heads)), heads[1:]].sum(dtype=np.float64))

    assert total(by_edmonds) >= total(by_eisner) - 1e-9
    if is_projective(by_edmonds):
        assert total(by_edmonds) == pytest.approx(total(by_eisner))


@pytest.mark.parametrize("n", [8, 20])
@pytest.mark.parametrize("single_root", [False, True])
def test_edmonds_equals_networkx_on_longer_sentences(n: int, single_root: bool) -> None:
    rng = np.random.default_rng(n)
    for highest in (3, 1000):
        scores = rng.integers(0, highest, (n + 1, n + 1)).astype(np.float32)
        arcs = [{h: int(scores[d, h]) for h in range(n + 1) if h != d} if d else {} for d in range(n + 1)]
        expected = spanning_tree(arcs, single_root=single_root)
        heads = decoded("chu_liu_edmonds", scores, single_root)
        assert is_tree(heads, single_root)
        assert scores[np.arange(1, n + 1), heads[1:]].sum() == scores[np.arange(1, n + 1), expected[1:]].sum()


@pytest.mark.parametrize("decoder", DECODERS)
def test_long_sentences(decoder: str) -> None:
    scores = np.random.default_rng(0).normal(size=(301, 301)).astype(np.float32)
    many, one = decoded(decoder, scores, False), decoded(decoder, scores, True)
    assert is_tree(many)
    assert is_tree(one, single_root=True)
    assert decoder != "eisner" or (is_projective(many) and is_projective(one))


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("single_root", [False, True])
def test_no_words_and_one_word(decoder: str, single_root: bool) -> None:
    for n, expected in ((0, [-1]), (1, [-1, 0])):
        assert decoded(decoder, np.full((n + 1, n + 1), -np.inf, np.float32), single_root).tolist() == expected


@pytest.mark.parametrize(("single_root", "expected"), [(False, [-1, 0, 0, 0]), (True, [-1, 0, 1, 1])])
def test_of_equally_good_heads_the_leftmost(single_root: bool, expected: list[int]) -> None:
    assert decoded("chu_liu_edmonds", np.zeros((4, 4), np.float32), single_root).tolist() == expected


def test_of_equally_good_ways_into_a_cycle_the_leftmost() -> None:
    scores = np.full((4, 4), -5, np.float32)
    scores[[1, 2, 3], [3, 3, 2]] = 5  # the walk from 1 comes to the cycle of 2 and 3 by 3
    assert decoded("chu_liu_edmonds", scores, False).tolist() == [-1, 3, 0, 2]


def test_john_saw_mary() -> None:
    """The worked example of McDonald et al. (2005, "Non-projective dependency parsing", of spanning trees)."""
    scores = np.full((4, 4), -np.inf, np.float32)
    scores[1, [0, 2, 3]] = 9, 30, 11
    scores[2, [0, 1, 3]] = 10, 20, 0
    scores[3, [0, 1, 2]] = 9, 3, 30
    for decoder in DECODERS:
        assert decoded(decoder, scores, False).tolist() == [-1, 2, 0, 2]
