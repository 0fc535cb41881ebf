"""Laws of the domains of which models are trained and measured: documents are never in two parts, rules are kept."""

from __future__ import annotations

import re

import pytest
from benchmarks.domains import LARGE, OTHER_LANGUAGES, Genre, _parts
from hypothesis import given
from hypothesis import strategies as st

from treevote.corpus.treebank import Treebank


def genre_of(sizes: list[int]) -> Genre:
    """Return a genre whose documents have so many sentences; the first word of a sentence names its document."""
    documents = [f"d{i}" for i, size in enumerate(sizes) for _ in range(size)]
    return Genre(Treebank.of([([name], [0], ["root"]) for name in documents]), documents)


def documents_of(text: Treebank) -> set[str]:
    return {sentence.words[1].form for sentence in text}


@given(st.lists(st.integers(60, 90), min_size=8, max_size=14))
def test_no_document_is_in_two_parts(sizes: list[int]) -> None:
    genre = genre_of(sizes)
    train, dev, test = _parts(genre)
    found = [documents_of(part) for part in (train, dev, test)]
    assert sum(map(len, found)) == len(set().union(*found))
    assert bool(len(dev)) == (len(genre.text) > LARGE)
    assert len(train) > 0
    assert len(test) > 0


@pytest.mark.parametrize("sent_id", ["wiki-1.p.2.s.3", "gdt-20-ep-sessions_3-7", "CF10-2"])
def test_genre_and_document_begin_a_sent_id(sent_id: str) -> None:
    matches = [found for pattern in OTHER_LANGUAGES.values() if (found := re.match(pattern, sent_id))]
    assert [(found[0], found[1]) for found in matches] == [
        {"w": ("wiki-1", "wiki"), "g": ("gdt-20-ep-sessions_3", "ep"), "C": ("CF10", "CF")}[sent_id[0]]
    ]
