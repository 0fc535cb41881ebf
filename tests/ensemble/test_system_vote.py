"""Laws of the vote of any parsers: without a development set the weights are equal, or shares of common arcs."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings

from tests.ensemble.parses import assert_same_trees, systems
from treevote.corpus.treebank import Treebank
from treevote.ensemble.system_vote import vote_systems
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights


@pytest.mark.parametrize("weights", ["equal", "agreement"])
@settings(max_examples=40)
@given(systems())
def test_weights_without_a_development_set_are_those_that_were_asked_for(
    weights: Literal["equal", "agreement"], parses: list[Treebank]
) -> None:
    by = Weights.equal(len(parses)) if weights == "equal" else Weights.by_agreement(parses)
    named = {f"system {i}": parse for i, parse in enumerate(parses)}
    found = vote_systems(named, weights=weights, single_root=True)
    assert_same_trees(found.parse, vote(parses, by, single_root=True))
    assert found.voters == tuple(named)
    assert [system["weight"] for system in found.facts["systems"]] == [*by.overall]
    assert found.facts["weights"] == weights
