"""The ensemble: members do not mind company, jobs do not matter, and a vote of one is that one."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import trees
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import roots
from treevote.ensemble.members import DEFAULT_MEMBERS, known_members, members_of
from treevote.ensemble.parser import EnsembleParser, configuration, load, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError, ModelError
from treevote.evaluation.counts import evaluate
from treevote.models.transition.parser import TransitionTrainer
from treevote.parallel import Jobs
from treevote.store import folder as store

TRAINING = toy_treebank(40, 1, crossing=True)
DEV = toy_treebank(20, 2)
TEST = toy_treebank(20, 3)
SMALL = TransitionTrainer(templates=("s0.upos", "s1.upos", "s0.form", "s0.upos+s1.upos", "q0.upos"), cutoff=1)
TRAINERS = {
    "forward": SMALL,
    "backward": dataclasses.replace(SMALL, direction="backward"),
    "margin": dataclasses.replace(SMALL, learner="svm", search="greedy"),
}


ENSEMBLE = EnsembleTrainer(TRAINERS).train(TRAINING, DEV, seed=5)


@pytest.mark.parametrize("backend", [None, "threading"])
def test_jobs_do_not_change_the_ensemble(backend: str | None) -> None:
    parallel = EnsembleTrainer(TRAINERS).train(TRAINING, DEV, seed=5, jobs=Jobs(2, backend))
    assert content(parallel.record()) == content(ENSEMBLE.record())
    assert trees(parallel.parse(TEST)) == trees(ENSEMBLE.parse(TEST))


def test_a_member_is_the_same_alone_and_beside_others() -> None:
    for name, trainer in TRAINERS.items():
        alone = EnsembleTrainer({name: trainer}).train(TRAINING, seed=5)
        assert content(alone.members[name].record()) == content(ENSEMBLE.members[name].record())


def test_members_of_other_names_and_seeds_differ() -> None:
    twins = EnsembleTrainer({"one": SMALL, "two": SMALL}).train(TRAINING, seed=5)
    assert content(twins.members["one"].record()) != content(twins.members["two"].record())
    other = EnsembleTrainer({"one": SMALL}).train(TRAINING, seed=6)
    assert content(twins.members["one"].record()) != content(other.members["one"].record())


def test_a_vote_of_one_member_is_that_member() -> None:
    alone = EnsembleTrainer({"forward": SMALL}).train(TRAINING, seed=5)
    parse = alone.parse(TEST)
    assert trees(parse) == trees(ENSEMBLE.members["forward"].parse(TEST))
    assert parse.support is not None
    assert (parse.support[parse.is_token] == 1).all()


def test_the_ensemble_is_the_vote_of_its_members() -> None:
    parses = ENSEMBLE.parse_members(TEST)
    assert list(parses) == list(TRAINERS)
    for name, parse in parses.items():
        assert trees(parse) == trees(ENSEMBLE.members[name].parse(TEST))
    expected = vote(list(parses.values()), ENSEMBLE.weights, single_root=True)
    parse = ENSEMBLE.parse(TEST)
    assert ENSEMBLE.single_root
    assert trees(parse) == trees(ENSEMBLE.combine(parses)) == trees(expected)
    assert (roots(parse) == 1).all()


def test_members_share_the_words_that_they_met() -> None:
    members: dict[str, Any] = ENSEMBLE.members
    assert len({id(member.memo) for member in members.values()}) == 1
    other: Any = EnsembleTrainer({"forward": SMALL}).train(DEV).members["forward"]
    mixed = EnsembleParser({"forward": members["forward"], "other": other}, Weights.equal(2), {})
    held: dict[str, Any] = mixed.members
    assert held["other"].memo.lexicon == other.memo.lexicon
    assert held["other"].memo is not held["forward"].memo
    assert trees(mixed.parse_members(TEST)["other"]) == trees(other.parse(TEST))


def test_fall_backs_of_all_members_are_counted() -> None:
    # All sentences are of one word again and again: search has nothing to go by.
    heads = [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 6]
    flat = Treebank.of([(["w"] * 12, heads, list("uvwxyzuvwxyz"))] * 3)
    options = {"epochs": 1, "rate": 1e-6}
    trained = TransitionTrainer(search="best-first", templates=("s0.form",), options=options).train(flat)
    counted = [trained.parse_counted(flat)[1], 0]
    ensemble = EnsembleParser({"a": trained, "b": trained.with_search("greedy", 1)}, Weights.equal(2), {})
    assert counted[0] > 0
    assert ensemble.parse_counted(flat)[1] == sum(counted)


@pytest.mark.parametrize("weights", ["equal", "accuracy", "pos"])
def test_weights_and_scores_are_measured_on_the_development_set(weights: Any) -> None:
    ensemble = EnsembleTrainer(TRAINERS, weights).train(TRAINING, DEV, seed=5)
    parses = ENSEMBLE.parse_members(DEV)
    expected = {
        "equal": lambda: Weights.equal(3),
        "accuracy": lambda: Weights.by_accuracy(DEV, list(parses.values())),
        "pos": lambda: Weights.by_pos(DEV, list(parses.values())),
    }[weights]()
    assert ensemble.weights.to_json() == expected.to_json()
    scores: Any = ensemble.facts["scores"]
    assert list(scores) == [*TRAINERS, "vote"]
    for name, parse in {**parses, "vote": ensemble.parse(DEV)}.items():
        counts = evaluate(DEV, parse)
        assert scores[name] == {"las": round(counts.las, 2), "uas": round(counts.uas, 2)}
    facts: Any = ensemble.facts
    assert facts["training"]["tokens"] == TRAINING.n_tokens
    assert facts["training"]["sha256"] != facts["development"]["sha256"]


def test_an_ensemble_comes_back_from_its_folder(tmp_path: Path) -> None:
    save(ENSEMBLE, tmp_path / "model")
    again = load(tmp_path / "model")
    assert content(again.record()) == content(ENSEMBLE.record())
    parse, expected = again.parse(TEST), ENSEMBLE.parse(TEST)
    assert trees(parse) == trees(expected)
    assert parse.support is not None
    assert expected.support is not None
    assert np.array_equal(parse.support, expected.support)
    assert configuration(again) == configuration(ENSEMBLE)
    for name, member in again.members.items():
        assert member.trainer == TRAINERS[name]
    assert content(pickle.loads(pickle.dumps(again)).record()) == content(ENSEMBLE.record())


def test_progress_names_the_members() -> None:
    calls = set()
    EnsembleTrainer(TRAINERS).train(TRAINING, jobs=Jobs(progress=lambda name, done, total: calls.add(name)))
    assert calls == set(TRAINERS)


@pytest.mark.parametrize(
    ("trainer", "options", "problem"),
    [
        (EnsembleTrainer({}), {}, "an ensemble needs at least one member"),
        (EnsembleTrainer(TRAINERS, "pos"), {}, "weights by pos are measured on a development set; give one"),
        (EnsembleTrainer(TRAINERS, select=True), {}, "members are chosen on a development set; give one, or a number"),
        (EnsembleTrainer(TRAINERS, folds=30), {}, "30 folds need 60 sentences, found 40; choose fewer"),
        (EnsembleTrainer(TRAINERS), {"seed": -1}, "the seed should not be negative, found -1"),
        (EnsembleTrainer(TRAINERS), {"jobs": Jobs(2, "nothing")}, "joblib cannot run 2 jobs"),
    ],
)
def test_what_cannot_be_trained_is_told(trainer: EnsembleTrainer, options: Any, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        trainer.train(TRAINING, **options)


def test_the_members_that_vote_best_are_chosen_and_the_rest_is_gone() -> None:
    ensemble = EnsembleTrainer(TRAINERS, select=True).train(TRAINING, DEV, seed=5)
    facts: Any = ensemble.facts
    assert tuple(ensemble.members) == tuple(facts["selection"]["members"])
    assert ensemble.weights.kind == facts["weights"]
    assert facts["diversity"]["names"] == list(TRAINERS)
    assert facts["scores"]["vote"]["las"] == facts["selection"]["las"]
    for name, member in ensemble.members.items():
        assert content(member.record()) == content(ENSEMBLE.members[name].record())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_folds_stand_in_for_a_development_set(n_jobs: int) -> None:
    ensemble = EnsembleTrainer(TRAINERS, "accuracy", folds=3).train(TRAINING, seed=5, jobs=Jobs(n_jobs))
    for name, member in ensemble.members.items():
        assert content(member.record()) == content(ENSEMBLE.members[name].record())
    gold = [TRAINING.select(np.flatnonzero(np.arange(40) % 3 == fold)) for fold in range(3)]
    rest = [TRAINING.select(np.flatnonzero(np.arange(40) % 3 != fold)) for fold in range(3)]
    hits = sum(
        evaluate(part, EnsembleTrainer({"forward": SMALL}).train(train, seed=5).members["forward"].parse(part)).arcs
        for part, train in zip(gold, rest, strict=True)
    )
    facts: Any = ensemble.facts
    assert facts["scores"]["forward"]["las"] == round(100 * hits / TRAINING.n_tokens, 2)
    assert facts["folds"] == 3
    assert ensemble.confidence is not None


def test_a_vote_knows_its_confidence_if_there_was_something_to_measure_on() -> None:
    parse = ENSEMBLE.parse(TEST)
    assert parse.confidence is not None
    assert parse.label_confidence is not None
    assert (parse.confidence[parse.is_token] > 0).all()
    assert EnsembleTrainer(TRAINERS).train(TRAINING).parse(TEST).confidence is None


def test_weights_of_another_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown weights 'post'; did you mean 'pos'"):
        EnsembleTrainer(TRAINERS, "post")  # type: ignore[arg-type]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_error_of_a_member_comes_through(n_jobs: int) -> None:
    with pytest.raises(InputError, match="toy, sentence 1: expected a tree"):
        EnsembleTrainer(TRAINERS).train(
            Treebank.of([(["a", "b"], [2, 1], ["x", "y"])], name="toy"), jobs=Jobs(n_jobs, "threading")
        )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kind": "lr-parser"}, "expected a model of kind 'ensemble', found 'lr-parser'"),
        ({"parts": {}}, "weights for other members"),
        ({"parts": {"inner": ENSEMBLE.record()}}, "expected a member of kind .*, found 'ensemble'"),
        (
            {"parts": {**ENSEMBLE.record().parts, "confidence": SMALL.train(TRAINING).record()}},
            "its confidence cannot be read",
        ),
        ({"facts": {}}, "has no weights for the vote"),
        ({"facts": {"votes": {}}}, "vote|weights"),
        ({"facts": {"votes": Weights.equal(2).to_json()}}, "weights for other members"),
    ],
)
def test_a_forged_record_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        EnsembleParser.from_record(dataclasses.replace(ENSEMBLE.record(), **changes))


def test_a_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    store.save(ENSEMBLE.members["forward"].record(), tmp_path / "model")
    with pytest.raises(ModelError, match="found 'lr-parser'"):
        load(tmp_path / "model")


def test_members_have_names() -> None:
    assert list(members_of(["lr-svm-backward", "lr-maxent-forward"])) == ["lr-svm-backward", "lr-maxent-forward"]
    assert set(DEFAULT_MEMBERS) <= set(known_members())
    with pytest.raises(ConfigError, match="unknown member 'lr-maxent-foward'; did you mean 'lr-maxent-forward'"):
        members_of(["lr-maxent-foward"])
