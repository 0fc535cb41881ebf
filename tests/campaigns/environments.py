"""Odd environments for every command: the right bytes and exit code 0, or one sentence and another exit code."""

from __future__ import annotations

import functools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import IO, Any

from tests.campaigns.bench import TOY, Bench
from tests.campaigns.campaign import Fault, Material, settings, with_settings
from tests.campaigns.commands import (
    COMMANDS,
    END,
    arguments_of,
    content,
    is_whole,
    leftovers,
    some_command,
    surroundings,
    under,
    undisturbed,
)
from tests.campaigns.signals import unusual

VARIABLES: dict[str, dict[str, str | None]] = {
    "unbuffered": {"PYTHONUNBUFFERED": "1"},
    "LANG": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "no-home": {"HOME": None},
    "strange-home": {"HOME": "/nonexistent"},
    "tmpdir": {"TMPDIR": "/nonexistent"},
    "dumb": {"TERM": "dumb"},
    "one-column": {"COLUMNS": "1", "LINES": "1"},
    "optimized": {"PYTHONOPTIMIZE": "2"},
    "no-color": {"NO_COLOR": "1", "FORCE_COLOR": "1"},
    "hash-seed": {"PYTHONHASHSEED": "7"},
}
"""Environments that are variables alone: a command must work in each."""

STREAMS: tuple[str, ...] = (
    "closed-stdin",
    "closed-stdout",
    "closed-stderr",
    "full-stdout",
    "closed-pipe",
    "slow-reader",
)
STREAMS += ("non-blocking", "slow-unbuffered", "non-blocking-unbuffered", "full-stderr")
PLACES = ("size-limit", "small-disk", "read-only", "below-a-file", "few-files")
TMPFS = sys.platform == "linux" and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("mount") is not None


class Environments:
    """Runs a command where something is wrong."""

    limit = 600.0
    memory: int | None = None

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def make(self, rng: Random) -> Material:
        return with_settings(
            {},
            command=some_command(rng),
            environment=rng.choice((*VARIABLES, *STREAMS, *PLACES)),
            limit=rng.choice((0, 1, 100, 512, 1024, 3000, 4096, 8192, 20_000, 60_000)),
        )

    def check(self, material: Material) -> list[Fault]:
        asked = settings(material)
        name, environment = asked["command"], asked["environment"]
        done = undisturbed(self.bench, name)
        room = self.bench.scratch / "environment"
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(parents=True)
        with place(room, environment, asked["limit"]) as folder:
            if folder is None:
                return []  # no such place on this machine
            streams = Streams(self.bench.scratch / "streams", environment, asked["limit"])
            arguments = arguments_of(self.bench, name)
            if environment == "below-a-file":
                (folder / "file").write_bytes(b"x")
                target = COMMANDS[name].target
                arguments = [f"file/{word}" if target and word == target else word for word in arguments]
            code = streams.run(arguments, folder, stdin=COMMANDS[name].stdin)
            files, left = content(folder), leftovers(folder)
        output, error = streams.output.read_bytes(), streams.error.read_text("utf-8", "replace")
        seen = f"exit code {code}\n{error[-4000:]}"
        law = f"{name} in {environment}"
        faults: list[Fault] = []
        if code is None:
            return [Fault("hang", law, seen)]
        if "Traceback" in error or "Exception ignored" in error:
            faults.append(Fault("traceback", law, seen))
        if left:
            faults.append(Fault("lost", f"{law}: no temporary files are left", f"{left}\n{seen}"))
        if not is_whole(name, files, done, {}):
            faults.append(Fault("lost", f"{law}: the target is whole or not there", seen))
        if code == 0:
            expected = under(done.files, COMMANDS[name].target)
            missing = under(files, COMMANDS[name].target).keys() != expected.keys()
            if missing or not self.right_output(name, environment, output, done.output):
                faults.append(Fault("lost", f"{law}: exit code 0 and not all of the output", seen))
        else:
            lines = unusual(error, done.error)
            silent = environment in ("closed-stderr", "full-stderr") or code in (141, -signal.SIGPIPE)
            if not silent and len(lines) != 1 and "Traceback" not in error:
                faults.append(Fault("difference", f"{law}: one sentence", seen))
            if environment in VARIABLES:
                faults.append(Fault("difference", f"{law}: it works", seen))
            if code < 0 and code != -signal.SIGPIPE:
                faults.append(Fault("crash", law, seen))
        return faults

    def right_output(self, name: str, environment: str, output: bytes, expected: bytes) -> bool:
        """Tell whether all of the output has arrived; tables are as wide as the terminal, and may tell seconds."""
        if environment in ("closed-stdout", "closed-pipe", "full-stdout"):
            return not expected
        if environment in ("ascii", "LANG", "one-column", "no-color", "dumb"):
            return len(output) >= len(expected) / 2
        return steady(output) == steady(expected)


class Streams:
    """Standard streams of a command, of which one may be odd."""

    def __init__(self, folder: Path, environment: str, limit: int) -> None:
        folder.mkdir(exist_ok=True)
        self.environment, self.limit = environment, limit
        self.output, self.error = folder / "stdout", folder / "stderr"

    def run(self, arguments: list[str], folder: Path, *, stdin: bool) -> int | None:
        """Run a command; return its exit code, None if it did not end."""
        variables = VARIABLES.get(self.environment, {})
        if self.environment.endswith("-unbuffered"):
            variables = {"PYTHONUNBUFFERED": "1"}
        room = self.output.parent
        environment: dict[str, Any] = {**surroundings(room), **variables}
        environment = {name: value for name, value in environment.items() if value is not None}
        piped = self.environment in ("closed-pipe", "slow-reader", "non-blocking") or "-unbuffered" in self.environment
        with self.output.open("wb") as out, self.error.open("wb") as err, open("/dev/full", "wb") as full:
            process = subprocess.Popen(
                arguments,
                cwd=folder,
                env=environment,
                stdin=TOY.open("rb") if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else full if self.environment == "full-stdout" else out,
                stderr=full if self.environment == "full-stderr" else subprocess.PIPE,  # a size limit spares pipes
                preexec_fn=self.odd(),
            )
            readers = []
            if process.stdout is not None:
                readers.append(threading.Thread(target=self.drain, args=(process.stdout, out)))
            if process.stderr is not None:
                readers.append(threading.Thread(target=shutil.copyfileobj, args=(process.stderr, err)))
            for reader in readers:
                reader.start()
            code: int | None = None
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(END / 2)
            process.kill()
            for reader in readers:
                reader.join()
            return code

    def odd(self) -> Callable[[], object] | None:
        """Return a function for the new process to call before the command."""
        closed = {"closed-stdin": 0, "closed-stdout": 1, "closed-stderr": 2}
        if self.environment in closed:
            return functools.partial(os.close, closed[self.environment])
        if self.environment == "size-limit":
            return functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (self.limit, self.limit))
        if self.environment == "few-files":
            return functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (64, 64))
        if self.environment.startswith("non-blocking"):
            return functools.partial(os.set_blocking, 1, False)
        return None

    def drain(self, pipe: IO[bytes], out: IO[bytes]) -> None:
        """Read the pipe: slowly, not at all, or after a while."""
        if self.environment == "closed-pipe":
            pipe.close()
            return
        time.sleep(0 if self.environment.startswith("slow") else 2)
        with pipe:
            while data := os.read(pipe.fileno(), 997):
                out.write(data)
                out.flush()
                time.sleep(0.001 if self.environment.startswith("slow") else 0)


@contextmanager
def place(room: Path, environment: str, limit: int) -> Iterator[Path | None]:
    """Make the folder in which a command writes; None if this machine cannot have such a folder."""
    if environment not in ("small-disk", "read-only"):
        yield room
        return
    disk = room / "disk"
    disk.mkdir()
    size = "size=64k" if environment == "small-disk" else "size=1m,ro"
    done = TMPFS and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"{size},nr_inodes=200", "tmpfs", disk], capture_output=True
    )
    if not done or done.returncode:
        yield None
        return
    try:
        if environment == "small-disk" and limit < 65_536:
            (disk / "filling").write_bytes(bytes(limit))
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], capture_output=True)


def steady(output: bytes) -> bytes:
    """Return an output without the parts that differ between runs: seconds and speeds."""
    return re.sub(rb"[0-9.,]+( (s|min|h)\b)?| +", b"#", output)
