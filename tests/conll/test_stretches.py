"""Stretches of bytes: the compiled loops against dictionaries and lists of lines."""

from __future__ import annotations

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treevote.conll.reader import read
from treevote.conll.stretches import numbered, with_trees
from treevote.conll.writer import dumps, encoded

WORDS = st.lists(st.sampled_from(["", "a", "b", "ab", "ba", "aab", "Öl", "語"]) | st.text(max_size=9), max_size=30)
COLUMNS = st.text("ab_é語", min_size=1, max_size=4)
TREES = st.tuples(st.integers(0, 1_000_000), COLUMNS, st.booleans(), COLUMNS)


@given(WORDS)
def test_equal_stretches_get_the_number_of_the_first(words: list[str]) -> None:
    pieces = [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.array([len(piece) for piece in pieces], np.int64)
    end = np.cumsum(lengths)
    distinct, numbers = numbered(b"".join(pieces), end - lengths, end)
    assert distinct == list(dict.fromkeys(pieces))
    assert [distinct[number] for number in numbers.tolist()] == pieces


@given(st.lists(TREES, max_size=8), st.booleans())
def test_trees_are_put_into_their_lines(rows: list[tuple[int, str, bool, str]], ends: bool) -> None:
    before = [f"1\t{misc}\t_\t_\t_\t_\t{label}\t{label}\t_\t{misc}" for _, label, _, misc in rows]
    after = [
        f"1\t{misc}\t_\t_\t_\t_\t{head}\tx{label}\t_\t{misc}" if changes else line
        for (head, label, changes, misc), line in zip(rows, before, strict=True)
    ]
    chosen = [i for i, row in enumerate(rows) if row[2]]
    heads = np.array([rows[i][0] for i in chosen], np.int32)
    labels = [f"x{row[1]}".encode() for row in rows]
    lines, expected = ("\n".join([*text, *[""] * ends]).encode() for text in (before, after))
    which = np.array(chosen, np.int32)
    assert with_trees(lines, which, heads, which, labels) == expected


def test_a_text_is_written_as_its_lines_are() -> None:
    first = "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t2\tdet\t_\tA=B\r\n"
    text = f"\ufeff# ü\n{first}2\tb\t_\t_\t_\t_\t0\troot\t_\t_"
    treebank = read(io.BytesIO(text.encode()))
    other = treebank.with_trees(np.array([-1, 0, 1], np.int32), np.array([-1, 1, 0], np.int32), ("nsubj:ä", "root"))
    assert encoded(treebank) == text.encode()
    assert encoded(other).decode() == dumps(other)
    assert "\t1\tnsubj:ä\t_\t_" in dumps(other)
