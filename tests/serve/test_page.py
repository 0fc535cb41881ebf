"""The page in a browser without a window: paste, parse, fix an arc, take it back, compare, download; nothing else."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run
from tests.serve.test_process import serving
from tests.serve.test_udpipe import GOLD
from treevote.serve.votes import MAX_LENGTH

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
REFUSED = "the server responded with a status of 400"
HOSTILE = (
    "the <script>alert(1)</script> dog saw \u202ecats\u202c \x1b[31mred <b>big</b> & <img src=x onerror=alert(2)> ."
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=BROWSER)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def address(text_model: Path, tagged_model: Path) -> Iterator[str]:
    with serving(text_model, f"adapted={text_model}", f"alone={tagged_model}") as (_, address):
        yield address


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """Yield the page; fail at an error of a script, or a request to elsewhere."""
    page = browser.new_page(viewport={"width": 390, "height": 844}, accept_downloads=True)
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on(
        "console", lambda said: faults.append(said.text) if said.type != "log" and REFUSED not in said.text else None
    )
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.on("request", lambda request: faults.append(request.url) if not _is_own(request.url, address) else None)
    page.goto(f"{address}/")
    page.wait_for_selector("#model option", state="attached")
    yield page
    assert faults == []
    page.close()


def _is_own(url: str, address: str) -> bool:
    return url.startswith((f"{address}/", f"blob:{address}/", "data:"))


def parse(page: Any, text: str) -> None:
    page.fill("#text", text)
    page.press("#text", "Control+Enter")
    page.wait_for_selector("#vote svg")
    expect(page, "#status").to_contain_text("parsed by")


def expect(page: Any, selector: str) -> Any:
    """Return what is to be expected of an element, soon."""
    return playwright.expect(page.locator(selector))


def heads(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all("#words select", "all => all.map(one => one.value)")
    return found


def choose(page: Any, word: int, head: int) -> None:
    """Choose a head in the table; its list is filled when it is used."""
    field = f"#words tr:nth-child({word}) select"
    page.focus(field)
    page.select_option(field, str(head))


def settled(page: Any, sign: str) -> None:
    expect(page, "#status").to_contain_text(sign)
    expect(page, "body").not_to_have_attribute("aria-busy", "true")


def saved(page: Any, button: str) -> str:
    with page.expect_download() as download:
        page.click(button)
    return Path(download.value.path()).read_text("utf-8")


def test_a_pasted_text_is_parsed_fixed_and_taken_back(page: Any, text_model: Path) -> None:
    text = "The old dog saw cats near the tree. The cat liked the fish."
    parse(page, text)
    assert page.locator("#list tr").count() == 2
    assert page.locator("#vote [data-word]").count() == len(heads(page))
    assert page.locator("#members svg").count() == 2
    whole = run("parse", text_model, "-", "--format", "text", stdin=text.encode())
    assert saved(page, "#save") == whole
    page.select_option("#order", "text")
    page.click("#list button >> nth=0")
    page.wait_for_selector('#vote [data-word="9"]')
    before = heads(page)
    assert before[4] == "4"
    page.locator('#vote [data-word="5"]').click()
    assert "Choose the head" in page.inner_text("#hint")
    page.locator('#vote [data-word="8"]').click()
    settled(page, "Parsed again")
    assert heads(page)[4] == "8"
    assert page.locator("#words tr.given").count() == 1
    fixed = saved(page, "#save")
    assert re.findall(r"(?m)^5\t.*", fixed)[0].split("\t")[6] == "8"
    assert re.sub(r"(?m)^(\d+\t.*\t)\d+\t\S+(\t\S+\t\S+)$", r"\1\2", fixed) == re.sub(
        r"(?m)^(\d+\t.*\t)\d+\t\S+(\t\S+\t\S+)$", r"\1\2", whole
    )
    page.keyboard.press("Control+z")
    settled(page, "Taken back")
    assert heads(page) == before
    assert saved(page, "#save") == whole
    picture = saved(page, "#picture")
    assert picture.startswith("<svg ")
    assert ">dog</text>" in picture


def test_a_model_of_one_member_has_no_legend(page: Any) -> None:
    parse(page, "The dog saw cats.")
    expect(page, "#legend").to_be_visible()
    page.select_option("#model", "alone")
    parse(page, GOLD)
    expect(page, "#members").to_have_text("The model has one member: its tree is that of the vote.")
    expect(page, "#legend").to_be_hidden()


def test_the_keyboard_alone_is_enough(page: Any) -> None:
    parse(page, "The old dog saw cats near the tree.")
    page.focus('#vote [data-word="1"]')
    for key in ("ArrowRight", "ArrowRight", "Enter", "End", "Home", "Enter"):
        page.keyboard.press(key)
    settled(page, "Parsed again")
    assert heads(page)[2] == "1"
    expect(page, '#vote [data-word="3"]').to_be_focused()
    page.keyboard.press("r")
    expect(page, "#words tr:nth-child(3) select").to_have_value("0")
    choose(page, 1, 2)
    expect(page, "#words tr.given").to_have_count(2)
    page.click("#undo")
    expect(page, "#words tr.given").to_have_count(1)
    page.focus("#words tr:nth-child(3) input[type=checkbox]")
    page.keyboard.press("Space")
    expect(page, "#words tr.given").to_have_count(0)
    page.keyboard.press("Control+Shift+z")  # takes nothing back
    page.keyboard.press("Control+z")
    settled(page, "Taken back")
    expect(page, "#words tr.given").to_have_count(1)
    assert heads(page)[2] == "0"


@pytest.mark.parametrize(
    ("keys", "status", "n_given"),
    [(("Control+r", "Meta+r", "Alt+ArrowLeft"), "parsed by", 0), (("Enter", "ArrowRight", "r"), "Parsed again", 1)],
    ids=["of the browser", "of the page"],
)
def test_only_the_keys_of_the_page_make_a_root_and_end_the_choice(
    page: Any, keys: tuple[str, ...], status: str, n_given: int
) -> None:
    parse(page, "The old dog saw cats near the tree.")
    page.focus('#vote [data-word="3"]')
    for key in keys:
        page.keyboard.press(key)
    settled(page, status)
    expect(page, '#vote [data-word="3"]').to_be_focused()
    expect(page, "#words tr.given").to_have_count(n_given)
    expect(page, "#vote .chosen").to_have_count(0)


def test_labels_and_tags_are_edited(page: Any) -> None:
    parse(page, "The old dog saw cats.")
    label, tag = (f'#words tr:nth-child(3) [aria-label="{name} of 3 dog"]' for name in ("deprel", "upos"))
    page.fill(label, "strange")
    page.press(label, "Tab")
    settled(page, "Parsed again")
    assert "does not know are kept as they are: strange" in page.inner_text("#status")
    page.fill(tag, "PROPN")
    page.press(tag, "Tab")
    expect(page, "#status").to_contain_text("Parsed again: 0 arcs changed")
    expect(page, "body").not_to_have_attribute("aria-busy", "true")
    assert "3\tdog\tdog\tPROPN\tN\tNumber=Sing\t4\tstrange\t" in saved(page, "#save")


def test_what_no_tree_holds_is_told_and_not_done(page: Any) -> None:
    parse(page, "The old dog saw cats.")
    choose(page, 3, 4)
    settled(page, "Parsed again")
    choose(page, 4, 3)
    page.wait_for_selector("#status.bad")
    assert "cycle" in page.inner_text("#status")
    assert page.locator("#words tr.given").count() == 1


def odd_arcs(text: str) -> list[str]:
    """Return a text whose arcs are not those that the model would find, with labels that it does not know."""
    lines = [line.split("\t") for line in text.splitlines()]
    for columns in lines:
        if len(columns) > 1:
            head = int(columns[0]) - 1
            columns[6:8] = [str(head), "odd" if head else "root"]
    return ["\t".join(columns) for columns in lines]


@pytest.mark.parametrize("other", ["", "adapted"])
def test_given_arcs_stay_when_another_is_fixed_or_released(page: Any, other: str) -> None:
    text = "\n".join([*odd_arcs(GOLD.split("\n\n")[0]), "", ""])
    n = sum(line[:1].isdigit() for line in text.splitlines())
    page.select_option("#other", other)
    page.check("#keep")
    parse(page, text)
    assert saved(page, "#save") == text
    expect(page, "#words tr.given").to_have_count(n)
    if other:
        assert page.locator("#members h3").first.inner_text() == "adapted, its vote: the same tree"
    choose(page, n, 1)
    settled(page, "Parsed again: 1 arc changed")
    assert heads(page) == [*map(str, range(n - 1)), "1"]
    page.uncheck(f"#words tr:nth-child({n}) input[type=checkbox]")
    expect(page, "#words tr.given").to_have_count(n - 1)
    settled(page, "Parsed again")
    assert heads(page)[: n - 1] == [*map(str, range(n - 1))]


CHOOSE = """
const choose = (word, head) => {
  const field = document.querySelector(`#words tr:nth-child(${word}) select`);
  field.focus();
  field.value = head;
  field.dispatchEvent(new Event("change"));
};"""
SUBMIT = "document.querySelector('#form').requestSubmit();"


def test_two_edits_at_once_are_both_done(page: Any) -> None:
    parse(page, "The old dog saw cats near the tree.")
    page.evaluate(f"() => {{ {CHOOSE} choose(1, 2); choose(3, 5); }}")
    settled(page, "2 words fixed")
    found = heads(page)
    assert (found[0], found[2]) == ("2", "5")
    page.click("#undo")
    settled(page, "Taken back")
    found = heads(page)
    assert found[0] == "2"
    expect(page, "#words tr.given").to_have_count(1)


LATE = """() => {
  const own = window.fetch;
  window.fetch = async (...request) => {
    const answer = await own(...request);
    if (request[0] === "parse" && !window.late) {
      window.late = true;
      await new Promise(resolve => setTimeout(resolve, 500));
      document.body.dataset.ended = true;
    }
    return answer;
  };
}"""


def test_an_edit_of_a_text_that_was_replaced_is_dropped(page: Any, text_model: Path) -> None:
    text = "The cat liked the fish."
    parse(page, "The old dog saw cats near the tree.")
    page.evaluate(LATE)
    page.fill("#text", text)
    page.evaluate(f"() => {{ {CHOOSE} choose(1, 2); {SUBMIT} }}")
    page.wait_for_selector("body[data-ended]")
    page.wait_for_timeout(500)  # in which the edit would be done
    settled(page, "parsed by")
    assert saved(page, "#save") == run("parse", text_model, "-", "--format", "text", stdin=text.encode())
    page.evaluate("window.late = false")
    page.fill("#text", "Dogs saw fish.")
    page.evaluate(f"() => {{ {CHOOSE} {SUBMIT} choose(1, 2); }}")
    settled(page, "1 sentence, 4 words, parsed by")
    assert page.locator("#words tr.given").count() == 0


def test_a_tree_that_cannot_be_drawn_leaves_no_other_one(page: Any) -> None:
    parse(page, "The old dog saw cats.")
    page.route("**/draw", lambda route: route.fulfill(status=400, body="Cannot draw: too many words."))
    page.fill("#text", "The cat liked the fish.")
    page.click("#form button")
    settled(page, "parsed by")
    assert page.input_value('#words [aria-label="lemma of 2 cat"]') == "cat"
    assert page.locator("#vote svg, #members svg").count() == 0
    assert "could not be drawn; the table below has its arcs. Cannot draw: too many" in page.inner_text("#vote")
    expect(page, "#legend").to_be_hidden()


def test_the_heads_are_listed_when_one_is_chosen(page: Any) -> None:
    parse(page, "The old dog saw cats near the tree.")
    n = len(heads(page))
    assert page.locator("#words option").count() == n
    page.focus("#words tr:nth-child(2) select")
    assert page.locator("#words option").count() == n - 1 + n + 1
    assert page.locator("#words tr:nth-child(2) option:disabled").inner_text() == "2 old"


def test_previous_and_next_end_where_the_order_does(page: Any) -> None:
    parse(page, "The dog saw cats. The old dog saw cats near the tree with the fish. Dogs saw fish.")
    for i in range(3):
        for order in ("text", "doubt"):
            page.select_option("#order", order)
            if order == "text":
                page.click(f"#list button >> nth={i}")
            listed = page.eval_on_selector_all("#list button", "all => all.map(one => one.ariaCurrent)")
            ends = [page.is_enabled(f"#{name}") for name in ("previous", "next")]
            assert ends == [listed[0] is None, listed[-1] is None]


def test_a_long_text_is_compared_in_parts(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or "") if "/parse" in request.url else None)
    page.select_option("#other", "adapted")
    parse(page, "The old dog saw cats near the tree. " * 400)
    settled(page, "400 sentences")
    compared = [len(request) for request in asked if '"model":"adapted"' in request]
    assert len(compared) > 1
    assert max(compared) < MAX_LENGTH / 4
    assert page.inner_text("#c-differ").lower() == "≠ adapted"
    assert page.locator("#list td:nth-child(4)").all_inner_texts() == ["0"] * 400


def test_a_text_that_cannot_be_compared_is_shown(page: Any) -> None:
    def refused(route: Any) -> None:
        if route.request.post_data_json["model"] == "adapted":
            route.fulfill(status=400, body="Too much.")
        else:
            route.continue_()

    page.route("**/parse", refused)
    page.select_option("#other", "adapted")
    parse(page, "The old dog saw cats.")
    settled(page, "parsed by toy-text-250101. Not compared with adapted: Too much.")
    assert page.inner_text("#c-differ").lower() == "differ"
    page.unroute("**/parse")
    parse(page, "The old dog saw cats.")
    page.route("**/parse", refused)
    choose(page, 1, 2)
    settled(page, "Not compared with adapted: Too much.")
    assert heads(page)[0] == "2"
    assert page.inner_text("#list td:nth-child(4)") == "–"


def test_a_file_that_is_too_long_or_not_in_utf8_is_told(page: Any) -> None:
    page.fill("#text", "before")
    for content, sign, found in (
        (b"x" * (MAX_LENGTH + 1), "at most 512 KiB", "before"),
        ("The café.".encode("latin-1"), "cannot be read as UTF-8", "before"),
        ("The café.".encode(), "parsed by", "The café."),
    ):
        page.set_input_files("#file", {"name": "a.txt", "mimeType": "text/plain", "buffer": content})
        settled(page, sign)
        assert page.input_value("#text") == found
        assert page.input_value("#file") == ""  # so that the same file can be opened again


def test_hostile_text_is_text(page: Any) -> None:
    parse(page, HOSTILE)
    assert page.locator("#list script, #words script, #vote script, #words b, #members img").count() == 0
    shown = page.inner_text("#sentence")
    assert "<script>alert(1)</script>" in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    columns = "1\t<b>x</b>\t_\t" + "<i>NOUN</i>\t_\t_\t0\t\u202eroot<script>\t_\t_\n\n"
    page.check("#keep")
    parse(page, f"# text = one\u2028line\n{columns}")
    assert page.inner_text("#sentence") == "one<2028>line"
    parse(page, columns)
    assert page.locator("#vote b, #vote i, #members script").count() == 0
    assert saved(page, "#save") == columns


def test_two_models_are_compared_and_conllu_is_read(page: Any) -> None:
    page.select_option("#other", "adapted")
    parse(page, GOLD)
    assert page.inner_text("#c-differ").lower() == "≠ adapted"
    assert page.locator("#members h3").first.inner_text().startswith("adapted, its vote: the same tree")
    page.fill("#text", "1\tx\n\n")
    page.click("#form button")
    page.wait_for_selector("#status.bad")
    assert "expected 10 columns" in page.inner_text("#status")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_telephone(browser: Any, address: str, scheme: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page.goto(f"{address}/")
    page.wait_for_selector("#model option", state="attached")
    parse(page, "The old dog saw the big cat near the old tree today near the fish near the cats. " + "x" * 300)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.check("#keep")
    parse(page, GOLD.replace("\tdet\t", f"\tdet:{'x' * 60}\t"))  # a difference from the members, told in words
    expect(page, ".different >> nth=0").to_contain_text("det:xxx")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    unnamed = "all => all.filter(one => !one.labels?.length && !one.ariaLabel && !one.textContent.trim()).length"
    assert page.eval_on_selector_all("input, select, textarea, button", unnamed) == 0
    assert page.locator("main, header, footer, [role=status], h1").count() == 5
    page.close()
