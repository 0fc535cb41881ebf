"""Other words in the lines of a treebank: four columns change, and nothing else."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.commands.treebanks import with_texts
from treevote.conll.reader import read
from treevote.conll.writer import dumps, with_words
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Format, Treebank
from treevote.errors import TreevoteWarning

field = st.text("aé=|_ \r#1.-", min_size=1, max_size=3)
RANGE, NODE = "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tRange=Yes", "1.1\tx\ty\tz\t_\t_\t_\t_\t1:x\t_"


@st.composite
def conllu(draw: st.DrawFn) -> str:
    """Sentences with comments, ranges, empty nodes and odd columns."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(st.lists(st.just("# 1\ta\tb\tc\td\te\tf"), max_size=1))
        n = draw(st.integers(1, 3))
        lines += draw(st.lists(st.just(RANGE), max_size=1)) if n > 1 else []
        for token in range(1, n + 1):
            own = draw(st.lists(field, min_size=5, max_size=5))
            rest = draw(st.lists(field, min_size=2, max_size=2))
            lines.append("\t".join([str(token), *own, str((token + 1) % (n + 1)) if n > 1 else "0", "x", *rest]))
            lines += draw(st.lists(st.just(NODE), max_size=1)) if token == 1 else []
        lines += [""] * draw(st.integers(1, 2))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = draw(st.sampled_from(["", "\ufeff"])) + "".join(line + end for line in lines)
    return text.rstrip("\r\n") if draw(st.booleans()) else text


def of(text: str) -> Treebank:
    return read(io.BytesIO(text.encode()), format="conllu", trees="ignored")


@given(conllu(), st.data())
def test_four_columns_of_tokens_change(text: str, data: st.DataObject) -> None:
    treebank = of(text)
    forms = [treebank.words[token].form for token in treebank.tokens[treebank.is_token]]
    words = [Word(form, *data.draw(st.lists(field, min_size=4, max_size=4))) for form in forms]
    tokens = np.zeros(len(treebank.tokens), np.int32)
    tokens[treebank.is_token] = np.arange(1, len(words) + 1)
    changed = with_words(treebank, (ROOT, *words), tokens)
    assert changed.source is not None
    expected, left = [], list(words)
    for line in text.split("\n"):
        columns = line.split("\t")
        if columns[0].removeprefix("\ufeff").isdigit():
            columns[2:6] = left.pop(0)[1:]
        expected.append("\t".join(columns))
    lines = list(changed.source.lines)
    assert lines == expected[: len(lines)]
    assert set(expected[len(lines) :]) <= {""}
    again = of("\n".join(expected))
    assert [s.words for s in again.sentences()] == [s.words for s in changed.sentences()]
    assert dumps(again) == dumps(changed)
    assert dumps(with_words(treebank, treebank.words, treebank.tokens)) == dumps(treebank)


def test_a_treebank_without_lines_has_other_words() -> None:
    treebank = Treebank.of([(["a", "b"], [0, 1], ["x", "y"])])
    changed = with_words(
        treebank, (ROOT, Word("a", "A", "X", "_", "_"), Word("b", "_", "_", "_", "_")), treebank.tokens
    )
    assert changed.source is None
    assert [word.lemma for word in changed.sentence(0).words] == ["<root>", "A", "_"]


@given(st.lists(conllu(), min_size=1, max_size=3))
def test_texts_of_several_treebanks_are_joined(texts: list[str]) -> None:
    parts = [of(text) for text in texts]
    joined = with_texts(parts)
    assert joined.source is not None
    if len(parts) > 1:
        texts = [(text.removeprefix("\ufeff") if i else text).replace("\r", "") for i, text in enumerate(texts)]
        ended = "".join(text if text.endswith("\n\n") else f"{text}\n\n" for text in texts)
        assert joined.source.text.decode().replace("\r", "") == ended
        comments = [
            [line.removeprefix("\ufeff") for line in part.comments(i)] for part in parts for i in range(len(part))
        ]
        found = [[line.removeprefix("\ufeff") for line in joined.comments(i)] for i in range(len(joined))]
        assert found == comments
    assert joined.source.line_of.dtype == np.int32
    assert [s.words for s in joined.sentences()] == [s.words for part in parts for s in part.sentences()]
    lines = [joined.source.lines[line] for line in joined.source.line_of[joined.is_token].tolist()]
    forms = [joined.words[token].form for token in joined.tokens[joined.is_token].tolist()]
    assert [line.split("\t")[1] for line in lines] == forms


@pytest.mark.parametrize("bare", [0, 1])
def test_without_the_text_of_all_there_is_none(bare: int) -> None:
    parts = [of("1\ta" + "\t_" * 8 + "\n\n"), of("1\tb" + "\t_" * 8 + "\n\n")]
    parts[bare] = dataclasses.replace(parts[bare], source=None)
    joined = with_texts(parts)
    assert joined.source is None
    assert [s.words[1].form for s in joined.sentences()] == ["a", "b"]


def test_formats_may_differ() -> None:
    line = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    formats: tuple[Format, Format] = "conllu", "conllx"
    with pytest.warns(TreevoteWarning, match="files of different formats; comments, ranges, DEPS and MISC are left"):
        joined = with_texts([read(io.BytesIO(line.encode()), format=format) for format in formats])
    assert len(joined) == 2
