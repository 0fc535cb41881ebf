"""The lines of treebanks: joined or selected, they tell of each token what they told before."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conll.test_with_words import conllu, of
from treevote.corpus.source import Source, missing_end
from treevote.corpus.treebank import Treebank


def source_of(treebank: Treebank, path: str = "") -> Source:
    """Return the lines of a treebank that was read, as those of a file."""
    assert treebank.source is not None
    return dataclasses.replace(treebank.source, path=path) if path else treebank.source


def told(treebank: Treebank) -> list[list[tuple[tuple[str, int], str]]]:
    """Return the place and MISC of each token, by sentence."""
    source, ends = source_of(treebank), treebank.offsets
    slots = [np.arange(start + 1, end) for start, end in itertools.pairwise(ends.tolist())]
    return [[*zip(map(source.place, own.tolist()), source.misc(own), strict=True)] for own in slots]


@given(st.lists(conllu(), min_size=1, max_size=3), st.integers(1, 3), st.data())
@settings(max_examples=25)
def test_joined_and_selected_lines_tell_what_each_told(texts: list[str], n: int, data: st.DataObject) -> None:
    parts = [of(text) for text in texts]
    parts = [dataclasses.replace(part, source=source_of(part, f"{i}.conllu")) for i, part in enumerate(parts)]
    expected = [sentence for part in parts for sentence in told(part)]
    sources = [part.source for part in parts]
    source = Source.concatenate([Source.concatenate(sources[:n]), *sources[n:]])
    joined = dataclasses.replace(Treebank.concatenate(parts), source=source)
    assert told(joined) == expected
    assert source_of(of(source_of(joined).text.decode())).line_of.tolist() == source_of(joined).line_of.tolist()
    numbers = st.integers(0, len(joined) - 1)
    chosen = data.draw(st.lists(numbers, max_size=3) | st.lists(numbers, unique=True).map(sorted))
    assert told(joined.select(chosen, source=True)) == [expected[i] for i in chosen]


def test_sentences_in_another_order_or_several_times_have_their_own_lines_alone() -> None:
    """In their order they have a comment where another document begins."""
    a, b, c = (f"1\t{form}" + "\t_" * 4 + "\t0\troot\t_\t_\n\n" for form in "abc")
    treebank = of(f"{a}# newdoc id = B\n{b}{c}")
    for chosen, lines in (([0, 2], f"{a}# newdoc id = B\n{c}"), ([0, 2, 2], a + c + c), ([2, 0], c + a)):
        assert source_of(treebank.select(chosen, source=True)).text.decode() == lines


def test_lines_of_which_some_are_missing_or_have_another_format_are_not_joined() -> None:
    one = source_of(of("1\tw" + "\t_" * 8 + "\n\n"))
    assert Source.concatenate([one, None]) is None
    assert Source.concatenate([one, dataclasses.replace(one, format="conllx")]) is None


def test_line_ends_that_a_text_lacks() -> None:
    texts = (b"", b"1\ta\n\n", b"1\ta\n", b"1\ta", b"1\ta\r\n")
    assert [missing_end(text) for text in texts] == [b"", b"", b"\n", b"\n\n", b"\r\n"]
