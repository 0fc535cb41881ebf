"""The neural member: what it gives to votes with tags and without, what it costs, and what its parts give."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.measure import run
from benchmarks.systems import (
    BEST,
    VOTE,
    WITH_NETWORK,
    WITHOUT_TAGS,
    System,
    answer,
    part,
    rates,
    sentences_of,
    short,
    size,
    treebank_files,
    write_sentences,
)
from benchmarks.tables import Table

NETWORKED = (
    *("UD_Arabic-PADT_v1.3_resplit", "UD_Basque-BDT_resplit", "UD_Czech-FicTree_resplit"),
    *("UD_Dutch-LassySmall_resplit", "UD_English-EWT", "UD_Finnish-TDT_resplit", "UD_German-GSD_resplit"),
    *("UD_Gothic-PROIEL", "UD_Greek-GDT", "UD_Hindi-HDTB_v1.2_resplit", "UD_Hungarian-Szeged"),
    *("UD_Japanese-GSD-PUD_resplit", "UD_Persian-PerDT_resplit", "UD_Slovenian-SSJ_resplit"),
    *("basque-3lb", "spanish-cast3lb"),
)
"""Folders of the treebanks on which the vote is measured with the member ``biaffine``, and ``--best``."""

DEV_SHARE = 10  # where there is no development data, every tenth sentence of the training data is held out for it

UNTAGGED = (
    *("UD_Basque-BDT_resplit", "UD_Czech-FicTree_resplit", "UD_Dutch-LassySmall_resplit", "UD_Finnish-TDT_resplit"),
    *("UD_German-GSD_resplit", "UD_Gothic-PROIEL", "UD_Greek-GDT", "UD_Hungarian-Szeged"),
    "UD_Slovenian-SSJ_resplit",
)
"""Folders of the treebanks on which ``--best`` is measured without tags, and from running text."""

UNSPACED = ("UD_Gothic-PROIEL",)  # treebanks without spaces and punctuation, on which no tokenizer is trained

TAG_METRICS = ("UPOS", "UFeats", "AllTags", "Lemmas", "LAS")

ABLATED = ("UD_Finnish-TDT_resplit", "UD_German-GSD_resplit", "UD_Hungarian-Szeged")  # folders of the treebanks

PARTS = {
    "`biaffine`": "",
    "another seed": "seed",
    "one layer of LSTM": "layers = 1",
    "half the passes": "passes = 12",
    "twice the passes": "passes = 50",
    "without letters": "letter_size = 1\nfilters = 1",
    "without lemmas": 'attributes = ["lower", "upos", "xpos"]',
    "no dropout": "dropout = 0.0",
    "no dropout of words": "word_dropout = 0.0",
}
"""Settings of the member by what is changed; of letters and filters one is left."""


def network(data: Path, work: Path) -> dict[str, Table]:
    """Measure the default vote without and with the member ``biaffine``, and ``--best``: test LAS, and the cost."""
    las: dict[str, list[float]] = {}
    costs: dict[str, list[float]] = {}
    for own in NETWORKED:
        folder = _with_dev(treebank_files(data, own, work))
        systems = VOTE, WITH_NETWORK, BEST
        models, trained = zip(*(system.trained(folder) for system in systems), strict=True)
        test, name = part(folder, "test"), short(own)
        alone, *_ = WITH_NETWORK.scores(models[1], test, "--member", "biaffine")
        measured = [system.scores(model, test) for system, model in zip(systems, models, strict=True)]
        of_votes, _, seconds = zip(*measured, strict=True)
        las[name] = [alone, *of_votes, of_votes[2] - of_votes[0]]
        costs[name] = [*trained, *(one / seconds[0] for one in seconds[1:]), *(size(model) / 1e6 for model in models)]
    gain = {"network": 2, "default vote": 2, "with it": 2, "`--best`": 2, "gain of `--best`": 2}
    training = {"training, CPU s": 0, "with it, CPU s": 0, "`--best`, CPU s": 0}
    cost = {**training, "parse, with it": 2, "parse, `--best`": 2, "MB": 1, "with it, MB": 1, "`--best`, MB": 1}
    return {"network": _with_mean(gain, las), "network-cost": _with_mean(cost, costs)}


def _with_mean(columns: Mapping[str, int], rows: Mapping[str, list[float]]) -> Table:
    """Return a table of treebanks with the means of its columns at the end."""
    mean = np.mean(list(rows.values()), axis=0).tolist()
    return {"columns": {"": 0, **columns}, "rows": [*([name, *row] for name, row in rows.items()), ["mean", *mean]]}


def _with_dev(folder: Path) -> Path:
    """Return a folder with development data: this one, or one of its own with a share of the training data."""
    if any(folder.glob("dev.conll*")):
        return folder
    (own := folder / "with-dev").mkdir(exist_ok=True)
    train = part(folder, "train")
    sentences = sentences_of(train)
    write_sentences(own / train.name, [one for i, one in enumerate(sentences) if i % DEV_SHARE])
    write_sentences(own / train.with_stem("dev").name, sentences[::DEV_SHARE])
    shutil.copy(part(folder, "test"), own)
    return own


def best_text(data: Path, work: Path) -> dict[str, Table]:
    """Measure ``--best`` beside the default on gold tokens without tags, and on running text; and what it costs."""
    rows: list[list[str | float]] = []
    for own in UNTAGGED:
        folder = treebank_files(data, own, work)
        test, parse = folder / "test.conllu", folder / "parse.conllu"
        for title, options in (("default", ()), ("`--best`", ("--best",))):
            settings = ("--from-tokens" if own in UNSPACED else "--from-text", *options)
            system = System(f"text {title.strip('`-')}", settings, WITHOUT_TAGS)
            model, cpu = system.trained(folder)
            seconds = run(system.parse(model, test, parse)).cpu
            tokens = rates(test, parse)
            text = None if own in UNSPACED else answer("cascade", model, test)["stages"]["raw text"]
            given = (tokens[metric] for metric in TAG_METRICS)
            rows.append([short(own), title, *given, "–" if text is None else text["LAS"], cpu, seconds])
    for title in "default", "`--best`":
        values = zip(*(row[2:] for row in rows if row[1] == title), strict=True)
        rows.append(["mean", title, *(float(np.mean([v for v in column if v != "–"])) for column in values)])
    columns = {"": 0, "system": 0, **dict.fromkeys(TAG_METRICS, 2), "LAS, raw text": 2}
    return {"best-text": {"columns": {**columns, "training, CPU s": 0, "parse, CPU s": 1}, "rows": rows}}


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
        measured = []
        for folder in folders:
            system = Changed(f"network {name}", change=change)
            model, cpu = system.trained(folder)
            score, _, seconds = system.scores(model, folder / "dev.conllu")
            measured.append((score, cpu, seconds))
        las, trained, parsed = zip(*measured, strict=True)
        rows.append([name, *las, float(np.mean(las)), float(np.sum(trained)), float(np.sum(parsed))])
    columns = {"": 0, **dict.fromkeys(map(short, ABLATED), 2), "mean": 2, "training, CPU s": 0, "parse, CPU s": 1}
    return {"ablation": {"columns": columns, "rows": rows}}
