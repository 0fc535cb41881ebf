"""Laws of reading and writing CoNLL text."""

from __future__ import annotations

import dataclasses
import io
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.reference.conll import read_blocks
from treevote.conll.chunks import Chunk, chunks
from treevote.conll.reader import OnError, chunk_faults, loads, parse_chunk, read
from treevote.conll.tokenlists import to_tokenlists
from treevote.conll.validation import MAX_TOKENS, Trees, detect, require_utf8
from treevote.conll.writer import dump, dumps, encoded
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Format, Treebank
from treevote.errors import ConfigError, InputError
from treevote.evaluation.counts import convention_of

ODD = "ab é漢😀\u2028\u0085\u00a0\x0c\x0b\x1c\x00\r#_|=.:-0"
columns = st.text(st.sampled_from(ODD), min_size=1, max_size=4)
comments = st.builds("#{}".format, st.text(st.sampled_from(ODD), max_size=6)) | st.sampled_from(
    ["# sent_id = s1", "# text = a b", "# text = a b", "#", "# newpar"]
)
blank_lines = st.sampled_from(["", "", "", " ", "\t", "\r"])


@st.composite
def heads(draw: st.DrawFn, n: int) -> list[int]:
    """Draw a tree: each token, in a random order, is put under one before it or under ROOT."""
    order = draw(st.permutations(range(1, n + 1)))
    tree = dict(zip(order, (draw(st.sampled_from([0, *order[:i]])) for i in range(n)), strict=True))
    return [tree[token] for token in range(1, n + 1)]


@st.composite
def sentences(draw: st.DrawFn) -> list[str]:
    """Draw the lines of a good CoNLL-U sentence, with comments, ranges and empty nodes."""
    n = draw(st.integers(1, 6))
    lines = draw(st.lists(comments, max_size=2))
    range_end = 0
    for token, head in enumerate(draw(heads(n)), 1):
        extra = draw(st.integers(0, 9))
        if extra == 0 and token > range_end:
            range_end = draw(st.integers(token, n))
            lines.append("\t".join([f"{token}-{range_end}", *(draw(columns) for _ in range(9))]))
        if extra == 1:
            lines.append("\t".join([f"{token - 1}.1", *(draw(columns) for _ in range(9))]))
        if extra == 2:
            lines.append(draw(comments))
        words = [draw(columns) for _ in range(5)]
        lines.append("\t".join([str(token), *words, str(head), *(draw(columns) for _ in range(3))]))
    return lines


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Draw a good CoNLL-U file with at least one sentence."""
    blocks = draw(st.lists(sentences() | st.lists(comments, min_size=1, max_size=2), max_size=4))
    blocks.insert(draw(st.integers(0, len(blocks))), draw(sentences()))
    lines = draw(st.lists(blank_lines, max_size=1))
    for block in blocks:
        lines += [*block, *draw(st.lists(blank_lines, min_size=1, max_size=2))]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(lines) + draw(st.sampled_from(["", end, end + end]))
    return (draw(st.sampled_from(["", "\ufeff"])) + text).encode()


NASTY = [
    "",
    "0",
    "1",
    "2",
    "3",
    "01",
    "9",
    "_",
    "1-2",
    "2-2",
    "2-9",
    "0.1",
    "1.1",
    "0.0",
    "1.x",
    "x",
    "99999999999",
]
NASTY += ["\u0663", "+1", "a\tb", "\udcff", "\n", "\n\n", "\n#", " "]


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """Draw a file in which some columns, often the ones that matter, were changed or dropped."""
    lines = [line.split("\t") for line in draw(texts()).decode().removeprefix("\ufeff").split("\n")]
    whole = [line for line in lines if len(line) == 10]
    for _ in range(draw(st.integers(1, 3))):
        line = draw(st.sampled_from(whole))
        column = min(draw(st.sampled_from([0, 0, 0, 1, 6, 6, 7, 9])), len(line) - 1)
        line[column : column + 1] = [draw(st.sampled_from(NASTY))] * draw(st.sampled_from([1, 1, 1, 0]))
    return "\n".join(map("\t".join, lines)).encode("utf-8", "surrogateescape")


def token_line(number: object, head: object = 0, deprel: str = "root", misc: str = "_") -> str:
    return f"{number}\tform\tlemma\tNOUN\tNN\t_\t{head}\t{deprel}\t_\t{misc}\n"


def chunk_of(text: bytes | str, format: Format = "conllu") -> Chunk:
    return Chunk("f.conllu", 1, 1, text.encode() if isinstance(text, str) else text, format)


def plain(treebank: Treebank) -> list[tuple[list[tuple[str, ...]], list[int], list[str]]]:
    return [([*s.words[1:]], s.heads[1:].tolist(), [*s.deprels[1:]]) for s in treebank.sentences()]


@given(texts(), st.sampled_from(["required", "optional", "ignored"]))
def test_reading_and_writing_is_the_identity(text: bytes, trees: Trees) -> None:
    treebank = read(io.BytesIO(text), format="conllu", trees=trees)
    out = io.BytesIO()
    dump(treebank, out)
    assert out.getvalue() == text


@given(texts() | damaged_texts(), st.sampled_from(["required", "optional", "ignored"]), st.booleans())
def test_reader_equals_its_slow_twin(text: bytes, trees: Trees, as_conllx: bool) -> None:
    format: Format = "conllx" if as_conllx else "conllu"
    treebank, faults = parse_chunk(chunk_of(text, format), trees=trees, on_error="keep")
    blocks = read_blocks(text.removeprefix(b"\xef\xbb\xbf"), format, trees)
    faulty = [block.fault for block in blocks if block.fault]
    assert [fault.line for fault in faults] == [line + 1 for line, _ in faulty]
    for fault, (_, problem) in zip(faults, faulty, strict=True):
        assert fault.problem in (problem, "expected trees, found a file without: every HEAD is '_'")
    good = [block for block in blocks if block.words]
    assert plain(treebank) == [(block.words, block.heads, block.deprels) for block in good]
    assert treebank.source is not None
    assert treebank.source.line_of[treebank.offsets[:-1]].tolist() == [block.first_line for block in good]


@given(damaged_texts(), st.sampled_from(["required", "optional"]))
def test_stop_skip_and_keep(text: bytes, trees: Trees) -> None:
    kept, faults = parse_chunk(chunk_of(text), trees=trees, on_error="keep")
    out = io.BytesIO()
    dump(kept, out)
    assert out.getvalue() == text

    skipped, same = parse_chunk(chunk_of(text), trees=trees, on_error="skip")
    assert [str(fault) for fault in same] == [str(fault) for fault in faults]
    assert plain(skipped) == plain(kept)
    again, none = parse_chunk(chunk_of(dumps(skipped)), trees=trees, on_error="stop")
    assert not none
    assert plain(again) == plain(kept)

    if faults:
        with pytest.raises(InputError) as stopped:
            parse_chunk(chunk_of(text), trees=trees, on_error="stop")
        assert str(stopped.value) == str(faults[0])


@given(texts() | damaged_texts(), st.integers(1, 300))
def test_chunks_of_any_size_hold_the_same(text: bytes, n_bytes: int) -> None:
    whole, faults = parse_chunk(chunk_of(text), on_error="keep")
    file = io.BytesIO(text)
    file.name = "f.conllu"
    parts = list(chunks(file, n_bytes=n_bytes))
    assert b"".join(part.text for part in parts) == text
    read_parts = [parse_chunk(part, on_error="keep") for part in parts]
    assert [s for treebank, _ in read_parts for s in plain(treebank)] == plain(whole)
    assert [str(fault) for _, found in read_parts for fault in found] == [str(fault) for fault in faults]


@given(texts(), st.data())
def test_only_head_and_deprel_of_known_heads_change(text: bytes, data: st.DataObject) -> None:
    treebank = read(io.BytesIO(text), format="conllu")
    assert treebank.source is not None
    n = np.diff(treebank.offsets) - 1
    new = [[-1, *(data.draw(st.integers(-1, int(k))) for _ in range(k))] for k in n]
    flat = np.array([head for sentence in new for head in sentence], np.int32)
    labels = np.where(flat >= 0, np.arange(len(flat)) % 2, -1).astype(np.int32)
    changed = treebank.with_trees(flat, labels, ["new", "_"])
    before, after = text.decode().split("\n"), dumps(changed).split("\n")
    assert len(before) == len(after)
    slots = {int(line): slot for slot, line in enumerate(treebank.source.line_of) if treebank.is_token[slot]}
    for i, (old, now) in enumerate(zip(before, after, strict=True)):
        if i in slots and flat[slots[i]] >= 0:
            split = old.split("\t")
            split[6:8] = [str(flat[slots[i]]), ["new", "_"][labels[slots[i]]]]
            assert now == "\t".join(split)
        else:
            assert now == old


@given(texts())
def test_token_lists_serialise_to_the_lines_and_are_read_back(text: bytes) -> None:
    treebank = read(io.BytesIO(text.replace(b"\r\n", b"\n").replace(b"\r", b" ")), format="conllu")
    lists = to_tokenlists(treebank)
    assert plain(read(lists)) == plain(treebank)

    def token_lines(text: str) -> list[str]:
        return [line for line in text.split("\n") if line.strip(" \t") and not line.startswith("#")]

    serialized = "".join(tokens.serialize() for tokens in lists)
    assert token_lines(serialized) == token_lines(dumps(treebank).removeprefix("\ufeff"))


def test_token_lists_keep_types_and_comments() -> None:
    text = "# sent_id = s\n# text = cannot\n1-2\tcannot" + "\t_" * 8 + "\n"
    text += token_line(1, 0, misc="SpaceAfter=No") + token_line(2, 1) + "2.1\tx" + "\t_" * 8 + "\n\n"
    (tokens,) = to_tokenlists(read(io.BytesIO(text.encode())))
    assert tokens.metadata == {"sent_id": "s", "text": "cannot"}
    assert [token["id"] for token in tokens] == [(1, "-", 2), 1, 2, (2, ".", 1)]
    assert (tokens[1]["head"], tokens[1]["misc"]) == (0, {"SpaceAfter": "No"})
    assert tokens.serialize() == text


def test_token_lists_that_cannot_be_serialised_are_an_input_error() -> None:
    lists = to_tokenlists(Treebank.of([(["a"], [0], ["root"])]))
    lists[0][0]["misc"] = {"key": object()}
    with pytest.raises(InputError, match="cannot serialise"):
        read(lists)


words = st.builds(Word, *[st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1)] * 5)


@given(st.data())
def test_sentences_without_source_become_plain_conllu(data: st.DataObject) -> None:
    given_sentences = []
    for _ in range(data.draw(st.integers(1, 3))):
        tree = data.draw(st.integers(1, 4).flatmap(heads))
        labels = data.draw(st.lists(columns, min_size=len(tree), max_size=len(tree)))
        given_sentences.append((data.draw(st.lists(words, min_size=len(tree), max_size=len(tree))), tree, labels))
    treebank = Treebank.of(given_sentences)
    text = dumps(treebank)
    assert plain(read(io.BytesIO(text.encode()), format="conllu")) == plain(treebank)
    unlabelled = treebank.with_trees(np.full_like(treebank.heads, -1), np.full_like(treebank.deprels, -1), [])
    assert all(line.split("\t")[6:8] == ["_", "_"] for line in dumps(unlabelled).split("\n") if line)


def test_selected_sentences_are_written_without_their_source() -> None:
    text = "# c\n" + token_line(1) + "\n" + token_line(1, 0, "other") + "\n"
    assert (
        dumps(read(io.BytesIO(text.encode())).select([1])) == token_line(1, 0, "other").replace("NN\t_", "NN\t_") + "\n"
    )


@pytest.mark.parametrize("word", ["a\tb", "a\nb"])
def test_words_and_labels_that_are_no_column_are_refused(word: str) -> None:
    for treebank in (Treebank.of([([word], [0], ["root"])]), Treebank.of([(["a"], [0], [word])])):
        with pytest.raises(InputError, match="tab or line feed"):
            dumps(treebank)


@pytest.mark.parametrize("number", [1, 2])
def test_a_form_that_the_reader_refuses_is_not_written(number: int) -> None:
    good, bad = (["a", "b"], [0, 1], ["root", "x"]), (["a", "b"], [0, 1], ["root", "x"])
    bad[0][number - 1] = ""
    treebank = Treebank.of([good, bad])
    with pytest.raises(InputError, match=f"sentence 2: expected a FORM, found an empty one at word {number}"):
        dumps(treebank)
    assert dumps(treebank.select([0]))


def test_nothing_of_a_text_stays_in_memory() -> None:
    text = (token_line(1) + "\n").encode() * 50_000
    read(io.BytesIO(text[: len(text) // 50_000]), format="conllu")
    tracemalloc.start()
    try:
        treebank = read(io.BytesIO(text), format="conllu")
        before = tracemalloc.get_traced_memory()[0]
        del treebank
        assert tracemalloc.get_traced_memory()[0] < before / 10
    finally:
        tracemalloc.stop()


@given(st.integers(1, 2000))
def test_the_format_is_that_of_the_whole_file_whatever_the_chunks(n_bytes: int) -> None:
    text = token_line(1) + "\n" + token_line(1).replace("NOUN", "N") + "\n"
    found = {chunk.format for chunk in chunks(io.BytesIO(text.encode()), n_bytes=n_bytes)}
    assert found == {detect(text)} == {"conllx"}


TWO = token_line(1) + token_line(2, 1, "dep") + "\n"
FAULTS = [
    ("1\ta\tb\n\n", "conllu", "required", 3, "expected 10 columns separated by tabs, found 3"),
    (
        token_line(1).replace("\t", " "),
        "conllu",
        "required",
        3,
        "found 1 (the columns are separated by spaces)",
    ),
    ("The dog barks at the cat in the garden.\n", "conllu", "required", 3, "found 1 (running text)"),
    (
        token_line(1) + "x" + token_line(2, 1),
        "conllu",
        "required",
        4,
        "expected id 2, found 'x2', which is no id",
    ),
    (token_line(1) + token_line(3, 1), "conllu", "required", 4, "expected id 2, found 3"),
    (token_line(0), "conllu", "required", 3, "expected id 1, found 0"),
    (TWO[:-1] + token_line(1), "conllu", "required", 5, "expected id 3, found 1"),
    (token_line("01"), "conllu", "required", 3, "expected id 1, found '01', which is no id"),
    (token_line(1).replace("form", ""), "conllu", "ignored", 3, "expected a FORM, found an empty column"),
    (token_line(1, 0, ""), "conllu", "optional", 3, "expected a DEPREL, found an empty column"),
    (token_line(1, 2), "conllu", "optional", 3, "expected a HEAD in 0..1, found '2'"),
    (token_line(1, -1), "conllu", "optional", 3, "expected a HEAD in 0..1, found '-1'"),
    (token_line(1, "x"), "conllu", "optional", 3, "expected a HEAD in 0..1, found 'x'"),
    (token_line(1, "00"), "conllu", "optional", 3, "expected a HEAD in 0..1, found '00'"),
    (token_line(1, ""), "conllu", "optional", 3, "expected a HEAD in 0..1, found ''"),
    (
        token_line(1) + token_line(2, "_"),
        "conllu",
        "required",
        4,
        "expected a HEAD in 0..2, found '_' (unknown)",
    ),
    (token_line(1) + token_line(2, 2), "conllu", "required", 4, "or 0 as HEAD of token 2, found itself"),
    (token_line(1, 2) + token_line(2, 1), "conllu", "required", 3, "found a sentence without a root"),
    (
        token_line(1) + token_line(2, 4) + token_line(3, 2) + token_line(4, 3),
        "conllu",
        "required",
        4,
        "expected a tree, found the cycle 2 -> 4 -> 3 -> 2",
    ),
    (
        token_line("1-2") + token_line(1),
        "conllu",
        "required",
        3,
        "ends in a token of the sentence (1..1), found 2",
    ),
    (token_line(1) + "2\ta\tb\n", "conllu", "required", 4, "expected 10 columns separated by tabs, found 3"),
    (token_line("2-2") + TWO, "conllu", "required", 3, "expected id 1 or a range from 1, found '2-2'"),
    (token_line("0.0") + TWO, "conllu", "required", 3, "expected id 1, found '0.0', which is no id"),
    (token_line("0.x") + TWO, "conllu", "required", 3, "expected id 1, found '0.x', which is no id"),
    (
        token_line("1-2") + token_line(1) + token_line("2-2") + token_line(2, 1),
        "conllu",
        "required",
        5,
        "expected id 2 or a range from 3, found '2-2'",
    ),
    (token_line("5.1") + TWO, "conllu", "required", 3, "expected id 1 or an empty node 0.1, found '5.1'"),
    (token_line("0.1"), "conllu", "required", 3, "expected a token, found a sentence without one"),
    (
        token_line("1-2") + TWO,
        "conllx",
        "required",
        3,
        "expected id 1, found '1-2', which exists in CoNLL-U only",
    ),
    (
        token_line("0.1") + TWO,
        "conllx",
        "required",
        3,
        "expected id 1, found '0.1', which exists in CoNLL-U only",
    ),
]


MANY = "9" * 5000
CUT = "999999999999...9999999999999"
FAULTS += [
    (token_line(f"1-{MANY}") + TWO, "conllu", "required", 3, f"ends in a token of the sentence (1..2), found {CUT}"),
    (token_line(f"{MANY}-{MANY}") + TWO, "conllu", "required", 3, "expected id 1 or a range from 1, found '99999"),
    (token_line(f"{MANY}.1") + TWO, "conllu", "required", 3, "expected id 1 or an empty node 0.1, found '99999"),
    (token_line(f"0.{MANY}") + token_line(2), "conllu", "required", 4, "expected id 1, found 2"),
    (token_line(MANY), "conllu", "required", 3, f"expected id 1, found {CUT}"),
    (token_line(1, MANY), "conllu", "required", 3, f"expected a HEAD in 0..1, found '{CUT}'"),
    (
        token_line(1, "x" * 5000),
        "conllu",
        "required",
        3,
        "expected a HEAD in 0..1, found 'xxxxxxxxxxxx...xxxxxxxxxxxxx'",
    ),
]
RETURNS = "expected lines that end in line feeds, found carriage returns alone between the lines of tokens"
FAULTS += [
    ("# a\r" + TWO.replace("\n", "\r"), "conllu", "ignored", 3, RETURNS),
    ("# a\n# b\r" + token_line(1) + token_line(2, 1), "conllu", "ignored", 4, RETURNS),
    (TWO.replace("\n", "\r"), "conllx", "ignored", 3, RETURNS),
    ("# a\n" + TWO.replace("\n", "\r"), "conllu", "ignored", 4, RETURNS),
    ("# a\r" + token_line("1-2").replace("\n", "\r") + "#\n" + TWO, "conllu", "ignored", 3, RETURNS),
]


@given(damaged_texts(), st.sampled_from(["required", "optional", "ignored"]))
def test_of_all_faults_the_first_of_each_sentence_is_the_one_that_stops(text: bytes, trees: Trees) -> None:
    chunk = chunk_of(text)
    first: dict[str, str] = {}
    places = []
    for fault in chunk_faults(chunk, trees=trees):
        assert fault.line is not None
        places.append(fault.line)
        first.setdefault(fault.sentence, str(fault))
    stopping: dict[str, str] = {}
    for fault in parse_chunk(chunk, trees=trees, on_error="skip")[1]:
        stopping.setdefault(fault.sentence, str(fault))
    assert first == stopping


def test_a_sentence_may_have_many_faults() -> None:
    lines = (
        token_line(1, 9) + token_line(2, 0, "") + "3\tx\n" + token_line(4, 4),  # the columns, and nothing of the tree
        token_line(1, 9) + token_line(2, 0, "") + token_line(3, "_").replace("form", "") + token_line(4, 4),
        token_line(1, 1) + token_line(2, 2) + token_line(3, 0),
        token_line(1, 2) + token_line(2, 1) + token_line(3, 4) + token_line(4, 3) + token_line(5),
        token_line(1, 2) + token_line(3) + token_line(4),  # ids that follow a wrong one
        token_line(1, 0).replace("form", "\udcff") + token_line(2, 1, "").replace("form", "\udcfe"),
    )
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    found: dict[str, list[int]] = {}
    for fault in chunk_faults(chunk_of(text), trees="required"):
        found.setdefault(fault.sentence, []).append(fault.line or 0)
    assert found == {"1": [3], "2": [8, 6, 7, 8], "3": [11, 12], "4": [15, 17], "5": [22], "6": [25, 26, 26]}


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-32", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"])
@given(text=texts())
@settings(max_examples=20)
def test_wide_encodings_are_named(encoding: str, text: bytes) -> None:
    plain = text.decode().removeprefix("\ufeff").replace("\0", "x")
    remedy = f"parse it with --encoding {encoding}, or convert it: iconv -f {encoding} -t UTF-8"
    said = f"f.conllu: expected UTF-8, the file is {encoding}; {remedy}"
    for function in (lambda file: read(file), lambda file: next(chunks(file, n_bytes=4096))):
        file = io.BytesIO(plain.encode(encoding))
        file.name = "f.conllu"
        with pytest.raises(InputError) as found:
            function(file)
        assert str(found.value) == said
    require_utf8(text, "")


@pytest.mark.parametrize("before", [0, 1, 2])
def test_ranges_that_overlap_are_refused_in_any_sentence(before: int) -> None:
    def sentence(*ids: str) -> bytes:
        return b"".join(b"%s\ta\t_\t_\t_\t_\t%s\t_\t_\t_\n" % (i.encode(), b"_" if "-" in i else b"0") for i in ids)

    text = (sentence("1-2", "1", "2", "3") + b"\n") * before + sentence("1-2", "1", "2-3", "2", "3")
    with pytest.raises(InputError, match=rf"line {5 * before + 3}, sentence {before + 1}: "):
        read(io.BytesIO(text), format="conllu")


def test_a_wide_text_with_broken_characters_is_not_named_so() -> None:
    for broken in (b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\xff"):
        require_utf8("1\tdogs".encode("utf-32-le") + broken, "")


@pytest.mark.parametrize(("text", "format", "trees", "line", "problem"), FAULTS)
def test_each_fault_is_one_error_with_its_place(
    text: str, format: Format, trees: Trees, line: int, problem: str
) -> None:
    first = Chunk("f.conllu", 1, 1, (token_line(1) + "\n" + text + "\n").encode(), format)
    with pytest.raises(InputError) as found:
        parse_chunk(first, trees=trees)
    error = found.value
    assert problem in error.problem
    assert (error.path, error.line, error.sentence) == ("f.conllu", line, "2")
    assert error.remedy
    named = Chunk("", 11, 5, ("# sent_id = abc-1 \r\n" + text).encode(), format)
    with pytest.raises(InputError) as found:
        parse_chunk(named, trees=trees)
    assert (found.value.line, found.value.sentence) == (line + 9, "abc-1")


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_required_trees_are_those_in_which_every_way_up_ends_at_root(drawn: list[int]) -> None:
    heads = [min(head, len(drawn)) for head in drawn]

    def reaches_root(token: int) -> bool:
        for _ in heads:
            token = heads[token - 1] if token else 0
        return token == 0

    text = "".join(token_line(i, head) for i, head in enumerate(heads, 1))
    _, faults = parse_chunk(chunk_of(text), trees="required", on_error="keep")
    assert bool(faults) == (not all(map(reaches_root, range(1, len(heads) + 1))))


@pytest.mark.parametrize("innocent", ["# a\rb", "#\r1\ta\r", "# 1\t2\r3\t4\t5", "#\r\r", "#\r" + "\t_" * 9])
@pytest.mark.parametrize("form", ["form", "fo\rrm", "\r1", "\r"])
def test_carriage_returns_that_hide_no_tokens_are_kept(innocent: str, form: str) -> None:
    text = (innocent + "\n" + TWO.replace("form", form)).encode()
    treebank, faults = parse_chunk(chunk_of(text))
    assert not faults
    assert treebank.n_tokens == 2
    assert dumps(treebank).encode() == text


def test_sentences_behind_carriage_returns_are_not_lost_in_silence() -> None:
    hidden = "# sent_id = b\r" + TWO[:-1].replace("\n", "\r") + "\n\n"
    text = (TWO + hidden + TWO).encode()
    with pytest.raises(InputError, match=r"line 4, sentence b: .*; convert the line ends to line feeds"):
        read(io.BytesIO(text))
    kept: list[tuple[OnError, str]] = [("skip", TWO + TWO), ("keep", TWO + hidden + TWO)]
    for on_error, left in kept:
        treebank, faults = parse_chunk(chunk_of(text), on_error=on_error)
        assert [fault.line for fault in faults] == [4]
        assert treebank.n_sentences == 2
        assert dumps(treebank) == left
    with pytest.raises(InputError, match="convert the line ends"):
        read(io.BytesIO(hidden.replace("\n", "\r").encode()))


def test_bytes_that_are_not_utf8_are_a_fault_of_their_sentence() -> None:
    text = (TWO + "# sent_id = b\n" + token_line(1) + "\n" + TWO).encode("latin-1").replace(b"sent_id = b", b"caf\xe9")
    with pytest.raises(InputError, match="line 4, sentence 2: expected UTF-8, found the byte 0xE9 as byte 6 of"):
        parse_chunk(chunk_of(text))
    treebank, faults = parse_chunk(chunk_of(text), on_error="keep")
    assert (treebank.n_sentences, len(faults)) == (2, 1)
    assert dumps(treebank).encode("utf-8", "surrogateescape") == text


def test_the_longest_sentence_is_read_and_a_longer_one_refused() -> None:
    text = "".join(token_line(i, i - 1) for i in range(1, MAX_TOKENS + 1))
    treebank, _ = parse_chunk(chunk_of(text), trees="required")
    assert treebank.n_tokens == MAX_TOKENS
    assert treebank.heads[1:].tolist() == list(range(MAX_TOKENS))
    with pytest.raises(InputError, match=r"line 10001.*at most 10,000 tokens"):
        parse_chunk(chunk_of(text + token_line(MAX_TOKENS + 1)))


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_sentences_is_an_error_and_a_chunk_is_not(text: bytes) -> None:
    with pytest.raises(InputError, match="expected sentences, found none"):
        read(io.BytesIO(text))
    treebank, faults = parse_chunk(chunk_of(text))
    assert (treebank.n_sentences, treebank.n_tokens, faults) == (0, 0, [])
    assert dumps(treebank).encode() == text


def test_an_unlabelled_file_is_told_from_a_missing_head() -> None:
    text = (token_line(1, "_", "_") + token_line(2, "_", "_") + "\n").encode()
    with pytest.raises(InputError, match=r"found a file without: every HEAD is '_'; give a labelled treebank"):
        read(io.BytesIO(text))
    treebank = read(io.BytesIO(text), trees="optional")
    assert treebank.heads.tolist() == treebank.deprels.tolist() == [-1, -1, -1]
    assert treebank.labels == ()


def test_underscore_is_a_label_where_the_head_is_known() -> None:
    treebank = read(io.BytesIO((token_line(1, 0, "_") + token_line(2, "_", "dep")).encode()), trees="optional")
    assert plain(treebank)[0][1:] == ([0, -1], ["_", ""])
    assert treebank.labels == ("_",)


@pytest.mark.parametrize("trees", ["required", "optional"])
def test_a_head_column_that_is_ignored_may_hold_anything(trees: Trees) -> None:
    text = (token_line(1, "??", "") + "\n").encode()
    assert read(io.BytesIO(text), trees="ignored").heads.tolist() == [-1, -1]
    with pytest.raises(InputError):
        read(io.BytesIO(text), trees=trees)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("# comment\n", "conllu"),
        (token_line(1), "conllu"),
        (token_line("1-2").replace("NOUN", "N"), "conllu"),
        (token_line(1).replace("NOUN", "N"), "conllx"),
        (token_line(1, misc="SpaceAfter=No").replace("NOUN", "N"), "conllu"),
        (token_line(1).replace("NOUN", "N").replace("NN\t_", "NN\tPerson=1|Number[psor]=Sing"), "conllu"),
        (token_line(1).replace("NOUN", "N").replace("NN\t_", "NN\tCase=1|Num=Sing|number=Sing"), "conllx"),
        (token_line(1).replace("NOUN", "N").replace("NN\t_", "NN\tnum=s|gen=m"), "conllx"),
        (token_line(1).replace("NOUN", "N").replace("root\t_", "root\t0:root"), "conllu"),
        (token_line(1) + token_line(2).replace("NOUN", "N"), "conllx"),
        ("", "conllx"),
    ],
)
def test_detection(text: str, format: Format) -> None:
    assert detect(text) == detect("\ufeff" + text.replace("\n", "\r\n")) == format


def with_support(text: str, support: Sequence[float], label_support: Sequence[float]) -> Treebank:
    return dataclasses.replace(
        read(io.BytesIO(text.encode()), format="conllu", trees="optional"),
        support=np.array([0, *support], np.float32),
        label_support=np.array([0, *label_support], np.float32),
    )


@pytest.mark.parametrize(
    ("misc", "written"),
    [
        ("_", "Support=0.67|LabelSupport=1.00"),
        ("_\r", "Support=0.67|LabelSupport=1.00\r"),
        ("SpaceAfter=No", "SpaceAfter=No|Support=0.67|LabelSupport=1.00"),
        ("LabelSupport=0|b|Support=1|a=1=2", "b|a=1=2|Support=0.67|LabelSupport=1.00"),
        ("", "Support=0.67|LabelSupport=1.00"),
        ("==ROOT", "==ROOT|Support=0.67|LabelSupport=1.00"),
        ("_=1|a||_|Support=1", "_=1|a||_|Support=0.67|LabelSupport=1.00"),
    ],
)
def test_support_is_written_to_misc(misc: str, written: str) -> None:
    text = token_line(1, misc=misc) + token_line(2, "_", "_", misc) + "\n"
    expected = token_line(1, misc=written) + token_line(2, "_", "_", misc) + "\n"
    assert dumps(with_support(text, [2 / 3, 0.5], [1, 1])) == expected


def test_support_is_written_beside_a_sentence_that_is_not_utf8() -> None:
    treebank, faults = parse_chunk(chunk_of(token_line(1).encode() + b"\n\xff\n\n"), on_error="keep")
    marked = dumps(dataclasses.replace(treebank, support=np.ones(2, np.float32)))
    assert len(faults) == 1
    assert marked.encode("utf-8", "surrogateescape") == token_line(1, misc="Support=1.00").encode() + b"\n\xff\n\n"


def test_support_cannot_be_written_to_conllx() -> None:
    treebank = with_support(token_line(1), [1], [1])
    assert treebank.source is not None
    conllx = dataclasses.replace(treebank, source=dataclasses.replace(treebank.source, format="conllx"))
    with pytest.raises(InputError, match="CoNLL-X, which has no MISC"):
        dumps(conllx)
    assert "Support=1.00" in dumps(treebank)
    assert "Support=1.00" in dumps(conllx.select([0]))


@pytest.mark.parametrize("format", ["conllu", "conllx"])
def test_a_treebank_knows_what_it_was_read_as(format: Format, tmp_path: Path) -> None:
    (tmp_path / "named.conllu").write_text(token_line(1) + "\n", "utf-8")
    treebank = read(tmp_path / "named.conllu", format=format)
    assert treebank.source is not None
    assert treebank.source.format == format
    assert convention_of(treebank) == {"conllu": "ud", "conllx": "conllx"}[format]


@given(texts(), st.integers(0, 3))
def test_skipping_moves_the_first_line(text: bytes, n: int) -> None:
    assume(not text.startswith(b"\xef\xbb\xbf"))
    bad = b"1\tno\n\n" * n
    treebank, faults = parse_chunk(chunk_of(bad + text), on_error="skip")
    assert len(faults) == n
    assert treebank.source is not None
    assert treebank.source.first_line == 1 + 2 * n
    assert dumps(treebank).encode() == text


def test_half_of_a_character_is_one_fault() -> None:
    with pytest.raises(InputError, match="expected a text that can be UTF-8, found half of a character at 2"):
        loads("1\t\ud800\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(InputError, match="found half of a character"):
        encoded(Treebank.of([(["\ud800"], [0], ["root"])]))


@pytest.mark.parametrize("choice", [{"trees": "all"}, {"format": "conll"}])
def test_another_word_for_a_choice_of_the_reader_is_refused(choice: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"unknown .*; did you mean"):
        loads("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", **choice)
