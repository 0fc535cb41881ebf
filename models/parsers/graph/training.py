"""Training of graph-based models: epochs over shuffled sentences, by one learner or several.

A Bayes Point Machine (Corston-Oliver et al. 2006, section 4.2, after Herbrich et al. 2001) is the
mean of averaged perceptrons, each with its own order of the sentences: a sample of the weights that fit the training
data. They are independent, so they are trained in parallel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Floats, Ints, Longs, Shorts, kernel
from treevote.models.parsers.graph import pruning
from treevote.models.parsers.graph.arc_labels import label_candidates, train_arc_labeller
from treevote.models.parsers.graph.features import MAX_FEATURES
from treevote.models.parsers.graph.hashed_weights import HashedWeights, round_weights
from treevote.models.parsers.graph.parts import Parts, find_parts, parts_of
from treevote.models.parsers.graph.pruning import Masks, Pruner, mask_of
from treevote.models.parsers.graph.second_order import Scorer, find_trees, fire_part, keys_of
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.templates import ArcTable, TemplateTables
from treevote.models.parsers.graph.update import (
    PERCEPTRON,
    AveragedWeights,
    SparseVector,
    UpdateRule,
    average,
    extend,
    update,
    zero_weights,
)
from treevote.parallel import ONE_JOB, Jobs, Progress

PRUNER_RATE, PRUNER_BITS, PRUNER_EPOCHS = 0.1, 20, 3
N_FOLDS = 2
"""Folds of the training sentences for jackknifing: each is pruned by a model that was trained on the others."""


class Examples(NamedTuple):
    """What a second-order model learns from: sentences and their arcs that were not pruned, templates, and a rule."""

    sentences: Sentences
    masks: Masks
    tables: TemplateTables
    rule: UpdateRule


class Task(NamedTuple):
    """Data and settings of a training: ``learn`` takes weights, sentences in an order, and those done of the total."""

    learn: Callable[[AveragedWeights, Longs, int, int], None]
    n_sentences: int
    rule: UpdateRule
    bits: int
    epochs: int


def train_epoch(examples: Examples, averaged: AveragedWeights, order: Longs, done: int, total: int) -> None:
    """Learn by second order; parameters as for `treevote.models.parsers.graph.first_order.train_epoch`."""
    sentences, masks, tables, rule = examples
    scorer, found = Scorer(averaged.weights, averaged.bits, tables), np.empty_like(sentences.heads)
    for number, i in enumerate(order.tolist(), done):
        find_trees(scorer, sentences, masks, i, i + 1, rule.cost, found)
        learn(examples, averaged, i, found, number / total)


@kernel
def learn(examples: Examples, averaged: AveragedWeights, i: int, found: Ints, progress: float) -> None:
    """Update the weights by the gold tree of sentence ``i`` and the one in ``found``, if they differ."""
    sentences, masks, tables, rule = examples
    first, last = sentences.offsets[i], sentences.offsets[i + 1]
    mistakes, used = (found[first + 1 : last] != sentences.heads[first + 1 : last]).sum(), 0
    if mistakes == 0:
        return
    mask = mask_of(masks, i)
    parts, keys = parts_of(mask), keys_of(tables, sentences.tokens[first:last], sentences.words, mask)
    places = np.empty(MAX_FEATURES, np.uint32)
    difference = SparseVector(np.empty(1 << 12, np.int64), np.empty(1 << 12, np.float32))
    right, wrong = find_parts(parts, sentences.heads[first:last]), find_parts(parts, found[first:last])
    for sign in (1.0, -1.0):
        own, other = (right, wrong) if sign > 0 else (wrong, right)
        for d in range(1, last - first):
            for kind in range(3):
                if own[d, kind] != other[d, kind]:
                    ends = ends_of(parts, kind, own[d, 0], own[d, kind])
                    count, variants = fire_part(tables, keys, averaged.bits, kind, ends, places)
                    difference, used = extend(difference, used, places, count, variants, sign)
    update(rule, averaged, difference, used, mistakes, progress)


@kernel
def ends_of(parts: Parts, kind: int, arc: int, part: int) -> tuple[int, int, int]:
    """Return head and dependent of an arc, and the third word of one of its parts, -1 for none."""
    h, d = int(np.int64(parts.candidates.heads[arc])), int(np.int64(parts.candidates.dependents[arc]))
    other = int(np.int64(-1))
    if kind == 1 and parts.siblings.partners[part] >= 0:
        other = int(parts.candidates.dependents[parts.siblings.partners[part]])
    elif kind == 2 and parts.grandparents.partners[part] >= 0:
        other = int(parts.candidates.heads[parts.grandparents.partners[part]])
    return h, d, other


def mean_weights(task: Task, n_learners: int, seed: int, jobs: Jobs = ONE_JOB) -> Floats:
    """Train at least one learner, each with its own order of the sentences, and return the mean of the weights."""
    work = functools.partial(averaged_weights, task, seed)
    learners = jobs.map(work, range(n_learners), prefer="threads")
    total = next(learners)
    for weights in learners:
        np.add(total, weights, out=total)
    return np.divide(total, np.float32(n_learners), out=total)


def averaged_weights(task: Task, seed: int, k: int, progress: Progress | None = None, name: str = "") -> Floats:
    """Train learner ``k``, with sentences in a new random order in each epoch; return its averaged weights."""
    averaged = zero_weights(task.bits, task.rule)
    rng, n_sentences = np.random.default_rng([seed, k]), task.n_sentences
    for epoch in range(task.epochs):
        task.learn(averaged, rng.permutation(n_sentences), epoch * n_sentences, task.epochs * n_sentences)
        if progress is not None:
            progress(name or f"graph {k + 1}", epoch + 1, task.epochs)
    return average(averaged)


def train_pruner(
    sentences: Sentences, table: ArcTable, seed: int, *, progress: Progress | None = None
) -> HashedWeights:
    """Train the model that prunes arcs."""
    learn = functools.partial(pruning.train_epoch, PRUNER_RATE, table, sentences)
    task = Task(learn, len(sentences.offsets) - 1, PERCEPTRON, PRUNER_BITS, PRUNER_EPOCHS)
    return round_weights(averaged_weights(task, seed, 0, progress, "pruner"), 0.0)


def prune_fold(
    sentences: Sentences,
    pruner: Pruner,
    seed: int,
    trees: Treebank | None,
    fold: Longs,
    *,
    progress: Progress | None = None,
) -> Shorts:
    """Prune the arcs of some training sentences by weights that were learned from the others; return their masks.

    ``trees`` are the same sentences with labels, if the arcs get theirs; these come from the others, too.
    """
    n_sentences = len(sentences.offsets) - 1
    others = np.setdiff1d(np.arange(n_sentences), fold) if len(fold) < n_sentences else fold
    weights = train_pruner(sentences.select(others), pruner.table, seed, progress=progress)
    own = sentences.select(fold)
    masks, free = Masks.empty(own.offsets), np.full_like(own.heads, -1)
    pruning.prune_all(pruner._replace(weights=weights), own._replace(heads=free), masks)
    masks.allow(own.heads, own.offsets)
    if trees is not None:
        label_candidates(train_arc_labeller(trees.select(others), sentences.words, seed), own, masks.allowed)
    return masks.allowed


def masks_of(sentences: Sentences, folded: Iterable[Shorts]) -> Masks:
    """Return the masks of all folds in the order of the sentences."""
    masks = Masks.empty(sentences.offsets)
    for fold, allowed in zip(folds(len(sentences.offsets) - 1), folded, strict=True):
        end = 0
        for sentence in fold.tolist():
            own = masks.allowed[masks.begins[sentence] : masks.begins[sentence + 1]]
            own[:] = allowed[end : end + len(own)]
            end += len(own)
    return masks


def folds(n_sentences: int) -> Iterator[Longs]:
    """Yield the numbers of the sentences of each fold, every `N_FOLDS`-th one; a single sentence is one fold."""
    for fold in range(min(N_FOLDS, n_sentences)):
        yield np.arange(fold, n_sentences, N_FOLDS)
