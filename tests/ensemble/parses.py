"""Parses of a few systems, written down or drawn at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from tests.strategies import trees
from treevote.corpus.treebank import Treebank
from treevote.ensemble.weights import Weights

LABELS: tuple[str, ...] = ("subj", "obj", "mod")


def weighted(*weights: float) -> Weights:
    return Weights("accuracy", weights)


def parses(heads: Sequence[Sequence[int]], labels: Sequence[Sequence[str]] | None = None) -> list[Treebank]:
    """One treebank of one sentence for each row."""
    labels = labels or [["x"] * len(row) for row in heads]
    return [Treebank.of([(["w"] * len(row), row, names)]) for row, names in zip(heads, labels, strict=True)]


@st.composite
def votes(
    draw: st.DrawFn, whole_trees: bool = False, max_tokens: int = 5, labels: Sequence[str] = LABELS
) -> tuple[list[list[int]], list[list[str]]]:
    """Heads and labels of one to four systems for one sentence; any heads, unknown ones too, or trees."""
    n = draw(st.integers(1, max_tokens))
    k = draw(st.integers(1, 4))
    heads: list[list[int]] = []
    for _ in range(k):
        if whole_trees:
            heads.append(draw(trees(n, n))[1:].tolist())
        else:
            others = [st.sampled_from([h for h in range(-1, n + 1) if h != d]) for d in range(1, n + 1)]
            heads.append(list(draw(st.tuples(*others))))
    label = st.lists(st.sampled_from(labels), min_size=n, max_size=n)
    return heads, draw(st.lists(label, min_size=k, max_size=k))


@st.composite
def systems(draw: st.DrawFn) -> list[Treebank]:
    """Parses of the same sentences, all of them trees."""
    sentences = draw(st.lists(votes(whole_trees=True, max_tokens=6), min_size=1, max_size=4))
    k = min(len(heads) for heads, _ in sentences)
    return [
        Treebank.of([(["w"] * len(heads[i]), heads[i], labels[i]) for heads, labels in sentences]) for i in range(k)
    ]


def unlabelled(treebank: Treebank) -> Treebank:
    """The same trees without labels."""
    return treebank.with_trees(treebank.heads, np.minimum(treebank.deprels, 0), ("_",))


def assert_same_trees(one: Treebank, two: Treebank) -> None:
    assert one.heads.tolist() == two.heads.tolist()
    assert [s.deprels for s in one.sentences()] == [s.deprels for s in two.sentences()]
