"""The report in a real browser: what a person sees and uses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.report.invented import PAGES, evaluation
from treevote.report.page import render

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
