"""Agreement: slot by slot it is what a loop finds, and a token without a head agrees with nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.test_parses import other_trees
from tests.strategies import treebanks
from treevote.corpus.treebank import Treebank
from treevote.evaluation.agreement import accuracy_by, right_arcs, unanimous, uniquely_correct


@settings(max_examples=15)
@given(treebanks(), st.integers(1, 3), st.integers(0, 99))
def test_agreement_is_that_of_each_slot(gold: Treebank, n_systems: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    systems = [other_trees(gold, rng) for _ in range(n_systems)]
    arcs = [
        [arc for each in system.sentences() for arc in zip(each.heads.tolist(), each.deprels, strict=True)]
        for system in (gold, *systems)
    ]
    own = list(zip(*arcs, strict=True))
    assert unanimous(systems).tolist() == [found[0][0] >= 0 and len({*found}) == 1 for _, *found in own]
    rights = [right_arcs(gold, system, convention="conllx") for system in systems]
    for k, right in enumerate(rights, 1):
        assert right.heads.tolist() == [slot[0][0] == slot[k][0] >= 0 for slot in own]
        assert right.arcs.tolist() == [slot[0] == slot[k] and slot[0][0] >= 0 for slot in own]
    alone = uniquely_correct([right.arcs for right in rights])
    for k, mask in enumerate(alone, 1):
        assert mask.tolist() == [
            slot[0][0] >= 0 and [i for i in range(1, n_systems + 1) if slot[i] == slot[0]] == [k] for slot in own
        ]


def test_the_accuracy_of_a_value_that_no_token_has_is_unknown() -> None:
    gold = Treebank.of([(["a", "b", "c"], [0, 1, 1], ["root", "x", "y"])])
    system = Treebank.of([(["a", "b", "c"], [0, 1, 2], ["root", "x", "y"])])
    shares = accuracy_by(gold, system, np.array([3, 0, 1, 1], np.int32), 4)
    np.testing.assert_array_equal(shares, [1, 0.5, np.nan, np.nan])
