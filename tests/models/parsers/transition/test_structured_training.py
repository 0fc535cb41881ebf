"""Structured training: kernels equal the twin; a step goes up the gradient; what is separable is learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.random_model import TEMPLATES, Model, model_of
from tests.reference.structured_training import Example
from tests.reference.structured_training import LogLinear as Twin
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import SMALL, TEST, TRAINING, accuracy, trees
from tests.reference.walks import gold_chooser, random_chooser, rich_treebanks, twin_actions, walk
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, is_single_rooted
from treevote.errors import ConfigError
from treevote.kernels import Floats
from treevote.models.learning.features.linear_guide import NEVER, Coefficients, LinearGuide
from treevote.models.learning.features.partial_scores import forget
from treevote.models.learning.features.rows import Trees
from treevote.models.learning.features.weights import score as packed_score
from treevote.models.parsers.transition.arc_standard import class_table, gold_of, is_final
from treevote.models.parsers.transition.configuration import ACTION, PREVIOUS, Workspace, workspace
from treevote.models.parsers.transition.log_linear import LogLinear, ascend, log_softmax, score
from treevote.models.parsers.transition.parser import FAMILY, Direction, Search, TransitionParser
from treevote.models.parsers.transition.structured_training import WIDTH, Passes, learn, train_structured, violation

STRUCTURED = dataclasses.replace(SMALL, structured_epochs=2)

models = st.builds(
    lambda treebank, seed, style: model_of(treebank, seed, style[0], style[1], is_single_rooted(treebank)),
    rich_treebanks(max_sentences=2, max_tokens=7, min_tokens=3),
    st.integers(0, 10_000),
    st.sampled_from([(0, 1.0), (1, 0.5), (500, 2**-10), (1_000, 2**-8), (30_000, 2**-11)]),
)
widths = st.sampled_from([1, 2, 3, 8])
costs = st.sampled_from([0.0, 1.0, 2.5])


def log_linear(model: Model) -> LogLinear:
    """Return the weights of a random model as dense rows."""
    n_actions, scale = len(model.actions.kind), model.weights.scale
    weights = np.zeros((len(model.keys), n_actions), np.int32)
    for row, key in zip(weights, model.keys, strict=True):
        packed_score(model.weights, np.array([key]), 1, np.zeros(1, np.int64), row)
    weights -= model.weights.bias
    coefficients = Coefficients(
        (weights * scale).astype(np.float32),
        (model.weights.bias * scale).astype(np.float32),
        np.ones(n_actions, np.bool_),
    )
    return LogLinear.of(model.actions, model.words, model.table, model.keys, coefficients)


def twin_of(model: Model) -> Twin:
    scale = model.weights.scale
    rows = {feature: [scale * float(weight) for weight in row] for feature, row in model.rows.items()}
    bias = [scale * float(weight) for weight in model.weights.bias]
    single_root = bool(model.actions.single_root)
    return Twin(twin_actions(model.actions), single_root, TEMPLATES, model.known, rows, bias)


def examples(treebank: Treebank) -> Iterator[Example]:
    for i, sentence in enumerate(treebank.sentences()):
        labels = treebank.deprels[treebank.offsets[i] : treebank.offsets[i + 1]].tolist()
        yield Example(sentence.words, sentence.heads.tolist(), labels)


def worst(
    model: Model, own: LogLinear, sentence: int, width: int, cost: float
) -> tuple[list[int], Workspace, Workspace]:
    """Return the actions of the kernel's violation, the configurations of the search and those of the gold tree."""
    bank = model.treebank
    here = slice(bank.offsets[sentence], bank.offsets[sentence + 1])
    tree = gold_of(bank.heads[here], bank.deprels[here], class_table(model.actions, len(bank.labels)))
    n = len(tree.heads) - 1
    choose = gold_chooser(model.actions, tree.heads.tolist(), tree.deprels.tolist())
    gold = walk(n, model.actions, choose)[0][0]
    space = workspace(n, 2 * n * width)
    space.configurations[:] = -1  # to tell those that the search writes
    at, _ = violation(own, space, gold, tree, bank.tokens[here], width, cost)
    return derivation(space, at), space, gold


def derivation(space: Workspace, at: int) -> list[int]:
    """Return the actions on the way to a configuration."""
    taken = []
    while at >= 0 and space.configurations[at, PREVIOUS] >= 0:
        taken.append(int(space.configurations[at, ACTION]))
        at = space.configurations[at, PREVIOUS]
    return taken[::-1]


@settings(max_examples=150)
@given(models, widths, costs)
def test_the_violation_is_the_twins(model: Model, width: int, cost: float) -> None:
    own, plain = log_linear(model), twin_of(model)
    for number, example in enumerate(examples(model.treebank)):
        _, actions, beam = plain.violation(example, width, cost)
        found, space, _ = worst(model, own, number, width, cost)
        assert found == actions
        n = len(example.words) - 1
        final = [derivation(space, at) for at in range(len(space.configurations)) if is_final(space, at, n)]
        assert all(each in final for each in beam)


def test_the_logarithm_of_the_only_class_is_exactly_nothing() -> None:
    for scores in ([0.0, 5.0], [3.0, -2.0], [-1e30, 0.0]):
        logs = np.array(scores, np.float32)
        log_softmax(np.array([True, False]), logs)
        assert logs[0] == 0


@settings(max_examples=60)
@given(models, widths, costs, st.sampled_from([0.01, 0.5]), st.integers(0, 10_000))
def test_learning_gives_the_twins_weights(model: Model, width: int, cost: float, rate: float, seed: int) -> None:
    own, plain, bank = log_linear(model), twin_of(model), model.treebank
    order, classes = np.arange(bank.n_sentences), class_table(model.actions, len(bank.labels))
    updates = learn(Trees.of(bank), classes, own, order, width, np.float32(rate), cost)
    assert updates == plain.learn(examples(bank), width, rate, cost)
    assert own.coefficients.bias == pytest.approx(plain.bias, abs=1e-4)
    # Rows and features have different names, but give the same scores.
    rng = np.random.default_rng(seed)
    for number, example in enumerate(examples(bank)):
        n, tokens = len(example.words) - 1, bank.tokens[bank.offsets[number] : bank.offsets[number + 1]]
        picks = rng.integers(0, 99, 2 * n).tolist()
        for space, here, mirror in walk(n, model.actions, random_chooser(model.actions, n, picks))[:-1]:
            logs = plain.logs(example.words, mirror)
            if score(own, space, here, tokens):
                cached = own.logs.tobytes()
                forget(own.cache)
                assert score(own, space, here, tokens)
                assert own.logs.tobytes() == cached
                assert own.logs[sorted(logs)].tolist() == pytest.approx([logs[k] for k in sorted(logs)], abs=1e-3)
            assert np.flatnonzero(own.mask).tolist() == sorted(logs)


@settings(max_examples=40)
@given(models, widths, costs)
def test_no_update_where_the_gold_derivation_wins_by_its_margin(model: Model, width: int, cost: float) -> None:
    own, plain, bank = log_linear(model), twin_of(model), model.treebank
    before = own.coefficients.weights.tobytes(), own.coefficients.bias.tobytes()
    beaten = [number for number, example in enumerate(examples(bank)) if plain.violation(example, width, cost)[0] > 0]
    others = np.setdiff1d(np.arange(bank.n_sentences), beaten)
    classes = class_table(model.actions, len(bank.labels))
    assert learn(Trees.of(bank), classes, own, others, width, np.float32(1), cost) == 0
    assert (own.coefficients.weights.tobytes(), own.coefficients.bias.tobytes()) == before
    for number in beaten:
        assert learn(Trees.of(bank), classes, own, np.array([number]), width, np.float32(0), cost) == 1


@settings(max_examples=20)
@given(
    rich_treebanks(max_sentences=1, max_tokens=5, min_tokens=2),
    st.integers(0, 10_000),
    st.lists(st.integers(0, 99), min_size=10, max_size=10),
)
def test_a_climb_goes_up_the_gradient(treebank: Treebank, seed: int, picks: list[int]) -> None:
    model = model_of(treebank, seed, 500, 2**-10, single_root=False)
    own, rate = log_linear(model), 1e-4
    n, tokens = treebank.n_tokens, treebank.tokens
    steps = walk(n, model.actions, random_chooser(model.actions, n, picks))
    actions = list(steps[-1][2].history)

    def slope(weights: Floats, at: tuple[int, ...]) -> float:
        """Return the numerical gradient of the log-probability of the walk at a weight."""
        middle, total, change = weights[at], 0.0, np.float32(1 / 64)
        for sign in (1, -1):
            weights[at] = middle + sign * change
            forget(own.cache)
            for space, here, _ in steps[:-1]:
                if score(own, space, here, tokens):
                    total += sign * float(own.logs[actions[here]])
        weights[at] = middle
        return total / (2 * float(change))

    weights, bias = own.coefficients.weights, own.coefficients.bias
    chosen = np.random.default_rng(seed).choice(weights.size, 20)
    places = [tuple(map(int, np.unravel_index(k, weights.shape))) for k in chosen]
    expected = [slope(bias, (k,)) for k in range(len(bias))] + [slope(weights, place) for place in places]
    before = weights.copy(), bias.copy()
    ascend(own, steps[0][0], np.arange(2 * n + 1), tokens, np.float32(rate))
    moved = [*(bias - before[1]), *(weights[place] - before[0][place] for place in places)]
    assert np.array(moved) / rate == pytest.approx(np.array(expected), abs=0.03)


def test_without_epochs_a_member_is_its_local_model() -> None:
    local: Any
    own: Any
    for direction in ("forward", "backward"):
        local, own = FAMILY.members[f"lr-maxent-{direction}"], FAMILY.members[f"lr-structured-{direction}"]
        assert dataclasses.replace(own, structured_epochs=0, options={}) == local


def test_without_violations_the_weights_stay_as_they_are() -> None:
    sure = Treebank.of([(["a", "b"], [2, 0], ["x", "root"])])
    model = model_of(sure, 3, 0, 1.0, single_root=True)
    own = log_linear(model)
    own.coefficients.bias[0] = 100  # shift while there is a choice, as the gold tree wants
    own.coefficients.seen[-1] = False  # it gets no weight, so that the scale of the others is their own
    weights = train_structured(sure, own, Passes(3, 4, 0))
    assert weights.bias.tolist() == [100] + [0] * (len(weights.bias) - 1)
    assert not weights.weights.any()


def test_the_result_is_the_average_after_the_first_quarter() -> None:
    model = model_of(toy_treebank(4, 1), 5, 0, 1.0, single_root=True)
    own, snapshots = log_linear(model), []
    rng, classes = np.random.default_rng(7), class_table(model.actions, len(model.treebank.labels))
    for _ in range(4):
        for part in np.array_split(rng.permutation(4), 4):
            learn(Trees.of(model.treebank), classes, own, part, 2, np.float32(0.01), 1.0)
            snapshots.append(own.coefficients.bias.copy())
    result = train_structured(model.treebank, log_linear(model), Passes(4, 2, 7))
    assert result.bias == pytest.approx(np.mean(snapshots[4:], axis=0), abs=1e-6)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_what_is_separable_is_learned(direction: Direction, search: Search) -> None:
    trainer = dataclasses.replace(SMALL, direction=direction, search=search, templates="rich", options={"epochs": 1})
    treebank = toy_treebank(30, 4, crossing=True)
    learned = dataclasses.replace(trainer, structured_epochs=12).train(treebank)
    assert trees(learned.parse(treebank)) == trees(treebank)


@pytest.mark.parametrize("learner", ["maxent", "svm", "inequality-maxent", "sklearn.linear_model.LogisticRegression"])
def test_every_linear_learner_can_go_on(learner: str) -> None:
    trainer = dataclasses.replace(STRUCTURED, learner=learner, width=3)
    parser = trainer.train(TRAINING)
    assert accuracy(TEST, parser.parse(TEST)) > 0.9
    assert accuracy(TEST, parser.with_search("best-first", 3).parse(TEST)) > 0.9
    assert content(parser.record()) != content(
        dataclasses.replace(trainer, structured_epochs=0).train(TRAINING).record()
    )


def test_greedy_search_learns_with_a_beam_of_one() -> None:
    greedy = dataclasses.replace(STRUCTURED, search="greedy").train(TRAINING)
    narrow = dataclasses.replace(STRUCTURED, search="beam", width=1).train(TRAINING)
    assert isinstance(greedy.guide, LinearGuide)
    assert isinstance(narrow.guide, LinearGuide)
    assert greedy.guide.packed.tolist() == narrow.guide.packed.tolist()


def test_structured_training_has_a_beam_of_a_least_width() -> None:
    trainer = dataclasses.replace(STRUCTURED, options={"epochs": 1})
    guides = [dataclasses.replace(trainer, width=width).train(TRAINING[:20]).guide for width in (2, WIDTH, WIDTH + 9)]
    narrow, least, wide = (guide.packed.tolist() for guide in guides if isinstance(guide, LinearGuide))
    assert narrow == least != wide


def test_a_learner_that_is_not_linear_is_refused_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treevote.models.parsers.transition.training.train_guide", None)
    with pytest.raises(ConfigError, match="structured training needs a linear learner, pairs-svm is not; choose"):
        dataclasses.replace(STRUCTURED, learner="pairs-svm").train(TRAINING)


def test_long_sentences_and_empty_ones_are_learned_from() -> None:
    n = 1_200
    chain = (["w"] * n, list(range(n)), ["root"] + ["x", "y"] * (n // 2 - 1) + ["x"])
    treebank = Treebank.of([chain, ([], [], []), (["w"], [0], ["root"])])
    parser = dataclasses.replace(STRUCTURED, structured_epochs=1).train(treebank)
    assert are_trees(parser.parse(treebank)).all()


def test_an_action_that_the_learner_never_saw_stays_impossible() -> None:
    chains = Treebank.of(
        [(["a", "b", "c"], [0, 1, 1], ["root", "x", "x"]), (["a", "c", "b"], [0, 1, 2], ["root", "x", "x"])] * 9
    )
    guides = [dataclasses.replace(SMALL, structured_epochs=epochs).train(chains).guide for epochs in (0, 3)]
    local, own = (guide.bias <= NEVER for guide in guides if isinstance(guide, LinearGuide))
    assert local.any()
    assert own.tolist() == local.tolist()


def test_a_model_from_before_structured_training_is_read() -> None:
    record = SMALL.train(TRAINING).record()
    own = record.facts["trainer"]
    assert isinstance(own, dict)
    older = {key: value for key, value in own.items() if key != "structured_epochs"}
    read = TransitionParser.from_record(dataclasses.replace(record, facts={**record.facts, "trainer": older}))
    assert read.trainer == SMALL
