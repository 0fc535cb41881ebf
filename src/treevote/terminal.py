"""Messages, progress and tables for the person at the terminal."""

from __future__ import annotations

import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TextIO

from treevote.compilation import CompilationState, listened
from treevote.parallel import Progress
from treevote.visibility import visible, visible_lines

EVERY = 5.0
"""Seconds between two lines of progress where the stream is no terminal."""

COMPILING = "compiling kernels"
"""Name of the compilation of kernels among the tasks."""

_quiet = False
_verbose = False
_announced = False


def be_quiet() -> None:
    """Show no progress, summaries, warnings and notices from now on, in this process."""
    global _quiet
    _quiet = True


def be_verbose() -> None:
    """Show notices from now on, in this process."""
    global _verbose
    _verbose = True


def is_verbose() -> bool:
    """Tell whether `be_verbose` was called."""
    return _verbose


def say(sentence: str) -> None:
    """Write one sentence to standard error, with its control characters visible, unless `be_quiet` was called."""
    if not _quiet:
        print(f"treevote: {visible(sentence)}", file=sys.stderr, flush=True)


def inform(text: str) -> None:
    """Write lines to standard error, with their control characters visible, unless `be_quiet` was called."""
    if not _quiet:
        print(visible_lines(text), file=sys.stderr, flush=True)


def fault(error: Exception) -> None:
    """Write the sentence of an error to standard error, also after `be_quiet`."""
    print(f"treevote: {visible(' '.join(str(error).split()))}", file=sys.stderr, flush=True)


def warn(sentence: str) -> None:
    """Say that something is probably wrong."""
    say(f"warning: {sentence}")


def notice(sentence: str) -> None:
    """Say something that calls for no action, if `be_verbose` was called."""
    if _verbose:
        say(sentence)


def tell(text: str) -> None:
    """Write lines to standard output, with their control characters visible; a line feed follows."""
    print(visible_lines(text), flush=True)


def announce(compiled: CompilationState) -> None:
    """Say, at the first kernel that is compiled, that this is once, and where the kernels are kept."""
    global _announced
    if _announced:
        return
    _announced = True
    if compiled.folder:
        say(f"compiling kernels that no earlier command needed; they are kept in {compiled.folder}")
    else:
        say(
            "compiling kernels, as every run will do: no folder to keep them in can be written to; "
            "name one in the environment variable TREEVOTE_CACHE_DIR"
        )


@contextmanager
def progress_shown(*, one_line: bool = False) -> Iterator[Progress]:
    """Show the progress of tasks, and an estimate of the time left, on standard error.

    A terminal gets a bar for each task, anything else a plain line every few seconds, ``one_line`` in which each takes
    the place of the one before; after `be_quiet` nothing is shown. The progress may be called from several threads,
    with a total of 0 where the end is not known.
    """
    if _quiet:
        yield lambda name, done, total: None
        return
    has_bars = sys.stderr.isatty() and not one_line
    with _bars() if has_bars else nullcontext(PlainLines(sys.stderr, one_line=one_line)) as show:

        def told(compiled: CompilationState) -> None:
            announce(compiled)
            show(COMPILING, compiled.done, 0)

        try:
            with listened(told):
                yield show
        finally:
            if isinstance(show, PlainLines):
                show.erase()


@contextmanager
def _bars() -> Iterator[Progress]:
    """Show a bar for each task, or lines where the terminal cannot move its cursor."""
    from rich.console import Console  # slow to import
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(file=sys.stderr)
    if console.is_dumb_terminal:
        yield PlainLines(sys.stderr)
        return
    name = TextColumn("{task.description}", markup=False)
    columns = name, BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    tasks: dict[str, TaskID] = {}
    lock = threading.Lock()
    with Bars(*columns, console=console, transient=True) as bars:

        def show(name: str, done: int, total: int) -> None:
            with lock:
                if name != COMPILING and COMPILING in tasks:
                    bars.remove_task(tasks.pop(COMPILING))
                title = visible(name if total else _state(name, done, total))
                if name not in tasks:
                    finished = {task.id for task in bars.tasks if task.finished}
                    for old in [old for old, task in tasks.items() if task in finished]:
                        bars.remove_task(tasks.pop(old))
                    tasks[name] = bars.add_task(title, total=total or None)
                elif done < bars.tasks[bars.task_ids.index(tasks[name])].completed:  # anew, as in another round
                    bars.reset(tasks[name])
                bars.update(tasks[name], completed=done, total=total or None, description=title)

        yield show


def _state(name: str, done: int, total: int) -> str:
    """Return the progress of a task in words."""
    return f"{name} {100 * done // total} %" if total else f"{name}: {done:,} done"


class PlainLines:
    """Progress as lines, at most one every few seconds, of all tasks that are under way; the clock returns seconds."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic, *, one_line: bool = False) -> None:
        self._stream, self._clock, self._one_line, self._width = stream, clock, one_line, 0
        self._tasks: dict[str, tuple[float, int, int, int]] = {}  # start, what was done then, what is done, total
        self._last: float | None = None
        self._latest = ""
        self._lock = threading.Lock()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Note the progress of a task, and write a line if it is time."""
        with self._lock:
            now = self._clock()
            if name != COMPILING:
                self._tasks.pop(COMPILING, None)
            self._latest = name
            start, first, before, _ = self._tasks.get(name, (now, done, 0, 0))
            if done < before:  # the same work anew, as in another round
                start, first = now, done
            self._tasks[name] = start, first, done, total
            self._last = now if self._last is None else self._last
            if now - self._last >= EVERY:
                self._last = now
                line = f"treevote: {visible(self._line(now))}"
                if self._one_line:
                    self._width = max(self._width, len(line))
                    line = "\r" + line.ljust(self._width)
                print(line, end="" if self._one_line else "\n", file=self._stream, flush=True)

    def erase(self) -> None:
        """Empty the one line: what is written next begins there."""
        if self._width:
            print(f"\r{' ' * self._width}\r", end="", file=self._stream, flush=True)

    def _line(self, now: float) -> str:
        under_way = {name: facts for name, facts in self._tasks.items() if not facts[3] or facts[2] < facts[3]}
        states, left = [], 0.0
        latest = {self._latest: self._tasks[self._latest]}
        for name, (start, first, done, total) in (under_way or latest).items():
            states.append(_state(name, done, total))
            if done > first and total:
                left = max(left, (now - start) * (total - done) / (done - first))
        return ", ".join(states) + (f"; about {duration(left)} to the end of this step" if left else "")


def duration(seconds: float) -> str:
    """Return a duration with a unit of a fitting size: ``0.4 s``, ``75 s``, ``67 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def size(n_bytes: int) -> str:
    """Return a number of bytes with a unit of a fitting size: ``648 B``, ``2.8 MB``."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.1f} {unit}"
    return f"{n_bytes} B"


WIDTH = 100
"""Columns that tables and sentences of a report take at the most."""


def wrapped(text: str, width: int = WIDTH) -> str:
    """Return a sentence in lines of at most so many columns."""
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def plural(n: int, thing: str) -> str:
    """Return a number with the name of the counted things: ``1 system``, ``2,077 sentences``."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as plain text: the first column to the left, numbers to the right; control characters are visible.

    >>> print(table(["", "LAS"], [["vote", "89.10"], ["lr-svm-forward", "8.36"]]))
                      LAS
    vote            89.10
    lr-svm-forward   8.36
    """
    from rich.cells import cell_len  # slow to import

    columns = [[visible(cell) for cell in column] for column in zip(header, *rows, strict=True)]
    for i, column in enumerate(columns):
        width = max(map(cell_len, column))
        spaces = [" " * (width - cell_len(cell)) for cell in column]
        columns[i] = [space + cell if i else cell + space for cell, space in zip(column, spaces, strict=True)]
    return "\n".join(map("  ".join, zip(*columns, strict=True)))
