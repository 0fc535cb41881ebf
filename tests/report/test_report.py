"""The report: one page, whole, safe and the same every time."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from tests.paths import TOY
from tests.report.invented import PAGES, evaluation
from treevote.conll.reader import read
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.drawing.svg import Picture
from treevote.errors import InputError
from treevote.evaluation import results
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.parses import Parses
from treevote.report.page import render, source_of, write_report
from treevote.report.plots import Scale, plots
from treevote.report.trees import drawing, for_all_widths
from treevote.version import __version__


class Reader(HTMLParser):
    """Reads a page and holds it to balanced elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.data: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.data.append(data)

    def count(self, tag: str) -> int:
        return sum(seen == tag for seen, _ in self.seen)


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_is_well_formed_and_needs_nothing_else(kind: str) -> None:
    page = render(PAGES[kind])
    reader = Reader(page)
    assert reader.count("script") == 2
    assert reader.count("link") + reader.count("img") + reader.count("iframe") == 0
    assert {"src", "srcset"}.isdisjoint(key for _, attributes in reader.seen for key in attributes)
    assert not any(key.startswith("on") for _, attributes in reader.seen for key in attributes)
    links = [attributes["href"] for tag, attributes in reader.seen if tag == "a" and "download" not in attributes]
    ids = {attributes.get("id") for _, attributes in reader.seen}
    assert links
    assert {f"#{id}" for id in ids} >= set(links)
    assert "url(" not in page
    assert "@import" not in page
    assert set(re.findall(r"https?://[^\"]*", page)) <= {"http://www.w3.org/2000/svg"}


def test_what_is_in_the_files_is_text_and_nothing_else() -> None:
    page = render(PAGES["hostile"])
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "<script>alert(1)</script>&\"'␛" in "".join(Reader(page).data)
    data = re.findall('<script type="application/json" id="quotations">(.*?)</script>', page)
    assert json.loads(data[0])["sentences"]["1"][1][0] == "<script>alert(1)</script>&\"'␛"


def test_the_same_evaluation_gives_the_same_bytes() -> None:
    assert render(evaluation()) == render(evaluation())
    about = {"data": "{}", "command": "treevote evaluate x", "date": "2026-01-31"}
    assert render(evaluation(), **about) == render(evaluation(), **about)


def test_figures_of_the_page() -> None:
    page = render(evaluation())
    assert "<b>81.00</b><small>80.00–82.00</small>" in page
    assert "100.00 for every system: Words." in page
    assert '+1.25<small class="narrow">+0.50 to +2.00</small>' in page  # the better one first
    assert '<td class="wide">0.030</td><td class="wide">0.0004</td>' in page.replace("\n", "")
    assert '<td class="narrow">0.60</td>' in page  # the larger of the two p-values
    assert "out/yara.conllu has" not in page
    assert "81.00, 1.25 above" in page or "81.00 LAS, 1.25 above" in page
    assert "12 sentences" in page
    assert "2 sentences with cycle" in page
    assert "other words than the gold file" in page
    assert "70 groups more" in page
    assert page.count('<svg class="plot"') == 2


def test_an_evaluation_of_files() -> None:
    gold = read(TOY)
    heads = np.where(gold.heads > 1, gold.heads - 1, gold.heads).astype(np.int32)
    other = gold.with_trees(heads, gold.deprels, gold.labels)
    found = evaluate_systems(gold, {"right": gold, "wrong": other})
    page = render(found)
    Reader(page)
    assert 'id="differences"' in page
    assert '<svg class="plot"' in page
    assert page == render(evaluate_systems(gold, {"right": gold, "wrong": other}))


def test_one_system_is_compared_with_nothing() -> None:
    page = render(evaluation(["parse.conllu"]))
    assert 'id="differences"' not in page
    assert 'id="agreement"' not in page
    assert 'id="summary"' in page


def test_trees_are_drawn_once_for_a_system_and_for_all_where_they_differ() -> None:
    page = render(evaluation())
    drawn = page.count('role="img"') - page.count('class="plot"')
    assert drawn == 2 * 1 + 3 * 2  # one frequent confusion of each system; three sentences where they differ
    assert "<b>obj taken for dogs</b>, 9 errors" in page
    assert "2 of 3 arcs wrong" in page
    assert page.count('<div class="room0 room1 room2 room3">') == drawn  # short: one drawing for all widths


def test_many_systems_have_different_marks() -> None:
    page = render(evaluation([f"s{number}.conllu" for number in range(1, 13)]))
    legend = page[page.index('<ul class="legend systems">') :]
    marks = re.findall(r"<svg class=.mark.[^>]*>(.*?)</svg>", legend, re.DOTALL)[:12]
    assert len(set(map(str.strip, marks))) == 12
    assert sum('fill="var(--paper)" stroke-width="1.5" stroke="var(--s' in mark for mark in marks) == 6
    assert "in which s1.conllu differs most from the other systems, with the trees of the first 4 systems." in page


def test_conventions_are_told() -> None:
    other = dataclasses.replace(evaluation(), convention="conllx", punctuation=False, scored=30)
    page = render(other)
    assert "CoNLL-X" in page
    assert "30 tokens scored" in page


def test_the_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(evaluation(), path)
    assert path.read_text("utf-8") == render(evaluation())
    with pytest.raises(InputError, match="cannot write"):
        write_report(evaluation(), tmp_path / "nowhere" / "report.html")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize(("low", "high"), [(0.0, 100.0), (50.0, 50.0), (0.0, 0.0), (99.99, 100.0), (12.3, 47.1)])
def test_scales_hold_their_values_at_round_steps(low: float, high: float) -> None:
    step, bottom, top = Scale.of([low, high])
    assert 0 <= bottom <= low <= high <= top <= 100
    assert bottom < top
    assert (top - bottom) / step == round((top - bottom) / step) <= 7


def test_bars_are_shares_of_all_scored_tokens_though_small_groups_are_left_out() -> None:
    chains = [(["a"] * n, [*range(n)], ["x"] * n) for n, times in ((2, 40), (8, 5), (12, 1)) for _ in range(times)]
    gold = Treebank.of(chains)
    by_length = plots(evaluate_systems(gold, {"a": gold}, samples=1, permutations=1))[0]
    assert [share for *_, share in by_length.bars] == [100 * 80 / 132, 100 * 40 / 132]


def test_long_trees_are_drawn_for_each_width() -> None:
    widths: list[float] = []

    def picture(width: float) -> Picture:
        widths.append(width)
        return Picture(f"<svg>{min(width, 800):.0f}</svg>", min(width, 800), 10)

    found = for_all_widths(picture)
    assert widths == [1300, 640, 334]  # what fits into 940 need not be drawn for it again
    assert found == (
        '<div class="room0"><svg>334</svg></div><div class="room1"><svg>640</svg></div>'
        '<div class="room2 room3"><svg>800</svg></div>'
    )


def test_every_range_of_widths_shows_one_drawing() -> None:
    style = source_of("style.css")
    shown = re.findall(r"@media (.*?) \{ \.(room\d) \{ display: block \} \}", style)
    assert [room for _, room in shown] == ["room0", "room1", "room2", "room3", "room1"]
    ends = [[int(end) for end in re.findall(r"(?:min|max)-width: (\d+)px", query)] for query, _ in shown[:4]]
    assert ends == [[719], [720, 1023], [1024, 1399], [1400]]


def test_the_foot_says_how_the_page_was_made() -> None:
    files = (results.File("gold", "", "data/gold.conllu", "ab" * 32), results.File("system", "ours", "-", None))
    found = dataclasses.replace(evaluation(), files=files)
    page = render(found, data='{"schema": 1}', command="treevote evaluate a b", date="2026-01-31")
    told = " ".join(" ".join(Reader(page).data).split())
    assert "treevote evaluate a b" in told
    assert f"gold: data/gold.conllu sha256 {'ab' * 32}" in told
    assert "system ours: -" in told
    assert f"Made by treevote {__version__}, 2026-01-31. Seed 0." in told
    href = next(attributes["href"] for tag, attributes in Reader(page).seen if "download" in attributes)
    assert href is not None
    assert base64.b64decode(href.partition(",")[2]) == b'{"schema": 1}'


def test_confidence_is_drawn_if_files_carry_it() -> None:
    assert 'id="confidence"' not in render(evaluation())
    bins = [[10, 0.5, 0.6], [90, 0.95, 0.9]]
    table = {"bins": bins, "error": 0.055, "precision": 97.0, "coverage": 40.0}
    found = evaluation()
    first = dataclasses.replace(found.systems[0], reliability={"arc": table, "label": table})
    page = render(dataclasses.replace(found, systems=(first, found.systems[1])))
    assert 'id="confidence"' in page
    assert 'class="diagonal"' in page
    assert "<td>0.055</td><td>40.00 %</td><td>97.00 %</td>" in page
    assert "A system without a row carries no confidence, or has other words than the gold file." in page


def test_a_word_without_upos_is_drawn_with_its_xpos() -> None:
    words = [Word("a", "_", "NOUN", "NN", "_"), Word("b", "_", "_", "VB", "_"), Word("c", "_", "X", "_", "_")]
    gold = Treebank.of([(words, [0, 1, 1], ["root", "x", "x"])])
    parses = Parses(gold, gold.is_token, "ud")
    parses.add(gold)
    tags = re.findall('class="t"[^>]*>([^<]*)<', drawing(parses.sentence(1), 0, "ours"))
    assert tags[:3] == ["NOUN", "VB", "X"]
