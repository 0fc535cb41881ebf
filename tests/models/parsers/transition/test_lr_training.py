"""Training of the LR parser: actions of the treebank, margins as probabilities; see also ``tests.contract``."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import search
from tests.reference.random_model import Model, model_of
from tests.reference.toy_model import content
from tests.reference.toy_parser import SMALL, TEST, TRAINING, accuracy, trees
from tests.reference.walks import rich_treebanks
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, is_single_rooted
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.parsers.transition.arc_standard import actions_of
from treevote.models.parsers.transition.calibration import temperature_of
from treevote.models.parsers.transition.parser import TransitionTrainer


def gold_likelihood(model: Model, treebank: Treebank) -> Callable[[float], float]:
    """Return the log-likelihood of the oracle's actions as a function of the temperature, by the twin."""
    from tests.reference import arc_standard as twin
    from tests.reference.walks import KINDS, twin_actions

    plain = twin_actions(model.actions)
    steps: list[tuple[list[int], list[int], int]] = []
    for i, (system, sentence) in enumerate(zip(model.systems, treebank.sentences(), strict=True)):
        deprels = treebank.deprels[treebank.offsets[i] : treebank.offsets[i + 1]]
        here = system.start
        while not system.is_final(here):
            kind = twin.oracle(here, sentence.heads.tolist())
            label = -1 if kind == "shift" else int(deprels[here.stack[-KINDS.index(kind)].token])
            gold = next(k for k, action in enumerate(plain) if (action.kind, action.label) == (kind, label))
            if len(system.legal(here)) > 1:
                steps.append((list(system.scores(here)), system.legal(here), gold))
            here = system.advance(here, gold)

    def likelihood(temperature: float) -> float:
        scale = model.weights.scale / temperature
        return sum(search.log_probabilities(scores, legal, scale)[gold] for scores, legal, gold in steps)

    return likelihood


@settings(max_examples=15)
@given(rich_treebanks(max_sentences=3, max_tokens=6, min_tokens=3), st.integers(0, 10_000))
def test_the_temperature_has_the_highest_likelihood(treebank: Treebank, seed: int) -> None:
    model = model_of(treebank, seed, 1_000, 1e-3, is_single_rooted(treebank))
    temperature = temperature_of(treebank, model.linear)
    likelihood = gold_likelihood(model, treebank)
    for other in (temperature * 1.2, temperature / 1.2):
        assert likelihood(temperature) >= likelihood(other) - 1e-5  # at the end of its range it need not be the best


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("svm", {}),
        ("sklearn.linear_model.RidgeClassifier", {}),
        ("sklearn.linear_model.SGDClassifier", {"loss": "modified_huber"}),  # its probabilities are no softmax
    ],
)
def test_a_max_margin_model_gets_a_temperature(name: str, options: dict[str, Any]) -> None:
    greedy = dataclasses.replace(SMALL, learner=name, options=options, search="greedy").train(TRAINING)
    beam = dataclasses.replace(SMALL, learner=name, options=options, search="beam").train(TRAINING)
    assert isinstance(greedy.guide, LinearGuide)
    assert isinstance(beam.guide, LinearGuide)
    assert beam.guide.packed.tolist() == greedy.guide.packed.tolist()  # what it says is best is what it was
    assert beam.guide.scale != greedy.guide.scale
    assert trees(beam.with_search("greedy", 1).parse(TEST)) == trees(greedy.parse(TEST))
    assert accuracy(TEST, beam.parse(TEST)) >= accuracy(TEST, greedy.parse(TEST)) - 0.01
    assert accuracy(TEST, beam.with_search("best-first", 3).parse(TEST)) >= accuracy(TEST, greedy.parse(TEST)) - 0.01


@pytest.mark.parametrize("n", [9, 10])
def test_fewer_than_ten_sentences_are_too_few_for_a_temperature_and_leave_the_scores_as_they_are(n: int) -> None:
    greedy = dataclasses.replace(SMALL, learner="svm", search="greedy").train(TRAINING[:n])
    beam = dataclasses.replace(SMALL, learner="svm", search="beam").train(TRAINING[:n])
    as_it_was = content(dataclasses.replace(beam, trainer=greedy.trainer).record()) == content(greedy.record())
    assert as_it_was == (n < 10)


def test_what_is_left_for_a_temperature_may_be_too_little() -> None:
    # Only with the tenth sentence are there two classes, or features that occur often enough.
    chains = [(["a", "b"], [0, 1], ["root", "x"])] * 9
    for last in ((["a", "b"], [0, 1], ["root", "y"]), (["a", "b", "c"], [0, 1, 1], ["root", "y", "y"])):
        treebank = Treebank.of([*chains, last])
        for cutoff in (1, 10):
            trainer = TransitionTrainer(learner="svm", search="beam", cutoff=cutoff, templates=("s0.form",))
            assert are_trees(trainer.train(treebank).parse(treebank)).all()


def test_actions_of_a_parser_are_those_of_its_treebank() -> None:
    parser = dataclasses.replace(SMALL, encoding="none").train(TEST)
    expected = actions_of(TEST, single_root=True)
    assert [column.tolist() for column in parser.actions[:4]] == [column.tolist() for column in expected[:4]]


def test_a_pickled_parser_has_weights_for_which_kernels_are_compiled_already() -> None:
    copy = pickle.loads(pickle.dumps(SMALL.train(TRAINING)))
    assert not copy.guide.weights.packed.flags.writeable
