"""The ensemble: members are the same alone and beside others, and a vote of one is that one."""

from __future__ import annotations

import dataclasses
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import trees
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted, roots
from treevote.ensemble.candidate_model import CandidateModel
from treevote.ensemble.candidates import MAX_SYSTEMS
from treevote.ensemble.judge import Judge
from treevote.ensemble.members import DEFAULT_MEMBERS, known_members, members_of
from treevote.ensemble.parser import EnsembleParser, configuration, load, load_member, save
from treevote.ensemble.selection import LARGEST, cross_fitted
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError, ModelError
from treevote.evaluation.counts import evaluate
from treevote.models.parsers.transition.parser import TransitionTrainer
from treevote.parallel import Jobs
from treevote.store import folder as store
from treevote.store.record import Record

TRAINING = toy_treebank(40, 1, crossing=True)
DEV = toy_treebank(20, 2)
TEST = toy_treebank(20, 3)
SMALL = TransitionTrainer(templates=("s0.upos", "s1.upos", "s0.form", "s0.upos+s1.upos", "q0.upos"), cutoff=1)
TRAINERS = {
    "forward": SMALL,
    "backward": dataclasses.replace(SMALL, direction="backward"),
    "margin": dataclasses.replace(SMALL, learner="svm", search="greedy"),
}


@pytest.fixture(scope="module")
def ensemble() -> EnsembleParser:
    """Return an ensemble of three members."""
    return EnsembleTrainer(TRAINERS).train(TRAINING, DEV, seed=5)


def test_a_member_is_the_same_alone_and_beside_others(ensemble: EnsembleParser) -> None:
    for name, trainer in TRAINERS.items():
        alone = EnsembleTrainer({name: trainer}).train(TRAINING, seed=5)
        assert content(alone.members[name].record()) == content(ensemble.members[name].record())


def test_the_seed_of_a_member_is_made_of_its_name() -> None:
    (found,) = EnsembleTrainer({"one": SMALL}).train(TRAINING, seed=3).members.values()
    seed = int(np.random.default_rng([3, zlib.crc32(b"one")]).integers(2**31))
    assert content(found.record()) == content(SMALL.train(TRAINING, seed=seed).record())


def test_members_of_other_names_and_seeds_differ() -> None:
    twins = EnsembleTrainer({"one": SMALL, "two": SMALL}).train(TRAINING, seed=5)
    assert content(twins.members["one"].record()) != content(twins.members["two"].record())
    other = EnsembleTrainer({"one": SMALL}).train(TRAINING, seed=6)
    assert content(twins.members["one"].record()) != content(other.members["one"].record())


def test_a_vote_of_one_member_is_that_member(ensemble: EnsembleParser) -> None:
    alone = EnsembleTrainer({"forward": SMALL}).train(TRAINING, seed=5)
    parse = alone.parse(TEST)
    assert trees(parse) == trees(ensemble.members["forward"].parse(TEST))
    assert parse.support is not None
    assert (parse.support[parse.is_token] == 1).all()


def test_the_ensemble_is_the_vote_of_its_members(ensemble: EnsembleParser) -> None:
    parses = ensemble.parse_members(TEST)
    assert list(parses) == list(TRAINERS)
    for name, parse in parses.items():
        assert trees(parse) == trees(ensemble.members[name].parse(TEST))
    assert isinstance(ensemble.judge.weights, Weights)
    expected = vote(list(parses.values()), ensemble.judge.weights, single_root=True)
    parse = ensemble.parse(TEST)
    assert ensemble.single_root
    assert trees(parse) == trees(ensemble.combine(parses)) == trees(expected)
    assert (roots(parse) == 1).all()


def test_members_share_the_words_that_they_met(ensemble: EnsembleParser) -> None:
    members: dict[str, Any] = ensemble.members
    assert len({id(member.memo) for member in members.values()}) == 1
    other: Any = EnsembleTrainer({"forward": SMALL}).train(DEV).members["forward"]
    mixed = EnsembleParser({"forward": members["forward"], "other": other}, Judge(Weights.equal(2)), {})
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
    own = EnsembleParser({"a": trained, "b": trained.with_search("greedy", 1)}, Judge(Weights.equal(2)), {})
    assert counted[0] > 0
    assert own.parse_counted(flat)[1] == sum(counted)


@pytest.mark.parametrize("weights", ["equal", "accuracy", "pos"])
def test_weights_and_scores_are_measured_on_the_development_set(ensemble: EnsembleParser, weights: Any) -> None:
    own = EnsembleTrainer(TRAINERS, weights).train(TRAINING, DEV, seed=5)
    parses = ensemble.parse_members(DEV)
    expected = {
        "equal": lambda: Weights.equal(3),
        "accuracy": lambda: Weights.by_accuracy(DEV, list(parses.values())),
        "pos": lambda: Weights.by_pos(DEV, list(parses.values())),
    }[weights]()
    assert isinstance(own.judge.weights, Weights)
    assert own.judge.weights.to_json() == expected.to_json()
    scores: Any = own.facts["scores"]
    assert list(scores) == [*TRAINERS, "vote"]
    voted = cross_fitted(weights, DEV, list(parses.values()), single_root=is_single_rooted(TRAINING))
    for name, parse in {**parses, "vote": voted}.items():
        counts = evaluate(DEV, parse)
        assert scores[name] == {"las": round(counts.las, 2), "uas": round(counts.uas, 2)}
    facts: Any = own.facts
    assert facts["training"]["tokens"] == TRAINING.n_tokens
    assert facts["training"]["sha256"] != facts["development"]["sha256"]


@pytest.mark.parametrize("dev", [DEV, None])
def test_a_learned_vote_is_part_of_the_model(dev: Treebank | None, tmp_path: Path) -> None:
    trainer = EnsembleTrainer(TRAINERS, "learned", folds=0 if dev else 2)
    own, beside = (trainer.train(TRAINING, dev, seed=5, jobs=Jobs(n_jobs, "threading")) for n_jobs in (1, 2))
    assert content(own.record()) == content(beside.record())
    assert own.judge.kind == "learned"
    assert own.judge.model is not None
    assert own.trees_alone.judge is own.judge
    parse, parses = own.parse(TEST), own.parse_members(TEST)
    backwards = dict(reversed(parses.items()))
    assert trees(parse) == trees(own.combine(backwards))
    assert trees(parse) == trees(own.judge.model.of(list(parses.values())).vote(single_root=True))
    facts: Any = own.facts
    assert facts["weights"] == "learned"
    assert list(facts["scores"]) == [*TRAINERS, "vote"]
    assert list(facts["reliability"]) == ["arc", "label"]
    save(own, tmp_path / "model")
    again = load(tmp_path / "model")
    assert content(again.record()) == content(own.record())
    assert trees(again.parse(TEST)) == trees(parse)
    alone = load_member(tmp_path / "model", "forward")
    assert trees(alone.parse(TEST)) == trees(parses["forward"])
    assert not alone.has_confidence


@pytest.mark.parametrize("n_members", [2, "3", None])
def test_a_forged_model_of_candidates_is_refused(ensemble: EnsembleParser, n_members: Any) -> None:
    learned = CandidateModel.fit(DEV, list(ensemble.parse_members(DEV).values())).record()
    forged: Any = dataclasses.replace(learned, facts={"n_members": n_members})
    record = dataclasses.replace(ensemble.record(), parts={**ensemble.record().parts, "candidates": forged})
    with pytest.raises(ModelError, match=r"weights for other members|the parts of a candidate-model do not fit"):
        EnsembleParser.from_record(record)


def test_an_ensemble_comes_back_from_its_folder(ensemble: EnsembleParser, tmp_path: Path) -> None:
    save(ensemble, tmp_path / "model")
    again = load(tmp_path / "model")
    assert content(again.record()) == content(ensemble.record())
    parse, expected = again.parse(TEST), ensemble.parse(TEST)
    assert trees(parse) == trees(expected)
    assert parse.support is not None
    assert expected.support is not None
    assert np.array_equal(parse.support, expected.support)
    assert configuration(again) == configuration(ensemble)
    for name, member in again.members.items():
        assert member.trainer == TRAINERS[name]


@pytest.mark.parametrize(
    ("trainer", "options", "problem"),
    [
        (EnsembleTrainer({}), {}, "an ensemble needs at least one member"),
        (EnsembleTrainer(TRAINERS, "pos"), {}, "weights by pos are measured on development data or folds; give one"),
        (
            EnsembleTrainer(TRAINERS, select=True),
            {},
            "members are chosen on development data or folds; give one of them",
        ),
        (
            EnsembleTrainer(TRAINERS, folds=30),
            {},
            "30 folds need 60 sentences with whole trees, found 40",
        ),
        (EnsembleTrainer(TRAINERS), {"seed": -1}, "seed should be at least 0, found -1"),
    ],
)
def test_settings_that_cannot_be_trained_are_refused(trainer: EnsembleTrainer, options: Any, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        trainer.train(TRAINING, **options)


@pytest.mark.parametrize(
    ("n_members", "settings", "dev", "problem"),
    [
        (2, {}, DEV.select([]), "expected sentences to measure on, found none"),
        (2, {}, DEV.with_trees(np.where(DEV.heads == 0, -1, DEV.heads), DEV.deprels, DEV.labels), "expected a head"),
        (
            LARGEST + 1,
            {"select": True},
            DEV,
            f"a selection has {LARGEST} members at most, found {LARGEST + 1}; name fewer",
        ),
        (MAX_SYSTEMS + 1, {"weights": "learned"}, DEV, "a learned vote has 60 members at most, found 61"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is_trained(
    n_members: int, settings: Any, dev: Treebank, problem: str
) -> None:
    members = {f"m{i}": Untrainable() for i in range(n_members)}
    with pytest.raises((InputError, ConfigError), match=problem):
        EnsembleTrainer(members, **settings).train(TRAINING, dev)


@pytest.mark.parametrize(
    ("n_members", "settings", "dev"),
    [
        (LARGEST, {"select": True}, DEV),
        (MAX_SYSTEMS, {"weights": "learned"}, DEV),
        (1, {"weights": "auto"}, None),
        (1, {"weights": "equal"}, None),
        (1, {"folds": 20}, None),  # two of 40 sentences each
    ],
)
def test_what_can_just_be_measured_is_trained(n_members: int, settings: Any, dev: Treebank | None) -> None:
    members = {f"m{i}": Untrainable() for i in range(n_members)}
    with pytest.raises(ModelError, match=r"member m0 failed \(AssertionError: trained"):
        EnsembleTrainer(members, **settings).train(TRAINING, dev)


def test_an_ensemble_has_2_to_100_folds_or_none() -> None:
    assert [EnsembleTrainer(TRAINERS, folds=n).folds for n in (0, 2, 100)] == [0, 2, 100]
    for n in (-1, 1, 101):
        with pytest.raises(ConfigError, match="folds should be in "):
            EnsembleTrainer(TRAINERS, folds=n)


class Untrainable(TransitionTrainer):
    """A member that fails when it is trained."""

    def train(self, *_: Any, **__: Any) -> Any:
        """Fail."""
        raise AssertionError("trained")


def test_a_member_has_no_reserved_name() -> None:
    with pytest.raises(ConfigError, match="a member cannot be called 'candidates', a reserved name"):
        EnsembleTrainer({"candidates": SMALL})


def test_selection_keeps_the_members_that_vote_best(ensemble: EnsembleParser) -> None:
    own = EnsembleTrainer(TRAINERS, select=True).train(TRAINING, DEV, seed=5)
    facts: Any = own.facts
    assert tuple(own.members) == tuple(facts["selection"]["members"])
    assert isinstance(own.judge.weights, Weights)
    assert own.judge.weights.kind == facts["weights"]
    assert facts["diversity"]["names"] == list(TRAINERS)
    assert facts["scores"]["vote"]["las"] == facts["selection"]["las"]
    for name, member in own.members.items():
        assert content(member.record()) == content(ensemble.members[name].record())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_folds_stand_in_for_a_development_set(ensemble: EnsembleParser, n_jobs: int) -> None:
    own = EnsembleTrainer(TRAINERS, "accuracy", folds=3).train(TRAINING, seed=5, jobs=Jobs(n_jobs))
    for name, member in own.members.items():
        assert content(member.record()) == content(ensemble.members[name].record())
    gold = [TRAINING.select(np.flatnonzero(np.arange(40) % 3 == fold)) for fold in range(3)]
    rest = [TRAINING.select(np.flatnonzero(np.arange(40) % 3 != fold)) for fold in range(3)]
    hits = sum(
        evaluate(part, EnsembleTrainer({"forward": SMALL}).train(train, seed=5).members["forward"].parse(part)).arcs
        for part, train in zip(gold, rest, strict=True)
    )
    facts: Any = own.facts
    assert facts["scores"]["forward"]["las"] == round(100 * hits / TRAINING.n_tokens, 2)
    assert facts["folds"] == 3
    assert own.judge.model is not None


def test_a_vote_has_confidence_after_training_with_development_data(ensemble: EnsembleParser) -> None:
    parse = ensemble.parse(TEST)
    assert parse.confidence is not None
    assert parse.label_confidence is not None
    assert (parse.confidence[parse.is_token] > 0).all()
    assert EnsembleTrainer(TRAINERS).train(TRAINING).parse(TEST).confidence is None


def test_weights_of_another_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown weights 'post'; did you mean 'pos'"):
        EnsembleTrainer(TRAINERS, "post")  # type: ignore[arg-type]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_error_of_a_member_comes_through(n_jobs: int) -> None:
    with pytest.raises(InputError, match="toy, sentence 1: token 1: expected a tree"):
        EnsembleTrainer(TRAINERS).train(
            Treebank.of([(["a", "b"], [2, 1], ["x", "y"])], name="toy"), jobs=Jobs(n_jobs, "threading")
        )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kind": "lr-parser"}, "expected a model of kind 'ensemble', found 'lr-parser'"),
        ({"parts": {}}, "weights for other members"),
        ({"parts": {"inner": Record("ensemble")}}, "expected one of the kinds .* for member inner, found 'ensemble'"),
        ({"parts": {"candidates": Record("lr-parser")}}, "the parts of a candidate-model do not fit together"),
        ({"facts": {"votes": {"kind": "learned"}}, "parts": {}}, "has no weights for the vote"),
        ({"facts": {}}, "has no weights for the vote"),
        ({"facts": {"votes": {}}}, "vote|weights"),
        ({"facts": {"votes": Weights.equal(2).to_json()}}, "weights for other members"),
        ({"facts": {"training": ["sha256"]}}, "the facts of the model are damaged"),
        ({"facts": {"reading": "predicted"}}, "the facts of the model are damaged"),
        ({"facts": {"seed": -1}}, "the facts of the model are damaged"),
        ({"facts": {"seed": "0"}}, "the facts of the model are damaged"),
    ],
)
def test_a_forged_record_is_refused(ensemble: EnsembleParser, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        EnsembleParser.from_record(dataclasses.replace(ensemble.record(), **changes))


def test_a_folder_of_another_kind_is_refused(ensemble: EnsembleParser, tmp_path: Path) -> None:
    store.save(ensemble.members["forward"].record(), tmp_path / "model")
    with pytest.raises(ModelError, match="found 'lr-parser'"):
        load(tmp_path / "model")


def test_members_have_names() -> None:
    assert list(members_of(["lr-svm-backward", "lr-maxent-forward"])) == ["lr-svm-backward", "lr-maxent-forward"]
    assert set(DEFAULT_MEMBERS) <= set(known_members())
    with pytest.raises(ConfigError, match="unknown member 'lr-maxent-foward'; did you mean 'lr-maxent-forward'"):
        members_of(["lr-maxent-foward"])


@pytest.mark.parametrize("n", [1, 2])
def test_confidence_is_measured_on_two_sentences_and_not_on_one(n: int) -> None:
    parser = EnsembleTrainer(TRAINERS, "equal").train(TRAINING, DEV.select(range(n)))
    assert ("reliability" in parser.facts) == ("lights" in parser.facts) == (n > 1)
