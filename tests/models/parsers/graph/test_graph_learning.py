"""Perceptron, MIRA and Bayes Point Machine: steps, averages, means."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.models.parsers.graph.test_second_order import model_of
from tests.reference.decoders import all_trees, inner_sibling, projective_trees, second_order_score
from tests.reference.graph_learning import learn as learn_plainly
from tests.reference.graph_learning import regress
from tests.reference.toy_grammar import toy_treebank
from treevote.errors import ConfigError, ModelError
from treevote.kernels import Floats, Ints, Longs
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.templates import compile_templates
from treevote.models.parsers.decoding import eisner
from treevote.models.parsers.graph import first_order, pruning
from treevote.models.parsers.graph.arc_labels import MOST, TEMPLATES, label_candidates, train_arc_labeller
from treevote.models.parsers.graph.features import MAX_FEATURES, arc_keys, fire_arc, variants_of_arc
from treevote.models.parsers.graph.first_order import score_arcs
from treevote.models.parsers.graph.hashed_weights import NO_WEIGHTS, HashedWeights, round_weights
from treevote.models.parsers.graph.koo_collins import decode
from treevote.models.parsers.graph.parts import ScoredParts, find_parts, n_parts, parts_of
from treevote.models.parsers.graph.pruning import FEWEST, SHORT, Masks, Pruner, mask_of, prune, prune_all
from treevote.models.parsers.graph.second_order import Scorer, fire_part, keys_of, score_parts, score_sentences
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.templates import TemplateTables, compile_arcs
from treevote.models.parsers.graph.training import (
    Examples,
    Task,
    averaged_weights,
    folds,
    masks_of,
    mean_weights,
    prune_fold,
    train_epoch,
    train_pruner,
)
from treevote.models.parsers.graph.update import PERCEPTRON, AveragedWeights, UpdateRule, average, zero_weights
from treevote.models.parsers.labelling.features import GRAMMAR
from treevote.models.parsers.labelling.labeller import Labeller
from treevote.parallel import Jobs
from treevote.store.record import Record

LINES = ("h.upos", "d.upos", "h.upos+d.upos", "h.lower+d.lower", "h.upos+b.upos+d.upos", "h.feat+d.feat")
TABLE = compile_arcs(LINES)
BITS = 14
TREEBANK = toy_treebank(24, 3)
CORPUS = Sentences(
    Lexicon.of(TREEBANK).columns(TREEBANK.words), TREEBANK.tokens, TREEBANK.heads, TREEBANK.offsets, True, True
)
SECOND = TemplateTables.of(LINES, ["s.upos+d.upos", "h.upos+s.upos+d.upos"], ["g.upos+h.upos+d.upos"])
MIRA = UpdateRule(1.0, 0.05)
EVERY = Masks.empty(CORPUS.offsets)
"""Masks of all arcs of each sentence."""
EVERY.allowed[:] = 1


def task_of(rule: UpdateRule, epochs: int) -> Task:
    """Return the training of a first-order model."""
    learn = functools.partial(first_order.train_epoch, rule, TABLE, CORPUS)
    return Task(learn, TREEBANK.n_sentences, rule, BITS, epochs)


def span(i: int) -> slice:
    return slice(int(TREEBANK.offsets[i]), int(TREEBANK.offsets[i + 1]))


def free(tokens: Ints) -> Ints:
    """Return the heads of a sentence where none is given."""
    return np.full(len(tokens), -1, np.int32)


def table_of(weights: Mapping[int, float]) -> Floats:
    table = np.zeros(1 << BITS, np.float32)
    table[[*weights]] = [*weights.values()]
    return table


def arc_scores(weights: Floats, i: int) -> Floats:
    tokens = CORPUS.tokens[span(i)]
    scores = np.zeros((len(tokens), len(tokens)), np.float32)
    score_arcs(weights, BITS, TABLE.splits, arc_keys(TABLE, tokens, CORPUS.words), free(tokens), scores)
    return scores


def features_of_arcs(i: int) -> Callable[[int, int], Counter[int]]:
    """Return a function that lists the features of an arc, from head to dependent, over sentence ``i``."""
    keys, places = arc_keys(TABLE, CORPUS.tokens[span(i)], CORPUS.words), np.empty(MAX_FEATURES, np.uint32)

    def features(h: int, d: int) -> Counter[int]:
        count = fire_arc(keys, TABLE.splits, BITS, h, d, places)
        return Counter(
            slot for variant in variants_of_arc(h, d) for slot in (places[:count] ^ np.uint32(variant)).tolist()
        )

    return features


def features_of(i: int) -> Callable[[Sequence[int]], Counter[int]]:
    """Return a function that lists the features of a tree over sentence ``i``."""
    of_arc = features_of_arcs(i)

    def features(heads: Sequence[int]) -> Counter[int]:
        found: Counter[int] = Counter()
        for d in range(1, len(heads)):
            found += of_arc(int(heads[d]), d)
        return found

    return features


def parser_of(i: int, cost: float) -> Callable[[Mapping[int, float]], Sequence[int]]:
    """Return a function that parses sentence ``i`` with some weights, with an additional ``cost`` for wrong heads."""
    gold = CORPUS.heads[span(i)]

    def parse(weights: Mapping[int, float]) -> Sequence[int]:
        scores = arc_scores(table_of(weights), i)
        for d in range(1, len(gold)):
            scores[d] += np.where(np.arange(len(gold)) == gold[d], 0, cost).astype(np.float32)
        heads = np.empty(len(gold), np.int32)
        eisner.decode(scores, True, heads)
        return heads.tolist()

    return parse


def second_order(i: int, cost: float) -> tuple[Callable[[Sequence[int]], Counter[int]], Callable[..., Sequence[int]]]:
    """Return the functions of `features_of` and `parser_of` for a second-order model of all arcs."""
    gold, tokens, places = CORPUS.heads[span(i)], CORPUS.tokens[span(i)], np.empty(MAX_FEATURES, np.uint32)
    mask = mask_of(EVERY, i)
    parts, keys = parts_of(mask), keys_of(SECOND, tokens, CORPUS.words, mask)

    def features(heads: Sequence[int]) -> Counter[int]:
        found: Counter[int] = Counter()
        for d in range(1, len(heads)):
            for kind, other in enumerate((-1, inner_sibling(tuple(heads), d), heads[heads[d]])):
                count, variants = fire_part(SECOND, keys, BITS, kind, (heads[d], d, other), places)
                found.update(slot for variant in variants for slot in (places[:count] ^ np.uint32(variant)).tolist())
        return found

    def parse(weights: Mapping[int, float]) -> Sequence[int]:
        scores = score_sentences(Scorer(table_of(weights), BITS, SECOND), CORPUS, EVERY, i, i + 1)
        ends = np.cumsum([len(parts.candidates.heads), len(parts.siblings.partners)])
        scored = ScoredParts(*parts, *np.split(scores, ends))
        scored.arc_scores[gold[parts.candidates.dependents] != parts.candidates.heads] += np.float32(cost)
        heads = np.full(len(gold), -1, np.int32)
        decode(scored, True, heads)
        return heads.tolist()

    return features, parse


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("rule", "C"), [(PERCEPTRON, None), (MIRA, MIRA.C)])
def test_averaged_learners_equal_their_plain_twins(rule: UpdateRule, C: float | None, order: int) -> None:
    task = task_of(rule, 2)
    if order == 2:
        task = task._replace(learn=functools.partial(train_epoch, Examples(CORPUS, EVERY, SECOND, rule)))
    rng, n = np.random.default_rng([5, 0]), TREEBANK.n_sentences
    own = [second_order(i, rule.cost) if order == 2 else (features_of(i), parser_of(i, rule.cost)) for i in range(n)]
    numbers = [int(i) for _ in range(2) for i in rng.permutation(n)]
    expected = learn_plainly(((CORPUS.heads[span(i)].tolist(), *own[i]) for i in numbers), 2 * n, C)
    np.testing.assert_allclose(averaged_weights(task, 5, 0), table_of(expected), atol=2e-5)


def gold_score(weights: Floats, i: int) -> float:
    heads = CORPUS.heads[span(i)]
    return float(sum(arc_scores(weights, i)[d, heads[d]] for d in range(1, len(heads))))


def pruned(corpus: Sentences, max_heads: int, margin: float) -> Masks:
    numbers = folds(len(corpus.offsets) - 1)
    pruner = Pruner(NO_WEIGHTS, TABLE, max_heads, margin)
    return masks_of(corpus, [prune_fold(corpus, pruner, 0, None, fold) for fold in numbers])


@settings(max_examples=30)
@given(st.integers(0, 23), st.sampled_from([PERCEPTRON, MIRA]), st.booleans())
def test_an_update_raises_the_score_of_the_gold_tree_over_the_predicted_one(
    i: int, rule: UpdateRule, second: bool
) -> None:
    corpus = CORPUS.select(np.array([i]))
    masks = pruned(corpus, 4, 5.0)
    learn: Callable[[AveragedWeights, Longs, int, int], None]
    learn = functools.partial(first_order.train_epoch, rule, TABLE, corpus)
    if second:
        learn = functools.partial(train_epoch, Examples(corpus, masks, SECOND, rule))
    averaged = zero_weights(BITS, rule)
    learn(averaged, np.array([0]), 0, 4)
    if not averaged.weights.any():  # found at once
        return
    assert gold_score(averaged.weights, i) > 0 or second
    assert not averaged.accumulated.any()  # no progress before the first sentence
    assert not averaged.scratch.any()
    before = averaged.weights.copy()
    for done in range(1, 4):
        learn(averaged, np.array([0]), done, 4)
    assert (average(averaged) != before).any() or (averaged.weights == before).all()


def test_an_unlimited_step_of_mira_sets_the_gold_tree_ahead_by_its_mistakes() -> None:
    for i in range(6):
        corpus, gold = CORPUS.select(np.array([i])), CORPUS.heads[span(i)].tolist()
        averaged = zero_weights(BITS, UpdateRule(1.0, np.inf))
        worst = parser_of(i, 1.0)({})
        first_order.train_epoch(UpdateRule(1.0, np.inf), TABLE, corpus, averaged, np.array([0]), 0, 1)
        scores = arc_scores(averaged.weights, i)
        ahead = sum(scores[d, gold[d]] - scores[d, worst[d]] for d in range(1, len(gold)))
        mistakes = sum(a != b for a, b in zip(gold, worst, strict=True))
        assert ahead == pytest.approx(mistakes, rel=1e-4)


def test_a_bayes_point_machine_is_the_mean_of_its_perceptrons() -> None:
    task = task_of(PERCEPTRON, 2)
    perceptrons = [averaged_weights(task, 7, k) for k in range(3)]
    assert (perceptrons[0] != perceptrons[1]).any()
    np.testing.assert_allclose(mean_weights(task, 3, 7), np.mean(perceptrons, axis=0), atol=1e-6)
    assert (mean_weights(task, 1, 7) == perceptrons[0]).all()


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_the_mean_does_not_depend_on_jobs(backend: str) -> None:
    task = task_of(PERCEPTRON, 1)
    assert mean_weights(task, 3, 7).tobytes() == mean_weights(task, 3, 7, jobs=Jobs(2, backend)).tobytes()


def test_the_pruner_keeps_the_best_heads_and_a_tree() -> None:
    weights = train_pruner(CORPUS, TABLE, 0)
    for i in range(8):
        tokens = CORPUS.tokens[span(i)]
        scores = np.full((len(tokens), len(tokens)), -np.inf, np.float32)
        score_arcs(
            weights.table, weights.bits, TABLE.splits, arc_keys(TABLE, tokens, CORPUS.words), free(tokens), scores
        )
        np.fill_diagonal(scores, -np.inf)
        tree = np.empty(len(tokens), np.int32)
        eisner.decode(scores, True, tree)
        for max_heads, margin in ((1, np.inf), (2, 2.0 / weights.scale), (50, np.inf)):
            heads, mask = np.full(len(tokens), -1, np.int32), np.empty(scores.shape, np.int16)
            prune(Pruner(weights, TABLE, max_heads, margin * weights.scale), CORPUS.words, tokens, True, heads, mask)
            assert heads.tolist() == tree.tolist()
            for d in range(1, len(tokens)):
                best = sorted(range(len(tokens)), key=lambda h: -scores[d, h])[: min(max_heads, len(tokens) - 1)]
                lowest = max(scores[d].max() - margin, scores[d, best[-1]])
                assert mask[d].tolist() == [
                    h != d and (h == tree[d] or scores[d, h] >= lowest) for h in range(len(tokens))
                ]


def test_the_pruner_learns_from_every_sentence_if_it_is_the_only_one() -> None:
    for i in range(4):
        tokens, one = CORPUS.tokens[span(i)], train_pruner(CORPUS.select(np.array([i])), TABLE, 0)
        heads, mask = np.full(len(tokens), -1, np.int32), np.empty((len(tokens), len(tokens)), np.int16)
        prune(Pruner(one, TABLE, 1, np.inf), CORPUS.words, tokens, True, heads, mask)
        assert heads.tolist() == CORPUS.heads[span(i)].tolist()


@pytest.mark.parametrize("n", [30, SHORT, SHORT + 1, 3 * SHORT, 450])
@pytest.mark.parametrize(("words", "max_heads"), [(1, 8), (2, 2), (7, 8)])
def test_a_long_run_of_a_few_words_has_few_candidate_heads(n: int, words: int, max_heads: int) -> None:
    weights, rng = train_pruner(CORPUS, TABLE, 0), np.random.default_rng(n)
    tokens = np.concatenate([TREEBANK.tokens[:1], rng.choice(TREEBANK.tokens[1 : 1 + words], n)])
    scores, mask = np.empty((n + 1, n + 1), np.float32), np.empty((n + 1, n + 1), np.int16)
    score_arcs(weights.table, weights.bits, TABLE.splits, arc_keys(TABLE, tokens, CORPUS.words), free(tokens), scores)
    fewest, heads = min(FEWEST, max_heads), np.full(n + 1, -1, np.int32)
    most = max_heads if n <= SHORT else max(fewest, max_heads * SHORT // n)
    prune(Pruner(weights, TABLE, max_heads, np.inf), CORPUS.words, tokens, True, heads, mask)
    for d in range(1, n + 1):
        others = sorted((h for h in range(n + 1) if h != d), key=lambda h: (-scores[d, h], abs(h - d), h))
        assert np.flatnonzero(mask[d]).tolist() == sorted({*others[:most], int(heads[d])})


def test_the_parts_of_long_sentences_grow_with_their_length_not_with_its_square() -> None:
    weights, sizes = train_pruner(CORPUS, TABLE, 0), []
    for n in (200, 400):
        tokens = np.concatenate([TREEBANK.tokens[:1], np.repeat(TREEBANK.tokens[1:2], n)])
        masks, heads = Masks.empty(np.array([0, n + 1])), np.full(n + 1, -1, np.int32)
        prune(Pruner(weights, TABLE, 16, np.inf), CORPUS.words, tokens, True, heads, mask_of(masks, 0))
        sizes.append(n_parts(parts_of(mask_of(masks, 0))))
    assert sizes[1] < 2.2 * sizes[0]


def test_masks_hold_all_gold_arcs_and_each_sentence_is_in_one_fold() -> None:
    masks = pruned(CORPUS, 1, 0.0)
    for i in range(TREEBANK.n_sentences):
        heads: Ints = CORPUS.heads[span(i)]
        mask = masks.allowed[masks.begins[i] : masks.begins[i + 1]].reshape(len(heads), len(heads))
        assert mask[np.arange(1, len(heads)), heads[1:]].all()
    for n in (1, 2, 7):
        assert sorted(np.concatenate(list(folds(n))).tolist()) == list(range(n))


def test_a_fold_is_pruned_by_weights_of_all_the_others() -> None:
    others = np.array([0, TREEBANK.n_sentences - 1])
    fold = np.arange(1, others[1])
    learned = Pruner(train_pruner(CORPUS.select(others), TABLE, 0), TABLE, 2, 0.1)
    own = CORPUS.select(fold)
    masks = Masks.empty(own.offsets)
    prune_all(learned, own._replace(heads=np.full_like(own.heads, -1)), masks)
    masks.allow(own.heads, own.offsets)
    assert (prune_fold(CORPUS, learned._replace(weights=NO_WEIGHTS), 0, None, fold) == masks.allowed).all()


def test_arcs_get_the_label_that_they_would_have_in_a_tree() -> None:
    labeller = train_arc_labeller(TREEBANK, CORPUS.words, 0)
    masks = Masks.empty(CORPUS.offsets)
    masks.allow(CORPUS.heads, CORPUS.offsets)
    assert np.count_nonzero(masks.allowed) == TREEBANK.n_tokens
    label_candidates(labeller, CORPUS, masks.allowed)
    deprels = labeller.label(CORPUS.words, CORPUS.tokens, CORPUS.offsets, CORPUS.heads)
    labels = masks.allowed[masks.allowed != 0]  # by dependent
    assert labels.tolist() == (deprels[CORPUS.heads >= 0] + 1).tolist()


def test_labels_behind_the_largest_number_count_as_one() -> None:
    labels, sentence = [0, MOST - 2, MOST - 1, MOST, MOST + 9], CORPUS.select(np.array([0]))
    for label in labels:
        guide, every = LinearGuide.constant(np.array([label], np.int32), MOST + 10), np.ones(MOST + 10, np.bool_)
        labeller = Labeller((), TEMPLATES, compile_templates(TEMPLATES, GRAMMAR), every, every, guide)
        masks = Masks.empty(sentence.offsets)
        masks.allow(sentence.heads, sentence.offsets)
        label_candidates(labeller, sentence, masks.allowed)
        assert set(masks.allowed.tolist()) == {0, min(label + 1, MOST)}


def test_labels_of_training_arcs_come_from_other_sentences() -> None:
    labels = TREEBANK.deprels.copy()
    first, second = folds(TREEBANK.n_sentences)
    pruner = Pruner(NO_WEIGHTS, TABLE, 4, 5.0)
    masks = prune_fold(CORPUS, pruner, 0, TREEBANK, first)
    assert masks.max() > 1
    for i in first.tolist():
        labels[span(i)][1:] = TREEBANK.deprels[1]
    changed = dataclasses.replace(TREEBANK, deprels=labels)
    assert (prune_fold(CORPUS, pruner, 0, changed, first) == masks).all()
    others = prune_fold(CORPUS, pruner, 0, changed, second)
    assert set(others.tolist()) == {0, 1 + TREEBANK.deprels[1]}


def test_arcs_have_the_same_scores_in_both_orders() -> None:
    rng = np.random.default_rng(2)
    weights = rng.integers(-50, 50, 1 << BITS).astype(np.int16)
    heads, tokens = CORPUS.heads[span(0)], CORPUS.tokens[span(0)]
    mask = np.ones((len(heads), len(heads)), np.int16)
    parts, keys = parts_of(mask), keys_of(SECOND, tokens, CORPUS.words, mask)
    scores = score_parts(Scorer(weights, BITS, SECOND), keys, parts, True).arc_scores
    found = find_parts(parts, heads)
    arcs = arc_scores(weights.astype(np.float32), 0)
    assert [scores[found[d, 0]] for d in range(1, len(heads))] == [arcs[d, heads[d]] for d in range(1, len(heads))]


def test_arcs_with_a_given_head_are_not_scored() -> None:
    weights = np.random.default_rng(2).integers(-50, 50, 1 << BITS).astype(np.float32)
    tokens, heads = CORPUS.tokens[span(0)], CORPUS.heads[span(0)].copy()
    heads[1::2] = -1
    scores, expected = np.zeros((len(tokens), len(tokens)), np.float32), arc_scores(weights, 0)
    for d in np.flatnonzero(heads >= 0).tolist():
        expected[d] = eisner.NEVER
        expected[d, heads[d]] = 0
    score_arcs(weights, BITS, TABLE.splits, arc_keys(TABLE, tokens, CORPUS.words), heads, scores)
    assert (scores == expected).all()


@given(st.integers(0, 1_000), st.booleans())
@settings(max_examples=50, deadline=None)
def test_parts_that_are_not_scored_are_the_same_in_all_trees(seed: int, projective: bool) -> None:
    rng = np.random.default_rng(seed)
    weights, n = rng.integers(-50, 50, 1 << BITS).astype(np.int16), 5
    every, words = np.ones((n + 1, n + 1), np.int16), CORPUS.tokens[: n + 1]
    known = projective_trees(n, True) if projective else all_trees(n, True)
    certain, chosen = rng.random(n + 1) < 0.6, known[rng.integers(len(known))]
    mask = np.where(certain[:, None], 0, rng.random((n + 1, n + 1)) < 0.5).astype(np.int16)
    mask[range(1, n + 1), chosen[1:]] = 1
    possible = [tree for tree in known if mask[range(1, n + 1), tree[1:]].all()]
    models = []
    for allowed in (every, mask):
        parts, keys = parts_of(allowed), keys_of(SECOND, words, CORPUS.words, every)
        models.append(model_of(score_parts(Scorer(weights, BITS, SECOND), keys, parts, projective)))
    left_out = {second_order_score(models[0], tree) - second_order_score(models[1], tree) for tree in possible}
    assert len(left_out) == 1
    if len(possible) == 1 and (mask != 0).sum() == n:
        assert second_order_score(models[1], possible[0]) == 0


@pytest.mark.parametrize("projective", [False, True])
def test_the_score_of_a_part_is_the_sum_of_its_weights(projective: bool) -> None:
    weights = np.random.default_rng(3).integers(-50, 50, 1 << BITS).astype(np.int16)
    tokens, places = CORPUS.tokens[span(0)], np.empty(MAX_FEATURES, np.uint32)
    mask = np.ones((len(tokens), len(tokens)), np.int16)
    parts, keys = parts_of(mask), keys_of(SECOND, tokens, CORPUS.words, mask)
    scored = score_parts(Scorer(weights, BITS, SECOND), keys, parts, projective)

    def score(kind: int, *ends: int) -> int:
        count, variants = fire_part(SECOND, keys, BITS, kind, ends, places)  # type: ignore[arg-type]
        return sum(int(weights[places[:count] ^ np.uint32(variant)].sum(dtype=np.int64)) for variant in variants)

    arcs = list(zip(parts.candidates.heads.tolist(), parts.candidates.dependents.tolist(), strict=True))
    for arc, (h, d) in enumerate(arcs):
        assert scored.arc_scores[arc] == score(0, h, d, -1)
        for part in range(parts.siblings.first[arc], parts.siblings.first[arc + 1]):
            partner = parts.siblings.partners[part]
            assert scored.sibling_scores[part] == score(1, h, d, arcs[partner][1] if partner >= 0 else -1)
        for part in range(parts.grandparents.first[arc], parts.grandparents.first[arc + 1]):
            partner = parts.grandparents.partners[part]
            g = arcs[partner][0] if partner >= 0 else -1
            none = g == d or (projective and min(h, d) < g < max(h, d))
            assert scored.grandparent_scores[part] == (0 if none else score(2, h, d, g))


@given(st.lists(st.integers(-32_000, 32_000), max_size=300))
def test_weights_survive_packing(values: list[int]) -> None:
    table = np.zeros(512, np.int16)
    table[: len(values)] = values
    weights = HashedWeights.from_record(HashedWeights(table, 9, 0.5).record("model", {}), "model")
    assert (weights.table == table).all()
    assert (weights.bits, weights.scale) == (9, 0.5)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(weight: float) -> None:
    weights = np.zeros(256, np.float32)
    weights[7] = weight
    with pytest.raises(ConfigError, match="the weights of the learner are not finite numbers"):
        round_weights(weights, 0.0)


def test_rounding_keeps_weights_to_half_a_step() -> None:
    weights = np.random.default_rng(0).normal(size=256).astype(np.float32)
    rounded = round_weights(weights, 0.0)
    np.testing.assert_allclose(rounded.table * rounded.scale, weights, atol=0.51 * rounded.scale)
    assert abs(rounded.table).max() == 32_000
    assert not round_weights(np.zeros(256, np.float32), 0.0).table.any()


@pytest.mark.parametrize("largest", [1e-6, -0.5, 2.0])
def test_the_largest_weight_has_all_digits(largest: float) -> None:
    weights = np.zeros(256, np.float32)
    weights[7] = largest
    assert abs(round_weights(weights, 0.0).table[7]) == 32_000


@pytest.mark.parametrize("size", [0, 16, 31, 33, 100])
def test_tables_of_other_sizes_are_refused(size: int) -> None:
    arrays: dict[str, NDArray[Any]] = {"filled": np.zeros(size, np.uint8), "packed": np.zeros(0, np.int16)}
    with pytest.raises(ModelError, match="do not fit its features"):
        HashedWeights.from_record(Record("model", {"scale": 1.0}, arrays), "model")


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_the_pruner_equals_its_plain_twin(rate: float) -> None:
    order = [i for epoch in range(3) for i in np.random.default_rng(epoch).permutation(TREEBANK.n_sentences).tolist()]
    trees = ((CORPUS.heads[span(i)].tolist(), features_of_arcs(i)) for i in order)
    averaged, expected = zero_weights(BITS, PERCEPTRON), np.zeros(1 << BITS)
    for slot, weight in regress(trees, rate, pruning.MIN_GRADIENT, len(order)).items():
        expected[slot] = weight
    pruning.train_epoch(rate, TABLE, CORPUS, averaged, np.array(order[:7], np.int64), 0, len(order))
    pruning.train_epoch(rate, TABLE, CORPUS, averaged, np.array(order[7:], np.int64), 7, len(order))
    assert np.abs(expected).max() > 0.5
    np.testing.assert_allclose(average(averaged), expected, atol=1e-3 * np.abs(expected).max())
