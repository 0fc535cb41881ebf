"""The spelling of forms as numbers: affixes, infixes and shapes, which tell the tags of words never seen in training.

A value is a checksum of its string (CRC-32): no vocabulary is kept, and two strings of a treebank are rarely taken for
one another. 0 is a missing value, such as the last four characters of a form of three.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np

from treevote.corpus.sentence import Word
from treevote.kernels import Ints, Longs
from treevote.models.learning.clusters.clusters import NAMES, NONE, Clusters
from treevote.models.learning.features.lexicon import shape
from treevote.models.learning.features.word_memo import GrowingArray, latest, taken

PREFIXES, SUFFIXES, INFIXES = range(1, 5), range(1, 8), range(1, 6)

# Attributes of a form. ``lower`` is the form in lower case with every digit as 0, and so are the affixes; ``infix3``
# are the two characters before the last three, where languages that pile up suffixes have one; the last: its clusters.
SPELLING = (
    "form", "lower", "shape", *(f"prefix{n}" for n in PREFIXES), *(f"suffix{n}" for n in SUFFIXES),
    *(f"infix{n}" for n in INFIXES), *NAMES,
)  # fmt: skip
UNKNOWN = -1  # row of a form that the training data do not have


def spelling(form: str, clusters: Clusters = NONE) -> tuple[str, ...]:
    """Return the strings of all attributes of a form, in the order of ``SPELLING``; empty for a missing value."""
    lower = "".join("0" if c.isdigit() else c for c in form.lower())
    size = len(lower)
    return (
        form,
        lower,
        shape(form),
        *(lower[:n] if size >= n else "" for n in PREFIXES),
        *(lower[-n:] if size >= n else "" for n in SUFFIXES),
        *(lower[-n - 2 : -n] if size >= n + 2 else "" for n in INFIXES),
        *clusters.of(form),
    )


class _Numbered:
    """Forms by their rows, and for each row its values and its known form."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.values = GrowingArray(np.zeros((0, len(SPELLING)), np.int64))
        self.known = GrowingArray(np.zeros(0, np.int32))


class FormMemo:
    """The numbers of forms, with a cache that is emptied beyond ``limit`` forms; as safe to use as a `WordMemo`.

    ``forms`` are those of the training data; ValueError if one occurs twice.
    """

    def __init__(self, forms: Sequence[str], clusters: Clusters = NONE, limit: int = 1 << 16) -> None:
        self.forms, self.clusters, self.limit = forms, clusters, limit
        self._row_of = {form: row for row, form in enumerate(forms)}
        if len(self._row_of) != len(forms):
            raise ValueError("a form of its dictionary occurs twice")
        self._idle: list[_Numbered] = []

    def __reduce__(self) -> tuple[Callable[..., FormMemo], tuple[Sequence[str], Clusters, int]]:
        return FormMemo, (self.forms, self.clusters, self.limit)

    def encode(self, words: Sequence[Word]) -> tuple[Ints, Longs, Ints]:
        """Return the row of each word, shape (n_words,), and for each row its values and its known form.

        Values have the shape (n_rows, len(SPELLING)). A known form is its row in the training data, or ``UNKNOWN``.
        """
        known = taken(self._idle)
        if known is None or len(known.rows) > self.limit:
            known = _Numbered()
        rows, first = known.rows, len(known.rows)
        numbers = [rows.setdefault(word.form, len(rows)) for word in words]
        if len(rows) > first:
            fresh = latest(rows, len(rows) - first)
            values = [[_number(string) for string in spelling(form, self.clusters)] for form in fresh]
            known.values.add(np.array(values, np.int64))
            known.known.add(np.array([self._row_of.get(form, UNKNOWN) for form in fresh], np.int32))
        found = np.array(numbers, np.int32), known.values.rows, known.known.rows  # before another thread may take it
        self._idle.append(known)
        return found


def _number(string: str) -> int:
    """Return the checksum of a string, from 1; 0 if it is empty."""
    return max(1, zlib.crc32(string.encode("utf-8", "surrogatepass"))) if string else 0
