"""Tagsets: their numbers, groups and parts, and what is left out where there are too many."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import tagger as twin
from treevote.models.text.tagging import tagset as module
from treevote.models.text.tagging.tagset import MAX_PARTS, MIN_OCCURRENCES, Tagset
from treevote.store.record import Record

GROUPS = ("DET", "NOUN", "VERB")
FEATS = ("_", "A=1", "A=2", "B=1", "A=1|B=1", "A=2|B=1", "A=1|B=2", "C", "C|C", "|", "=")
pairs = st.lists(st.tuples(st.sampled_from(GROUPS), st.sampled_from(FEATS)), min_size=1, max_size=40)


@given(pairs, st.booleans())
def test_classes_are_those_that_occur(pairs: list[tuple[str, str]], split: bool) -> None:
    tagset, counts = Tagset.of(pairs, split=split), Counter(pairs)
    assert list(tagset.groups) == sorted({group for group, _ in pairs})
    assert tagset.starts[0] == 0
    assert (np.diff(tagset.starts) > 0).all()
    for i, group in enumerate(tagset.groups):
        own = tagset.names[tagset.starts[i] : tagset.starts[i + 1]]
        assert list(own) == sorted({name for other, name in pairs if other == group})
        assert [tagset.numbers()[group, name] for name in own] == list(range(tagset.starts[i], tagset.starts[i + 1]))
    assert len(tagset.numbers()) == len(set(pairs))
    for pair, number in tagset.numbers().items():
        assert tagset.own[number] == (not split or counts[pair] >= MIN_OCCURRENCES)


@given(pairs, st.booleans())
def test_parts_are_those_of_the_twin(pairs: list[tuple[str, str]], split: bool) -> None:
    tagset = Tagset.of(pairs, split=split)
    parts, at = tagset.parts, 0
    kinds: dict[str, int] = {}
    for group in range(len(tagset.groups)):
        first, last = tagset.starts[group], tagset.starts[group + 1]
        every, of_class = twin.parts_of(tagset.names[first:last], split=split)
        assert parts.bases[group + 1] - parts.bases[group] == len(every)
        for c, own in enumerate(of_class):
            assert parts.offsets[first + c] == at
            found = parts.values[at : at + len(own) - 1] - parts.bases[group]
            assert [every[k] for k in found.tolist()] == own[1:]
            at += len(found)
        for k, part in enumerate(every):
            kind = parts.kinds[parts.bases[group] + k]
            name = str(part[1]).split("=")[0]
            assert kind == (-1 if part[0] == "whole" else kinds.setdefault(name, int(kind)))
        if split:
            assert tagset.part_names(group) == [part[1] for part in every if part[0] == "feature"]
    assert len(set(kinds.values())) == len(kinds)
    assert parts.offsets[-1] == at == len(parts.values)


def test_features_beyond_the_limit_are_no_parts() -> None:
    tagset = Tagset.of([("X", "|".join(f"F{i}=1" for i in range(100)))], split=True)
    assert len(tagset.parts.values) == module.MAX_VALUES == len(tagset.part_names(0))


@given(pairs, st.integers(1, 12), st.booleans())
def test_the_rarest_classes_are_left_out(pairs: list[tuple[str, str]], most: int, split: bool) -> None:
    counts = Counter(pairs)
    groups = {group for group, _ in pairs}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_CLASSES", most)
        tagset = Tagset.of(pairs, split=split)
    kept = set(tagset.numbers())
    assert len(kept) <= max(most, len(groups))
    assert kept <= set(pairs)
    assert set(tagset.groups) == groups
    for group in groups:
        assert max(counts[pair] for pair in kept if pair[0] == group) == max(
            counts[pair] for pair in pairs if pair[0] == group
        )
    by_count = sorted(counts.values(), reverse=True)
    for pair in counts.keys() - kept:
        assert counts[pair] <= by_count[max(0, min(most - len(groups), len(by_count) - 1))]


def test_very_many_features_are_not_split() -> None:
    pairs = [("X", f"Id={i}") for i in range(40_000)]
    tagset = Tagset.of([*pairs, ("X", "Id=7"), ("Y", "Id=7")], split=True)
    assert module.MAX_CLASSES - 1 <= len(tagset.names) <= module.MAX_CLASSES
    assert tagset.parts.bases[-1] <= MAX_PARTS
    assert {("X", "Id=7"), ("Y", "Id=7")} <= tagset.numbers().keys()
    again = Tagset.from_record(tagset.record())
    assert again.parts.bases[-1] == tagset.parts.bases[-1]


@settings(max_examples=50)
@given(pairs, st.booleans())
def test_a_record_gives_the_same_tagset(pairs: list[tuple[str, str]], split: bool) -> None:
    tagset = Tagset.of(pairs, split=split)
    again = Tagset.from_record(tagset.record())
    assert (again.groups, again.names, again.split) == (tagset.groups, tagset.names, tagset.split)
    assert (again.starts.tolist(), again.own.tolist()) == (tagset.starts.tolist(), tagset.own.tolist())


INT = 2**31


@pytest.mark.parametrize(
    ("starts", "groups", "names"),
    [
        ([0, 2, 2], "ab", "xy"),
        ([0, 2, 1], "ab", "x"),
        ([1, 2], "a", "xy"),
        ([0, 1], "a", "xy"),
        ([0, 2], "ab", "xy"),
        ([0], "", ""),
        ([0, INT - 1, -INT, -1, 2], "abcd", "xy"),  # each difference is positive in 32 bits
        ([0, 2], "a", ["x", ""]),
        ([0, 2], "a", ["x", "a\tb"]),
        ([0, 2], "a", ["x", "a\n"]),
        ([0, 2], [""], "xy"),
    ],
)
def test_forged_tagsets_are_refused(starts: list[int], groups: list[str], names: list[str]) -> None:
    arrays = {"starts": np.array(starts, np.int32), "own": np.ones(len(names), np.bool_)}
    record = Record("tagset", {"split": False}, arrays, {"groups": tuple(groups), "names": tuple(names)})
    with pytest.raises(ValueError, match=r"its .*tags|the tag|array starts should rise"):
        Tagset.from_record(record)


@pytest.mark.parametrize("split", [None, 1, "x"])
def test_what_a_tagset_splits_is_true_or_false(split: object) -> None:
    record = Tagset.of([("X", "A=1")], split=False).record()
    with pytest.raises(TypeError, match="split should be true or false"):
        Tagset.from_record(dataclasses.replace(record, facts={"split": split}))  # type: ignore[dict-item]
