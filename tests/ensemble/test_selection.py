"""Selection of members: near the best ensemble, by a learned vote, with most members, and none without an effect."""

from __future__ import annotations

import itertools
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ensemble.parses import assert_same_trees
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.ensemble import selection
from treevote.ensemble.candidate_model import CandidateModel
from treevote.ensemble.judge import learn
from treevote.ensemble.members import built_in_families
from treevote.ensemble.selection import LARGEST, VoteKind, WeightKind, diversity, fit_weights, select
from treevote.ensemble.vote import vote
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import evaluate

GOLD = toy_treebank(30, 7)


def noisy(gold: Treebank, share: float, seed: int) -> Treebank:
    """Return a system that hangs a share of the tokens on another head, and labels some of these otherwise."""
    rng = np.random.default_rng(seed)
    heads, deprels = gold.heads.copy(), gold.deprels.copy()
    lengths = np.repeat(np.diff(gold.offsets), np.diff(gold.offsets))
    position = np.arange(len(heads)) - np.repeat(gold.offsets[:-1], np.diff(gold.offsets))
    for slot in np.flatnonzero(gold.is_token & (rng.random(len(heads)) < share)):
        heads[slot] = rng.choice([h for h in range(lengths[slot]) if h != position[slot]])
        deprels[slot] = rng.integers(len(gold.labels))
    return gold.with_trees(heads, deprels, gold.labels)


def cross_fitted(kind: VoteKind, systems: list[Treebank]) -> list[bool]:
    """Return the right arcs of a vote with weights fitted to the sentences of the other parity, in any order."""
    right: list[bool] = []
    for parity in (0, 1):
        own, other = range(parity, GOLD.n_sentences, 2), range(1 - parity, GOLD.n_sentences, 2)
        gold, fit, parsed = GOLD.select(other), [s.select(other) for s in systems], [s.select(own) for s in systems]
        if kind == "learned":
            voted = CandidateModel.fit(gold, fit).of(parsed).vote(single_root=True)
        else:
            voted = vote(parsed, fit_weights(kind, gold, fit), single_root=True)
        right += right_arcs(GOLD.select(own), voted).arcs[voted.is_token].tolist()
    return right


@settings(max_examples=5, deadline=None)
@given(st.lists(st.floats(0.05, 0.6), min_size=1, max_size=4), st.integers(0, 1000))
def test_of_the_ensembles_near_the_best_one_a_learned_vote_is_preferred_then_most_members(
    shares: list[float], seed: int
) -> None:
    parses = {f"m{i}": noisy(GOLD, share, seed + i) for i, share in enumerate(shares)}
    chosen = select(GOLD, parses, single_root=True)
    names = sorted(parses, key=lambda name: -evaluate(GOLD, parses[name]).las)
    tried: dict[tuple[bool, ...], tuple[bool, int, int]] = {}
    for size in range(1, len(names) + 1):
        for subset in itertools.combinations(names, size):
            for kind in get_args(VoteKind)[: 4 if size > 1 else 3]:
                right = cross_fitted(kind, [parses[name] for name in subset])
                tried.setdefault(tuple(right), (kind == "learned", size, sum(right)))
                if (subset, kind) == (chosen.members, chosen.weights):
                    assert chosen.las == round(100 * sum(right) / GOLD.n_tokens, 2)
    best = max(tried, key=sum)
    near = [
        rank
        for right, rank in tried.items()
        if sum(best) - sum(right) <= 0.5 * sum(a != b for a, b in zip(best, right, strict=True)) ** 0.5
    ]
    if len(names) == 2:  # so all votes were in full
        is_learned, size, n_right = max(near)
        assert (chosen.weights == "learned", len(chosen.members)) == (is_learned, size)
        assert chosen.las == round(100 * n_right / GOLD.n_tokens, 2)
    assert set(chosen.without) == (set(chosen.members) if len(chosen.members) > 1 else set())
    assert set(chosen.with_too) == set(parses) - set(chosen.members)
    for name, las in (chosen.without | chosen.with_too).items():
        changed = [parses[other] for other in names if (other in chosen.members) != (other == name)]
        assert las == round(100 * sum(cross_fitted(chosen.weights, changed)) / GOLD.n_tokens, 2)


@pytest.mark.parametrize("kind", ["equal", "accuracy", "pos"])
@pytest.mark.parametrize("n_sentences", [1, 2, 3, 30])
def test_a_cross_fitted_vote_of_a_sentence_has_the_weights_of_the_others(kind: WeightKind, n_sentences: int) -> None:
    gold = GOLD.select(range(n_sentences))
    systems = [noisy(gold, share, seed) for seed, share in enumerate((0.1, 0.3, 0.5))]
    voted = selection.cross_fitted(kind, gold, systems, single_root=True)
    assert voted.words == gold.words
    for own in range(n_sentences):
        other = [i for i in range(n_sentences) if i % 2 != own % 2] or [own]
        weights = fit_weights(kind, gold.select(other), [system.select(other) for system in systems])
        alone = vote([system.select([own]) for system in systems], weights, single_root=True)
        assert_same_trees(voted.select([own]), alone)


def test_nothing_is_learned_from_a_single_sentence() -> None:
    gold = GOLD.select([0])
    for seed in range(25):
        systems = {f"m{i}": noisy(gold, 0.5, 3 * seed + i) for i in range(3)}
        assert learn("auto", gold, list(systems.values()), single_root=True)[0].kind == "equal"
        assert select(gold, systems, single_root=True).weights != "learned"


def test_a_half_without_tokens_gives_no_weight() -> None:
    gold = Treebank.of([(["a", "b"], [2, 0], ["x", "root"]), ([], [], [])])
    assert select(gold, {"a": gold, "b": gold}, single_root=True).las == 100


def test_a_copy_of_a_member_is_left_out_and_so_is_noise() -> None:
    gold = toy_treebank(200, 7)
    good = {f"m{i}": noisy(gold, 0.15, i) for i in range(3)}
    chosen = select(gold, {**good, "copy": good["m0"], "noise": noisy(gold, 0.99, 9)}, single_root=True)
    assert "noise" not in chosen.members
    assert set(chosen.members) <= set(good) | {"copy"}
    assert chosen.las > max(evaluate(gold, parse).las for parse in good.values())


def test_the_order_in_which_members_are_given_decides_nothing_but_ties() -> None:
    parses = {f"m{i}": noisy(GOLD, 0.1 + 0.1 * i, i) for i in range(4)}
    backwards = dict(reversed(parses.items()))
    assert select(GOLD, parses, single_root=True) == select(GOLD, backwards, single_root=True)


def test_as_many_as_the_largest_number_can_be_selected_from_and_no_more() -> None:
    parses = {f"m{i}": GOLD[:3] for i in range(LARGEST + 1)}
    with pytest.raises(ConfigError, match=f"expected 1 to {LARGEST} members .*, found {LARGEST + 1}"):
        select(GOLD[:3], parses, single_root=True)
    del parses["m0"]
    assert select(GOLD[:3], parses, single_root=True).members == ("m1",)


def test_all_built_in_members_can_be_selected_from() -> None:
    members = [name for family in built_in_families().values() for name in family.members]
    assert len(members) <= LARGEST, "measure a higher limit, and write it in docs/recipes/select.md, too"


def test_what_cannot_be_chosen_is_told() -> None:
    with pytest.raises(ConfigError, match=f"expected 1 to {LARGEST} members .*, found 0"):
        select(GOLD, {}, single_root=True)
    empty = Treebank.of([], name="dev.conllu")
    with pytest.raises(InputError, match=r"dev\.conllu: expected sentences to select members on, found none"):
        select(empty, {"a": empty}, single_root=True)
    other = Treebank.of([(["x"], [0], ["root"])])
    with pytest.raises(InputError, match="expected"):
        select(GOLD, {"a": other}, single_root=True)


def test_diversity_counts_what_each_has_right_alone() -> None:
    words = ["a", "b", "c", "d"]
    gold = Treebank.of([(words, [0, 1, 1, 1], ["root", "x", "x", "x:y"])])
    one = Treebank.of([(words, [0, 1, 2, 1], ["root", "x", "x", "x"])])
    two = Treebank.of([(words, [0, 1, 1, 2], ["root", "z", "x", "x"])])
    of = diversity(gold, {"one": one, "two": two})
    assert of["las"] == [75.0, 50.0]
    assert of["uas"] == [75.0, 75.0]
    assert of["alone"] == [50.0, 25.0]
    assert of["disagreement"] == [[0.0, 75.0], [75.0, 0.0]]
    assert (of["oracle_las"], of["oracle_uas"]) == (100.0, 100.0)
    strict = diversity(gold, {"one": one, "two": two}, convention="conllx")
    assert strict["las"] == [50.0, 50.0]


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_single_system_disagrees_with_nobody(share: float) -> None:
    of = diversity(GOLD, {"only": noisy(GOLD, share, 1)})
    assert of["disagreement"] == [[0.0]]
    assert of["alone"] == of["las"] == [of["oracle_las"]]
    assert of["names"] == ["only"]


def test_the_las_of_a_choice_is_in_per_cent() -> None:
    gold = toy_treebank(30, 7)
    assert select(gold, {"one": gold, "other": gold}, single_root=True).las == 100
