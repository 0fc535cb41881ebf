"""Trade-offs: the accuracy of members and presets against their speed, memory and time of training."""

from __future__ import annotations

import itertools
import json
import re
from html import escape
from math import log10
from pathlib import Path

import numpy as np

from benchmarks.measure import Run, run
from benchmarks.systems import VOTE, WITH_NETWORK, System, scores, short, size, systems, treebank_files
from benchmarks.tables import ROOT, Table

TRADED = ("UD_Dutch-LassySmall_resplit", "UD_Greek-GDT", "UD_Slovenian-SSJ_resplit")  # folders of the treebanks

SYSTEMS = (*systems()[1:], System("neural", ("--members", "biaffine")), WITH_NETWORK)

ROUNDS, REPEAT = 3, 8
"""Runs of each parse, of which the one of least processor time counts; times that a test file is repeated."""

PICTURE = ROOT / "docs" / "trade-offs.svg"  # the picture of the documentation
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 60, 150, 20, 50  # size of the picture and its margins, in pixels
LINE = 14  # height of a line of text, in pixels


def trade_offs(data: Path, work: Path) -> dict[str, Table]:
    """Measure all systems on each treebank, all in turn."""
    rows: list[list[str | float]] = []
    for own in TRADED:
        folder = treebank_files(data, own, work)
        test, repeated = folder / "test.conllu", folder / "repeated.conllu"
        repeated.write_bytes(test.read_bytes() * REPEAT)
        n_tokens = len(re.findall(rb"(?m)^[0-9]+\t", test.read_bytes()))
        models = {system: system.trained(folder)[0] for system in SYSTEMS}
        parse = folder / "parse.conllu"
        parses: dict[tuple[System, Path], list[Run]] = {}
        las = {}
        for _, system, text in itertools.product(range(ROUNDS), SYSTEMS, (test, repeated)):
            parses.setdefault((system, text), []).append(run(system.parse(models[system], text, parse)))
            if text is test:
                las[system] = scores(test, parse)[0]
        for system, model in models.items():
            once, often = (min(one.cpu for one in parses[system, text]) for text in (test, repeated))
            speed = (REPEAT - 1) * n_tokens / (often - once)  # the start of the process is in both
            peak = max(one.peak for one in parses[system, repeated])
            cost = json.loads(model.with_name(f"{model.name}.cost.json").read_text())
            costs = speed, peak, cost["cpu"], cost["peak"], size(model) / 1e6
            rows.append([short(own), system.name, las[system], *costs])
    columns = {"": 0, "system": 0, "LAS": 2, "tokens a CPU s": 0, "parse, MiB": 0, "training, CPU s": 0}
    return {"trade-offs": {"columns": {**columns, "training, MiB": 0, "model, MB": 1}, "rows": rows}}


def picture(table: Table) -> str:
    """Draw the means over treebanks as SVG: LAS beside that of the default vote, over the speed by its logarithm."""
    names = list(dict.fromkeys(row[1] for row in table["rows"]))
    las, speed = (np.array([[row[k] for row in table["rows"] if row[1] == name] for name in names]) for k in (2, 3))
    x, y = np.log10(speed).mean(1), (las - las[names.index(VOTE.name)]).mean(1)
    low, high = np.floor(10 * x.min()) / 10, np.ceil(10 * x.max()) / 10
    least, most = int(np.floor(y.min())), int(np.ceil(y.max()))

    def across(value: float) -> float:
        return float(LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT))

    def down(value: float) -> float:
        return HEIGHT - BOTTOM - (value - least) / (most - least) * (HEIGHT - TOP - BOTTOM)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12" role="img">',
        "<title>LAS and speed of members and presets</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="{HEIGHT - 10}">tokens a processor second; LAS beside the default vote</text>',
    ]
    for gain in range(least, most + 1):
        lines.append(f'<path d="M{LEFT} {down(gain):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        title = f"{gain:+d}" if gain else "0"
        lines.append(f'<text x="{LEFT - 8}" y="{down(gain) + 4:.1f}" text-anchor="end">{title}</text>')
    for value in (n * 10**k for k in range(2, 7) for n in (1, 2, 5)):
        if low <= log10(value) <= high:
            at = across(log10(value))
            lines.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
            lines.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{value:,}</text>')
    label = 0.0
    for i in np.argsort(-y, kind="stable").tolist():
        left, top = across(x[i]), down(y[i])
        label = max(top + 4, label + LINE)  # no two names in one line
        lines.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="4" fill="#1f4e9c"/>')
        lines.append(f'<text x="{left + 8:.1f}" y="{label:.1f}">{escape(names[i])}</text>')
    return "\n".join([*lines, "</svg>", ""])
