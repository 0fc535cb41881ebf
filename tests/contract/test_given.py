"""The contract of given arcs: they come back, in trees, whatever the parser, and the rest is parsed around them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.subjects import Subject
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import trees
from treevote.corpus.given import Given, Keep
from treevote.corpus.pseudo_projective import plain_labels
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, non_projective, roots
from treevote.ensemble.parser import parse_counted

GOLD = toy_treebank(40, 2, crossing=True)
"""Trees that are not all projective."""


def some_given(share: float, seed: int) -> Treebank:
    chosen = np.random.default_rng(seed).random(len(GOLD.heads)) < share
    heads, deprels = (np.where(chosen, column, -1).astype(np.int32) for column in (GOLD.heads, GOLD.deprels))
    return GOLD.with_trees(heads, deprels, (*GOLD.labels, "unheard-of"))


def names(treebank: Treebank, slots: Any) -> list[str]:
    return [treebank.labels[i] for i in treebank.deprels[slots].tolist()]


@settings(max_examples=10)
@given(st.sampled_from([0.1, 0.3, 0.6, 0.9, 1.0]), st.integers(0, 1_000), st.sampled_from(["heads", "all"]))
def test_given_arcs_are_kept_in_trees(subject: Subject, parser: Any, share: float, seed: int, keep: Keep) -> None:
    half_done = some_given(share, seed)
    for use in subject.uses(parser):
        known = Given.of(half_done, keep, single_root=use.single_root)
        parse, _ = parse_counted(use, half_done, known)
        slots = half_done.heads >= 0
        assert are_trees(parse).all()
        assert (roots(parse) == 1).all()
        assert parse.heads[slots].tolist() == half_done.heads[slots].tolist()
        if keep == "all":
            assert names(parse, slots) == names(half_done, slots)


def test_labels_alone_are_kept_and_an_unknown_one_too(subject: Subject, parser: Any) -> None:
    strange = some_given(0.3, 1)
    slots = np.flatnonzero(strange.heads >= 0)
    strange.deprels[slots[::3]] = len(strange.labels) - 1
    for use in subject.uses(parser):
        known = Given.of(strange, "labels", single_root=use.single_root)
        parse, _ = parse_counted(use, strange, known)
        assert are_trees(parse).all()
        assert names(parse, slots) == names(strange, slots)


def test_nothing_given_gives_the_same_trees(subject: Subject, parser: Any) -> None:
    nothing = some_given(0.0, 1)
    for use in subject.uses(parser):
        known = Given.of(nothing, "all", single_root=use.single_root)
        assert known is None
        free = Given(np.full_like(GOLD.heads, -1), np.full_like(GOLD.deprels, -1), ())
        assert trees(parse_counted(use, GOLD, free)[0]) == trees(use.parse(GOLD))


def test_the_search_itself_holds_all_projective_arcs(subject: Subject, parser: Any) -> None:
    if subject.baseline:  # a plug-in knows nothing of given arcs: the vote has them
        pytest.skip("the plug-in ignores them")
    projective = GOLD.select(np.flatnonzero(np.add.reduceat(non_projective(GOLD), GOLD.offsets[:-1]) == 0))
    for use, share in itertools.product(subject.uses(parser), (0.3, 0.8)):
        chosen = np.random.default_rng(5).random(len(projective.heads)) < share
        heads = np.where(chosen, projective.heads, -1).astype(np.int32)
        known = Given(heads, np.full_like(heads, -1), ())
        parse, _ = use.parse_counted(projective, known)
        assert parse.heads[heads >= 0].tolist() == heads[heads >= 0].tolist()
        assert not any(lifted for lifted in plain_labels(parse.labels, "path")[1].tolist())


def test_any_split_of_the_text_gives_the_same_parses_around_given_arcs(subject: Subject, parser: Any) -> None:
    half_done = some_given(0.4, 3)

    def parsed(treebank: Treebank) -> list[Any]:
        return trees(parse_counted(parser, treebank, Given.of(treebank, "all", single_root=parser.single_root))[0])

    halves = [half_done.select(range(17)), half_done.select(range(17, len(half_done)))]
    assert parsed(half_done) == [tree for half in halves for tree in parsed(half)]
