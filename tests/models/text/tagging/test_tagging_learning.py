"""Learning of a tagger: steps, gradients and packed weights are those of the twin and of finite differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import features as plain
from tests.reference import tagger as twin
from treevote.errors import ConfigError
from treevote.kernels import Floats
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.text.tagging.dictionary import N_CELLS, Dictionary
from treevote.models.text.tagging.features import Text
from treevote.models.text.tagging.learning import (
    Examples,
    LearnerState,
    LearnerWeights,
    add_parts,
    descend,
    entropy_gradient,
    learn,
    margin_gradient,
    pack,
    scatter_gradient,
)
from treevote.models.text.tagging.tagset import Tagset
from treevote.models.text.tagging.task import SURE, choose

FEATS = ("_", "A=1", "A=2", "A=3", "A=1|B=1", "A=2|B=1", "A=1|B=2", "C", "A=1|A=2")
steps = st.integers(-16, 16).map(lambda n: n / 4)  # sums are exact, so that equal scores are met


@st.composite
def tagsets(draw: st.DrawFn) -> Tagset:
    """Tagsets of one to three groups; which classes have a part of their own is random."""
    names = draw(
        st.lists(st.lists(st.sampled_from(FEATS), min_size=1, max_size=5, unique=True), min_size=1, max_size=3)
    )
    flat = tuple(name for own in names for name in sorted(own))
    starts = np.cumsum([0, *map(len, names)], dtype=np.int32)
    split = draw(st.booleans())
    own = draw(st.lists(st.booleans(), min_size=len(flat), max_size=len(flat))) if split else [True] * len(flat)
    return Tagset(tuple("XYZ"[: len(names)]), flat, starts, split, np.array(own, np.bool_))


def plain_parts(tagset: Tagset, group: int) -> tuple[list[twin.Part], list[list[twin.Part]]]:
    return twin.parts_of(tagset.names[tagset.starts[group] : tagset.starts[group + 1]], split=tagset.split)


def drawn_scores(data: st.DataObject, n: int) -> Floats:
    return np.array(data.draw(st.lists(steps, min_size=n, max_size=n)), np.float32)


def scored(tagset: Tagset, group: int, scores: Floats) -> Floats:
    classes = np.zeros(tagset.starts[group + 1] - tagset.starts[group], np.float32)
    add_parts(tagset.parts, group, scores, classes)
    return classes


@given(tagsets(), st.data())
def test_scores_of_classes_are_sums_of_parts(tagset: Tagset, data: st.DataObject) -> None:
    for group in range(len(tagset.groups)):
        every, of_class = plain_parts(tagset, group)
        scores = drawn_scores(data, len(every))
        expected = twin.class_scores(dict(zip(every, scores.tolist(), strict=True)), of_class)
        assert scored(tagset, group, scores).tolist() == expected


@given(tagsets(), st.data())
def test_gradients_of_parts_are_sums_of_classes(tagset: Tagset, data: st.DataObject) -> None:
    for group in range(len(tagset.groups)):
        every, of_class = plain_parts(tagset, group)
        classes = drawn_scores(data, len(of_class)) * np.float32(data.draw(st.sampled_from([1, 1e-4])))
        gradient = np.full(len(every), 99, np.float32)
        scatter_gradient(tagset.parts, group, classes, gradient)
        first, last = tagset.starts[group], tagset.starts[group + 1]
        expected = twin.part_gradient(classes.tolist(), every, of_class, tagset.own[first:last].tolist())
        assert gradient.tolist() == pytest.approx([expected[part] for part in every], abs=1e-7)


LOSSES: list[tuple[Callable[[Floats, int, int], bool], Callable[[Sequence[float], int], list[float] | None]]]
LOSSES = [(entropy_gradient, twin.entropy), (margin_gradient, twin.margin)]


@pytest.mark.parametrize(("kernel", "plain"), LOSSES)
@given(scores=st.lists(steps, min_size=2, max_size=6), factor=st.sampled_from([1, 4, 1000]), data=st.data())
def test_gradients_of_losses_are_those_of_the_twin(
    kernel: Callable[[Floats, int, int], bool],
    plain: Callable[[Sequence[float], int], list[float] | None],
    scores: list[float],
    factor: int,
    data: st.DataObject,
) -> None:
    gold = data.draw(st.integers(0, len(scores) - 1))
    large = [factor * score for score in scores]
    classes = np.array([*large, 77], np.float32)
    expected = plain(large, gold)
    assert kernel(classes, len(scores), gold) == (expected is not None)
    if expected is not None:
        assert classes[:-1].tolist() == pytest.approx(expected, abs=1e-6)
        assert sum(expected) == pytest.approx(0, abs=1e-6)
    assert classes[-1] == 77


@given(tagsets(), st.data())
def test_the_gradient_of_the_entropy_is_that_of_finite_differences(tagset: Tagset, data: st.DataObject) -> None:
    group = data.draw(st.integers(0, len(tagset.groups) - 1))
    every, of_class = plain_parts(tagset, group)
    gold = data.draw(st.integers(0, len(of_class) - 1))
    scores = drawn_scores(data, len(every))

    def loss(changed: dict[twin.Part, float]) -> float:
        own = twin.class_scores(changed, of_class)
        return math.log(sum(math.exp(score - own[gold]) for score in own))

    classes, gradient = scored(tagset, group, scores), np.zeros(len(every), np.float32)
    if not entropy_gradient(classes, len(classes), gold):
        return
    scatter_gradient(tagset.parts, group, classes, gradient)
    at, step = dict(zip(every, scores.tolist(), strict=True)), 1e-4
    for k, part in enumerate(every):
        slope = (loss({**at, part: at[part] + step}) - loss({**at, part: at[part] - step})) / (2 * step)
        fixed = part[0] == "whole" and not tagset.own[tagset.starts[group] + int(part[1])]
        assert gradient[k] == pytest.approx(0 if fixed else slope, abs=1e-3)  # small terms are left out


@given(st.data(), st.floats(0, 1, width=32), st.floats(0.125, 1, width=32))
def test_weights_move_against_the_gradient(data: st.DataObject, value: float, rate: float) -> None:
    weights, squares, gradient = (drawn_scores(data, 4) for _ in range(3))
    squares = np.abs(squares) + np.float32(0.01)
    changed = data.draw(st.lists(st.integers(0, 3), unique=True, max_size=4))
    learner = twin.Learner()
    learner.weights.update(enumerate(weights.tolist()))
    learner.squares.update(enumerate(squares.tolist()))
    for k in changed:
        learner.step(k, value * float(gradient[k]), rate)
    places = np.array([*changed, -1], np.int64)
    descend(weights, squares, gradient, places, len(changed), np.float32(rate), np.float32(value))
    assert weights.tolist() == pytest.approx([learner.weights[k] for k in range(4)], abs=1e-4)
    assert squares.tolist() == pytest.approx([learner.squares[k] for k in range(4)], rel=1e-4)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Tagset, Dictionary, Examples, list[tuple[int, int]]]:
    """A tagset, a dictionary, rows, and the occurrences in the dictionary; a few rows have columns of other groups."""
    tagset = draw(tagsets())
    rng, n_rows, n_columns, n_forms = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), 12, 6, 3
    parts = tagset.parts
    groups = rng.integers(len(tagset.groups), size=n_rows).astype(np.int32)
    classes = np.array([rng.integers(tagset.starts[g], tagset.starts[g + 1]) for g in groups], np.int32)
    forms = rng.integers(n_forms, size=n_rows).astype(np.int32)
    outside = rng.random(n_rows) < 0.1
    classes[outside] = -1
    dictionary = Dictionary.of(forms[~outside], classes[~outside], n_forms)
    rows = [np.sort(rng.permutation(n_columns)[: rng.integers(n_columns)]) for _ in range(n_rows)]
    column_groups = rng.integers(len(tagset.groups), size=n_columns).astype(np.int32)
    widths = np.diff(parts.bases)[column_groups]
    examples = Examples(
        np.cumsum([0, *map(len, rows)], dtype=np.int32),
        np.concatenate(rows).astype(np.int32),
        groups,
        classes,
        forms,
        column_groups,
        np.cumsum(widths, dtype=np.int64) - widths,
        rng.choice([0.5, 1.0, 0.0], n_columns).astype(np.float32),
    )
    pairs = [(form, number) for form, number in zip(forms.tolist(), classes.tolist(), strict=True) if number >= 0]
    return tagset, dictionary, examples, pairs


def names_of(tagset: Tagset, examples: Examples) -> tuple[list[object], list[object]]:
    """Return the names that the twin has for biases and weights."""
    parts = [plain_parts(tagset, group)[0] for group in range(len(tagset.groups))]
    biases = [("bias", group, part) for group, own in enumerate(parts) for part in own]
    return [*biases], [(c, part) for c, group in enumerate(examples.column_groups.tolist()) for part in parts[group]]


def learnt_by_both(
    problem: tuple[Tagset, Dictionary, Examples, list[tuple[int, int]]], *, hinge: bool, rate: float = 0.3
) -> tuple[LearnerState, twin.Learner]:
    """Take two steps for each row, from random weights: of equal scores rounding would choose."""
    tagset, dictionary, examples, pairs = problem
    parts, rng = tagset.parts, np.random.default_rng(len(pairs))
    widths = np.diff(parts.bases)[examples.column_groups]
    learnt = LearnerState.of(LearnerWeights.zeros(1, int(widths.sum()), int(parts.bases[-1]), N_CELLS), 0)
    names = names_of(tagset, examples)
    learner = twin.Learner()
    for own, weights in zip(names, (learnt.bias, learnt.weights), strict=True):
        weights[:] = rng.normal(size=len(weights))
        learner.weights.update(zip(own, weights.tolist(), strict=True))
    order = np.tile(np.arange(len(examples.groups))[::-1], 2)
    learn(examples, parts, dictionary, order, np.float32(rate), hinge, learnt)
    for row in order.tolist():
        group, gold = int(examples.groups[row]), int(examples.classes[row])
        if gold < 0:
            continue
        first, last = int(tagset.starts[group]), int(tagset.starts[group + 1])
        columns = examples.indices[examples.indptr[row] : examples.indptr[row + 1]].tolist()
        values = {c: float(examples.values[c]) for c in columns if examples.column_groups[c] == group}
        found = twin.cells(pairs, int(examples.forms[row]), range(first, last), gold)
        learner.learn(
            group,
            gold - first,
            values,
            {number - first: cell for number, cell in found.items()},
            plain_parts(tagset, group),
            tagset.own[first:last].tolist(),
            rate=rate,
            hinge=hinge,
        )
    return learnt, learner


@settings(max_examples=60)
@given(problems(), st.booleans())
def test_learning_is_that_of_the_twin(
    problem: tuple[Tagset, Dictionary, Examples, list[tuple[int, int]]], hinge: bool
) -> None:
    tagset, _, examples, _ = problem
    learnt, learner = learnt_by_both(problem, hinge=hinge)
    near: dict[str, Any] = {"rel": 1e-3, "abs": 1e-3}
    biases, weights = names_of(tagset, examples)
    assert learnt.bias.tolist() == pytest.approx([learner.weights[name] for name in biases], **near)
    assert learnt.bias_squares.tolist() == pytest.approx([learner.squares[name] for name in biases], **near)
    assert learnt.weights.tolist() == pytest.approx([learner.weights[name] for name in weights], **near)
    assert learnt.weight_squares.tolist() == pytest.approx([learner.squares[name] for name in weights], **near)
    names = [("cell", cell) for cell in range(N_CELLS)]
    assert learnt.evidence.tolist() == pytest.approx([learner.weights[name] for name in names], **near)
    assert learnt.evidence_squares.tolist() == pytest.approx([learner.squares[name] for name in names], **near)


@settings(max_examples=60)
@given(
    problems(),
    st.sampled_from([0.0, 0.005, 0.3, 0.9]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([(False,), (True, False)]),
)
def test_packed_weights_are_those_that_are_large(
    problem: tuple[Tagset, Dictionary, Examples, list[tuple[int, int]]],
    prune: float,
    rate: float,
    losses: tuple[bool, ...],
) -> None:
    tagset, _, examples, _ = problem
    states = [learnt_by_both(problem, hinge=hinge, rate=rate)[0] for hinge in losses]
    learnt = LearnerWeights(*(np.stack([getattr(state, name) for state in states]) for name in LearnerWeights._fields))
    bases = tagset.parts.bases.tolist()
    spans = [[twin.classes_of(bases, g, t, len(losses)) for t in range(len(losses))] for g in range(len(bases) - 1)]
    bias = np.zeros(learnt.bias.size)
    for g, of_learners in enumerate(spans):
        for t, span in enumerate(of_learners):
            bias[span.start : span.stop] = learnt.bias[t, bases[g] : bases[g + 1]]
    keys = np.arange(1, 2 * len(examples.values), 2, dtype=np.uint64) << np.uint64(32) | np.uint64(1)
    guide = LinearGuide.of(*pack(keys, examples, learnt, tagset.parts, prune))
    largest = max(1e-9, *np.abs(learnt.weights).ravel(), *np.abs(learnt.bias).ravel(), 0)
    assert guide.scale == pytest.approx(largest / 32_000)
    assert np.abs(guide.bias * guide.scale - bias).max(initial=0) <= 0.501 * guide.scale
    found = twin.unpacked(guide)
    assert all(size >= 0 for own in found.values() for size in own)
    least = max(prune * largest, guide.scale / 2)
    for column, key in enumerate(keys.tolist()):
        own, place, group = found.get(plain.read_bits(key), {}), examples.places[column], examples.column_groups[column]
        assert all(any(k in span for span in spans[group]) for k in own)
        for t, span in enumerate(spans[group]):
            for k, number in enumerate(span):
                weight = float(learnt.weights[t, place + k]) * float(examples.values[column])
                if abs(weight) > 1.0001 * least:
                    assert own[number] * guide.scale == pytest.approx(weight, abs=0.51 * guide.scale)
                if abs(weight) < 0.9999 * least:
                    assert number not in own


@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan])
def test_weights_that_are_not_finite_are_refused(weight: float) -> None:
    parts, none = Tagset.of([("X", "a"), ("X", "b")], split=False).parts, np.zeros(0, np.int32)
    learnt = LearnerWeights.zeros(1, 0, 2, N_CELLS)
    learnt.bias[0, 1] = weight
    examples = Examples(none, none, none, none, none, none, none.astype(np.int64), none.astype(np.float32))
    with pytest.raises(ConfigError, match="not finite"):
        pack(np.zeros(0, np.uint64), examples, learnt, parts, 0.0)


@given(tagsets(), st.data(), st.sampled_from([0.0, 1.0, 4.0]))
def test_the_choice_is_that_of_the_twin(tagset: Tagset, data: st.DataObject, least: float) -> None:
    parts = tagset.parts
    lengths = data.draw(st.lists(st.integers(0, 3), max_size=3))
    offsets = np.append(0, np.cumsum(np.array(lengths, np.int64) + 1))
    groups = [data.draw(st.integers(0, len(tagset.groups) - 1)) for _ in range(offsets[-1])]
    is_root, n_votes = np.isin(np.arange(offsets[-1]), offsets), data.draw(st.integers(1, 3))
    numbers = np.array(groups, np.int32)
    widths = np.diff(parts.bases)[numbers] * ~is_root
    places, total = np.cumsum(widths) - widths, drawn_scores(data, int(widths.sum()))
    tag = st.integers(0, len(set(tagset.names)) - 1)
    columns = data.draw(st.lists(st.lists(tag, min_size=len(groups), max_size=len(groups)), max_size=3))
    choices = np.array(columns, np.int32).reshape(len(columns), len(groups))
    nothing = np.zeros(0, np.int32)
    text = Text(nothing, offsets, np.zeros((0, 1), np.int64), nothing, numbers, nothing[:, None])
    classes, old, new, margins, agreed = choose(
        parts, tagset.codes, text, choices, places, total, np.float32(least), n_votes
    )
    for slot, group in enumerate(groups):
        if is_root[slot]:
            assert (classes[slot], old[slot], new[slot], margins[slot], agreed[slot]) == (-1, -1, -1, 0, False)
            continue
        assert agreed[slot] == all(column[slot] == tagset.codes[classes[slot]] for column in columns)
        every, of_class = plain_parts(tagset, group)
        own = total[places[slot] : places[slot] + widths[slot]].tolist()
        scores = dict(zip(every, own, strict=True))
        of_classes = twin.class_scores(scores, of_class)
        best = of_classes.index(max(of_classes))
        assert classes[slot] == tagset.starts[group] + best
        rivals = [*sorted(of_classes)[:-1], -np.inf]
        assert margins[slot] == pytest.approx(min((of_classes[best] - max(rivals)) / n_votes, SURE), abs=1e-4)
        swap = twin.best_swap(scores, of_class, best, least)
        names = tagset.part_names(group) if tagset.split else []
        assert (old[slot] >= 0) == (swap is not None)
        if swap is not None:
            assert (names[old[slot]], names[new[slot]]) == swap
