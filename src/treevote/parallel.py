"""Work side by side: the one place that calls joblib.

Tasks are plain functions of data. Which backend carries them is the user's choice, by name or by
``joblib.parallel_config``; nothing here fixes one.
"""

from __future__ import annotations

import functools
import json
import secrets
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar

from treevote.errors import ConfigError, TreevoteError

R = TypeVar("R")

AHEAD = 8
"""Tasks for each job that may be finished or under way before their results are taken."""

CONNECT_WITHIN = 10
"""Seconds that the scheduler of a cluster has to answer."""

REPORT_EVERY = 0.1
"""Seconds between two messages of a task in another process, and between two looks at the inbox."""


Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of a task, the steps done and the steps in all, whenever a step is done."""


@dataclass(frozen=True)
class Jobs:
    """How many tasks run at the same time, and who is told of their progress; no result depends on it.

    Attributes
    ----------
    n_jobs : int, optional
        1 runs in this thread without joblib; -1 is one job for each core; None is what ``joblib.parallel_config`` says,
        else 1.
    backend : str, optional
        Name of a joblib backend; by default what ``joblib.parallel_config`` says, else what suits the tasks.
    progress : callable, optional
        Called in this process, by one thread at a time.

    Examples
    --------
    >>> told = Jobs(progress=lambda *step: print(*step)).renamed("round 1: {}".format)
    >>> told.tell("training", 2, 10)
    round 1: training 2 10
    """

    n_jobs: int | None = 1
    backend: str | None = None
    progress: Progress | None = None

    def map(
        self,
        function: Callable[..., R],
        items: Iterable[Any],
        *,
        prefer: Literal["processes", "threads"] | None = None,
    ) -> Iterator[R]:
        """Apply a function to items, several at a time; yield the results in the order of the items.

        Items are taken only as results are, so both may be endless. What the first failing item raises is raised
        after the results before it, whatever ran at the same time.

        Parameters
        ----------
        function : callable
            Called with an item; where there is a progress also with a keyword ``progress``, which hands on what it is
            told. From other processes of this machine that comes as datagrams: at most one each tenth of a second and
            task, and one that gets lost does no harm. For processes the function must be importable, or a
            `functools.partial` of such a function.
        items : iterable
            They may be taken from several threads, one at a time.
        prefer : {"processes", "threads"}, optional
            What suits the function where nobody chose a backend: threads if it spends its time in kernels, which run
            side by side in one process; by default joblib's default.

        Yields
        ------
        result of ``function``

        Raises
        ------
        ConfigError
            If joblib does not know the backend or the number of jobs.
        TreevoteError
            Those of ``function`` and ``items`` come through unchanged; also if a worker process was killed.

        Examples
        --------
        >>> import itertools
        >>> squares = Jobs().map(lambda number: number * number, itertools.count(1))
        >>> list(itertools.islice(squares, 3))
        [1, 4, 9]
        """
        if self.progress is not None:
            with _relayed(self.progress) as report:
                yield from self.silent.map(functools.partial(function, progress=report), items, prefer=prefer)
        elif self.n_jobs == 1:
            yield from map(function, items)
        else:
            yield from _map(function, items, *_parallel(self.n_jobs, self.backend, prefer))

    def tell(self, name: str, done: int, total: int) -> None:
        """Call the progress, if there is one."""
        if self.progress is not None:
            self.progress(name, done, total)

    @property
    def silent(self) -> Jobs:
        """The same jobs, told to nobody."""
        return replace(self, progress=None)

    def renamed(self, rename: Callable[[str], str]) -> Jobs:
        """Return the same jobs, told under other names."""
        progress = self.progress
        if progress is None:
            return self
        return replace(self, progress=lambda name, done, total: progress(rename(name), done, total))


ONE_JOB = Jobs()
"""One task after the other, told to nobody."""


def _map(function: Callable[..., R], items: Iterable[Any], parallel: Any, limit: int) -> Iterator[R]:
    """Yield the results in order, with at most ``limit`` tasks ahead of them."""
    source = iter(items)
    call = _delayed(function)
    fed = taken = 0
    fault: Exception | None = None
    more = True

    def feed() -> Iterator[object]:
        """Yield tasks until results pile up: joblib goes on while nobody takes them."""
        nonlocal fed, fault, more
        while more and fed - taken < limit:
            try:
                item = next(source)
            except StopIteration:
                more = False
            except Exception as error:  # joblib would raise it before the results of earlier items
                fault, more = error, False
            else:
                fed += 1
                yield call(item)

    try:
        with parallel:
            while more:
                outcomes = parallel(feed())
                try:
                    for result, error in outcomes:
                        taken += 1
                        if error is not None:
                            raise error
                        yield result
                finally:
                    _close(outcomes)
    except BrokenExecutor as broken:
        raise TreevoteError(
            "a worker process was killed, perhaps for want of memory; try fewer jobs, or backend threading"
        ) from broken
    if fault is not None:
        raise fault


@contextmanager
def cluster(address: str) -> Iterator[None]:
    """Connect to a Dask cluster: within the block its workers do what is asked of no named backend.

    Workers read and write files under the same names as this process, so they need the same disk.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://127.0.0.1:8786``.

    Raises
    ------
    ConfigError
        If Dask is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ConfigError("a cluster needs Dask, which is not installed; pip install 'treevote[dask]'") from None
    try:
        client: Any = Client(address, timeout=CONNECT_WITHIN)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as problem:
        raise ConfigError(
            f"no Dask scheduler answers at {address} ({problem}); start it, or check the address"
        ) from problem
    import joblib

    with client, joblib.parallel_config("dask"):
        yield


def _parallel(n_jobs: int | None, backend: str | None, prefer: str | None) -> tuple[Any, int]:
    """Return what runs tasks, and how many may be ahead of the results taken."""
    import joblib  # slow to import, and not needed for one job

    if n_jobs == 0:
        raise ConfigError("joblib cannot run 0 jobs; give a number from 1 on, or -1 for one for each core")

    try:
        # Nothing is to be turned into memory maps: kernels would be compiled again for read-only arrays.
        settings: dict[str, Any] = {
            "n_jobs": n_jobs,
            "backend": backend,
            "prefer": prefer,
            "batch_size": 1,
            "max_nbytes": None,
        }
        try:
            parallel = joblib.Parallel(return_as="generator", **settings)
        except ValueError:  # some backends can only return everything that they were fed
            parallel = joblib.Parallel(**settings)
        return parallel, AHEAD * joblib.effective_n_jobs(parallel.n_jobs)
    except ValueError as problem:
        raise ConfigError(f"joblib cannot run {n_jobs} jobs with backend {backend}: {problem}") from problem


def _delayed(function: Callable[..., Any]) -> Callable[[Any], object]:
    import joblib

    attempt = joblib.delayed(_attempt)
    return lambda item: attempt(function, item)


def _attempt(function: Callable[..., R], item: object) -> tuple[R | None, TreevoteError | None]:
    """Return the result or the error, so that errors are raised in the order of the items."""
    try:
        return function(item), None
    except TreevoteError as error:
        return None, error


def _close(outcomes: Any) -> None:
    """Stop what is still running; that it was not awaited is no news to the user."""
    if isinstance(outcomes, Iterator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes.close()  # type: ignore[attr-defined]


@contextmanager
def _relayed(progress: Progress) -> Iterator[Progress]:
    """Yield what tasks in any thread or process can call, since it can be pickled."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox:
        inbox.settimeout(REPORT_EVERY)
        with suppress(OSError):  # without a loopback device only tasks of this process are heard
            inbox.bind(("127.0.0.1", 0))
        here = _Here(progress, inbox.getsockname()[1])
        done = threading.Event()
        thread = threading.Thread(target=_listen, args=(inbox, here, done), daemon=True)
        thread.start()
        try:
            yield here
        finally:
            done.set()
            thread.join()


class _Here:
    """Reports in the process of the parent; pickled, it becomes a ``_There``."""

    def __init__(self, progress: Progress, port: int) -> None:
        self.progress, self.port, self.key = progress, port, secrets.token_hex(8)
        self.lock = threading.Lock()

    def __call__(self, name: str, done: int, total: int) -> None:
        with self.lock:
            self.progress(name, done, total)

    def __reduce__(self) -> tuple[object, ...]:
        return _There, (self.port, self.key)


class _There:
    """Reports from another process."""

    def __init__(self, port: int, key: str) -> None:
        self.port, self.key, self.last = port, key, -REPORT_EVERY

    def __call__(self, name: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.last < REPORT_EVERY and done < total:
            return
        self.last = now
        message = json.dumps([self.key, name[:200], done, total]).encode()
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outbox:
            outbox.sendto(message, ("127.0.0.1", self.port))


def _listen(inbox: socket.socket, here: _Here, stop: threading.Event) -> None:
    """Hand on the messages that know the key, until told to stop and nothing comes."""
    while True:
        try:
            message = inbox.recv(4096)
        except OSError:
            if stop.is_set():
                return
            continue
        with suppress(TypeError, ValueError):  # no message of ours
            key, name, done, total = json.loads(message)
            if key == here.key:
                here(name, done, total)
