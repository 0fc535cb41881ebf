"""The vote: equal to its definition on short sentences, to networkx on longer ones, and the laws it obeys."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from random import Random

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.ensemble.parses import LABELS, assert_same_trees, parses, systems, unlabelled, votes, weighted
from tests.reference.vote import all_trees, best_tree
from tests.reference.vote import vote as slow_vote
from tests.strategies import trees
from treevote.conll.reader import read
from treevote.corpus.given import Given
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, roots
from treevote.ensemble.arborescence import spanning_tree
from treevote.ensemble.system_vote import one_root
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import InputError
from treevote.evaluation.counts import check_same_sentences


@given(
    votes(labels=(*LABELS, "_")) | votes(whole_trees=True, labels=("subj", "_")),
    st.lists(st.integers(1, 3), min_size=4, max_size=4),
    st.booleans(),
)
def test_the_vote_is_the_best_of_all_trees(
    ballots: tuple[list[list[int]], list[list[str]]], units: list[int], single_root: bool
) -> None:
    heads, labels = ballots
    units = units[: len(heads)]
    voted = vote(parses(heads, labels), weighted(*units), single_root=single_root)
    slow_heads, slow_labels, support, label_support = slow_vote(heads, labels, units, single_root)
    assert voted.heads[1:].tolist() == slow_heads
    for deprel, head, slow in zip(voted.sentence(0).deprels[1:], slow_heads, slow_labels, strict=True):
        if slow is not None:
            assert deprel == slow
        else:
            assert bool(deprel) == (head >= 0)
    assert voted.support is not None
    assert voted.label_support is not None
    assert voted.support[1:].tolist() == np.array(support, np.float32).tolist()
    assert voted.label_support[1:].tolist() == np.array(label_support, np.float32).tolist()


@given(votes() | votes(whole_trees=True), st.booleans(), st.data())
def test_the_vote_with_given_arcs_is_the_best_of_all_trees_that_hold_them(
    ballots: tuple[list[list[int]], list[list[str]]], single_root: bool, data: st.DataObject
) -> None:
    heads, labels = ballots
    n = len(heads[0])
    tree = data.draw(trees(n, n).filter(lambda tree: not single_root or tree.tolist().count(0) == 1))
    chosen = data.draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    own = [head if held else -1 for head, held in zip(tree[1:].tolist(), chosen, strict=True)]
    known = Treebank.of([(["w"] * n, own, ["given"] * n)])
    given_arcs = Given(known.heads, known.deprels, known.labels)
    voted = vote(parses(heads, labels), single_root=single_root, given=given_arcs)
    with_given = [[own[d] if own[d] >= 0 else row[d] for d in range(n)] for row in heads]
    voted_for = {(head, d) for row in with_given for d, head in enumerate(row, start=1) if head >= 0}
    weight = {arc: sum((row[arc[1] - 1] == arc[0]) for row in with_given) for arc in voted_for}
    every = [each for each in all_trees(n) if not single_root or each.count(0) == 1]
    held = [each for each in every if all(head in (-1, each[d]) for d, head in enumerate(own))]
    best = max(sum(weight.get((head, d), 0) for d, head in enumerate(each, start=1)) for each in held)
    found = tuple(voted.heads[1:].tolist())
    assert found in held
    assert sum(weight.get((head, d), 0) for d, head in enumerate(found, start=1)) == best
    assert all(voted.sentence(0).deprels[d] == "given" for d in range(1, n + 1) if found[d - 1] >= 0)


def test_a_given_label_is_that_of_an_arc_without_a_vote_too() -> None:
    words = ["a", "b", "c"]
    systems = [Treebank.of([(words, [2, 3, 0], ["det", "nsubj", "root"])])] * 2
    half_done = Treebank.of([(words, [-1, 1, 2], ["nsubj", "_", "_"])])
    voted = vote(systems, single_root=True, given=Given.of(half_done, "all", single_root=True))
    assert (voted.heads.tolist(), voted.sentence(0).deprels) == ([-1, 0, 1, 2], ("", "nsubj", "nsubj", "dep"))


@st.composite
def scored_arcs(draw: st.DrawFn) -> list[dict[int, int]]:
    n = draw(st.integers(1, 5))
    most = draw(st.sampled_from([0, 1, 3, 1000]))
    arcs: list[dict[int, int]] = [{}]
    for d in range(1, n + 1):
        others = st.sampled_from([h for h in range(n + 1) if h != d])
        arcs.append(draw(st.dictionaries(others, st.integers(0, most))))
    return arcs


@given(scored_arcs(), st.booleans())
def test_the_spanning_tree_is_the_best_of_all_trees(arcs: list[dict[int, int]], single_root: bool) -> None:
    n = len(arcs) - 1
    scores = {(head, d): score for d, into in enumerate(arcs) for head, score in into.items()}
    heads = spanning_tree(arcs, single_root=single_root)
    assert tuple(heads[1:]) == best_tree(scores, n, single_root)
    if any((head, d) not in scores for d, head in enumerate(heads) if d):  # no tree among the arcs: as heavy as any
        every = [tree for tree in all_trees(n) if not single_root or tree.count(0) == 1]
        totals = (sum(scores.get((head, d), 0) for d, head in enumerate(tree, start=1)) for tree in every)
        assert max(totals) == sum(arcs[d].get(heads[d], 0) for d in range(1, n + 1))


@settings(max_examples=50)
@given(scored_arcs(), st.booleans(), st.data())
def test_the_spanning_tree_is_the_best_of_those_with_the_given_arcs(
    arcs: list[dict[int, int]], single_root: bool, data: st.DataObject
) -> None:
    n = len(arcs) - 1
    every = [tree for tree in all_trees(n) if not single_root or tree.count(0) == 1]
    known = data.draw(st.sampled_from(every))
    held = data.draw(st.sets(st.integers(1, n)))
    arcs = [{known[d - 1]: 1} if d in held else into for d, into in enumerate(arcs)]
    heads = spanning_tree(arcs, single_root=single_root, given=held)
    kept = [tree for tree in every if all(tree[d - 1] == known[d - 1] for d in held)]
    voted = [tree for tree in kept if all(head in arcs[d] for d, head in enumerate(tree, start=1))]

    def weight(tree: Sequence[int]) -> int:
        return sum(arcs[d].get(head, 0) for d, head in enumerate(tree, start=1))

    assert tuple(heads[1:]) in (voted or kept)
    assert weight(heads[1:]) == max(map(weight, voted or kept))


@given(votes(whole_trees=True, max_tokens=12), st.lists(st.integers(1, 9), min_size=4, max_size=4), st.booleans())
def test_the_vote_is_as_heavy_as_the_arborescence_of_networkx(
    ballots: tuple[list[list[int]], list[list[str]]], units: list[int], single_root: bool
) -> None:
    heads, labels = ballots
    units = units[: len(heads)]
    weight: dict[tuple[int, int], int] = {}
    for row, unit in zip(heads, units, strict=True):
        for d, head in enumerate(row, start=1):
            weight[head, d] = weight.get((head, d), 0) + unit

    def heaviest(root: int | None) -> int:
        """Total of the maximum arborescence; ``root`` is the only possible dependent of ROOT."""
        graph = nx.DiGraph()
        graph.add_weighted_edges_from(
            (h, d, w) for (h, d), w in weight.items() if root is None or (h == 0) == (d == root)
        )
        try:
            tree = nx.maximum_spanning_arborescence(graph)
        except nx.NetworkXException:
            return -1
        return sum(weight[arc] for arc in tree.edges) if len(tree) == len(heads[0]) + 1 else -1

    candidates = sorted(d for head, d in weight if head == 0) if single_root else [None]
    expected = max(map(heaviest, candidates))
    assume(expected >= 0)
    voted = vote(parses(heads, labels), weighted(*units), single_root=single_root).heads.tolist()
    assert sum(weight[head, d] for d, head in enumerate(voted) if d) == expected


@given(systems(), st.booleans())
def test_the_vote_is_a_tree_with_the_roots_it_should_have(parsed: list[Treebank], single_root: bool) -> None:
    voted = vote(parsed, single_root=single_root)
    assert are_trees(voted).all()
    assert not single_root or (roots(voted) == 1).all()


@given(systems())
def test_a_system_alone_is_its_own_vote(parsed: list[Treebank]) -> None:
    voted = vote(parsed[:1], single_root=False)
    assert_same_trees(voted, parsed[0])
    assert voted.support is not None
    assert voted.label_support is not None
    assert voted.support.tolist() == voted.label_support.tolist() == voted.is_token.astype(float).tolist()


@given(systems())
def test_a_majority_of_one_mind_decides(parsed: list[Treebank]) -> None:
    majority = [parsed[-1]] * len(parsed)
    assert_same_trees(vote([*parsed[:-1], *majority], single_root=False), parsed[-1])


@given(systems())
def test_a_system_without_labels_has_no_say_about_them(parsed: list[Treebank]) -> None:
    bare = list(map(unlabelled, parsed))
    assert_same_trees(vote([bare[0], parsed[0]], single_root=False), parsed[0])
    voted = vote(bare, single_root=False)
    assert {label for sentence in voted for label in sentence.deprels[1:]} == {"_"}
    assert voted.label_support is not None
    assert not voted.label_support.any()


@given(systems())
def test_unanimous_arcs_have_all_support(parsed: list[Treebank]) -> None:
    voted = vote(parsed, single_root=False)
    unanimous = np.all([voted.heads == system.heads for system in parsed], axis=0) & voted.is_token
    assert voted.support is not None
    assert ((voted.support == 1) == unanimous).all()


@given(systems(), st.randoms(use_true_random=False), st.booleans())
def test_sentences_are_voted_on_one_by_one(parsed: list[Treebank], random: Random, single_root: bool) -> None:
    order = list(range(parsed[0].n_sentences))
    random.shuffle(order)
    shuffled = vote([system.select(order) for system in parsed], single_root=single_root)
    straight = vote(parsed, single_root=single_root).select(order)
    assert_same_trees(shuffled, straight)
    assert shuffled.support is not None
    assert straight.support is not None
    assert shuffled.support.tolist() == straight.support.tolist()


@given(systems(), st.booleans())
def test_the_order_of_systems_matters_in_ties_only(parsed: list[Treebank], single_root: bool) -> None:
    def agreement(order: Sequence[Treebank]) -> tuple[int, int]:
        """Votes for the arcs, and for their labels, of the whole result."""
        voted = vote(order, single_root=single_root)
        names = [s.deprels for s in voted.sentences()]
        same = [voted.heads == system.heads for system in order]
        labels = [np.concatenate([s.deprels for s in system.sentences()]) for system in order]
        same_label = [np.concatenate(names) == label for label in labels]
        tokens = voted.is_token
        arcs = sum(int(np.count_nonzero(heads & tokens)) for heads in same)
        both = zip(same, same_label, strict=True)
        return arcs, sum(int(np.count_nonzero(heads & label & tokens)) for heads, label in both)

    assert len({agreement(order) for order in itertools.permutations(parsed)}) == 1


def test_ties_go_to_the_arc_with_agreed_label_then_to_the_system_named_first() -> None:
    heads = [[0, 1], [0, 1], [2, 0], [2, 0]]
    a, b, c, d = parses(heads, [["root", "x"], ["root", "y"], ["x", "root"], ["x", "root"]])
    assert vote([a, b, c, d], single_root=True).heads.tolist() == [-1, 2, 0]
    assert vote([a, c], single_root=True).heads.tolist() == [-1, 0, 1]
    assert vote([c, a], single_root=True).heads.tolist() == [-1, 2, 0]
    assert vote([a, b], single_root=True).sentence(0).deprels == ("", "root", "x")
    assert vote([b, a], single_root=True).sentence(0).deprels == ("", "root", "y")


def test_weights_outvote_numbers() -> None:
    systems = parses([[0, 1], [2, 0], [2, 0]])
    assert vote(systems, single_root=True).heads.tolist() == [-1, 2, 0]
    assert vote(systems, weighted(0.9, 0.4, 0.4), single_root=True).heads.tolist() == [-1, 0, 1]


def test_weights_by_pos_decide_token_by_token() -> None:
    words = [
        Word("a", "_", "NOUN", "_", "_"),
        Word("b", "_", "VERB", "_", "_"),
        Word("c", "_", "ADJ", "_", "_"),
    ]
    one = Treebank.of([(words, [2, 0, 2], ["x", "x", "x"])])
    two = Treebank.of([(words, [3, 0, 1], ["y", "y", "y"])])
    weights = Weights("pos", (0.4, 0.5), ("NOUN", "VERB"), ((0.8, 0.3), (0.1, 0.2)))
    voted = vote([one, two], weights, single_root=True)
    assert voted.heads.tolist() == [-1, 2, 0, 1]
    assert voted.sentence(0).deprels == ("", "x", "y", "y")


def test_one_root_is_kept_and_the_others_find_their_voted_heads() -> None:
    systems = parses([[0, 1, 1], [0, 1, 2], [2, 0, 0], [2, 0, 0]])
    assert vote(systems, single_root=False).heads.tolist() == [-1, 0, 1, 0]
    assert vote(systems, single_root=True).heads.tolist() == [-1, 0, 1, 1]


def test_roots_that_nobody_attached_hang_on_the_root() -> None:
    forest = parses([[0, 0, 2]], [["root", "root", "obj"]])
    voted = vote(forest, single_root=True)
    assert voted.heads.tolist() == [-1, 0, 1, 2]
    assert voted.sentence(0).deprels == ("", "root", "dep", "obj")
    assert voted.support is not None
    assert voted.support.tolist() == [0, 1, 0, 1]


def test_a_sentence_nobody_parsed_stays_and_a_token_nobody_parsed_is_attached() -> None:
    sentences = [(["a", "b"], [-1, -1], ["", ""]), (["a", "b"], [-1, 1], ["", "obj"])]
    voted = vote([Treebank.of(sentences)] * 2, single_root=True)
    assert voted.heads.tolist() == [-1, -1, -1, -1, 0, 1]
    assert voted.sentence(0).deprels == ("", "", "")
    assert voted.sentence(1).deprels == ("", "root", "obj")


def test_who_abstains_takes_nothing_from_the_support() -> None:
    voted = vote(parses([[0, 1], [0, -1], [-1, -1]]), single_root=True)
    assert voted.support is not None
    assert voted.support.tolist() == [0, 1, 1]


def test_no_sentences_no_votes() -> None:
    assert vote([Treebank.of([])] * 2, single_root=True).n_sentences == 0


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ([(["a", "x"], [0, 1], ["r", "y"])], "token 2: expected 'b' as in system 1, found 'x'"),
        ([(["a"], [0], ["r"])], "token 2: expected 'b' as in system 1, found the end of the sentence"),
        ([(["a", "b"], [0, 1], ["r", "y"])] * 2, "expected 1 sentence as in system 1, found 2"),
    ],
)
def test_different_sentences_are_refused(other: list[tuple[list[str], list[int], list[str]]], message: str) -> None:
    ours = Treebank.of([(["a", "b"], [0, 1], ["r", "y"])])
    with pytest.raises(InputError, match=message) as caught:
        vote([ours, ours, Treebank.of(other)], single_root=True)
    assert "system 3" in str(caught.value)


def test_the_file_and_line_of_a_difference_are_named(tmp_path: Path) -> None:
    for name, form in (("one", "b"), ("two", "c")):
        lines = [
            "# sent_id = s9",
            "1\ta\t_\t_\t_\t_\t0\troot\t_\t_",
            f"2\t{form}\t_\t_\t_\t_\t1\tx\t_\t_",
            "",
            "",
        ]
        (tmp_path / f"{name}.conllu").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"two\.conllu, line 3, sentence s9: token 2: expected 'b'"):
        check_same_sentences([read(tmp_path / f"{name}.conllu") for name in ("one", "two")])


def test_a_token_that_is_its_own_head_is_refused() -> None:
    systems = parses([[0, 1], [1, 1]])
    with pytest.raises(InputError, match=r"system 2, sentence 1: token 1: expected its head .* found 1"):
        vote(systems, single_root=True)


def test_no_system_and_too_few_weights_are_refused() -> None:
    with pytest.raises(InputError, match="at least one system"):
        vote([], single_root=True)
    with pytest.raises(InputError, match="expected a system for each of 3 weights, found 1"):
        vote(parses([[0]]), Weights.equal(3), single_root=True)


def test_gold_trees_or_the_systems_tell_the_number_of_roots() -> None:
    one = Treebank.of([(["a", "b"], [0, 1], ["root", "x"])])
    two = Treebank.of([(["a", "b"], [0, 0], ["root", "root"])])
    assert [one_root([one, two]), one_root([two, two]), one_root([one, one], gold=two)] == [True, False, False]
