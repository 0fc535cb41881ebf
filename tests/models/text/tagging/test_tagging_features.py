"""What a tagger sees of a sentence: the spelling of forms, the dictionary, and the features of templates."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import tagger as twin
from treevote.corpus.sentence import ROOT, Word
from treevote.errors import ConfigError
from treevote.kernels import Ints
from treevote.models.text.tagging import features as module
from treevote.models.text.tagging.classifier import differ
from treevote.models.text.tagging.dictionary import N_CELLS, Dictionary, find_cells
from treevote.models.text.tagging.features import Text, batches, fire, of_context
from treevote.models.text.tagging.forms import SPELLING, FormMemo, spelling
from treevote.models.text.tagging.templates import FEATS, FURTHEST, LEMMA, TAGS, UPOS, XPOS, compile_templates, mirrored
from treevote.store.record import Record

forms = st.text("abA1é-", max_size=9) | st.text(st.characters(), max_size=9) | st.just(ROOT.form)
INT = 2**31


def words_of(own: Sequence[str]) -> tuple[Word, ...]:
    return (ROOT, *(Word(form, "_", "_", "_", "_") for form in own))


@given(forms)
def test_spelling_is_that_of_the_twin(form: str) -> None:
    assert dict(zip(SPELLING, spelling(form), strict=True)) == {name: twin.spelled(form, name) for name in SPELLING}


@given(st.lists(st.lists(forms, max_size=5), max_size=5), st.integers(0, 6), st.lists(forms, unique=True, max_size=4))
def test_numbers_of_forms_depend_on_the_form_alone(texts: list[list[str]], limit: int, training: list[str]) -> None:
    known = {form: row for row, form in enumerate(training)}
    memo = FormMemo(training, limit=limit)
    for text in texts:
        rows, values, of_form = pickle.loads(pickle.dumps(memo)).encode(words_of(text))
        fresh = values[rows].tolist(), of_form[rows].tolist()
        rows, values, of_form = memo.encode(words_of(text))
        assert (values[rows].tolist(), of_form[rows].tolist()) == fresh
        assert of_form[rows][1:].tolist() == [known.get(form, -1) for form in text]
        for form, row in zip(text, values[rows][1:].tolist(), strict=True):
            assert [value > 0 for value in row] == [bool(string) for string in spelling(form)]
            alone, all_values, _ = FormMemo([]).encode(words_of([form]))
            assert row == all_values[alone[1]].tolist()


occurrences = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=60)


def dictionary_of(pairs: Sequence[tuple[int, int]], n_forms: int = 4) -> Dictionary:
    own, classes = np.array(pairs, np.int32).reshape(-1, 2).T
    return Dictionary.of(own, classes, n_forms)


def found_in(dictionary: Dictionary, form: int, first: int, last: int, gold: int) -> dict[int, int]:
    found, cells = np.full((2, max(0, last - first)), -9, np.int64)
    n = find_cells(dictionary, form, first, last, gold, found, cells)
    assert (found[n:] == -9).all()
    assert ((cells[:n] >= 0) & (cells[:n] < N_CELLS)).all()
    return dict(zip(found[:n].tolist(), cells[:n].tolist(), strict=True))


@given(occurrences, st.integers(-1, 3), st.integers(0, 6), st.integers(0, 6))
def test_cells_are_those_of_the_twin(pairs: list[tuple[int, int]], form: int, first: int, last: int) -> None:
    found = found_in(dictionary_of(pairs), form, first, last, -1)
    assert found == twin.cells(pairs, form, range(first, last))


@given(occurrences)
def test_a_stored_dictionary_has_each_class_of_a_form_once(pairs: list[tuple[int, int]]) -> None:
    offsets, classes, counts = dictionary = dictionary_of(pairs)
    assert all(map(np.array_equal, Dictionary.from_record(dictionary.record(), 4, 6), dictionary))
    twice = Dictionary(2 * offsets, np.repeat(classes, 2), np.repeat(counts, 2))
    with pytest.raises(ValueError, match="the classes of its dictionary"):
        Dictionary.from_record(twice.record(), 4, 6)


@given(occurrences, st.data())
def test_a_token_does_not_see_itself(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    form, gold = data.draw(st.sampled_from(pairs))
    first, last = data.draw(st.integers(0, gold)), data.draw(st.integers(gold + 1, 6))
    found = found_in(dictionary_of(pairs), form, first, last, gold)
    assert found == twin.cells(pairs, form, range(first, last), gold)
    pairs.remove((form, gold))
    assert found == (found_in(dictionary_of(pairs), form, first, last, -1) if pairs else {})


@given(occurrences)
def test_a_record_gives_the_same_dictionary(pairs: list[tuple[int, int]]) -> None:
    dictionary = dictionary_of(pairs)
    again = Dictionary.from_record(dictionary.record(), 4, 6)
    assert [column.tolist() for column in again] == [column.tolist() for column in dictionary]


@pytest.mark.parametrize(
    ("offsets", "classes", "counts"),
    [
        ([0, 1], [0], [0]),
        ([0, 1], [0], [-1]),
        ([0, 1], [0], [INT - 1]),
        ([0, 1], [6], [1]),
        ([0, 1], [-1], [1]),
        ([1, 1], [0], [1]),
        ([0, 1], [0, 1], [1, 1]),
        ([0, 1], [0], [1, 1]),
        ([0, 1, 1], [0], [1]),
        ([0], [], []),
        ([], [], []),
        ([0, 2, 1, 2, 2], [0, 1], [1, 1]),
        ([0, INT - 1, -INT, -1, 1], [0], [1]),  # each difference is positive in 32 bits
    ],
)
def test_forged_dictionaries_are_refused(offsets: list[int], classes: list[int], counts: list[int]) -> None:
    columns = {"offsets": offsets, "classes": classes, "counts": counts}
    record = Record("dictionary", arrays={name: np.array(column, np.int32) for name, column in columns.items()})
    with pytest.raises(ValueError, match=r"dictionary|array offsets should rise"):
        Dictionary.from_record(record, 4 if len(offsets) > 3 else 1, 6)


SETS = {"upos": UPOS.split(), "feats": FEATS.split(), "xpos": XPOS.split(), "lemma": LEMMA.split()}
EVERY = (
    *(f"{place}.{name}" for place in range(-2, 3) for name in (*SPELLING, *TAGS)),
    *("-1.upos+0.form", "0.form+1.xpos+-2.feats", "2.infix5+0.prefix1"),
)


class Drawn(NamedTuple):
    """Sentences of forms, the group and the tags of each token, and the same for kernels."""

    forms: list[list[str]]
    groups: list[list[int]]
    tags: list[list[dict[str, int]]]
    text: Text


@st.composite
def texts(draw: st.DrawFn, max_sentences: int = 4) -> Drawn:
    """Texts in which forms and tags are often the same."""
    sentences = draw(st.lists(st.lists(forms | st.sampled_from(["dogs", "12"]), max_size=4), max_size=max_sentences))
    tag = st.integers(-1, 2)
    tokens = st.tuples(st.integers(0, 3), st.fixed_dictionaries(dict.fromkeys(TAGS, tag)))
    drawn = [draw(st.lists(tokens, min_size=len(each), max_size=len(each))) for each in sentences]
    flat = [form for each in sentences for form in (ROOT.form, *each)]
    rows, values, known = FormMemo(["dogs"]).encode(words_of(flat))
    nothing = (0, dict.fromkeys(TAGS, -1))
    slots = [token for each in drawn for token in (nothing, *each)]
    offsets = np.cumsum([0, *(len(each) + 1 for each in sentences)])
    groups = np.array([group for group, _ in slots], np.int32)
    numbers = np.array([[tags[name] for name in TAGS] for _, tags in slots], np.int32).reshape(-1, len(TAGS))
    return Drawn(
        sentences,
        [[group for group, _ in each] for each in drawn],
        [[{str(name): tag for name, tag in tags.items()} for _, tags in each] for each in drawn],
        Text(rows[1:], offsets, values, known, groups, numbers),
    )


def expected(drawn: Drawn, templates: Sequence[str]) -> list[list[int]]:
    """Return the keys of all tokens, one after the other."""
    return [
        [
            twin.key_of(template, values, templates, group)
            for template, values in twin.fired(own, tags, position, templates)
        ]
        for own, groups, tags in zip(drawn.forms, drawn.groups, drawn.tags, strict=True)
        for position, group in enumerate(groups)
    ]


@settings(max_examples=40)
@given(texts(2), st.sampled_from([EVERY, *SETS.values()]))
def test_features_are_those_of_the_templates(drawn: Drawn, templates: Sequence[str]) -> None:
    table, keys = compile_templates(templates), np.zeros(len(templates), np.uint64)
    found: list[list[int]] = []
    for sentence, own in enumerate(drawn.forms):
        for position in range(1, len(own) + 1):
            n = fire(drawn.text, sentence, position, table, keys)
            found.append(keys[:n].tolist())
    assert found == expected(drawn, templates)


@settings(max_examples=40)
@given(texts(), st.integers(1, 60))
def test_batches_hold_the_features_of_all_tokens(drawn: Drawn, most: int) -> None:
    templates = ("0.form", "-1.lower", "0.suffix2+1.upos")
    classes = np.arange(len(drawn.text.tokens), dtype=np.int32)
    runs: list[list[int]] = []
    numbers: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH_KEYS", most)
        for keys, lengths, own in batches(drawn.text, classes, compile_templates(templates)):
            assert len(keys) <= max(3 * 4, most)  # a sentence, if that is longer
            runs += [run.tolist() for run in np.split(keys, np.cumsum(lengths))[:-1]]
            numbers += own.tolist()
            assert len(lengths) == len(own)
    assert runs == expected(drawn, templates)
    roots = set(drawn.text.offsets.tolist())
    assert numbers == [slot for slot in classes.tolist() if slot not in roots]


@pytest.mark.parametrize("template", EVERY)
def test_a_key_tells_whether_it_is_of_the_context(template: str) -> None:
    (table,) = compile_templates([template]).tolist()
    assert any(position for position, _ in table) == any(not atom.startswith("0.") for atom in template.split("+"))
    key = np.array([twin.key_of(template, ["x"] * (1 + template.count("+")), [template], 0) | 1], np.uint64)
    assert of_context(key).tolist() == [any(position for position, _ in table)]


@pytest.mark.parametrize("templates", SETS.values(), ids=SETS)
def test_templates_can_be_mirrored(templates: list[str]) -> None:
    assert mirrored(mirrored(templates)) == tuple(templates)
    there: Ints = compile_templates(templates)
    back: Ints = compile_templates(mirrored(templates))
    assert (there[:, :, 0] == -back[:, :, 0]).all()
    assert (there[:, :, 1] == back[:, :, 1]).all()


@pytest.mark.parametrize(("name", "later"), [("upos", ("feats", "xpos")), ("feats", ("xpos",)), ("xpos", ())])
def test_default_templates_see_what_is_known_by_then(name: str, later: Sequence[str]) -> None:
    for template in SETS[name]:
        for atom in template.split("+"):
            place, attribute = atom.split(".")
            assert attribute not in later
            assert attribute != name or int(place) < 0


@pytest.mark.parametrize(
    ("templates", "problem"),
    [
        ((), "expected 1 to"),
        (("0.frm",), "unknown attribute 'frm'; did you mean 'form'"),
        (("0.lemma",), "unknown attribute 'lemma'"),
        (("form",), "atom 'form' should be a place and an attribute such as '-2.form'"),
        (("3.form",), "should be a place"),
        (("0.form+-1.form+1.form+2.form",), "at most 3 atoms"),
        (("0.form", "0.form"), "twice"),
    ],
)
@pytest.mark.parametrize("read", [compile_templates, mirrored])
def test_wrong_templates_are_told(read: object, templates: tuple[str, ...], problem: str) -> None:
    assert callable(read)
    with pytest.raises(ConfigError, match=problem):
        read(templates)


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_taggers_differ_where_a_neighbour_has_other_tags(equal: list[bool], data: st.DataObject) -> None:
    position, start = data.draw(st.integers(1, len(equal))), 4
    tags = np.tile(np.arange(start + 1 + len(equal) + 3, dtype=np.int32)[:, None], (2, 1, len(TAGS)))
    # sentences before and behind it, and ROOT, are not looked at
    tags[1, :, 1] += [5] * start + [5, *(not same for same in equal), 5, 5, 5]
    near = [same for at, same in enumerate(equal, 1) if at != position and abs(at - position) <= FURTHEST]
    assert differ(tags, 0, 1, start, position, 1 + len(equal), 1) == (not all(near))
