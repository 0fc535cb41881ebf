"""Features: kernels and twin see the same in every configuration; counting and looking up as dictionaries do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import features as plain
from tests.reference.walks import WORDS, gold_chooser, mask_of, random_chooser, rich_treebanks, walk
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.errors import ModelError
from treevote.kernels import Keys
from treevote.models.learning.features.atoms import FAR, bin_distance
from treevote.models.learning.features.feature_index import (
    LONGEST_SEARCH,
    STORED_BYTES,
    UNREAD_BITS,
    count_keys,
    find_rows,
    frequent_first,
    index_of,
    map_rows,
    rehash,
    restored_keys,
    stored_keys,
)
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon, WordColumns, attributes, shape, split_feats
from treevote.models.learning.features.stack_and_queue import GRAMMAR, LEFT
from treevote.models.learning.features.templates import TemplateTable, compile_templates
from treevote.models.parsers.transition.arc_standard import Actions, actions_of
from treevote.models.parsers.transition.configuration import Workspace
from treevote.models.parsers.transition.features import fire
from treevote.models.parsers.transition.template_sets import TEMPLATE_SETS, templates_of
from treevote.models.parsers.transition.training import rows_of

# Every kind of atom and place, alone and together, though the named sets may change.
TEMPLATES = (
    *(f"s0.{name}" for name in (*ATTRIBUTES, "feat", "lval", "rval")),
    *("s1.lval", "s1.rval", "q0.lval", "s0.next.lval", "s0.deprel", "s0.l.deprel"),
    *("s0.r.deprel", "s1.l2.deprel", "s1.r2.deprel", "s0.l.l.form", "s1.r.r.upos", "s1.r.l2.prev.form"),
    *("distance", "action", "action2", "action+action2", "s0.upos+distance", "s2.form", "s3.form", "q3.form"),
    *("s0.prev.form", "s0.next.form", "s1.prev.upos", "q0.prev.form", "q2.next.form", "s0.prev.feat"),
    *("s0.upos+s1.upos", "s0.upos+s1.upos+q0.upos", "s0.form+s1.form", "q0.upos+q1.upos+s0.l.deprel"),
    *("s0.feat+s1.feat", "s1.feat+q0.feat+s0.upos", "s0.upos+s0.feat", "s0.xpos+s1.lval+s0.rval"),
    *("s0.agree+s1.agree", "s0.upos+s0.agree+q0.agree", "s1.agree+s1.next.agree+s1.form"),
)


@given(st.lists(st.sampled_from(TEMPLATES), min_size=1, unique=True))
def test_a_step_starts_from_an_earlier_place(templates: list[str]) -> None:
    places = compile_templates(templates, GRAMMAR).places
    steps = places[:, 0] >= LEFT
    assert (places[:, 1] >= 0).all()
    assert (places[steps, 1] < np.flatnonzero(steps)).all()


def fired(space: Workspace, here: int, tokens: Sequence[int], words: WordColumns, table: TemplateTable) -> Counter[int]:
    keys = np.zeros(MAX_FEATURES, np.uint64)
    count = fire(space, here, np.array(tokens, np.int32), words, table, scratch(table), keys)
    return Counter(keys[:count].tolist())


def both(
    treebank: Treebank, training: Treebank, templates: Sequence[str], picks: Sequence[int]
) -> tuple[list[Counter[Hashable]], list[Counter[Hashable]]]:
    """Walk through all sentences and return keys and features of all configurations."""
    lexicon, table = Lexicon.of(training), compile_templates(templates, GRAMMAR)
    words = lexicon.columns(treebank.words)
    known = plain.known_of(training.words, ATTRIBUTES)
    actions = actions_of(training, single_root=False)
    keys: list[Counter[Hashable]] = []
    features: list[Counter[Hashable]] = []
    for i, sentence in enumerate(treebank.sentences()):
        tokens = treebank.tokens[treebank.offsets[i] : treebank.offsets[i + 1]].tolist()
        n = len(tokens) - 1
        for space, here, mirror in walk(n, actions, random_chooser(actions, n, picks)):
            keys.append(Counter[Hashable](fired(space, here, tokens, words, table)))
            features.append(Counter[Hashable](plain.features(mirror, sentence.words, templates, known)))
    return keys, features


@settings(max_examples=40)
@given(rich_treebanks(), rich_treebanks(), st.lists(st.integers(0, 99), min_size=2, max_size=12))
def test_equal_keys_are_equal_features(treebank: Treebank, training: Treebank, picks: list[int]) -> None:
    keys, features = both(treebank, training, TEMPLATES, picks)
    assert [bag.total() for bag in keys] == [bag.total() for bag in features]
    assert plain.occurrences(keys) == plain.occurrences(features)


@settings(max_examples=10)
@given(rich_treebanks(max_sentences=2), st.sampled_from([*TEMPLATE_SETS]), st.data())
def test_the_named_sets_fire_as_they_read(treebank: Treebank, name: str, data: st.DataObject) -> None:
    picks = data.draw(st.lists(st.integers(0, 99), min_size=2, max_size=12))
    keys, features = both(treebank, treebank, templates_of(name), picks)
    assert plain.occurrences(keys) == plain.occurrences(features)


@pytest.mark.parametrize("template", TEMPLATES)
def test_each_template_by_itself(template: str) -> None:
    heads = [[2, 0, 4, 2, 4, 4], [0, 1, 2, 3, 4, 5], [6, 6, 6, 6, 6, 0]]
    treebank = Treebank.of([([*WORDS], tree, ["det", "nsubj", "obj", "det", "obj", "root"]) for tree in heads])
    value_of: dict[Hashable, Hashable] = {}
    for picks in ([0, 7, 3, 11], [5, 2], [1, 2, 3, 0, 4], [0]):
        keys, features = both(treebank, treebank, [template], picks)
        for bag, plain_bag in zip(keys, features, strict=True):
            assert sorted(bag.values()) == sorted(plain_bag.values())
            if len(bag) == 1:
                value_of.setdefault(*bag, *plain_bag)
                assert [value_of[key] for key in bag] == list(plain_bag)
    assert len(set(value_of.values())) == len(value_of)


def test_distances_have_bins() -> None:
    assert [bin_distance(d, FAR) for d in range(1, 13)] == [1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7]
    assert [bin_distance(d, FAR) for d in range(1, 50)] == [plain.bin_of(d) for d in range(1, 50)]


@pytest.mark.parametrize(("n_one", "n_two"), [(100, 100), (32, 126), (126, 32)])
def test_long_feats_are_cut_and_do_no_harm(n_one: int, n_two: int) -> None:
    """With 32 beside 126 the pairs of FEATS leave room for some agreements, and not for all of them."""
    one, two = (
        Word(name, "_", "_", "_", "|".join(f"{name}{i}=1" for i in range(n)))
        for name, n in (("A", n_one), ("B", n_two))
    )
    treebank = Treebank.of([([one, two, one], [2, 0, 2], ["a", "root", "b"])])
    templates = ["s0.form", "s0.feat+s1.feat", "s0.agree+s1.agree"]
    actions = actions_of(treebank, single_root=True)
    words = Lexicon.of(treebank).columns(treebank.words)
    most = 0
    for space, here, _ in walk(3, actions, random_chooser(actions, 3, [0, 0, 0, 1, 1, 1])):
        bag = fired(space, here, treebank.tokens.tolist(), words, compile_templates(templates, GRAMMAR))
        most = max(most, bag.total())
    assert most == MAX_FEATURES


def rows_by_hand(
    treebank: Treebank, actions: Actions, templates: Sequence[str], cutoff: int
) -> tuple[list[Counter[Hashable]], list[int]]:
    """Follow the oracle; drop rare features, and configurations without a choice."""
    known = plain.known_of(treebank.words, ATTRIBUTES)
    bags: list[Counter[plain.Feature]] = []
    chosen = []
    for i, sentence in enumerate(treebank.sentences()):
        deprels = treebank.deprels[treebank.offsets[i] : treebank.offsets[i + 1]].tolist()
        n = len(deprels) - 1
        choose = gold_chooser(actions, sentence.heads.tolist(), deprels)
        for space, here, mirror in walk(n, actions, choose):
            if here < 2 * n and np.count_nonzero(mask_of(space, actions, here, n)) > 1:
                bags.append(plain.features(mirror, sentence.words, templates, known))
                chosen.append(choose(space, here, mirror))
    total = sum(bags, Counter[plain.Feature]())
    return [Counter({f: times for f, times in bag.items() if total[f] >= cutoff}) for bag in bags], chosen


@settings(max_examples=30)
@given(rich_treebanks(max_sentences=4), st.integers(1, 4))
def test_rows_are_those_of_the_twin(treebank: Treebank, cutoff: int) -> None:
    actions = actions_of(treebank, is_single_rooted(treebank))
    words = Lexicon.of(treebank).columns(treebank.words)
    rows = rows_of(treebank, words, actions, compile_templates(TEMPLATES, GRAMMAR), cutoff)
    bags, chosen = rows_by_hand(treebank, actions, TEMPLATES, cutoff)
    assert rows.classes.tolist() == chosen
    found = [
        Counter[Hashable](rows.indices[first:last].tolist())
        for first, last in zip(rows.indptr, rows.indptr[1:], strict=False)
    ]
    assert [bag.total() for bag in found] == [bag.total() for bag in bags]
    assert plain.occurrences(found) == plain.occurrences(bags)
    counts = np.bincount(rows.indices, minlength=len(rows.keys))
    assert (counts >= cutoff).all()
    assert (np.diff(counts) <= 0).all()  # the most frequent first
    assert len(np.unique(rows.keys)) == len(rows.keys)


# The index of features.

keys_strategy = st.lists(st.integers(1, 2**64 - 1), max_size=60).map(
    lambda numbers: np.array([*numbers, *numbers[: len(numbers) // 2]], np.uint64)
)
# Keys that meet in few slots, as numbers with the same lower bits do.
crowded = st.lists(
    st.builds(lambda high, low: (high << 32) | low, st.integers(0, 2**32 - 1), st.integers(0, 7)), max_size=60
).map(lambda numbers: np.array(numbers, np.uint64))


@given(keys_strategy | crowded, st.integers(1, 4))
def test_counting_is_counting(keys: Keys, cutoff: int) -> None:
    slots, counts = np.zeros(128, np.uint64), np.zeros(128, np.int32)
    expected = Counter((keys | np.uint64(1)).tolist())
    half = len(keys) // 2
    assert count_keys(keys[:half], slots, counts) + count_keys(keys[half:], slots, counts) == len(expected)
    larger_slots, larger_counts = np.zeros(512, np.uint64), np.zeros(512, np.int32)
    rehash(slots, counts, larger_slots, larger_counts)
    for table, times in ((slots, counts), (larger_slots, larger_counts)):
        assert {key: count for key, count in zip(table.tolist(), times.tolist(), strict=True) if key} == expected
        frequent = sorted((key for key in expected if expected[key] >= cutoff), key=lambda key: (-expected[key], key))
        assert frequent_first(table, times, cutoff).tolist() == frequent


def test_a_counting_table_grows_with_what_it_holds() -> None:
    heads = [-1 + i for i in range(1, 41)]
    words = [Word(f"w{i}", f"l{i}", "X", f"x{i}", "_") for i in range(40)]
    treebank = Treebank.of([(words, heads, ["x"] * 40)] * 30)
    columns = Lexicon.of(treebank).columns(treebank.words)
    templates = [f"s0.form+q0.form+{atom}" for atom in ("distance", "s1.form", "q1.lemma", "s2.form", "action")]
    actions = actions_of(treebank, single_root=False)
    rows = rows_of(treebank, columns, actions, compile_templates([*templates, "s0.form"], GRAMMAR), cutoff=30)
    assert (np.bincount(rows.indices) == 30).sum() > 100


# A slot keeps the upper half of a key: keys that share it may be taken for each other.
unlike = st.lists(st.integers(0, 2**64 - 1), max_size=60, unique_by=lambda key: key >> 32).map(set)


@given(unlike, unlike, st.data())
def test_finding_rows_is_a_look_up(known: set[int], others: set[int], data: st.DataObject) -> None:
    others = {key for key in others if key >> 32 not in {other >> 32 for other in known}}
    keys = np.unique(np.array(sorted(known), np.uint64) | np.uint64(1))
    rows = np.array(data.draw(st.permutations(range(len(keys)))), np.int64) * 1_000_003
    table = dict(zip(keys.tolist(), rows.tolist(), strict=True))
    slots = index_of(keys, rows)
    asked = np.array(data.draw(st.permutations(sorted(known | others))), np.uint64)
    found = np.full(len(asked), -1, np.int64)
    n = find_rows(asked, len(asked), slots, found)
    assert found[:n].tolist() == [table[key | 1] for key in asked.tolist() if key | 1 in table]
    assert 2 * np.count_nonzero(slots) <= len(slots)


@given(crowded)
def test_keys_that_meet_in_a_slot_are_told_apart(keys: Keys) -> None:
    distinct = np.array(sorted({int(key) | 1 for key in keys}), np.uint64)
    distinct = distinct[np.unique(distinct >> np.uint64(32), return_index=True)[1]]
    slots = index_of(distinct, np.arange(len(distinct)))
    found = np.zeros(len(distinct), np.int64)
    assert find_rows(distinct, len(distinct), slots, found) == len(distinct)
    assert found.tolist() == list(range(len(distinct)))
    strange = np.array([0x1234567890ABCDEF], np.uint64)
    assert find_rows(strange, 1, slots, found) == 0


@pytest.mark.parametrize(
    "keys",
    [
        np.full(LONGEST_SEARCH + 2, 7, np.uint64),
        (np.arange(LONGEST_SEARCH + 2, dtype=np.uint64) << np.uint64(40)) | np.uint64(1),
    ],
    ids=["equal", "in the same slot"],
)
def test_keys_that_would_take_quadratic_time_are_refused(keys: Keys) -> None:
    with pytest.raises(ModelError, match="cannot be told apart"):
        index_of(keys, np.arange(len(keys)))


def test_a_key_may_need_the_longest_search() -> None:
    keys = (np.arange(LONGEST_SEARCH + 1, dtype=np.uint64) << np.uint64(40)) | np.uint64(1)
    found = np.empty(len(keys), np.int64)
    assert find_rows(keys, len(keys), index_of(keys, np.arange(len(keys))), found) == len(keys)
    assert (found == np.arange(len(keys))).all()


@pytest.mark.parametrize("n", [1_000, 300_000, 2**19])
def test_as_many_features_as_there_are_can_be_told_apart(n: int) -> None:
    keys = np.random.default_rng(n).integers(2**64, size=n, dtype=np.uint64) | np.uint64(1)
    assert np.count_nonzero(index_of(keys, np.arange(n))) == n


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_stored_keys_come_back_without_the_bits_that_are_not_read(keys: list[int]) -> None:
    stored = stored_keys(np.array(keys, np.uint64))
    assert stored.shape == (STORED_BYTES, len(keys))
    assert restored_keys(stored).tolist() == [plain.read_bits(key) for key in keys]
    assert np.array_equal(stored_keys(restored_keys(stored)), stored)


def test_an_empty_index_knows_nothing() -> None:
    slots = index_of(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    assert find_rows(np.arange(5, dtype=np.uint64), 5, slots, np.zeros(5, np.int64)) == 0


@given(st.lists(st.lists(st.integers(0, 30), max_size=6), max_size=6))
def test_runs_are_mapped_one_by_one(runs: list[list[int]]) -> None:
    known = np.arange(1, 40, 2, dtype=np.uint64) << np.uint64(UNREAD_BITS)
    slots = index_of(known, np.arange(len(known)))
    keys = np.array([(key | 1) << UNREAD_BITS for run in runs for key in run], np.uint64)
    rows, kept = np.zeros(len(keys), np.int64), np.zeros(len(runs), np.int32)
    written = map_rows(keys, np.array([len(run) for run in runs], np.int32), slots, rows, kept)
    expected = [[(key | 1) // 2 for key in run] for run in runs]
    assert kept.tolist() == [len(run) for run in expected]
    assert rows[:written].tolist() == [row for run in expected for row in run]


# The lexicon.


@given(st.lists(st.sampled_from(WORDS), max_size=6), st.lists(st.sampled_from((*WORDS, ROOT)), max_size=6))
def test_columns_tell_words_apart_as_their_strings_do(training: list[Word], words: list[Word]) -> None:
    heads, labels = [0] * len(training), ["x"] * len(training)
    lexicon = Lexicon.of(Treebank.of([(training, heads, labels)]))
    columns = lexicon.columns(words)
    known = plain.known_of((ROOT, *training), ATTRIBUTES)
    for i, word in enumerate(words):
        for column, name in enumerate(ATTRIBUTES):
            value, number = plain.attribute(word, name), int(columns.values[i, column])
            assert (number > 0) == (value in known[name])
            assert not number or lexicon.values[column][number - 1] == value
        numbers = columns.feats[columns.feats_offsets[i] : columns.feats_offsets[i + 1]]
        assert [lexicon.feats[number - 1] for number in numbers] == [v for v in plain.feats(word) if v in known["feat"]]


@given(st.text(max_size=8), st.text(max_size=4))
def test_any_form_has_attributes(form: str, feats: str) -> None:
    word = Word(form, "_", "_", "_", feats)
    assert dict(zip(ATTRIBUTES, attributes(word), strict=True)) == {
        name: plain.attribute(word, name) for name in ATTRIBUTES
    }
    assert len(shape(form)) <= 8
    assert "|".join(split_feats(feats)) == ("" if feats == "_" else feats)
