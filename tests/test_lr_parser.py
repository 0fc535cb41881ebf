"""The LR parser as a whole: it learns, repeats itself, survives storage, and takes nothing on trust."""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.preprocessing import FunctionTransformer

from tests.reference import search
from tests.reference.random_model import Model, model_of
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.walks import rich_treebanks
from treevote import store
from treevote.errors import ConfigError, InputError, ModelError
from treevote.models.learners import skops_bytes
from treevote.models.learners.sgd_maxent import SGDMaxEnt
from treevote.models.transition import training
from treevote.models.transition.arc_standard import actions_of
from treevote.models.transition.calibration import temperature_of
from treevote.models.transition.guides import NEVER, ClassifierGuide, LinearGuide, is_linear
from treevote.models.transition.parser import MAX_WIDTH, TransitionParser, TransitionTrainer
from treevote.models.transition.weights import score
from treevote.models.transition.word_memo import WordMemo
from treevote.store import Record
from treevote.treebank import Treebank
from treevote.trees import are_trees, is_single_rooted, roots

TRAINING = toy_treebank(60, 1, crossing=True)
TEST = toy_treebank(40, 2)
FEW = ("s0.upos", "s1.upos", "q0.upos", "s0.upos+s1.upos", "s0.upos+s1.upos+q0.upos", "s0.form", "distance", "s0.rval")
SMALL = TransitionTrainer(templates=FEW, cutoff=1)


def accuracy(gold: Treebank, parse: Treebank) -> float:
    """Return the labelled attachment score over all tokens."""
    right = [
        head == own and label == other
        for ours, theirs in zip(gold.sentences(), parse.sentences(), strict=True)
        for head, own, label, other in zip(
            ours.heads[1:], theirs.heads[1:], ours.deprels[1:], theirs.deprels[1:], strict=True
        )
    ]
    return float(np.mean(right))


def trees(parse: Treebank) -> list[tuple[list[int], tuple[str, ...]]]:
    return [(sentence.heads.tolist(), sentence.deprels) for sentence in parse.sentences()]


# Learning.


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("learner", ["maxent", "svm"])
def test_a_parser_learns_the_toy_grammar(direction: Any, learner: str) -> None:
    parser = TransitionTrainer(direction=direction, learner=learner).train(TRAINING)
    parse = parser.parse(TEST)
    assert parser.single_root
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > 0.95
    assert parse.words is TEST.words


@pytest.mark.parametrize("encoding", ["path", "head", "head+path"])
def test_non_projective_trees_come_back(encoding: Any) -> None:
    gold = toy_treebank(12, 5, crossing=True)
    parse = dataclasses.replace(SMALL, encoding=encoding, templates="rich").train(TRAINING).parse(gold)
    plain = dataclasses.replace(SMALL, encoding="none", templates="rich").train(TRAINING).parse(gold)
    assert accuracy(gold, parse) > accuracy(gold, plain)
    assert not any(mark in label for label in parse.labels for mark in "↑↓") or encoding == "none"


@pytest.mark.parametrize("search_name", ["greedy", "beam", "best-first"])
def test_the_trees_of_the_input_are_not_looked_at(search_name: Any) -> None:
    parser = SMALL.train(TRAINING).with_search(search_name, 4)
    unknown = np.where(TEST.is_token, -1, TEST.heads).astype(np.int32)
    bare = TEST.with_trees(unknown, np.full_like(TEST.deprels, -1), ())
    assert trees(parser.parse(bare)) == trees(parser.parse(TEST))


def test_a_parser_does_not_depend_on_what_it_parsed_before() -> None:
    parser = SMALL.train(TRAINING)
    fresh = TransitionParser.from_record(parser.record())
    parser.parse(toy_treebank(5, 9))
    assert trees(parser.parse(TEST)) == trees(fresh.parse(TEST))
    forgetful = dataclasses.replace(parser, memo=WordMemo(parser.memo.lexicon, limit=3))
    assert trees(forgetful.parse(TEST)) == trees(parser.parse(TEST))
    for i in (7, 3, 3):
        one = TEST.select([i])
        assert trees(parser.parse(one)) == trees(parser.parse(TEST))[i : i + 1]


def test_threads_share_a_parser() -> None:
    parser = SMALL.train(TRAINING)
    parts = [TEST.select(range(first, first + 10)) for first in (0, 10, 20, 30)] * 3
    with ThreadPoolExecutor(4) as pool:
        found = [trees(parse) for parse in pool.map(parser.parse, parts)]
    assert [tree for part in found[:4] for tree in part] == trees(parser.parse(TEST))
    assert found[:4] == found[4:8] == found[8:]


def test_words_that_were_never_seen_and_sentences_without_tokens_are_parsed() -> None:
    parser = SMALL.train(TRAINING)
    parse = parser.parse(Treebank.of([(["ζ", "_", ""], [-1] * 3, ["_"] * 3), ([], [], []), (["x"], [-1], ["_"])]))
    assert are_trees(parse).all()
    assert parser.parse(Treebank.of([])).n_sentences == 0


def test_sentences_of_several_roots_are_learned() -> None:
    two = Treebank.of([(["a", "b", "c"], [0, 1, 0], ["root", "x", "root"]), (["a", "b"], [0, 1], ["root", "x"])] * 10)
    parser = TransitionTrainer(cutoff=1).train(two)
    assert not parser.single_root
    assert trees(parser.parse(two)) == trees(two)


def test_progress_is_told() -> None:
    calls: list[tuple[str, int, int]] = []
    SMALL.train(TRAINING, progress=lambda *call: calls.append(call))
    assert calls == [("training", done, 8) for done in range(1, 9)]


# Repeating.


@pytest.mark.parametrize(
    "trainer", [SMALL, dataclasses.replace(SMALL, learner="svm", direction="backward", search="best-first")]
)
def test_two_trainings_give_the_same_bytes(trainer: TransitionTrainer, tmp_path: Path) -> None:
    one, two = trainer.train(TRAINING, seed=3), trainer.train(TRAINING, seed=3)
    assert content(one.record()) == content(two.record())
    assert content(one.record()) != content(trainer.train(TRAINING, seed=4).record())
    store.save(one.record(), tmp_path / "one")
    store.save(two.record(), tmp_path / "two")
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


CHILD = """
import hashlib, sys
from tests.reference.toy_grammar import toy_treebank
from treevote import store
from treevote.models.transition.parser import TransitionParser

parse = TransitionParser.from_record(store.load(sys.argv[1])).parse(toy_treebank(40, 2))
print(hashlib.sha256(parse.heads.tobytes() + parse.deprels.tobytes() + repr(parse.labels).encode()).hexdigest())
"""


def test_a_fresh_process_parses_the_same(tmp_path: Path) -> None:
    parser = TransitionTrainer().train(TRAINING)
    store.save(parser.record(), tmp_path / "model")
    command = [sys.executable, "-c", CHILD, str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent)
    parse = parser.parse(TEST)
    digest = hashlib.sha256(parse.heads.tobytes() + parse.deprels.tobytes() + repr(parse.labels).encode())
    assert done.stdout.strip() == digest.hexdigest()


def test_a_parser_travels_between_processes_whole() -> None:
    parser = SMALL.train(TRAINING)
    parser.parse(TEST)
    copy = pickle.loads(pickle.dumps(parser))
    assert content(copy.record()) == content(parser.record())
    assert trees(copy.parse(TEST)) == trees(parser.parse(TEST))
    assert not copy.guide.weights.packed.flags.writeable  # the kernels are compiled for such an array already


# Any scikit-learn classifier.


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "sklearn.neural_network.MLPClassifier",
            {"hidden_layer_sizes": (12,), "max_iter": 60, "learning_rate_init": 0.01},
        ),
        ("sklearn.tree.DecisionTreeClassifier", {}),
        ("sklearn.svm.SVC", {"kernel": "poly", "degree": 2, "coef0": 1.0, "decision_function_shape": "ovr"}),
        ("sklearn.svm.SVC", {"kernel": "linear"}),
        ("sklearn.naive_bayes.BernoulliNB", {}),
        ("sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 1}),
        ("pairs-svm", {"epochs": 4}),
    ],
)
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_classifiers_that_are_not_linear(name: str, options: dict[str, Any]) -> None:
    parser = dataclasses.replace(SMALL, learner=name, options=options).train(TRAINING.select(range(30)))
    assert isinstance(parser.guide, ClassifierGuide)
    parse = parser.parse(TEST)
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > 0.8
    again = TransitionParser.from_record(parser.record())
    assert again.trainer == parser.trainer
    assert trees(again.parse(TEST)) == trees(parse)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sklearn.linear_model.LogisticRegression", {"max_iter": 300}),
        ("sklearn.svm.LinearSVC", {}),
        ("sklearn.linear_model.RidgeClassifier", {"fit_intercept": False}),
        ("maxent", {"epochs": 4}),
    ],
)
def test_in_lock_step_and_in_the_kernel_linear_models_parse_alike(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = dataclasses.replace(SMALL, learner=name, options=options, search="greedy", prune=0.0)
    inside = trainer.train(TRAINING)
    monkeypatch.setattr(training, "is_linear", lambda learner: False)
    asked = trainer.train(TRAINING)
    assert isinstance(inside.guide, LinearGuide)
    assert isinstance(asked.guide, ClassifierGuide)
    assert trees(inside.parse(TEST)) == trees(asked.parse(TEST))


def test_two_classes_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = Treebank.of(
        [(["a", "b", "c"], [0, 1, 1], ["root", "x", "x"]), (["a", "c", "b"], [0, 1, 2], ["root", "x", "x"])] * 9
    )
    for name in ("sklearn.linear_model.LogisticRegression", "maxent", "svm"):
        trainer = TransitionTrainer(learner=name, cutoff=1, search="greedy", prune=0.0)
        inside = trainer.train(chains)
        assert isinstance(inside.guide, LinearGuide)
        assert np.count_nonzero(inside.guide.bias > NEVER) == 2
        assert trees(inside.parse(chains)) == trees(chains)
        with monkeypatch.context() as patch:
            patch.setattr(training, "is_linear", lambda learner: False)
            assert trees(trainer.train(chains).parse(chains)) == trees(chains)


def test_many_batches_in_lock_step_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = dataclasses.replace(SMALL, learner="sklearn.naive_bayes.BernoulliNB").train(TRAINING)
    whole = trees(parser.parse(TEST))
    monkeypatch.setattr("treevote.models.transition.guides._BATCH", 7)
    assert trees(parser.parse(TEST)) == whole


def one_to_one(classes: list[int], n_features: int) -> Any:
    """Return a learner that was shown some classes only, and whose weights favour none of them."""
    learner: Any = SGDMaxEnt()
    learner.classes_ = np.array(classes)
    learner.coef_ = np.full((len(classes), n_features), -5.0, np.float32)
    learner.coef_[0] = -4
    learner.intercept_ = np.full(len(classes), -100.0, np.float32)
    learner.n_features_in_ = n_features
    return learner


@given(st.sets(st.integers(0, 7), min_size=2, max_size=7), st.lists(st.integers(0, 29), max_size=30))
def test_a_class_that_was_never_shown_is_never_predicted(shown: set[int], chosen: list[int]) -> None:
    keys = np.arange(1, 61, 2, dtype=np.uint64) << np.uint64(33)
    learner = one_to_one(sorted(shown), 30)
    never = sorted(set(range(8)) - shown)
    weights = LinearGuide.trained(learner, keys | np.uint64(1), 8, 0.0).weights
    scores = np.zeros(8, np.int32)
    score(weights, keys[chosen], len(chosen), np.zeros(30, np.int64), scores)
    assert scores[sorted(shown)].min() > scores[never].max(initial=-(1 << 31))
    row = csr_matrix(np.isin(np.arange(30), chosen)[None].astype(np.float32))
    asked = ClassifierGuide.of(learner, keys, 8).scores(row, 8)
    assert asked[0, sorted(shown)].min() > asked[0, never].max(initial=-np.inf)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"learner": "svn"}, "unknown learner 'svn'; did you mean 'svm'"),
        ({"learner": "sklearn.svm.SVM"}, "there is no class sklearn.svm.SVM"),
        ({"learner": "sklearn.nothing.SVC"}, "there is no class sklearn.nothing.SVC"),
        ({"learner": "sklearn.svm.libsvm"}, "there is no class sklearn.svm.libsvm|not a classifier"),
        ({"learner": "os.path.join"}, "unknown learner 'os.path.join'"),
        ({"learner": "sklearn.linear_model.LinearRegression"}, "is not a classifier"),
        ({"learner": "sklearn.multiclass.OneVsRestClassifier"}, "cannot be made from options alone"),
        ({"learner": "sklearn.naive_bayes.GaussianNB"}, "GaussianNB cannot learn to parse"),
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
        ({"margin": -0.1}, "margin should not be negative"),
        ({"margin": float("nan")}, "margin should not be negative"),
        ({"prune": 1.0}, "prune should be in"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(SMALL, **changes)


def test_a_classifier_that_scores_pairs_of_classes_is_refused() -> None:
    pairs = {"kernel": "poly", "decision_function_shape": "ovo"}
    with pytest.raises(ModelError, match="set its decision_function_shape to 'ovr'"):
        dataclasses.replace(SMALL, learner="sklearn.svm.SVC", options=pairs).train(TRAINING.select(range(10)))


# Little to learn from.


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
        (Treebank.of([]), "expected trees in the training data"),
        (Treebank.of([([], [], [])]), "expected trees in the training data"),
        (Treebank.of([(["a", "b"], [-1, -1], ["_", "_"])], name="plain.conllu"), "expected trees in plain.conllu"),
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


# Probabilities for max-margin learners.


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
    temperature = temperature_of(treebank, model.words, model.actions, model.table, model.weights)
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
    SMALL.train(TRAINING, progress=lambda name, done, total: calls.append(name))
    assert set(calls) == {"training"}
    dataclasses.replace(SMALL, learner="svm").train(TRAINING, progress=lambda name, done, total: calls.append(name))
    assert set(calls) == {"training", "calibrating"}


# Records that were not written by a parser.


VALID = SMALL.train(TRAINING.select(range(12))).record()

numbers = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 40)
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
arrays = st.builds(
    lambda values, dtype, shape: np.array(values, np.int64).astype(dtype).reshape(shape or (len(values),)),
    st.lists(numbers, max_size=30),
    st.sampled_from(["i2", "i4", "i8", "u8", "f4", "f8", "?"]),
    st.none(),
) | st.builds(lambda dtype: np.zeros((2, 2), dtype), st.sampled_from(["i2", "i4", "u8", "?"]))


@st.composite
def forged(draw: st.DrawFn) -> Record:
    """Records with some parts that do not belong."""
    facts: dict[str, Any] = dict(VALID.facts)
    parts: dict[str, Any] = dict(VALID.arrays)
    texts: dict[str, Any] = dict(VALID.texts)
    blobs: dict[str, bytes] = {}
    kind = VALID.kind
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.integers(0, 9)):
            case 0:
                parts[draw(st.sampled_from(sorted(VALID.arrays)))] = draw(arrays)
            case 1 | 2 | 3:  # one number of an array
                name = draw(st.sampled_from(sorted(VALID.arrays)))
                copy = np.array(VALID.arrays[name])
                place = draw(st.integers(0, len(copy) - 1))
                copy[place] = np.int64(draw(numbers)).astype(copy.dtype)
                parts[name] = copy
            case 4:  # an array of another length
                name = draw(st.sampled_from(sorted(VALID.arrays)))
                parts[name] = np.resize(VALID.arrays[name], draw(st.integers(0, len(VALID.arrays[name]) + 5)))
            case 5:
                facts[draw(st.sampled_from(sorted(VALID.facts)))] = draw(junk)
            case 6:
                own: Any = dict(_mapping(VALID.facts["trainer"]))
                own[draw(st.sampled_from(sorted(own)))] = draw(junk)
                facts["trainer"] = own
            case 7:
                texts[draw(st.sampled_from(sorted(VALID.texts)))] = draw(st.lists(st.text(max_size=4), max_size=6))
            case 8:
                place_of: dict[str, Any] = draw(st.sampled_from([facts, parts, texts]))
                place_of.pop(draw(st.sampled_from(sorted(place_of))))
            case _:
                blobs["classifier"] = draw(st.binary(max_size=20))
    return Record(kind, facts, parts, texts, blobs)


def _mapping(value: object) -> Mapping[str, Any]:
    assert isinstance(value, Mapping)
    return value


@settings(max_examples=300)
@given(forged())
def test_a_forged_record_is_refused_or_gives_trees(record: Record) -> None:
    try:
        parser = TransitionParser.from_record(record)
    except ModelError:
        return
    for search_name in ("greedy", "beam", "best-first"):
        parse = parser.with_search(search_name, 3).parse(TEST.select(range(4)))
        assert are_trees(parse).all()


@pytest.mark.parametrize(
    "change",
    [
        {"action_label": np.minimum(VALID.arrays["action_label"] * 100, 99).astype(np.int32)},
        {"action_label": -VALID.arrays["action_label"]},
        {"action_kind": np.zeros_like(VALID.arrays["action_kind"])},
        *({"action_kind": np.append(VALID.arrays["action_kind"][:-1], np.int32(kind))} for kind in (-1, 0, 3)),
        {name: VALID.arrays[name][:1] for name in ("action_kind", "action_label", "to_root", "to_token", "bias")},
        {name: VALID.arrays[name][:-1] for name in ("action_label", "to_root", "to_token")},
        *({name: VALID.arrays[name][:-1]} for name in ("action_kind", "action_label", "to_root", "to_token")),
        {"to_root": np.zeros(len(VALID.arrays["to_root"]), np.bool_)},
        {"to_token": np.zeros(len(VALID.arrays["to_token"]), np.bool_)},
        {"bias": np.zeros(2, np.int32)},
        {"bias": np.zeros(2, np.int32), "keys": np.zeros(0, np.uint64), "packed": np.zeros(0, np.int16)},
        {"bias": VALID.arrays["bias"].astype(np.int64)},
        {"packed": VALID.arrays["packed"][:-1]},
        {"packed": np.full_like(VALID.arrays["packed"], 32_767)},
        {"keys": VALID.arrays["keys"][:-1]},
        {"keys": VALID.arrays["keys"][None]},
    ],
)
def test_arrays_that_would_lead_kernels_astray_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="train it again"):
        TransitionParser.from_record(dataclasses.replace(VALID, arrays={**VALID.arrays, **change}))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan"), 1, "1", None])
def test_a_scale_is_a_positive_number(scale: Any) -> None:
    with pytest.raises(ModelError, match="its scores"):
        TransitionParser.from_record(dataclasses.replace(VALID, facts={**VALID.facts, "scale": scale}))


def test_a_record_of_another_kind_is_refused() -> None:
    with pytest.raises(ModelError, match="it is of kind ensemble"):
        TransitionParser.from_record(dataclasses.replace(VALID, kind="ensemble"))


TREE = (
    dataclasses.replace(SMALL, learner="sklearn.tree.DecisionTreeClassifier").train(TRAINING.select(range(8))).record()
)


class Strange:
    """A type that no model may hold."""


@pytest.mark.parametrize(
    ("forgery", "problem"),
    [
        (Strange(), "types that are not trusted: .*Strange"),
        (FunctionTransformer(func=subprocess.check_output), "types that are not trusted: subprocess.check_output"),
        (FunctionTransformer(func=dataclasses.replace), "types that are not trusted"),
        (FunctionTransformer(), "FunctionTransformer fails"),
        ({"classes_": [0, 1]}, "dict fails"),
        (one_to_one([0, 1], 3), "SGDMaxEnt fails"),  # trained on other columns
        (one_to_one([0, 1_000], len(TREE.arrays["keys"])), "does not fit its actions"),
        (one_to_one([-1, 1], len(TREE.arrays["keys"])), "does not fit its actions"),
    ],
)
def test_blobs_that_are_not_classifiers_of_ours_are_refused(forgery: object, problem: str) -> None:
    record = dataclasses.replace(TREE, blobs={"classifier": skops.io.dumps(forgery)})
    with pytest.raises(ModelError, match=problem):
        TransitionParser.from_record(record)


@settings(max_examples=25)
@given(st.data())
def test_a_damaged_blob_is_refused_or_parses(data: st.DataObject) -> None:
    blob = bytearray(TREE.blobs["classifier"])
    if data.draw(st.booleans()):
        del blob[data.draw(st.integers(0, len(blob) - 1)) :]
    else:
        blob[data.draw(st.integers(0, len(blob) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        parser = TransitionParser.from_record(dataclasses.replace(TREE, blobs={"classifier": bytes(blob)}))
    except ModelError:
        return
    assert are_trees(parser.parse(TEST.select(range(3)))).all()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("sklearn.tree._tree.Tree", True),
        ("scipy.sparse._csr.csr_matrix", True),
        ("treevote.models.learners.pairs.PairsSVM", True),
        ("treevote.models.learners.registry.importlib", False),
        ("treevote.models.learners.registry.make_learner", False),
        ("sklearn.tree.DecisionTreeClassifier", False),  # defined elsewhere: skops names the place of the definition
        ("sklearn.utils._testing.check_output", False),
        ("sklearn.tree._tree.Nothing", False),
        ("builtins.eval", False),
        ("os.system", False),
        ("sklearnish.Tree", False),
    ],
)
def test_only_classes_of_our_own_are_trusted(name: str, own: bool) -> None:
    assert skops_bytes.is_own_class(name) == own


def test_a_learner_with_weights_for_every_class_is_linear() -> None:
    learner = one_to_one([0, 2, 5], 4)
    assert is_linear(learner)
    learner.coef_ = learner.coef_[:2]
    assert not is_linear(learner)


def test_actions_of_a_parser_are_those_of_its_treebank() -> None:
    parser = dataclasses.replace(SMALL, encoding="none").train(TEST)
    expected = actions_of(TEST, single_root=True)
    assert [column.tolist() for column in parser.actions[:4]] == [column.tolist() for column in expected[:4]]
