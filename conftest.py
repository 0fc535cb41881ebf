"""All tests: where they are imported from, signals, cores, the profile of hypothesis; no file may vanish."""

from __future__ import annotations

import gc
import glob
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from treevote import terminal

ROOT = Path(__file__).parent

EXTRAS = {
    "src/treevote/spacy_component.py": "spacy",
    "src/treevote/spacy_texts.py": "spacy",
    "tests/batch/test_spacy.py": "spacy",
}
"""The files that are collected only where a library is installed that the tests do not depend on."""

LACKING = {ROOT / file: library for file, library in EXTRAS.items() if find_spec(library) is None}
"""The files of ``EXTRAS`` that are skipped here."""

FIRST = ("files", "drawing", "conll", "store", "corpus")
"""The rooms whose tests run first: they compile few kernels, so that the first dots come soon."""

SEEN = pytest.StashKey[set[Path]]()
"""The files that gave a test or an example."""

sys.path.insert(0, str(ROOT))

# There is a process for each core already.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# No deadline, since kernels compile on first use; the same examples every time: more of them would seldom find more.
settings.register_profile("treevote", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("treevote")

# Signals that are ignored, as in the background or after nohup, would be ignored by every command that a test starts.
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        with suppress(ValueError):  # not in the main thread
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _silent_compilation() -> Iterator[None]:
    """Say nothing of compilation: what a command says would depend on the kernels that this machine has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "_announced", True)
        patch.setattr(terminal, "listened", lambda listener: nullcontext())
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Begin the list of files."""
    config.stash[SEEN] = set()
    gc.disable()  # all that a collection makes stays to the end


@pytest.hookimpl(tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> pytest.CollectReport | None:
    """Skip the files whose library is not installed."""
    if not isinstance(collector, pytest.File) or collector.path not in LACKING:
        return None
    reason = f"Skipped: {LACKING[collector.path]} is not installed"
    return pytest.CollectReport(collector.nodeid, "skipped", (str(collector.path), 1, reason), [])


def pytest_itemcollected(item: pytest.Item) -> None:
    """Enter the file of a test, before ``-k`` or ``-m`` leaves the test out."""
    item.config.stash[SEEN].add(item.path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the rooms of ``FIRST`` before all others."""
    rooms = {name: rank for rank, name in enumerate(FIRST)}
    items.sort(key=lambda item: rooms.get(item.nodeid.split("/")[:2][-1], len(FIRST)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Report an error for each file below the collected paths that holds tests or examples and gave none."""
    gc.freeze()
    gc.enable()
    config = session.config
    if session.testsfailed or any(config.getoption(name, None) for name in ("ignore", "ignore_glob", "lf")):
        return
    asked = [config.invocation_params.dir / arg.partition("::")[0] for arg in config.args]
    modules = (ROOT / name for name in glob.iglob("src/treevote/**/*.py", root_dir=ROOT, recursive=True))
    files = [*ROOT.glob("tests/**/test_*.py"), *(module for module in modules if ">>> " in module.read_text("utf-8"))]
    seen = config.stash[SEEN]
    for file in sorted(set(files).difference(seen, LACKING)):
        if any(file.is_relative_to(path) for path in asked):
            name, reason = file.relative_to(ROOT).as_posix(), "No test was collected of this file."
            config.hook.pytest_collectreport(report=pytest.CollectReport(name, "failed", reason, []))
