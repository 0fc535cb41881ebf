"""Packages of models that read raw text, made of a folder of treebanks: trained, scored on test data, with a card.

``python -m benchmarks.packages TRAIN DEV MODEL`` trains one of them. They are small: the parser of ``--fast``, and for
each tag two taggers instead of four, those whose weights are sparse, for lemmas one of these. The same treebank gives
the same wheel.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import treevote
from benchmarks.measure import run
from benchmarks.systems import TREEVOTE, OtherSystem, System, part, rates, treebank_files
from benchmarks.tables import Table
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.models.text.tagging.classifier import ClassifierTrainer
from treevote.models.text.tagging.tagger import TAGGERS, TaggerTrainer


class Origin(NamedTuple):
    """The treebank of a model: its folder, which may have more behind its name, language, licence (SPDX), makers."""

    folder: str
    language: str
    licence: str
    citation: str


PACKAGED = {
    "el-gdt": Origin("UD_Greek-GDT", "el", "CC-BY-NC-SA-3.0", "Prokopidis & Papageorgiou (2017)"),
    "hu-szeged": Origin("UD_Hungarian-Szeged", "hu", "CC-BY-NC-SA-3.0", "Vincze et al. (2010)"),
    "it-partut": Origin("UD_Italian-ParTUT", "it", "CC-BY-NC-SA-4.0", "Sanguinetti & Bosco (2015)"),
    "sv-lines": Origin("UD_Swedish-LinES", "sv", "CC-BY-NC-SA-4.0", "Ahrenberg (2015)"),
    "cs-fictree": Origin("UD_Czech-FicTree", "cs", "CC-BY-NC-SA-4.0", "Jelínek (2017)"),
    "eu-bdt": Origin("UD_Basque-BDT", "eu", "CC-BY-NC-SA-3.0", "Aranzabe et al. (2015)"),
    "sl-ssj": Origin("UD_Slovenian-SSJ", "sl", "CC-BY-SA-4.0", "Dobrovoljc et al. (2017)"),
    "de-gsd": Origin("UD_German-GSD", "de", "CC-BY-SA-4.0", "McDonald et al. (2013)"),
    "fi-tdt": Origin("UD_Finnish-TDT", "fi", "CC-BY-SA-4.0", "Pyysalo et al. (2015)"),
    "en-ewt": Origin("UD_English-EWT", "en", "CC-BY-SA-4.0", "Silveira et al. (2014)"),
    "pt-bosque": Origin("UD_Portuguese-Bosque", "pt", "CC-BY-SA-4.0", "Rademaker et al. (2017)"),
}
"""Models by name. Their licences allow redistribution with the source named and under the same licence."""

BESIDE = ("hu-szeged", "cs-fictree", "eu-bdt", "sl-ssj", "de-gsd", "fi-tdt")
"""Models beside which UDPipe 1 is trained; tokenizer, tagger and parser take it some 15 minutes on each."""

METRICS = ("Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")

PRUNE = 0.02
"""Share of the largest weight of a tagger below which a weight is dropped. It makes the wheels of English-EWT and
Portuguese-Bosque a fifth smaller; LAS on their development texts was lower by 0.01 and 0.10."""

ROUNDS, REPEAT = 2, 4  # runs of a command of which the quickest counts, and times that the text is parsed over in it


@dataclass(frozen=True)
class Small(System):
    """A small model that reads raw text."""

    def train(self, folder: Path, model: Path) -> list[str]:
        """Return the command that trains it."""
        files = part(folder, "train"), part(folder, "dev"), model
        return [sys.executable, "-m", "benchmarks.packages", *map(str, files)]


def train_small(train: str, dev: str, model: str) -> None:
    """Train a small model."""
    treevote.train(
        train,
        dev,
        output=model,
        preset="fast",
        annotator=AnnotatorTrainer(tagger=TaggerTrainer(taggers={task: _sparse(task) for task in TAGGERS})),
    )


def _sparse(task: str) -> tuple[ClassifierTrainer, ...]:
    """Return the taggers of a task whose loss leaves most weights zero, without the smallest of the others."""
    return tuple(dataclasses.replace(tagger, losses=("margin",), prune=PRUNE) for tagger in TAGGERS[task])


def packages(data: Path, work: Path) -> Mapping[str, Table]:
    """Make the packages, in the folder ``dist``, and measure the models on the text of the test data."""
    rows = []
    for name, origin in PACKAGED.items():
        folder = treebank_files(data, f"{origin.folder}*", work)
        small = Small("small")
        rows.append([f"`{name}`", *_measured(small, folder), _packed(name, origin, small, folder, work / "dist")])
        if name in BESIDE:
            udpipe = OtherSystem("UDPipe 1 from text", ("--from-text",), ("--from-text",))
            size = udpipe.trained(folder)[0].stat().st_size / 1e6
            rows.append([f"UDPipe 1, {folder.name}", *_measured(udpipe, folder), size])
    columns = {"": 0, **dict.fromkeys(METRICS, 2), "training, CPU s": 0, "tokens a CPU s": 0, "MB": 1}
    return {"packages": {"columns": columns, "rows": rows}}


def _measured(system: System, folder: Path) -> list[float]:
    """Return the scores from raw text, processor seconds of the training, and tokens parsed in one such second."""
    model, cpu = system.trained(folder)
    text, repeated, parse = (folder / f"{name}" for name in ("test.txt", "repeated.txt", "parse.conllu"))
    run([*TREEVOTE, "text", str(folder / "test.conllu"), "-o", str(text)])
    repeated.write_bytes(text.read_bytes() * REPEAT)
    run(system.parse(model, text, parse))
    tokens = treevote.read(parse).n_tokens * REPEAT
    seconds = min(run(system.parse(model, repeated, folder / "repeated.conllu")).cpu for _ in range(ROUNDS))
    found = rates(folder / "test.conllu", parse)
    return [*(found[metric] for metric in METRICS), cpu, tokens / seconds]


def _packed(name: str, origin: Origin, system: System, folder: Path, dist: Path) -> float:
    """Make the package of a model that was measured; return the size of its wheel in MB."""
    model, found = system.trained(folder)[0], rates(folder / "test.conllu", folder / "parse.conllu")
    scores = ", ".join(f"{metric} {found[metric]:.2f}" for metric in METRICS)
    stated = {
        "description": "small: one greedy parser, two taggers for each tag",
        "language": origin.language,
        "licence": origin.licence,
        "data": f"{folder.name}, universaldependencies.org",
        "test": f"{folder.name}, test part, from raw text, predicted tags: {scores}",
        "citation": origin.citation,
    }
    card = folder / "card.toml"
    card.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in stated.items()), "utf-8")
    words = ("--name", name, "--licence", origin.licence, "--card", str(card), "-o", str(dist))
    wheel = Path(run([*TREEVOTE, "package", str(model), *words]).output.splitlines()[0].rpartition("  ")[0])
    return wheel.stat().st_size / 1e6


if __name__ == "__main__":
    train_small(*sys.argv[1:])
