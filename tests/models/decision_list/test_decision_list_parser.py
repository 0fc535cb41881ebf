"""The decision-list parser: it does what its definition says, learns, explains itself and survives storage."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import decision_list as twin
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import TEST, TRAINING, accuracy, trees
from tests.strategies import projective_trees, treebanks
from treevote.config import from_mapping, to_mapping
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, non_projective, roots
from treevote.errors import ConfigError, InputError, ModelError
from treevote.kernels import Ints
from treevote.models.decision_list.attributes import feature_name
from treevote.models.decision_list.explanation import explain, rules_text
from treevote.models.decision_list.linkage import (
    Linkage,
    add_link,
    all_pairs,
    can_link,
    class_name,
    gold_class,
    pair_arrays,
    unlinked,
)
from treevote.models.decision_list.parser import DecisionListParser, DecisionListTrainer
from treevote.models.decision_list.passes import gold_pass, text_of
from treevote.models.decision_list.training import instances
from treevote.parallel import Jobs
from treevote.store import folder as store
from treevote.store.record import Record

SMALL = DecisionListTrainer(attributes=("upos", "lemma", "feats"), weights=(1, 2), repeats=2, min_gain=2)
PARSER = SMALL.train(TRAINING)


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
def test_training_pairs_are_those_of_the_definition(n_passes: int) -> None:
    numbers = np.array([*map(PARSER.labels.index, TEST.labels), -1], np.int32)
    gold = TEST.with_trees(TEST.heads, numbers[TEST.deprels], PARSER.labels).select(range(6))
    lexicon = PARSER.memo.lexicon
    text = text_of(gold.tokens, gold.offsets, lexicon.columns(gold.words), PARSER.table, PARSER.single_root)
    linkage = unlinked(len(gold.tokens))
    for _ in range(n_passes):
        assert gold_pass(linkage, text, gold.heads, gold.deprels) > 0
    X, classes = instances(linkage, text, gold)
    rows = np.split(X.indices, X.indptr[1:-1])
    names = [sorted({feature_name(f, PARSER.table, lexicon, PARSER.labels) for f in row.tolist()}) for row in rows]
    expected = []
    for i, sentence in enumerate(gold.sentences()):
        first, n = int(gold.offsets[i]), len(sentence.words) - 1
        heads = linkage.heads[first : first + n + 1].tolist()
        links = twin.Links(n, {word: head for word, head in enumerate(heads) if head >= 0})
        links.labels.update({word: sentence.deprels[word] for word in links.heads})
        for left, right in links.pairs(PARSER.single_root):
            label = "NONE"
            if sentence.heads[left] == right:
                label = f"L:{sentence.deprels[left]}"
            elif sentence.heads[right] == left:
                label = f"R:{sentence.deprels[right]}"
            expected.append((sorted(twin.features(PARSER, sentence.words, links, left, right)), label))
    named = [class_name(label_class, PARSER.labels) for label_class in classes.tolist()]
    assert sorted(zip(names, named, strict=True)) == sorted(expected)


@given(projective_trees())
def test_perfect_passes_rebuild_every_projective_tree(heads: Ints) -> None:
    n = len(heads) - 1
    gold = Treebank.of([(["a"] * n, heads[1:].tolist(), ["x"] * n)])
    words = PARSER.memo.lexicon.columns(gold.words)
    text = text_of(gold.tokens, gold.offsets, words, PARSER.table, False)
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


@pytest.mark.parametrize(("links", "repeats"), [("found", 1), ("gold", 2)])
def test_a_parser_learns_the_toy_grammar(links: Any, repeats: int) -> None:
    parser = DecisionListTrainer(links=links, repeats=repeats, min_gain=1).train(TRAINING)
    parse = parser.parse(TEST)
    assert parser.single_root
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > 0.9
    assert parse.words is TEST.words


def test_sentences_of_several_roots_are_learned() -> None:
    two = Treebank.of([(["a", "b", "c"], [0, 1, 0], ["root", "x", "root"]), (["a", "b"], [0, 1], ["root", "x"])] * 10)
    parser = DecisionListTrainer().train(two)
    assert not parser.single_root
    assert trees(parser.parse(two)) == trees(two)


def test_non_projective_trees_come_back() -> None:
    gold = toy_treebank(12, 5, crossing=True)
    own = DecisionListTrainer(encoding="path", min_gain=1, weights=(1, 1, 2)).train(TRAINING).parse(gold)
    plain = DecisionListTrainer(encoding="none", min_gain=1, weights=(1, 1, 2)).train(TRAINING).parse(gold)
    assert accuracy(gold, own) > accuracy(gold, plain)
    assert not any(mark in label for label in own.labels for mark in "↑↓")


def test_the_trees_of_the_input_are_not_looked_at() -> None:
    unknown = np.where(TEST.is_token, -1, TEST.heads).astype(np.int32)
    bare = TEST.with_trees(unknown, np.full_like(TEST.deprels, -1), ())
    assert trees(PARSER.parse(bare)) == trees(PARSER.parse(TEST))


@given(st.lists(st.integers(0, TEST.n_sentences), max_size=4))
@settings(max_examples=10)
def test_any_split_of_the_input_gives_the_same_parses(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), TEST.n_sentences]
    parts = [TEST.select(range(a, b)) for a, b in itertools.pairwise(edges)]
    assert [tree for part in parts for tree in trees(PARSER.parse(part))] == trees(PARSER.parse(TEST))


def test_threads_share_a_parser() -> None:
    fresh = DecisionListParser.from_record(PARSER.record())
    parts = [TEST.select(range(first, first + 10)) for first in (0, 10, 20, 30)] * 2
    with ThreadPoolExecutor(4) as pool:
        found = [trees(parse) for parse in pool.map(fresh.parse, parts)]
    assert [tree for part in found[:4] for tree in part] == trees(PARSER.parse(TEST))
    assert found[:4] == found[4:]


def test_words_that_were_never_seen_and_sentences_without_tokens_are_parsed() -> None:
    parse = PARSER.parse(Treebank.of([(["ζ", "_", ""], [-1] * 3, ["_"] * 3), ([], [], []), (["x"], [-1], ["_"])]))
    assert are_trees(parse).all()
    assert PARSER.parse(Treebank.of([])).n_sentences == 0
    long = Treebank.of([(["dog", "ζ", "saw", "."] * 250, [-1] * 1_000, ["_"] * 1_000)])
    assert are_trees(PARSER.parse(long)).all()


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


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(InputError, match="found no sentence"):
        SMALL.train(Treebank.of([]))


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


def test_progress_is_told() -> None:
    calls: list[tuple[str, int, int]] = []
    SMALL.train(TRAINING, jobs=Jobs(progress=lambda *call: calls.append(call)))
    assert calls == [("passes", 1, 2), ("passes", 2, 2)]


def test_two_trainings_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = SMALL.train(TRAINING, seed=3), SMALL.train(TRAINING, seed=4, jobs=Jobs(2))
    assert content(one.record()) == content(two.record())
    store.save(one.record(), tmp_path / "one")
    loaded = DecisionListParser.from_record(store.load(tmp_path / "one"))
    assert content(loaded.record()) == content(one.record())
    assert trees(loaded.parse(TEST)) == trees(one.parse(TEST))
    assert loaded.trainer == one.trainer == from_mapping(DecisionListTrainer, to_mapping(SMALL))


def test_a_parser_travels_between_processes_whole() -> None:
    copy = pickle.loads(pickle.dumps(PARSER))
    assert content(copy.record()) == content(PARSER.record())
    assert trees(copy.parse(TEST)) == trees(PARSER.parse(TEST))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"attributes": ("upos", "lema")}, "unknown attribute 'lema'; did you mean 'lemma'"),
        ({"attributes": ()}, "attributes should be one or more"),
        ({"attributes": ("upos", "upos")}, "attributes should be one or more, each once"),
        ({"attributes": "all"}, "unknown attribute"),
        ({"links": "golden"}, "unknown links 'golden'; did you mean 'gold'"),
        ({"encoding": "paths"}, "unknown encoding 'paths'; did you mean 'path'"),
        ({"weights": ()}, "weights should be of 1 to 100 passes, found 0"),
        ({"weights": (1, 0)}, "weights should be in 1..100, found 0"),
        ({"suffixes": 5}, "suffixes should be in 1..4, found 5"),
        ({"context": -1}, "context should be in 0..9, found -1"),
        ({"repeats": 0}, "repeats should be in 1..100, found 0"),
        ({"folds": 0}, "folds should be in 1..100, found 0"),
        ({"min_gain": 0}, "min_gain should be in 1"),
        ({"max_rules": 0}, "max_rules should be in 1"),
        ({"max_length": 0}, "max_length should be in 1"),
        ({"free_length": 3}, "free_length should be in 1..2, found 3"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        DecisionListTrainer(**options)


VALID = PARSER.record()
numbers = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 40)


@st.composite
def forged(draw: st.DrawFn) -> Record:
    """Records with some parts that do not belong."""
    facts: dict[str, Any] = dict(VALID.facts)
    arrays: dict[str, Any] = dict(VALID.arrays)
    texts: dict[str, Any] = dict(VALID.texts)
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(VALID.arrays)))
        match draw(st.integers(0, 6)):
            case 0:
                dtype = draw(st.sampled_from(["i2", "i4", "i8", "f8", "?"]))
                arrays[name] = np.array(draw(st.lists(numbers, max_size=30)), np.int64).astype(dtype)
            case 1 | 2:  # one number of an array
                copy = np.array(VALID.arrays[name])
                copy[draw(st.integers(0, len(copy) - 1))] = draw(numbers)
                arrays[name] = copy
            case 3:  # an array of another length
                arrays[name] = np.resize(VALID.arrays[name], draw(st.integers(0, len(VALID.arrays[name]) + 5)))
            case 4:
                junk = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.lists(st.integers())
                own: Any = dict(to_mapping(SMALL))
                own[draw(st.sampled_from(sorted(own)))] = draw(junk)
                facts[draw(st.sampled_from(["trainer", "single_root"]))] = draw(st.just(own) | junk)
            case 5:
                text = draw(st.sampled_from(sorted(VALID.texts)))
                texts[text] = draw(st.lists(st.text(max_size=4) | st.sampled_from(["upos", "form"]), max_size=6))
            case _:
                place: dict[str, Any] = draw(st.sampled_from([facts, arrays, texts]))
                place.pop(draw(st.sampled_from(sorted(place))))
    return Record(VALID.kind, facts, arrays, texts)


@settings(max_examples=150)
@given(forged())
def test_a_forged_record_is_refused_or_gives_trees(record: Record) -> None:
    try:
        parser = DecisionListParser.from_record(record)
    except ModelError:
        return
    parse = parser.parse(TEST.select(range(4)))
    assert are_trees(parse).all()
    list(rules_text(parser))
    explain(parser, TEST, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"offsets_1": VALID.arrays["offsets_1"][::-1].copy()},
        {"offsets_1": VALID.arrays["offsets_1"] + np.int32(1)},
        {"features_1": VALID.arrays["features_1"] + np.int32(2**30)},
        {"features_1": -VALID.arrays["features_1"] - np.int32(1)},
        {"classes_2": VALID.arrays["classes_2"] + np.int32(1_000)},
        {"classes_2": VALID.arrays["classes_2"].astype(np.int64)},
        {"decided_1": VALID.arrays["decided_1"] - np.int32(10_000)},
        {"right_1": VALID.arrays["right_1"][:-1]},
        {name: VALID.arrays[name][:0] for name in ("features_1", "classes_1", "gains_1", "decided_1", "right_1")},
    ],
)
def test_arrays_that_would_lead_kernels_astray_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="train it again"):
        DecisionListParser.from_record(dataclasses.replace(VALID, arrays={**VALID.arrays, **change}))


def test_a_record_of_another_kind_is_refused() -> None:
    with pytest.raises(ModelError, match="it is of kind ensemble"):
        DecisionListParser.from_record(dataclasses.replace(VALID, kind="ensemble"))
