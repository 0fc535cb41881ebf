"""Stretches of the bytes of a text: equal ones get the same number, and some give way to others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treevote.kernels import Bytes, Ints, Longs, leaf

_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(29)
_TAB, _ZERO = b"\t0"
_MOST_DIGITS = 11  # and a tab


def numbered(text: bytes, start: Longs, end: Longs) -> tuple[list[bytes], Ints]:
    """Return the distinct stretches ``text[start:end]`` in order of first appearance, and the index of each."""
    slots = np.full(1 << (2 * len(start)).bit_length(), -1, np.int32)
    firsts, numbers = np.empty(len(start), np.int64), np.empty(len(start), np.int32)
    n = number_stretches(np.frombuffer(text, np.uint8), start, end, slots, firsts, numbers)
    spans = zip(start[firsts[:n]].tolist(), end[firsts[:n]].tolist(), strict=True)
    return [text[i:j] for i, j in spans], numbers


@leaf
def number_stretches(text: Bytes, start: Longs, end: Longs, slots: Ints, firsts: Longs, numbers: Ints) -> int:
    """Write the number of each stretch, and the first stretch of each number; return how many numbers there are.

    ``slots``, shape (2**b,), is a table with room for more than all stretches; it holds -1 everywhere.
    """
    mask = np.uint64(len(slots) - 1)
    n = 0
    for i in range(len(start)):
        first, last = start[i], end[i]
        key = np.uint64(last - first)
        for k in range(first, last):
            key = (key ^ np.uint64(text[k])) * _MULTIPLIER
        slot = np.int64((key ^ (key >> _SHIFT)) & mask)
        while slots[slot] >= 0:
            known = firsts[slots[slot]]
            shift = start[known] - first
            k = first if end[known] - start[known] == last - first else last + 1
            while k < last and text[k] == text[k + shift]:
                k += 1
            if k == last:
                break
            slot = np.int64(np.uint64(slot + 1) & mask)
        if slots[slot] < 0:
            slots[slot] = n
            firsts[n] = i
            n += 1
        numbers[i] = slots[slot]
    return n


def with_trees(text: bytes, lines: Ints, heads: Ints, deprels: Ints, labels: Sequence[bytes]) -> bytes:
    """Return a text with other heads and labels in some lines, numbered from 0 and in order.

    HEAD and DEPREL are the last but three and but two of the columns, which tabs separate; ``deprels`` are indices in
    ``labels``, -1 the last one.
    """
    codes = np.frombuffer(text + b"\n", np.uint8)
    ends = np.flatnonzero(codes == ord("\n"))[lines]
    bounds = np.cumsum([0, *map(len, labels)])
    first, last = bounds[:-1][deprels], bounds[1:][deprels]
    result = np.empty(len(text) + int((last - first).sum()) + _MOST_DIGITS * len(lines), np.uint8)
    names = np.frombuffer(b"".join(labels) + b"\n", np.uint8)
    return result[: put_trees(codes, ends, heads, names, first, last, result)].tobytes()


@leaf
def put_trees(text: Bytes, ends: Longs, heads: Ints, names: Bytes, first: Longs, last: Longs, result: Bytes) -> int:
    """Write a text, but for the line feed at its end, with other trees, and return its new length.

    Line ``i`` with a tree ends at ``ends[i]``, and its label is ``names[first[i] : last[i]]``.
    """
    done = at = 0
    for i in range(len(ends)):
        rest = second_tab_before(text, ends[i], done)
        tree = second_tab_before(text, rest, done)
        at = copy(text, done, tree + 1, result, at)
        power = 1
        while power * 10 <= heads[i]:
            power *= 10
        while power:
            result[at] = _ZERO + heads[i] // power % 10
            power //= 10
            at += 1
        result[at] = _TAB
        at = copy(names, first[i], last[i], result, at + 1)
        done = rest
    return copy(text, done, len(text) - 1, result, at)


@leaf
def second_tab_before(text: Bytes, end: int, begin: int) -> int:
    """Return the place of the second tab before a place, not before ``begin``."""
    for _ in range(2):
        end -= 1
        while end > begin and text[end] != _TAB:
            end -= 1
    return end


@leaf
def copy(text: Bytes, first: int, last: int, result: Bytes, at: int) -> int:
    """Write a stretch of a text at a place, and return where it ends."""
    for k in range(last - first):
        result[at + k] = text[first + k]
    return at + max(0, last - first)
