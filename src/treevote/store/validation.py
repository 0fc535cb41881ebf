"""Checks of the parts of a record, from which a parser is rebuilt: nothing in it is trusted."""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable, Mapping
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treevote.config import from_mapping
from treevote.corpus.sentence import is_label
from treevote.errors import ConfigError, ModelError
from treevote.store.record import Record

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Made = TypeVar("_Made")
_Trainer = TypeVar("_Trainer", bound="DataclassInstance")


def rebuild(record: Record, kind: str, make: Callable[[Record], _Made]) -> _Made:
    """Return the result of ``make`` for a record of a kind; ModelError if its parts do not fit together.

    >>> rebuild(Record("bag", {"size": 3}), "bag", lambda record: record.facts["size"])
    3
    >>> rebuild(Record("bag"), "bag", lambda record: record.facts["size"])
    Traceback (most recent call last):
    treevote.errors.ModelError: the parts of a bag do not fit together ('size'); train it again
    """
    try:
        if record.kind != kind:
            raise ValueError(f"it is of kind {record.kind}")
        return make(record)
    except (KeyError, TypeError, ValueError, OverflowError, ConfigError) as error:
        raise ModelError(f"the parts of a {kind} do not fit together ({error}); train it again") from None


def column(record: Record, name: str, dtype: Any, *, mapped: bool = False) -> Any:
    """Return an array of a record, of one dimension and a type; a large one stays on disk, ``mapped``."""
    array = record.arrays[name]
    if array.ndim != 1 or array.dtype != dtype:
        raise ValueError(f"array {name} should have one dimension and type {np.dtype(dtype)}")
    return np.asarray(array) if mapped else np.array(array)


def check_offsets(name: str, offsets: NDArray[Any], n: int, end: int) -> None:
    """Raise ValueError unless an array has the offsets of ``n`` runs in an array of length ``end``.

    One after the other: it has ``n + 1`` numbers, begins with 0, never decreases, and ends with ``end``. Neighbours are
    compared: forged differences wrap.

    >>> check_offsets("starts", np.array([0, 0, 5, 5]), 3, 5)
    >>> check_offsets("starts", np.array([0, 2**63 - 1, -2, 5]), 3, 5)
    Traceback (most recent call last):
    ValueError: array starts should rise from 0 to 5 in 4 numbers
    """
    rises = len(offsets) == n + 1 and offsets[0] == 0 and offsets[-1] == end and (offsets[1:] >= offsets[:-1]).all()
    if not rises:
        raise ValueError(f"array {name} should rise from 0 to {end} in {n + 1} numbers")


def give_back(array: NDArray[Any]) -> None:
    """Release the resident memory of an array that is mapped from a file (madvise); later uses map it again."""
    source: Any = array
    while source is not None and not isinstance(source, np.memmap):
        source = getattr(source, "base", None)
    file: Any = getattr(source, "_mmap", None)
    if file is not None and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        file.madvise(mmap.MADV_DONTNEED)


def labels_of(record: Record) -> tuple[str, ...]:
    r"""Return the labels of a record; KeyError or ValueError if there are none, or one could not be that of a treebank.

    >>> labels_of(Record("bag", texts={"labels": ("det", "a\x00b")}))
    Traceback (most recent call last):
    ValueError: the label 'a\x00b' in labels is empty or has control characters
    """
    labels = tuple(record.texts["labels"])
    if not labels:
        raise ValueError("the list of labels is empty")
    for label in labels:
        if not is_label(label):
            raise ValueError(f"the label {short(label)} in labels is empty or has control characters")
    return labels


def scale_of(record: Record) -> float:
    """Return the scale of a record's scores; KeyError or ValueError if it is not a positive number.

    >>> scale_of(Record("bag", {"scale": "1"}))
    Traceback (most recent call last):
    ValueError: the scale of its scores should be a positive number, found '1'
    """
    scale = record.facts["scale"]
    if not isinstance(scale, float) or not 0 < scale < math.inf:
        raise ValueError(f"the scale of its scores should be a positive number, found {short(scale)}")
    return scale


def truth_of(record: Record, name: str) -> bool:
    """Return a truth value from the facts of a record; KeyError if it is missing, TypeError if it is another type."""
    fact = record.facts[name]
    if not isinstance(fact, bool):
        raise TypeError(f"{name} should be true or false, found {short(fact)}")
    return fact


def trainer_of(record: Record, kind: type[_Trainer]) -> _Trainer:
    """Return the trainer that a record names; KeyError, TypeError or ConfigError if it is not one of a kind."""
    own = record.facts["trainer"]
    if not isinstance(own, Mapping):
        raise TypeError(f"its configuration should be a table of settings, found {short(own)}")
    return from_mapping(kind, own)
