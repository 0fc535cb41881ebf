"""The guide of pairs of features: the kernel scores as the learner does, and parsers with it are read back."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tests.reference.toy_parser import SMALL, TEST, TRAINING, accuracy, trees
from treevote.corpus.trees import roots
from treevote.models.learning.features.linear_guide import NEVER
from treevote.models.learning.learners.pairs import PairsSVM
from treevote.models.parsers.transition.pair_guide import PairGuide, score_with_pairs
from treevote.models.parsers.transition.parser import Direction, TransitionParser

N_FEATURES = 12
PAIRS = dataclasses.replace(SMALL, learner="pairs-svm", options={"epochs": 4})


@pytest.fixture(scope="module", params=[(1, 5), (0, 2, 3, 6)], ids=str)
def learner(request: pytest.FixtureRequest) -> PairsSVM:
    """Return a learner of two classes, and one of four."""
    rng = np.random.default_rng(3)
    rows = csr_matrix((rng.random((60, N_FEATURES)) < 0.3).astype(np.float32))
    return PairsSVM(min_count=2).fit(rows, np.array(request.param)[np.arange(60) % len(request.param)])


@given(st.lists(st.integers(0, N_FEATURES - 1), max_size=N_FEATURES))
def test_the_kernel_scores_as_the_learner_does(learner: PairsSVM, fired: list[int]) -> None:
    keys = np.arange(1, 2 * N_FEATURES, 2, dtype=np.uint64) << np.uint64(33)
    scores: NDArray[np.float32] = np.zeros(8, np.float32)
    score_with_pairs(PairGuide.trained(learner, keys, 8).weights, np.sort(np.array(fired, np.int64)), scores)
    row = csr_matrix(np.bincount(fired, minlength=N_FEATURES)[None].astype(np.float32))
    own = scores[learner.classes_]
    expected = learner.decision_function(row)
    assert np.array_equal(own[1:] - own[:1] if len(own) == 2 else own[None], expected)
    assert (np.delete(scores, learner.classes_) == NEVER).all()


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_parser_with_pairs_is_read_back(direction: Direction) -> None:
    parser = dataclasses.replace(PAIRS, direction=direction).train(TRAINING.select(range(30)))
    assert isinstance(parser.guide, PairGuide)
    parse = parser.parse(TEST)
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > 0.8
    again = TransitionParser.from_record(parser.record())
    assert again.trainer == parser.trainer
    assert trees(again.parse(TEST)) == trees(parse)
