"""Features of arcs, siblings and grandparents: templates, and the places of their weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import graph_features as plain
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.kernels import Longs
from treevote.models.learning.features.atoms import bin_distance
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.features.templates import MAX_TEMPLATES
from treevote.models.parsers.graph.features import (
    FAR,
    MAX_FEATURES,
    Places,
    arc_keys,
    fire_arc,
    fire_pair,
    mix,
    place_of,
    variants_of_arc,
)
from treevote.models.parsers.graph.second_order import fire_part, keys_of
from treevote.models.parsers.graph.template_sets import ARCS, GRANDPARENTS, PRUNER, SIBLINGS
from treevote.models.parsers.graph.templates import TemplateTables, attributes_of, compile_arcs, compile_pairs

BITS = 28
LINES = (
    "h.upos", "d.lower", "h.upos+d.upos", "h.upos+h.next.upos+d.prev.upos+d.upos", "h.prev.lemma+d.next.xpos",
    "h.upos+b.upos+d.upos", "b.lemma", "h.feat+d.feat", "h.upos+d.feat", "h.feat+d.upos", "h.upos+h.feat+d.upos+d.feat",
    "h.agree+d.agree", "h.upos+h.agree+d.upos+d.agree",
)  # fmt: skip
words = st.builds(
    Word,
    st.sampled_from(["a", "B", "c9", "ddd"]),
    st.sampled_from(["a", "_"]),
    st.sampled_from(["N", "V", "_"]),
    st.sampled_from(["N", "x"]),
    st.sampled_from(["_", "C=1", "C=1|N=2", "C=1|D=5|N=2", "C=3", "D=4|N=5"]),
)
sentences = st.lists(words, min_size=1, max_size=14)


def test_keys_are_mixed_as_the_published_generator_does() -> None:
    numbers = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]  # from 0 on
    assert [int(mix(np.uint64(0), value)) for value in range(4)] == numbers


def kernel_input(sentence: list[Word]) -> tuple[list[Word], tuple[object, object]]:
    treebank = Treebank.of([(sentence, [0] * len(sentence), ["x"] * len(sentence))])
    columns = Lexicon.of(treebank).columns(treebank.words)
    return [treebank.words[token] for token in treebank.tokens], (treebank.tokens, columns)


def slots_of(places: Places, variants: tuple[np.uint32, np.uint32]) -> Longs:
    """Return the indices of the weights of features in both variants."""
    return (places[:, None] ^ np.array(variants, np.uint32)).astype(np.int64).ravel()


def match(known: dict[object, int], features: Iterable[object], slots: Longs) -> None:
    """Enter features and their places; the same feature has the same place, and different ones have different ones."""
    for feature, slot in zip(features, slots.tolist(), strict=True):
        assert known.setdefault(feature, slot) == slot
        assert 0 <= slot < 1 << BITS
    assert len(set(known.values())) == len(known)


@settings(max_examples=40)
@given(sentences)
def test_features_of_arcs_are_told_apart_as_a_person_would(sentence: list[Word]) -> None:
    own, (tokens, columns) = kernel_input(sentence)
    table = compile_arcs(LINES)
    keys = arc_keys(table, tokens, columns)  # type: ignore[arg-type]
    places = np.empty(MAX_FEATURES, np.uint32)
    known: dict[object, int] = {}
    for d in range(1, len(own)):
        for h in range(len(own)):
            if h != d:
                count = fire_arc(keys, table.splits, BITS, h, d, places)
                match(known, plain.arc_features(own, LINES, h, d), slots_of(places[:count], variants_of_arc(h, d)))


@settings(max_examples=20)
@given(sentences.filter(lambda own: len(own) <= 7), st.randoms(use_true_random=False))
def test_features_of_pairs_are_told_apart_as_a_person_would(sentence: list[Word], random: Random) -> None:
    own, (tokens, columns) = kernel_input(sentence)
    labels = {(h, d): random.randint(1, 3) for h in range(len(own)) for d in range(1, len(own)) if h != d}
    matrix = np.zeros((len(own), len(own)), np.int16)
    for (h, d), label in labels.items():
        matrix[d, h] = label
    siblings = ("s.upos+d.upos", "labels+h.upos", "h.upos+s.lower+d.upos", "labels", "h.upos+s.next.upos")
    chains = ("labels+g.upos+d.upos", "g.upos+d.upos", "g.lower+h.upos+d.prev.upos")
    tables = TemplateTables.of(("h.upos",), siblings, chains)
    keys = keys_of(tables, tokens, columns, matrix)  # type: ignore[arg-type]
    beside, above = in_order(siblings), in_order(chains)
    places = np.empty(MAX_FEATURES, np.uint32)
    known: dict[object, int] = {}
    for h in range(len(own)):
        for d in range(1, len(own)):
            for other in range(-1, len(own)):
                if len({h, d, other}) == 3 and other != 0:
                    count, variants = fire_part(tables, keys, BITS, 1, (h, d, other), places)
                    slots = slots_of(places[:count], variants)
                    match(known, plain.sibling_features(own, beside, h, other, d, labels), slots)
                if len({h, d, other}) == 3 and (h > 0 or other < 0):
                    count, variants = fire_part(tables, keys, BITS, 2, (h, d, other), places)
                    slots = slots_of(places[:count], variants)
                    match(known, plain.grandparent_features(own, above, other, h, d, labels), slots)


def test_the_key_of_a_part_is_the_sum_of_those_of_its_words_and_labels() -> None:
    """So a stored model gives the same scores with every version."""
    generator, n_templates, n_labelled, bits = np.random.default_rng(0), 5, 2, 20
    keys = generator.integers(2**64, size=(4, 3 * n_templates), dtype=np.uint64)
    places, of_labels = np.empty(n_templates, np.uint32), mix(mix(np.uint64(0), 7), 3)
    for one, two, three in permutations(range(4), 3):
        assert fire_pair(keys, n_labelled, bits, one, two, three, 7, 3, places) == n_templates
        for t, place in enumerate(places.tolist()):
            parts = [keys[one, t], keys[two, n_templates + t], keys[three, 2 * n_templates + t]]
            parts += [of_labels] if t >= n_templates - n_labelled else []
            key = sum(map(int, parts)) % 2**64
            assert place == place_of(np.uint64(key), bits)


def in_order(templates: Sequence[str]) -> list[str]:
    """Return templates in the order of the kernel: those without labels first."""
    return sorted(templates, key=lambda template: "labels" in template.split("+"))


@pytest.mark.parametrize(("n_head", "n_dependent"), [(100, 100), (32, 126), (126, 32)])
def test_more_feats_than_there_is_room_for_are_cut(n_head: int, n_dependent: int) -> None:
    """With 32 beside 126 the pairs of FEATS leave room for some agreements, and not for all of them."""
    head, dependent = (
        Word("a", "a", "N", "_", "|".join(f"{name}{i}=1" for i in range(count)))
        for name, count in (("H", n_head), ("D", n_dependent))
    )
    _, (tokens, columns) = kernel_input([head, dependent])
    table = compile_arcs(("h.feat+d.feat", "h.upos+b.upos", "h.agree+d.agree"))
    keys, behind = arc_keys(table, tokens, columns), 1000  # type: ignore[arg-type]
    places = np.full(MAX_FEATURES + behind, 2**32 - 1, np.uint32)
    assert fire_arc(keys, table.splits, 20, 1, 2, places) == MAX_FEATURES
    assert (places[:MAX_FEATURES] < 2**20).all()
    assert (places[MAX_FEATURES:] == 2**32 - 1).all()


def test_bins_of_distances() -> None:
    assert [bin_distance(distance, FAR) for distance in range(1, 20)] == [
        plain.bin_of(distance) for distance in range(1, 20)
    ]


def test_features_of_sentences_do_not_depend_on_other_words_of_the_treebank() -> None:
    treebank = toy_treebank(6, 1)
    columns = Lexicon.of(treebank).columns(treebank.words)
    table = compile_arcs(LINES)
    tokens = treebank.tokens[treebank.offsets[2] : treebank.offsets[3]]
    places, again = np.zeros(MAX_FEATURES, np.uint32), np.zeros(MAX_FEATURES, np.uint32)
    fire_arc(arc_keys(table, tokens, columns), table.splits, BITS, 2, 1, places)
    fire_arc(arc_keys(table, tokens.copy(), columns), table.splits, BITS, 2, 1, again)
    assert (places == again).all()


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ((), "expected 1 to 1000 templates, found 0"),
        (("h.upos",) * (MAX_TEMPLATES + 1), "expected 1 to 1000 templates, found 1001"),
        (("h.upos", "h.upos"), "it occurs twice"),
        (("h.upos+d.upos", "d.upos+h.upos"), "it occurs twice"),
        (("h.upos+h.upos",), "has an atom twice"),
        (("upos",), "atom 'upos' should be a place and an attribute such as 'h.form'$"),
        (("s.upos",), "should be a place"),
        (("h.before.upos",), "unknown step 'before'"),
        (("h.next.next.upos",), "one step at the most"),
        (("h.next.feat",), "none with 'b' or 'feat'"),
        (("b.feat",), "at most one atom of 'b'"),
        (("b.next.upos",), "none with 'b' or 'feat'"),
        (("b.upos+b.lemma",), "at most one atom of 'b'"),
        (("b.upos+h.feat",), "at most one atom of 'b'"),
        (("",), "should be a place"),
    ],
)
def test_a_wrong_template_is_quoted(lines: tuple[str, ...], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        compile_arcs(lines)


def test_pairs_have_no_split_feats() -> None:
    with pytest.raises(ConfigError, match=r"template 'g.feat\+d.upos': unknown attribute 'feat'"):
        compile_pairs(["g.feat+d.upos"], "ghd", 10)


def test_the_named_sets_compile() -> None:
    assert len(compile_arcs(ARCS.split()).columns.names) > 2 * 50
    assert len(compile_arcs(PRUNER.split()).columns.names) < 2 * 30
    tables = TemplateTables.of(ARCS.split(), SIBLINGS.split(), GRANDPARENTS.split())
    assert min(len(tables.siblings.columns.names), len(tables.grandparents.columns.names)) > 3 * 10
    assert "lower" in attributes_of("h.prev.lower+d.upos")


@pytest.mark.parametrize("bits", [8, 28])
def test_places_are_from_the_first_weight_to_the_last(bits: int) -> None:
    assert place_of(np.uint64(0), bits) == 0
    assert place_of(np.uint64(2**64 - 1), bits) == 2**bits - 1
