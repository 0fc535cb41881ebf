"""``treevote show``: the choice of sentences, their headings, and the output."""

from __future__ import annotations

import functools
import pydoc
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

from tests.command_line import run
from tests.paths import TOY
from treevote.commands import show as command
from treevote.commands.show import numbers_of
from treevote.corpus.treebank import Treebank
from treevote.drawing.svg import MEANING
from treevote.errors import ConfigError, InputError
from treevote.report.drawings import as_svg, as_svgs, as_text, shown

show = functools.partial(
    command.show, sentences=None, id=None, against=None, sort="file", differing=False, worst=None, format="auto"
)


def token(i: int, form: str, head: int | str, deprel: str = "x") -> str:
    return f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{deprel}\t_\t_\n"


GOLD = (
    "# sent_id = first\n" + token(1, "dogs", 2, "nsubj") + token(2, "bark", 0, "root") + "\n"
    "# sent_id = second\n" + token(1, "a", 2) + token(2, "b", 1) + token(3, "c", 3) + "\n"
    "# sent_id = third\n" + token(1, "yes", "_", "_") + token(2, "no", "_", "_") + "\n"
    "# sent_id = fourth\n" + token(1, "w", 3) + token(2, "x", 0) + token(3, "y", 0) + token(4, "z", 2) + "\n"
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.conllu"
    path.write_text(GOLD)
    return path


def test_one_sentence(gold: Path) -> None:
    assert as_text(show(gold, sentences="1")) == (
        "sentence 1 of 4, first\ndogs bark\n\n1  ╭── dogs  X  nsubj\n2 ─╯ bark    X  root\n"
    )


def test_all_sentences_and_what_is_unusual_about_them(gold: Path) -> None:
    drawings = as_text(show(gold)).split("\n\n\n")
    assert [drawing.split("\n")[0] for drawing in drawings] == [
        f"sentence {i} of 4, {name}" for i, name in enumerate(("first", "second", "third", "fourth"), 1)
    ]
    assert "(not a tree: its heads have a cycle)" in drawings[1]
    assert "(no heads)" in drawings[2]
    assert "(2 roots, non-projective)" in drawings[3]


def test_some_words_without_a_head(tmp_path: Path) -> None:
    path = tmp_path / "some.conllu"
    path.write_text(token(1, "a", 0) + token(2, "b", "_", "_") + "\n")
    assert "(1 of 2 words without a head)" in as_text(show(path))
    rows = (token(i, "a", head) for i, head in enumerate((2, 1, 0, 0), start=1))
    path.write_text("".join([*rows, token(5, "e", "_", "_"), "\n"]))
    assert "(1 of 5 words without a head, 2 roots, not a tree: its heads have a cycle)" in as_text(show(path))


def test_against_a_system(gold: Path, tmp_path: Path) -> None:
    system = tmp_path / "system.conllu"
    system.write_text(GOLD.replace(token(1, "dogs", 2, "nsubj"), token(1, "dogs", 2, "obj")))
    drawing = as_text(show(gold, id="first", against=system))
    assert "≠ system: 2 of 2 heads are the same, 1 with the same label" in drawing
    named = as_text(show(gold, id="first", against=f"ours={system}"))
    assert named == drawing.replace("≠ system:", "≠ ours:")
    assert drawing.endswith("1  ╭── dogs  X  nsubj  ≠ obj\n2 ─╯ bark    X  root\n")


def test_against_other_sentences(gold: Path) -> None:
    with pytest.raises(InputError, match=r"token 1: expected 'dogs' as in .*gold\.conllu, found"):
        show(gold, against=TOY)


FIVE = Treebank.of([(["a"], [0], ["root"])] * 5, name="five")


@pytest.mark.parametrize(
    ("choice", "numbers"),
    [("3", [3]), ("2-4", [2, 3, 4]), ("4-", [4, 5]), ("-2", [1, 2]), ("5, 1 - 2", [5, 1, 2]), ("3-3", [3])],
)
def test_choices(choice: str, numbers: list[int]) -> None:
    assert numbers_of(choice, FIVE) == numbers


@pytest.mark.parametrize(
    "choice",
    [
        "",
        "-",
        "x",
        "1,,2",
        "1 2",
        "1.5",
        "9" * 5000,
        "1-" + "9" * 5000,
        "5" + " " * 99 + "x",
        "1-2-3",
        "0",
        "6",
        "4-2",
        "2-9",
        "١",
    ],
)
def test_choices_that_are_refused(choice: str) -> None:
    with pytest.raises(InputError, match="five: expected"):
        numbers_of(choice, FIVE)


def test_sent_ids(gold: Path) -> None:
    assert show(gold, id="third").numbers == (3,)
    assert show(gold, sentences="1", id="third").numbers == (1, 3)
    with pytest.raises(InputError, match=r"expected a sentence with the sent_id 'secnd', found none .*'second'"):
        show(gold, id="secnd")
    gold.write_text(gold.read_text().replace("= fourth", "= first"))
    with pytest.raises(InputError, match=r"'first', found 2 \(the first are the sentences 1 and 4\); choose by number"):
        show(gold, id="first")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        show(tmp_path / "nothing.conllu")
    (tmp_path / "bad.conllu").write_text(token(1, "a", 7) + "\n")
    with pytest.raises(InputError, match="HEAD"):
        show(tmp_path / "bad.conllu")


def test_svg(gold: Path) -> None:
    chosen = show(gold, sentences="1-2", against=gold)
    root = ElementTree.fromstring(as_svg(chosen))
    captions = [element.text for element in root.iter() if element.get("class") == "c"]
    assert captions[:2] == ["sentence 1 of 4, first", "sentence 2 of 4, second"]
    assert captions[2:] == list(MEANING.values())
    assert as_svg(chosen) == as_svg(show(gold, sentences="1-2", against=gold))


def test_too_many_sentences_for_one_picture(tmp_path: Path) -> None:
    path = tmp_path / "many.conllu"
    path.write_text((token(1, "a", 0) + "\n") * 101)
    with pytest.raises(InputError, match="expected at most 100 sentences for one SVG file, found 101"):
        as_svg(show(path))


def test_the_terminal_is_safe_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "hostile.conllu"
    path.write_text("# sent_id = \x1b[2J\n" + token(1, "\x1b]0;x\x07", 0, "\x1b[31m") + "\n")
    assert "\x1b" not in as_text(show(path))
    assert b"\x1b" not in as_svg(show(path))


def test_what_is_no_terminal_gets_all_of_it_as_utf8(gold: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    shown(show(gold))
    assert capsysbinary.readouterr().out == as_text(show(gold)).encode()


def test_a_terminal_gets_lines_that_fit_and_pages(
    gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages: list[str] = []
    monkeypatch.setattr(pydoc, "pager", pages.append)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("LINES", "10")
    shown(show(gold, sentences="1"))
    assert capsys.readouterr().out == as_text(show(gold, sentences="1"), 20)
    shown(show(TOY))
    assert pages == [as_text(show(TOY), 20)]
    assert all(cell_len(line) <= 20 for line in pages[0].splitlines() if line[:2].strip().isdigit())


CONFIDENT = "".join(
    f"# text = {text}\n"
    + "".join(
        token(i, form, head).replace("\t_\n", f"\tConfidence={sure}|LabelConfidence={sure}\n")
        for i, (form, head, sure) in enumerate(words, 1)
    )
    + "\n"
    for text, words in (
        ("Dogs bark", [("Dogs", 2, 0.95), ("bark", 0, 0.91)]),
        ("Cats don't.", [("Cats", 2, 0.9), ("do", 0, 0.31), ("n't", 2, 0.8), (".", 2, 0.99)]),
        ("Yes", [("Yes", 0, 0.5)]),
    )
)


@pytest.fixture
def confident(tmp_path: Path) -> Path:
    path = tmp_path / "confident.conllu"
    path.write_text(CONFIDENT)
    return path


def test_the_text_of_a_sentence_is_its_comment(confident: Path) -> None:
    assert as_text(show(confident, sentences="2")).splitlines()[1] == "Cats don't."


def test_confidence_is_drawn_and_sorts_the_least_sure_first(confident: Path) -> None:
    assert show(confident).numbers == (1, 2, 3)
    assert show(confident, sort="unsure").numbers == (3, 2, 1)
    assert show(confident, worst=2).numbers == (3, 2)
    drawing = as_text(show(confident, sentences="2"))
    assert "mean confidence 0.75, least 0.31 (? below 0.7)" in drawing
    assert [line.split()[-2:] for line in drawing.splitlines()[4:]] == [
        ["x", "0.90"],
        ["0.31", "?"],
        ["x", "0.80"],
        ["x", "0.99"],
    ]
    picture = as_svg(show(confident, sentences="2")).decode()
    assert picture.count('<g class="sure">') == 3
    assert picture.count('<g class="sure unsure">') == 1
    assert "confidence of arc and label, bold on a dashed bar below 0.7" in picture
    ElementTree.fromstring(picture)


def test_a_confidence_at_the_limit_has_no_mark(tmp_path: Path) -> None:
    (tmp_path / "limit.conllu").write_text(CONFIDENT.replace("=0.5\n", "=0.7\n").replace("=0.5|", "=0.7|"))
    chosen = show(tmp_path / "limit.conllu", sentences="3")
    assert as_text(chosen).splitlines()[-1].endswith("x  0.70")
    assert '<g class="sure unsure">' not in as_svg(chosen).decode()
    (tmp_path / "limit.conllu").write_text(CONFIDENT.replace("=0.5\n", "=0.696\n").replace("=0.5|", "=0.696|"))
    chosen = show(tmp_path / "limit.conllu", sentences="3")
    assert as_text(chosen).splitlines()[-1].endswith("x  0.70")
    assert '<g class="sure unsure">' not in as_svg(chosen).decode()


def test_lights_are_drawn_by_marks_and_strokes(confident: Path, tmp_path: Path) -> None:
    lights, lit = iter(["green", "yellow", "green", "red", "yellow", "green", "red"]), tmp_path / "lit.conllu"
    rows = (f"{row}|Light={next(lights)}" if "Confidence" in row else row for row in confident.read_text().split("\n"))
    lit.write_text("\n".join(rows))
    drawing = as_text(show(lit, sentences="2"))
    assert "lights: 2 green, 1 yellow (?), 1 red (??)" in drawing
    marks = [line.split()[-1] for line in drawing.splitlines() if line[:1].isdigit()]
    assert marks == ["0.90", "??", "?", "0.99"]
    picture = as_svg(show(lit, sentences="2")).decode()
    assert [picture.count(f'<g class="both {light}">') for light in ("green", "yellow", "red")] == [2, 1, 1]
    assert "red light: often wrong (??)" in picture
    ElementTree.fromstring(picture)
    other = show(confident, sentences="2", against=lit)
    assert "lights of lit: 2 green, 1 yellow (?), 1 red (??)" in as_text(other)
    assert other.lit == "system"
    differing = lit.with_name("differing.conllu")
    differing.write_text(lit.read_text().replace("\tx\t", "\ty\t"))
    drawing = as_text(show(confident, sentences="2", against=differing))
    notes = [line.partition("≠")[2] for line in drawing.splitlines() if line[:1].isdigit()]
    assert notes == [" y", " y ??", " y ?", " y"]


def test_without_confidence_nothing_is_sorted_by_it(gold: Path) -> None:
    with pytest.raises(InputError, match="token 1: expected LabelConfidence=NUMBER in MISC"):
        show(gold, sort="unsure")
    with pytest.raises(InputError, match="parse or vote with --confidence"):
        show(gold, worst=1)


def test_sentences_that_differ(gold: Path, tmp_path: Path) -> None:
    system = tmp_path / "system.conllu"
    changed = GOLD.replace(token(1, "dogs", 2, "nsubj"), token(1, "dogs", 2, "obj"))
    changed = changed.replace(token(1, "w", 3) + token(2, "x", 0), token(1, "w", 2) + token(2, "x", 3))
    system.write_text(changed)
    assert show(gold, against=system, differing=True).numbers == (1, 4)
    assert show(gold, against=system, sort="differing").numbers == (4, 1, 2, 3)
    assert show(gold, against=system, worst=1).numbers == (4,)
    assert show(gold, against=system, sentences="1-3", worst=2, differing=True).numbers == (1,)
    assert as_text(show(gold, against=gold, differing=True)) == "no sentence differs\n"
    with pytest.raises(ConfigError, match="give it with --against"):
        show(gold, differing=True)
    with pytest.raises(ConfigError, match="give it with --against"):
        show(gold, sort="differing")


def test_a_file_of_each_sentence_or_one_for_all(gold: Path, tmp_path: Path) -> None:
    names = [name for name, _ in as_svgs(show(gold, sentences="2,4"))]
    assert names == ["sentence-2.svg", "sentence-4.svg"]
    run("show", gold, "--svg", f"{tmp_path}/pictures/", "--width", 300)
    files = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert files == [f"sentence-{number}.svg" for number in (1, 2, 3, 4)]
    run("show", gold, "--sentence", 1, "--svg", tmp_path / "one.svg", "--width", 300)
    assert (tmp_path / "one.svg").read_text("utf-8").startswith("<svg")
    assert max(map(cell_len, run("show", TOY, "--width", 30).splitlines())) <= 100
