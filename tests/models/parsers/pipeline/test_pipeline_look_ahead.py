"""The parser's loop, its look ahead, and the join of the remaining words: kernels equal the twin, ties included."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import pipeline as twin
from tests.reference.pipeline_walks import focus_of, table_of, walk
from tests.reference.walks import WORDS, rich_treebanks
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_tree
from treevote.kernels import Doubles, Ints, Keys, kernel
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.partial_scores import divide
from treevote.models.learning.features.templates import compile_templates
from treevote.models.parsers.given_arcs import NOTHING
from treevote.models.parsers.pipeline.configuration import (
    LEFT,
    POLICIES,
    SHIFT,
    STAY,
    STEP_BACK,
    begin,
    take,
    words_left,
)
from treevote.models.parsers.pipeline.features import fire
from treevote.models.parsers.pipeline.look_ahead import (
    Model,
    is_free,
    parse,
    predict,
    score_actions,
    workspace_for,
)
from treevote.models.parsers.pipeline.template_sets import GRAMMAR, PARTS

TEMPLATES = ("s0.upos", "q0.form", "s1.upos", "q1.upos", "s0.upos+q0.upos", "s0.rval", "q0.lval", "action", "distance")
TABLE = compile_templates(TEMPLATES, GRAMMAR)


class Task(NamedTuple):
    """A treebank, and a model with random weights for it."""

    treebank: Treebank
    model: Model

    def score(self, i: int) -> twin.Score:
        """Return the functions of the twin for sentence ``i``: the scores and logarithms of the kernels."""
        tokens = self.treebank.tokens[self.treebank.offsets[i] : self.treebank.offsets[i + 1]]
        space = workspace_for(self.model)

        def scores(state: twin.State) -> Sequence[float]:
            score_actions(self.model, tokens, table_of(state, len(tokens) - 1), focus_of(state), space)
            return [float(log) for log in confidences(space.logs, self.model.certain)]

        return scores

    def logs(self, i: int) -> twin.Score:
        return self._replace(model=self.model._replace(certain=0.0)).score(i)


@kernel
def confidences(logs: Doubles, certain: float) -> Doubles:
    return np.exp(logs) if certain > 0 else logs.copy()


def task_of(
    treebank: Treebank,
    seed: int,
    magnitude: int,
    scale: float,
    policy: int,
    rounds: int,
    depth: int,
    certain: float,
    n_actions: int,
) -> Task:
    """Give random weights to the features of some pairs."""
    rng = np.random.default_rng(seed)
    words = Lexicon.of(treebank).columns(treebank.words)
    keys: set[int] = set()
    buffer: Keys = np.zeros(MAX_FEATURES, np.uint64)
    for first, last in itertools.pairwise(treebank.offsets):
        for state in walk(last - first - 1, POLICIES[policy], rounds, rng.integers(0, 5, 50).tolist()):
            T, tokens = table_of(state, last - first - 1), treebank.tokens[first:last]
            count = fire(T, focus_of(state), tokens, words, TABLE, scratch(TABLE), buffer)
            keys.update((buffer[:count] | np.uint64(1)).tolist())
    rows = rng.integers(-magnitude, magnitude + 1, (len(keys), n_actions))
    packed = np.hstack([np.full((len(keys), 1), -1), rows]).astype(np.int16).ravel()
    bias = rng.integers(-magnitude, magnitude + 1, n_actions).astype(np.int32)
    guide = LinearGuide.of(np.array(sorted(keys), np.uint64), packed, bias, scale)
    return Task(treebank, Model(guide.weights, divide(TABLE, PARTS), words, policy, rounds, depth, certain))


# Small whole numbers make many ties, large ones none.
styles = st.sampled_from([(0, 1.0), (1, 0.5), (1, 0.1), (10_000, 1e-5), (10_000, 1e-4)])
tasks = st.builds(
    lambda treebank, seed, style, *rest: task_of(treebank, seed, *style, *rest),
    rich_treebanks(1, 7, 2),
    st.integers(0, 10_000),
    styles,
    st.sampled_from(range(len(POLICIES))),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([3, 4, 5]),
)


def parsed(task: Task, single_root: bool) -> tuple[list[list[int]], int]:
    heads = np.full(len(task.treebank.tokens), -9, np.int32)
    unfinished = parse(
        task.model, workspace_for(task.model), task.treebank.tokens, task.treebank.offsets, single_root, NOTHING, heads
    )
    offsets = task.treebank.offsets
    return [heads[first:last].tolist() for first, last in itertools.pairwise(offsets)], unfinished


@settings(max_examples=25)
@given(tasks, st.booleans())
def test_parses_are_the_twins(task: Task, single_root: bool) -> None:
    expected, unfinished = [], 0
    for i, n in enumerate(np.diff(task.treebank.offsets) - 1):
        policy = POLICIES[task.model.policy]
        state = twin.parse(n, task.score(i), policy, task.model.rounds, task.model.depth, task.model.certain)
        if single_root and len(state.T) > 1:
            unfinished += 1
            state = twin.join(state, task.logs(i))
        expected.append(twin.heads_of(state, n))
    assert parsed(task, single_root) == (expected, unfinished)
    for heads in expected:
        assert is_tree(np.array(heads, np.int32), single_root)


@settings(max_examples=12)
@given(tasks)
def test_kept_paths_change_nothing(task: Task) -> None:
    kept, fresh = workspace_for(task.model), workspace_for(task.model)
    first, last = task.treebank.offsets[:2]
    tokens = task.treebank.tokens[first:last]
    T = words_left(int(last - first) - 1)
    focus = begin(T)
    kept.actions[:] = -1
    while focus.a > 0:
        fresh.actions[:] = -1
        action = predict(task.model, tokens, T, focus, kept)
        assert action == predict(task.model, tokens, T, focus, fresh)
        focus = take(T, focus, task.model.policy, task.model.rounds, action)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_depth_1_takes_the_best_action_whatever_is_summed(seed: int) -> None:
    treebank = Treebank.of([([*WORDS, *WORDS], [0] * 12, ["x"] * 12)])
    for policy in range(len(POLICIES)):
        sure, likely = (task_of(treebank, seed, 100, 1e-3, policy, 2, 1, certain, 4) for certain in (0.0, 1.0))
        assert parsed(sure, True) == parsed(likely, True)


def crossroads(depth: int, certain: float, shift: int, left: int, later: int) -> Task:
    """Return a model for the four words of Figure 3, in which x has y and z.

    On w and x the scores of Shift and Left are given, that of Right is 0. After Left nothing is clear; after Shift the
    score of Left is that of ``later``, those of the others are 0.
    """
    treebank = Treebank.of([(["w", "x", "y", "z"], [0, 1, 2, 2], ["_"] * 4)])
    table = compile_templates(["s0.form+q0.form"], GRAMMAR)
    words = Lexicon.of(treebank).columns(treebank.words)
    keys: Keys = np.zeros(3 + MAX_FEATURES, np.uint64)
    T = words_left(4)
    focus = begin(T)
    for k, action in enumerate((SHIFT, LEFT, SHIFT)):  # on (w, x), (x, y) and (x, z)
        assert fire(T, focus, treebank.tokens, words, table, scratch(table), keys[k:]) == 1
        focus = take(T, focus, STAY, 9, action)
    packed = np.array([-1, shift, left, 0, -1, 0, later, 0, -1, 0, later, 0], np.int16)
    guide = LinearGuide.of(keys[:3] | np.uint64(1), packed, np.zeros(3, np.int32), 0.01)
    return Task(treebank, Model(guide.weights, divide(table, PARTS), words, STEP_BACK, 9, depth, certain))


@pytest.mark.parametrize("certain", [0.0, 1.0])
def test_looking_ahead_avoids_what_greed_falls_for(certain: float) -> None:
    (greedy,), _ = parsed(crossroads(1, certain, 100, 110, 900), False)
    (careful,), _ = parsed(crossroads(2, certain, 100, 110, 900), False)
    assert greedy[2] == 1  # x became a dependent of w, and y and z can no longer be its own
    assert careful[3] == careful[4] == 2


def test_probabilities_are_added_and_logarithms_too() -> None:
    """0.59 + 1/3 > 0.40 + 0.52, but 0.59 / 3 < 0.40 * 0.52: Left is better by the sum, Shift by the product."""
    (by_sum,), _ = parsed(crossroads(2, 1.0, 370, 410, 77), False)
    (by_product,), _ = parsed(crossroads(2, 0.0, 370, 410, 77), False)
    assert by_sum[2:4] == [1, 0]  # x has left before y could become its dependent
    assert by_product[3] == 2


def test_sentences_without_a_pair_are_trees_already() -> None:
    task = task_of(Treebank.of([(["a", "b"], [2, 0], ["x", "root"])]), 1, 9, 0.1, 2, 1, 4, 1.0, 4)
    few = task._replace(treebank=Treebank.of([([], [], []), (["a"], [0], ["root"]), ([], [], [])]))
    for single_root in (False, True):
        assert parsed(few, single_root) == ([[-1], [-1, 0], [-1]], 0)


@pytest.mark.parametrize("n", [2, 3, 900])
def test_a_model_that_only_shifts_leaves_all_on_root_or_is_joined(n: int) -> None:
    treebank = Treebank.of([(["w"] * n, [0] * n, ["x"] * n)])
    words = Lexicon.of(treebank).columns(treebank.words)
    guide = LinearGuide.constant(np.array([0], np.int32), 4)
    task = Task(treebank, Model(guide.weights, divide(TABLE, PARTS), words, 0, 99, 4, 1.0))
    heads: Ints = np.array(parsed(task, False)[0][0], np.int32)
    assert (heads[1:] == 0).all()
    (joined,), unfinished = parsed(task, True)
    assert unfinished == 1
    assert joined == [-1, 0] + [1] * (n - 1)  # of equal pairs the first, of equal actions Left


def test_a_word_with_a_given_head_gets_no_other() -> None:
    places, remaining = np.arange(4, dtype=np.int32), words_left(3)
    begin(remaining)
    arcs = NOTHING._replace(heads=np.array([-1, 0, -1, 2], np.int32), leftmost=places, rightmost=places)
    free = {word: [h for h in range(4) if h != word and is_free(remaining, arcs, word, h)] for word in (1, 2, 3)}
    assert free == {1: [0], 2: [0, 1, 3], 3: [2]}
