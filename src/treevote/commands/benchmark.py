"""Costs of treevote on a treebank: time, memory and size of every member and of the vote.

Each measurement runs in a process of its own, so that its peak of memory is its own, after a warm-up that loads or
compiles the kernels and is not counted. Times are CPU seconds of one core.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from treevote.commands.parse import parse_files
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.ensemble.judge import Judge
from treevote.ensemble.members import DEFAULT_MEMBERS, members_of
from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.weights import Weights
from treevote.models.parsers.transition.parser import TransitionParser
from treevote.parallel import Progress
from treevote.protocols import Parser, Trainer
from treevote.report.answer import answer
from treevote.store import folder as store

Result = TypeVar("Result")

SCALES = (1, 4, 16)
"""Copies of the test file to parse; the parts of the training file to train on are 1/16, 1/4 and 1/1."""


def benchmark(
    train: str,
    test: str,
    *,
    members: Sequence[str] = DEFAULT_MEMBERS,
    scales: Sequence[int] = SCALES,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure training and parsing, one job each.

    Training is measured for each member on parts of the treebank: CPU seconds, peak of memory (MiB) and size of the
    model (MB). ``scales`` are multiples of the smallest size; the last training size is the whole file. Parsing is
    measured for each member and the vote with the search of the configuration, and of LR parsers greedy, too: tokens
    per second and peak memory from arrays to arrays, and from file to file for each size, the loading of the model
    included. A time too short for the clock has None for a speed.
    """
    trainers = members_of(members)
    searching = [name for name, trainer in trainers.items() if hasattr(trainer, "search")]
    sides = {"as configured": [*members, "vote"], "greedy": [*searching, "vote"] if searching else []}
    treebank, tested = read(train), read(test, trees="ignored")
    n_steps = len(scales) * len(members) + (len(scales) + 1) * sum(map(len, sides.values()))
    done = 0

    def measured(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
        nonlocal done
        result = _apart(function, *arguments)
        done += 1
        if progress is not None:
            progress("measuring", done, n_steps)
        return result

    report: dict[str, Any] = {
        "machine": {"python": sys.version.split()[0]},
        "train": {"sentences": treebank.n_sentences, "tokens": treebank.n_tokens},
        "training": {name: [] for name in members},
        "parsing": {side: {} for side in sides},
    }
    with tempfile.TemporaryDirectory() as folder:
        for scale in scales:
            part = Path(folder) / "train.conllu"
            every = scales[-1] // scale
            write(treebank.select(range(0, treebank.n_sentences, every)), part)
            for name, trainer in trainers.items():
                path = str(Path(folder) / f"{name}-{scale}")
                costs = measured(_train, str(part), {name: trainer}, path, seed)
                report["training"][name].append({"share": f"1/{every}", **costs})
        for side, names in sides.items():
            model = str(Path(folder) / side)
            _join(folder, members, scales[-1], model, greedy=side == "greedy")
            for name in names:
                text, few = Path(folder) / "test.conllu", Path(folder) / "few.conllu"
                write([tested] * scales[0], text)
                write(_some(tested), few)
                arrays = measured(_parse_arrays, model, name, str(text))
                files = []
                for scale in scales:
                    write([tested] * scale, text)
                    costs = measured(_parse_file, model, name, str(text), str(few), folder)
                    files.append({"scale": scale, **costs})
                report["parsing"][side][name] = {"arrays": arrays, "files": files}
        report["model_mb"] = _size(str(Path(folder) / "as configured"))
    return report


def _apart(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Call a function in a new process and return its measurements, with the peak of memory."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            return pool.submit(_with_peak, function, *arguments).result()
        except BrokenProcessPool:
            raise MemoryError("the system killed the process of a measurement") from None


def _with_peak(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    return {**function(*arguments), "peak_mb": _peak()}


def _peak() -> int:
    """Return the peak of this process's memory in MiB."""
    try:
        status = Path("/proc/self/status").read_text()  # ru_maxrss would include the memory of the parent
        return round(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
    except (OSError, IndexError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return round(peak / (1024 if sys.platform != "darwin" else 1024**2))


def _train(train: str, members: Mapping[str, Trainer], path: str, seed: int) -> dict[str, Any]:
    treebank = read(train)
    EnsembleTrainer(members).train(_some(treebank), seed=seed)
    parser, seconds = _timed(lambda: EnsembleTrainer(members).train(treebank, seed=seed))
    save(parser, path)
    return {"tokens": treebank.n_tokens, "cpu_seconds": round(seconds, 1), "model_mb": _size(path)}


def _parse_arrays(model: str, name: str, test: str) -> dict[str, Any]:
    ensemble, treebank = load(model), read(test, trees="ignored")
    parser: Parser = ensemble if name == "vote" else ensemble.members[name]
    parser.parse(_some(treebank))
    _, seconds = _timed(lambda: parser.parse(treebank))
    return _speed(treebank.n_tokens, seconds)


def _parse_file(model: str, name: str, test: str, warm_up: str, folder: str) -> dict[str, Any]:
    member = None if name == "vote" else name
    output = str(Path(folder) / "parsed.conllu")
    parse_files(model, [warm_up], output, member=member)
    summary, seconds = _timed(lambda: parse_files(model, [test], output, member=member))
    return _speed(summary.tokens, seconds)


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result of some work, and its CPU time in seconds."""
    start = time.process_time()
    return work(), time.process_time() - start


def _speed(tokens: int, seconds: float) -> dict[str, Any]:
    """Return tokens and tokens per second, None for a time that is shorter than the clock can tell."""
    return {"tokens": tokens, "tokens_per_second": round(tokens / seconds) if seconds else None}


def _join(folder: str, members: Sequence[str], scale: int, model: str, *, greedy: bool) -> None:
    """Combine the members trained on the whole file, if asked with greedy search in LR parsers."""
    trained = {name: load(Path(folder) / f"{name}-{scale}") for name in members}
    parts = {name: trained[name].members[name] for name in members}
    for name, member in parts.items():
        if greedy and isinstance(member, TransitionParser):
            parts[name] = member.with_search("greedy", 1)
    facts = next(iter(trained.values())).facts
    save(EnsembleParser(parts, Judge(Weights.equal(len(parts))), facts), model)


def _some(treebank: Treebank) -> Treebank:
    """Return a few sentences to warm up with."""
    return treebank.select(np.arange(min(20, treebank.n_sentences)))


def _size(path: str) -> float:
    return round(sum(store.sizes(path).values()) / 1e6, 2)


def as_json(report: Mapping[str, Any], command: str = "") -> bytes:
    """Return a report as JSON text."""
    return f"{answer('benchmark', report, command)}\n".encode()
