"""Ablation of the neural member: what each of its parts gives, by development LAS, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.measure import run
from benchmarks.systems import System, scores, treebank_files
from benchmarks.tables import Table

ABLATED = ("UD_Finnish-TDT_resplit", "UD_German-GSD_resplit", "UD_Hungarian-Szeged")
"""Folders of the treebanks."""

PARTS = {
    "`biaffine`": "",
    "another seed": "seed",
    "one layer of LSTM": "layers = 1",
    "half the passes": "passes = 12",
    "without letters": "letter_size = 1\nfilters = 1",
    "without lemmas": 'attributes = ["lower", "upos", "xpos"]',
    "no dropout": "dropout = 0.0",
    "no dropout of words": "word_dropout = 0.0",
}
"""Settings of the member by what is changed."""


@dataclass(frozen=True)
class Changed(System):
    """The neural member alone, with a change of its settings. It is measured on the development data, not on folds."""

    change: str = ""

    def train(self, folder: Path, model: Path) -> list[str]:
        """Return the command that trains it."""
        file = model.with_suffix(".toml")
        change = "" if self.change == "seed" else self.change
        file.write_text(f"members = ['biaffine']\nfolds = 0\n[member.biaffine]\n{change}\n", "utf-8")
        command = [part for part in super().train(folder, model) if part not in ("--dev", str(folder / "dev.conllu"))]
        return [*command, "--config", str(file), *(("--seed", "1") if self.change == "seed" else ())]


def ablation(data: Path, work: Path) -> dict[str, Table]:
    """Measure the member with each change on each treebank."""
    folders = [treebank_files(data, own, work) for own in ABLATED]
    rows: list[list[str | float]] = []
    for name, change in PARTS.items():
        las, trained, parsed = [], [], []
        for folder in folders:
            system = Changed(f"network {name}", change=change)
            model, cpu = system.trained(folder)
            dev, parse = folder / "dev.conllu", folder / "parse.conllu"
            parsed.append(run(system.parse(model, dev, parse)).cpu)
            las.append(scores(dev, parse)[0])
            trained.append(cpu)
        rows.append([name, *las, float(np.mean(las)), float(np.sum(trained)), float(np.sum(parsed))])
    names = [own.removeprefix("UD_").partition("_")[0] for own in ABLATED]
    columns = {"": 0, **dict.fromkeys(names, 2), "mean": 2, "training, CPU s": 0, "parse, CPU s": 1}
    return {"ablation": {"columns": columns, "rows": rows}}
