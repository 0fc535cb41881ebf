"""Records that were not written by a pipeline parser are refused, or give trees: kernels check no bounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.toy_parser import TEST, TRAINING
from treevote.corpus.trees import are_trees
from treevote.errors import ModelError
from treevote.models.pipeline.parser import PipelineParser, PipelineTrainer
from treevote.store.record import Record

FEW = ("s0.upos", "q0.upos", "s0.upos+q0.upos", "q0.feat", "q1.form", "q0.rval")
VALID = PipelineTrainer(templates=FEW, cutoff=1, depth=2).train(TRAINING.select(range(12))).record()

numbers = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 40)
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
arrays = st.builds(
    lambda values, dtype: np.array(values, np.int64).astype(dtype),
    st.lists(numbers, max_size=30),
    st.sampled_from(["i2", "i4", "i8", "u8", "f4", "f8", "?"]),
) | st.builds(lambda dtype: np.zeros((2, 2), dtype), st.sampled_from(["i2", "i4", "u8", "?"]))


@st.composite
def forged(draw: st.DrawFn) -> Record:
    """Records with some parts that do not belong."""
    facts: dict[str, Any] = dict(VALID.facts)
    parts: dict[str, Any] = dict(VALID.arrays)
    texts: dict[str, Any] = dict(VALID.texts)
    stages: dict[str, Record] = dict(VALID.parts)
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.integers(0, 8)):
            case 0:
                parts[draw(st.sampled_from(sorted(VALID.arrays)))] = draw(arrays)
            case 1 | 2 | 3:  # one number of an array
                name = draw(st.sampled_from(sorted(VALID.arrays)))
                copy = np.array(VALID.arrays[name])
                copy[draw(st.integers(0, len(copy) - 1))] = np.int64(draw(numbers)).astype(copy.dtype)
                parts[name] = copy
            case 4:  # an array of another length
                name = draw(st.sampled_from(sorted(VALID.arrays)))
                parts[name] = np.resize(VALID.arrays[name], draw(st.integers(0, len(VALID.arrays[name]) + 5)))
            case 5:
                facts[draw(st.sampled_from(sorted(VALID.facts)))] = draw(junk)
            case 6:
                own: Any = VALID.facts["trainer"]
                assert isinstance(own, Mapping)
                facts["trainer"] = {**own, draw(st.sampled_from(sorted(own))): draw(junk | st.integers(0, 5))}
            case 7:
                texts[draw(st.sampled_from(sorted(VALID.texts)))] = draw(st.lists(st.text(max_size=4), max_size=6))
            case _:
                place_of: dict[str, Any] = draw(st.sampled_from([facts, parts, texts, stages]))
                place_of.pop(draw(st.sampled_from(sorted(place_of))), None)
    return Record(VALID.kind, facts, parts, texts, parts=stages)


@settings(max_examples=200)
@given(forged())
def test_a_forged_record_is_refused_or_gives_trees(record: Record) -> None:
    try:
        parser = PipelineParser.from_record(record)
    except ModelError:
        return
    for depth in (1, 3):
        deeper = dataclasses.replace(parser, trainer=dataclasses.replace(parser.trainer, depth=depth))
        assert are_trees(deeper.parse(TEST.select(range(4)))).all()


@pytest.mark.parametrize(
    "change",
    [
        {"bias": np.zeros(2, np.int32)},
        {"bias": np.zeros(5, np.int32)},
        {"bias": VALID.arrays["bias"].astype(np.int64)},
        {"packed": VALID.arrays["packed"][:-1]},
        {"packed": np.full_like(VALID.arrays["packed"], 32_767)},
        {"keys": VALID.arrays["keys"][:-1]},
        {"keys": VALID.arrays["keys"][None]},
    ],
)
def test_arrays_that_would_lead_kernels_astray_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="train it again"):
        PipelineParser.from_record(dataclasses.replace(VALID, arrays={**VALID.arrays, **change}))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan"), 1, "1", None])
def test_a_scale_is_a_positive_number(scale: Any) -> None:
    with pytest.raises(ModelError, match="its scores"):
        PipelineParser.from_record(dataclasses.replace(VALID, facts={**VALID.facts, "scale": scale}))


def test_actions_that_do_not_fit_the_configuration_are_refused() -> None:
    own: Any = VALID.facts["trainer"]
    for change in ({"wait_right": True}, {"wait_left": False}):
        with pytest.raises(ModelError, match="its scores"):
            PipelineParser.from_record(dataclasses.replace(VALID, facts={**VALID.facts, "trainer": {**own, **change}}))


def test_a_record_of_another_kind_or_without_labels_is_refused() -> None:
    with pytest.raises(ModelError, match="it is of kind lr-parser"):
        PipelineParser.from_record(dataclasses.replace(VALID, kind="lr-parser"))
    with pytest.raises(ModelError, match="labeller"):
        PipelineParser.from_record(dataclasses.replace(VALID, parts={}))
    with pytest.raises(ModelError, match="it is of kind pipeline-parser"):
        PipelineParser.from_record(dataclasses.replace(VALID, parts={"labeller": VALID}))
