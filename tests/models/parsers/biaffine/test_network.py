"""The network: derivatives against finite differences, and scores that do not depend on the batch."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from tests.reference.toy_parser import TRAINING
from treevote.kernels import Floats, Ints
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.network.batches import Batch, batches
from treevote.models.learning.network.encoder import Masks, embed, encode, no_masks
from treevote.models.learning.network.parameters import Shapes, Sizes, encoder_shapes, initial, views
from treevote.models.learning.network.training import Dropout, Sentences, loss_of_batch
from treevote.models.learning.network.words import END, letters_of, words_of
from treevote.models.learning.vectors.vectors import WordVectors
from treevote.models.parsers.biaffine.scorer import Representations, Trees, arc_dependents, score_arcs, score_labels

SIZES, ARCS, LABELS = Sizes(words=7, tags=5, letters=6, filters=8, units=9, layers=2), 10, 6
ATTRIBUTES = ("lower", "upos")
VECTORS = WordVectors(("dog", "saw", "the"), np.array([[1, 2], [-1, 0.5], [0.5, -2]], np.float16))


class Problem(NamedTuple):
    """A small network, some sentences, and a batch with dropout."""

    shapes: Shapes
    vector: Floats
    examples: Sentences
    trees: Trees
    batch: Batch
    attributes: Ints
    masks: Masks

    def loss(self, vector: Floats) -> tuple[float, Floats]:
        """Return the loss of the batch and its derivatives."""
        gradient = np.zeros_like(vector)
        parameters, derivatives = (views(own, self.shapes) for own in (vector, gradient))
        loss = loss_of_batch(
            parameters, derivatives, self.examples, self.trees.loss, self.batch, self.attributes, self.masks
        )
        return loss, gradient


@pytest.fixture(scope="module")
def problem() -> Problem:
    trees = TRAINING.select(range(12))
    lexicon, letters = Lexicon.of(trees), letters_of(trees.words)
    rows = np.arange(len(trees.words), dtype=np.int32)
    words = words_of(trees.words, rows, lexicon.columns(trees.words), ATTRIBUTES, letters, VECTORS)
    counts = {name: int(words.attributes[:, j].max()) + 1 for j, name in enumerate(ATTRIBUTES)}
    shapes = encoder_shapes(SIZES, counts, len(lexicon.feats) + 1, END + 1 + len(letters), VECTORS.size)
    n_hidden = 2 * (ARCS + LABELS)
    shapes |= {"hidden": (2 * SIZES.units, n_hidden), "hidden-bias": (n_hidden,), "arcs": (ARCS + 1, ARCS)}
    shapes["labels"] = LABELS + 1, (LABELS + 1) * len(trees.labels)
    rng = np.random.default_rng(0)
    vector = initial(shapes, [*ATTRIBUTES, "split-feats", "letters"], rng)
    vector += rng.normal(scale=0.1, size=len(vector)).astype(np.float32)
    examples = Sentences(words, trees.tokens.astype(np.int64), trees.offsets)
    batch = next(batches(trees.offsets, 60))
    dropout = Dropout(tuple(np.full(n, 0.2) for n in counts.values()), 0.3)
    attributes = dropout.attributes(words.attributes[examples.tokens[batch.slots]], rng)
    masks = dropout.masks(views(vector, shapes), len(batch.sentences), rng)
    return Problem(shapes, vector, examples, Trees(trees.heads, trees.deprels), batch, attributes, masks)


def test_derivatives_are_those_of_finite_differences(problem: Problem) -> None:
    """In each array of parameters along its gradient, where rounding matters least, and in a random direction."""
    _, gradient = problem.loss(problem.vector)
    rng, end, step = np.random.default_rng(1), 0, 1e-3
    for name, shape in problem.shapes.items():
        begin, end = end, end + math.prod(shape)
        steepest = gradient[begin:end].astype(float)
        assert steepest.any(), name
        for direction in (steepest, rng.normal(size=end - begin)):
            along = np.zeros(len(gradient))
            along[begin:end] = direction / np.linalg.norm(direction)
            ends = (problem.loss((problem.vector + sign * step * along).astype(np.float32))[0] for sign in (1, -1))
            found = (next(ends) - next(ends)) / (2 * step)
            assert found == pytest.approx(gradient.astype(float) @ along, rel=0.01, abs=4e-4), name


def scores(problem: Problem, batch: Batch) -> dict[int, tuple[Floats, Floats]]:
    """Return the scores of all arcs of each sentence, and of the labels of the arcs from ROOT."""
    p, examples = views(problem.vector, problem.shapes), problem.examples
    tokens = examples.tokens[batch.slots]
    inputs = embed(p, examples.words, tokens, examples.words.attributes[tokens])
    h, _ = encode(p, inputs.vectors, batch, no_masks(p, len(batch.sentences)))
    words = Representations.of(p, h[batch.rows], None)
    dependents, found = arc_dependents(p, words), {}
    for i, sentence in enumerate(batch.sentences.tolist()):
        span = slice(batch.offsets[i], batch.offsets[i + 1])
        roots = np.repeat(words.label_heads[span][:1], span.stop - span.start, 0)
        labels, _ = score_labels(p, words.label_dependents[span], roots)
        found[sentence] = score_arcs(dependents[span], words.arc_heads[span]), labels
    return found


@pytest.mark.parametrize("n_slots", [1, 30, 100])
def test_the_scores_of_a_sentence_are_the_same_in_any_batch(problem: Problem, n_slots: int) -> None:
    offsets = problem.examples.offsets
    (everything,) = batches(offsets, 10_000)
    together = scores(problem, everything)
    for batch in batches(offsets, n_slots):
        for sentence, (arcs, labels) in scores(problem, batch).items():
            assert (arcs == together[sentence][0]).all()
            assert (labels == together[sentence][1]).all()


def test_dropout_keeps_a_share_and_the_mean() -> None:
    dropout = Dropout((np.array([0.0, 0.0, 1.0]),), 0.25)
    rng = np.random.default_rng(0)
    assert dropout.attributes(np.array([[1], [2], [0]], np.int32), rng).tolist() == [[1], [0], [0]]
    masks = dropout.masks({"hidden": np.zeros((1, 300), np.float32)}, 40, rng)
    assert masks.hidden is not None
    assert np.unique(masks.hidden).tolist() == pytest.approx([0, 4 / 3])
    assert masks.hidden.mean() == pytest.approx(1, abs=0.05)
