"""The contract of settings: those out of range are one ConfigError, all others can be learned with."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest

from tests.contract.subjects import GRAPH, NETWORK, PIPELINE, RULES, STRUCTURED
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import SMALL, TEST, TRAINING, accuracy
from treevote.adaptation.guard import Guard
from treevote.adaptation.scheme import InstanceSelection, Scheme
from treevote.corpus.trees import roots
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import ConfigError
from treevote.models.parsers.decision_list.parser import DecisionListTrainer
from treevote.models.parsers.graph.parser import GraphTrainer
from treevote.models.parsers.pipeline.configuration import POLICIES
from treevote.models.parsers.pipeline.parser import PipelineTrainer
from treevote.models.parsers.transition.parser import TransitionTrainer
from treevote.models.text.tagging.classifier import ClassifierTrainer
from treevote.models.text.tokenization.tokenizer import TokenizerTrainer

NAN, INFINITY = float("nan"), float("inf")
ENCODINGS = ("path", "head", "head+path")


def variants(trainer: Any, **settings: Any) -> list[Any]:
    """Return a trainer for each combination of settings."""
    return [
        pytest.param(
            dataclasses.replace(trainer, **dict(zip(settings, values, strict=True))),
            id=f"{trainer.__class__.__name__}{values}",
        )
        for values in itertools.product(*settings.values())
    ]


@pytest.mark.parametrize(
    "trainer",
    [
        *variants(TransitionTrainer(), direction=("forward", "backward"), learner=("maxent", "svm")),
        *variants(TransitionTrainer(structured_epochs=2), direction=("forward", "backward"), width=(1, 4)),
        *variants(PipelineTrainer(cutoff=1), policy=POLICIES, wait_left=(True,), wait_right=(False, True)),
        *variants(PipelineTrainer(cutoff=1), policy=POLICIES, wait_left=(False,)),
        *variants(PIPELINE, learner=("maxent", "svm", "sklearn.linear_model.LogisticRegression")),
        *variants(
            GraphTrainer(bits=16, epochs=3, n_perceptrons=2),
            learner=("perceptron", "mira", "bpm"), order=(1, 2), decoder=("projective", "non-projective"),
        ),
        *variants(NETWORK, layers=(1, 2), decoder=("projective", "non-projective"), attributes=((), ("feats", "form"))),
        *variants(DecisionListTrainer(min_gain=1), links=("found",), repeats=(1,)),
        *variants(DecisionListTrainer(min_gain=1), links=("gold",), repeats=(2,)),
    ],
)  # fmt: skip
def test_every_setting_learns_the_toy_grammar(trainer: Any) -> None:
    parser = trainer.train(TRAINING)
    parse = parser.parse(TEST)
    assert parser.single_root
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > (0.9 if isinstance(trainer, DecisionListTrainer) else 0.95)


@pytest.mark.parametrize(
    "trainer",
    [
        *variants(dataclasses.replace(SMALL, templates="rich"), encoding=ENCODINGS),
        *variants(PipelineTrainer(cutoff=1), encoding=ENCODINGS),
        *variants(DecisionListTrainer(min_gain=1, weights=(1, 1, 2)), encoding=("path",)),
    ],
)
def test_encoded_labels_give_non_projective_trees(trainer: Any) -> None:
    gold = toy_treebank(12, 5, crossing=True)
    parse = trainer.train(TRAINING).parse(gold)
    assert accuracy(gold, parse) > accuracy(
        gold, dataclasses.replace(trainer, encoding="none").train(TRAINING).parse(gold)
    )
    assert not any(mark in label for label in parse.labels for mark in "↑↓")


@pytest.mark.parametrize(
    ("trainer", "changes", "problem"),
    [
        (SMALL, {"direction": "backwards"}, "unknown direction 'backwards'; did you mean 'backward'"),
        (SMALL, {"search": "beams"}, "unknown search 'beams'; did you mean 'beam'"),
        (SMALL, {"width": 0}, "width should be in 1..1000, found 0"),
        (SMALL, {"width": 1001}, "width should be in 1..1000, found 1001"),
        (SMALL, {"margin": -0.1}, r"margin should be in \[0, inf\)"),
        (SMALL, {"margin": NAN}, "margin: expected a number, found nan"),
        (SMALL, {"margin": INFINITY}, "margin: expected a number, found inf"),
        (SMALL, {"structured_epochs": -1}, "structured_epochs should be in 0..1000, found -1"),
        (SMALL, {"structured_epochs": 10**12}, "structured_epochs should be in 0..1000"),
        (PIPELINE, {"policy": "step"}, "unknown policy 'step'; did you mean 'step-back'"),
        (PIPELINE, {"confidence": "log-probabilty"}, "did you mean 'log-probability'"),
        (PIPELINE, {"depth": 0}, "depth should be in 1..4, found 0"),
        (PIPELINE, {"depth": 5}, "depth should be in 1..4, found 5"),
        (PIPELINE, {"rounds": 0}, "rounds should be in 1..1000, found 0"),
        (PIPELINE, {"rounds": 10**30}, "rounds: expected a number of at most 64 bits"),
        *((trainer, {"cutoff": 0}, "cutoff should be at least 1") for trainer in (SMALL, PIPELINE)),
        *((trainer, {"prune": 1.0}, "prune should be in") for trainer in (SMALL, PIPELINE)),
        *((trainer, {"prune": NAN}, "prune: expected a number") for trainer in (SMALL, PIPELINE)),
        (GRAPH, {"learner": "mria"}, "did you mean 'mira'"),
        (GRAPH, {"decoder": "eisner"}, "unknown decoder"),
        (GRAPH, {"order": 3}, "order: expected one of 1, 2, found 3"),
        (GRAPH, {"epochs": 0}, "epochs should be in 1..1000"),
        (GRAPH, {"n_perceptrons": 0}, "n_perceptrons should be in 1..1000, found 0"),
        (GRAPH, {"bits": 40}, "bits should be"),
        (GRAPH, {"max_heads": 0}, "max_heads should be in 1..100, found 0"),
        (GRAPH, {"C": 0.0}, r"C should be in \(0, inf\)"),
        (GRAPH, {"pruning_margin": NAN}, "pruning_margin: expected a number"),
        *((GRAPH, {name: -1.0}, f"{name} should be in 0..100") for name in ("pruning_margin", "proposal_margin")),
        (GRAPH, {"weight_threshold": 1.0}, r"weight_threshold should be in \[0, 1\)"),
        (GRAPH, {"attributes": ("uops",)}, "did you mean 'upos'"),
        (NETWORK, {"attributes": ("uops",)}, "unknown attribute 'uops'; did you mean 'upos'"),
        (NETWORK, {"passes": 0}, "passes should be in 1..1000, found 0"),
        (NETWORK, {"batch": 0}, "batch should be in 1..100000, found 0"),
        (NETWORK, {"rate": 0.0}, r"rate should be in \(0, inf\)"),
        (NETWORK, {"dropout": 1.0}, r"dropout should be in \[0, 1\)"),
        (NETWORK, {"word_dropout": -1.0}, "word_dropout should be in 0..1000"),
        (NETWORK, {"units": 10**9}, "units should be in 1..1000"),
        (NETWORK, {"layers": 0}, "layers should be in 1..10"),
        (NETWORK, {"decoder": "mst"}, "unknown decoder"),
        (RULES, {"attributes": ("upos", "lema")}, "unknown attribute 'lema'; did you mean 'lemma'"),
        (RULES, {"attributes": ()}, "attributes should be one or more"),
        (RULES, {"attributes": ("upos", "upos")}, "attributes should be one or more, each once"),
        (RULES, {"attributes": "all"}, "unknown attributes 'all'; known: "),
        (RULES, {"links": "golden"}, "unknown links 'golden'; did you mean 'gold'"),
        (RULES, {"encoding": "paths"}, "unknown encoding 'paths'; did you mean 'path'"),
        (RULES, {"weights": ()}, "weights should be of 1 to 100 passes, found 0"),
        (RULES, {"weights": (1, 0)}, r"weights\[1\] should be in 1..100, found 0"),
        (RULES, {"suffixes": 5}, "suffixes should be in 1..4, found 5"),
        (RULES, {"context": -1}, "context should be in 0..9, found -1"),
        (RULES, {"repeats": 0}, "repeats should be in 1..100, found 0"),
        (RULES, {"folds": 0}, "folds should be in 1..100, found 0"),
        (RULES, {"min_gain": 0}, "min_gain should be in 1"),
        (RULES, {"max_rules": 0}, "max_rules should be in 1"),
        (RULES, {"max_length": 0}, "max_length should be in 1"),
        (RULES, {"free_length": 3}, "free_length should be in 1..2, found 3"),
    ],
    ids=lambda value: type(value).__name__ if dataclasses.is_dataclass(value) else None,
)  # fmt: skip
def test_a_setting_out_of_range_is_refused(trainer: Any, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(trainer, **changes)


SETTINGS = (
    *(SMALL, PIPELINE, GRAPH, NETWORK, RULES, EnsembleTrainer({}), AnnotatorTrainer(), TokenizerTrainer()),
    *(ClassifierTrainer(templates=("form",)), Scheme(), Guard(), InstanceSelection()),
)
"""One of each class of settings."""


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.__class__.__name__)
def test_a_value_of_another_type_is_refused(settings: Any) -> None:
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if isinstance(value, int) and not isinstance(value, bool):
            others: tuple[Any, ...] = (value + 0.5, float(value), str(value), True, None, [value])
        elif isinstance(value, float):
            others = (str(value), True, None, NAN, [value])
        elif isinstance(value, bool | str):
            others = (1, 1.0, b"", None)
        else:
            continue
        for other in others:
            with pytest.raises(ConfigError, match=rf"^(unknown )?{field.name}\b"):
                dataclasses.replace(settings, **{field.name: other})


def test_numbers_of_numpy_and_lists_are_settings() -> None:
    trainer = TransitionTrainer(width=np.int64(4), margin=np.float64(2), templates=["s0.form"])  # type: ignore[arg-type]
    same = TransitionTrainer(width=4, margin=2.0, templates=("s0.form",))
    assert repr(trainer) == repr(same)


@pytest.mark.parametrize(
    ("trainer", "changes", "problem"),
    [
        (SMALL, {"learner": "svn"}, "unknown learner 'svn'; did you mean 'svm'"),
        (SMALL, {"learner": "sklearn.svm.Linear SVC"}, "did you mean 'sklearn.svm.LinearSVC'"),
        (SMALL, {"learner": "svn" * 100_000}, "^unknown learner '.{201}'; known: "),
        (SMALL, {"learner": "os.path.join"}, "unknown learner 'os.path.join'"),
        (SMALL, {"options": {"epoch": 3}}, "unknown option of maxent 'epoch'; did you mean 'epochs'"),
        (SMALL, {"options": {"epochs": 0}}, "epochs should be at least 1"),
        (SMALL, {"options": {"epochs": "many"}}, "options.epochs: expected a whole number, found 'many'"),
        (SMALL, {"options": {"rate": 0.0}}, "rate should be a positive number, found 0.0"),
        (SMALL, {"options": {"rate": NAN}}, "options.rate: expected a number, found nan"),
        (SMALL, {"options": {"rate": 1e39}}, "not finite numbers; let it take smaller steps"),
        (STRUCTURED, {"options": {"rate": 1e39}}, "not finite numbers; let it take smaller steps"),
        (STRUCTURED, {"learner": "pairs-svm"}, "structured training needs a linear learner, pairs-svm is not; choose"),
        (SMALL, {"learner": "svm", "options": {"C": -1.0}}, "C should be a positive number, found -1.0"),
        (SMALL, {"learner": "sklearn.svm.LinearSVC", "options": {"C": -1.0}}, "LinearSVC cannot learn to parse"),
        (SMALL, {"templates": ("s0.frm",)}, "template 's0.frm'"),
        (SMALL, {"templates": "ritch"}, "unknown template set"),
        (SMALL, {"templates": ()}, "expected 1 to"),
        (PIPELINE, {"learner": "perceptrn"}, "unknown learner 'perceptrn'; did you mean 'perceptron'"),
        (PIPELINE, {"options": {"thick": 1.0}}, "unknown option of perceptron 'thick'; did you mean 'thickness'"),
        (PIPELINE, {"options": {"rate": -1.0}}, "rate should be a positive number"),
        (PIPELINE, {"templates": "rihc"}, "unknown template set 'rihc'; did you mean 'rich'"),
        (PIPELINE, {"templates": ("s0.deprel",)}, "labels are not known"),
        (PIPELINE, {"learner": "pairs-svm"}, "needs a linear learner, pairs-svm is not; choose another"),
        (NETWORK, {"rate": 1e30}, "not finite numbers; let it take smaller steps"),
        (GRAPH, {"attributes": ("labels",)}, r"have form, .*, found \['labels'\]: they leave no template; add some"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_a_setting_that_cannot_be_trained_is_refused(trainer: Any, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        dataclasses.replace(trainer, **changes).train(TRAINING.select(range(20)))
