"""The systems: how each is trained, how it parses a file, and what all of them cost side by side."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import run
from benchmarks.tables import Table
from treevote.files.streams import opened, writing

TREEVOTE = (sys.executable, "-m", "treevote")


@dataclass(frozen=True)
class System:
    """A parser with its model.

    Attributes
    ----------
    name : str
    settings : tuple of str
        Options of its training, as of ``treevote train``.
    reading : tuple of str
        Options of its parses, as of ``treevote parse``.
    """

    name: str
    settings: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()

    def train(self, folder: Path, model: Path) -> list[str]:
        """Return the command that trains it on the treebank in a folder, without a file for development by folds."""
        files = ("--train", str(part(folder, "train")))
        dev = ("--dev", str(part(folder, "dev"))) if any(folder.glob("dev.conll*")) else ()
        return [*TREEVOTE, "train", *files, *dev, "-o", str(model), *self.settings]

    def parse(self, model: Path, input: Path, output: Path) -> list[str]:
        """Return the command that parses a file."""
        return [*TREEVOTE, "parse", str(model), str(input), "-o", str(output), *self.reading]

    def trained(self, folder: Path) -> tuple[Path, float]:
        """Train it, unless its model is there; return the model and the processor seconds that it took.

        Parameters
        ----------
        folder : path
            Has the files ``train`` and ``dev``, in CoNLL-U or CoNLL-X, and gets the model.
        """
        model = folder / re.sub(r"[^A-Za-z0-9 -]", "", self.name).replace(" ", "-")
        kept = model.with_name(model.name + ".cost.json")
        if not kept.exists():
            shutil.rmtree(model, ignore_errors=True)
            print(f"training {self.name} in {folder.name}", file=sys.stderr, flush=True)
            cpu, peak, _ = run(self.train(folder, model))
            with writing(kept) as stream:
                stream.write(json.dumps({"cpu": cpu, "peak": peak}).encode())
        return model, json.loads(kept.read_text())["cpu"]

    def scores(self, model: Path, gold: Path, *options: str) -> tuple[float, float, float]:
        """Parse a file, as ``parse`` beside it, with options; return LAS, UAS, and the processor seconds."""
        parse = gold.with_stem("parse")
        cpu = run([*self.parse(model, gold, parse), *options]).cpu
        return *scores(gold, parse), cpu


@dataclass(frozen=True)
class OtherSystem(System):
    """A parser that is no part of treevote.

    Attributes
    ----------
    module : str
        Its commands: `benchmarks.udpipe`, or `benchmarks.spacy_parser`, which sees no tags.
    """

    module: str = "benchmarks.udpipe"

    def train(self, folder: Path, model: Path) -> list[str]:
        """Return the command that trains it."""
        files = part(folder, "train"), part(folder, "dev"), model
        return [sys.executable, "-m", self.module, "train", *map(str, files), *self.settings]

    def parse(self, model: Path, input: Path, output: Path) -> list[str]:
        """Return the command that parses a file."""
        return [sys.executable, "-m", self.module, "parse", *map(str, (model, input, output)), *self.reading]


WITHOUT_TAGS = ("--tags", "predict")  # options of a parse without the tags of its input


FAST = System("LR, greedy", ("--fast",))
VOTE = System("default vote")
BEST = System("best vote", ("--best",))
"""The systems of `treevote train --fast`, `treevote train`, and `treevote train --best`."""

WITH_NETWORK = System("vote with network", ("--members", "default,biaffine"))  # the default vote, and biaffine


def systems(udpipe: str = "") -> list[System]:
    """Return all systems, the one that speeds are ratios to first; of UDPipe the options of its parser may be given.

    Examples
    --------
    >>> [system.name for system in systems()]
    ['UDPipe 1', 'LR, greedy', 'LR, beam', 'LR, structured', 'pipeline', ...]
    """
    return [
        OtherSystem("UDPipe 1", ("--options", udpipe)),
        FAST,
        System("LR, beam", ("--members", "lr-maxent-forward", "--search", "beam")),
        System("LR, structured", ("--members", "lr-structured-forward")),
        System("pipeline", ("--members", "pipeline")),
        System("second-order graph", ("--members", "graph-mira")),
        VOTE,
        BEST,
    ]


def compared(folder: Path, systems: Sequence[System], rounds: int, repeat: int) -> Table:
    """Return accuracy, speed, cost of training and size of systems.

    Parameters
    ----------
    folder : path
        Has the files ``train.conllu``, ``dev.conllu`` and ``test.conllu``, and gets models and parses.
    systems : sequence of System
        Speeds are ratios to that of the first one.
    rounds : int
        Runs of each parse, all systems in turn, so that the load of the machine meets all of them. The one of least
        processor time counts.
    repeat : int
        Times that the test file is parsed over in one command.
    """
    test, text = folder / "test.conllu", folder / "repeated.conllu"
    text.write_bytes(test.read_bytes() * repeat)
    models = {system: system.trained(folder) for system in systems}
    accuracy = {system: system.scores(models[system][0], test)[:2] for system in systems}
    seconds = dict.fromkeys(systems, float("inf"))
    for _ in range(rounds):
        for system in systems:
            command = system.parse(models[system][0], text, folder / "repeated.parse.conllu")
            seconds[system] = min(seconds[system], run(command).cpu)
    rows = [
        [system.name, *accuracy[system], seconds[systems[0]] / seconds[system], cpu, size(model) / 1e6]
        for system, (model, cpu) in models.items()
    ]
    return {"columns": {"": 0, "LAS": 2, "UAS": 2, "speed": 1, "training, CPU s": 0, "model, MB": 1}, "rows": rows}


def size(model: Path) -> int:
    """Return the bytes of a model."""
    return sum(path.stat().st_size for path in ([model] if model.is_file() else model.rglob("*")))


def answer(*words: str | Path) -> Any:
    """Return the answer of a command of treevote in JSON."""
    return json.loads(run([*TREEVOTE, *map(str, words), "--json"]).output)


def rates(gold: Path, parse: Path) -> dict[str, float]:
    """Return the scores of a parse by metric."""
    found = answer("evaluate", gold, parse)["systems"][0]["rates"]
    return {metric: rate["value"] for metric, rate in found.items()}


def scores(gold: Path, parse: Path) -> tuple[float, float]:
    """Return LAS and UAS."""
    found = rates(gold, parse)
    return found["LAS"], found["UAS"]


def part(folder: Path, name: str) -> Path:
    """Return the training or development data in a folder: ``train.conllu``, or ``train.conll``."""
    return next(folder.glob(f"{name}.conll*"))


def plain(source: Path, target: Path) -> Path:
    """Write the content of a file that may be compressed; a file in its place stays as it is."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened(source) as (stream, *_), writing(target) as file:
            shutil.copyfileobj(stream, file)
    return target


def sentences_of(file: Path) -> list[str]:
    """Return the sentences of a treebank, with their comments."""
    return file.read_text("utf-8").rstrip("\n").split("\n\n")


def write_sentences(file: Path, sentences: Sequence[str]) -> None:
    """Write sentences as a treebank."""
    file.write_text("".join(f"{sentence}\n\n" for sentence in sentences), "utf-8")


def short(folder: str) -> str:
    """Return the name of a treebank without what the name of its folder adds to it.

    >>> short("UD_Spanish-AnCora_resplit")
    'Spanish-AnCora'
    """
    return folder.removeprefix("UD_").partition("_")[0]


def treebank_files(data: Path, name: str, work: Path) -> Path:
    """Write the files of a treebank, by name or pattern, into a folder of its own, decompressed, and return it."""
    found = next((path for path in sorted(data.rglob(name)) if any(path.glob("*train*"))), None)
    if found is None:
        sys.exit(f"{data}: expected a folder {name} with training data in it; name the folder of the treebanks")
    for path in found.glob("*.conll*"):
        plain(path, work / found.name / re.sub(r"^(source\.|.*-)|\.xz$", "", path.name))
    return work / found.name
