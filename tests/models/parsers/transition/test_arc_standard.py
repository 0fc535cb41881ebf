"""The arc-standard system: the oracle rebuilds trees, walks end in trees, and each precondition by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import arc_standard as twin
from tests.reference.walks import (
    KINDS,
    front_of,
    gold_chooser,
    mask_of,
    random_chooser,
    stack_of,
    tree_of,
    twin_actions,
    walk,
)
from tests.strategies import projective_trees, treebanks
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_projective, is_single_rooted, is_tree, reverse
from treevote.models.parsers.transition.arc_standard import (
    REDUCE_LEFT,
    REDUCE_RIGHT,
    SHIFT,
    Actions,
    actions_of,
    class_table,
    gold_of,
    is_final,
    oracle,
)
from treevote.models.parsers.transition.configuration import (
    ACTION,
    L1,
    L1_LABEL,
    L2,
    L2_LABEL,
    L_VALENCY,
    R1,
    R1_LABEL,
    R2,
    R2_LABEL,
    R_VALENCY,
    TOKEN,
    initial,
    reduce,
    shift,
    workspace,
)
from treevote.models.parsers.transition.features import globals_of

GAVE = Treebank.of([(["She", "gave", "him", "a", "book"], [2, 0, 2, 5, 2], ["nsubj", "root", "iobj", "det", "obj"])])


def test_no_action_has_led_to_the_start() -> None:
    space = workspace(2, 3)
    initial(space, 2)
    assert globals_of(space, 0) == (0, 0, 0)
    shift(space, 0, 1)
    space.configurations[1, ACTION] = 4
    assert globals_of(space, 1) == (1, 5, 0)
    shift(space, 1, 2)
    space.configurations[2, ACTION] = 0
    assert globals_of(space, 2) == (1, 1, 5)


@given(treebanks(projective_trees()), st.booleans())
def test_the_oracle_rebuilds_every_projective_tree(treebank: Treebank, backward: bool) -> None:
    read = reverse(treebank) if backward else treebank
    actions = actions_of(read, is_single_rooted(read))
    classes = class_table(actions, len(read.labels))
    for i, sentence in enumerate(read.sentences()):
        heads = sentence.heads
        deprels = read.deprels[read.offsets[i] : read.offsets[i + 1]]
        n = len(heads) - 1
        choose = gold_chooser(actions, heads.tolist(), deprels.tolist())
        *steps, (space, _, _) = walk(n, actions, choose)
        for _, here, mirror in steps:
            action = oracle(space, here, gold_of(heads, deprels, classes))
            assert action == choose(space, here, mirror)
            assert mask_of(space, actions, here, n)[action]
        assert is_final(space, 2 * n, n)
        found_heads, found_deprels = tree_of(space, actions, 2 * n, n)
        assert (found_heads.tolist(), found_deprels.tolist()) == (heads.tolist(), deprels.tolist())


@given(treebanks(projective_trees()), st.booleans(), st.integers(1, 7), st.data())
def test_a_random_legal_walk_ends_in_a_tree_as_the_twin_does(
    treebank: Treebank, single_root: bool, n: int, data: st.DataObject
) -> None:
    actions = actions_of(treebank, single_root)
    plain = twin_actions(actions)
    picks = data.draw(st.lists(st.integers(0, 99), min_size=2 * n, max_size=2 * n))
    steps = walk(n, actions, random_chooser(actions, n, picks))
    for space, here, mirror in steps:
        assert is_final(space, here, n) == twin.is_final(mirror) == (here == 2 * n)
        assert np.flatnonzero(mask_of(space, actions, here, n)).tolist() == twin.legal(mirror, plain, single_root)
        assert stack_of(space, here) == [tree.token for tree in mirror.stack]
        assert list(range(front_of(space, here), n + 1)) == list(mirror.queue)
    space, _, mirror = steps[-1]
    heads, deprels = tree_of(space, actions, 2 * n, n)
    assert is_tree(heads, single_root)
    assert is_projective(heads)
    assert (heads.tolist(), deprels.tolist()) == twin.arcs(mirror)


@given(treebanks(projective_trees()), st.booleans())
def test_a_walk_gives_labels_only_where_training_gave_them(treebank: Treebank, single_root: bool) -> None:
    actions = actions_of(treebank, single_root)
    tokens = treebank.is_token
    seen = set(zip(treebank.deprels[tokens].tolist(), (treebank.heads[tokens] == 0).tolist(), strict=True))
    for from_root, allowed in ((True, actions.to_root), (False, actions.to_token)):
        labels = {label for label, root in seen if root == from_root}
        assert set(actions.label[allowed].tolist()) == (labels or {0})


def test_five_words_by_hand() -> None:
    actions = actions_of(GAVE, single_root=True)
    nsubj, root, iobj, det, obj = range(5)
    classes = list(zip(actions.kind.tolist(), actions.label.tolist(), strict=True))
    assert classes == [(0, -1), (1, root), (1, iobj), (1, obj), (2, nsubj), (2, det)]
    reduce = {(1, iobj), (1, obj), (2, nsubj), (2, det)}
    expected = [  # stack, front of the queue, legal, gold
        ([0], 1, {(0, -1)}, (SHIFT, -1)),
        ([0, 1], 2, {(0, -1)}, (SHIFT, -1)),
        ([0, 1, 2], 3, {(0, -1)} | reduce, (REDUCE_RIGHT, nsubj)),
        ([0, 2], 3, {(0, -1)}, (SHIFT, -1)),
        ([0, 2, 3], 4, {(0, -1)} | reduce, (REDUCE_LEFT, iobj)),
        ([0, 2], 4, {(0, -1)}, (SHIFT, -1)),
        ([0, 2, 4], 5, {(0, -1)} | reduce, (SHIFT, -1)),
        ([0, 2, 4, 5], 6, reduce, (REDUCE_RIGHT, det)),
        ([0, 2, 5], 6, reduce, (REDUCE_LEFT, obj)),
        ([0, 2], 6, {(1, root)}, (REDUCE_LEFT, root)),
    ]
    choose = gold_chooser(actions, GAVE.heads.tolist(), GAVE.deprels.tolist())
    found = []
    *steps, (space, _, _) = walk(5, actions, choose)
    for _, here, _ in steps:
        mask = mask_of(space, actions, here, 5)
        gold = classes[oracle(space, here, gold_of(GAVE.heads, GAVE.deprels, class_table(actions, len(GAVE.labels))))]
        found.append((stack_of(space, here), front_of(space, here), {classes[k] for k in np.flatnonzero(mask)}, gold))
    assert found == expected
    assert stack_of(space, 10) == [0]


# Preconditions, each by itself. Actions: shift, reduce-left(0), reduce-left(1), reduce-right(0); label 1 is ROOT's.
ALONE = {
    single_root: Actions(
        np.array([0, 1, 1, 2], np.int32),
        np.array([-1, 0, 1, 0], np.int32),
        np.array([False, False, True, False]),
        np.array([False, True, False, True]),
        single_root,
    )
    for single_root in (True, False)
}


@pytest.mark.parametrize(
    ("single_root", "taken", "n", "possible"),
    [
        (True, [], 2, [0]),  # nothing to reduce
        (True, [0, 0], 2, [1, 3]),  # no word left to shift; ROOT's label is for ROOT
        (True, [0, 0], 3, [0, 1, 3]),
        (True, [0], 2, [0]),  # with one root, its word waits until the queue is empty
        (False, [0], 2, [0, 2]),  # with several it need not
        (True, [0], 1, [2]),  # ROOT never gets a head: no reduce-right
        (False, [0], 1, [2]),
        (False, [0, 2], 2, [0]),
        (False, [0, 2, 0], 2, [2]),
    ],
)
def test_preconditions(single_root: bool, taken: list[int], n: int, possible: list[int]) -> None:
    actions = ALONE[single_root]
    finish = random_chooser(actions, n, [0])
    space, here, _ = walk(
        n, actions, lambda space, here, mirror: [*taken, finish(space, here, mirror)][min(here, len(taken))]
    )[len(taken)]
    assert np.flatnonzero(mask_of(space, actions, here, n)).tolist() == possible


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(
    ("heads", "classes"),
    [
        ([[0], [0]], [(1, 0, True, True)]),  # one-word sentences show no arc between tokens
        ([[2, 0]], [(1, 0, True, False), (2, 0, False, True)]),
        ([[0, 1]], [(1, 0, True, True)]),  # one label for all
    ],
)
def test_degenerate_treebanks_have_actions_for_every_sentence(
    heads: list[list[int]], classes: list[tuple[int, int, bool, bool]], single_root: bool
) -> None:
    treebank = Treebank.of([(["w"] * len(tree), tree, ["x"] * len(tree)) for tree in heads])
    actions = actions_of(treebank, single_root)
    found = list(zip(*(column.tolist() for column in actions[:4]), strict=True))
    assert found == [(0, -1, False, False), *classes]
    for pick in range(3):
        steps = walk(4, actions, random_chooser(actions, 4, [pick]))
        for space, here, _ in steps:
            assert mask_of(space, actions, here, 4).any() == (here < 8)
        space = steps[-1][0]
        assert is_tree(tree_of(space, actions, 8, 4)[0], single_root)


def test_a_treebank_without_sentences_has_actions() -> None:
    actions = actions_of(Treebank.of([]), single_root=True)
    assert [KINDS[kind] for kind in actions.kind] == ["shift", "reduce-left"]
    assert actions.to_root.tolist() == actions.to_token.tolist() == [False, True]


@settings(max_examples=30)
@given(treebanks(projective_trees()))
def test_the_table_of_classes_inverts_the_actions(treebank: Treebank) -> None:
    actions = actions_of(treebank, single_root=False)
    classes = class_table(actions, len(treebank.labels))
    for action in range(1, len(actions.kind)):
        assert classes[actions.kind[action], actions.label[action]] == action
    assert (classes[SHIFT] == 0).all()
    assert np.count_nonzero(classes[1:] >= 0) == len(actions.kind) - 1


@pytest.mark.parametrize("head_on_left", [False, True])
def test_a_subtree_knows_its_two_outer_dependents_and_their_labels(head_on_left: bool) -> None:
    space = workspace(3, 6)
    initial(space, 3)
    steps = [shift, shift, reduce, shift, reduce] if head_on_left else [shift, shift, shift, reduce, reduce]
    tree = 4
    for here, step in enumerate(steps):
        if step is shift:
            shift(space, here, here + 1)
        else:
            reduce(space, here, here + 1, tree, head_on_left, 3 + tree)
            tree += 1
    grown = space.trees[tree - 1].tolist()
    if head_on_left:
        assert [grown[c] for c in (TOKEN, R1, R1_LABEL, R2, R2_LABEL, R_VALENCY)] == [1, 3, 8, 2, 7, 2]
        assert [grown[c] for c in (L1, L1_LABEL, L2, L2_LABEL, L_VALENCY)] == [-1, -1, -1, -1, 0]
    else:
        assert [grown[c] for c in (TOKEN, L1, L1_LABEL, L2, L2_LABEL, L_VALENCY)] == [3, 1, 8, 2, 7, 2]
        assert [grown[c] for c in (R1, R1_LABEL, R2, R2_LABEL, R_VALENCY)] == [-1, -1, -1, -1, 0]
