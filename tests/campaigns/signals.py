"""Signals at random moments for every command: the old or the new content, one line, nothing left behind."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from random import Random

from tests.campaigns.bench import TOY, Bench
from tests.campaigns.campaign import Fault, Material, settings, with_settings
from tests.campaigns.commands import (
    COMMANDS,
    Content,
    Done,
    arguments_of,
    content,
    is_whole,
    leftovers,
    run,
    some_command,
    surroundings,
    under,
    undisturbed,
)

PATIENCE = 5.0
"""Seconds that a command may go on after a signal."""

OLD = b"old content\n"


class Signals:
    """Sends a signal to a command at a random moment."""

    limit = 600.0
    memory: int | None = None

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def make(self, rng: Random) -> Material:
        name = some_command(rng)
        moment = rng.random() if rng.random() < 0.5 else rng.uniform(0.7, 1.02)  # most is written near the end
        return with_settings(
            {},
            command=name,
            signal=rng.choice(("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL")),
            moment=moment,
            old=rng.random() < 0.5,
        )

    def check(self, material: Material) -> list[Fault]:
        asked = settings(material)
        name, number = asked["command"], signal.Signals[asked["signal"]]
        done = undisturbed(self.bench, name)
        folder = self.bench.scratch / "signal"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        before = prepare(folder, name, done) if asked["old"] else {}
        process = subprocess.Popen(
            arguments_of(self.bench, name),
            cwd=folder,
            env=surroundings(folder),
            stdin=subprocess.PIPE,
            stdout=(folder / "tmp" / "stdout").open("wb"),
            stderr=(folder / "tmp" / "stderr").open("wb"),
            start_new_session=True,
            preexec_fn=_default_signals,
        )
        assert process.stdin is not None
        if COMMANDS[name].stdin:
            process.stdin.write(TOY.read_bytes())
        process.stdin.close()
        time.sleep(asked["moment"] * done.seconds)
        process.send_signal(number)
        start = time.monotonic()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return [Fault("hang", f"{name} ends after {number.name}", "no end in 30 s")]
        late = time.monotonic() - start
        error = (folder / "tmp" / "stderr").read_text("utf-8", "replace")
        if "Fatal Python error: init" in error:
            return []  # the signal came before Python had started
        seen = f"exit code {process.returncode}, {late:.1f} s after the signal\n{error[-4000:]}"
        faults = self.after(name, number, process.returncode, folder, before, done, seen, error)
        if late > PATIENCE and process.returncode:
            faults.append(Fault("hang", f"{name} ends soon after {number.name}", seen))
        return faults

    def after(
        self,
        name: str,
        number: signal.Signals,
        code: int,
        folder: Path,
        before: Content,
        done: Done,
        seen: str,
        error: str,
    ) -> list[Fault]:
        """Judge the remains of a command."""
        faults: list[Fault] = []
        files = content(folder)
        if code not in (0, 128 + number, -number):
            faults.append(Fault("difference", f"{name} has the exit code of {number.name}", seen))
        if "Traceback" in error:
            faults.append(Fault("traceback", f"{name} after {number.name}", seen))
        elif len(strange := unusual(error, done.error)) > 1:
            faults.append(Fault("difference", f"{name} says one line after {number.name}", "\n".join(strange)))
        if not is_whole(name, files, done, before):
            faults.append(Fault("lost", f"{name} leaves the old or the new content after {number.name}", seen))
        target = COMMANDS[name].target
        if code == 0 and COMMANDS[name].same and under(files, target) != under(done.files, target):
            faults.append(Fault("lost", f"{name} has written when its exit code is 0", seen))
        if number != signal.SIGKILL:
            if left := leftovers(folder):
                faults.append(Fault("lost", f"{name} leaves no temporary files after {number.name}", f"{left}\n{seen}"))
            return faults
        again = run(arguments_of(self.bench, name), folder, stdin=COMMANDS[name].stdin)
        files, said = content(folder), again.stderr.decode("utf-8", "replace")[-4000:]
        expected = under(done.files, COMMANDS[name].target)
        if again.returncode:
            faults.append(Fault("difference", f"{name} succeeds after it was killed", said))
        elif not is_whole(name, files, done, expected) or (COMMANDS[name].target and not expected):
            faults.append(Fault("lost", f"{name} gives the same bytes after it was killed", said))
        elif left := leftovers(folder):
            faults.append(Fault("lost", f"{name} clears up after it was killed", str(left)))
        return faults


def _default_signals() -> None:
    """Let a command heed all signals, even if the campaign was started in the background or with nohup."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def prepare(folder: Path, name: str, done: Done) -> Content:
    """Put older content at the target: a file, or for a folder the result of the command."""
    target = COMMANDS[name].target
    expected = under(done.files, target)
    for path, raw in expected.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(OLD if path == target else raw)
    return under(content(folder), target)


def unusual(error: str, usual: str) -> list[str]:
    """Return the lines on standard error that are not there when nothing disturbs the command, progress aside."""

    def shape(line: str) -> str:
        return re.sub(r"[0-9.,]+", "#", line.strip())

    known = set(map(shape, usual.splitlines()))
    lines = [line for line in error.splitlines() if line.strip() and shape(line) not in known]
    return [line for line in lines if not re.search(r"\d+ %|about .* to the end", line)]
