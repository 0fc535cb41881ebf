"""``python -m tests.campaigns.mutants``: change a token of the core rooms at a time; say which changes no test sees.

A mutant lives in a copy of the checkout. Its own room should kill it: the examples of its module and the tests of the
folder of the same name, then, for a parser, the contract of its family.
"""

from __future__ import annotations

import argparse
import ast
import io
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import Phase, settings

from tests.paths import ROOT

FAMILIES = {
    "models/learning/features": "transition or pipeline or graph",
    "models/parsers/graph": "graph",
    "models/parsers/labelling": "graph or pipeline",
    "models/learning/learners": "transition or pipeline",
    "models/parsers/pipeline": "pipeline",
    "models/text/tagging": "reader",
    "models/text/tokenization": "reader",
    "models/parsers/transition": "transition",
}
"""Rooms of parsers to the subjects of the contract that use them."""

FOUNDATIONS = ("corpus", "conll", "store", "files", "batch", "evaluation")
ROOMS = (*(f"src/treevote/{name}" for name in FOUNDATIONS), "ensemble", "adaptation", *FAMILIES)

_ROWS = ("< <= >", "<= < >=", "> >= <", ">= > <=", "== !=", "!= ==", "+ -", "- +", "+= -=", "-= +=")
_WORDS = ("and or", "or and", "True False", "False True")
OTHERS = {token: others for token, *others in map(str.split, (*_ROWS, *_WORDS))}
"""Tokens to those that take their place; a number is one more."""

OPTIONS = ("-q", "-x", "-p", "no:cacheprovider", "-n", "0", "--hypothesis-profile", "mutants")
PRELOADED = ("numba", "scipy.sparse", "sklearn.linear_model")
LONGEST = 1800.0
"""Seconds for the tests of a room without a mutant; with one they have thrice that, and half a minute."""


class Mutant(NamedTuple):
    """A token of a file, by line (from 1) and column (from 0), and what takes its place."""

    file: str
    line: int
    column: int
    token: str
    other: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.token} to {self.other}"

    @property
    def room(self) -> str:
        """The folder whose tests should see it."""
        return next(room for room in ROOMS if self.file.startswith(f"{room}/"))

    def changed(self, text: str) -> str:
        """Return the text of the file with the change."""
        lines = text.splitlines(keepends=True)
        before, after = lines[self.line - 1][: self.column], lines[self.line - 1][self.column :]
        lines[self.line - 1] = before + self.other + after.removeprefix(self.token)
        return "".join(lines)

    def stages(self, copy: Path) -> Iterator[list[str]]:
        """Yield arguments of pytest, in a copy: first the tests that import the module, and short files before long."""
        module = self.file if self.file.startswith("src") else f"src/treevote/{self.file}"
        name = module.removeprefix("src/").removesuffix(".py").replace("/", ".")
        folder = copy / "tests" / self.room.removeprefix("src/treevote/")
        texts = {path.relative_to(copy).as_posix(): path.read_text("utf-8") for path in folder.rglob("test_*.py")}
        yield [module, *sorted(texts, key=lambda path: (f"{name} " not in texts[path], len(texts[path]), path))]
        if self.room in FAMILIES:
            yield ["tests/contract", "-k", FAMILIES[self.room]]


def mutants_of(file: str, text: str) -> Iterator[Mutant]:
    """Yield all mutants of a file; strings, comments and annotations have none."""
    nodes = list(ast.walk(ast.parse(text)))
    spared = [getattr(node, name, None) for node in nodes for name in ("annotation", "returns")]
    spared += [node for node in nodes if isinstance(node, ast.JoinedStr)]
    spans = [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in spared
        if isinstance(node, ast.expr)
    ]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number = token.type == tokenize.NUMBER
        others = [repr(ast.literal_eval(token.string) + 1)] if number else OTHERS.get(token.string, [])
        if not any(start <= token.start < end for start, end in spans):
            yield from (Mutant(file, *token.start, token.string, other) for other in others)


def mutants(rooms: list[str]) -> list[Mutant]:
    """Return all mutants of some rooms."""
    files = [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]
    return [each for path in files for each in mutants_of(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))]


def work(copy: Path, arguments: list[str]) -> None:
    """Run tests of a copy of the checkout; the process ends with the exit code of pytest."""
    os.setsid()
    os.chdir(copy)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "treevote")]:
        del sys.modules[name]
    sys.path[0] = os.environ["PYTHONPATH"] = str(copy / "src")
    settings.register_profile("mutants", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
    os._exit(int(pytest.main([*OPTIONS, *arguments])))


def passes(copy: Path, mutant: Mutant, limit: float) -> bool:
    """Return whether the tests of a mutant's room pass, each stage within some seconds."""
    for arguments in mutant.stages(copy):
        process = multiprocessing.get_context("fork").Process(target=work, args=(copy, arguments))
        process.start()
        process.join(limit)
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
        if process.exitcode not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return False
    return True


def main() -> int:
    """Run what the command line asks for; the exit code is 1 if a mutant lives."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.mutants", description="Draw mutants, and test them."
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default 0)")
    parser.add_argument("--count", type=int, default=50, help="of mutants (default 50)")
    parser.add_argument("--rooms", default=",".join(ROOMS), help="folders to draw from, separated by commas")
    parser.add_argument("--at", nargs="+", metavar="FILE:LINE", help="all mutants of these lines, instead of a draw")
    asked = parser.parse_args()
    rooms = asked.rooms.split(",")
    if other := next((room for room in rooms if room not in ROOMS), None):
        parser.error(f"expected some of the rooms {', '.join(ROOMS)}, found {other}")
    known = mutants(rooms)
    if asked.at:
        drawn = [each for each in known if f"{each.file}:{each.line}" in asked.at]
    else:
        drawn = random.Random(asked.seed).sample(known, min(asked.count, len(known)))
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    for name in PRELOADED:
        import_module(name)
    limits: dict[str, float] = {}
    alive = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder, "checkout")
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv"))
        for mutant in drawn:
            start = time.monotonic()
            if mutant.room not in limits:
                if not passes(copy, mutant, LONGEST):
                    parser.exit(2, f"The tests of {mutant.room} fail without a mutant.\n")
                limits[mutant.room] = 30 + 3 * (time.monotonic() - start)
                start = time.monotonic()
            path = copy / mutant.file
            text = path.read_text("utf-8")
            path.write_text(mutant.changed(text), "utf-8")
            lives = passes(copy, mutant, limits[mutant.room])
            path.write_text(text, "utf-8")
            alive += [mutant] * lives
            print(f"{'lives' if lives else 'killed'} {time.monotonic() - start:4.0f} s {mutant}", flush=True)
    print(f"{len(drawn)} mutants, {len(alive)} alive", *alive, sep="\n")
    return int(bool(alive))


if __name__ == "__main__":
    sys.exit(main())
