"""Random sentences and trees for hypothesis, small enough that every case is met."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints

LABELS = ("nsubj", "obj", "obl:arg", "punct", "det", "root")


@st.composite
def trees(draw: st.DrawFn, max_tokens: int = 8, min_tokens: int = 1) -> Ints:
    """Head arrays of trees, with one root or several: words are attached one by one in a random order."""
    n = draw(st.integers(min_tokens, max_tokens))
    order = draw(st.permutations(range(1, n + 1)))
    heads = np.full(n + 1, -1, np.int32)
    for placed, token in enumerate(order):
        heads[token] = draw(st.sampled_from([0, *order[:placed]]))
    return heads


@st.composite
def projective_trees(draw: st.DrawFn, max_tokens: int = 8, min_tokens: int = 1) -> Ints:
    """Head arrays of projective trees: stretches of words are cut into trees, each around its head."""
    n = draw(st.integers(min_tokens, max_tokens))
    heads = np.full(n + 1, -1, np.int32)
    stretches = [(0, 1, n)]
    while stretches:
        head, start, end = stretches.pop()
        if start <= end:
            cut = draw(st.integers(start, end))
            token = draw(st.integers(start, cut))
            heads[token] = head
            stretches += [(token, start, token - 1), (token, token + 1, cut), (head, cut + 1, end)]
    return heads


@st.composite
def treebanks(
    draw: st.DrawFn,
    heads: st.SearchStrategy[Ints] | None = None,
    labels: tuple[str, ...] = LABELS,
    max_sentences: int = 4,
) -> Treebank:
    """Treebanks of random trees with random labels; words are ``w1`` to ``w3`` and punctuation."""
    form = st.sampled_from(["w1", "w2", "w3", ".", "--", "n.a."])
    sentences = []
    for tree in draw(st.lists(trees() if heads is None else heads, max_size=max_sentences)):
        n = len(tree) - 1
        forms = draw(st.lists(form, min_size=n, max_size=n))
        deprels = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
        sentences.append((forms, tree[1:].tolist(), deprels))
    return Treebank.of(sentences)
