"""Workers that run campaigns in turns, for a time or a number of cases; the dead and the stuck among them; a table."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.campaigns.campaign import KINDS, Fault, Kind, faults_of, kept
from tests.campaigns.worker import CASE, CASES, CPU, FINDINGS, PLACES, SINCE, Board, Slice, board_of

ROOT = Path(__file__).parents[2]

TURN = 60.0
"""Seconds after which another campaign has its turn."""

PATIENCE = 5
"""Times its limit that a case may take where it does nothing, or other processes have the processor."""

EVERY = 30.0
"""Seconds between two lines of progress."""


@dataclass
class Plan:
    """Campaigns to run, with their folders and limits."""

    names: Sequence[str]
    folder: Path
    findings: Path
    seed: int = 0
    seconds: float = 60.0
    cases: int | None = None
    jobs: int = 1
    treebanks: Path | None = None


@dataclass
class Turn:
    """A slice in its process."""

    slice: Slice
    process: subprocess.Popen[str]
    board: Board
    limit: float
    end: float


@dataclass
class Runner:
    """Run a plan; `counts` has a row for each campaign: cases, CPU seconds, findings, and findings of each kind."""

    plan: Plan
    limits: dict[str, float]
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    _next: dict[str, int] = field(default_factory=dict)
    _turns: list[Turn] = field(default_factory=list)
    _started: int = 0
    _end: float = 0.0

    def run(self) -> dict[str, Counter[str]]:
        """Run until the time is up or all cases are done."""
        plan = self.plan
        self.counts = {name: Counter() for name in plan.names}
        self._next = dict.fromkeys(plan.names, 0)
        plan.folder.mkdir(parents=True, exist_ok=True)
        self._end, said = time.monotonic() + plan.seconds, time.monotonic()
        queue = list(plan.names)
        try:
            while queue or self._turns:
                rest = self._end - time.monotonic()
                while queue and len(self._turns) < plan.jobs and rest > 0:
                    self._start(queue.pop(0), self._end if plan.cases else min(self._end, time.monotonic() + TURN))
                if rest <= 0:
                    queue = []
                for turn in list(self._turns):
                    if again := self._judge(turn):
                        queue.append(again)
                if time.monotonic() - said > EVERY:
                    said = time.monotonic()
                    self._say(self._end - said)
                time.sleep(0.05)
        finally:
            for turn in self._turns:
                _kill(turn)
        return self.counts

    def _start(self, name: str, end: float, died: tuple[Kind, str, str] | None = None) -> None:
        plan, first = self.plan, self._next[name]
        self._started += 1
        board = str(plan.folder / f"board-{self._started}")
        Path(board).unlink(missing_ok=True)
        slice = Slice(
            name,
            plan.seed,
            first,
            sys.maxsize if plan.cases is None else plan.cases,
            max(0.0, end - time.monotonic()),
            str(plan.folder / "models"),
            str(plan.folder / f"scratch-{self._started}"),
            str(plan.findings),
            None if plan.treebanks is None else str(plan.treebanks),
            board,
            str(plan.folder / f"log-{self._started}"),
            died,
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.campaigns.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=None,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )
        assert process.stdin is not None
        here = board_of(board)
        process.stdin.write(json.dumps(slice._asdict()))
        process.stdin.close()
        self._turns.append(Turn(slice, process, here, self.limits[name], end))

    def _judge(self, turn: Turn) -> str | None:
        """Return the name of a campaign whose turn is over, if it has more to do; keep the case of a dead process."""
        code, since = turn.process.poll(), float(turn.board[SINCE])
        stuck = code is None and since and _is_stuck(turn, time.time() - since)
        if code is None and not stuck:
            return None
        name = turn.slice.campaign
        if stuck:
            with suppress(OSError):
                os.kill(turn.process.pid, signal.SIGUSR1)  # the stack goes to the log
            time.sleep(1)
        _kill(turn)
        self._turns.remove(turn)
        self._count(turn)
        log = Path(turn.slice.log).read_text("utf-8", "replace")[-8000:] if Path(turn.slice.log).exists() else ""
        if not stuck and code == 0:
            self._next[name] = int(turn.board[CASE])
            done = self.plan.cases is not None and self._next[name] >= self.plan.cases
            return None if done else name
        if not since:
            raise RuntimeError(f"the worker of {name} ended before its first case with code {code}")
        kind: Kind = "hang" if stuck else "crash"
        what = f"no end in {turn.limit:.0f} s" if stuck else f"ended with {code}"
        died: tuple[Kind, str, str] = (kind, f"{what}{_place(log)}", log)
        self._next[name] = int(turn.board[CASE]) + 1
        self._start(name, turn.end, died)  # the rest of the turn
        return None

    def _count(self, turn: Turn) -> None:
        row = self.counts[turn.slice.campaign]
        row["cases"] += int(turn.board[CASES])
        row["CPU"] += round(float(turn.board[CPU]))
        row["findings"] += int(turn.board[FINDINGS])
        for kind, place in zip(KINDS, PLACES, strict=True):
            row[kind] += int(turn.board[place])

    def _say(self, rest: float) -> None:
        under_way = Counter({turn.slice.campaign: int(turn.board[CASES]) for turn in self._turns})
        found = sum(row["findings"] for row in self.counts.values()) + sum(int(t.board[FINDINGS]) for t in self._turns)
        done = sum(row["cases"] for row in self.counts.values()) + under_way.total()
        names = ", ".join(under_way)
        print(f"{done:,} cases, {found:,} findings; now {names}; {max(0, rest):.0f} s left", flush=True)


def _is_stuck(turn: Turn, seconds: float) -> bool:
    """Tell whether a case takes too long: by its CPU time, if it is known, since the machine may be busy."""
    try:
        fields = Path(f"/proc/{turn.process.pid}/stat").read_text().rpartition(")")[2].split()
        busy = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") - float(turn.board[CPU])
    except (OSError, ValueError):
        busy = seconds
    return seconds > turn.limit and (busy > turn.limit / 2 or seconds > PATIENCE * turn.limit)


def replay(folder: Path) -> int:
    """Run the case of a finding again, in this process; return the number of faults."""
    from tests.campaigns.bench import Bench
    from tests.campaigns.catalogue import campaign_of

    finding = kept(folder)
    faulthandler.enable()  # a process that dies says where
    with tempfile.TemporaryDirectory(prefix="campaigns-") as room:
        campaign = campaign_of(finding.campaign, Bench(Path(room, "models"), Path(room)))
        faults: list[Fault] = faults_of(campaign, dict(finding.material))
    for fault in faults:
        print(f"{fault.kind}: {fault.law}\n{fault.seen}\n")
    print(f"{len(faults)} faults")
    return len(faults)


def as_table(counts: dict[str, Counter[str]]) -> str:
    """Return the counts as a table."""
    heads = ["cases", "CPU", *KINDS, "findings"]
    titles = ["cases", "CPU s", "tracebacks", "crashes", "hangs", "lost bytes", "differences", "findings"]
    total: Counter[str] = Counter()
    for row in counts.values():
        total.update(row)
    rows = [["campaign", *titles]]
    rows += [[name, *(f"{row[head]:,}" for head in heads)] for name, row in {**counts, "all": total}.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows)


def _place(log: str) -> str:
    """Return the line of the program at which a process was, by the log of `faulthandler`."""
    lines = [line for line in log.splitlines() if "treevote" in line or "skops" in line]
    return f" in {lines[0].strip().replace(str(ROOT), '')}" if lines else ""


def _kill(turn: Turn) -> None:
    with suppress(OSError):
        os.killpg(turn.process.pid, signal.SIGKILL)
    turn.process.wait()
