"""Second order: parts by definition, the projective decoder against brute force, scores that rise in hill climbing."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths import ROOT
from tests.reference.decoders import (
    Heads,
    Model,
    all_trees,
    inner_sibling,
    neighbours,
    projective_trees,
    second_order_score,
)
from tests.strategies import trees
from treevote.corpus.trees import is_projective, is_tree
from treevote.kernels import Bools, Ints
from treevote.models.parsers.decoding import eisner
from treevote.models.parsers.graph.hill_climbing import CHANGES_PER_TOKEN, improve
from treevote.models.parsers.graph.koo_collins import decode
from treevote.models.parsers.graph.parts import Parts, ScoredParts, find_parts, parts_of


def n_tokens(problem: ScoredParts) -> int:
    return len(problem.candidates.first) - 2


def decoded(problem: ScoredParts, single_root: bool) -> tuple[float, Ints]:
    """Return the score and the heads of the best projective tree; heads of 77 if there is none."""
    heads = np.full(n_tokens(problem) + 1, 77, np.int32)
    return decode(problem, single_root, heads), heads


def climbed(problem: ScoredParts, single_root: bool, start: Heads) -> tuple[int, Heads]:
    """Return the number of changes and the heads at the end of a climb."""
    heads = np.array(start, np.int32)
    return improve(problem, single_root, heads), tuple(heads.tolist())


def problem_of(mask: Bools, rng: np.random.Generator, integers: bool = False) -> ScoredParts:
    parts = parts_of(mask)
    sizes = len(parts.candidates.heads), len(parts.siblings.partners), len(parts.grandparents.partners)
    scores = (rng.integers(-2, 3, size) if integers else rng.normal(size=size) for size in sizes)
    return ScoredParts(*parts, *(column.astype(np.float32) for column in scores))


@st.composite
def problems(draw: st.DrawFn, max_tokens: int = 6) -> ScoredParts:
    """Random candidates, few or many, with real scores or small integers, which have ties."""
    n = draw(st.integers(1, max_tokens))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    mask = rng.random((n + 1, n + 1)) < draw(st.sampled_from([0.3, 0.5, 0.8, 1.0]))
    mask[:, 0] |= draw(st.booleans())
    return problem_of(mask, rng, draw(st.booleans()))


def model_of(problem: ScoredParts) -> Model:
    """Return the scores by the positions of the parts."""
    ends = list(zip(problem.candidates.heads.tolist(), problem.candidates.dependents.tolist(), strict=True))
    arcs = dict(zip(ends, problem.arc_scores.tolist(), strict=True))
    siblings, grandparents = {}, {}
    for arc, (h, m) in enumerate(ends):
        for part in range(problem.siblings.first[arc], problem.siblings.first[arc + 1]):
            partner = problem.siblings.partners[part]
            siblings[h, ends[partner][1] if partner >= 0 else -1, m] = float(problem.sibling_scores[part])
        for part in range(problem.grandparents.first[arc], problem.grandparents.first[arc + 1]):
            partner = problem.grandparents.partners[part]
            grandparents[ends[partner][0] if partner >= 0 else -1, h, m] = float(problem.grandparent_scores[part])
    return Model(arcs, siblings, grandparents)


@given(problems(max_tokens=9))
def test_parts_are_listed_as_defined(problem: ScoredParts) -> None:
    candidates, siblings, grandparents = problem.candidates, problem.siblings, problem.grandparents
    ends = list(zip(candidates.heads.tolist(), candidates.dependents.tolist(), strict=True))
    assert ends == sorted(ends, key=lambda arc: arc[::-1])
    for d in range(n_tokens(problem) + 1):
        assert {m for _, m in ends[candidates.first[d] : candidates.first[d + 1]]} <= {d}
    assert candidates.first[n_tokens(problem) + 1] == len(ends)
    for arc, (h, m) in enumerate(ends):
        inner = range(min(h, m) + 1, max(h, m))
        partners = siblings.partners[siblings.first[arc] : siblings.first[arc + 1]].tolist()
        assert partners == [-1, *(ends.index((h, s)) for s in inner if (h, s) in ends)]
        upper = grandparents.partners[grandparents.first[arc] : grandparents.first[arc + 1]].tolist()
        assert upper == ([i for i, (_, d) in enumerate(ends) if d == h] if h else [-1])


@given(problems(max_tokens=9), st.data())
def test_parts_of_a_tree(problem: ScoredParts, data: st.DataObject) -> None:
    heads = data.draw(trees(n_tokens(problem), n_tokens(problem)))
    ends = list(zip(problem.candidates.heads.tolist(), problem.candidates.dependents.tolist(), strict=True))
    found = find_parts(Parts(problem.candidates, problem.siblings, problem.grandparents), heads).tolist()
    tree = tuple(heads.tolist())
    assert found[0] == [-1, -1, -1]
    for m in range(1, n_tokens(problem) + 1):
        h, s = tree[m], inner_sibling(tree, m)
        arc, sibling_part, grandparent_part = found[m]
        assert arc == (ends.index((h, m)) if (h, m) in ends else -1)
        known = arc >= 0 and (s < 0 or (h, s) in ends)
        assert (sibling_part >= 0) == known
        if known:
            assert problem.siblings.first[arc] <= sibling_part < problem.siblings.first[arc + 1]
            assert problem.siblings.partners[sibling_part] == (ends.index((h, s)) if s >= 0 else -1)
        known = arc >= 0 and (h == 0 or (tree[h], h) in ends)
        assert (grandparent_part >= 0) == known
        if known:
            assert problem.grandparents.first[arc] <= grandparent_part < problem.grandparents.first[arc + 1]
            assert problem.grandparents.partners[grandparent_part] == (ends.index((tree[h], h)) if h else -1)


@settings(max_examples=300)
@given(problems(), st.booleans())
def test_decoder_equals_the_best_of_all_projective_trees(problem: ScoredParts, single_root: bool) -> None:
    model, all_projective = model_of(problem), projective_trees(n_tokens(problem), single_root)
    best = max(second_order_score(model, tree) for tree in all_projective)
    score, heads = decoded(problem, single_root)
    assert score == pytest.approx(best)
    if best == -np.inf:
        assert (heads == 77).all()
    else:
        assert tuple(heads.tolist()) in all_projective
        assert second_order_score(model, tuple(heads.tolist())) == pytest.approx(score)


@given(problems(), st.booleans(), st.integers(0, 2**32), st.sampled_from([0.05, 0.5, 1.0]))
def test_decoder_ends_whatever_the_scores(problem: ScoredParts, single_root: bool, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    for scores in (problem.arc_scores, problem.sibling_scores, problem.grandparent_scores):
        bad = rng.random(len(scores)) < share
        scores[bad] = rng.choice(np.array([np.nan, np.inf, -np.inf], np.float32), int(bad.sum()))
    score, heads = decoded(problem, single_root)
    assert (heads == 77).all() if score == -np.inf else is_tree(heads, single_root)


@given(st.integers(1, 40), st.integers(0, 2**32), st.booleans())
@settings(max_examples=30)
def test_decoder_equals_eisner_without_second_order_scores(n: int, seed: int, single_root: bool) -> None:
    rng = np.random.default_rng(seed)
    problem = problem_of(np.ones((n + 1, n + 1), np.bool_), rng)
    problem.sibling_scores[:], problem.grandparent_scores[:] = 0, 0
    scores, heads = np.zeros((n + 1, n + 1), np.float32), np.empty(n + 1, np.int32)
    scores[problem.candidates.dependents, problem.candidates.heads] = problem.arc_scores
    eisner.decode(scores, single_root, heads)
    score, found = decoded(problem, single_root)
    assert is_tree(found, single_root)
    assert is_projective(found)
    assert score == pytest.approx(float(scores[np.arange(1, n + 1), heads[1:]].sum(dtype=np.float64)))


@settings(max_examples=200)
@given(problems(), st.booleans(), st.data())
def test_a_climb_ends_on_a_local_optimum(problem: ScoredParts, single_root: bool, data: st.DataObject) -> None:
    model = model_of(problem)
    start = data.draw(st.sampled_from(all_trees(n_tokens(problem), single_root)))
    n_changes, end = climbed(problem, single_root, start)
    if second_order_score(model, start) == -np.inf:
        assert (n_changes, end) == (0, start)
        return
    assert end in all_trees(n_tokens(problem), single_root)
    score = second_order_score(model, end)
    assert score > second_order_score(model, start) - 1e-6 if n_changes else end == start
    assert n_changes <= CHANGES_PER_TOKEN * n_tokens(problem)
    if n_changes < CHANGES_PER_TOKEN * n_tokens(problem):
        assert all(second_order_score(model, other) <= score + 1e-6 for other in neighbours(end, single_root))


@given(problems(), st.booleans(), st.data())
def test_each_step_of_a_climb_gains_most(problem: ScoredParts, single_root: bool, data: st.DataObject) -> None:
    """The end is where a slow climb ends that scores whole trees; scores are integers, so ties are real ties."""
    problem = problem._replace(
        arc_scores=np.rint(problem.arc_scores * 4),
        sibling_scores=np.rint(problem.sibling_scores * 4),
        grandparent_scores=np.rint(problem.grandparent_scores * 4),
    )
    model = model_of(problem)
    tree = data.draw(st.sampled_from(all_trees(n_tokens(problem), single_root)))
    n_changes, end = climbed(problem, single_root, tree)
    for _ in range(n_changes):
        tree = max(neighbours(tree, single_root), key=lambda other: second_order_score(model, other))
    assert tree == end


def test_one_root_may_be_beyond_the_candidates() -> None:
    mask = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], np.bool_)
    problem = problem_of(mask, np.random.default_rng(0))
    assert decoded(problem, single_root=True)[0] == -np.inf
    assert decoded(problem, single_root=False)[1].tolist() == [-1, 0, 0]


def test_no_words() -> None:
    problem = problem_of(np.ones((1, 1), np.bool_), np.random.default_rng(0))
    score, heads = decoded(problem, single_root=False)
    assert (score, heads.tolist()) == (0.0, [-1])
    assert climbed(problem, False, (-1,)) == (0, (-1,))


def test_long_sentence() -> None:
    n, rng = 300, np.random.default_rng(0)
    mask = rng.random((n + 1, n + 1)) < 8 / n
    mask[:, 0] = True
    problem = problem_of(mask, rng)
    model = model_of(problem)
    score, heads = decoded(problem, single_root=False)
    assert is_tree(heads)
    assert is_projective(heads)
    assert second_order_score(model, tuple(heads.tolist())) == pytest.approx(score)
    n_changes, end = climbed(problem, False, tuple(heads.tolist()))
    assert n_changes > 0
    assert is_tree(np.array(end, np.int32))
    assert second_order_score(model, end) > score


def test_no_index_of_a_decoder_is_out_of_range() -> None:
    code = """
import numpy as np
from tests.models.parsers.graph.test_second_order import climbed, decoded, problem_of
rng = np.random.default_rng(0)
for n in (1, 2, 5, 6):
    for share in (0.3, 1.0):
        mask = rng.random((n + 1, n + 1)) < share
        mask[:, 0] = True
        problem = problem_of(mask, rng)
        for single_root in (False, True):
            decoded(problem, single_root)
            climbed(problem, single_root, (-1, *[0] * n) if not single_root else (-1, *range(n)))
"""
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # an array of NumPy has no place behind its end
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=plain, check=True)
