"""Several files as one treebank: every sentence and every line is there, and each file is a document."""

from __future__ import annotations

import gzip
import lzma
import os
from pathlib import Path

import numpy as np
import pytest

from treevote import InputError, TreevoteWarning, dumps, loads, read
from treevote.conll.corpora import document_ids, files_of, joined
from treevote.conll.reader import OnError, with_marks
from treevote.conll.text_chunks import text_format
from treevote.evaluation.calibration import confidence_of

DOGS = "# sent_id = a\n1\tdogs\t_\t_\t_\t_\t0\troot\t_\tA=1\n2\tbark\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
CATS = "# newdoc id = mine\n# sent_id = b\n1\tcats\t_\t_\t_\t_\t0\troot\t_\t_\n"


def test_files_of_one_format_keep_their_lines() -> None:
    whole = joined([loads(DOGS), loads(CATS)], ["dogs.conllu", "cats.conllu"])
    assert dumps(whole) == f"# newdoc id = dogs\n{DOGS}{CATS}\n"
    assert [whole.comments(i)[-1] for i in range(2)] == ["# sent_id = a", "# sent_id = b"]
    assert whole.documents == ["dogs", "mine"]


@pytest.mark.parametrize(
    ("comment", "document"),
    [
        ("# newdoc_x = 1", "cats"),
        ("# newdocs", "cats"),
        ("#newdoc id = own", "own"),
        ("\ufeff# newdoc id = own\r", "own"),
        ("# newdoc", ""),
    ],
    ids=["another key", "a longer word", "no space", "byte order mark", "no id"],
)
def test_a_file_is_a_document_unless_it_begins_one(comment: str, document: str) -> None:
    cats = loads(CATS.replace("# newdoc id = mine", comment))
    assert joined([loads(DOGS), cats], ["dogs.conllu", "cats.conllu"]).documents == ["dogs", document]
    assert dumps(joined([cats, cats], ["cats.conllu"] * 2)).count("newdoc id") == 2 * bool(document)


def test_the_byte_order_mark_of_the_first_file_stays(tmp_path: Path) -> None:
    for documents in ("", "# newdoc\n"):
        for name in ("a.conllu", "b.conllu"):
            (tmp_path / name).write_text("\ufeff" + documents + DOGS)
        text = dumps(read([tmp_path / "a.conllu", tmp_path / "b.conllu"]))
        assert text.startswith("\ufeff# newdoc")
        assert text.count("\ufeff") == 1


def test_files_of_different_formats_keep_their_sentences() -> None:
    conllx = loads("1\tcats\t_\t_\t_\t_\t0\troot\t_\t_\n\n", format="conllx")
    with pytest.warns(TreevoteWarning, match="files of different formats; comments, ranges"):
        whole = joined([loads(DOGS), conllx], ["dogs.conllu", "cats.conll"])
    assert whole.source is None
    assert with_marks(whole) is whole
    assert [sentence.words[1].form for sentence in whole] == ["dogs", "cats"]
    assert np.array_equal(whole.heads, [-1, 0, 1, -1, 0])


def test_a_fault_names_the_file_and_the_line_there(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.conllu", "b.conllu", "c.conllu")]
    sure = DOGS.replace("A=1", "Confidence=1").replace("x\t_\t_", "x\t_\tConfidence=0.5")
    for path, text in zip(paths, (sure, "# spaces\n\n" + DOGS, CATS), strict=True):
        path.write_text(text)
    whole = read(paths)
    faults = [whole.fault(slot, "x", "y") for slot in np.flatnonzero(whole.is_token).tolist()]
    places = [(os.path.basename(fault.path), fault.line) for fault in faults]
    assert places == [("a.conllu", 2), ("a.conllu", 3), ("b.conllu", 4), ("b.conllu", 5), ("c.conllu", 3)]
    with pytest.raises(InputError, match=r"b.conllu, line 4, sentence a: token 1: expected Confidence=NUMBER"):
        confidence_of(whole, "Confidence")


def test_lines_keep_their_numbers_where_faulty_sentences_are_left_out(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.conllu", "b.conllu")]
    for path in paths:
        path.write_text(f"# spaces\n\n1\tno\n\n{DOGS}1\tno\n\n{DOGS}")
    whole = read(paths, on_error="skip")
    lines = [whole.fault(slot, "x", "y").line for slot in np.flatnonzero(whole.is_token).tolist()]
    assert lines == [6, 7, 12, 13] * 2


@pytest.mark.parametrize(("on_error", "chosen"), [("stop", [0, 1, 2]), ("skip", [0, 2]), ("keep", [0, 2])])
def test_a_fault_counts_the_sentences_of_its_file(tmp_path: Path, on_error: OnError, chosen: list[int]) -> None:
    sentences = ["# a\n\n1\tcats" + "\t_" * 4 + "\t0\troot\t_\t_\n\n"] * 3
    for i in {*range(3)} - {*chosen}:
        sentences[i] = "1\tno\n\n"
    paths = [tmp_path / name for name in ("a.conllu", "b.conllu")]
    for path in paths:
        path.write_text("".join(sentences))
    whole, numbers = read(paths, on_error=on_error), [str(i + 1) for i in chosen] * 2
    for part, expected in ((whole, numbers), (whole[1:], numbers[1:]), (whole[::-1], numbers[::-1])):
        slots = part.offsets[:-1] + 1
        assert [part.fault(slot, "x", "y").sentence for slot in slots.tolist()] == expected


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.conllu").write_text(DOGS)
    shut = tmp_path / "shut"
    shut.mkdir()
    original = os.scandir

    def scandir(path: str) -> object:
        if os.fspath(path) == os.fspath(shut):
            raise PermissionError(13, "Permission denied", path)
        return original(path)

    monkeypatch.setattr(os, "scandir", scandir)  # root may list all
    with pytest.raises(InputError, match="shut: cannot read: Permission denied; check the permissions"):
        read(tmp_path)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_list_and_its_folder_are_read_whole(n: int, tmp_path: Path) -> None:
    names = ["a.conllu", "b/c.conll.xz", "d.conllx.gz"][:n]
    for number, name in enumerate([*names, "b/.hidden.conllu", ".b/c.conllu", "b/notes.txt", "readme.gz"]):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        text = DOGS.replace("_\t_\n", "_\tConfidence=1\n").replace("A=1", f"Confidence={number / 4}").encode()
        packed = {".gz": gzip.compress(text), ".xz": lzma.compress(text)}.get(Path(name).suffix, text)
        (tmp_path / name).write_bytes(packed)
    expected = [share for number in range(n) for share in (0, number / 4, 1)]
    for source in ([tmp_path / name for name in names], tmp_path, str(tmp_path)):
        treebank = read(source, format="conllu", marks=True, name="all")
        assert treebank.name == "all"
        assert treebank.marks["confidence"].tolist() == expected
        plain = read(source, format="conllu")
        assert not plain.marks
        assert dumps(plain).count("# newdoc id") == (n if n > 1 else 0)


def test_the_files_of_a_folder_have_suffixes_in_letters_of_either_case(tmp_path: Path) -> None:
    for name, text in (("A.CONLLU", DOGS), ("b.Conll.GZ", CATS), ("c.conllu", CATS), ("D.TXT", "Dogs.")):
        (tmp_path / name).write_text(text)
    assert files_of(tmp_path) == [str(tmp_path / name) for name in ("A.CONLLU", "b.Conll.GZ", "c.conllu")]
    assert len(read(tmp_path)) == 3
    assert document_ids(["A.CONLLU", "b.Conll.GZ"]) == ["A", "b"]
    assert text_format(str(tmp_path / "D.TXT"), "auto") == "text"


def test_a_comment_that_is_added_ends_as_the_lines_of_its_file() -> None:
    whole = joined([loads(DOGS.replace("\n", "\r\n")), loads(CATS)], ["dogs.conllu", "cats.conllu"])
    assert dumps(whole).startswith("# newdoc id = dogs\r\n# sent_id = a\r\n")
