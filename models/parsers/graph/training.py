"""Training of graph-based models: epochs over shuffled sentences, by one learner or several.

A Bayes Point Machine (Corston-Oliver et al. 2006, section 4.2, after Herbrich et al. 2001) is the
mean of averaged perceptrons, each with its own order of the sentences: a sample of the weights that fit the training
data. They are independent, so they are trained in parallel.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Floats, Longs, Shorts
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.parsers.graph import first_order, pruning
from treevote.models.parsers.graph.arc_labels import label_candidates, train_arc_labeller
from treevote.models.parsers.graph.hashed_weights import HashedWeights, round_weights
from treevote.models.parsers.graph.part_features import TemplateTables
from treevote.models.parsers.graph.pruning import Masks, Pruner
from treevote.models.parsers.graph.second_order import Scorer, find_trees, learn
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.templates import ArcTable
from treevote.models.parsers.graph.update import PERCEPTRON, AveragedWeights, UpdateRule, average, zero_weights
from treevote.parallel import ONE_JOB, Jobs, Progress

PRUNER_RATE = 0.1
N_FOLDS = 2
"""Folds of the training sentences for jackknifing: each is pruned by a model that was trained on the others."""


class FirstOrderTask(NamedTuple):
    """Data and settings for the training of a first-order model."""

    sentences: Sentences
    table: ArcTable
    rule: UpdateRule
    bits: int
    epochs: int

    def train_epoch(self, averaged: AveragedWeights, order: Longs, done: int, total: int) -> None:
        """Learn from sentences in a given order."""
        first_order.train_epoch(averaged, self.rule, self.table, self.sentences, order, done, total)


class SecondOrderTask(NamedTuple):
    """Data and settings for the training of a second-order model."""

    sentences: Sentences
    tables: TemplateTables
    masks: Masks
    rule: UpdateRule
    bits: int
    epochs: int

    def train_epoch(self, averaged: AveragedWeights, order: Longs, done: int, total: int) -> None:
        """Learn from sentences in a given order."""
        sentences, tables, masks, rule, _, _ = self
        scorer, found = Scorer(averaged.weights, averaged.bits, tables), np.empty_like(sentences.heads)
        for number, i in enumerate(order.tolist(), done):
            find_trees(scorer, sentences, masks, i, i + 1, rule.cost, found)
            learn(averaged, rule, tables, sentences, masks, i, found, number / total)


class PrunerTask(NamedTuple):
    """Data and settings for the training of the model that prunes arcs."""

    sentences: Sentences
    table: ArcTable
    rule: UpdateRule = PERCEPTRON
    bits: int = 20
    epochs: int = 3

    def train_epoch(self, averaged: AveragedWeights, order: Longs, done: int, total: int) -> None:
        """Learn from sentences in a given order."""
        pruning.train_epoch(averaged, PRUNER_RATE, self.table, self.sentences, order, done, total)


Task: TypeAlias = FirstOrderTask | SecondOrderTask | PrunerTask


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
    rng, n_sentences = np.random.default_rng([seed, k]), len(task.sentences.offsets) - 1
    for epoch in range(task.epochs):
        task.train_epoch(averaged, rng.permutation(n_sentences), epoch * n_sentences, task.epochs * n_sentences)
        if progress is not None:
            progress(name or f"graph {k + 1}", epoch + 1, task.epochs)
    return average(averaged)


def train_pruner(
    sentences: Sentences, table: ArcTable, seed: int, *, progress: Progress | None = None
) -> HashedWeights:
    """Train the model that prunes arcs."""
    return round_weights(averaged_weights(PrunerTask(sentences, table), seed, 0, progress, "pruner"), 0.0)


def prune_fold(
    sentences: Sentences,
    table: ArcTable,
    max_heads: int,
    margin: float,
    seed: int,
    labelled: tuple[Treebank, WordColumns] | None,
    fold: Longs,
    *,
    progress: Progress | None = None,
) -> Shorts:
    """Prune the arcs of some training sentences by a model that was trained on the others; return their masks.

    ``labelled`` are the same sentences with labels, if the arcs get theirs; these come from the others, too.
    """
    n_sentences = len(sentences.offsets) - 1
    others = np.setdiff1d(np.arange(n_sentences), fold) if len(fold) < n_sentences else fold
    weights = train_pruner(sentences.select(others), table, seed, progress=progress)
    own = sentences.select(fold)
    masks = Masks.empty(own.offsets)
    pruner = Pruner.of(weights, table, max_heads, margin)
    pruning.prune_all(pruner, own._replace(heads=np.full_like(own.heads, -1)), masks)
    masks.allow(own.heads, own.offsets)
    if labelled is not None:
        trees, words = labelled
        label_candidates(train_arc_labeller(trees.select(others), words, seed), own, masks.allowed)
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
