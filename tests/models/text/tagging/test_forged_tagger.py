"""Forged taggers: each is refused, or gives columns that can be written, since kernels check no bounds."""

from __future__ import annotations

import dataclasses
import io
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.test_forged_records import COLUMNS, MISSING, at, changed, forged, items, paths
from tests.models.text.tagging.test_tagger import words_of
from tests.reference.quick_tagger import SMALL, TINY, inflected
from treevote.conll.reader import read
from treevote.conll.writer import dumps
from treevote.errors import ModelError
from treevote.models.text.tagging.tagger import TASKS, Tagger
from treevote.models.text.tagging.tagset import Tagset
from treevote.store import folder as store
from treevote.store.record import Record

TEXT = read(io.BytesIO(dumps(inflected(2, 2)).encode()), trees="ignored")


@pytest.fixture(scope="module")
def valid() -> Record:
    """Return the record of a small tagger with a network."""
    return dataclasses.replace(SMALL, neural=TINY).train(inflected(15, 1)).record()


def check(record: Record) -> None:
    """Tag, unless the record is refused."""
    try:
        tagger = Tagger.from_record(record)
    except ModelError:
        return
    tagged = tagger.tag(TEXT)
    assert [[word.form for word in own] for own in words_of(tagged)] == [
        [word.form for word in own] for own in words_of(TEXT)
    ]
    assert all(all(word) for word in tagged.words)
    again = read(io.BytesIO(dumps(tagged).encode()), format="conllu", trees="ignored")
    assert [len(own) for own in words_of(again)] == [len(own) for own in words_of(TEXT)]


@settings(max_examples=150)
@given(data=st.data())
def test_a_forged_record_is_refused_or_gives_tags(valid: Record, data: st.DataObject) -> None:
    check(data.draw(forged(valid)))


def test_every_item_of_a_record_is_needed(valid: Record) -> None:
    for path, column, name in items(valid, *COLUMNS):
        if column == "parts" and name in "01" and len(at(valid, path).parts) > 3:
            continue  # another tagger is left
        if name == "neural":
            continue  # the linear taggers are left
        with pytest.raises(ModelError, match="again"):
            Tagger.from_record(changed(valid, path, column, name, MISSING))


def test_arrays_of_another_type_or_shape_are_refused(valid: Record) -> None:
    for path, column, name in items(valid, "arrays"):
        array = at(valid, path).arrays[name]
        for other in (array.astype("f4"), array[None], array[:-1], array[:0], np.append(array, array[-1:])):
            with pytest.raises(ModelError, match="again"):
                Tagger.from_record(changed(valid, path, column, name, other))


def test_records_of_another_kind_are_refused(valid: Record) -> None:
    for path in paths(valid):
        own = at(valid, path)
        other = Record("odd", own.facts, own.arrays, own.texts, own.blobs, own.parts)
        with pytest.raises(ModelError, match="again"):
            Tagger.from_record(changed(valid, path[:-1], "parts", path[-1], other) if path else other)


def numbers_of(array: Any) -> Iterator[Any]:
    """Return an array with some of its numbers replaced by extremes."""
    for place in {0, 1, 2, 3, len(array) // 2, len(array) - 1} & {*range(len(array))}:
        for number in (-1, 1 << 31, (1 << 31) - 1, len(array), 7):
            other = np.array(array)
            other[place] = np.array(number).astype(array.dtype)
            yield other


def test_numbers_out_of_range_do_no_harm(valid: Record) -> None:
    for path, _, name in items(valid, "arrays"):
        for other in numbers_of(at(valid, path).arrays[name]):
            check(changed(valid, path, "arrays", name, other))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", ["groups", "names"])
def test_words_of_another_number_or_order_do_no_harm(valid: Record, task: str, name: str) -> None:
    path = (task, "tagset")
    words = at(valid, path).texts[name]
    for other in ([*words, "x"], words[:-1], [], words[::-1], [words[0]] * len(words), ["="] * len(words)):
        check(changed(valid, path, "texts", name, other))
    for word in ("", "a\tb", "a\n"):
        record = changed(valid, path, "texts", name, [*words[:-1], word])
        with pytest.raises(ModelError, match="again"):
            Tagger.from_record(record)


@pytest.mark.parametrize("task", TASKS)
def test_features_alone_are_split(valid: Record, task: str) -> None:
    """Parts of rules, exchanged for one another, could make an empty lemma."""
    record = changed(valid, (task, "tagset"), "facts", "split", task != "feats")
    n_parts = int(Tagset.from_record(record.parts[task].parts["tagset"]).parts.bases[-1])
    for name in record.parts[task].parts.keys() - {"tagset", "dictionary"}:
        bias = np.resize(at(record, (task, name)).arrays["bias"], n_parts)
        record = changed(record, (task, name), "arrays", "bias", bias)
    with pytest.raises(ModelError, match="do not fit"):
        Tagger.from_record(record)


def test_rules_of_lemmas_are_rules(valid: Record) -> None:
    path = ("lemma", "tagset")
    words = at(valid, path).texts["names"]
    for rule in ("=", "same|0||", "dogs"):
        with pytest.raises(ModelError, match="the rules of its lemmas"):
            Tagger.from_record(changed(valid, path, "texts", "names", [*words[:-1], rule]))


def test_a_form_twice_is_refused(valid: Record) -> None:
    words = valid.texts["form"]
    with pytest.raises(ModelError, match="occurs twice"):
        Tagger.from_record(changed(valid, (), "texts", "form", [*words[:-1], words[0]]))


def test_a_tagger_of_the_store_is_the_same(valid: Record, tmp_path: pathlib.Path) -> None:
    store.save(valid, tmp_path / "one")
    loaded, tagger = Tagger.from_record(store.load(tmp_path / "one")), Tagger.from_record(valid)
    assert dumps(loaded.tag(TEXT)) == dumps(tagger.tag(TEXT))
    store.save(loaded.record(), tmp_path / "two")
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
