"""The workers of a server: processes that parse, each on a core of its own.

The server goes on when a process ends, for instance for lack of memory: the request is refused, and the next one has a
new process.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, TypeVar

from treevote.errors import TreevoteError
from treevote.serve.answers import RequestError

R = TypeVar("R")

_SPAWN = multiprocessing.get_context("spawn")  # a process with threads must not be copied
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class InternalError(Exception):
    """An unexpected exception of a worker: its class and its place."""


class Worker:
    """A process that runs functions for one thread, one after the other.

    Each new process begins with the ``first`` calls, which load models and kernels; their results are dropped. A
    process that works on one call for more than ``patience`` seconds is ended.
    """

    def __init__(self, first: Sequence[Callable[[], object]] = (), patience: float | None = None) -> None:
        self._first, self._patience = first, patience
        self._process: tuple[BaseProcess, Connection] | None = None

    def start(self) -> None:
        """Start the process, without waiting for it."""
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_serve, args=(theirs, self._first, gc.get_threshold()), daemon=True)
        with handled(signal.SIGINT, signal.SIG_IGN):  # the process inherits that
            process.start()
        theirs.close()  # the end of the process is the end of its connection
        self._process = process, ours
        atexit.register(self.close)

    def ready(self) -> None:
        """Wait for the first calls of a started process; if one fails, the process is closed."""
        try:
            self._result()
        except Exception:
            self.close()
            raise

    def run(self, function: Callable[..., R], *arguments: object) -> R:
        """Return the result of a function that can be imported; RequestError with 503 if that ended the process.

        Exceptions of the function come through: TreevoteError and RequestError unchanged, others as an `InternalError`.
        """
        if self._process is not None and not self._process[0].is_alive():
            self.close()  # it ended while it was idle
        if self._process is None:
            self.start()
            with suppress(TreevoteError):  # of a model that is gone, which a call for it tells
                self._result()
        assert self._process is not None
        with suppress(OSError):  # `_result` tells that the process ended
            self._process[1].send((function, arguments))
        found: R = self._result(self._patience)
        return found

    def close(self) -> None:
        """End the process, whatever it does: it writes nothing."""
        found, self._process = self._process, None
        if found is None:
            return
        process, connection = found
        atexit.unregister(self.close)
        process.kill()
        process.join()
        connection.close()

    def _result(self, seconds: float | None = None) -> Any:
        assert self._process is not None
        connection, problem = self._process[1], "The work ended its process, perhaps for lack of memory"
        try:
            if not connection.poll(seconds):
                problem = "The work took too long, and its process was ended"
                raise EOFError
            result, fault = connection.recv()
        except (EOFError, OSError):
            self.close()
            raise RequestError(503, f"{problem}; send a shorter text.") from None
        if fault is not None:
            raise fault
        return result


def place_of(bug: Exception) -> str:
    """Return the class of an exception and its place, without its message: that may have content of a request."""
    if isinstance(bug, InternalError):
        return str(bug)
    place = traceback.extract_tb(bug.__traceback__)[-1]
    return f"{type(bug).__name__} at {place.filename}:{place.lineno}"


def _serve(connection: Connection, first: Sequence[Callable[[], object]], collections: tuple[int, int, int]) -> None:
    """Answer calls until the server ends, which alone decides on signals, and on how often garbage is looked for."""
    gc.set_threshold(*collections)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        connection.send(_outcome(_all, first))
        warnings.simplefilter("ignore")  # they may have content of a request
        while True:
            connection.send(_outcome(*connection.recv()))


def _all(*calls: Callable[[], object]) -> None:
    for call in calls:
        call()


def _outcome(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, Exception | None]:
    """Return a result, or an exception that can be pickled."""
    try:
        return function(*arguments), None
    except (TreevoteError, RequestError) as fault:
        return None, fault
    except Exception as bug:
        return None, InternalError(place_of(bug))


@contextmanager
def handled(number: int, handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    """Give a signal another handler in the block; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
