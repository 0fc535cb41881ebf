"""The contract of parsers: sentences are parsed each for itself, from words and tags alone, and always to trees."""

from __future__ import annotations

import dataclasses
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.subjects import Subject
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import TEST, accuracy, trees
from tests.strategies import treebanks
from tests.values import is_settable
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, roots
from treevote.models.learning.features.word_memo import WordMemo


def test_the_toy_grammar_is_learned(subject: Subject, parser: Any) -> None:
    for use in subject.uses(parser):
        parse = use.parse(TEST)
        assert parse.words is TEST.words
        assert are_trees(parse).all()
        assert use.single_root
        assert (roots(parse) == 1).all()
        assert subject.baseline or accuracy(TEST, parse) > 0.9
        assert not any(mark in label for label in parse.labels for mark in "↑↓")


def test_a_parser_is_one_thing_and_its_settings_are_a_value(subject: Subject, parser: Any) -> None:
    assert subject.baseline or len({parser, subject.parser.from_record(parser.record())}) == 2
    assert subject.trainer == dataclasses.replace(subject.trainer)
    for kind in (type(parser), type(subject.trainer)):
        assert not any(is_settable(kind, field.name) for field in dataclasses.fields(kind))


def test_trees_of_the_input_are_not_looked_at(subject: Subject, parser: Any) -> None:
    unknown = np.where(TEST.is_token, -1, TEST.heads).astype(np.int32)
    bare = TEST.with_trees(unknown, np.full_like(TEST.deprels, -1), ())
    for use in subject.uses(parser):
        assert trees(use.parse(bare)) == trees(use.parse(TEST))


@settings(max_examples=5)
@given(cuts=st.lists(st.integers(0, TEST.n_sentences), max_size=4))
def test_any_split_of_the_text_gives_the_same_parses(subject: Subject, parser: Any, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), TEST.n_sentences]
    parts = [TEST.select(range(*edge)) for edge in itertools.pairwise(edges)]
    for use in subject.uses(parser):
        assert [tree for part in parts for tree in trees(use.parse(part))] == trees(use.parse(TEST))


def test_sentences_parsed_before_do_not_matter(subject: Subject, parser: Any) -> None:
    fresh = subject.parser.from_record(parser.record())
    parser.parse(toy_treebank(5, 9))
    assert trees(parser.parse(TEST)) == trees(fresh.parse(TEST))
    if hasattr(parser, "memo"):
        forgetful = dataclasses.replace(parser, memo=WordMemo(parser.memo.lexicon, limit=3))
        assert trees(forgetful.parse(TEST)) == trees(fresh.parse(TEST))


def test_threads_share_a_parser(subject: Subject, parser: Any) -> None:
    fresh = subject.parser.from_record(parser.record())
    parts = [TEST.select(range(first, first + 10)) for first in (0, 10, 20, 30)] * 3
    with ThreadPoolExecutor(4) as pool:
        found = [trees(parse) for parse in pool.map(fresh.parse, parts)]
    assert [tree for part in found[:4] for tree in part] == trees(parser.parse(TEST))
    assert found[:4] == found[4:8] == found[8:]


@settings(max_examples=15)
@given(treebanks())
def test_any_sentence_is_parsed_to_a_tree(subject: Subject, parser: Any, treebank: Treebank) -> None:
    for use in subject.uses(parser):
        assert are_trees(use.parse(treebank)).all()


def test_unknown_words_empty_sentences_and_single_tokens_are_parsed(subject: Subject, parser: Any) -> None:
    bare = Treebank.of([(["ζ", "_", ""], [-1] * 3, ["_"] * 3), ([], [], []), (["x"], [-1], ["_"])])
    for use in subject.uses(parser):
        parse = use.parse(bare)
        assert are_trees(parse).all()
        assert parse.sentence(2).heads.tolist() == [-1, 0]
        assert use.parse(Treebank.of([])).n_sentences == 0


def test_long_sentences_are_parsed(subject: Subject, parser: Any) -> None:
    long = Treebank.of([(["dog", "ζ", "saw", "."] * 250, [-1] * 1_000, ["_"] * 1_000)])
    for use in subject.uses(parser):
        parse = use.parse(long)
        assert are_trees(parse).all()
        assert roots(parse).tolist() == [1]
