"""The labeller: kernels and twin agree, labels keep to their arcs, records come back whole or are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import features as plain
from tests.reference import labelling as twin
from tests.reference.toy_grammar import toy_treebank
from tests.reference.walks import WORDS
from tests.strategies import trees
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Ints
from treevote.models.learning.features.firing import MAX_MEMBERS, scratch
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon
from treevote.models.learning.features.templates import compile_templates
from treevote.models.learning.features.trie import START, mix
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.parsers.given_arcs import GivenArcs
from treevote.models.parsers.labelling.features import GRAMMAR, TEMPLATES, Sentence, fire, max_features
from treevote.models.parsers.labelling.labeller import Labeller, allow_labels, rows_of, train_labeller
from treevote.models.parsers.labelling.surroundings import LINKS, bottom_up, link

# Every kind of atom and place, alone and together, though the default set may change.
EVERY = (
    *(f"d.{name}" for name in (*ATTRIBUTES, "feat", "lval", "rval", "rank", "dependents", "deprel")),
    *(f"h.{name}" for name in ("form", "feat", "lval", "rval", "rank", "dependents", "deprel")),
    *("g.form", "g.feat", "g.dependents", "g.prev.form", "g.l.form", "distance", "between", "agree"),
    *(f"{start}.{step}.form" for start in "dh" for step in ("prev", "next", "l", "r", "il", "ir", "ls", "rs")),
    *("d.ls.deprel", "d.rs.deprel", "d.l.deprel", "d.il.r.form", "d.ls.ls.upos", "h.prev.prev.form", "d.l.dependents"),
    *("d.upos+h.upos", "d.upos+h.upos+distance", "d.upos+h.feat", "d.ls.deprel+h.dependents+d.form", "agree+d.upos"),
)


def rich(
    max_sentences: int = 3, max_tokens: int = 7, labels: Sequence[str] = ("nsubj", "det", "root")
) -> st.SearchStrategy[Treebank]:
    """Treebanks of any trees whose words have all attributes."""
    sentence = trees(max_tokens).flatmap(
        lambda heads: st.tuples(
            st.lists(st.sampled_from(WORDS), min_size=len(heads) - 1, max_size=len(heads) - 1),
            st.just(heads[1:].tolist()),
            st.lists(st.sampled_from(labels), min_size=len(heads) - 1, max_size=len(heads) - 1),
        )
    )
    return st.lists(sentence, min_size=1, max_size=max_sentences).map(Treebank.of)


def trained(treebank: Treebank, **options: Any) -> Labeller:
    return train_labeller(treebank, Lexicon.of(treebank).columns(treebank.words), **options)


def labels_of(labeller: Labeller, lexicon: Lexicon, treebank: Treebank) -> list[int]:
    rows, words = WordMemo(lexicon).encode(treebank.words)
    return list(map(int, labeller.label(words, rows[treebank.tokens], treebank.offsets, treebank.heads)))


@given(trees(12))
def test_links_are_what_the_twin_finds(heads: Ints) -> None:
    plain_heads = heads.tolist()
    links = link(heads)
    for position in range(len(heads)):
        for column, name in enumerate(LINKS):
            found = int(links[position, column])
            if name in ("lval", "rval", "rank"):
                assert found == twin.number(plain_heads, position, name)
            else:
                assert found == (twin.step(plain_heads, position, name) or -1)


@given(trees(12))
def test_dependents_come_before_heads_and_siblings_from_left_to_right(heads: Ints) -> None:
    assert bottom_up(link(heads)).tolist() == [*twin.labelling_order(heads.tolist()), 0]


def both(
    treebank: Treebank, training: Treebank, templates: Sequence[str]
) -> tuple[list[Counter[Hashable]], list[Counter[Hashable]]]:
    """Return keys and features of all arcs, each knowing the gold labels of those labelled before it."""
    table, known = compile_templates(templates, GRAMMAR), plain.known_of(training.words, ATTRIBUTES)
    words = Lexicon.of(training).columns(treebank.words)
    room, keys = scratch(table), np.zeros(max_features(table), np.uint64)
    bags: list[Counter[Hashable]] = []
    plain_bags: list[Counter[Hashable]] = []
    for i, sentence in enumerate(treebank.sentences()):
        span = slice(int(treebank.offsets[i]), int(treebank.offsets[i + 1]))
        heads = treebank.heads[span]
        so_far: dict[int, int] = {}
        deprels = np.full(len(heads), -1, np.int32)
        tree = Sentence(treebank.tokens[span], heads, deprels, link(heads))
        for dependent in twin.labelling_order(heads.tolist()):
            count = fire(tree, dependent, words, table, room, keys)
            bags.append(Counter[Hashable](keys[:count].tolist()))
            read = twin.features(heads.tolist(), so_far, sentence.words, dependent, templates, known)
            plain_bags.append(Counter[Hashable](read))
            so_far[dependent] = deprels[dependent] = treebank.deprels[span][dependent]
    return bags, plain_bags


@settings(max_examples=25)
@given(rich(), rich())
def test_equal_keys_are_equal_features(treebank: Treebank, training: Treebank) -> None:
    bags, plain_bags = both(treebank, training, EVERY)
    assert [bag.total() for bag in bags] == [bag.total() for bag in plain_bags]
    assert plain.occurrences(bags) == plain.occurrences(plain_bags)


@settings(max_examples=10)
@given(rich())
def test_the_default_templates_fire_as_they_read(treebank: Treebank) -> None:
    bags, plain_bags = both(treebank, treebank, TEMPLATES)
    assert plain.occurrences(bags) == plain.occurrences(plain_bags)


@pytest.mark.parametrize("template", EVERY)
def test_each_template_by_itself(template: str) -> None:
    heads = [[2, 0, 4, 2, 4, 4], [0, 1, 2, 3, 4, 5], [6, 6, 6, 6, 6, 0], [3, 4, 0, 3, 1, 2]]
    treebank = Treebank.of([([*WORDS], tree, ["det", "nsubj", "obj", "det", "obj", "root"]) for tree in heads])
    bags, plain_bags = both(treebank, treebank, [template])
    value_of: dict[Hashable, Hashable] = {}
    for bag, plain_bag in zip(bags, plain_bags, strict=True):
        assert sorted(bag.values()) == sorted(plain_bag.values())
        if len(bag) == 1:
            assert value_of.setdefault(*bag, *plain_bag) == next(iter(plain_bag))
    assert len(set(value_of.values())) == len(value_of)


def test_the_numbers_of_values_are_in_the_files_of_models() -> None:
    treebank = Treebank.of([([*WORDS[:4]], [2, 0, 2, 2], ["det", "root", "nsubj", "obj"])])
    known = np.array([-1, 0, -1, 2, -1], np.int32)
    tree = Sentence(treebank.tokens, treebank.heads, known, link(treebank.heads))
    words, keys = Lexicon.of(treebank).columns(treebank.words), np.zeros(99, np.uint64)
    numbers = {"d.lval": (1, 1), "h.lval": (2, 2), "h.rval": (3, 3), "d.rank": (1, 2), "distance": (1, 10)}
    numbers |= {"d.rs.deprel": (3, 0), "d.ls.deprel": (0, 3), "g.form": (1, 1), "d.form": (2, 5)}
    for template, of_arcs in numbers.items():
        table = compile_templates([template], GRAMMAR)
        for dependent, number in zip((1, 4), of_arcs, strict=True):
            count = fire(tree, dependent, words, table, scratch(table), keys)
            assert keys[:count].tolist() == [int(mix(START, 0, n)) for n in (number,) if n]


def test_long_feats_and_many_labels_are_cut() -> None:
    word = Word("w", "_", "_", "_", "|".join(f"A{i}=1" for i in range(100)))
    n = 40
    treebank = Treebank.of([([word] * n, [0] + [1] * (n - 1), [f"l{i}" for i in range(n)])])
    templates = ["d.feat", "agree", "h.dependents"]
    bags, plain_bags = both(treebank, treebank, templates)
    assert plain.occurrences(bags) == plain.occurrences(plain_bags)
    assert max(bag.total() for bag in bags) == len(templates) * MAX_MEMBERS


@settings(max_examples=30)
@given(rich(), st.integers(1, 3))
def test_rows_are_the_features_that_are_frequent(treebank: Treebank, cutoff: int) -> None:
    words, table = Lexicon.of(treebank).columns(treebank.words), compile_templates(EVERY, GRAMMAR)
    rows = rows_of(treebank, words, table, cutoff)
    _, plain_bags = both(treebank, treebank, EVERY)
    counts = sum(plain_bags, Counter[Hashable]())
    kept = [Counter({f: times for f, times in bag.items() if counts[f] >= cutoff}) for bag in plain_bags]
    found = [Counter[Hashable](rows.indices[a:b].tolist()) for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)]
    assert plain.occurrences(found) == plain.occurrences(kept)
    gold: list[int] = []
    for i in range(treebank.n_sentences):
        span = slice(int(treebank.offsets[i]), int(treebank.offsets[i + 1]))
        gold += [int(treebank.deprels[span][d]) for d in twin.labelling_order(treebank.heads[span].tolist())]
    assert rows.classes.tolist() == gold


TOY = toy_treebank(60, 1, crossing=True)
TOY_LEXICON = Lexicon.of(TOY)


@pytest.fixture(scope="module")
def labeller() -> Labeller:
    """Return a labeller of the toy grammar."""
    return trained(TOY)


def test_a_small_grammar_is_learnt(labeller: Labeller) -> None:
    test = toy_treebank(40, 2, crossing=True)
    found = labels_of(labeller, TOY_LEXICON, test)
    assert [labeller.labels[k] if k >= 0 else "" for k in found] == [
        test.labels[k] if k >= 0 else "" for k in test.deprels
    ]


@settings(max_examples=25)
@given(rich(2), st.integers(0, 5))
def test_labels_are_those_of_the_twin(treebank: Treebank, seed: int) -> None:
    training = Treebank.concatenate([treebank, treebank])
    lexicon = Lexicon.of(training)
    templates = ("d.form", "h.upos", "d.upos+h.upos", "d.ls.deprel", "d.dependents", "h.dependents+d.form", "distance")
    labeller = train_labeller(training, lexicon.columns(training.words), templates=templates, seed=seed)
    words, weights = lexicon.columns(treebank.words), labeller.guide.weights
    weight_of = unpacked(labeller)
    room, keys = scratch(labeller.table), np.zeros(max_features(labeller.table), np.uint64)
    found = labels_of(labeller, lexicon, treebank)
    for i in range(treebank.n_sentences):
        span = slice(int(treebank.offsets[i]), int(treebank.offsets[i + 1]))
        heads = treebank.heads[span]

        def choose(dependent: int, labels: twin.Labels, span: slice = span, heads: Ints = heads) -> int:
            deprels = np.array([labels.get(position, -1) for position in range(len(heads))], np.int32)
            tree = Sentence(treebank.tokens[span], heads, deprels, link(heads))
            count = fire(tree, dependent, words, labeller.table, room, keys)
            scores = weights.bias.astype(np.int64) + sum(
                (weight_of.get(plain.read_bits(key), 0) for key in keys[:count].tolist()),
                np.zeros(len(labeller.labels), np.int64),
            )
            allowed = labeller.to_root if heads[dependent] == 0 else labeller.to_token
            return min(np.flatnonzero(allowed).tolist(), key=lambda k: (-scores[k], k))

        labels = twin.label_greedily(heads.tolist(), choose)
        assert found[span] == [-1, *(labels[token] for token in range(1, len(heads)))]


def unpacked(labeller: Labeller) -> dict[int, Any]:
    """Return the weights of each key, as `read_bits` of it, as an array, from the packed rows."""
    guide, at = labeller.guide, 0
    result = {}
    for key in guide.keys.tolist():
        size, row = int(guide.packed[at]), np.zeros(len(labeller.labels), np.int64)
        at += 1
        if size < 0:
            row[:] = guide.packed[at : at + len(row)]
            at += len(row)
        else:
            for pair in range(size):
                row[guide.packed[at + 2 * pair]] += guide.packed[at + 2 * pair + 1]
            at += 2 * size
        result[key] = row
    return result


@settings(max_examples=25)
@given(rich(), rich())
def test_arcs_have_labels_that_such_arcs_had_in_training(training: Treebank, treebank: Treebank) -> None:
    labeller, lexicon = trained(training), Lexicon.of(training)
    found = np.array(labels_of(labeller, lexicon, treebank))
    assert ((found == -1) == ~treebank.is_token).all()
    to_root = set(training.deprels[training.heads == 0].tolist())
    to_token = set(training.deprels[training.heads > 0].tolist()) or to_root
    assert set(found[treebank.heads == 0].tolist()) <= to_root
    assert set(found[treebank.heads > 0].tolist()) <= to_token


@pytest.mark.parametrize(
    ("head", "deprel", "allowed"),
    [
        (-1, -1, [True, False, True]),  # nothing is given
        (0, -1, [True, False, False]),  # the third label would move the arc
        (-1, 2, [False, False, True]),
        (0, 1, [False, True, False]),  # the given one, though it is not usual
        (0, 0, [True, False, False]),
        (0, 2, [True, False, True]),  # no label is left
    ],
)
def test_a_given_label_is_kept_and_no_label_moves_a_given_arc(head: int, deprel: int, allowed: list[bool]) -> None:
    nothing, labels = np.zeros(2, np.int32), np.arange(3, dtype=np.int32)
    heads, deprels = np.array([-1, head], np.int32), np.array([-1, deprel], np.int32)
    arcs = GivenArcs(heads, deprels, nothing, nothing, nothing, labels, labels == 2)
    mask = np.zeros(3, np.bool_)
    allow_labels(arcs, 1, labels != 1, mask)
    assert mask.tolist() == allowed


@settings(max_examples=25)
@given(rich(5), st.data())
def test_any_split_gives_the_same_labels(labeller: Labeller, treebank: Treebank, data: st.DataObject) -> None:
    whole = labels_of(labeller, TOY_LEXICON, treebank)
    cut = data.draw(st.integers(0, treebank.n_sentences))
    parts = [treebank.select(range(cut)), treebank.select(range(cut, treebank.n_sentences))]
    assert whole == [label for part in parts for label in labels_of(labeller, TOY_LEXICON, part)]


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, same, other = (trained(TOY, seed=seed).record() for seed in (3, 3, 4))
    assert all(one.arrays[name].tobytes() == same.arrays[name].tobytes() for name in one.arrays)
    assert one.arrays["packed"].tobytes() != other.arrays["packed"].tobytes()


def test_nothing_to_label(labeller: Labeller) -> None:
    assert labels_of(labeller, TOY_LEXICON, Treebank.of([])) == []


@pytest.mark.parametrize(
    ("sentences", "found"),
    [
        ([(["a"], [0], ["root"])], [-1, 0]),
        ([(["a"], [0], ["root"]), (["b"], [0], ["other"])], [-1, 0, -1, 1]),
        ([(["a", "b"], [0, 1], ["x", "x"])], [-1, 0, 0]),
        ([(["a", "b", "c", "d"], [3, 4, 0, 3], ["w", "x", "y", "z"])] * 4, [-1, 0, 1, 2, 3] * 4),  # crossing
    ],
)
def test_the_smallest_treebanks_are_learnt(sentences: Any, found: list[int]) -> None:
    treebank = Treebank.of(sentences)
    assert labels_of(trained(treebank), Lexicon.of(treebank), treebank) == found


def test_who_learnt_from_single_words_labels_other_arcs_too() -> None:
    training = Treebank.of([(["a"], [0], ["root"])])
    longer = Treebank.of([(["a", "b"], [0, 1], ["root", "x"])])
    assert labels_of(trained(training), Lexicon.of(training), longer) == [-1, 0, 0]


def test_without_features_the_label_is_one_that_was_seen() -> None:
    training = Treebank.of([(["a", "b"], [0, 1], ["r", "x"])])  # no word has a tag
    labeller = trained(training, templates=("d.upos+g.upos",))
    assert labels_of(labeller, Lexicon.of(training), training) == [-1, 0, 1]


@pytest.mark.parametrize("heads", [[2, 1], [0, 3], [0, -1], [0, -7]])
def test_heads_that_are_no_tree_are_told(labeller: Labeller, heads: list[int]) -> None:
    treebank = Treebank.of([(["a"], [0], ["root"]), (["a", "b"], [0, 1], ["x", "y"])])
    words, column = TOY_LEXICON.columns(treebank.words), np.array([-1, 0, -1, *heads], np.int32)
    with pytest.raises(InputError, match="sentence 2: expected a tree"):
        labeller.label(words, treebank.tokens, treebank.offsets, column)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"templates": ()}, "expected 1 to"),
        ({"templates": ("d.frm",)}, "template 'd.frm': unknown attribute 'frm'; did you mean 'form'"),
        ({"templates": ("d.up.form",)}, "template 'd.up.form': unknown step 'up'"),
        ({"templates": ("s0.form",)}, "atom 's0.form' should be a place and an attribute"),
        ({"templates": ("form",)}, "atom 'form' should be a place and an attribute"),
        ({"templates": ("d.form", "d.form")}, "it occurs twice"),
        ({"templates": ("d.form+d.form",)}, "it occurs twice, or has an atom twice"),
        ({"templates": ("d.feat+h.feat",)}, "at most one atom of a template can have several values"),
    ],
)
def test_wrong_templates_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        trained(TOY, **options)
