"""The contract of forged records: each is refused, or gives trees, since kernels check no bounds."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.subjects import SUBJECTS, Subject
from tests.reference.toy_parser import TEST, TRAINING
from treevote.corpus.trees import are_trees
from treevote.errors import ModelError
from treevote.store.record import Record

TEXT = TEST.select(range(4))
ACTIONS = ["action_kind", "action_label", "to_root", "to_token"]
RULES = ["features_1", "classes_1", "gains_1", "decided_1", "right_1"]
COLUMNS = ("facts", "arrays", "texts", "blobs", "parts")
MISSING = object()

numbers = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 40)
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.integers(0, 5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
arrays = st.builds(
    lambda values, dtype: np.array(values, np.int64).astype(dtype),
    st.lists(numbers, max_size=30),
    st.sampled_from(["i2", "i4", "i8", "u8", "f4", "f8", "?"]),
) | st.builds(lambda dtype: np.zeros((2, 2), dtype), st.sampled_from(["i2", "i4", "u8", "?"]))
words = st.lists(st.text(max_size=4) | st.sampled_from(["upos", "form", "s0.upos"]), max_size=6)

RISES = [0, 1500000000, -1294967296, -1000], [0, 2000000000, -2094967296, -100000000], [0, 2**63 - 1, -2]
"""Beginnings of arrays that fall, but whose differences, in 32 or 64 bits, are positive."""

Path: TypeAlias = tuple[str, ...]


@pytest.fixture(scope="session")
def valid(subject: Subject) -> Record:
    """Return the record of a parser with few features, all of whose numbers may be hit."""
    record: Record = subject.train(TRAINING.select(range(12))).record()
    return record


def paths(record: Record) -> Iterator[Path]:
    """All records within a record."""
    yield ()
    for name, part in record.parts.items():
        yield from ((name, *path) for path in paths(part))


def at(record: Record, path: Path) -> Record:
    return at(record.parts[path[0]], path[1:]) if path else record


def changed(record: Record, path: Path, column: str, name: str, value: Any) -> Record:
    """Return a record in which an item of a record within it is another, or missing."""
    if path:
        inner = changed(record.parts[path[0]], path[1:], column, name, value)
        return changed(record, (), "parts", path[0], inner)
    inside = dict(getattr(record, column))
    if value is MISSING:
        del inside[name]
    else:
        inside[name] = value
    change: Any = {column: inside}
    return dataclasses.replace(record, **change)


def items(record: Record, *columns: str) -> Iterator[tuple[Path, str, str]]:
    """All items of a record and of the records within it."""
    for path in paths(record):
        for column in columns:
            yield from ((path, column, name) for name in getattr(at(record, path), column))


def table(value: object) -> dict[str, Any]:
    """Return a fact that is a table, such as the settings of a trainer; otherwise an empty one."""
    return dict(value) if isinstance(value, dict) else {}


@st.composite
def forged(draw: st.DrawFn, record: Record) -> Record:
    """Records with one to three items that do not belong."""
    for _ in range(draw(st.integers(1, 3))):
        places = [*items(record, *COLUMNS), *2 * [*items(record, "arrays")]]
        if not places:
            break
        path, column, name = draw(st.sampled_from(places))
        value: Any = getattr(at(record, path), column)[name]
        inner = table(value)
        if draw(st.integers(0, 9)) == 0:
            value = MISSING
        elif column == "facts" and inner:
            value = {**inner, draw(st.sampled_from(sorted(inner))): draw(junk)}
        elif column == "facts":
            value = draw(junk)
        elif column == "texts":
            value = draw(words)
        elif column == "arrays" and draw(st.booleans()) and value.size:  # one number
            value = np.array(value)
            value.flat[draw(st.integers(0, value.size - 1))] = np.int64(draw(numbers)).astype(value.dtype)
        elif column == "arrays":
            value = draw(arrays | st.integers(0, len(value) + 5).map(functools.partial(np.resize, value)))
        elif column == "parts":
            value = Record("part", draw(st.dictionaries(st.text(), junk)), value.arrays, value.texts)
        record = changed(record, path, column, name, value)
    return record


@settings(max_examples=80)
@given(data=st.data())
def test_a_forged_record_is_refused_or_gives_trees(subject: Subject, valid: Record, data: st.DataObject) -> None:
    try:
        parser = subject.parser.from_record(data.draw(forged(valid)))
    except ModelError:
        return
    for use in subject.uses(parser):
        parse = use.parse(TEXT)
        assert are_trees(parse).all()
        assert np.isin(parse.deprels[parse.is_token], range(len(parse.labels))).all()


def extremes(array: Any) -> Iterator[Any]:
    """Arrays of the same shape and type: extreme numbers, and wrapping beginnings before the numbers of the array."""
    kind = array.dtype
    numbers: list[Any] = [0, 1]
    if kind.kind in "iu":
        numbers += [np.iinfo(kind).min, np.iinfo(kind).max]
    elif kind.kind == "f":
        numbers += [np.finfo(kind).min, np.finfo(kind).max, np.nan, np.inf, -np.inf]
    yield from (np.full_like(array, number) for number in numbers)
    for rise in RISES if kind.kind in "iu" and array.size else ():
        for rest in (array, np.full_like(array, array.flat[-1])):
            beginning, other = np.array(rise, np.int64)[: array.size].astype(kind), np.array(rest)
            other.flat[: len(beginning)] = beginning
            yield other


def test_extreme_and_wrapping_arrays_are_refused_or_give_trees(subject: Subject, valid: Record) -> None:
    for path, _, name in items(valid, "arrays"):
        for other in extremes(at(valid, path).arrays[name]):
            try:
                parser = subject.parser.from_record(changed(valid, path, "arrays", name, other))
            except ModelError:
                continue
            assert np.isfinite(other).all(), (path, name)
            for use in subject.uses(parser):
                assert are_trees(use.parse(TEXT)).all()


def test_every_item_of_a_record_is_needed(subject: Subject, valid: Record) -> None:
    for path, column, name in items(valid, *COLUMNS):
        if name not in subject.spare:
            with pytest.raises(ModelError):
                subject.parser.from_record(changed(valid, path, column, name, MISSING))


def test_arrays_of_another_type_or_shape_are_refused(subject: Subject, valid: Record) -> None:
    for path, column, name in items(valid, "arrays"):
        array = at(valid, path).arrays[name]
        lengths = () if name in subject.spare else (array[:-1], array[:0], np.append(array, array[-1:], axis=0))
        for other in (array.astype("f8" if array.dtype == np.float32 else "f4"), array[None], *lengths):
            with pytest.raises(ModelError, match="again"):
                subject.parser.from_record(changed(valid, path, column, name, other))


def test_records_of_another_kind_are_refused(subject: Subject, valid: Record) -> None:
    for path in paths(valid):
        other = dataclasses.replace(at(valid, path), kind="odd")
        with pytest.raises(ModelError, match="again"):
            subject.parser.from_record(changed(valid, path[:-1], "parts", path[-1], other) if path else other)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan"), 1, "1", None])
def test_a_scale_is_a_positive_number(subject: Subject, valid: Record, scale: Any) -> None:
    for path, column, name in items(valid, "facts"):
        if name == "scale":
            with pytest.raises(ModelError, match="train it again"):
                subject.parser.from_record(changed(valid, path, column, name, scale))


@pytest.mark.parametrize(
    ("name", "path", "columns", "change"),
    [
        ("transition", (), ["action_label"], lambda array: np.minimum(array * 100, 99)),
        ("transition", (), ["action_label"], np.negative),
        ("transition", (), ["action_kind"], np.zeros_like),
        *(
            ("transition", (), ["action_kind"], lambda array, kind=kind: np.append(array[:-1], kind))
            for kind in (-1, 0, 3)
        ),
        ("transition", (), [*ACTIONS, "bias"], lambda array: array[:1]),
        ("transition", (), ACTIONS[1:], lambda array: array[:-1]),
        ("transition", (), ["to_root"], np.zeros_like),
        ("transition", (), ["to_token"], np.zeros_like),
        ("transition", (), ["bias", "keys", "packed"], lambda array: array[: 2 if array.dtype == np.int32 else 0]),
        ("transition", (), ["packed"], lambda array: np.full_like(array, 32_767)),
        ("pipeline", (), ["packed"], lambda array: np.full_like(array, 32_767)),
        ("pipeline", ("labeller",), ["to_root"], np.zeros_like),
        ("pipeline", ("labeller",), ["to_token"], np.zeros_like),
        ("pipeline", ("labeller",), ["to_root", "to_token", "bias"], lambda array: array[:-1]),
        ("pipeline", ("labeller",), ["packed"], lambda array: np.full_like(array, 32_767)),
        ("decision-list", (), ["offsets_1"], np.flip),
        ("decision-list", (), ["offsets_1"], lambda array: array + 1),
        ("decision-list", (), ["features_1"], lambda array: array + 2**30),
        ("decision-list", (), ["features_1"], np.invert),
        ("decision-list", (), ["classes_2"], lambda array: array + 1_000),
        ("decision-list", (), ["decided_1"], lambda array: array - 10_000),
        ("decision-list", (), RULES, lambda array: array[:0]),
    ],
)
def test_arrays_that_would_lead_kernels_astray_are_refused(
    name: str, path: Path, columns: list[str], change: Any
) -> None:
    subject = SUBJECTS[name]
    record = subject.train(TRAINING.select(range(12))).record()
    for column in columns:
        array = at(record, path).arrays[column]
        record = changed(record, path, "arrays", column, change(array).astype(array.dtype))
    with pytest.raises(ModelError, match="train it again"):
        subject.parser.from_record(record)
