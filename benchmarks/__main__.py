"""``python -m benchmarks``: train all systems, parse in turn, write one table."""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.measure import Cost, cheapest, cost
from benchmarks.systems import REFERENCE, TREEVOTE, VOTE, System, systems
from benchmarks.tables import as_markdown
from treevote import load, read
from treevote.evaluation.counts import evaluate
from treevote.files.streams import opened, writing


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--train", type=Path, required=True, help="treebank, CoNLL-U")
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder: models, parses, table, JSON")
    parser.add_argument("--udpipe", default="", help="options of its parser, such as iterations=1;hidden_layer=200")
    parser.add_argument("--rounds", type=int, default=3, help="how often each command runs (default 3)")
    parser.add_argument("--repeat", type=int, default=8, help="how often the test file is parsed over (default 8)")
    parser.add_argument("--growth", type=int, nargs="*", default=[1, 4, 16], help="multiples of the test file")
    asked = parser.parse_args()
    options = tuple(filter(None, asked.udpipe.split(";")))
    texts = (asked.train, asked.dev, asked.test)
    result = run(*texts, asked.output, systems(options), asked.rounds, asked.repeat, asked.growth)
    print(as_markdown(result))


def run(
    train: Path,
    dev: Path,
    test: Path,
    folder: Path,
    systems: Sequence[System],
    rounds: int,
    repeat: int,
    growth: Sequence[int],
) -> dict[str, Any]:
    """Measure all systems; write ``benchmark.json`` and ``benchmark.md`` into the folder.

    A model that is in the folder is not trained again; its cost of training is then the one written beside it.

    Parameters
    ----------
    train, dev, test : path
        CoNLL-U, plain or compressed.
    folder : path
    systems : sequence of System
        The first one is what speeds are compared with; one is the default vote.
    rounds : int
        Runs of each command, all systems in turn, so that the load of the machine meets all of them.
    repeat : int
        Times that the test file is parsed over in one command.
    growth : sequence of int
        Multiples of the test file for the growth of the vote.
    """
    folder.mkdir(parents=True, exist_ok=True)
    named = {"train": train, "dev": dev, "test": test}
    train, dev, test = (plain(path, folder / f"{name}.conllu") for name, path in named.items())
    gold = read(test)
    text = _repeated(test, repeat, folder / "repeated.conllu")
    found: dict[str, Any] = {}
    for system in systems:
        model = folder / system.file
        costs = _trained(system, train, dev, model)
        parse = folder / f"{model.name}.conllu"
        cost(system.parse(model, test, parse))  # compiles what is not compiled yet
        scores = evaluate(gold, read(parse))
        size = sum(path.stat().st_size for path in model.rglob("*")) if model.is_dir() else model.stat().st_size
        found[system.name] = {"train": costs, "las": scores.las, "uas": scores.uas, "model_mb": size / 1e6}
    runs: dict[str, list[Cost]] = {system.name: [] for system in systems}
    for _ in range(rounds):
        for system in systems:
            runs[system.name].append(cost(system.parse(folder / system.file, text, folder / "parse.conllu")))
    tokens = gold.n_tokens * repeat
    for name, several in runs.items():
        least = cheapest(several)
        found[name] |= {"parse": least._asdict(), "tokens_per_second": tokens / least.cpu}
    own = found[REFERENCE]["tokens_per_second"] if REFERENCE in found else None
    for each in found.values():
        each["ratio"] = own and each["tokens_per_second"] / own
    result = {
        "machine": {
            "python": platform.python_version(),
            "treevote": version("treevote"),
            "processor": platform.machine(),
        },
        "tokens": tokens,
        "repeat": repeat,
        "rounds": rounds,
        "systems": found,
        **_of_the_vote(next(s for s in systems if s.name == VOTE), folder, test, rounds, growth),
    }
    for name, content in (("benchmark.json", json.dumps(result, indent=1)), ("benchmark.md", as_markdown(result))):
        with writing(folder / name) as stream:
            stream.write(content.encode())
    return result


def _of_the_vote(system: System, folder: Path, test: Path, rounds: int, growth: Sequence[int]) -> dict[str, Any]:
    """Measure growth, jobs and start-up of the default vote."""
    model, parse = folder / system.file, folder / "parse.conllu"
    sizes = {n: _repeated(test, n, folder / f"test-{n}.conllu") for n in growth}
    one = folder / "one.conllu"
    one.write_text(test.read_text("utf-8").split("\n\n")[0] + "\n\n", "utf-8")
    largest = sizes[max(growth)]

    def least(command: list[str], *, fails: bool = False) -> dict[str, Any]:
        return cheapest([cost(command, fails=fails) for _ in range(rounds)])._asdict()

    return {
        "growth": {n: least(system.parse(model, text, parse)) for n, text in sizes.items()},
        "jobs": {n: least(system.parse(model, largest, parse, n)) for n in (1, 2)},
        "start": {
            "parse one sentence": least(system.parse(model, one, parse)),
            "parse --member": least([*system.parse(model, one, parse), "--member", next(iter(load(model).members))]),
            "missing file": least(system.parse(model, folder / "missing", parse), fails=True),
            "--help": least([*TREEVOTE, "--help"]),
        },
    }


def _trained(system: System, train: Path, dev: Path, model: Path) -> dict[str, Any]:
    """Train a system, or return what its training cost earlier."""
    kept = model.with_name(model.name + ".cost.json")
    if not (kept.exists() and model.exists()):
        shutil.rmtree(model, ignore_errors=True)
        print(f"training {system.name}", file=sys.stderr, flush=True)
        kept.write_text(json.dumps(cost(system.train(train, dev, model))._asdict()))
    costs: dict[str, Any] = json.loads(kept.read_text())
    return costs


def plain(source: Path, target: Path) -> Path:
    """Write the content of a file that may be compressed; a file in its place stays as it is."""
    if target.exists() and target.samefile(source):
        return target
    with opened(source) as (stream, *_), target.open("wb") as file:
        shutil.copyfileobj(stream, file)
    return target


def _repeated(source: Path, times: int, target: Path) -> Path:
    """Write a file several times over."""
    with target.open("wb") as file:
        for _ in range(times):
            file.write(source.read_bytes())
    return target


if __name__ == "__main__":
    main()
