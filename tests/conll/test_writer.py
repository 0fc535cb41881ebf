"""Laws of writing CoNLL text: what was read is written back, and what cannot be read is not written."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conll.texts import chunk_of, columns, heads, plain, texts, token_line
from treevote.conll.reader import loads, parse_chunk, read
from treevote.conll.tokenlists import to_tokenlists
from treevote.conll.validation import Trees
from treevote.conll.writer import dumps, encoded, with_items, without_marks, write
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError


@given(texts(), st.sampled_from(["required", "optional", "ignored"]))
def test_reading_and_writing_is_the_identity(text: bytes, trees: Trees) -> None:
    treebank = read(io.BytesIO(text), format="conllu", trees=trees)
    assert encoded(treebank) == text


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


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("with_source", [False, True])
def test_an_unknown_or_empty_label_is_an_open_column(marked: bool, with_source: bool) -> None:
    text = "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    treebank = loads(text, format="conllu") if with_source else Treebank.of([(["a", "b"], [2, 0], ["det", "root"])])
    sure = np.full(3, np.nan, np.float32) if marked else None
    for labels, deprels in ((("det", "root"), [-1, -1, 1]), (("", "root"), [-1, 0, 1])):
        changed = treebank.with_trees(treebank.heads, np.array(deprels, np.int32), labels)
        changed = dataclasses.replace(changed, confidence=sure)
        assert encoded(changed).decode() == dumps(changed) == text.replace("det", "_")


@pytest.mark.parametrize("number", [1, 2])
def test_a_form_that_the_reader_refuses_is_not_written(number: int) -> None:
    good, bad = (["a", "b"], [0, 1], ["root", "x"]), (["a", "b"], [0, 1], ["root", "x"])
    bad[0][number - 1] = ""
    treebank = Treebank.of([good, bad])
    with pytest.raises(InputError, match=f"sentence 2: expected a FORM, found an empty one at word {number}"):
        dumps(treebank)
    assert dumps(treebank.select([0]))


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


def test_treebanks_are_written_one_after_the_other(tmp_path: Path) -> None:
    row = "1\t%s" + "\t_" * 4 + "\t0\troot\t_\t_"
    texts = [row % "a", "\ufeff" + row % "b" + "\r\n", "\ufeff# c\n" + row % "c" + "\n\n", row % "d" + "\n"]
    for chosen in ([0, 1, 2, 3], [1, 2], [2, 1, 0], [3, 3], [2]):
        write([read(io.BytesIO(texts[i].encode())) for i in chosen], tmp_path / "joined.conllu")
        found = read(tmp_path / "joined.conllu")
        assert [sentence.words[1].form for sentence in found] == ["abcd"[i] for i in chosen]
        assert (tmp_path / "joined.conllu").read_bytes().startswith(texts[chosen[0]].encode())


@pytest.mark.parametrize("end", ["", "\r"], ids=["line feed", "carriage return"])
@pytest.mark.parametrize(
    ("misc", "first", "second"),
    [
        ("_", r"K=a\pb\\c", "_"),
        ("", r"K=a\pb\\c", ""),
        ("A=1|K=old|Kit=2", r"A=1|Kit=2|K=a\pb\\c", "A=1|Kit=2"),
        ("K=old", r"K=a\pb\\c", "_"),
        ("A=1||B=K", r"A=1||B=K|K=a\pb\\c", "A=1||B=K"),
    ],
)
def test_an_item_takes_the_place_of_the_one_with_its_key(misc: str, first: str, second: str, end: str) -> None:
    lines = [f"{i}\tK=form\t_\tX\t_\t_\t0\troot\t_\t{{}}{end}\n" for i in (1, 2)]
    treebank = loads("".join(line.format(misc) for line in lines) + f"{end}\n", format="conllu")
    expected = lines[0].format(first) + lines[1].format(second) + f"{end}\n"
    assert with_items(treebank, "K", {1: "a|b\\c"}).decode() == expected


def test_a_path_is_a_file_also_if_it_is_a_dash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written = Treebank.of([(["a"], [0], ["root"])])
    write(written, Path("-"))
    assert dumps(read(Path("-"))) == dumps(written) == Path(tmp_path, "-").read_text()


def test_a_sentence_without_words_is_refused_since_its_text_would_be_none(tmp_path: Path) -> None:
    treebank = Treebank.of([(["a"], [0], ["root"]), ([], [], [])], "toy")
    for call in (dumps, to_tokenlists, lambda found: write(found, tmp_path / "out")):
        with pytest.raises(InputError, match=r"^toy, sentence 2: expected words, found none; leave the sentence out"):
            call(treebank)
    assert not list(tmp_path.iterdir())
    assert dumps(treebank.select(treebank.lengths > 0)) == dumps(treebank[:1])


def test_marks_of_an_earlier_parse_are_taken_out_and_nothing_else() -> None:
    marks = "Support=0.75|LabelSupport=1.00|Confidence=0.898|LabelConfidence=0.8|TagConfidence=0.9|Light=green"
    lines = [
        "# text = dogs bark Light=x",
        f"1\tdogs\t_\tN\t_\t_\t2\tnsubj\t_\tA=1|{marks}|SpaceAfter=No\r",
        "1.1\tthat\t_\t_\t_\t_\t_\t_\t_\tLight=x",
        f"2\tbark\t_\tV\t_\t_\t0\troot\t_\t{marks}",
        "3\t.\t_\tV\t_\t_\t2\tpunct\t_\tMyLight=1||Lights",
        "",
        "",
    ]
    treebank = loads("\n".join(lines))
    found = dumps(without_marks(treebank)).split("\n")
    assert found[1] == "1\tdogs\t_\tN\t_\t_\t2\tnsubj\t_\tA=1|TagConfidence=0.9|SpaceAfter=No\r"
    assert found[3] == "2\tbark\t_\tV\t_\t_\t0\troot\t_\tTagConfidence=0.9"
    assert [line for i, line in enumerate(found) if i not in (1, 3)] == [lines[0], lines[2], *lines[4:]]
    chosen = with_items(treebank, "Doubt", {2: "0.5"}, trees=True).decode().split("\n")
    assert chosen[3] == "2\tbark\t_\tV\t_\t_\t0\troot\t_\tTagConfidence=0.9|Doubt=0.5"
    assert chosen[1] == found[1]
    support = np.full(len(treebank.tokens), 0.5, np.float32)
    voted = dumps(dataclasses.replace(treebank, support=support)).split("\n")
    assert voted[3] == "2\tbark\t_\tV\t_\t_\t0\troot\t_\tTagConfidence=0.9|Support=0.50"
    sure = dumps(dataclasses.replace(treebank, tag_confidence=support)).split("\n")
    assert sure[3] == "2\tbark\t_\tV\t_\t_\t0\troot\t_\tTagConfidence=0.500"
