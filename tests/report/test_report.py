"""The report: one page, whole, safe and the same every time, also in a real browser."""

from __future__ import annotations

import base64
import dataclasses
import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from tests.paths import TOY
from treevote.conll.reader import read
from treevote.drawing.svg import Picture
from treevote.errors import InputError
from treevote.evaluation import results
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.parses import Parses, SentenceTrees, Tree
from treevote.evaluation.results import (
    Breakdown,
    Cell,
    Comparison,
    Confusion,
    ConfusionCell,
    Disagreement,
    Evaluation,
    Example,
    Finding,
    Group,
    Metric,
    Rate,
    SentenceScore,
    System,
)
from treevote.kernels import Longs
from treevote.report.page import render, source_of, write_report
from treevote.report.plots import Scale
from treevote.report.trees import for_all_widths
from treevote.version import __version__

HOSTILE = "<script>alert(1)</script>&\"'\x1b\u202e"


def rate(value: float | None, n: int = 1000) -> Rate:
    if value is None:
        return Rate(None, None, None, "wilson", 0, 0, 0)
    return Rate(value, value - 1, min(value + 1, 100.0), "wilson", round(value * n / 100), n, n)


class Sentences(Parses):
    """Stands for `Parses`: sentences of three words, of which each system has another one wrong."""

    def __init__(self, n_systems: int, form: str, n_sentences: int = 12) -> None:
        self.n_systems, self.form = n_systems, form
        self.n_sentences = n_sentences

    @property
    def lengths(self) -> Longs:
        return np.full(self.n_sentences, 3)

    def n_differing(self, first: int | None, second: int) -> Longs:
        trees = self.sentence(1)
        one, other = trees.gold if first is None else trees.systems[first], trees.systems[second]
        arcs, others = zip(one.heads, one.deprels, strict=True), zip(other.heads, other.deprels, strict=True)
        return np.full(self.n_sentences, sum(arc != another for arc, another in zip(arcs, others, strict=True)))

    def sentence(self, number: int) -> SentenceTrees:
        gold = Tree((2, 0, 2), ("nsubj", "root", "obj"))
        heads = [[2, 0, 2] for _ in range(self.n_systems)]
        for i, wrong in enumerate(heads):
            wrong[i % 3] = -1 if i % 3 == 1 else 3 - wrong[i % 3]
        trees = tuple(Tree(tuple(wrong), ("nsubj", "root", "iobj")) for wrong in heads)
        forms = (self.form, f"verb{number}", "end")
        return SentenceTrees(number, f"s-{number}", forms, ("NOUN", "VERB", "NOUN"), (True,) * 3, gold, trees)


def evaluation(names: Sequence[str] = ("out/udpipe.conllu", "out/yara.conllu"), *, name: str = "dogs") -> Evaluation:
    """An evaluation of 12 sentences; ``name`` is wherever a file may have put text."""
    k = len(names)
    metrics = (
        Metric("LAS", "Right head and label.", True),
        Metric("UAS", "Right head.", True),
        Metric("MLAS", "Nothing to count.", False),
        Metric("Words", "Perfect.", False),
    )
    examples = (Example(1, 1), Example(3, 3))
    cells = (ConfusionCell("obj", name, 40, 9, examples), ConfusionCell("obj", "obj", 60, 0, ()))
    systems = tuple(
        System(
            system,
            12,
            36,
            i != 1,
            {"LAS": rate(80.0 + i), "UAS": rate(85.0 + i), "MLAS": rate(None), "Words": rate(100.0)},
            (Finding("cycle", "Words in a circle.", 2, (3, 7)),) if i else (),
            (Confusion("deprel", "What is taken for what.", cells), Confusion("head POS", "The same.", ())),
            (SentenceScore(1, 3, 2, 1),),
        )
        for i, system in enumerate(names)
    )
    groups = tuple(
        Group(value, n, tuple(Cell(rate(90.0 - i), rate(70.0 + i + n % 7), rate(50.0), 60.0 + i) for i in range(k)))
        for value, n in ((name, 20), ("b", 100), ("a", 3))
    )
    plain = tuple(
        Group(value, n, tuple(Cell(rate(90.0), rate(80.0 - n % 9), None, None) for _ in range(k)))
        for value, n in (("1-10", 30), ("11-20", 2000), (">20", 7))
    )
    breakdowns = (
        Breakdown("deprel", "By deprel.", "arc", False, groups),
        Breakdown("sentence length in tens", "By length.", "sentence", True, plain),
        Breakdown("length", "By distance.", "arc", True, groups),
        Breakdown("document", "By document.", "sentence", False, plain * 50),
    )
    matrix = tuple(tuple(90.0 + i + j for j in range(k)) for i in range(k))
    wrong = tuple(tuple(Disagreement(5 * (i != j), examples * (i != j)) for j in range(k)) for i in range(k))
    tests = tuple(
        results.Test(metric, i, j, -1.25, -2.0, -0.5, 0.01, 0.02, 0.03, 0.6 if metric == "UAS" else 0.0004)
        for metric in ("LAS", "UAS")
        for i, j in itertools.combinations(range(k), 2)
    )
    comparison = Comparison(matrix, matrix, matrix, matrix, 97.5, 96.5, wrong, tests, 1000, 500)
    return Evaluation("ud", True, 0, name, 12, 36, 36, metrics, systems, breakdowns, comparison, Sentences(k, name))


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


PAGES = {
    "two systems": evaluation(),
    "one system": evaluation(["parse.conllu"]),
    "seven systems": evaluation([f"s{i}" for i in range(7)]),
    "hostile": evaluation([HOSTILE, f"{HOSTILE}2"], name=HOSTILE),
    "bare": dataclasses.replace(
        evaluation(),
        breakdowns=(),
        sentences=0,
        systems=tuple(dataclasses.replace(system, confusions=()) for system in evaluation().systems),
        parses=Sentences(2, "dogs", 0),
    ),
}


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


# In a browser

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((path for path in map(shutil.which, NAMES) if path), None)
in_a_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

WATCH = "<script>window.faults = []; addEventListener('error', (event) => faults.push(event.message))</script>"
TELL = """<script>
const column = (table, n) => [...table.tBodies[0].rows].map((row) => row.cells[n].textContent);
const told = {};
const table = document.querySelector("#breakdowns table.sortable");
const heads = [...table.tHead.rows[0].cells];
told.before = column(table, 1);
heads[1].querySelector("button").click();
told.down = column(table, 1);
told.sorted = heads.map((head) => head.getAttribute("aria-sort"));
heads[1].querySelector("button").click();
told.up = column(table, 1);
heads[0].querySelector("button").click();
told.names = column(table, 0);
const cell = document.querySelector("#confusions button.cell");
const panel = cell.closest(".frame").nextElementSibling;
told.hidden = [panel.hidden];
cell.focus();
cell.click();
told.hidden.push(panel.hidden);
told.expanded = cell.getAttribute("aria-expanded");
told.marked = [...panel.querySelectorAll(".token")].map((word) => word.textContent);
told.heads = [...panel.querySelectorAll(".gold-head")].map((word) => word.textContent);
told.said = panel.querySelector(".told .gold-arc").textContent;
cell.click();
told.hidden.push(panel.hidden);
dispatchEvent(new Event("beforeprint"));
told.folded = document.querySelectorAll("details:not([open])").length;
dispatchEvent(new Event("afterprint"));
told.unfolded = document.querySelectorAll("details[open]").length;
const seen = (table) =>
  [...table.tHead.rows[0].cells].filter((cell) => cell.offsetWidth).map((cell) => cell.textContent);
const main = document.querySelector("#summary table.main");
told.columns = seen(main);
document.getElementById("all-metrics").checked = true;
told.switched = seen(main);
document.getElementById("all-metrics").checked = false;
told.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
told.fetched = performance.getEntriesByType("resource").length;
told.scripts = document.scripts.length;
told.faults = faults;
const said = document.createElement("pre");
said.id = "told";
said.textContent = JSON.stringify(told);
document.body.append(said);
</script>"""


MEASURE = """<script>
const told = {page: document.documentElement.scrollWidth - document.documentElement.clientWidth, frames: {}};
document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
for (const frame of document.querySelectorAll(".frame")) {
  const kind = `${frame.closest("section").id} ${frame.firstElementChild.className}`;
  told.frames[kind] = Math.max(told.frames[kind] || 0, frame.scrollWidth - frame.clientWidth);
}
told.trees = [...new Set([...document.querySelectorAll("#trees .frame")].map(
  (frame) => [...frame.children].filter((child) => child.offsetWidth).length))];
const said = document.createElement("pre");
said.id = "told";
said.textContent = JSON.stringify(told);
document.body.append(said);
</script>"""
"""Measures what does not fit into its frame, folds open, and counts the drawings that are seen of each tree."""


def dom(page: str, path: Path, width: int = 1400) -> str:
    """Return the state of a page in a browser."""
    assert BROWSER is not None
    path.write_text(page, "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900", "--dump-dom"]
    profile = f"--user-data-dir={path.parent / 'profile'}"
    done = subprocess.run([BROWSER, *options, profile, path.as_uri()], capture_output=True, timeout=60, check=True)
    return done.stdout.decode()


def tried(page: str, path: Path, width: int) -> dict[str, object]:
    """Use a page as a person would, and return what happened."""
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', WATCH, page)  # which lets no other script run
    found = dom(page.replace("</body>", f"{TELL}</body>"), path, width)
    told = re.search('<pre id="told">(.*?)</pre>', found, re.DOTALL)
    assert told is not None
    result = json.loads(told[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert isinstance(result, dict)
    return result


@in_a_browser
@pytest.mark.parametrize("width", [390, 1040, 1400])
def test_a_person_sorts_opens_and_prints(tmp_path: Path, width: int) -> None:
    told = tried(render(evaluation()), tmp_path / "report.html", width)
    assert told["faults"] == []
    assert (told["before"], told["down"], told["up"]) == (["20", "100", "3"], ["100", "20", "3"], ["3", "20", "100"])
    assert told["sorted"] == ["none", "descending", *["none"] * 4]
    main = {390: ["System", "LAS", "UAS"], 1040: None, 1400: None}[width]
    assert main is None or told["columns"] == main
    assert told["switched"] == ["System", "LAS", "UAS", "MLAS"]
    assert told["names"] == ["a", "b", "dogs"]
    assert told["hidden"] == [True, False, True]
    assert told["expanded"] == "true"
    assert told["marked"] == ["dogs", "end"]
    assert told["heads"] == ["verb1", "verb3"]
    assert told["said"] == "gold: nsubj of “verb1”"
    assert told["folded"] == 0
    assert told["unfolded"] == 2  # as at first: one breakdown, one confusion
    assert told["wide"] == 0  # nothing but tables and trees scrolls sideways, in frames of their own
    assert told["fetched"] == 0


@in_a_browser
@pytest.mark.parametrize("width", [390, 1040, 1400])
def test_no_system_is_hidden_and_nothing_slides_sideways(tmp_path: Path, width: int) -> None:
    names = ["treevote", "maltparser-nivreeager", "maltparser-stacklazy", "udpipe", "yaraparser"]
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", render(evaluation(names)))
    found = dom(page.replace("</body>", f"{MEASURE}</body>"), tmp_path / "report.html", width)
    told = re.search('<pre id="told">(.*?)</pre>', found, re.DOTALL)
    assert told is not None
    measured = json.loads(told[1].replace("&gt;", ">"))
    assert measured["page"] == 0
    assert {kind: over for kind, over in measured["frames"].items() if over > 0} == {}
    assert measured["trees"] == [1]


@in_a_browser
def test_hostile_text_is_only_text_in_a_browser(tmp_path: Path) -> None:
    told = tried(render(PAGES["hostile"]), tmp_path / "report.html", 1400)
    assert told["faults"] == []
    assert told["scripts"] == 4  # of the page two, of this test two
    assert told["marked"] == ["<script>alert(1)</script>&\"'␛", "end"]


@in_a_browser
def test_the_policy_lets_the_script_of_the_page_run_and_no_other(tmp_path: Path) -> None:
    page = render(evaluation()).replace("</body>", "<script>document.body.id = 'foreign'</script></body>")
    found = dom(page, tmp_path / "report.html")
    assert "aria-sort" in found
    assert 'id="foreign"' not in found
