"""The model of candidates: kernels equal slow twins, confidence is calibrated, unanimity wins, records are checked."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import check_grad

from tests.ensemble.parses import assert_same_trees, parses, systems, unlabelled, votes
from tests.ensemble.test_selection import noisy
from tests.reference import candidates as slow
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.ensemble import candidate_features as fast
from treevote.ensemble.candidate_features import PLACE_BITS, place_of, places_of
from treevote.ensemble.candidate_model import PRECISION, CandidateModel, Examples, negative_log_likelihood, normalise
from treevote.ensemble.candidates import Candidates, arc_probabilities
from treevote.ensemble.judge import calibration as measured
from treevote.ensemble.vote import Ballots, vote
from treevote.errors import ConfigError, InputError, ModelError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import LEAST, calibration_error, reliability
from treevote.evaluation.counts import evaluate
from treevote.store.record import Record

DEV, TEST = toy_treebank(300, 1), toy_treebank(300, 2)


def noisy_systems(gold: Treebank) -> list[Treebank]:
    """Return a bad system, a good one, and one that is as bad as the first."""
    return [noisy(gold, noise, i) for i, noise in enumerate((0.45, 0.1, 0.45))]


@pytest.fixture(scope="module")
def learned() -> CandidateModel:
    """Return the model of three noisy systems."""
    return CandidateModel.fit(DEV, noisy_systems(DEV))


def test_places_are_direction_and_distance() -> None:
    assert [place_of(30, head) for head in range(30)] == [0, *[6] * 19, *[5] * 5, 4, 4, 3, 2, 1]
    assert [place_of(1, head) for head in range(2, 15)] == [7, 8, 9, 10, 10, *[11] * 5, *[12] * 3]


any_systems = systems() | votes().map(lambda ballots: parses(*ballots))


@given(any_systems)
@example(parses([[-1, 1]], [["subj", "subj"]]))
def test_candidates_and_features_are_those_of_the_slow_twin(given_systems: list[Treebank]) -> None:
    first, ballots = given_systems[0], Ballots.of(given_systems)
    candidates = Candidates.of(ballots)
    places = places_of(first, ballots, candidates)
    assert places.min(initial=0) >= 0
    assert places.max(initial=0) < 2**PLACE_BITS
    templates = [[[c for c in row if c >= 0] for row in rows.tolist()] for rows in (fast._STRONG, fast._WEAK)]
    expected = []
    for number, sentences in enumerate(zip(*(system.sentences() for system in given_systems), strict=True)):
        for proposal in slow.proposals(sentences):
            row = slow.attributes(sentences, proposal)
            expected.append((number, proposal, slow.places(row, templates[0], templates[1], len(sentences))))
    found = []
    for slot, a, named, row in zip(*(column.tolist() for column in candidates), places.tolist(), strict=True):
        number = int(first.sentence_of[slot])
        label = ballots.labels[ballots.deprels[a, slot]] if named else None
        proposal = slow.Proposal(slot - int(first.offsets[number]), int(ballots.heads[a, slot]), label)
        found.append((number, proposal, row))
    assert found == expected


def test_attributes_and_templates_are_named_alike() -> None:
    used = {name for template in (fast.VOTES + fast.TEMPLATES).split() for name in template.split("+")}
    assert used <= set(fast.ATTRIBUTES)
    assert len(fast.ATTRIBUTES) == len(slow.attributes([toy_treebank(1, 1).sentence(0)], slow.Proposal(1, 0, None)))


@st.composite
def choices(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Slots of candidates, their sums and whether they are right."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    slots = np.repeat(np.arange(len(sizes), dtype=np.int32) * 2, sizes)
    sums = draw(st.lists(st.floats(-30, 30), min_size=len(slots), max_size=len(slots)))
    right = draw(st.lists(st.booleans(), min_size=len(slots), max_size=len(slots)))
    return slots, np.array(sums), np.array(right, np.bool_)


@given(choices())
def test_probabilities_are_a_softmax_with_none_of_the_candidates(given_choices: tuple[Any, Any, Any]) -> None:
    slots, sums, _ = given_choices
    found = np.empty(len(sums))
    normalise(slots, sums, found)
    for slot in np.unique(slots):
        own = np.exp(sums[slots == slot])
        assert found[slots == slot] == pytest.approx(own / (1 + own.sum()), rel=1e-9, abs=1e-300)


@given(choices())
def test_the_slope_is_that_of_the_likelihood(given_choices: tuple[Any, Any, Any]) -> None:
    slots, sums, right = given_choices
    sums /= 10

    def lost(x: Any) -> float:
        return negative_log_likelihood(slots, x, right, np.empty(len(x)))

    def slope(x: Any) -> Any:
        found = np.empty(len(x))
        negative_log_likelihood(slots, x, right, found)
        return found

    assert check_grad(lost, slope, sums) < 1e-4


@given(any_systems)
def test_every_vote_gets_the_probabilities_of_its_candidates(given_systems: list[Treebank]) -> None:
    ballots = Ballots.of(given_systems)
    slots, by, named = candidates = Candidates.of(ballots)
    given_probabilities = np.random.default_rng(0).random(len(slots))
    arc, best, label = (np.zeros(ballots.heads.shape) for _ in range(3))
    heads, deprels, _ = ballots
    arc_probabilities(heads, deprels, candidates, given_probabilities, heads, deprels, arc, best, label)
    for a, slot in itertools.product(*map(range, ballots.heads.shape)):
        head, deprel = ballots.heads[a, slot], ballots.deprels[a, slot]
        same = (slots == slot) & (ballots.heads[by, slots] == head) & (head >= 0)
        own = same & named & (ballots.deprels[by, slots] == deprel)
        assert arc[a, slot] == pytest.approx(given_probabilities[same].sum())
        assert best[a, slot] == given_probabilities[same & named].max(initial=0)
        assert label[a, slot] == given_probabilities[own].sum()


@given(systems(), st.integers(1, 4))
def test_where_all_agree_the_vote_is_their_tree(given_systems: list[Treebank], k: int) -> None:
    tree = given_systems[0]
    own = CandidateModel.fit(tree, [tree] * k)
    assert_same_trees(own.of([tree] * k).vote(single_root=False), tree)
    other = given_systems[-1]
    assert_same_trees(own.of([other] * k).vote(single_root=False), other)


@given(systems())
def test_a_system_without_labels_has_no_say_about_them(given_systems: list[Treebank]) -> None:
    tree = given_systems[0]
    own = [unlabelled(tree), tree]
    assert_same_trees(CandidateModel.fit(tree, own).of(own).vote(single_root=False), tree)


def test_good_systems_weigh_more_than_bad_ones_that_outnumber_them(learned: CandidateModel) -> None:
    own = learned.of(noisy_systems(TEST)).vote(single_root=True)
    equal = vote(noisy_systems(TEST), single_root=True)
    assert evaluate(TEST, own).las > evaluate(TEST, equal).las + 1
    assert own.support is not None
    assert ((own.support >= 0) & (own.support <= 1)).all()


def test_its_probabilities_are_calibrated_confidence(learned: CandidateModel) -> None:
    own = learned.of(noisy_systems(TEST)).vote(single_root=True)
    tokens, rights = own.is_token, right_arcs(TEST, own)
    assert own.confidence is not None
    assert own.label_confidence is not None
    assert (own.label_confidence <= own.confidence).all()
    for confidence, right in zip((own.confidence, own.label_confidence), rights, strict=True):
        assert ((confidence[tokens] > 0) & (confidence[tokens] < 1)).all()
        assert (confidence[~tokens] == 0).all()
        assert calibration_error(reliability(confidence[tokens], right[tokens])) < 0.08


def test_the_order_of_the_systems_matters_in_ties_only() -> None:
    orders: Sequence[tuple[int, ...]] = list(itertools.permutations(range(3)))
    found = []
    for order in orders:
        dev, test = ([own[i] for i in order] for own in map(noisy_systems, (DEV, TEST)))
        found.append(evaluate(TEST, CandidateModel.fit(DEV, dev).of(test).vote(single_root=True)).las)
    assert max(found) - min(found) < 1


def test_the_same_data_give_the_same_weights(learned: CandidateModel) -> None:
    again = CandidateModel.fit(DEV, noisy_systems(DEV))
    assert np.array_equal(again.weights, learned.weights)


def test_each_half_is_voted_on_by_what_the_other_half_taught() -> None:
    crossed = Examples.of(DEV, noisy_systems(DEV)).crossed().vote(single_root=True)
    for half, rest in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))):
        own = CandidateModel.fit(DEV[rest], [system[rest] for system in noisy_systems(DEV)])
        assert_same_trees(own.of([system[half] for system in noisy_systems(DEV)]).vote(single_root=True), crossed[half])
    assert list(measured(DEV, crossed)) == ["arc", "label"]
    assert measured(DEV, DEV) == {}


def test_it_comes_back_from_its_record(learned: CandidateModel) -> None:
    again = CandidateModel.from_record(learned.record())
    one, other = (own.of(noisy_systems(TEST)).vote(single_root=True) for own in (learned, again))
    assert_same_trees(one, other)
    assert one.confidence is not None
    assert other.confidence is not None
    assert one.confidence.tobytes() == other.confidence.tobytes()


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "learned-vote"},
        {"facts": {}},
        {"facts": {"n_members": True, "line": [1.0, 0.0]}},
        {"facts": {"n_members": 0, "line": [1.0, 0.0]}},
        {"facts": {"n_members": 61, "line": [1.0, 0.0]}},
        {"facts": {"n_members": 10**30, "line": [1.0, 0.0]}},
        {"facts": {"n_members": 3, "line": 1.0}},
        {"facts": {"n_members": 3, "line": [1.0]}},
        {"facts": {"n_members": 3, "line": [1, 0]}},
        {"facts": {"n_members": 3, "line": [float("nan"), 0.0]}},
        {"facts": {"n_members": 3, "line": [1.0, 1e30]}},
        {"facts": {"n_members": 3, "line": [10_000.5, 0.0]}},
        {"arrays": {}},
        {"arrays": {"places": np.zeros(2, np.int64), "weights": np.zeros(2, np.float32)}},
        {"arrays": {"places": np.array([3, 3], np.int32), "weights": np.zeros(2, np.float32)}},
        {"arrays": {"places": np.array([-1, 3], np.int32), "weights": np.zeros(2, np.float32)}},
        {"arrays": {"places": np.array([3, 2**PLACE_BITS], np.int32), "weights": np.zeros(2, np.float32)}},
        {"arrays": {"places": np.array([3], np.int32), "weights": np.zeros(2, np.float32)}},
        {"arrays": {"places": np.array([3], np.int32), "weights": np.zeros(1, np.float64)}},
        {"arrays": {"places": np.array([3], np.int32), "weights": np.array([np.nan], np.float32)}},
        {"arrays": {"places": np.array([3], np.int32), "weights": np.array([10_000.5], np.float32)}},
        {"arrays": {"places": np.zeros((1, 1), np.int32), "weights": np.zeros(1, np.float32)}},
    ],
)
def test_a_forged_record_is_refused(learned: CandidateModel, changes: dict[str, Any]) -> None:
    forged: Record = dataclasses.replace(learned.record(), **changes)
    with pytest.raises(ModelError, match="the parts of a candidate-model do not fit together"):
        CandidateModel.from_record(forged)


def test_a_record_may_go_to_the_ends_of_its_ranges() -> None:
    places, weights = np.array([0, 2**PLACE_BITS - 1], np.int32), np.array([1e4, -1e4], np.float32)
    for n_members in (1, 60):
        facts: Any = {"n_members": n_members, "line": [1e4, -1e4]}
        model = CandidateModel.from_record(Record("candidate-model", facts, {"places": places, "weights": weights}))
        assert (model.n_members, model.line) == (n_members, (1e4, -1e4))
        assert model.weights[places].tolist() == [1e4, -1e4]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_weights_are_the_most_probable_ones(k: int) -> None:
    """The prior of a weight has precision 3 if it is that of a number of votes, else 100, of less than 4 systems less.

    So the slope of the likelihood is the precision times the weight, but for the rounding to four decimals.
    """
    few = toy_treebank(12, 3)
    examples = Examples.of(few, [noisy(few, 0.2 + 0.1 * i, i) for i in range(k)])
    weights, sums = examples.model().weights, np.empty(len(examples.places))
    fast.add_weights(examples.places, weights, sums)
    slope, gradient = np.empty(len(sums)), np.zeros(len(weights))
    negative_log_likelihood(examples.candidates.slots, sums, examples.right, slope)
    fast.add_to_places(examples.places, slope, gradient)
    precision = np.full(len(weights), 100 * min(1, k / 4) ** 2)
    precision[examples.places[:, :3]] = 3
    used = np.unique(examples.places)
    assert np.abs(gradient + precision * weights)[used].max() < 0.02
    assert np.abs(precision * weights).max() > 2
    assert np.count_nonzero(weights) == np.count_nonzero(weights[used])
    assert np.array_equal(weights, np.float32(np.round(np.float64(weights), 4)))


def test_what_cannot_be_learned_or_voted_on_is_refused(learned: CandidateModel) -> None:
    empty = Treebank.of([], name="dev")
    with pytest.raises(InputError, match="dev: expected sentences to learn probabilities from, found none"):
        CandidateModel.fit(empty, [empty])
    with pytest.raises(ConfigError, match="at most 60 systems, found 61"):
        CandidateModel.fit(DEV, [DEV] * 61)
    with pytest.raises(InputError, match="expected 3 systems, as in training, found 1"):
        learned.of([TEST])


def test_nothing_is_learned_where_all_abstain() -> None:
    silent = DEV.with_trees(np.full_like(DEV.heads, -1), np.full_like(DEV.heads, -1), ())
    own = CandidateModel.fit(DEV, [silent])
    assert not own.weights.any()
    voted = own.of([silent]).vote(single_root=True)
    assert voted.confidence is not None
    assert (voted.heads == -1).all()
    assert (voted.confidence == 0).all()


TABLE = np.random.default_rng(0).normal(scale=0.3, size=2**PLACE_BITS).astype(np.float32)
any_votes = st.sampled_from(["first", "equal", "model"])


def voted_by(own: CandidateModel, given_systems: list[Treebank], name: str) -> Treebank:
    """Return trees of the same sentences: of a system, an equal vote, or the model."""
    if name == "first":
        return given_systems[0]
    return vote(given_systems, single_root=True) if name == "equal" else own.of(given_systems).vote(single_root=True)


@given(any_systems, any_votes)
def test_confidence_is_the_probability_of_the_arc_whoever_chose_it(given_systems: list[Treebank], name: str) -> None:
    own = CandidateModel(len(given_systems), TABLE, (0.5, 1.0))
    probabilities, trees = own.of(given_systems), voted_by(own, given_systems, name)
    sure = probabilities.confident(trees)
    assert sure.confidence is not None
    assert sure.label_confidence is not None
    (slots, by, named), (heads, deprels, labels) = probabilities.candidates, probabilities.ballots
    for slot, head in enumerate(trees.heads.tolist()):
        same = (slots == slot) & (heads[by, slots] == head)
        label = trees.labels[trees.deprels[slot]] if head >= 0 else ""
        alike = same & named & np.array([labels[each] == label for each in deprels[by, slots]], np.bool_)
        for found, mask in ((sure.confidence, same), (sure.label_confidence, alike)):
            expected = 0 if head < 0 else min(max(probabilities.sure[mask].sum(), LEAST), 1 - LEAST)
            assert found[slot] == pytest.approx(expected)


@given(any_systems)
def test_the_probabilities_of_a_token_sum_to_less_than_one(given_systems: list[Treebank]) -> None:
    _, _, candidates, *both = CandidateModel(len(given_systems), TABLE, (0.5, -1.0)).of(given_systems)
    for values in both:
        assert (values > 0).all()
        assert (np.bincount(candidates.slots, values) < 1).all()


@given(any_systems, st.integers(1, 30))
def test_probabilities_do_not_depend_on_the_batches(given_systems: list[Treebank], n_slots: int) -> None:
    own = CandidateModel(len(given_systems), TABLE)
    whole = own.of(given_systems)
    ballots, candidates = whole.ballots, whole.candidates
    with mock.patch.object(fast, "BATCH", n_slots):
        parts = own.of(given_systems)
        batches = list(fast.places_by_batch(given_systems[0], ballots, candidates))
    assert whole.values.tobytes() == parts.values.tobytes()
    places = places_of(given_systems[0], ballots, candidates)
    assert np.array_equal(np.concatenate([batch for _, batch in batches]), places)
    assert [i for chosen, _ in batches for i in range(chosen.start, chosen.stop)] == list(range(len(places)))
    for chosen, _ in batches:
        sentences = np.unique(given_systems[0].sentence_of[candidates.slots[chosen]])
        assert len(sentences) < 2 or (given_systems[0].lengths[sentences] + 1).sum() <= n_slots


def test_an_arc_that_nobody_proposes_has_the_least_confidence(learned: CandidateModel) -> None:
    proposed = Treebank.of([(["a", "b", "c"], [2, 3, 0], ["x", "x", "root"])])
    other = Treebank.of([(["a", "b", "c"], [3, 3, 0], ["x", "y", "root"])])
    sure = learned.of([proposed] * 3).confident(other)
    assert sure.confidence is not None
    assert sure.label_confidence is not None
    assert sure.confidence[1] == sure.label_confidence[1] == sure.label_confidence[2] == np.float32(LEAST)
    assert sure.confidence[2] > LEAST


def test_a_single_system_has_confidence() -> None:
    own = CandidateModel.fit(DEV, noisy_systems(DEV)[:1])
    (system,) = noisy_systems(TEST)[:1]
    sure = own.of([system]).confident(system)
    tokens = system.is_token
    for found, right in zip((sure.confidence, sure.label_confidence), right_arcs(TEST, system), strict=True):
        assert found is not None
        assert abs(found[tokens].mean() - right[tokens].mean()) < 0.05
        assert found[right].mean() > found[tokens & ~right].mean() + 0.1


def harder(gold: Treebank) -> list[Treebank]:
    """Return systems that share some of their errors, so they agree in vain."""
    shared = noisy(gold, 0.3, 9)
    return [noisy(shared, noise, seed) for seed, noise in enumerate((0.15, 0.25, 0.35))]


def error_of(own: CandidateModel, name: str) -> float:
    """Return the distance of the mean confidence from the share of right arcs with labels on a harder domain."""
    probabilities = own.of(harder(TEST))
    sure = probabilities.confident(voted_by(own, harder(TEST), name))
    assert sure.label_confidence is not None
    tokens = sure.is_token
    return abs(float(sure.label_confidence[tokens].mean() - right_arcs(TEST, sure).arcs[tokens].mean()))


@pytest.mark.parametrize("name", ["equal", "model"])
def test_few_sentences_make_confidence_better_on_a_harder_domain(name: str) -> None:
    easy = [noisy(DEV, noise, seed) for seed, noise in enumerate((0.15, 0.25, 0.35))]
    few = toy_treebank(60, 3)
    old = CandidateModel.fit(DEV, easy)
    new = old.recalibrated(few, harder(few))
    assert error_of(old, name) > 0.15
    assert error_of(new, name) < 0.5 * error_of(old, name)
    assert CandidateModel.from_record(new.record()).line == new.line != old.line
    assert_same_trees(*(own.of(harder(TEST)).vote(single_root=True) for own in (old, new)))
    with pytest.raises(InputError, match="found none"):
        old.recalibrated(DEV.select([]), [DEV.select([])] * 3)


def test_the_line_is_the_most_probable_one() -> None:
    easy = [noisy(DEV, noise, seed) for seed, noise in enumerate((0.15, 0.25, 0.35))]
    few, old = toy_treebank(8, 3), CandidateModel.fit(DEV, easy)
    examples = Examples.of(few, harder(few))
    sums = np.empty(len(examples.places))
    fast.add_weights(examples.places, old.weights, sums)

    def lost(slope: float, intercept: float) -> float:
        slots, unused = examples.candidates.slots, np.empty(len(sums))
        likelihood = negative_log_likelihood(slots, slope * sums + intercept, examples.right, unused)
        return likelihood + PRECISION / 2 * ((slope - 1) ** 2 + intercept**2)

    slope, intercept = old.recalibrated(few, harder(few)).line
    assert (slope, intercept) == (round(slope, 4), round(intercept, 4))
    assert abs(slope - 1) > 0.2
    for step in (-0.01, 0.01):
        assert lost(slope, intercept) < min(lost(slope + step, intercept), lost(slope, intercept + step))


def test_on_the_same_sentences_recalibration_changes_little(learned: CandidateModel) -> None:
    systems = noisy_systems(DEV)
    again = learned.recalibrated(DEV, systems)
    assert np.abs(learned.of(systems).values - again.of(systems).sure).mean() < 0.05


def test_a_model_that_is_too_sure_gets_a_line_with_a_gentle_slope(learned: CandidateModel) -> None:
    systems = [noisy(TEST, noise, i) for i, noise in enumerate((0.9, 0.9, 0.9))]
    recalibrated = learned.recalibrated(TEST, systems)
    assert 0 <= recalibrated.line[0] < 1
