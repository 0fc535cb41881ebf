"""Proposals: a graph-based parser looks at heads of the other members, in any order, around given arcs, on folds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.toy_parser import SMALL, TEST, TRAINING, trees
from treevote.annotation.cross_parsing import cross_parsed
from treevote.corpus.folds import folds_of
from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.ensemble import trainer as ensemble_trainer
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.proposals import FEWEST, around, in_turn, parse_in_turn
from treevote.ensemble.selection import Selection, select
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import InputError
from treevote.kernels import Ints
from treevote.models.parsers.decoding.long_sentences import LONGEST
from treevote.models.parsers.graph import second_order
from treevote.models.parsers.graph.parser import GraphParser, GraphTrainer
from treevote.models.parsers.graph.pruning import Masks, mask_of
from treevote.models.parsers.graph.second_order import Scorer, find_trees
from treevote.models.parsers.graph.sentences import Sentences
from treevote.parallel import ONE_JOB
from treevote.protocols import Trainer
from treevote.store.checkpoints import checkpoints

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


@pytest.fixture
def proposed(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """Return the trees that are proposed from now on: those of each member that proposes, each time."""
    found: list[list[Any]] = []
    own = GraphParser.with_proposals

    def watched(parser: GraphParser, parses: Sequence[Treebank]) -> GraphParser:
        found.append([trees(parse) for parse in parses])
        return own(parser, parses)

    monkeypatch.setattr(GraphParser, "with_proposals", watched)
    return found


def alone(ensemble: EnsembleParser, treebank: Treebank) -> list[Any]:
    return [trees(ensemble.members[name].parse(treebank)) for name in ("forward", "backward")]


def test_a_member_that_chooses_gets_the_trees_of_all_others(
    ensemble: EnsembleParser, proposed: list[list[Any]]
) -> None:
    ensemble.parse(TEST)
    assert list(ensemble.parse_members(TEST)) == list(TRAINERS)
    assert proposed == [alone(ensemble, TEST)] * 2
    dataclasses.replace(ensemble, members=dict(reversed(ensemble.members.items()))).parse_members(TEST)
    assert proposed[2] == proposed[1][::-1]


def test_votes_are_learned_from_trees_with_proposals(proposed: list[list[Any]]) -> None:
    trained = EnsembleTrainer(TRAINERS).train(TRAINING, TEST)
    assert proposed == [alone(trained, TEST)]


def test_selected_members_have_no_proposals_of_the_others(
    proposed: list[list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen(*arguments: Any, **named: Any) -> Selection:
        return dataclasses.replace(select(*arguments, **named), members=tuple(TRAINERS), weights="equal")

    monkeypatch.setattr(ensemble_trainer, "select", chosen)
    best_first = dataclasses.replace(SMALL, search="best-first")
    trained = EnsembleTrainer({**TRAINERS, "best-first": best_first}, select=True).train(TRAINING, TEST)
    assert [len(parses) for parses in proposed] == [3, 2]
    assert proposed[1] == alone(trained, TEST)
    proposed.clear()
    on_folds = EnsembleTrainer({**TRAINERS, "best-first": best_first}, folds=2, select=True).train(TRAINING)
    assert [len(parses) for parses in proposed] == [3, 3, 2, 2]
    alike = EnsembleTrainer(TRAINERS, weights="equal", folds=2).train(TRAINING)
    assert proposed[4:] == proposed[2:4]
    assert on_folds.facts["scores"] == alike.facts["scores"]


def test_the_order_of_proposals_changes_nothing(narrow: GraphParser) -> None:
    one, other = TEST, TEST.with_trees(chains(TEST), TEST.deprels, TEST.labels)
    found = narrow.with_proposals([one, other]).parse(TEST)
    assert trees(found) == trees(narrow.with_proposals([other, one]).parse(TEST))
    assert trees(found) == trees(narrow.with_proposals([other, one, other]).parse(TEST))


def test_members_that_choose_do_not_propose_to_each_other(ensemble: EnsembleParser) -> None:
    asked: list[int] = []

    class Chooser:
        trainer = GRAPH

        def with_proposals(self, parses: list[Treebank]) -> Chooser:
            asked.append(len(parses))
            return self

    plain = ensemble.members["forward"]
    parse_in_turn({"a": Chooser(), "b": plain, "c": plain, "d": Chooser()}, TEST, lambda *_: (TEST, 0))
    assert asked == [2, 2]
    parse_in_turn({"a": Chooser(), "b": plain, "c": Chooser()}, TEST, lambda *_: (TEST, 0))  # too few proposals
    assert asked == [2, 2]
    assert FEWEST == 2
    assert around(narrowest := Chooser(), [TEST]) is narrowest
    first_order = dataclasses.replace(GRAPH, order=1)
    assert in_turn({**TRAINERS, "first-order": first_order}) == (["forward", "backward", "first-order"], ["graph"])


def test_proposals_for_other_sentences_are_refused(narrow: GraphParser) -> None:
    with pytest.raises(InputError, match="expected proposals for the same sentences, found others"):
        narrow.with_proposals([TEST, TEST.select(range(3))]).parse(TEST)


def test_the_smaller_of_both_margins_counts(narrow: GraphParser, monkeypatch: pytest.MonkeyPatch) -> None:
    def size(pruning: float, proposal: float, proposals: Sequence[Treebank] = ()) -> int:
        trainer = dataclasses.replace(narrow.trainer, max_heads=9, pruning_margin=pruning, proposal_margin=proposal)
        parser = dataclasses.replace(narrow, trainer=trainer).with_proposals(proposals)
        return sum(map(len, candidates(parser, TEST, monkeypatch)))

    assert size(0, 50) < size(50, 0)
    assert size(0, 50, [TEST]) == size(50, 0, [TEST]) < size(50, 50, [TEST]) == size(99, 50, [TEST])


def chains(treebank: Treebank) -> Ints:
    """Return the heads where each word hangs on the one before."""
    return (np.arange(len(treebank.heads)) - treebank.starts - 1).astype(np.int32)


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
    kept = candidates(narrow, TEST, monkeypatch)
    proposed = [
        {(d, h) for other in others for d, h in enumerate(other.sentence(i).heads.tolist()) if d and h != d}
        for i in range(TEST.n_sentences)
    ]
    found = candidates(narrow.with_proposals(others), TEST, monkeypatch)
    assert [{arc for arc in own if len({*arc}) == 2} for own in found] == [
        one | other for one, other in zip(kept, proposed, strict=True)
    ]


def test_a_member_without_a_narrower_margin_for_proposals_parses_by_itself() -> None:
    wide = dataclasses.replace(GRAPH, pruning_margin=3.0, proposal_margin=3.0)
    assert in_turn({**TRAINERS, "graph": wide}) == (["forward", "graph", "backward"], [])


@given(st.integers(0, 1_000))
@settings(max_examples=10, deadline=None)
def test_proposals_do_not_displace_given_heads(narrow: GraphParser, seed: int) -> None:
    random = np.random.default_rng(seed)
    known = np.where(random.random(len(TEST.heads)) < 0.3, chains(TEST), -1).astype(np.int32)
    arcs = Given(known, np.full_like(known, -1), ())
    parse, _ = narrow.with_proposals([TEST]).parse_counted(TEST, arcs)
    assert (parse.heads == known)[known >= 0].all()


def test_any_sentences_together_give_the_same_trees(ensemble: EnsembleParser) -> None:
    n = LONGEST + 5
    chain = (["dog"] * n, [*range(2, n + 1), 0], ["x"] * (n - 1) + ["root"])
    mixed = Treebank.concatenate([TEST, Treebank.of([chain, ([], [], [])]), TEST])
    whole = trees(ensemble.parse(mixed))
    assert [*whole] == [tree for i in range(mixed.n_sentences) for tree in trees(ensemble.parse(mixed.select([i])))]


def test_folds_are_parsed_as_the_ensemble_parses(proposed: list[list[Any]]) -> None:
    found: dict[str, Treebank] = {}
    data = TRAINING.select(range(20))
    EnsembleTrainer(TRAINERS, folds=2).train_measured(data, on_folds=lambda _, parses: found.update(parses))
    assert list(found) == list(TRAINERS)
    assert proposed == [
        [trees(found[name].select(held_out)) for name in ("forward", "backward")] for _, held_out in folds_of(20, 2)
    ]


def test_a_doctor_parses_folds_as_a_training_does(proposed: list[list[Any]], tmp_path: Path) -> None:
    found: dict[str, Treebank] = {}
    data = TRAINING.select(range(20))
    EnsembleTrainer(TRAINERS, folds=2).train_measured(data, on_folds=lambda _, parses: found.update(parses))
    with checkpoints(tmp_path / "work", {}, work="diagnosis") as steps:
        own = cross_parsed(data, TRAINERS, 2, steps, seed=0, jobs=ONE_JOB)
    assert list(map(trees, own)) == list(map(trees, found.values()))
    assert len(proposed) == 4
    assert proposed[2:] == proposed[:2]
