"""Word vectors in memory and in records: words, and their vectors in half precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treevote.kernels import Floats
from treevote.store.record import Record
from treevote.store.validation import column

Halves = NDArray[np.float16]

_WORDS, _VALUES = "vector_words", "vectors"


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors:
    """Words, each of which occurs once, with their vectors, in half precision; ValueError if they do not fit together.

    >>> vectors = WordVectors(("dog",), np.ones((1, 2), np.float16))
    >>> vectors.of(["Dog", "cat"]).tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """

    words: tuple[str, ...]
    values: Halves  # shape (n_words, size)
    _row_of: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_row_of", {word: row for row, word in enumerate(self.words)})
        with np.errstate(over="ignore"):
            object.__setattr__(self, "values", np.asarray(self.values, np.float16))
        if len(self._row_of) < len(self.words):
            raise ValueError("a word of its vectors occurs twice")
        n_words, shape = len(self.words), self.values.shape
        if len(shape) != 2 or shape[0] != n_words or (shape[1] > 0) != bool(n_words):
            raise ValueError(f"its vectors should have the shape ({n_words}, size), found {shape}")
        if not np.isfinite(self.values).all():
            raise ValueError("its vectors should be finite numbers in half precision, at most 65,504")

    def __bool__(self) -> bool:
        return bool(self.words)

    def __repr__(self) -> str:
        return f"Vectors of {len(self.words)} words"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordVectors):
            return False
        return self.words == other.words and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return len(self.words)

    @property
    def size(self) -> int:
        """Number of dimensions."""
        return int(self.values.shape[1])

    def of(self, forms: Sequence[str]) -> Floats:
        """Return the vector of each form, else of the form in lower case, shape (n_forms, size); 0 if it has none."""
        rows = [self._row_of.get(form, self._row_of.get(form.lower(), -1)) for form in forms]
        found = np.zeros((len(forms), self.size), np.float32)
        known = np.array(rows, np.int64) >= 0
        found[known] = self.values[[row for row in rows if row >= 0]]
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a record; none for no vectors."""
        return {_VALUES: self.values.reshape(-1)} if self else {}

    def texts(self) -> dict[str, tuple[str, ...]]:
        """Return the texts of a record; none for no vectors."""
        return {_WORDS: self.words} if self else {}

    @classmethod
    def from_record(cls, record: Record) -> WordVectors:
        """Return the vectors of a record; KeyError or ValueError if one part is missing or does not fit the other."""
        if _WORDS not in record.texts and _VALUES not in record.arrays:
            return NO_VECTORS
        words, values = tuple(record.texts[_WORDS]), column(record, _VALUES, np.float16, mapped=True)
        if not words or not len(values) or len(values) % len(words):
            raise ValueError(f"array {_VALUES} should have as many numbers for each of {len(words)} words")
        return cls(words, values.reshape(len(words), -1))


NO_VECTORS = WordVectors((), np.zeros((0, 0), np.float16))
