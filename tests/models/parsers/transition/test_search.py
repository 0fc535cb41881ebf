"""Search: kernels equal the twins, ties included, and brute force over all derivations."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.paths import ROOT
from tests.reference import arc_standard as twin
from tests.reference import search
from tests.reference.random_model import OUTLINE, Model, Task, model_of
from tests.reference.walks import WORDS, rich_treebanks
from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints
from treevote.models.learning.features.weights import best_class
from treevote.models.parsers.given_arcs import GivenArcs
from treevote.models.parsers.transition.arc_standard import REDUCE_LEFT, REDUCE_RIGHT
from treevote.models.parsers.transition.search import (
    BACK,
    CONCEDED,
    POPS,
    RIVALS,
    WIDER,
    parse_beam,
    parse_best_first,
    parse_greedily,
)


# Small whole numbers make many ties, large ones none.
def models_with(max_tokens: int) -> st.SearchStrategy[Model]:
    return st.builds(
        lambda treebank, seed, style, single_root: model_of(treebank, seed, style[0], style[1], single_root),
        rich_treebanks(max_sentences=2, max_tokens=max_tokens, min_tokens=3),
        st.integers(0, 10_000),
        st.sampled_from([(0, 1.0), (1, 0.5), (10_000, 1e-3), (10_000, 1e-5)]),
        st.booleans(),
    )


models, models_of_few = models_with(7), models_with(5)


def trees_of(finals: Sequence[twin.Configuration]) -> list[tuple[list[int], list[int]]]:
    return [twin.arcs(final) for final in finals]


def split(treebank: Treebank, heads: Ints, deprels: Ints) -> Iterator[tuple[list[int], list[int]]]:
    for first, last in zip(treebank.offsets, treebank.offsets[1:], strict=False):
        yield heads[first:last].tolist(), deprels[first:last].tolist()


@settings(max_examples=40)
@given(models)
def test_greedy_is_the_twins(model: Model) -> None:
    task = model.task()
    parse_greedily(*task)
    assert list(split(model.treebank, *task[-1][1:3])) == trees_of([search.greedy(system) for system in model.systems])


Kept: TypeAlias = Callable[[twin.Configuration], list[int]]


def around(system: search.System[twin.Configuration], kinds: Sequence[int], heads: Sequence[int]) -> Kept:
    """Return a function that lists the legal actions from which heads (-1: free) can be reached."""

    @cache
    def reaches(here: twin.Configuration) -> bool:
        if system.is_final(here):
            return all(head in (-1, own) for own, head in zip(twin.arcs(here)[0][1:], heads[1:], strict=True))
        one_of_each = {kinds[action]: action for action in system.legal(here)}
        return any(reaches(system.advance(here, action)) for action in one_of_each.values())

    def kept(here: twin.Configuration) -> list[int]:
        found = [action for action in system.legal(here) if reaches(system.advance(here, action))]
        given_now = [
            action
            for action in found
            if kinds[action] == REDUCE_RIGHT and heads[here.stack[-2].token] == here.stack[-1].token
        ]
        return given_now or found

    return kept


def greedy_around(system: search.System[twin.Configuration], kept: Kept, scale: float) -> twin.Configuration:
    """Take the best action of those kept; where it is not the best legal one, go back."""

    def least_regret(path: list[Any], steps: int, margin: float) -> list[Any]:
        beam = [(0.0, path)]
        for _ in range(steps):
            longer = []
            for total, own in beam:
                legal, scores = system.legal(own[-1]), system.scores(own[-1])
                among = legal if len(legal) == 1 else kept(own[-1])
                best = max(scores[action] for action in legal)
                longer += [
                    (total + (scores[action] - best) * scale, [*own, system.advance(own[-1], action)])
                    for action in among
                ]
            longer.sort(key=lambda derivation: -derivation[0])
            near = [one for one in longer[:RIVALS] if one[0] >= longer[0][0] - margin]
            beam = search.best_of_each(near, lambda path: system.outline(path[-1]))
        return beam[0][1]

    path = [system.start]
    while not system.is_final(path[-1]):
        scores, among = system.scores(path[-1]), kept(path[-1])
        action = search.best(scores, system.legal(path[-1]))
        if action in among:
            path.append(system.advance(path[-1], action))
            continue
        regret, back = (scores[action] - max(scores[other] for other in among)) * scale, min(BACK, len(path) - 1)
        path = least_regret(path[: len(path) - back], back + 1, min(CONCEDED, regret))
    return path[-1]


def given_some(model: Model, seed: int, share: float) -> tuple[Task, list[Kept]]:
    """Return the arguments of a search kernel with a share of the heads of random trees given, and what they leave."""
    random = np.random.default_rng(seed)
    heads = np.full(len(model.treebank.tokens), -1, np.int32)
    for system, first in zip(model.systems, model.treebank.offsets.tolist(), strict=False):
        here = system.start
        while not system.is_final(here):
            here = system.advance(here, random.choice(system.legal(here)))
        tree = np.array(twin.arcs(here)[0])
        heads[first : first + len(tree)] = np.where(random.random(len(tree)) < share, tree, -1)
    heads[model.treebank.offsets[:-1]] = -1
    linear, empty, _, trees = model.task()
    known = Given(heads, np.full_like(heads, -1), ())
    arcs = GivenArcs.of(known, model.treebank.offsets, model.treebank.labels)
    parts = itertools.pairwise(model.treebank.offsets.tolist())
    kept = [
        around(system, model.actions.kind.tolist(), heads[first:last].tolist())
        for system, (first, last) in zip(model.systems, parts, strict=True)
    ]
    return (linear, empty, arcs, trees), kept


@settings(max_examples=40, deadline=None)
@given(models_of_few, st.integers(0, 1_000), st.sampled_from([0.3, 0.7]))
def test_greedy_around_given_heads_is_the_twins(model: Model, seed: int, share: float) -> None:
    actions = model.actions
    assume({REDUCE_LEFT, REDUCE_RIGHT} == set(actions.kind[actions.to_token].tolist()) and actions.to_root.any())
    task, kept = given_some(model, seed, share)
    parse_greedily(*task)
    finals = [greedy_around(*each, model.weights.scale) for each in zip(model.systems, kept, strict=True)]
    assert list(split(model.treebank, *task[-1][1:3])) == trees_of(finals)


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_beam_around_given_heads_has_a_wider_margin(seed: int) -> None:
    sentence = [WORDS[i] for i in (0, 1, 3, 4, 0)], [2, 3, 0, 3, 4], ["det", "nsubj", "root", "det", "nsubj"]
    model, margin = model_of(Treebank.of([sentence] * 3), seed, 100, 0.01, single_root=False), 0.3
    task, kept = given_some(model, seed, 0.3)
    parse_beam(*task, 4, margin)
    finals = [
        search.beam(system, 4, 0.01, margin * WIDER if (heads >= 0).any() else margin, own)
        for system, own, heads in zip(model.systems, kept, np.split(task[2].heads, 3), strict=True)
    ]
    assert list(split(model.treebank, *task[-1][1:3])) == trees_of(finals)


@settings(max_examples=40)
@given(models, st.sampled_from([1, 2, 3, 8, 40]), st.sampled_from([0.0, 0.7, 3.0, 1e9]))
def test_the_beam_is_the_twins(model: Model, width: int, margin: float) -> None:
    task = model.task()
    parse_beam(*task, width, margin)
    finals = [search.beam(system, width, model.weights.scale, margin) for system in model.systems]
    assert list(split(model.treebank, *task[-1][1:3])) == trees_of(finals)


@settings(max_examples=40)
@given(models, st.sampled_from([1, 2, 8]))
def test_best_first_is_the_twins(model: Model, width: int) -> None:
    task = model.task()
    fallbacks = parse_best_first(*task, width)
    found = [search.best_first(system, width, model.weights.scale, POPS) for system in model.systems]
    assert list(split(model.treebank, *task[-1][1:3])) == trees_of([final for final, _ in found])
    assert fallbacks == sum(fell_back for _, fell_back in found)


def most_probable(system: search.System[twin.Configuration], scale: float) -> float:
    """Return the log-probability of the most probable of all derivations."""

    def best(here: twin.Configuration) -> float:
        if system.is_final(here):
            return 0.0
        logs = search.log_probabilities(system.scores(here), system.legal(here), scale)
        return max(log + best(system.advance(here, action)) for action, log in logs.items())

    return best(system.start)


def probability(system: search.System[twin.Configuration], scale: float, actions: Sequence[int]) -> float:
    total, here = 0.0, system.start
    for action in actions:
        total += search.log_probabilities(system.scores(here), system.legal(here), scale)[action]
        here = system.advance(here, action)
    return total


@settings(max_examples=20)
@given(
    rich_treebanks(max_sentences=1, max_tokens=3), st.integers(0, 10_000), st.sampled_from([1e-5, 1e-4]), st.booleans()
)
def test_with_room_enough_search_finds_the_most_probable_derivation(
    treebank: Treebank, seed: int, scale: float, single_root: bool
) -> None:
    model = model_of(treebank, seed, 30_000, scale, single_root, OUTLINE)
    (system,) = model.systems
    best = most_probable(system, scale)
    wide = search.beam(system, 10_000, scale, 1e9)
    assert probability(system, scale, wide.history) == pytest.approx(best)
    beam, best_first = model.task(), model.task()
    parse_beam(*beam, 1_000, 1e9)
    assert list(split(treebank, *beam[-1][1:3])) == trees_of([wide])
    if not parse_best_first(*best_first, 1_000):
        assert list(split(treebank, *best_first[-1][1:3])) == trees_of([wide])


@pytest.mark.parametrize(("seed", "magnitude"), [(0, 0), (1, 1), (2, 1), (3, 100)])
def test_best_first_falls_back_where_the_model_is_flat(seed: int, magnitude: int) -> None:
    treebank = Treebank.of([(["w"] * 12, [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 6], list("uvwxyzuvwxyz"))] * 2)
    model = model_of(treebank, seed, magnitude, 1e-3, single_root=False)
    task = model.task()
    assert parse_best_first(*task, 8) == 2
    found = [search.best_first(system, 8, 1e-3, POPS) for system in model.systems]
    assert [fell_back for _, fell_back in found] == [True, True]
    assert list(split(treebank, *task[-1][1:3])) == trees_of([final for final, _ in found])


@pytest.mark.parametrize(("labels", "fallbacks"), [(["x"], 0), (["x", "y"], 2)])
def test_the_last_configuration_of_best_first_search_may_be_the_final_one(labels: list[str], fallbacks: int) -> None:
    """With 14 labels of roots and one more, of which none is better, the final configuration is number 32, with two 33.

    Two words take 4 steps: the search may go on to number 4 * 8.
    """
    pairs = [(["w", "w"], heads, ["r0", label]) for heads, label in zip(([0, 1], [0, 1]), labels, strict=False)]
    treebank = Treebank.of([*pairs, *((["w"], [0], [f"r{i}"]) for i in range(14))])
    model = model_of(treebank, 0, 0, 1.0, single_root=False)
    assert parse_best_first(*model.task(), 99) == fallbacks
    assert sum(search.best_first(system, 99, 1.0, POPS)[1] for system in model.systems) == fallbacks


def test_sentences_without_tokens_are_trees_already() -> None:
    treebank = Treebank.of([(["w", "w"], [2, 0], ["x", "root"])])
    model = model_of(treebank, 1, 100, 0.1, single_root=True)
    empty = model._replace(treebank=Treebank.of([([], [], []), ([], [], [])]))
    greedy, beam, best_first = empty.task(), empty.task(), empty.task()
    parse_greedily(*greedy)
    parse_beam(*beam, 8, 3.0)
    assert parse_best_first(*best_first, 8) == 0
    for task in (greedy, beam, best_first):
        assert (task[-1].heads.tolist(), task[-1].deprels.tolist()) == ([-1, -1], [-1, -1])


def test_no_index_of_a_search_is_out_of_range() -> None:
    code = """
from tests.reference.random_model import model_of
from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.models.parsers.transition.search import parse_beam, parse_best_first, parse_greedily
model = model_of(Treebank.of([(["w"] * n, list(range(n)), ["x"] * n) for n in (1, 5)]), 1, 100, 1e-3, True)
parse_greedily(*model.task())
for width in (1, 3, 100):
    parse_beam(*model.task(), width, 1e9)
    parse_best_first(*model.task(), width)
"""
    python = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # which checks each index; machine code does not
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=python, check=True)


@given(st.lists(st.tuples(st.integers(-2, 2), st.booleans()), min_size=1, max_size=6))
def test_of_equal_actions_the_first_is_taken(classes: list[tuple[int, bool]]) -> None:
    scores = np.array([value for value, _ in classes], np.int32)
    among = [i for i, (_, legal) in enumerate(classes) if legal]
    expected = search.best(scores.tolist(), among) if among else -1
    assert best_class(scores, np.array([legal for _, legal in classes])) == expected
