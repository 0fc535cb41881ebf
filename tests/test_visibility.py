"""Text that is shown: it cannot move a cursor, turn a direction or be a formula, and JSON keeps every character."""

from __future__ import annotations

import csv
import io
import itertools
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote import terminal
from treevote.compilation import CompilationState
from treevote.terminal import COMPILING, PlainLines, table
from treevote.visibility import INVISIBLE, JOINERS, as_cell, as_json, visible, visible_lines

ANY = st.text(st.characters() | st.sampled_from("\x1b\x07\x7f\x9b\x9d\u202e\u2066\u2028\n\r\t\ud800"))


def invisible(text: str) -> set[str]:
    return {character for character in text if unicodedata.category(character) in INVISIBLE} - set(JOINERS)


@given(ANY)
def test_nothing_invisible_is_left(text: str) -> None:
    assert not invisible(visible(text))
    assert invisible(visible_lines(text)) <= {"\n"}
    assert visible(visible(text)) == visible(text)
    assert visible_lines(text).count("\n") == text.count("\n")


@given(st.dictionaries(ANY, ANY | st.integers()))
def test_json_says_the_same_in_visible_characters(value: dict[str, object]) -> None:
    written = as_json(value, width=0)
    assert json.loads(written) == value
    assert invisible(written) <= {"\n"}
    assert visible_lines(written) == written


@given(st.lists(ANY | st.integers() | st.floats(allow_nan=False), min_size=2))
def test_cells_are_numbers_or_no_formulas(row: list[object]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(map(as_cell, row))
    assert text.getvalue().count("\n") == 1
    (cells,) = csv.reader([text.getvalue()])
    for value, cell in zip(row, cells, strict=True):
        if isinstance(value, str):
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert not invisible(cell)
        else:
            assert cell == str(value)


@given(st.lists(st.tuples(ANY, ANY), min_size=1))
def test_a_table_has_a_line_for_each_row(rows: list[tuple[str, str]]) -> None:
    shown = table(["", "x"], rows)
    assert shown.count("\n") == len(rows)
    assert invisible(shown) <= {"\n"}


def test_wide_characters_and_marks_keep_the_columns_of_a_table() -> None:
    shown = table(["", "form", "head"], [["1", "日本語", "2"], ["2", "e\u0301", "0"]])
    assert shown.split("\n") == ["     form  head", "1  日本語     2", "2       e\u0301     0"]


def test_names_in_progress_are_visible() -> None:
    stream, now = io.StringIO(), iter([0.0, 9.0])
    show = PlainLines(stream, lambda: next(now))
    for done in 0, 1:
        show("a\x1b]0;x\x07", done, 8)
    assert stream.getvalue().startswith("treevote: a␛]0;x␇ 12 %")


def test_the_time_left_is_by_what_was_done_since_the_first_line() -> None:
    stream, now = io.StringIO(), itertools.count(0, 6)
    show = PlainLines(stream, lambda: next(now))
    for done in 80, 81, 10, 12:  # work that goes on, and then begins anew
        show("parsing", done, 100)
    lines = [line.partition("; ")[2] for line in stream.getvalue().splitlines()]
    assert lines == ["about 114 s to the end of this step", "", "about 4 min to the end of this step"]


def test_a_line_takes_the_place_of_the_one_before() -> None:
    stream, now = io.StringIO(), itertools.count(0, 6)
    show = PlainLines(stream, lambda: next(now), one_line=True)
    for name in "reading", "parsing", "it":
        show(name, 4, 4)
    assert stream.getvalue() == "\rtreevote: parsing 100 %\rtreevote: it 100 %     "


def test_the_compilation_is_announced_once_and_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "_announced", False)
    for done in range(3):
        terminal.announce(CompilationState(done, "/folder"))
    said = capsys.readouterr().err
    assert said == "treevote: compiling kernels that no earlier command needed; they are kept in /folder\n"
    monkeypatch.setattr(terminal, "_announced", False)
    terminal.announce(CompilationState())
    assert "TREEVOTE_CACHE_DIR" in capsys.readouterr().err


def test_lines_name_the_compilation_until_another_task_goes_on() -> None:
    stream, now = io.StringIO(), itertools.count(0, 6)
    show = PlainLines(stream, lambda: next(now))
    for name, done, total in ((COMPILING, 0, 0), (COMPILING, 9, 0), ("parsing", 1, 4), ("parsing", 4, 4)):
        show(name, done, total)
    assert stream.getvalue().splitlines() == [
        "treevote: compiling kernels: 9 done",
        "treevote: parsing 25 %",
        "treevote: parsing 100 %",
    ]
