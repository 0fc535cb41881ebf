"""The gold action predictor: it builds every projective tree with every policy; Lemmas 1 to 4 of the paper."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import pipeline as twin
from tests.reference.toy_grammar import toy_treebank
from tests.strategies import projective_trees, treebanks, trees
from treevote.corpus.pseudo_projective import projectivize
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Ints
from treevote.models.parsers.pipeline.configuration import (
    ACTIONS,
    POLICIES,
    Policy,
    begin,
    take,
    words_left,
    write_heads,
)
from treevote.models.parsers.pipeline.oracle import count_actions, goes_on, gold_action, tree_of

WAITS = (("wait-left",), (), ("wait-right",), ("wait-left", "wait-right"))
policies = st.sampled_from(POLICIES)
waits = st.sampled_from(WAITS)


def derivation(heads: Ints, policy: str, waits: tuple[str, ...]) -> tuple[list[tuple[int, str]], list[int]]:
    """Return round and action at each step, and the resulting heads, by the kernels."""
    T, tree = words_left(len(heads) - 1), tree_of(heads)
    flags = np.array([wait in waits for wait in ("wait-left", "wait-right")])
    focus, missing, steps = begin(T), tree.arcs, []
    while goes_on(focus, missing):
        action = gold_action(T, focus, tree, flags)
        steps.append((focus.rounds, ACTIONS[action]))
        missing -= ACTIONS[action] in ("left", "right")
        focus = take(T, focus, POLICIES.index(policy), len(heads), action)
    found = np.empty_like(heads)
    write_heads(T, found)
    return steps, found.tolist()


@given(projective_trees(9), policies, waits)
def test_every_policy_builds_every_projective_tree(heads: Ints, policy: str, waits: tuple[str, ...]) -> None:
    steps, found = derivation(heads, policy, waits)
    assert found == heads.tolist()
    assert steps == [(len(s.history), action) for s, action in twin.derive(heads.tolist(), policy, waits)]


@given(projective_trees(9), waits)
def test_lemma_1_step_back_takes_one_round(heads: Ints, waits: tuple[str, ...]) -> None:
    steps, found = derivation(heads, "step-back", waits)
    assert all(rounds == 1 for rounds, _ in steps)
    assert found == heads.tolist()


@given(projective_trees(9))
def test_lemma_2_a_pair_comes_back_only_with_a_new_dependent(heads: Ints) -> None:
    seen: set[tuple[twin.Tree, twin.Tree]] = set()
    for state, _ in twin.derive(heads.tolist(), "step-back"):
        pair = twin.pair(state)
        assert pair is not None
        assert pair not in seen  # a tree is a word with all its dependents
        seen.add(pair)


@given(projective_trees(20))
def test_lemma_3_step_back_takes_at_most_three_actions_for_each_word(heads: Ints) -> None:
    assert len(derivation(heads, "step-back", ())[0]) <= 3 * (len(heads) - 1)


@given(projective_trees(12))
def test_lemma_4_step_back_never_waits_for_the_dependents_of_a_word_on_the_left(heads: Ints) -> None:
    steps, _ = derivation(heads, "step-back", ("wait-left", "wait-right"))
    assert "wait-right" not in {action for _, action in steps}


@given(projective_trees(9), policies)
def test_waits_are_shifts_by_another_name(heads: Ints, policy: str) -> None:
    plain, _ = derivation(heads, policy, ())
    for waits in WAITS:
        steps, _ = derivation(heads, policy, waits)
        assert [(k, "shift" if "wait" in action else action) for k, action in steps] == plain


@settings(max_examples=40)
@given(treebanks(trees(7)), policies, st.booleans(), st.booleans())
def test_actions_are_counted_as_the_twin_counts_them(
    treebank: Treebank, policy: Policy, wait_left: bool, wait_right: bool
) -> None:
    counts = count_actions(treebank, policy, wait_left=wait_left, wait_right=wait_right)
    waits = [name for name, there in (("wait-left", wait_left), ("wait-right", wait_right)) if there]
    expected: Counter[str] = Counter()
    for sentence in projectivize(treebank, "none").sentences():
        steps = list(twin.derive(sentence.heads.tolist(), policy, waits))
        expected.update(action for _, action in steps)
        expected["rounds"] += len(steps[-1][0].history) if steps else 0
    assert counts == {name: expected[name] for name in (*ACTIONS, "rounds")}


def test_the_policies_differ_in_shifts_alone_and_step_back_needs_fewest() -> None:
    counts = {policy: count_actions(toy_treebank(200, 1, crossing=True), policy) for policy in POLICIES}
    shifts = {policy: count["shift"] + count["wait-left"] for policy, count in counts.items()}
    assert all(count["wait-left"] > 0 == count["wait-right"] for count in counts.values())  # as parsers have them
    assert 1.3 * shifts["step-back"] < shifts["stay"]
    assert 1.3 * shifts["step-back"] < shifts["start-over"]
    assert len({(count["left"], count["right"]) for count in counts.values()}) == 1
    assert counts["step-back"]["rounds"] == counts["start-over"]["rounds"] == 200 < counts["stay"]["rounds"]


PUPPY = np.array([-1, 2, 0, 2, 6, 6, 2, 2], np.int32)
"""John gives me a beautiful puppy . (Figure 1)"""


def test_the_tree_of_figure_1() -> None:
    steps, _ = derivation(PUPPY, "step-back", ("wait-left",))
    assert [action for _, action in steps] == ["right", "left", "shift", "shift", "right", "right", "left", "left"]
    # To start over costs a look at "gives" and "a" after "beautiful" has gone; else "gives" is the first word already.
    steps, _ = derivation(PUPPY, "start-over", ("wait-left",))
    assert [action for _, action in steps][2:] == ["shift", "shift", "right", "shift", "right", "left", "left"]


def test_the_tree_of_figure_3() -> None:
    # W is the head of X, which has Y and Z: Left on W and X is what must wait.
    steps, _ = derivation(np.array([-1, 0, 1, 2, 2], np.int32), "step-back", ("wait-left",))
    assert [action for _, action in steps] == ["wait-left", "left", "wait-left", "left", "left"]
    steps, _ = derivation(np.array([-1, 0, 1, 2, 2], np.int32), "stay", ("wait-left",))
    assert steps == [(1, "wait-left"), (1, "left"), (1, "left"), (2, "left")]


def test_words_between_roots_are_shifted_to_the_end_of_the_round() -> None:
    steps, found = derivation(np.array([-1, 0, 0, 2], np.int32), "step-back", ("wait-left",))
    assert [action for _, action in steps] == ["shift", "left", "shift"]
    assert found == [-1, 0, 0, 2]


def test_what_cannot_be_counted_is_told() -> None:
    with pytest.raises(ConfigError, match="unknown policy 'step'; did you mean 'step-back'"):
        count_actions(Treebank.of([]), "step")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected a tree"):
        count_actions(Treebank.of([(["a", "b"], [2, 1], ["x", "y"])]))
    assert set(count_actions(Treebank.of([])).values()) == {0}
