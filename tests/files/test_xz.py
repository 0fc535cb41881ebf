"""Files compressed with xz: every legal one is read to its end, and everything else is refused."""

from __future__ import annotations

import io
import itertools
import lzma
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from treevote.errors import InputError
from treevote.files import xz
from treevote.files.streams import opened

LEGAL = st.lists(st.tuples(st.binary(max_size=60), st.integers(0, 3)), min_size=1, max_size=3)
"""Streams, each with the number of four-byte paddings behind it."""


def packed(parts: Sequence[tuple[bytes, int]]) -> list[bytes]:
    return [piece for text, n in parts for piece in (lzma.compress(text, preset=0), *([b"\0" * 4] * n))]


def unpacked(data: bytes) -> bytes:
    with opened(io.BytesIO(data)) as (stream, _, _):
        return stream.read()


@given(LEGAL, st.sampled_from([1, 5, 62, 1 << 16]))
def test_streams_with_padding_read_as_their_concatenation_whatever_the_blocks(
    parts: list[tuple[bytes, int]], size: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xz, "_BLOCK", size)
        assert unpacked(b"".join(packed(parts))) == b"".join(text for text, _ in parts)


@given(LEGAL, st.data())
def test_a_cut_is_refused_where_no_stream_or_padding_ends(parts: list[tuple[bytes, int]], data: st.DataObject) -> None:
    pieces = packed(parts)
    legal = set(itertools.accumulate(map(len, pieces)))
    cut = data.draw(st.integers(len(xz.MAGIC), sum(map(len, pieces)) - 1))
    assume(cut not in legal)
    with pytest.raises(InputError, match="damaged or cut off"):
        unpacked(b"".join(pieces)[:cut])


@given(LEGAL, st.binary(min_size=1, max_size=40))
def test_anything_else_behind_a_stream_is_refused(parts: list[tuple[bytes, int]], junk: bytes) -> None:
    assume(junk.strip(b"\0") or len(junk) % 4)
    with pytest.raises(InputError, match="damaged or cut off"):
        unpacked(b"".join(packed(parts)) + junk)


@pytest.mark.parametrize("behind", [b"1\ta\n\n", b"\x1f\x8b\x08", b"\xfd7zYZ\0" + lzma.compress(b"x")[6:]])
def test_text_gzip_and_a_damaged_stream_are_refused(behind: bytes) -> None:
    with pytest.raises(InputError, match="damaged or cut off"):
        unpacked(lzma.compress(b"text") + behind)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xz, "MEMORY_LIMIT", 1 << 20)
    with pytest.raises(InputError, match="takes more than 1 MiB of memory; compress the file again"):
        unpacked(lzma.compress(b"text"))


def test_it_is_read_in_small_steps() -> None:
    with opened(io.BytesIO(lzma.compress(b"0123456789" * 1000))) as (stream, _, _):
        assert b"".join(iter(lambda: stream.read(7), b"")) == b"0123456789" * 1000
