"""Walk through configurations step by step, in the kernels and in the twin at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st

from tests.reference import arc_standard as twin
from tests.strategies import projective_trees
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Ints
from treevote.models.parsers.transition.arc_standard import Actions, advance, legal, write_tree
from treevote.models.parsers.transition.configuration import BELOW, FRONT, TOKEN, TOP, Workspace, initial, workspace

KINDS = ("shift", "reduce-left", "reduce-right")

WORDS = (
    Word("The", "the", "DET", "DT", "Definite=Def|PronType=Art"),
    Word("cat", "cat", "NOUN", "NN", "Number=Sing"),
    Word("cats", "cat", "NOUN", "NNS", "Number=Plur"),
    Word("sleeps", "sleep", "VERB", "VBZ", "Number=Sing|Person=3"),
    Word("on", "on", "ADP", "ADP", "_"),
    Word("2", "_", "NUM", "_", "_"),
)


def rich_treebanks(max_sentences: int = 3, max_tokens: int = 6, min_tokens: int = 1) -> st.SearchStrategy[Treebank]:
    """Treebanks of projective trees whose words have all attributes."""
    sentence = projective_trees(max_tokens, min_tokens).flatmap(
        lambda heads: st.tuples(
            st.lists(st.sampled_from(WORDS), min_size=len(heads) - 1, max_size=len(heads) - 1),
            st.just(heads[1:].tolist()),
            st.lists(st.sampled_from(("nsubj", "det", "root")), min_size=len(heads) - 1, max_size=len(heads) - 1),
        )
    )
    return st.lists(sentence, min_size=1, max_size=max_sentences).map(Treebank.of)


def twin_actions(actions: Actions) -> list[twin.Action]:
    return [
        twin.Action(KINDS[kind], int(label), bool(to_root), bool(to_token))
        for kind, label, to_root, to_token in zip(
            actions.kind, actions.label, actions.to_root, actions.to_token, strict=True
        )
    ]


def mask_of(space: Workspace, actions: Actions, here: int, n: int) -> Bools:
    mask = np.zeros(len(actions.kind), np.bool_)
    legal(space, actions, here, n, mask)
    return mask


def stack_of(space: Workspace, here: int) -> list[int]:
    """Return the root words of the subtrees on the stack, the lowest first."""
    tokens = []
    while here >= 0:
        tokens.append(int(space.trees[space.configurations[here, TOP], TOKEN]))
        here = int(space.configurations[here, BELOW])
    return tokens[::-1]


def walk(
    n: int, actions: Actions, choose: Callable[[Workspace, int, twin.Configuration], int]
) -> list[tuple[Workspace, int, twin.Configuration]]:
    """Return all configurations of the derivation whose actions ``choose`` names."""
    space, mirror, plain = workspace(n, 2 * n), twin.initial(n), twin_actions(actions)
    initial(space, n)
    steps = [(space, 0, mirror)]
    for here in range(2 * n):
        action = choose(space, here, mirror)
        advance(space, actions, here, here + 1, n + 1 + here, action)
        mirror = twin.advance(mirror, action, plain)
        steps.append((space, here + 1, mirror))
    return steps


def gold_chooser(
    actions: Actions, heads: Sequence[int], deprels: Sequence[int]
) -> Callable[[Workspace, int, twin.Configuration], int]:
    """Return a function that chooses the actions of the twin's oracle."""
    plain = twin_actions(actions)

    def choose(space: Workspace, here: int, mirror: twin.Configuration) -> int:
        kind = twin.oracle(mirror, heads)
        if kind == "shift":
            return 0
        label = deprels[mirror.stack[-1 if kind == "reduce-left" else -2].token]
        return next(i for i, action in enumerate(plain) if (action.kind, action.label) == (kind, label))

    return choose


def random_chooser(
    actions: Actions, n: int, picks: Sequence[int]
) -> Callable[[Workspace, int, twin.Configuration], int]:
    """Return a function that chooses legal actions by the numbers in ``picks``, in a cycle."""

    def choose(space: Workspace, here: int, mirror: twin.Configuration) -> int:
        possible = np.flatnonzero(mask_of(space, actions, here, n))
        return int(possible[picks[here % len(picks)] % len(possible)])

    return choose


def tree_of(space: Workspace, actions: Actions, final: int, n: int) -> tuple[Ints, Ints]:
    heads, deprels = np.full(n + 1, -9, np.int32), np.full(n + 1, -9, np.int32)
    write_tree(space, actions, final, heads, deprels)
    return heads, deprels


def front_of(space: Workspace, here: int) -> int:
    return int(space.configurations[here, FRONT])
