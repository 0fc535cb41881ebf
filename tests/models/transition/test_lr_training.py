"""Training: what cannot be trained is told, the smallest treebanks are no trouble, margins become probabilities."""

from __future__ import annotations

import dataclasses
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
from treevote.corpus.trees import are_trees, is_single_rooted, roots
from treevote.errors import ConfigError, InputError
from treevote.models.features.linear_guide import LinearGuide
from treevote.models.transition.calibration import temperature_of
from treevote.models.transition.parser import MAX_WIDTH, TransitionParser, TransitionTrainer
from treevote.parallel import Jobs


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"learner": "svn"}, "unknown learner 'svn'; did you mean 'svm'"),
        ({"learner": "sklearn.svm.SVM"}, "there is no class sklearn.svm.SVM"),
        ({"learner": "sklearn.nothing.SVC"}, "there is no class sklearn.nothing.SVC"),
        ({"learner": "sklearn.svm.libsvm"}, "there is no class sklearn.svm.libsvm|not a classifier"),
        ({"learner": "sklearn" + ".a" * 2000}, "is no dotted name; check it"),
        ({"learner": "sklearn..SVC"}, "is no dotted name"),
        ({"learner": "sklearn."}, "is no dotted name"),
        ({"learner": "sklearn.svm.Linear SVC"}, "is no dotted name"),
        ({"learner": "sklearn.\x00.SVC"}, "is no dotted name"),
        ({"learner": "svn" * 100_000}, "^unknown learner '.{201}'; did you mean"),
        ({"learner": "os.path.join"}, "unknown learner 'os.path.join'"),
        ({"learner": "sklearn.linear_model.LinearRegression"}, "is not a classifier"),
        ({"learner": "sklearn.multiclass.OneVsRestClassifier"}, "cannot be made from options alone"),
        (
            {"learner": "sklearn.naive_bayes.GaussianNB"},
            "a model cannot hold a sklearn.naive_bayes.GaussianNB; choose",
        ),
        ({"options": {"epoch": 3}}, "unknown option of maxent 'epoch'; did you mean 'epochs'"),
        ({"options": {"epochs": 0}}, "epochs should be at least 1"),
        ({"options": {"epochs": "many"}}, "SGDMaxEnt cannot learn to parse"),
        ({"options": {"rate": 0.0}}, "rate should be a positive number, found 0.0"),
        ({"options": {"rate": float("nan")}}, "rate should be a positive number, found nan"),
        ({"options": {"rate": 1e39}}, "not finite numbers; let it take smaller steps"),
        ({"learner": "svm", "options": {"C": -1.0}}, "C should be a positive number, found -1.0"),
        ({"learner": "sklearn.svm.LinearSVC", "options": {"C": -1.0}}, "LinearSVC cannot learn to parse"),
        ({"templates": ("s0.frm",)}, "template 's0.frm'"),
        ({"templates": "ritch"}, "unknown template set"),
        ({"templates": ()}, "expected 1 to"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_what_cannot_be_trained_is_told(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(SMALL, **changes).train(TRAINING.select(range(20)))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"direction": "backwards"}, "unknown direction 'backwards'; did you mean 'backward'"),
        ({"search": "beams"}, "unknown search 'beams'; did you mean 'beam'"),
        ({"width": 0}, f"width should be in 1..{MAX_WIDTH}, found 0"),
        ({"width": 10**12}, "width should be in"),
        ({"cutoff": 0}, "cutoff should be at least 1"),
        ({"margin": -0.1}, r"margin should be in \[0, inf\), found -0.1"),
        ({"margin": float("nan")}, "margin should be in"),
        ({"margin": float("inf")}, "margin should be in"),
        ({"encoding": "paths"}, "unknown encoding 'paths'; did you mean 'path'"),
        ({"prune": 1.0}, "prune should be in"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(SMALL, **changes)


@pytest.mark.parametrize("learner", ["maxent", "svm", "sklearn.tree.DecisionTreeClassifier"])
@pytest.mark.parametrize(
    "sentences",
    [
        [(["a"], [0], ["root"])],
        [(["a"], [0], ["root"])] * 20,
        [(["a", "b"], [2, 0], ["x", "root"])] * 20,
        [(["a", "b"], [0, 0], ["root", "root"])] * 20,
        [(["a", "b", "c"], [2, 0, 2], ["x", "x", "x"])],  # one label
        [(list("abcd"), [3, 0, 2, 1], ["x", "root", "y", "z"])] * 4,  # none is projective
    ],
)
def test_the_smallest_treebanks_give_parsers_that_work(learner: str, sentences: Any) -> None:
    treebank = Treebank.of(sentences)
    parser = TransitionTrainer(learner=learner, cutoff=1).train(treebank)
    assert trees(parser.parse(treebank)) == trees(treebank) or len(sentences) == 4
    again = TransitionParser.from_record(parser.record())
    long = Treebank.of([(["a", "b", "q", "a", "b"], [-1] * 5, ["_"] * 5)])
    parse = again.parse(long)
    assert are_trees(parse).all()
    assert not is_single_rooted(treebank) or (roots(parse) == 1).all()
    assert trees(parse) == trees(parser.parse(long))


@pytest.mark.parametrize(
    ("treebank", "problem"),
    [
        (Treebank.of([]), "expected trees to learn from"),
        (Treebank.of([([], [], [])]), "expected trees to learn from"),
        (
            Treebank.of([(["a", "b"], [-1, -1], ["_", "_"])], name="plain.conllu"),
            "found sentences without heads; give a labelled",
        ),
        (Treebank.of([(["a", "b"], [2, 1], ["x", "y"])], name="bad"), "bad, sentence 1: expected a tree"),
        (
            Treebank.of([(["a", "b", "c"], [2, 0, 2], ["x", "root", "y"])], name="tiny"),
            "tiny: expected features that occur 3 times, found none; give more sentences, or choose a lower cutoff",
        ),
    ],
)
def test_what_nothing_can_be_learned_from_is_told(treebank: Treebank, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        TransitionTrainer(templates=("s0.form", "q0.form")).train(treebank)


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


@pytest.mark.parametrize("name", ["svm", "sklearn.linear_model.RidgeClassifier"])
def test_a_max_margin_model_gets_a_temperature(name: str) -> None:
    greedy = dataclasses.replace(SMALL, learner=name, search="greedy").train(TRAINING)
    beam = dataclasses.replace(SMALL, learner=name, search="beam").train(TRAINING)
    assert isinstance(greedy.guide, LinearGuide)
    assert isinstance(beam.guide, LinearGuide)
    assert beam.guide.packed.tolist() == greedy.guide.packed.tolist()  # what it says is best is what it was
    assert beam.guide.scale != greedy.guide.scale
    assert trees(beam.with_search("greedy", 1).parse(TEST)) == trees(greedy.parse(TEST))
    assert accuracy(TEST, beam.parse(TEST)) >= accuracy(TEST, greedy.parse(TEST)) - 0.01
    assert accuracy(TEST, beam.with_search("best-first", 3).parse(TEST)) >= accuracy(TEST, greedy.parse(TEST)) - 0.01


def test_too_few_sentences_for_a_temperature_leave_the_scores_as_they_are() -> None:
    few = TRAINING.select(range(9))
    greedy = dataclasses.replace(SMALL, learner="svm", search="greedy").train(few)
    beam = dataclasses.replace(SMALL, learner="svm", search="beam").train(few)
    assert content(dataclasses.replace(beam, trainer=greedy.trainer).record()) == content(greedy.record())


def test_what_is_left_for_a_temperature_may_be_too_little() -> None:
    # Only with the tenth sentence are there two classes, or features that occur often enough.
    chains = [(["a", "b"], [0, 1], ["root", "x"])] * 9
    for last in ((["a", "b"], [0, 1], ["root", "y"]), (["a", "b", "c"], [0, 1, 1], ["root", "y", "y"])):
        treebank = Treebank.of([*chains, last])
        for cutoff in (1, 10):
            trainer = TransitionTrainer(learner="svm", search="beam", cutoff=cutoff, templates=("s0.form",))
            assert are_trees(trainer.train(treebank).parse(treebank)).all()


def test_a_learner_with_probabilities_needs_no_temperature() -> None:
    calls: list[str] = []
    SMALL.train(TRAINING, jobs=Jobs(progress=lambda name, done, total: calls.append(name)))
    assert set(calls) == {"training"}
    dataclasses.replace(SMALL, learner="svm").train(
        TRAINING, jobs=Jobs(progress=lambda name, done, total: calls.append(name))
    )
    assert set(calls) == {"training", "calibrating"}
