"""Laws of training on partial trees."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths import TOY
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_partial, are_trees
from treevote.ensemble.member_training import completed, train_on_partial
from treevote.ensemble.members import members_of
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import InputError

TREES = read(TOY)
MEMBERS = members_of(("lr-svm-forward", "graph-mira"))


@functools.cache
def parser() -> Any:
    return MEMBERS["lr-svm-forward"].train(TREES.select(range(6)))


def with_gaps(treebank: Treebank, gaps: list[bool]) -> Treebank:
    """Return a treebank without the heads of some tokens."""
    open_slots = np.zeros(len(treebank.tokens), np.bool_)
    open_slots[treebank.is_token] = gaps
    heads, deprels = (
        np.where(open_slots, -1, column).astype(np.int32) for column in (treebank.heads, treebank.deprels)
    )
    return treebank.with_trees(heads, deprels, treebank.labels)


@settings(max_examples=30)
@given(st.lists(st.booleans(), min_size=TREES.n_tokens, max_size=TREES.n_tokens))
def test_completed_trees_hold_what_is_given_in_the_same_order(gaps: list[bool]) -> None:
    partial = with_gaps(TREES, gaps)
    found = completed(partial, parser())
    known = partial.heads >= 0
    assert are_trees(found).all()
    assert (found.heads[known] == partial.heads[known]).all()
    for own, given_sentence in zip(found, partial, strict=True):
        assert own.words == given_sentence.words
        assert [one for one, other in zip(own.deprels, given_sentence.deprels, strict=True) if other] == [
            label for label in given_sentence.deprels if label
        ]


def test_a_treebank_without_gaps_is_learned_from_as_it_is() -> None:
    seen: list[Treebank] = []

    def train(treebank: Treebank) -> Any:
        seen.append(treebank)

    train_on_partial(train, TREES)
    assert seen == [TREES]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_learns_from_whole_trees_first_and_then_from_all(name: str) -> None:
    partial = with_gaps(TREES, [slot % 3 == 0 and slot > 30 for slot in range(TREES.n_tokens)])
    whole = partial.select(~are_partial(partial)).compact()
    assert 0 < len(whole) < len(TREES)
    expected = MEMBERS[name].train(completed(partial, MEMBERS[name].train(whole)))
    found = train_on_partial(MEMBERS[name].train, partial)  # type: ignore[arg-type]
    assert found.parse(TREES).heads.tolist() == expected.parse(TREES).heads.tolist()


def test_nothing_is_measured_on_partial_trees() -> None:
    partial = with_gaps(TREES, [slot % 3 == 0 and slot > 30 for slot in range(TREES.n_tokens)])
    whole = partial.select(~are_partial(partial))
    facts = EnsembleTrainer(MEMBERS, folds=2).train(partial).facts
    assert facts["familiarity"]["tokens"] == whole.n_tokens  # type: ignore[index,call-overload]


def test_two_given_roots_are_a_fault_where_whole_trees_have_one() -> None:
    words, labels = ["a", "b", "c"], ["root", "root", ""]
    partial = Treebank.concatenate([TREES, Treebank.of([(words, [0, 0, -1], labels)])], "toys")
    with pytest.raises(InputError, match="found a second root"):
        EnsembleTrainer(MEMBERS).train(partial)
