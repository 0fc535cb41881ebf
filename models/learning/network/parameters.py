"""The parameters of the network: one vector, and views of it by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.kernels import Floats
from treevote.models.learning.network.character_convolution import WINDOW
from treevote.models.learning.network.words import WORDS

Shapes: TypeAlias = Mapping[str, tuple[int, ...]]  # names and shapes of arrays, in the order of the vector
Arrays: TypeAlias = Mapping[str, Floats]  # views by name of a vector of parameters, or of their derivatives

DIRECTIONS = ("forward", "backward")


class Sizes(NamedTuple):
    """Sizes of the vectors and layers of an encoder."""

    words: int = 80  # vectors of forms and lemmas
    tags: int = 32  # vectors of other attributes, and of FEATS
    letters: int = 32
    filters: int = 64
    units: int = 128  # recurrent units of a layer and direction
    layers: int = 2


def encoder_shapes(
    sizes: Sizes, attributes: Mapping[str, int], n_feats: int, n_letters: int, vector_size: int = 0
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the parameters of an encoder.

    ``attributes`` have the number of values of each, unknown ones included. ``vector_size`` is that of the vectors of a
    file, 0 for none.
    """
    widths = {name: sizes.words if name in WORDS else sizes.tags for name in attributes}
    shapes: dict[str, tuple[int, ...]] = {name: (n, widths[name]) for name, n in attributes.items()}
    shapes["split-feats"] = n_feats, sizes.tags
    shapes["letters"] = n_letters, sizes.letters
    shapes["filters"] = WINDOW, sizes.letters, sizes.filters
    shapes["filter-bias"] = (sizes.filters,)
    width, n = sum(widths.values()) + sizes.tags + sizes.filters, sizes.units
    if vector_size:
        shapes["vectors"] = vector_size, sizes.words
        width += sizes.words
    for layer in range(sizes.layers):
        for direction in DIRECTIONS:
            own = f"{layer}-{direction}"
            shapes |= {f"input-{own}": (width, 4 * n), f"recurrent-{own}": (n, 4 * n), f"bias-{own}": (4 * n,)}
        width = 2 * n
    return shapes


def size_of(shapes: Shapes) -> int:
    """Return the number of all parameters."""
    return sum(map(math.prod, shapes.values()))


def views(vector: Floats, shapes: Shapes) -> Arrays:
    """Return the arrays in a vector of parameters."""
    arrays, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + math.prod(shape)
        arrays[name] = vector[begin:end].reshape(shape)
    return arrays


def initial(shapes: Shapes, embeddings: Sequence[str], rng: np.random.Generator) -> Floats:
    """Return parameters to begin with: uniform (Glorot & Bengio 2010), of length 1 or so for the vectors of words.

    Biases are 0, those of forget gates 1 (Jozefowicz et al. 2015).
    """
    vector = np.zeros(size_of(shapes), np.float32)
    for name, array in views(vector, shapes).items():
        if array.ndim == 1:
            if name.startswith("bias"):
                array[len(array) // 4 : len(array) // 2] = 1
            continue
        fans = 2 * array.shape[-1] if name in embeddings else array.shape[-2] + array.shape[-1]
        limit = math.sqrt(6 / fans)
        array[:] = rng.uniform(-limit, limit, array.shape)
    return vector
