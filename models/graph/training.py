"""From trees to weights: the training sentences in a random order, several times over, perhaps by several learners.

A Bayes Point Machine (Corston-Oliver et al. 2006, section 4.2, after Herbrich et al. 2001) is the
mean of averaged perceptrons, each of which saw the sentences in an order of its own: they stand for a sample of all
weights that fit the training data. They know nothing of each other, so they are trained in parallel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Floats, Ints, Longs
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph.arc_model import train_arcs
from treevote.models.graph.hashed_weights import HashedWeights, round_weights
from treevote.models.graph.learning import PERCEPTRON, Rule, Sums, average, sums_of
from treevote.models.graph.pair_model import PairTables, train_pairs
from treevote.models.graph.pruning import prune_all, train_pruner
from treevote.models.graph.templates import ArcTable
from treevote.parallel import ONE_JOB, Jobs, Progress

PRUNER_BITS = 20
PRUNER_EPOCHS = 3
PRUNER_RATE = 0.1
FOLDS = 2
"""Training sentences are pruned by models that did not see them, as new sentences will be: so many models."""

Learn = Callable[[Sums, Longs, int, int], object]
"""Learns from sentences in a given order, of so many done before them, of so many in all."""


class Corpus(NamedTuple):
    """Training sentences.

    Attributes
    ----------
    words : WordColumns
    tokens, heads : ndarray of int32, shape (n_slots,)
    offsets : ndarray of int64, shape (n_sentences + 1,)
    projective, single_root : bool
        What the trees are like.
    """

    words: WordColumns
    tokens: Ints
    heads: Ints
    offsets: Longs
    projective: bool
    single_root: bool

    def select(self, sentences: Longs) -> Corpus:
        """Return some of the sentences."""
        lengths = np.diff(self.offsets)[sentences]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        slots = np.repeat(self.offsets[:-1][sentences] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
        return self._replace(tokens=self.tokens[slots], heads=self.heads[slots], offsets=offsets)


class Masks(NamedTuple):
    """The arcs of training sentences that were not pruned: ``allowed[begins[i] : begins[i + 1]]`` of sentence ``i``."""

    allowed: Bools
    begins: Longs


class ArcTask(NamedTuple):
    """To train a first-order model."""

    corpus: Corpus
    table: ArcTable
    rule: Rule
    bits: int
    epochs: int

    def learn(self, sums: Sums, order: Longs, done: int, total: int) -> None:
        """Learn from sentences in a given order."""
        words, tokens, heads, offsets, projective, single_root = self.corpus
        sentences = words, tokens, heads, offsets, order
        train_arcs(sums, self.bits, self.rule, self.table, *sentences, done, total, projective, single_root)


class PairTask(NamedTuple):
    """To train a second-order model."""

    corpus: Corpus
    tables: PairTables
    masks: Masks
    rule: Rule
    bits: int
    epochs: int

    def learn(self, sums: Sums, order: Longs, done: int, total: int) -> None:
        """Learn from sentences in a given order."""
        words, tokens, heads, offsets, projective, single_root = self.corpus
        allowed, begins = self.masks
        sentences = words, tokens, heads, offsets, allowed, begins, order
        train_pairs(sums, self.bits, self.rule, self.tables, *sentences, done, total, projective, single_root)


def mean_weights(
    task: ArcTask | PairTask,
    parts: int,
    seed: int,
    jobs: Jobs = ONE_JOB,
) -> Floats:
    """Train several learners and return the mean of their weights.

    Parameters
    ----------
    task : ArcTask or PairTask
    parts : int
        How many learners; that of number ``k`` has its random orders from ``default_rng([seed, k])``.
    seed : int
    jobs : Jobs, optional
    """
    work = functools.partial(part_weights, task, seed)
    total: Floats | None = None
    for weights in jobs.map(work, range(parts), prefer="threads"):
        total = weights if total is None else np.add(total, weights, out=total)
    if total is None:
        raise ValueError("no parts")
    return np.divide(total, np.float32(parts), out=total)


def part_weights(task: ArcTask | PairTask, seed: int, k: int, progress: Progress | None = None) -> Floats:
    """Train learner ``k`` and return its average weights."""
    sums = sums_of(task.bits, task.rule)
    name = f"graph {k + 1}"
    run(task.learn, sums, len(task.corpus.offsets) - 1, task.epochs, np.random.default_rng([seed, k]), name, progress)
    return average(sums)


def run(
    learn: Learn,
    sums: Sums,
    n_sentences: int,
    epochs: int,
    rng: np.random.Generator,
    name: str = "",
    progress: Progress | None = None,
) -> None:
    """Show all sentences in a new random order, once each epoch."""
    for epoch in range(epochs):
        learn(sums, rng.permutation(n_sentences), epoch * n_sentences, epochs * n_sentences)
        if progress is not None:
            progress(name, epoch + 1, epochs)


def train_pruner_of(corpus: Corpus, table: ArcTable, seed: int, *, progress: Progress | None = None) -> HashedWeights:
    """Train the model that prunes arcs."""
    sums = sums_of(PRUNER_BITS, PERCEPTRON)

    def learn(sums: Sums, order: Longs, done: int, total: int) -> None:
        words, tokens, heads, offsets, *_ = corpus
        train_pruner(sums, PRUNER_BITS, PRUNER_RATE, table, words, tokens, heads, offsets, order, done, total)

    rng = np.random.default_rng([seed, 0])
    run(learn, sums, len(corpus.offsets) - 1, PRUNER_EPOCHS, rng, "pruner", progress)
    return round_weights(average(sums), 0.0)


def prune_fold(
    corpus: Corpus,
    table: ArcTable,
    keep: int,
    margin: float,
    seed: int,
    fold: Longs,
    *,
    progress: Progress | None = None,
) -> Bools:
    """Prune the arcs of some training sentences by a model that was trained on the others; return their masks."""
    n_sentences = len(corpus.offsets) - 1
    others = np.setdiff1d(np.arange(n_sentences), fold) if len(fold) < n_sentences else fold
    weights = train_pruner_of(corpus.select(others), table, seed, progress=progress)
    words, tokens, heads, offsets, _, single_root = corpus.select(fold)
    begins = _begins(offsets)
    masks = np.empty(begins[-1], np.bool_)
    least = margin / weights.scale
    prune_all(
        weights.table, weights.bits, table, words, tokens, heads, offsets, keep, least, single_root, masks, begins
    )
    return masks


def masks_of(corpus: Corpus, folded: Iterable[Bools]) -> Masks:
    """Put the masks of all folds in the order of the sentences."""
    begins = _begins(corpus.offsets)
    allowed = np.empty(begins[-1], np.bool_)
    for fold, masks in zip(folds(len(corpus.offsets) - 1), folded, strict=True):
        end = 0
        for sentence in fold.tolist():
            own = allowed[begins[sentence] : begins[sentence + 1]]
            own[:] = masks[end : end + len(own)]
            end += len(own)
    return Masks(allowed, begins)


def _begins(offsets: Longs) -> Longs:
    """Return where the mask of each sentence begins, and the end."""
    lengths = np.diff(offsets)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths * lengths)])


def folds(n_sentences: int) -> Iterator[Longs]:
    """Yield the numbers of the sentences of each fold, dealt out in turn; a single sentence is one fold."""
    for fold in range(min(FOLDS, n_sentences)):
        yield np.arange(fold, n_sentences, FOLDS)
