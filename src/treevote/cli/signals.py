"""Ctrl-C, SIGTERM and SIGHUP end a command within two seconds, wherever it is, and leave no half-written file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import NoReturn

from treevote.files.temporaries import remove_pending

GRACE = 1.5
"""Seconds in which a command may end in its own way; a long kernel does not look at signals."""

SENTENCE = "interrupted; no half-written file was left behind"

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class Interruption(KeyboardInterrupt):
    """The command was asked to stop; ``code`` is the exit code of the signal: 130 for SIGINT, 143 for SIGTERM."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `Interruption` in the main thread on a signal, also where C code turned it into another exception.

    If that does not end the block in time, the process is ended. To be used once, around all that a process does.
    """
    received: list[int] = []
    inbox, outbox = socket.socketpair()
    outbox.setblocking(False)
    ended = threading.Event()
    threading.Thread(target=_watch, args=(inbox, ended), daemon=True).start()
    sys.unraisablehook = partial(_unraisable, received)
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    earlier = signal.set_wakeup_fd(outbox.fileno(), warn_on_full_buffer=False)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_leave_signals)
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup
            signal.signal(number, partial(_stop, received))
    try:
        yield
    except Exception as error:
        if received:
            raise Interruption(received[0]) from error
        raise
    finally:
        ended.set()
        _clear_up(received)
        signal.set_wakeup_fd(earlier)
        for number, handler in before.items():
            if not received:
                signal.signal(number, handler)
        outbox.close()


@contextmanager
def handled_inside() -> Iterator[None]:
    """Leave signals to a block within `stoppable`: it takes its time to end, and a signal is no fault then."""
    earlier = signal.set_wakeup_fd(-1)
    try:
        with suppress(Interruption):
            yield
    finally:
        signal.set_wakeup_fd(earlier)


def _leave_signals() -> None:
    """Let signals end a forked process at once: they are no signals to the command, whose wake-up channel it shares."""
    signal.set_wakeup_fd(-1)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _stop(received: list[int], number: int, frame: FrameType | None) -> NoReturn:
    for each in _SIGNALS:  # a second Ctrl-C must not break off the clearing up
        signal.signal(each, signal.SIG_IGN)
    if _is_importing(frame):
        _end(number)
    received.append(number)
    raise Interruption(number)


def _is_importing(frame: FrameType | None) -> bool:
    """Tell whether a module is being imported: an exception in the start of a C extension may crash the process."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _end(number: int) -> NoReturn:
    """Say the sentence, remove temporary files and end the process at once."""
    show_cursor = b"\x1b[?25h" if os.isatty(2) else b""
    with suppress(OSError):
        os.write(2, show_cursor + f"treevote: {SENTENCE}\n".encode())
    _leave(number)


def _leave(number: int) -> NoReturn:
    try:
        _clear_up([number])
    finally:
        os._exit(128 + number)


def _clear_up(received: list[int]) -> None:
    """Remove temporary files; after a signal end the workers, too: one without a task would wait for minutes."""
    if received:
        for process in multiprocessing.active_children():
            if process.pid is not None:
                with suppress(OSError):
                    os.kill(process.pid, _KILL)  # those of loky have no method for it
    remove_pending()


def _unraisable(received: list[int], fault: sys.UnraisableHookArgs) -> None:
    """After a signal say nothing of what a destructor, callback or second signal cannot hand on: the process ends."""
    if not received:
        sys.__unraisablehook__(fault)


def _watch(inbox: socket.socket, ended: threading.Event) -> None:
    """Wait for a signal; end the process in time if it has not ended by then."""
    with inbox:
        while number := next(iter(inbox.recv(1)), 0):
            if number not in _SIGNALS:
                continue
            deadline = time.monotonic() + GRACE
            if not ended.wait(GRACE):
                _end(number)
            time.sleep(max(0.0, deadline - time.monotonic()))  # the sentence was said; Python waits for workers
            _leave(number)
