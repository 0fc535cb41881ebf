"""Progress of a folder: files, tokens, speed and time left, in one line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from treevote.commands.parse_folder import Status
from treevote.terminal import EVERY, duration, is_quiet

AT_A_TERMINAL = 0.2
"""Seconds between two states of the line at a terminal."""


@contextmanager
def status_shown(stream: TextIO | None = None) -> Iterator[Callable[[Status], None]]:
    """Show the status of a run: at a terminal as one line that changes, else as a line every few seconds."""
    file = stream or sys.stderr
    if is_quiet():
        yield lambda status: None
        return
    shown = StatusLine(file)
    try:
        yield shown
    finally:
        shown.clear()


class StatusLine:
    """A line about a run; the clock returns seconds.

    Examples
    --------
    >>> now = iter([0.0, 10.0])
    >>> show = StatusLine(sys.stdout, lambda: next(now))
    >>> show(Status(25, 100, 5000, 2500, 10000))
    treevote: 25 of 100 files, 5,000 tokens, 500 tokens/s; about 30 s left
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._terminal = stream.isatty()
        self._start = self._last = clock()
        self._width = 0

    def __call__(self, status: Status) -> None:
        """Write the line if it is time."""
        now = self._clock()
        if now - self._last < (AT_A_TERMINAL if self._terminal else EVERY):
            return
        self._last = now
        seconds = max(now - self._start, 1e-9)
        speed = f", {status.tokens / seconds:,.0f} tokens/s" if status.tokens else ""
        left = ""
        if 0 < status.n_bytes <= status.total_bytes:
            rest = seconds * (status.total_bytes - status.n_bytes) / status.n_bytes
            left = f"; about {duration(rest)} left"
        line = f"treevote: {status.files:,} of {status.n_files:,} files, {status.tokens:,} tokens{speed}{left}"
        if self._terminal:
            self._stream.write("\r" + line.ljust(self._width))
            self._stream.flush()
            self._width = len(line)
        else:
            print(line, file=self._stream, flush=True)

    def clear(self) -> None:
        """Leave no line at a terminal."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
