"""The encoder: vectors of words, and layers of bidirectional LSTMs over them (Kiperwasser & Goldberg 2016)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treevote.kernels import Floats, Ints, Longs, kernel
from treevote.models.learning.network import character_convolution as convolution
from treevote.models.learning.network import lstm
from treevote.models.learning.network.batches import Batch, batches
from treevote.models.learning.network.parameters import DIRECTIONS, Arrays
from treevote.models.learning.network.products import add_product, affine, product
from treevote.models.learning.network.words import Words

SLOTS = 2000  # maximum number of slots of a batch in parsing, unless one sentence has more: some 50 MB


class Inputs(NamedTuple):
    """The words of a batch: their vectors, and what the way back needs."""

    words: Words
    tokens: Longs  # shape (n_rows,): the row in ``words`` of each token
    attributes: Ints  # shape (n_rows, n_attributes): the values, 0 where one was dropped
    tables: Floats
    values: Floats  # those of the filters, and the places of their maxima
    places: Ints
    vectors: Floats  # shape (n_rows, width)


class Run(NamedTuple):
    """The inputs of a layer, and the states of a direction as `lstm.run` leaves them."""

    x: Floats
    z: Floats
    h: Floats
    c: Floats
    before: Floats


class Masks(NamedTuple):
    """What dropout keeps, scaled: a row for each sentence."""

    inputs: tuple[Floats, ...]  # of each layer; none in parsing
    recurrent: tuple[Floats, ...]  # of each layer and direction
    hidden: Floats | None


def no_masks(p: Arrays, n_sentences: int) -> Masks:
    """Return masks that drop nothing."""
    recurrent = (array for name, array in p.items() if name.startswith("recurrent"))
    return Masks((), tuple(np.ones((n_sentences, len(array)), np.float32) for array in recurrent), None)


@kernel
def add_vectors(table: Floats, items: Ints, starts: Longs, words: Longs, sums: Floats) -> None:
    """Add the vectors of the items of each word: items ``starts[w] : starts[w + 1]`` of word ``w``, to its row."""
    for row in range(len(words)):
        for place in range(starts[words[row]], starts[words[row] + 1]):
            vector, own = table[items[place]], sums[row]
            for j in range(len(own)):
                own[j] += vector[j]


@kernel
def add_to_vectors(gradient: Floats, items: Ints, starts: Longs, words: Longs, d_sums: Floats) -> None:
    """Add the derivatives of `add_vectors` to those of the table."""
    for row in range(len(words)):
        for place in range(starts[words[row]], starts[words[row] + 1]):
            vector, own = gradient[items[place]], d_sums[row]
            for j in range(len(own)):
                vector[j] += own[j]


def embed(p: Arrays, words: Words, tokens: Longs, attributes: Ints) -> Inputs:
    """Return the vectors of tokens: of their attributes, of a file, of their FEATS, and the values of filters."""
    parts = [p[name][items] for name, items in zip(p, attributes.T, strict=False)]  # the first arrays are of attributes
    feats = np.zeros((len(tokens), p["split-feats"].shape[1]), np.float32)
    add_vectors(p["split-feats"], words.feats, words.feats_starts, tokens, feats)
    tables = convolution.tables_of(p["letters"], p["filters"])
    values = np.empty((len(tokens), len(p["filter-bias"])), np.float32)
    places = np.empty(values.shape, np.int32)
    convolution.convolve(tables, p["filter-bias"], words.letters, words.letters_starts, tokens, values, places)
    known = [product(words.vectors[tokens], p["vectors"])] if "vectors" in p else []
    vectors = np.concatenate([*parts, *known, feats, values], 1)
    return Inputs(words, tokens, attributes, tables, values, places, vectors)


def embed_back(p: Arrays, d: Arrays, inputs: Inputs, d_vectors: Floats) -> None:
    """Add the derivatives of the parameters of `embed`."""
    words, tokens, rows = inputs.words, inputs.tokens, np.arange(len(inputs.tokens) + 1)
    names = list(p)[: inputs.attributes.shape[1]]
    others = ["vectors", "split-feats"] if "vectors" in p else ["split-feats"]
    *parts, d_values = np.split(d_vectors, np.cumsum([p[name].shape[1] for name in [*names, *others]]), 1)
    own = dict(zip([*names, *others], map(np.ascontiguousarray, parts), strict=True))
    for name, items in zip(names, inputs.attributes.T, strict=True):
        add_to_vectors(d[name], np.ascontiguousarray(items), rows, rows[:-1], own[name])
    if "vectors" in p:
        add_product(np.ascontiguousarray(words.vectors[tokens].T), own["vectors"], d["vectors"])
    add_to_vectors(d["split-feats"], words.feats, words.feats_starts, tokens, own["split-feats"])
    d_tables, d_values = np.zeros_like(inputs.tables), np.ascontiguousarray(d_values)
    places = inputs.places, words.letters, words.letters_starts, tokens
    convolution.convolve_back(d_values, inputs.values, *places, d_tables, d["filter-bias"])
    convolution.add_to_letters(p["letters"], p["filters"], d_tables, d["letters"], d["filters"])


def encode(p: Arrays, x: Floats, batch: Batch, masks: Masks) -> tuple[Floats, list[Run]]:
    """Return the outputs of the last layer, both directions side by side, and the runs of all layers."""
    runs: list[Run] = []
    for layer in range(len(masks.recurrent) // 2):
        if masks.inputs:
            x = x * masks.inputs[layer][batch.sentence_of]
        for backward, direction in enumerate(DIRECTIONS):
            own, mask = f"{layer}-{direction}", masks.recurrent[len(runs)]
            z = affine(x, p[f"input-{own}"], p[f"bias-{own}"])
            h, c, before = np.empty((3, len(z), mask.shape[1]), np.float32)
            before[:] = 0
            lstm.run(z, p[f"recurrent-{own}"], batch.starts, bool(backward), mask, h, c, before)
            runs.append(Run(x, z, h, c, before))
        x = np.concatenate([run.h for run in runs[-2:]], 1)
    return x, runs


def encodings(p: Arrays, words: Words, tokens: Longs, offsets: Longs) -> Iterator[tuple[Batch, Floats]]:
    """Yield sentences in batches, with the states of the last layer in the order of the rows of the batch.

    ``tokens`` are rows in ``words``, ``offsets`` those of sentences.
    """
    for batch in batches(offsets, SLOTS):
        own = tokens[batch.slots]
        inputs = embed(p, words, own, words.attributes[own])
        h, _ = encode(p, inputs.vectors, batch, no_masks(p, len(batch.sentences)))
        yield batch, h


def encode_back(p: Arrays, d: Arrays, runs: list[Run], dh: Floats, batch: Batch, masks: Masks) -> Floats:
    """Add the derivatives of the parameters of `encode`, and return those of its inputs."""
    for layer in reversed(range(len(runs) // 2)):
        x = runs[2 * layer].x
        dx, transposed = np.zeros_like(x), np.ascontiguousarray(x.T)
        for backward, (direction, d_own) in enumerate(zip(DIRECTIONS, np.split(dh, 2, 1), strict=True)):
            own, mask, run = f"{layer}-{direction}", masks.recurrent[2 * layer + backward], runs[2 * layer + backward]
            recurrent = np.ascontiguousarray(p[f"recurrent-{own}"].T)
            back = np.ascontiguousarray(d_own)
            lstm.run_back(back, run.z, recurrent, batch.starts, bool(backward), mask, run.c)
            add_product(np.ascontiguousarray(run.before.T), run.z, d[f"recurrent-{own}"])
            add_product(transposed, run.z, d[f"input-{own}"])
            d[f"bias-{own}"][:] += run.z.sum(0)
            dx += product(run.z, p[f"input-{own}"].T)
        dh = dx * masks.inputs[layer][batch.sentence_of] if masks.inputs else dx
    return dh
