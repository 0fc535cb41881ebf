"""The decision-list parser: parses by its definition, explanations, attributes; see also ``tests.contract``."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import decision_list as twin
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import TEST, TRAINING, trees
from tests.strategies import projective_trees, treebanks
from treevote.corpus.given import Given
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, non_projective, roots
from treevote.kernels import Ints
from treevote.models.parsers.decision_list.attributes import Text, feature_name
from treevote.models.parsers.decision_list.explanation import explain, rules_text
from treevote.models.parsers.decision_list.linkage import (
    Linkage,
    add_link,
    all_pairs,
    can_link,
    class_name,
    gold_class,
    pair_arrays,
    unlinked,
)
from treevote.models.parsers.decision_list.parser import DecisionListParser, DecisionListTrainer
from treevote.models.parsers.decision_list.passes import gold_pass
from treevote.models.parsers.decision_list.training import instances
from treevote.models.parsers.given_arcs import GivenArcs

SMALL = DecisionListTrainer(attributes=("upos", "lemma", "feats"), weights=(1, 2), repeats=2, min_gain=2)


@pytest.fixture(scope="module")
def parser() -> DecisionListParser:
    """Return a parser of the toy grammar."""
    return SMALL.train(TRAINING)


@st.composite
def linkages(draw: st.DrawFn) -> tuple[Linkage, twin.Links]:
    """Random partial linkages, built from the left and from the right by links that are possible."""
    n = draw(st.integers(1, 7))
    here, plain = unlinked(n + 1), twin.Links(n)
    for _ in range(draw(st.integers(0, n))):
        choices = [
            (head, dependent)
            for dependent in range(1, n + 1)
            for head in range(n + 1)
            if head != dependent and plain.may_link(head, dependent, single_root=False)
        ]
        if not choices:
            break
        head, dependent = draw(st.sampled_from(choices))
        add_link(here, min(head, dependent), max(head, dependent), 1 if dependent < head else 2, 0, 0)
        plain.heads[dependent], plain.labels[dependent] = head, ""
    return here, plain


@given(linkages(), st.booleans())
def test_pairs_are_those_that_neither_cross_nor_close_a_cycle(
    both: tuple[Linkage, twin.Links], single_root: bool
) -> None:
    here, plain = both
    pairs, around = pair_arrays(plain.n + 1)
    found = pairs[: all_pairs(here, single_root, pairs, around)].tolist()
    assert sorted(map(tuple, found)) == plain.pairs(single_root)
    for left in range(plain.n + 1):
        for right in range(left + 1, plain.n + 1):
            assert can_link(here, left, right, True, single_root) == plain.may_link(right, left, single_root)
            assert can_link(here, left, right, False, single_root) == plain.may_link(left, right, single_root)


@pytest.mark.parametrize("n_passes", [0, 1])
def test_training_pairs_are_those_of_the_definition(parser: DecisionListParser, n_passes: int) -> None:
    numbers = np.array([*map(parser.labels.index, TEST.labels), -1], np.int32)
    gold = TEST.with_trees(TEST.heads, numbers[TEST.deprels], parser.labels).select(range(6))
    lexicon = parser.memo.lexicon
    text = Text(gold.tokens, gold.offsets, lexicon.columns(gold.words), parser.table, parser.single_root)
    linkage = unlinked(len(gold.tokens))
    for _ in range(n_passes):
        assert gold_pass(linkage, text, gold.heads, gold.deprels) > 0
    X, classes = instances(linkage, text, gold)
    rows = np.split(X.indices, X.indptr[1:-1])
    names = [sorted({feature_name(f, parser.table, lexicon, parser.labels) for f in row.tolist()}) for row in rows]
    expected = []
    for i, sentence in enumerate(gold.sentences()):
        first, n = int(gold.offsets[i]), len(sentence.words) - 1
        heads = linkage.heads[first : first + n + 1].tolist()
        links = twin.Links(n, {word: head for word, head in enumerate(heads) if head >= 0})
        links.labels.update({word: sentence.deprels[word] for word in links.heads})
        for left, right in links.pairs(parser.single_root):
            label = "NONE"
            if sentence.heads[left] == right:
                label = f"L:{sentence.deprels[left]}"
            elif sentence.heads[right] == left:
                label = f"R:{sentence.deprels[right]}"
            expected.append((sorted(twin.features(parser, sentence.words, links, left, right)), label))
    named = [class_name(label_class, parser.labels) for label_class in classes.tolist()]
    assert sorted(zip(names, named, strict=True)) == sorted(expected)


def test_a_value_that_a_word_has_many_times_is_a_feature() -> None:
    words = [Word("a", "a", "X", "_", "|".join(["A=1"] * 128)), Word("b", "b", "Y", "_", "B=2")]
    parser = SMALL.train(treebank := Treebank.of([(words, [2, 0], ["x", "root"])] * 4))
    columns = parser.memo.lexicon.columns(treebank.words)
    text = Text(treebank.tokens, treebank.offsets, columns, parser.table, parser.single_root)
    X, _ = instances(unlinked(len(treebank.tokens)), text, treebank)
    once = X.copy()
    once.data[:] = 1
    X.sum_duplicates()
    assert (X > 0).nnz == X.nnz == len({*zip(*once.nonzero(), strict=True)})


@given(projective_trees())
def test_perfect_passes_rebuild_every_projective_tree(parser: DecisionListParser, heads: Ints) -> None:
    n = len(heads) - 1
    gold = Treebank.of([(["a"] * n, heads[1:].tolist(), ["x"] * n)])
    words = parser.memo.lexicon.columns(gold.words)
    text = Text(gold.tokens, gold.offsets, words, parser.table, False)
    linkage = unlinked(n + 1)
    added = [gold_pass(linkage, text, gold.heads, gold.deprels) for _ in range(n + 1)]
    assert linkage.heads.tolist() == heads.tolist()
    assert added[-1] == 0
    adjacent = sum(abs(int(head) - token) == 1 for token, head in enumerate(heads) if token)
    assert added[0] == adjacent


def test_a_modifier_is_dropped_and_what_it_stood_between_comes_into_contact() -> None:
    """Yuret (2006), section 4: kick the red ball."""
    linkage = unlinked(5)
    pairs, around = pair_arrays(5)

    def seen() -> list[list[int]]:
        found: list[list[int]] = pairs[: all_pairs(linkage, True, pairs, around)].tolist()
        return found

    assert seen() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    add_link(linkage, 3, 4, 1, 0, 0)  # red <- ball
    assert seen() == [[0, 1], [1, 2], [2, 4], [2, 3]]  # "the-red and the-ball"
    add_link(linkage, 2, 4, 1, 0, 0)  # the <- ball
    assert seen() == [[0, 1], [1, 4], [1, 2]]
    assert gold_class(np.array([-1, 0, 4, 4, 1]), np.array([-1, 0, 1, 2, 3]), 1, 4) == 2 + 2 * 3


@pytest.mark.parametrize(
    "trainer",
    [
        SMALL,
        dataclasses.replace(
            SMALL, context=2, weights=(1,), repeats=1, attributes=("form", "suffix", "shape"), suffixes=2
        ),
        dataclasses.replace(SMALL, context=0, links="gold", encoding="none", min_gain=30),
    ],
)
def test_parses_are_those_of_the_definition(trainer: DecisionListTrainer) -> None:
    parser = trainer.train(TRAINING.select(range(30)))
    strange = Treebank.of([(["ζ", "dog", "dog", "?"], [-1] * 4, ["_"] * 4)])
    for sentences in (TEST.select(range(12)), strange):
        linkage = parser.link(sentences)
        for i, sentence in enumerate(sentences.sentences()):
            links = twin.parse(parser, sentence.words)
            span = slice(int(sentences.offsets[i]) + 1, int(sentences.offsets[i + 1]))
            n = len(sentence.words) - 1
            assert linkage.heads[span].tolist() == [links.heads[word] for word in range(1, n + 1)]
            labels = [parser.labels[(label_class - 1) // 2] for label_class in linkage.classes[span].tolist()]
            assert labels == [links.labels[word] for word in range(1, n + 1)]


@settings(max_examples=25)
@given(treebanks(max_sentences=5).filter(lambda bank: bank.n_tokens > 0), treebanks())
def test_whatever_was_learnt_parses_are_trees(training: Treebank, other: Treebank) -> None:
    for trainer in (SMALL, dataclasses.replace(SMALL, min_gain=1, links="gold", encoding="none", weights=(1, 1, 9))):
        parser = trainer.train(training)
        parse = parser.parse(other)
        assert are_trees(parse).all()
        assert (parse.deprels[parse.is_token] >= 0).all()
        assert set(parse.labels) <= set(training.labels)
        if parser.single_root:
            assert (roots(parse)[np.diff(other.offsets) > 1] == 1).all()
        if trainer.encoding == "none":
            assert not non_projective(parse).any()


def test_features_said_twice_are_counted_once() -> None:
    twice = Word("a", "a", "X", "_", "Case=Nom|Case=Nom|Case=Acc")
    gold = Treebank.of([([twice, twice], [2, 0], ["x", "root"])] * 4)
    assert trees(DecisionListTrainer().train(gold).parse(gold)) == trees(gold)


@pytest.mark.parametrize("n", [1, 2])
def test_one_sentence_or_word_is_enough_to_learn_from(n: int) -> None:
    one = Treebank.of([(["a"], [0], ["root"])] * n)
    choices: list[Any] = [("form",), "auto"]
    for attributes in choices:
        parser = DecisionListTrainer(attributes=attributes).train(one)
        assert trees(parser.parse(one)) == trees(one)


def test_attributes_are_selected_on_development_data() -> None:
    """The tag alone tells which word is the head; forms and all else are noise."""
    rng = np.random.default_rng(0)

    def sentences(n: int) -> Treebank:
        result = []
        for _ in range(n):
            tags = ["N", "V"] if rng.random() < 0.5 else ["V", "N"]
            words = [Word(f"w{rng.integers(1_000)}", "_", "X", tag, "_") for tag in tags]
            result.append(
                (words, [2, 0] if tags[0] == "N" else [0, 1], ["x", "root"] if tags[0] == "N" else ["root", "x"])
            )
        return Treebank.of(result)

    training, dev = sentences(60), sentences(40)
    for given_dev in (dev, None):
        parser = DecisionListTrainer(attributes="auto").train(training, given_dev)
        assert parser.attributes == ("xpos",)
        assert parser.trainer.attributes == "auto"
        assert (
            trees(DecisionListParser.from_record(parser.record()).parse(dev)) == trees(parser.parse(dev)) == trees(dev)
        )


def test_development_data_may_have_labels_that_the_training_does_not_have() -> None:
    training = toy_treebank(20, 1)
    dev = training.with_trees(training.heads, training.deprels, [f"new {label}" for label in training.labels])
    assert DecisionListTrainer(attributes="auto").train(training, dev).labels == training.labels


@pytest.mark.parametrize("encoding", ["none", "path"])
def test_explanations_agree_with_the_parse(encoding: Any) -> None:
    parser = dataclasses.replace(SMALL, encoding=encoding).train(TRAINING)
    lines = list(rules_text(parser))
    linkage = parser.link(TEST)
    kinds = set()
    for i in range(TEST.n_sentences):
        why = explain(parser, TEST, i)
        first, last = int(TEST.offsets[i]) + 1, int(TEST.offsets[i + 1])
        assert [item.head for item in why] == linkage.heads[first:last].tolist()
        if encoding == "none":
            parsed = parser.parse(TEST).sentence(i)
            assert [(item.head, item.deprel) for item in why] == list(
                zip(parsed.heads[1:].tolist(), parsed.deprels[1:], strict=True)
            )
        for item in why:
            kinds.add(item.run > 0)
            if item.rule:
                assert item.text.removeprefix("left over; ") in lines
                direction = "L" if item.position < item.head else "R"
                assert f"then {direction}:{item.deprel}  (" in item.text
            assert item.text.startswith(f"pass {item.pass_number}: " if item.run else "left over; ")
            assert 0 <= item.run <= parser.trainer.repeats
    assert True in kinds


def test_rules_read_like_the_paper() -> None:
    words = [
        Word("a", "a", "DET", "_", "_"),
        Word("dog", "dog", "NOUN", "_", "_"),
        Word("barks", "_", "VERB", "_", "_"),
    ]
    toy = Treebank.of([(words, [2, 3, 0], ["det", "nsubj", "root"])] * 5)
    parser = DecisionListTrainer(attributes=("upos",), weights=(1, 1), encoding="none").train(toy)
    lines = list(rules_text(parser))
    first = explain(parser, toy, 2)[0]
    assert first[:6] == (1, "a", 2, "det", 1, 1)
    assert lines[first.rule - 1] == first.text == "pass 1: if left.upos=DET then L:det  (gain 5, right 5 of 5)"


def test_links_are_found_by_lists_that_do_not_know_the_sentences() -> None:
    """Only the words themselves tell which tree a sentence has, and each is in one sentence only."""
    shapes = [([2, 3, 0], ["x", "y", "root"]), ([0, 1, 2], ["root", "y", "x"]), ([2, 0, 2], ["y", "root", "x"])]
    order = np.random.default_rng(0).integers(0, 3, 24)
    gold = Treebank.of([([f"a{i}", f"b{i}", f"c{i}"], *shapes[k]) for i, k in enumerate(order.tolist())])
    own = DecisionListTrainer(attributes=("form",), weights=(1, 1), min_gain=1, folds=1)
    known, unknown = own.train(gold), dataclasses.replace(own, folds=8).train(gold)
    assert known.lists[0].features.tolist() == unknown.lists[0].features.tolist()
    seen = [int(parser.lists[1].decided.sum()) for parser in (known, unknown)]
    assert seen[0] < seen[1]  # with mistakes and gaps more is left to see
    assert are_trees(dataclasses.replace(own, folds=100).train(gold).parse(gold)).all()  # more than sentences


def test_the_first_list_sees_the_words_that_it_has_learned_from_whatever_is_given() -> None:
    parser, test = DecisionListTrainer().train(toy_treebank(60, 1)), toy_treebank(60, 2)
    all_heads = GivenArcs.of(Given.of(test, "heads", single_root=True), test.offsets, parser.labels, "path")
    free, kept = parser.link(test), parser._link(test, *parser.memo.encode(test.words), all_heads)
    right = (free.steps == 0) & (free.heads == test.heads)
    assert right.any()
    assert (kept.rules[right] == free.rules[right]).all()
    assert (kept.heads == test.heads)[test.is_token].all()
