"""The blocks of a page of documentation, and how they are run on toy data as they stand there.

A ``sh`` block is a list of commands, a ``python`` block a script, a ``toml`` block the file that its first line names.
Blocks of other languages, such as ``console`` and ``text``, are not run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import joblib

from tests.command_line import invoke
from tests.paths import ROOT
from tests.reference.toy_grammar import toy_treebank
from treevote import Treebank, dumps
from treevote.files.streams import writing

SYSTEMS = ("gold", "udpipe", "malt", "yara")
TREEBANKS = {
    60: ("train.conllu",),
    40: ("new-domain.conllu",),
    20: ("dev.conllu", "target-dev.conllu", "target-train.conllu", *(f"dev.{name}.conllu" for name in SYSTEMS)),
    25: ("test.conllu", "test.conllu.gz", "parsed.conllu", *(f"{name}.conllu" for name in SYSTEMS)),
}
"""Files of the pages by their number of sentences; files of the same number are the same treebank."""

SHELL = re.compile(r"[|<>;&$]")
"""Characters of a line that only a shell can run."""


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return language and text of each block."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def write_files() -> None:
    """Write the files that pages speak of into the current folder."""
    for size, names in TREEBANKS.items():
        for name in names:
            write_treebank(toy_treebank(size, seed=size), name)


def write_treebank(treebank: Treebank, path: str | Path) -> None:
    """Write a treebank in which no space is in front of a full stop."""
    with writing(path) as stream:
        stream.write(re.sub(r"\t_\n([0-9]+\t\.\t)", r"\tSpaceAfter=No\n\1", dumps(treebank)).encode())


def run(language: str, text: str) -> None:
    """Run a block in the current folder."""
    if language == "sh":
        for line in text.splitlines():
            call(line)
    elif language == "python":
        exec(compile(text, "page", "exec"), {})
    elif language == "toml":
        Path(text.splitlines()[0].removeprefix("# ")).write_text(text, encoding="utf-8")


def call(line: str) -> str:
    """Run a command and return its output; an adaptation may end without promotion."""
    if SHELL.search(line) or not line.startswith("treevote "):
        return _in_shell(line)
    with joblib.parallel_config("threading"):  # quicker than processes, which would give the same bytes
        result = invoke(*shlex.split(line)[1:])
    assert result.exit_code == 0 or (result.exit_code == 3 and "not promoted" in result.output), (line, result.output)
    return result.output


def _in_shell(line: str) -> str:
    treevote = f'treevote() {{ {shlex.quote(sys.executable)} -m treevote "$@"; }}\n'
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    command = ["bash", "-euo", "pipefail", "-c", treevote + line]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    return done.stdout
