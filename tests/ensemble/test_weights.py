"""The weights of a vote: by accuracy, by part of speech, by agreement."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ensemble.parses import parses, systems, weighted
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import HEAVIEST, UNIT, Weights
from treevote.errors import ConfigError, InputError, ModelError


def test_accuracy_counts_head_and_label() -> None:
    gold, wrong_label, wrong_head = parses([[0, 1], [0, 1], [2, 0]], [["r", "x"], ["r", "x:y"], ["r", "x"]])
    assert Weights.by_accuracy(gold, [gold, wrong_label, wrong_head]) == weighted(1.0, 0.5, 0.0)


def test_a_rare_pos_has_no_weights_of_its_own() -> None:
    noun, verb = Word("n", "_", "NOUN", "_", "_"), Word("v", "_", "VERB", "_", "_")
    words = [verb, *[noun] * 20]
    gold = Treebank.of([(words, [0] + [1] * 20, ["r"] * len(words))])
    system = Treebank.of([(words, [0] + [1] * 15 + [2] * 5, ["r"] * len(words))])
    weights = Weights.by_pos(gold, [gold, system])
    assert weights == Weights("pos", (1.0, 16 / 21), ("NOUN",), ((1.0, 0.75),))
    assert weights.table(gold)[1, 1:3].tolist() == [round(16 / 21 * UNIT), round(0.75 * UNIT)]


def test_weights_are_whole_numbers_and_never_nothing() -> None:
    table = weighted(0.0, 1 / 3, HEAVIEST).table(parses([[0]])[0])
    assert table.dtype == np.int64
    assert table[:, 1].tolist() == [1, 349525, 2**40]


def test_weights_survive_json_and_damage_is_noticed() -> None:
    weights = Weights("pos", (0.9, 1 / 3), ("NOUN",), ((0.1, 0.2),))
    data = json.loads(json.dumps(weights.to_json()))
    assert Weights.from_json(data) == weights
    for key, value in (
        ("kind", "no"),
        ("overall", [0.5]),
        ("overall", ["x", "y"]),
        ("overall", ["0.5", "0.5"]),
        ("overall", "12"),
        ("overall", [True, False]),
        ("overall", [1, 10**400]),
        ("overall", [1, -(10**400)]),
        ("overall", [1, float("inf")]),
        ("overall", [1, float("nan")]),
        ("rows", [[0.1, -1.0]]),
        ("rows", [[0.1, 10**400]]),
    ):
        with pytest.raises(ModelError, match="damaged"):
            Weights.from_json({**data, key: value})


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf"), 2 * HEAVIEST, 10**400, "1", True, None])
def test_impossible_weights_are_refused(weight: Any) -> None:
    with pytest.raises(ConfigError, match=r"overall\[1\](: expected a number| should be in 0..1048576)"):
        weighted(1.0, weight)


def test_weights_are_measured_on_treebanks_in_any_iterable() -> None:
    one = Treebank.of([(["a"], [0], ["root"])] * 30)
    by: dict[str, Callable[[Any], Weights]] = {
        "accuracy": lambda systems: Weights.by_accuracy(one, systems),
        "pos": lambda systems: Weights.by_pos(one, systems),
        "agreement": lambda systems: Weights.by_agreement(systems),
    }
    for kind, measured in by.items():
        assert measured(iter([one, one])) == measured([one, one])
        assert measured([one, one]).kind == kind
        for wrong in (None, ["one.conllu"]):
            with pytest.raises(InputError, match=r"expected a treebank, found (NoneType|str)"):
                measured(wrong)


@given(st.data())
def test_weights_by_agreement_do_not_depend_on_the_order_of_systems(data: st.DataObject) -> None:
    given_systems = data.draw(systems())
    order = data.draw(st.permutations(range(len(given_systems))))
    weights, permuted = (Weights.by_agreement(own) for own in (given_systems, [given_systems[i] for i in order]))
    assert permuted.overall == tuple(weights.overall[i] for i in order)
    assert permuted.pos == weights.pos
    assert permuted.rows == tuple(tuple(row[i] for i in order) for row in weights.rows)


@given(systems())
def test_weights_by_agreement_are_mean_shares_of_the_same_arcs(given_systems: list[Treebank]) -> None:
    found = Weights.by_agreement(given_systems)
    tokens = given_systems[0].is_token
    k, n = len(given_systems), max(1, int(tokens.sum()))
    arcs = [list(zip(own.heads.tolist(), [own.labels[i] for i in own.deprels], strict=True)) for own in given_systems]
    for a in range(k):
        shares = [
            sum(bool(tokens[i]) and arcs[a][i] == arcs[b][i] and arcs[a][i][0] >= 0 for i in range(len(tokens))) / n
            for b in range(k)
            if b != a
        ]
        assert found.overall[a] == pytest.approx(sum(shares) / max(1, k - 1))


def test_the_weight_by_agreement_on_a_single_token() -> None:
    one = Treebank.of([(["a"], [0], ["root"])])
    assert Weights.by_agreement([one, one]).overall == (1.0, 1.0)


@given(st.integers(1, 12))
def test_who_agrees_more_decides_ties_in_any_order(n_agreed: int) -> None:
    alike = [[2, 0, 2], [2, 0, 2], [2, 3, 0], [2, 3, 0]]  # two against two
    others = [[[2, 0, 2], [2, 0, 2], [2, 0, 1], [2, 0, 2]]] * n_agreed  # on the rest the third differs
    voters = [Treebank.of([(["a", "b", "c"], row[k], ["x"] * 3) for row in [alike, *others]]) for k in range(4)]
    for order in itertools.permutations(range(4)):
        own = [voters[k] for k in order]
        assert vote(own, Weights.by_agreement(own), single_root=True).sentence(0).heads.tolist() == [-1, 2, 0, 2]
