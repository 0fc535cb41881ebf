"""Laws of the domains of which models are trained and measured: documents are never in two parts, rules are kept."""

from __future__ import annotations

import itertools
import re

import pytest
from benchmarks.domains import CHECKS, LARGE, OTHER_LANGUAGES, Genre, _parts
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


@pytest.mark.parametrize(
    ("comment", "document", "genre"),
    [
        ("sent_id = wiki-1.p.2.s.3", "wiki-1", "wiki"),
        ("sent_id = gdt-20-ep-sessions_3-7", "gdt-20-ep-sessions_3", "ep"),
        ("sent_id = CF10-2", "CF10", "CF"),
        ("sent_id = fD05.3", "fD05", "f"),
        ("sent_id = dev-s7", "dev-s7", "dev-s"),
        ("orig_file_sentence AFP_ARB_20000715.0074#12", "AFP_ARB_20000715.0074", "AFP"),
        ("source = The Gothic Bible, 1 Corinthians 12", "1 Corinthians 12", "1 Corinthians"),
    ],
)
def test_comments_tell_document_and_genre(comment: str, document: str, genre: str) -> None:
    checks = (CHECKS[f"{number} check"].values() for number in ("first", "second"))
    patterns = [*OTHER_LANGUAGES.values(), *itertools.chain.from_iterable(checks)]
    matches = [found for pattern in patterns if (found := re.search(pattern, comment))]
    assert [(found[0].endswith(document), found[1]) for found in matches] == [(True, genre)]
