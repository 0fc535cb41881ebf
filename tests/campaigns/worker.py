"""The process in which cases run: it announces each on a board that its parent can read, even after a crash."""

from __future__ import annotations

import faulthandler
import json
import resource
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tests.campaigns.campaign import KINDS, Fault, Finding, Kind, faults_of, generator

Board: TypeAlias = "np.memmap[Any, np.dtype[np.float64]]"

CASE, SINCE, CASES, CPU, FINDINGS, *PLACES = range(5 + len(KINDS))
"""Slots of the board: the current case, its start, earlier cases and CPU time, findings in all and of each kind."""

EXAMPLES = 20
"""Findings of one law that are kept; of more, only the number."""


class Slice(NamedTuple):
    """Cases of a campaign, up to a number or a time."""

    campaign: str
    seed: int
    first: int
    last: int
    seconds: float
    models: str
    scratch: str
    findings: str
    treebanks: str | None
    board: str
    log: str
    died: tuple[Kind, str, str] | None = None
    """Outcome of the case before the first; the case is made again, to be kept."""


def board_of(path: str) -> Board:
    """Return a board, empty if it is new."""
    file = Path(path)
    if not file.exists():
        file.write_bytes(bytes(8 * (5 + len(KINDS))))
    return np.memmap(file, np.float64, "r+")


def work(slice: Slice) -> None:
    """Run the cases of a slice."""
    from tests.campaigns.bench import Bench
    from tests.campaigns.catalogue import campaign_of

    board = board_of(slice.board)
    scratch = Path(slice.scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    bench = Bench(Path(slice.models), scratch, None if slice.treebanks is None else Path(slice.treebanks))
    campaign = campaign_of(slice.campaign, bench)
    if slice.died is not None:
        case = slice.first - 1
        material = campaign.make(generator(slice.seed, slice.campaign, case))
        _keep(Finding(slice.campaign, slice.seed, case, Fault(*slice.died), material), Path(slice.findings), board)
    if campaign.memory is not None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + campaign.memory
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    end = time.monotonic() + slice.seconds
    for case in range(slice.first, slice.last):
        if time.monotonic() >= end:
            break
        board[CASE] = case
        board[SINCE] = time.time()
        material = campaign.make(generator(slice.seed, slice.campaign, case))
        for fault in faults_of(campaign, material):
            _keep(Finding(slice.campaign, slice.seed, case, fault, material), Path(slice.findings), board)
        board[CASES] += 1
        board[CPU] = _cpu()
    board[SINCE] = 0
    board[CASE] = max(board[CASE] + 1, slice.first)


def _keep(finding: Finding, folder: Path, board: Board) -> None:
    board[FINDINGS] += 1
    board[PLACES[KINDS.index(finding.fault.kind)]] += 1
    law = "".join(c if c.isalnum() else "-" for c in finding.fault.law)[:80]
    place = folder / finding.campaign / law
    if not place.exists() or len(list(place.iterdir())) < EXAMPLES:
        finding.keep(place)


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    """Run the slice from standard input."""
    facts = json.loads(sys.stdin.read())
    slice = Slice(**facts)
    with open(slice.log, "w", encoding="utf-8") as log:
        faulthandler.enable(log)
        faulthandler.register(signal.SIGUSR1, log)
        work(slice)


if __name__ == "__main__":
    main()
