"""Word vectors of a text: the method by the book, and words of a kind beside each other."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Doubles
from treevote.models.learning.vectors.cooccurrence import cooccurrence_vectors

TEXT = toy_treebank(60, seed=3)


def by_the_book(text: Treebank, words: list[str], size: int) -> Doubles:
    """Return the products of the vectors of all words: counts, mutual information and singular vectors, one by one."""
    contexts = {
        (place, word): k for k, (place, word) in enumerate((p, w) for p in (-2, -1, 1, 2) for w in [*words, ""])
    }
    table = np.zeros((len(words), len(contexts)))
    for sentence in text:
        forms = ["", *(word.form.lower() for word in sentence.words[1:])]
        for i, form in enumerate(forms):
            for place in (1, 2):
                other = forms[i + place] if i + place < len(forms) else ""
                if form:
                    table[words.index(form), contexts[place, other]] += 1
                if other:
                    table[words.index(other), contexts[-place, form]] += 1
    smoothed = table.sum(0) ** 0.75
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.log(table / table.sum(1, keepdims=True) / (smoothed / smoothed.sum()))
    left, values, _ = np.linalg.svd(np.where(table > 0, np.maximum(information, 0), 0), full_matrices=False)
    products: Doubles = left[:, :size] * values[:size] @ left[:, :size].T
    return products


def test_vectors_are_those_of_the_book() -> None:
    words, vectors, n_tokens = cooccurrence_vectors([TEXT[:20], TEXT[20:]], size=4, least=1)
    assert vectors.shape == (len(words), 4)
    assert n_tokens == TEXT.n_tokens
    assert np.allclose(vectors @ vectors.T, by_the_book(TEXT, words, 4))


def test_the_same_text_has_the_same_vectors() -> None:
    (words, vectors, _), (others, again, _) = (cooccurrence_vectors([TEXT], size=3, least=2) for _ in range(2))
    assert words == others
    assert np.array_equal(vectors, again)


@pytest.mark.skipif("rng" not in signature(eigsh).parameters, reason="before SciPy 1.17 it is another one each time")
def test_words_that_cannot_be_told_apart_have_the_same_vectors_each_time() -> None:
    """Their singular values are equal, and the search for the vectors begins anew at random."""
    frames = [(["item", f"n{i}", "is", "in", "stock"], [5, 1, 5, 5, 0], ["x"] * 5) for i in range(60)] * 3
    first, second = (cooccurrence_vectors([Treebank.of(frames)], size=30)[1] for _ in range(2))
    assert np.array_equal(first, second)


def test_words_of_a_kind_are_alike() -> None:
    kinds = [["dog", "cat", "cow"], ["sees", "hears", "eats"], ["the", "a", "this"]]
    random = np.random.default_rng(0)
    text = []
    for _ in range(400):
        nouns, verbs, articles = (random.choice(kind, 2).tolist() for kind in kinds)
        text.append(([articles[0], nouns[0], verbs[0], articles[1], nouns[1]], [2, 3, 0, 5, 3], ["x"] * 5))
    words, vectors, _ = cooccurrence_vectors([Treebank.of(text)], size=3)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    kind_of = np.array([next(k for k, kind in enumerate(kinds) if word in kind) for word in words])
    alike = units @ units.T
    same = kind_of[:, None] == kind_of
    assert alike[same].min() > alike[~same].max()


def test_a_text_of_few_words_is_refused() -> None:
    with pytest.raises(InputError, match=r"more than 100 words that occur at least 3 times, found .*, lower --least"):
        cooccurrence_vectors([TEXT])
    with pytest.raises(InputError, match="found 0"):
        cooccurrence_vectors([], size=1, least=1)
    with pytest.raises(InputError, match="beside each other more often than by chance"):
        cooccurrence_vectors([Treebank.of([([form], [0], ["root"]) for form in "xyz"] * 3)], size=2)
    with pytest.raises(ConfigError, match="at least 1"):
        cooccurrence_vectors([TEXT], size=0)
