"""Records that were not written by a parser are refused, or give trees: kernels check no bounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.toy_parser import SMALL, TEST, TRAINING
from treevote.corpus.trees import are_trees
from treevote.errors import ModelError
from treevote.models.transition.parser import TransitionParser
from treevote.store.record import Record

VALID = SMALL.train(TRAINING.select(range(12))).record()

numbers = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 40)
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
arrays = st.builds(
    lambda values, dtype, shape: np.array(values, np.int64).astype(dtype).reshape(shape or (len(values),)),
    st.lists(numbers, max_size=30),
    st.sampled_from(["i2", "i4", "i8", "u8", "f4", "f8", "?"]),
    st.none(),
) | st.builds(lambda dtype: np.zeros((2, 2), dtype), st.sampled_from(["i2", "i4", "u8", "?"]))


@st.composite
def forged(draw: st.DrawFn) -> Record:
    """Records with some parts that do not belong."""
    facts: dict[str, Any] = dict(VALID.facts)
    parts: dict[str, Any] = dict(VALID.arrays)
    texts: dict[str, Any] = dict(VALID.texts)
    within: dict[str, Record] = {}
    kind = VALID.kind
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.integers(0, 9)):
            case 0:
                parts[draw(st.sampled_from(sorted(VALID.arrays)))] = draw(arrays)
            case 1 | 2 | 3:  # one number of an array
                name = draw(st.sampled_from(sorted(VALID.arrays)))
                copy = np.array(VALID.arrays[name])
                place = draw(st.integers(0, len(copy) - 1))
                copy[place] = np.int64(draw(numbers)).astype(copy.dtype)
                parts[name] = copy
            case 4:  # an array of another length
                name = draw(st.sampled_from(sorted(VALID.arrays)))
                parts[name] = np.resize(VALID.arrays[name], draw(st.integers(0, len(VALID.arrays[name]) + 5)))
            case 5:
                facts[draw(st.sampled_from(sorted(VALID.facts)))] = draw(junk)
            case 6:
                own: Any = dict(_mapping(VALID.facts["trainer"]))
                own[draw(st.sampled_from(sorted(own)))] = draw(junk)
                facts["trainer"] = own
            case 7:
                texts[draw(st.sampled_from(sorted(VALID.texts)))] = draw(st.lists(st.text(max_size=4), max_size=6))
            case 8:
                place_of: dict[str, Any] = draw(st.sampled_from([facts, parts, texts]))
                place_of.pop(draw(st.sampled_from(sorted(place_of))))
            case _:
                within["classifier"] = Record(
                    "classifier", draw(st.dictionaries(st.sampled_from(["class", "options"]), junk))
                )
    return Record(kind, facts, parts, texts, parts=within)


def _mapping(value: object) -> Mapping[str, Any]:
    assert isinstance(value, Mapping)
    return value


@settings(max_examples=300)
@given(forged())
def test_a_forged_record_is_refused_or_gives_trees(record: Record) -> None:
    try:
        parser = TransitionParser.from_record(record)
    except ModelError:
        return
    for search_name in ("greedy", "beam", "best-first"):
        parse = parser.with_search(search_name, 3).parse(TEST.select(range(4)))
        assert are_trees(parse).all()


@pytest.mark.parametrize(
    "change",
    [
        {"action_label": np.minimum(VALID.arrays["action_label"] * 100, 99).astype(np.int32)},
        {"action_label": -VALID.arrays["action_label"]},
        {"action_kind": np.zeros_like(VALID.arrays["action_kind"])},
        *({"action_kind": np.append(VALID.arrays["action_kind"][:-1], np.int32(kind))} for kind in (-1, 0, 3)),
        {name: VALID.arrays[name][:1] for name in ("action_kind", "action_label", "to_root", "to_token", "bias")},
        {name: VALID.arrays[name][:-1] for name in ("action_label", "to_root", "to_token")},
        *({name: VALID.arrays[name][:-1]} for name in ("action_kind", "action_label", "to_root", "to_token")),
        {"to_root": np.zeros(len(VALID.arrays["to_root"]), np.bool_)},
        {"to_token": np.zeros(len(VALID.arrays["to_token"]), np.bool_)},
        {"bias": np.zeros(2, np.int32)},
        {"bias": np.zeros(2, np.int32), "keys": np.zeros(0, np.uint64), "packed": np.zeros(0, np.int16)},
        {"bias": VALID.arrays["bias"].astype(np.int64)},
        {"packed": VALID.arrays["packed"][:-1]},
        {"packed": np.full_like(VALID.arrays["packed"], 32_767)},
        {"keys": VALID.arrays["keys"][:-1]},
        {"keys": VALID.arrays["keys"][None]},
    ],
)
def test_arrays_that_would_lead_kernels_astray_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="train it again"):
        TransitionParser.from_record(dataclasses.replace(VALID, arrays={**VALID.arrays, **change}))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan"), 1, "1", None])
def test_a_scale_is_a_positive_number(scale: Any) -> None:
    with pytest.raises(ModelError, match="its scores"):
        TransitionParser.from_record(dataclasses.replace(VALID, facts={**VALID.facts, "scale": scale}))


def test_a_record_of_another_kind_is_refused() -> None:
    with pytest.raises(ModelError, match="it is of kind ensemble"):
        TransitionParser.from_record(dataclasses.replace(VALID, kind="ensemble"))
