"""Proposals: a graph-based parser looks at heads of the other members, in any order, around given arcs, on folds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.toy_parser import SMALL, TEST, TRAINING, trees
from treevote.corpus.folds import folds_of
from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import parser_class
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.proposals import around, chooses, parse_in_turn
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.models.parsers.decoding.long_sentences import LONGEST
from treevote.models.parsers.graph import second_order
from treevote.models.parsers.graph.parser import GraphParser, GraphTrainer
from treevote.models.parsers.graph.pruning import Masks, mask_of
from treevote.models.parsers.graph.second_order import Scorer, find_trees
from treevote.models.parsers.graph.sentences import Sentences
from treevote.protocols import Trainer

GRAPH = GraphTrainer(bits=14, epochs=1, attributes=("upos",))
TRAINERS: dict[str, Trainer] = {
    "forward": SMALL,
    "graph": GRAPH,
    "backward": dataclasses.replace(SMALL, direction="backward"),
}


@pytest.fixture(scope="module")
def ensemble() -> EnsembleParser:
    return EnsembleTrainer(TRAINERS).train(TRAINING)


@pytest.fixture(scope="module")
def narrow(ensemble: EnsembleParser) -> GraphParser:
    """Return a parser that prunes all heads of a word but one, and those of the best first-order tree."""
    graph = ensemble.members["graph"]
    assert isinstance(graph, GraphParser)
    trainer = dataclasses.replace(graph.trainer, max_heads=1, pruning_margin=0, proposal_margin=0)
    return dataclasses.replace(graph, trainer=trainer)


@given(st.permutations(list(TRAINERS)))
@settings(max_examples=6, deadline=None)
def test_no_parse_depends_on_the_order_of_the_members(ensemble: EnsembleParser, names: list[str]) -> None:
    members = {name: ensemble.members[name] for name in names}
    parses = dataclasses.replace(ensemble, members=members).parse_members(TEST)
    assert list(parses) == names
    found = ensemble.parse_members(TEST)
    assert {name: trees(parse) for name, parse in parses.items()} == {n: trees(parse) for n, parse in found.items()}


def test_a_member_that_chooses_gets_the_trees_of_all_others(ensemble: EnsembleParser) -> None:
    graph = ensemble.members["graph"]
    others = [ensemble.members[name].parse(TEST) for name in ("forward", "backward")]
    assert isinstance(graph, GraphParser)
    expected = graph.with_proposals(others).parse(TEST)
    assert trees(ensemble.parse_members(TEST)["graph"]) == trees(expected)


def test_members_that_choose_do_not_propose_to_each_other(ensemble: EnsembleParser) -> None:
    graph = ensemble.members["graph"]
    asked: list[int] = []

    class Watched:
        def with_proposals(self, parses: list[Treebank]) -> Watched:
            asked.append(len(parses))
            return self

    parse_in_turn({"a": Watched(), "b": graph, "c": Watched()}, lambda _: (TEST, 0))
    parse_in_turn({"a": Watched(), "b": SMALL, "c": Watched()}, lambda _: (TEST, 0))
    assert asked == [1, 1]
    assert around(graph, []) is graph
    assert [chooses(parser_class(trainer)) for trainer in TRAINERS.values()] == [False, True, False]


def candidates(parser: GraphParser, treebank: Treebank, monkeypatch: pytest.MonkeyPatch) -> list[set[tuple[int, int]]]:
    """Return the arcs of each sentence, dependent and head, that were not pruned."""
    found: list[set[tuple[int, int]]] = []

    def watched(scorer: Scorer, sentences: Sentences, masks: Masks, *others: Any) -> None:
        for i in range(len(sentences.offsets) - 1):
            found.append(set(zip(*map(np.ndarray.tolist, np.nonzero(mask_of(masks, i))), strict=True)))
        find_trees(scorer, sentences, masks, *others)

    with monkeypatch.context() as patch:
        patch.setattr(second_order, "find_trees", watched)
        parser.parse(treebank)
    return found


def test_the_candidates_are_the_proposed_heads_and_those_near_the_best(
    narrow: GraphParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(1)
    shuffled = [random.permutation(n + 1)[:n].tolist() for n in TEST.lengths.tolist()]
    heads = np.concatenate([[-1, *own] for own in shuffled]).astype(np.int32)  # any arcs at all, no trees
    others = [TEST.with_trees(heads, TEST.deprels, TEST.labels), TEST]
    alone = candidates(narrow, TEST, monkeypatch)
    proposed = [
        {(d, h) for other in others for d, h in enumerate(other.sentence(i).heads.tolist()) if d and h != d}
        for i in range(TEST.n_sentences)
    ]
    found = candidates(narrow.with_proposals(others), TEST, monkeypatch)
    assert [{arc for arc in own if len({*arc}) == 2} for own in found] == [
        one | other for one, other in zip(alone, proposed, strict=True)
    ]
    wide = dataclasses.replace(narrow, trainer=dataclasses.replace(narrow.trainer, max_heads=9, proposal_margin=50))
    assert sum(map(len, candidates(wide.with_proposals([TEST]), TEST, monkeypatch))) > sum(map(len, found))
    assert sum(map(len, candidates(wide, TEST, monkeypatch))) < sum(map(len, found))


@given(st.integers(0, 1_000))
@settings(max_examples=10, deadline=None)
def test_proposals_do_not_displace_given_heads(narrow: GraphParser, seed: int) -> None:
    random = np.random.default_rng(seed)
    chains = np.arange(len(TEST.heads)) - TEST.starts - 1  # each word hangs on the one before
    known = np.where(random.random(len(chains)) < 0.3, chains, -1).astype(np.int32)
    arcs = Given(known, np.full_like(known, -1), ())
    parse, _ = narrow.with_proposals([TEST]).parse_counted(TEST, arcs)
    assert (parse.heads == known)[known >= 0].all()


def test_any_sentences_together_give_the_same_trees(ensemble: EnsembleParser) -> None:
    n = LONGEST + 5
    chain = (["dog"] * n, [*range(2, n + 1), 0], ["x"] * (n - 1) + ["root"])
    mixed = Treebank.concatenate([TEST, Treebank.of([chain, ([], [], [])]), TEST])
    whole = trees(ensemble.parse(mixed))
    assert [*whole] == [tree for i in range(mixed.n_sentences) for tree in trees(ensemble.parse(mixed.select([i])))]


def test_folds_are_parsed_as_the_ensemble_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    proposed: list[list[Any]] = []
    found: dict[str, Treebank] = {}

    def watched(parser: GraphParser, parses: Sequence[Treebank]) -> GraphParser:
        proposed.append([trees(parse) for parse in parses])
        return parser

    monkeypatch.setattr(GraphParser, "with_proposals", watched)
    data = TRAINING.select(range(20))
    EnsembleTrainer(TRAINERS, folds=2).train_measured(data, on_folds=lambda _, parses: found.update(parses))
    assert list(found) == list(TRAINERS)
    assert proposed == [
        [trees(found[name].select(held_out)) for name in ("forward", "backward")] for _, held_out in folds_of(20, 2)
    ]
