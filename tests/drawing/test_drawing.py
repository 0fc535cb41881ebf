"""Drawings of trees: trees can be read back, no arcs cross without need, and any text is harmless."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence
from typing import Literal
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.strategies import LABELS, projective_trees, trees
from treevote.corpus.sentence import ROOT, Sentence, Word
from treevote.drawing import svg, text
from treevote.drawing.arcs import Arc, arcs_of, levels
from treevote.drawing.forest import DOWN, LEFT, RIGHT, SIGNS, UP, bars, forest, lines
from treevote.drawing.layout import Line, lay_out
from treevote.drawing.widths import ems, right_to_left, shortened
from treevote.kernels import Ints
from treevote.visibility import visible

SVG = "{http://www.w3.org/2000/svg}"
any_heads = st.lists(st.integers(-1, 7), max_size=7).map(
    lambda heads: [-1, *(head if head <= len(heads) else -1 for head in heads)]
)


def sentence(heads: Sequence[int], forms: Sequence[str] = (), deprels: Sequence[str] = ()) -> Sentence:
    """A sentence of tokens 1..n; forms are ``w1`` and so on, deprels ``x``, where none are given."""
    n = len(heads) - 1
    words = [Word(form, "_", "X", "_", "_") for form in forms or [f"w{i}" for i in range(1, n + 1)]]
    return Sentence((ROOT, *words), np.array(heads, np.int32), ("", *(deprels or ["x"] * n)))


# Text


def test_control_characters_are_shown_and_formatting_is_dropped() -> None:
    assert visible("a\x00\x1b[2J\x7f\x85\u2028\ud800\uffff") == "a␀␛[2J" + "\ufffd" * 5
    assert visible("\u202e\u2066abc\u200f\ufeff") == "abc"
    assert visible("می\u200cخواهم") == "می\u200cخواهم"


@given(st.text())
def test_visible_text_has_no_control_characters(value: str) -> None:
    shown = visible(value)
    assert visible(shown) == shown
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Zl", "Zp", "Cs", "Cn"}


@given(st.text(st.characters() | st.sampled_from("\u0300\u200d\ufe0f犬"), max_size=12), st.integers(1, 12))
@example("\u200d\u200d犬a", 2)
def test_shortened_text_fits(value: str, width: int) -> None:
    text = shortened(value, width)
    assert cell_len(text) <= width
    assert text == value or value.startswith(text.removesuffix("…"))
    assert shortened(value, cell_len(value)) == value


@pytest.mark.parametrize(
    ("value", "width"),
    [("dog", 3), ("犬", 2), ("ｱ", 1), ("Ａ", 2), ("e\u0301", 1), ("각", 2), ("\u1100\u1161\u11a8", 2), ("🐕", 2)],
)
def test_columns(value: str, width: int) -> None:
    assert cell_len(value) == width


def test_wide_letters_take_more_room() -> None:
    assert ems("ill") < ems("doe") < ems("WWW")
    assert ems("犬犬") == 2


def test_direction() -> None:
    assert right_to_left(["שלום", "world"[:2]])
    assert not right_to_left(["12", "..."])
    assert not right_to_left([])


# Arcs


def test_arcs_of_two_trees() -> None:
    gold = sentence([-1, 2, 0, 2, -1], deprels=["a", "r", "b", ""])
    parse = sentence([-1, 2, 0, 1, 2], deprels=["c", "r", "b", "d"])
    assert arcs_of(gold, parse) == [
        Arc(2, 1, "a", "label", "c"),
        Arc(0, 2, "r", "both"),
        Arc(2, 3, "b", "gold"),
        Arc(1, 3, "b", "system"),
        Arc(2, 4, "d", "system"),
    ]
    assert [arc.kind for arc in arcs_of(gold)] == ["both"] * 3


@given(trees(), trees())
def test_two_trees_can_be_read_from_their_arcs(gold: Ints, parse: Ints) -> None:
    n = min(len(gold), len(parse))
    one, two = sentence([*np.minimum(gold[:n], n - 1)]), sentence([*np.minimum(parse[:n], n - 1)])
    found = arcs_of(one, two)
    for tree, kinds in (one, ("both", "label", "gold")), (two, ("both", "label", "system")):
        heads = {arc.dependent: arc.head for arc in found if arc.kind in kinds}
        assert [heads[i] for i in range(1, n)] == tree.heads[1:].tolist()


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 5)).map(lambda pair: (pair[0], pair[0] + pair[1]))))
def test_arcs_over_the_same_words_are_at_different_heights(spans: list[tuple[int, int]]) -> None:
    heights = levels(spans, spans)
    for i, (first, last) in enumerate(spans):
        assert heights[i] >= 1
        for j, (other_first, other_last) in enumerate(spans[:i]):
            if max(first, other_first) < min(last, other_last):
                assert heights[i] != heights[j]
            if first <= other_first and other_last <= last and last - first > other_last - other_first:
                assert heights[i] > heights[j]


# Layout


def crossings(line: Line) -> int:
    """Count where an upright of a stroke meets the level part of another."""
    n = 0
    for one in line.strokes:
        ends = [one.dependent] * one.dependent_here + ([one.head] if one.head_here and one.arc.head else [])
        for other in line.strokes:
            left, right = sorted((other.head, other.dependent))
            if other is not one and other.arc.head and other.level < one.level:
                n += sum(left < x < right for x in ends)
    return n


@given(projective_trees(max_tokens=12), st.sampled_from([60.0, 150.0, 1000.0]), st.booleans())
def test_arcs_of_projective_trees_do_not_cross(heads: Ints, width: float, mirrored: bool) -> None:
    arcs = arcs_of(sentence([*heads]))
    laid, full = lay_out(arcs, [0.0] + [30.0] * (len(heads) - 1), [20.0] * len(arcs), width, mirrored=mirrored)
    assert [word for line in laid for word in line.words] == list(range(1, len(heads)))
    assert sum(map(crossings, laid)) == 0
    for line in laid:
        assert all(0 <= x <= full for x in line.words.values())
        assert all(0 <= x <= full for stroke in line.strokes for x in (stroke.head, stroke.dependent))
        places = list(line.words.values())
        assert places == sorted(places, reverse=mirrored)


@given(trees(max_tokens=10), st.floats(0, 500))
def test_every_arc_is_in_the_lines_of_its_words(heads: Ints, width: float) -> None:
    arcs = arcs_of(sentence([*heads]))
    laid, _ = lay_out(arcs, [0.0] + [25.0] * (len(heads) - 1), [30.0] * len(arcs), width)
    for line in laid:
        for stroke in line.strokes:
            assert stroke.dependent_here == (stroke.arc.dependent in line.words)
            assert stroke.head_here == (stroke.arc.head in line.words)
    assert sum(stroke.dependent_here for line in laid for stroke in line.strokes) == len(arcs)


@given(st.integers(1, 60), st.floats(250, 500))
def test_lines_are_within_the_width_and_about_equally_long(n: int, width: float) -> None:
    laid, full = lay_out([], [30.0] * (n + 1), [], width)
    assert full <= width
    lengths = [len(line.words) for line in laid]
    assert sum(lengths) == n
    assert (
        max(lengths) - min(lengths) <= len(lengths) + 1
    )  # the first and last have more room; the last has what is left


def test_words_make_room_for_labels() -> None:
    laid, _ = lay_out([Arc(1, 2, "a-very-long-label")], [0, 10, 10], [120], 500)
    assert laid[0].words[2] - laid[0].words[1] >= 120


# Trees for a terminal


@given(any_heads)
def test_a_forest_has_no_cycle_and_keeps_what_was_none(heads: list[int]) -> None:
    free = forest(heads)
    for word in range(1, len(heads)):
        assert free[word] in (heads[word], -1)
        seen = set()
        climb = word
        while climb > 0:
            assert climb not in seen
            seen.add(climb)
            climb = free[climb]
    roots_of_cycles = [word for word in range(1, len(heads)) if free[word] != heads[word]]
    for word in roots_of_cycles:
        climb = heads[word]
        while climb > word:
            climb = heads[climb]
        assert climb == word or climb > 0


@given(trees(max_tokens=9))
def test_bars_in_one_column_are_apart(heads: Ints) -> None:
    placed = bars([*heads], 99)
    assert placed is not None
    for word, bar in placed.items():
        assert bar.top <= word <= bar.bottom
        assert heads[word] == 0 or bar.column > placed[heads[word]].column
        for other in placed.values():
            if other is not bar and other.column == bar.column:
                assert other.bottom < bar.top or bar.bottom < other.top


@given(projective_trees(max_tokens=9))
def test_in_a_projective_tree_the_column_is_the_depth(heads: Ints) -> None:
    placed = bars([*heads], 99)
    assert placed is not None
    for word, bar in placed.items():
        assert bar.column == (0 if heads[word] == 0 else placed[heads[word]].column + 1)


def read_back(drawn: list[str]) -> list[int]:
    """Read the heads from a drawing as a person does: along the line to the left, then along the upright."""
    bits = {sign: directions for directions, sign in enumerate(SIGNS)} | {"─": LEFT | RIGHT, " ": 0}
    rows = [[bits[sign] for sign in line] for line in drawn]
    heads = [-1]
    for row in range(1, len(rows)):
        place = len(rows[row]) - 1
        while place > 0 and (rows[row][place] & LEFT or rows[row][place] == UP | DOWN):
            place -= 1
        if place == 0:
            heads.append(0)
            continue
        assert rows[row][place] & RIGHT
        climbed = [row]
        for step, direction in (-1, UP), (1, DOWN):
            at = row
            while rows[at][place] & direction:
                at += step
                climbed.append(at)
        heads += [at for at in climbed if rows[at][place] & LEFT]
    return heads


@given(trees(max_tokens=9))
def test_heads_can_be_read_from_the_drawing(heads: Ints) -> None:
    placed = bars([*heads], 99)
    assert placed is not None
    assert read_back(lines([*heads], placed)) == heads.tolist()


def test_a_line_that_runs_over_a_bar_is_broken() -> None:
    heads = [-1, 3, 4, 0, 1]
    placed = bars(heads, 9)
    assert placed is not None
    assert lines(heads, placed)[1:] == [" ╭─╮", " │ │ ╭──", "─┴─│─│─", "   ╰─╯"]


def test_a_word_without_a_head_has_no_line() -> None:
    heads = [-1, -1, 4, -1, 0, -1, 5]
    placed = bars(heads, 9)
    assert placed is not None
    assert lines(heads, placed)[1:] == ["", " ╭──", " │", "─╯", " ╷", " ╰──"]


@given(any_heads, any_heads, st.integers(20, 80), st.data())
def test_lines_fit_the_terminal_whatever_the_heads(
    heads: list[int], others: list[int], width: int, data: st.DataObject
) -> None:
    n = len(heads) - 1
    forms = data.draw(st.lists(st.text(min_size=1, max_size=30), min_size=n, max_size=n))
    others = [-1, *(head if head <= n else -1 for head in (others[1:] + [0] * n)[:n])]
    drawing = text.draw(sentence(heads, forms), sentence(others, forms, data.draw(labels(n))), width=width)
    assert len(drawing) in (n, n + 1)
    assert all(cell_len(line) <= width for line in drawing)
    assert not any(unicodedata.category(c) == "Cc" for line in drawing for c in line)


def labels(n: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(LABELS), min_size=n, max_size=n)


def test_drawing_of_a_tree_and_a_system() -> None:
    forms, deprels = ["I", "saw", "her", "duck"], ["nsubj", "root", "nmod", "obj"]
    gold = sentence([-1, 2, 0, 4, 2], forms, deprels)
    parse = sentence([-1, 2, 0, 2, -1], forms, ["nsubj", "root", "obj", ""])
    assert text.draw(gold, parse) == [
        "1  ╭── I      X  nsubj",
        "2 ─┤ saw      X  root",
        "3  │ ╭── her  X  nmod   ≠ obj of 2 saw",
        "4  ╰─╯ duck   X  obj    ≠ no head",
    ]


def test_wide_and_right_to_left_words_keep_the_columns() -> None:
    drawing = text.draw(sentence([-1, 2, 0, 2], ["犬", "e\u0301té", "كلب"]))
    assert [cell_len(line) for line in drawing] == [cell_len(drawing[0])] * 3
    assert drawing[2].startswith("\u200e")
    assert "\u2068كلب\u2069" in drawing[2]
    assert drawing[0].isprintable()


@pytest.mark.parametrize("width", range(20, 64))
def test_a_right_to_left_word_that_is_cut_has_its_end(width: int) -> None:
    forms = ["שלום" * 5, "w2", "w3"]
    gold, parse = sentence([-1, 2, 0, 2], forms), sentence([-1, 2, 0, 1], forms)
    for line in text.draw(gold, parse, width=width):
        assert line.count("\u2068") == line.count("\u2069")
        assert cell_len(line) <= width


def test_what_a_drawing_cannot_show_is_told() -> None:
    assert [line.split()[-2:] for line in text.draw(sentence([-1, -1, -1]))] == [["(no", "head)"]] * 2
    in_a_circle = text.draw(sentence([-1, 2, 1, 0]))
    assert in_a_circle[0].endswith("x of 2 w2")
    deep = text.draw(sentence(range(-1, 99)))
    assert deep[0] == "(a tree of more than 40 columns: told, not drawn)"
    assert deep[-1].endswith("x of 98 w98")
    assert text.draw(sentence([-1]), width=40) == []


# SVG


def texts(root: ElementTree.Element, kind: str) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text") if element.get("class") == kind]


@given(any_heads, any_heads, st.data())
def test_any_text_gives_a_well_formed_picture(heads: list[int], others: list[int], data: st.DataObject) -> None:
    n = len(heads) - 1
    anything = st.lists(st.text(min_size=1, max_size=9), min_size=n, max_size=n)
    forms, deprels, other_deprels = data.draw(anything), data.draw(anything), data.draw(anything)
    others = [-1, *(head if head <= n else -1 for head in (others[1:] + [0] * n)[:n])]
    gold, parse = sentence(heads, forms, deprels), sentence(others, forms, other_deprels)
    picture = svg.draw(gold, parse, width=200)
    root = ElementTree.fromstring(picture.markup)
    assert sorted(texts(root, "f")) == sorted(shortened(visible(form), svg.MAX_FORM) for form in forms)
    arcs = arcs_of(gold, parse)
    assert sum(element.get("class") == "h" for element in root.iter(f"{SVG}path")) == len(arcs)
    kinds = [element.get("class") for element in root.iter(f"{SVG}g") if element.get("class")]
    assert set(kinds) == {arc.kind for arc in arcs}
    assert ElementTree.fromstring(svg.document([("<&>\x00", picture)], two_trees=True)) is not None


@given(st.text("aWm .,\u5b57", max_size=300), st.booleans(), st.booleans(), st.booleans())
def test_captions_and_legends_fit_the_file(caption: str, two_trees: bool, confident: bool, lit: bool) -> None:
    marked = {"two_trees": two_trees, "confident": confident, "lit": lit}
    root = ElementTree.fromstring(svg.document([(caption, svg.draw(sentence([-1, 0])))], **marked))
    width, found = float(root.attrib["width"]), texts(root, "c")
    assert " ".join(found).startswith(caption)
    moved = {mark: 6.0 for group in root.iter(f"{SVG}g") if group.get("transform") for mark in group}
    for mark in root.iter(f"{SVG}text"):
        if mark.get("class") == "c":
            assert moved.get(mark, 0) + float(mark.attrib["x"]) + 12 * ems(mark.text or "") <= width + 0.1
    words = caption.split(" ")
    assert width <= max(500, 12 + 12 * max(map(ems, words))) + 1


@pytest.mark.parametrize(("lit", "kinds"), [("gold", ["gold red", "system"]), ("system", ["gold", "system red"])])
def test_lights_are_on_the_arcs_of_the_tree_that_has_them(lit: Literal["gold", "system"], kinds: list[str]) -> None:
    gold, parse = sentence([-1, 2, 0, 2]), sentence([-1, 2, 0, 1])
    root = ElementTree.fromstring(svg.draw(gold, parse, lights=["", "red", "red", "red"], lit=lit).markup)
    found = [group.attrib["class"] for group in root.iter(f"{SVG}g") if group.get("class")]
    assert sorted(found) == sorted(["both red", "both red", *kinds])


def test_strokes_differ_without_colour() -> None:
    gold = sentence([-1, 2, 0, 2, 2], deprels=["a", "r", "b", "c"])
    parse = sentence([-1, 2, 0, 1, 2], deprels=["a", "r", "b", "d"])
    root = ElementTree.fromstring(svg.draw(gold, parse).markup)
    uprights = {g.get("class"): [p.get("class") for p in g.iter(f"{SVG}path")] for g in root.iter(f"{SVG}g")}
    assert uprights["label"] == [None, "i", "h"]  # drawn twice: a double line
    assert "stroke-dasharray" in svg.STYLE.split(".tree .system path")[1].split("}")[0]
    widths = {
        kind: svg.STYLE.split(f".tree .{kind} path")[1].split("stroke-width:")[1][:3] for kind in ("gold", "system")
    }
    assert widths["gold"] > widths["system"] > "1.1"
    assert "c ≠ d" in texts(root, "l")


def test_a_right_to_left_sentence_starts_at_the_right() -> None:
    root = ElementTree.fromstring(svg.draw(sentence([-1, 0, 1], ["قرأ", "الولد"])).markup)
    xs = [float(e.get("x", "")) for e in root.iter(f"{SVG}text") if e.get("class") == "f"]
    assert xs == sorted(xs, reverse=True)


def test_a_picture_tells_what_it_shows() -> None:
    gold, parse = sentence([-1, 2, 0], ["dogs", "bark"]), sentence([-1, 0, 1], ["dogs", "bark"])
    root = ElementTree.fromstring(svg.draw(gold).markup)
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == ("dogs bark", "dogs: x of bark; bark: x")
    both = ElementTree.fromstring(svg.draw(gold, parse, title="A < B").markup)
    assert both.findtext(f"{SVG}title") == "A < B"
    assert "bark: x of dogs, in the system’s tree only" in (both.findtext(f"{SVG}desc") or "")


def test_long_sentences_are_broken_into_lines_of_the_width() -> None:
    long = sentence([-1, 0, *range(1, 60)])
    picture = svg.draw(long, width=300)
    assert picture.width <= 300
    assert picture.height > svg.draw(long, width=3000).height * 3


@given(any_heads | trees(max_tokens=12).map(list), st.sampled_from([150.0, 378.0, 900.0]), st.data())
def test_labels_of_a_height_are_apart(heads: list[int], width: float, data: st.DataObject) -> None:
    n = len(heads) - 1
    deprels = data.draw(st.lists(st.sampled_from([*LABELS, "", "x" * 30]), min_size=n, max_size=n))
    root = ElementTree.fromstring(svg.draw(sentence(heads, deprels=deprels), width=width).markup)
    labels = [
        (e.get("y"), float(e.get("x", "")), e.text or "") for e in root.iter(f"{SVG}text") if e.get("class") == "l"
    ]
    for (y, x, label), (other_y, other_x, other) in itertools.combinations(labels, 2):
        assert y != other_y or abs(x - other_x) >= (ems(label) + ems(other)) * svg.LABEL / 2 - 1
