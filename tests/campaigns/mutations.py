"""Random changes of CoNLL text: of bytes, of lines, of columns, and of the wrapping of the whole file."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

Mutation: TypeAlias = Callable[[bytes, Random], bytes]

NUMBERS: tuple[bytes, ...] = (
    b"0",
    b"-1",
    b"1",
    b"2",
    b"9",
    b"01",
    b"99999",
    b"100000",
    b"2147483648",
    b"9" * 25,
    b"1e3",
    b"+1",
)
NUMBERS += ("١".encode(), b" 1", b"1 ", b"0x1", b"9" * 4400)
IDS: tuple[bytes, ...] = (
    b"1-2",
    b"2-1",
    b"1-1",
    b"0-1",
    b"1-",
    b"-1",
    b"1-2-3",
    b"0.1",
    b"1.0",
    b"1.1",
    b"1.",
    b".1",
    b"5.2",
    b"1-99999",
)
IDS += (b"1-" + b"9" * 30, b"3-4", b"2.1", b"9" * 30 + b".1", b"")
IDS += (b"1-" + b"9" * 4400, b"9" * 4400 + b".1")
ODD: tuple[bytes, ...] = (
    b"\x00",
    b"\t",
    b"\r",
    b"\n",
    b"\r\n",
    b"\x0b",
    b"\x0c",
    b"\x1b[31m",
    b"\x7f",
    b"\x85",
    b"\xc2\x85",
    b"\xff",
)
ODD += (
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xe2\x80\xae",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\xaf",
    b"\xe4\xb8",
)
ODD += (b"#", b" ", b"_", b"|", b"=", b"\xc2\xa0", b"\xe2\x80\x8b", b"\xf0\x9f\x98\x80", b"\xcc\x81", b"\x1c", b"\x1e")
COMMENTS: tuple[bytes, ...] = (
    b"#",
    b"# sent_id =",
    b"# sent_id = \x1b[2J",
    b"# text",
    b"#\t1\t2",
    b"# sent_id = a b",
    b"# newpar",
    b"##",
)
COMMENTS += (b"# sent_id", b"#sent_id=x", b"# sent_id = " + b" " * 3000 + b"x", b"# " + b"=" * 5000)
COMMENTS += (b"# sent_id = x" + b" " * 200_000 + b"x",)


def flip(text: bytes, rng: Random) -> bytes:
    """Change a bit."""
    at = rng.randrange(len(text))
    return text[:at] + bytes([text[at] ^ (1 << rng.randrange(8))]) + text[at + 1 :]


def insert(text: bytes, rng: Random) -> bytes:
    """Put something odd somewhere."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(ODD) * rng.choice((1, 1, 1, 2, 50)) + text[at:]


def delete(text: bytes, rng: Random) -> bytes:
    """Leave out a stretch."""
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.choice((1, 1, 2, 10, 200)) :]


def double(text: bytes, rng: Random) -> bytes:
    """Repeat a stretch."""
    at = rng.randrange(len(text))
    piece = text[at : at + rng.choice((1, 5, 60))]
    return text[:at] + piece * rng.choice((2, 2, 3, 40)) + text[at + len(piece) :]


def truncate(text: bytes, rng: Random) -> bytes:
    """Cut off the end."""
    return text[: rng.randrange(len(text) + 1)]


def lines(text: bytes, rng: Random) -> bytes:
    """Leave out, repeat, move or blank lines."""
    rows = text.split(b"\n")
    at, to = rng.randrange(len(rows)), rng.randrange(len(rows))
    match rng.randrange(5):
        case 0:
            del rows[at]
        case 1:
            rows.insert(to, rows[at])
        case 2:
            rows.insert(to, rows.pop(at))
        case 3:
            rows[at] = rng.choice((b"", b" ", b"\t", b"\r", b" \t\r", b"\x0b"))
        case _:
            rows.insert(at, rng.choice(COMMENTS))
    return b"\n".join(rows)


def ends(text: bytes, rng: Random) -> bytes:
    """Change how lines end."""
    end = rng.choice((b"\r\n", b"\r", b"\n\r", b"\n\n", b"\r\r\n"))
    count = rng.choice((-1, 1, 5))
    return text.replace(b"\r\n", b"\n").replace(b"\n", end, count)


def cell(text: bytes, rng: Random) -> bytes:
    """Change a column of a token."""
    rows = text.split(b"\n")
    tokens = [i for i, row in enumerate(rows) if b"\t" in row]
    if not tokens:
        return text
    at = rng.choice(tokens)
    columns = rows[at].split(b"\t")
    which = rng.choice((0, 0, 0, 6, 6, 6, 7, rng.randrange(10))) % len(columns)
    match rng.randrange(8):
        case 0 | 1:
            columns[which] = rng.choice(NUMBERS)
        case 2 if which == 0:
            columns[which] = rng.choice(IDS)
        case 3:
            columns[which] = rng.choice((b"", b"_", rng.choice(ODD), b"x" * 70_000, b"a=b|" * 500, b"\xcc\x81" * 300))
        case 4:
            columns[which] += rng.choice(ODD)
        case 5:
            columns[which] = rng.choice(columns)
        case 6:
            columns.insert(which, rng.choice((b"", b"_", b"7")))
        case _:
            del columns[which]
    rows[at] = b"\t".join(columns)
    return b"\n".join(rows)


def head(text: bytes, rng: Random) -> bytes:
    """Give a token another head, by number: cycles, several roots, none."""
    rows = text.split(b"\n")
    tokens = [i for i, row in enumerate(rows) if row.count(b"\t") == 9]
    for at in rng.sample(tokens, min(len(tokens), rng.choice((1, 1, 3)))):
        columns = rows[at].split(b"\t")
        columns[6] = rng.choice((b"_", b"%d" % rng.randrange(9), columns[0]))
        rows[at] = b"\t".join(columns)
    return b"\n".join(rows)


def long(text: bytes, rng: Random) -> bytes:
    """Put in a sentence of many tokens, or a stretch without a blank line."""
    n = rng.choice((50, 400, 2000, 10_001))
    tokens = [b"%d\tw\t_\tX\t_\t_\t%d\tx\t_\t_\n" % (i, i - 1) for i in range(1, n + 1)]
    return text + b"".join(tokens) + rng.choice((b"\n", b""))


PLAIN: tuple[Mutation, ...] = (flip, insert, delete, double, truncate, lines, lines, ends, cell, cell, cell, head)


def mutate(text: bytes, rng: Random, others: Sequence[bytes] = ()) -> bytes:
    """Return a text with a few changes, now and then spliced with another."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        text = rng.choice(PLAIN)(text or b"\n", rng)
    if others and rng.random() < 0.1:
        other = rng.choice(others)
        text = text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other)) :]
    return long(text, rng) if rng.random() < 0.003 else text


def wrap(text: bytes, rng: Random) -> tuple[bytes, bool]:
    """Compress a text, and perhaps damage it; return also whether it still holds the whole text and nothing else."""
    squeeze = rng.choice((_xz, _gz))
    if rng.random() < 0.3:
        at = rng.randrange(len(text) + 1)
        return squeeze(text[:at]) + squeeze(text[at:]), True
    data = squeeze(text)
    match rng.randrange(5):
        case 0:
            return data, True
        case 1:
            return data[: rng.randrange(len(data))], False
        case 2:
            return flip(data, rng), False
        case 3:
            return data + bytes(rng.choice((1, 2, 4, 8, 512))), False
        case _:
            return data + rng.choice((b"x", b"\n", text[:50] or b"y", data[:7])), False


def _xz(text: bytes) -> bytes:
    return lzma.compress(text, preset=0)


def _gz(text: bytes) -> bytes:
    return gzip.compress(text, 1, mtime=0)
