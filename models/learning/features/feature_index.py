"""From feature keys to row numbers: an open-addressing hash table, built by counting, read by the parser.

One slot is one 64-bit integer, so that a look-up touches one cache line: the upper 32 bits of the key as fingerprint,
and the row plus 1 (0 marks a free slot). A row is any number below 2**32 - 1: a column number in training, the place of
the weights in parsing. The place of a slot comes from bit 16 of the key and those above it; those below are not read.
An unknown key is taken for one of ``n`` known ones with a probability of some ``n / 2**48``.
"""

from __future__ import annotations

import numpy as np

from treevote.errors import ModelError
from treevote.kernels import Bytes, Floats, Ints, Keys, Longs, Shorts, leaf, prefetch

_LOW = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(0xFFFFFFFF00000000)
_ONE = np.uint64(1)

UNREAD_BITS = 16  # number of the lowest bits of a key, which are neither read by an index nor stored
LINE = 32  # number of weights in a cache line: most rows have more than one
STORED_BYTES = 8 - UNREAD_BITS // 8  # of a key

_UNREAD = np.uint64(UNREAD_BITS)

LONGEST_SEARCH = 1_000
"""Maximum number of slots tried for a key. Keys of features are random numbers: of millions, none needs 200 slots."""


@leaf
def count_keys(keys: Keys, slots: Keys, counts: Ints) -> int:
    """Count keys in place in a table of full keys, 0 for a free slot; return the number of new keys."""
    mask = np.uint64(len(slots) - 1)
    fresh = 0
    for i in range(len(keys)):
        key = keys[i] | _ONE
        slot = (key >> _ONE) & mask
        while slots[slot] != 0 and slots[slot] != key:
            slot = (slot + _ONE) & mask
        if slots[slot] == 0:
            slots[slot] = key
            fresh += 1
        counts[slot] += 1
    return fresh


@leaf
def rehash(slots: Keys, counts: Ints, new_slots: Keys, new_counts: Ints) -> None:
    """Move a counting table into a larger, empty one."""
    mask = np.uint64(len(new_slots) - 1)
    for i in range(len(slots)):
        if slots[i] != 0:
            slot = (slots[i] >> _ONE) & mask
            while new_slots[slot] != 0:
                slot = (slot + _ONE) & mask
            new_slots[slot] = slots[i]
            new_counts[slot] = counts[i]


def frequent_first(slots: Keys, counts: Ints, cutoff: int) -> Keys:
    """Return the keys counted at least ``cutoff`` times, the most frequent first, ties by key."""
    kept = np.flatnonzero(counts >= max(1, cutoff))
    return slots[kept][np.lexsort((slots[kept], -counts[kept]))]


def stored_keys(keys: Keys) -> Bytes:
    """Return keys as bytes, shape (``STORED_BYTES``, n_keys): the differences of the bits that an index reads.

    Features of the same frequency are in the order of their keys, so the first bytes of most differences are 0.
    """
    differences = np.diff(keys >> _UNREAD, prepend=np.uint64(0))
    return np.ascontiguousarray(differences.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :STORED_BYTES].T)


def restored_keys(stored: Bytes) -> Keys:
    """Return keys from bytes, the bits that no index reads are 0; ValueError if the shape is wrong."""
    if stored.ndim != 2 or len(stored) != STORED_BYTES:
        raise ValueError(f"the keys should have shape ({STORED_BYTES}, n), found {stored.shape}")
    differences = np.zeros((stored.shape[1], 8), np.uint8)
    differences[:, :STORED_BYTES] = stored.T
    return np.cumsum(differences.view("<u8").ravel().astype(np.uint64), dtype=np.uint64) << _UNREAD


def index_of(keys: Keys, rows: Longs) -> Keys:
    """Return a table of slots in which ``keys[i]`` leads to ``rows[i]``; its length is a power of 2, at most half full.

    Keys are distinct, their lowest bit set. ModelError if too many compete for the same slots: equal or forged keys.
    """
    slots = np.zeros(max(16, 1 << int(2 * len(keys)).bit_length()), np.uint64)
    if not fill_index(keys, rows, slots):
        raise ModelError("the features of a model cannot be told apart; train it again or copy it again")
    return slots


@leaf
def fill_index(keys: Keys, rows: Longs, slots: Keys) -> bool:
    """Enter keys into an empty table; return False, and stop, if one needs more than ``LONGEST_SEARCH`` steps."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        slot = (keys[i] >> _UNREAD) & mask
        steps = 0
        while slots[slot] != 0:
            slot = (slot + _ONE) & mask
            steps += 1
            if steps > LONGEST_SEARCH:
                return False
        slots[slot] = (keys[i] & _HIGH) | np.uint64(rows[i] + 1)
    return True


@leaf
def row_of(key: np.uint64, slots: Keys) -> int:
    """Return the row of a key, -1 for an unknown one."""
    mask = np.uint64(len(slots) - 1)
    slot = (key >> _UNREAD) & mask
    entry = slots[slot]
    while entry != 0 and (entry ^ key) & _HIGH != 0:
        slot = (slot + _ONE) & mask
        entry = slots[slot]
    return int(np.int64(entry & _LOW)) - 1


@leaf
def look_up(keys: Keys, n: int, slots: Keys, packed: Shorts | Floats, rows: Longs) -> None:
    """Write the row of each of the first ``n`` keys, -1 for an unknown one."""
    mask = np.uint64(len(slots) - 1)
    for i in range(n):
        prefetch(slots, np.int64((keys[i] >> _UNREAD) & mask))
    for i in range(n):
        rows[i] = row_of(keys[i], slots)
        if rows[i] >= 0:
            prefetch(packed, rows[i])
            prefetch(packed, rows[i] + LINE)


@leaf
def find_rows(keys: Keys, n: int, slots: Keys, rows: Longs) -> int:
    """Write the rows of the known keys among the first ``n``, in order, and return their number."""
    found = 0
    for i in range(n):
        row = row_of(keys[i], slots)
        if row >= 0:
            rows[found] = row
            found += 1
    return found


@leaf
def map_rows(keys: Keys, lengths: Ints, slots: Keys, rows: Longs, kept: Ints) -> int:
    """Find the rows of several runs of keys, one after the other, and return the number of rows written.

    ``kept``, shape (n_runs,), receives the number of known keys in each run of ``lengths`` keys.
    """
    start, written = 0, 0
    for run in range(len(lengths)):
        kept[run] = find_rows(keys[start:], lengths[run], slots, rows[written:])
        start += lengths[run]
        written += kept[run]
    return written
