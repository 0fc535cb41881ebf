"""The commands that write, as child processes: tiny inputs, expected results, and forbidden remains."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.campaigns.bench import TOY, Bench
from tests.reference.planted_errors import plant
from treevote.files.streams import writing

TWO = "lr-svm-forward,lr-svm-backward"
ADAPT = f"adapt {{model}} {{text}} --train {{toy}} --committee {TWO} --rounds 1 --force"
ROOT = Path(__file__).parents[2]
END = 300.0
"""Seconds that no command takes."""

Content = Mapping[str, bytes]
"""The files under a folder, by path."""


class Command(NamedTuple):
    """A command: its arguments, with places to be filled in; its target; and whether its bytes are always the same."""

    arguments: str
    target: str = ""
    same: bool = True
    stdin: bool = False


COMMANDS = {
    "train": Command("train --train {toy} --members lr-svm-forward -o out", "out"),
    "select": Command(f"train --train {{toy}} --dev {{toy}} --select --members {TWO} -o out", "out"),
    "parse": Command("parse {model} {toy} -o out.conllu", "out.conllu"),
    "parse-xz": Command("parse {model} {toy} -o out.conllu.xz", "out.conllu.xz"),
    "parse-stdout": Command("parse {model} {toy}"),
    "parse-stdin": Command("parse {model} -", stdin=True),
    "parse-jobs": Command("parse {model} {toy} {toy} -j 2 -o out.conllu", "out.conllu"),
    "vote": Command("vote {toy} {parse} {toy} -o out.conllu", "out.conllu"),
    "evaluate": Command("evaluate {toy} {parse} {toy} --report out.html", "out.html"),
    "evaluate-json": Command("evaluate {toy} {parse} --json"),
    "evaluate-csv": Command("evaluate {toy} {parse} --csv"),
    "evaluate-latex": Command("evaluate {toy} {parse} --latex"),
    "adapt": Command(f"{ADAPT} -o out", "out"),
    "adapt-work": Command(f"{ADAPT} --work work -o out", "out"),
    "show": Command("show {toy} --against {parse} --svg out.svg", "out.svg"),
    "show-stdout": Command("show {toy}"),
    "inspect": Command("inspect {model}"),
    "study": Command(f"study agreement {{toy}} --members {TWO} -o out", "out"),
    "quickstart": Command("quickstart -o out", "out"),
}
"""Commands by name; all but those that only print have a target."""


SLOW = ("quickstart",)
"""Commands that take long: they are chosen less often."""


def some_command(rng: Random) -> str:
    """Return the name of a command."""
    quick = [name for name in COMMANDS if name not in SLOW]
    return rng.choice(SLOW if rng.random() < 0.02 else quick)


@dataclass(frozen=True)
class Done:
    """The result of an undisturbed command."""

    seconds: float
    files: Content
    output: bytes
    error: str


def arguments_of(bench: Bench, name: str) -> list[str]:
    """Return the words of a command line."""
    model, folder = bench.model("pair"), bench.models
    parse, text = folder / "parse.conllu", folder / "text.conllu"
    for path, content in ((parse, plant(TOY.read_text("utf-8"), 0, 0.2, 0).encode()), (text, TEXT)):
        if not path.exists():
            with writing(path) as stream:
                stream.write(content)
    places = {"toy": str(TOY), "model": str(model), "parse": str(parse), "text": str(text)}
    return [sys.executable, "-m", "treevote", *(word.format(**places) for word in COMMANDS[name].arguments.split())]


TEXT = b"".join(
    b"1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\t%s\t%s\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    b"3\tsleeps\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n" % (noun, noun)
    for noun in (b"cow", b"pig", b"hen", b"fox")
)


def surroundings(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a command: no settings of Python, one day, a place for temporary files."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    source = os.environ.get("PYTHONPATH", str(ROOT / "src"))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own = {"PYTHONPATH": source, "TMPDIR": str(temporary), "COLUMNS": "80", "SOURCE_DATE_EPOCH": "0"}
    return {**inherited, **own, **more}


def undisturbed(bench: Bench, name: str) -> Done:
    """Run a command in peace, once for all workers."""
    kept = bench.models / f"{name}.done"
    if not kept.exists():
        folder = bench.scratch / f"undisturbed-{name}"
        done, seconds = None, 0.0
        for _ in range(2):  # the first run may compile kernels
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            start = time.monotonic()
            done = run(arguments_of(bench, name), folder, stdin=COMMANDS[name].stdin)
            seconds = time.monotonic() - start
            if done.returncode:
                raise RuntimeError(f"{name} ended with {done.returncode}: {done.stderr.decode()}")
        assert done is not None
        found = Done(seconds, content(folder), done.stdout, done.stderr.decode("utf-8", "replace"))
        with writing(kept) as stream:
            pickle.dump(found, stream)
    loaded: Done = pickle.loads(kept.read_bytes())
    return loaded


def run(arguments: Sequence[str], folder: Path, *, stdin: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in a folder."""
    return subprocess.run(
        arguments,
        cwd=folder,
        env=surroundings(folder),
        input=TOY.read_bytes() if stdin else b"",
        capture_output=True,
        timeout=END,
    )


def content(folder: Path) -> Content:
    """Return the files under a folder, those for temporary use aside."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = ((path.relative_to(folder).as_posix(), path) for path in paths)
    return {name: path.read_bytes() for name, path in names if not name.startswith("tmp/")}


def under(files: Content, target: str) -> Content:
    """Return the file, or the files of the folder, that is the target; nothing of its temporary files."""
    return {name: raw for name, raw in files.items() if target and (name == target or name.startswith(f"{target}/"))}


def leftovers(folder: Path) -> list[str]:
    """Return the temporary files and folders that are left: their names begin with a dot."""
    return [path.relative_to(folder).as_posix() for path in folder.rglob(".*")]


def is_whole(name: str, files: Content, done: Done, before: Content) -> bool:
    """Tell whether the target has its old content or the complete new content, not a part of it."""
    command = COMMANDS[name]
    found, expected = under(files, command.target), under(done.files, command.target)
    if found in (expected, before):
        return True
    if name in ("study", "quickstart"):  # folders with several files, each of them whole
        known = {**before, **expected}
        return all(raw in (expected.get(path), before.get(path)) or path not in known for path, raw in found.items())
    if not command.same and set(found) == set(expected):
        return all(isinstance(json.loads(raw), dict) for raw in found.values())
    return False
