"""Hostile strings in every output: nothing is injected, nothing controls the terminal, everything comes back."""

from __future__ import annotations

import csv
import functools
import io
import json
import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from random import Random

from tests.campaigns.bench import Bench
from tests.campaigns.campaign import Fault, Material, settings, with_settings
from tests.command_line import invoke
from treevote.commands.show import show
from treevote.conll.reader import read
from treevote.ensemble.parser import save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import TreevoteError
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.results import Evaluation
from treevote.models.parsers.decision_list.parser import DecisionListTrainer
from treevote.report.drawings import as_svg, as_text
from treevote.report.evaluation import as_csv, as_json
from treevote.report.page import render, write_report

compared = functools.partial(show, sentences=None, id=None, sort="file", differing=False, worst=None, format="conllu")

HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "' onmouseover='x",
    "</title>", "</style><style>*{display:none}", "</script><script>x()", "<!--", "-->", "]]>", "<![CDATA[",
    "&lt;b&gt;", "&#x3c;", "&", "javascript:alert(1)", "\x1b[31mred", "\x1b]0;title\x07", "\x1bc", "\x9b31m",
    "\x85", "\x07", "\x08\x08", "\x7f", "\x00", "\u202eevil", "\u2066", "\u200f", "\ufeff", "\u2028", "\u2029",
    "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", '"', "'", '""', ",", ";", "a,b", "`id`", "$(id)", "${x}",
    "{0}", "%s%n", "{}", "\\", "\\n", "../../x", "[red]x[/red]", "[/]", "[link=x]y", "**b**", "|x|", "<b", "é" * 40,
    "\u0301" * 60, "漢字", "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "x" * 10_000, "_", "nan",
    "-0", "1e9", "\ufffe", "\uffff", "\U000e0001", "\u3164", "\x0b", "\x0c", "\x1c", "\x1d", "\xa0",
    "<a href=javascript:x>y</a>",
)  # fmt: skip
"""Forms, lemmas, tags, labels, comments; in names of files also what is no UTF-8."""

NAMES = ("\udcff", "\udc80<b>", "\n", "\r", "\t", "=x.conllu", "+x", "-x", "@x", " ", "x" * 200)
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|inf", re.IGNORECASE)


class Strings:
    """Treebanks of hostile strings go through all that prints or draws, and so do harmless twins of them."""

    limit = 60.0
    memory: int | None = None

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def make(self, rng: Random) -> Material:
        gold, system, twin, system_twin = texts(rng)
        names = [re.sub("[/\x00]", "%", rng.choice((*HOSTILE, *NAMES)))[:60] + str(i) for i in range(2)]
        material: Material = {"gold": gold, "system": system, "twin": twin, "system-twin": system_twin}
        return with_settings(
            material, names=names, what=rng.choice(("page", "page", "show", "error", "error", "rules"))
        )

    def check(self, material: Material) -> list[Fault]:
        asked = settings(material)
        folder = self.bench.scratch / "strings"
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        gold, system = (folder / name for name in asked["names"])
        gold.write_bytes(material["gold"])
        system.write_bytes(material["system"])
        twins = folder / "twin", folder / "system-twin"
        for path in twins:
            path.write_bytes(material[path.name])
        match asked["what"]:
            case "page":
                return pages(gold, system, *twins)
            case "show":
                return drawings(gold, system, *twins)
            case "rules":
                return self.rules(gold)
            case _:
                return messages(gold, system)

    def rules(self, gold: Path) -> list[Fault]:
        """Train on hostile labels; inspect, explain and parse."""
        model = self.bench.scratch / "model"
        try:
            trainer = EnsembleTrainer({"rules": DecisionListTrainer(folds=1, weights=(1,), min_gain=1)})
            save(trainer.train(read(gold, format="conllu")), model)
        except TreevoteError:
            return []
        faults = []
        for arguments in (
            ("inspect", model),
            ("inspect", model, "--rules"),
            ("explain", model, gold),
            ("parse", model, gold),
        ):
            output, error = command(arguments)
            if arguments[0] != "parse":
                faults += printed(output, f"{' '.join(map(str, arguments[:1]))} prints")
            faults += printed(error, f"{arguments[0]} says")
        output, _ = command(("inspect", model, "--json"))
        if json.loads(output)["training"]["name"] != gold.name:
            faults.append(Fault("lost", "inspect --json gives the name back", output[:500]))
        return faults


def texts(rng: Random) -> tuple[bytes, bytes, bytes, bytes]:
    """Return gold and system of hostile strings, and of harmless ones in their places."""
    hostile = [rng.choice(HOSTILE) for _ in range(8)]
    twin = {word: f"w{i}" + ":x" * (":" in word) for i, word in enumerate(dict.fromkeys(hostile))}
    rows: list[list[list[str]]] = [[], []]
    for number in range(rng.choice((1, 2, 4))):
        n = rng.randrange(1, 6)
        comment = f"# sent_id = {rng.choice(hostile)}{number}"
        for side in rows:
            side.append([comment])
        for i in range(1, n + 1):
            columns = [str(i), *(rng.choice(hostile) for _ in range(4)), "_", str(i - 1), rng.choice(hostile), "_", "_"]
            other = [*columns[:6], str(rng.choice([h for h in range(n + 1) if h != i])), rng.choice(hostile), "_", "_"]
            rows[0].append(columns)
            rows[1].append(other if rng.random() < 0.5 else columns)
        for side in rows:
            side.append([""])
    both = ["\n".join("\t".join(row) for row in side) + "\n" for side in rows]
    harmless = [
        "\n".join("\t".join(twin.get(column, column) for column in row) for row in side) + "\n" for side in rows
    ]
    gold, system, *others = (text.encode() for text in (*both, *harmless))
    return gold, system, others[0], others[1]


def pages(gold: Path, system: Path, *twins: Path) -> list[Fault]:
    """Evaluate; the page has the elements of its twin's, JSON and CSV give everything back."""
    try:
        evaluation = evaluation_of(gold, system)
    except TreevoteError as error:
        return [] if "\n" not in " ".join(str(error).split()) else [Fault("difference", "one line", str(error))]
    faults: list[Fault] = []
    page, expected = (elements(render(found)) for found in (evaluation, evaluation_of(*twins)))
    if page != expected:
        faults.append(
            Fault("difference", "a page has the elements of its twin", f"{page - expected} {expected - page}")
        )
    report = gold.parent / "report.html"
    write_report(evaluation, report)
    report.read_text("utf-8")
    loaded = json.loads(as_json(evaluation))
    if [one["name"] for one in loaded["systems"]] != [gold.name, system.name]:
        faults.append(Fault("lost", "JSON gives the names back", repr(loaded["systems"])[:500]))
    table = list(csv.reader(io.StringIO(as_csv(evaluation), newline="")))
    if len({len(row) for row in table}) != 1:
        faults.append(Fault("lost", "all rows of the CSV have the same length", repr(table)[:500]))
    for cell in (cell for row in table for cell in row):
        if cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _NUMBER.fullmatch(cell):
            faults.append(Fault("difference", "no cell of the CSV is a formula", cell[:200]))
            break
    output, said = command(("evaluate", gold, system, system))
    return [*faults, *printed(output, "evaluate prints"), *printed(said, "evaluate says")]


def evaluation_of(gold: Path, system: Path) -> Evaluation:
    """Evaluate the gold file and a system with little sampling."""
    trees = read(gold, format="conllu")
    systems = {path.name: read(path, format="conllu", trees="optional") for path in (gold, system)}
    return evaluate_systems(trees, systems, samples=10, permutations=10)


def drawings(gold: Path, system: Path, *twins: Path) -> list[Fault]:
    """Draw trees for the terminal and as SVG."""
    try:
        chosen = compared(gold, against=system)
        harmless = compared(twins[0], against=twins[1])
    except TreevoteError:
        return []
    faults = printed(as_text(chosen), "show prints") + printed(as_text(chosen, 20), "show prints")
    root, twin = (ElementTree.fromstring(as_svg(those)) for those in (chosen, harmless))
    found, expected = (Counter(element.tag for element in those.iter()) for those in (root, twin))
    if found.keys() != expected.keys() or any("script" in tag.lower() for tag in found):
        faults.append(Fault("difference", "an SVG has the elements of its twin", f"{found - expected}"))
    if any(name.lower().startswith("on") for element in root.iter() for name in element.attrib):
        faults.append(Fault("difference", "an SVG has no handlers", ""))
    return faults


def messages(gold: Path, system: Path) -> list[Fault]:
    """Make commands fail on hostile content and names."""
    faults = []
    text = gold.read_bytes()
    missing = gold.parent / (gold.name + "-missing")
    tried: list[tuple[bytes, tuple[object, ...]]] = [
        (text, ("show", missing)),
        (text, ("inspect", gold)),
        (text, ("show", gold, "--sent-id", gold.name)),
        (text, ("show", gold, "--sentence", gold.name)),
        (text, ("parse", gold, gold)),
        (text, ("vote", gold, system, "-o", missing / "x")),
        (text, ("study", gold.name, gold)),
        (text, ("train", "--train", gold, "--members", gold.name, "-o", missing)),
        (text.replace(b"\t_\t_\n", b"\t_\n", 1), ("show", gold)),
        (text.replace(b"\n1\t", b"\n" + gold.name.encode("utf-8", "surrogateescape") + b"\t", 1), ("show", gold)),
        (text.replace(b"\t0\t", b"\t\x1b[2J\t", 1), ("evaluate", gold, gold)),
        (text + b"\n1\ta\n", ("evaluate", gold, system)),
    ]
    for content, arguments in tried:
        gold.write_bytes(content)
        _, error = command(arguments)
        faults += printed(error, f"{arguments[0]} says")
        if error.count("\n") > 1 and "Usage" not in error:
            faults.append(Fault("difference", f"{arguments[0]} says one sentence", repr(error)[:500]))
    return faults


def command(arguments: tuple[object, ...]) -> tuple[str, str]:
    """Run a command in this process; return what it wrote. An exception of another kind is raised."""
    result = invoke(*arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout_bytes.decode("utf-8", "surrogateescape"), result.stderr_bytes.decode(
        "utf-8", "surrogateescape"
    )


def printed(text: str, law: str) -> list[Fault]:
    """Return whether a text for people controls the terminal."""
    found = _CONTROL.search(text)
    if found is None:
        return []
    around = text[max(0, found.start() - 60) : found.end() + 60]
    name = unicodedata.category(found[0])
    return [Fault("difference", f"{law} no control characters but line feeds ({name})", repr(around))]


class _Elements(HTMLParser):
    """Counts elements with the names of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag, tuple(sorted(name for name, _ in attrs))] += 1


def elements(page: str) -> Counter[tuple[str, tuple[str, ...]]]:
    """Return the elements of a page; of drawings and quotations only which there are, for words are of any width."""
    parser = _Elements()
    parser.feed(page)
    parser.close()
    return Counter(dict.fromkeys(parser.found, 1))
