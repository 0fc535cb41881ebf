"""Parallel work: the only module that calls joblib.

Tasks are plain functions of data. The user chooses their backend, by name or by ``joblib.parallel_config``.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from treevote.config import converted
from treevote.errors import ConfigError, TreevoteError, extra
from treevote.relay import Progress as Progress
from treevote.relay import relayed

R = TypeVar("R")

AHEAD = 8
"""Maximum number of tasks for each job that are running or whose results were not taken yet."""

JOBS_PER_CORE = 32
"""Maximum number of jobs for each core of this machine: more would only take its memory."""

CONNECT_WITHIN = 10
"""Timeout for an answer from the scheduler of a cluster, in seconds."""


@dataclass(frozen=True)
class Jobs:
    """Number of tasks at the same time, their backend, and a listener to their progress; no result depends on it.

    Attributes
    ----------
    n_jobs : int, optional
        1 runs in this thread without joblib; -1 is one job for each core; None is that of ``joblib.parallel_config``,
        else 1.
    backend : str, optional
        Name of a joblib backend; by default that of ``joblib.parallel_config``, else the one that suits the tasks.
    progress : callable, optional
        Called in this process, by one thread at a time.

    Examples
    --------
    >>> jobs = Jobs(progress=lambda *step: print(*step)).renamed("round 1: {}".format)
    >>> jobs.tell("training", 2, 10)
    round 1: training 2 10
    """

    n_jobs: int | None = 1
    backend: str | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        """Refuse a wrong number or backend: they may be asked for long after the beginning of the work."""
        n_jobs: int | None = converted(int | None, self.n_jobs, "jobs")
        object.__setattr__(self, "n_jobs", n_jobs)
        if n_jobs == 0:
            raise ConfigError("joblib cannot run 0 jobs; give a number from 1 on, or -1 for one for each core")
        if self.backend is not None:
            _parallel(self.n_jobs, self.backend, None)  # refuses an unknown one

    @classmethod
    def of(cls, jobs: int | Jobs) -> Jobs:
        """Return jobs, or so many of them."""
        return jobs if isinstance(jobs, Jobs) else cls(jobs)

    def map(
        self, function: Callable[..., R], items: Iterable[Any], *, prefer: Literal["processes", "threads"] | None = None
    ) -> Iterator[R]:
        """Apply a function to items, several at a time; yield the results in the order of the items.

        Items are taken only as results are, so both may be endless. The error of the first failing item comes after
        the results before it, independently of parallel tasks.

        Parameters
        ----------
        function : callable
            Called with an item, and with the keyword ``progress`` if there is one. For processes it must be
            importable, or a `functools.partial` of an importable function.
        items : iterable
            They may be taken from several threads, one at a time.
        prefer : {"processes", "threads"}, optional
            Backend if the user chose none: threads suit a function that spends its time in kernels; by default
            that of joblib.

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
            with relayed(self.progress) as report:
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
        """The same jobs without a progress."""
        return replace(self, progress=None)

    def renamed(self, rename: Callable[[str], str]) -> Jobs:
        """Return the same jobs, whose tasks have other names in the progress."""
        progress = self.progress
        if progress is None:
            return self
        return replace(self, progress=lambda name, done, total: progress(rename(name), done, total))


ONE_JOB = Jobs()
"""One task after the other, without a progress."""


def _map(function: Callable[..., R], items: Iterable[Any], parallel: Any, limit: int) -> Iterator[R]:
    """Yield the results in order, with at most ``limit`` tasks ahead of them."""
    from concurrent.futures import BrokenExecutor

    import joblib

    source = iter(items)
    call = functools.partial(joblib.delayed(_attempt), function, os.getpid())
    fed = taken = 0
    fault: Exception | None = None
    more = True

    def feed() -> Iterator[object]:
        """Yield tasks until results pile up: joblib itself would not wait until they are taken."""
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
            with _interrupts_held():
                started = parallel([joblib.delayed(bool)()])  # no work: it starts the workers
            list(started)
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
        problem = "a worker process was killed, perhaps for lack of memory; try fewer jobs, or backend threading"
        raise TreevoteError(problem) from broken
    if fault is not None:
        raise fault


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back within a block, and for good from the processes that it starts.

    They would write a traceback each; their parent ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # a process that workers need, whose start would let Ctrl-C through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def cluster(address: str) -> Iterator[None]:
    """Connect to a Dask cluster: within the block its workers run the tasks of jobs without a backend.

    Workers read and write files under the same names as this process, so they need the same disk. A worker that dies
    costs the tasks that it had: others do them again. ConfigError if Dask is not installed, no scheduler answers at the
    address (such as ``tcp://127.0.0.1:8786``), there are no workers, or one has another version of treevote or of a
    plug-in, or lacks it; TreevoteError if a task ended several workers.
    """
    with extra("dask", "a cluster needs Dask"):
        from distributed import Client, KilledWorker
    try:
        client: Any = Client(address, timeout=CONNECT_WITHIN)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as problem:
        message = f"no Dask scheduler answers at {address} ({problem}); start it, or check the address"
        raise ConfigError(message) from problem
    import joblib

    with client, joblib.parallel_config("dask"):
        _require_same_versions(client, address)
        try:
            yield
        except KilledWorker as killed:
            raise TreevoteError(
                "a task ended several workers of the cluster, perhaps for lack of memory; "
                "give them more memory, or start fewer on each machine"
            ) from killed


def _require_same_versions(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with workers that run another treevote or lack a plug-in."""

    def versions() -> dict[str, str]:  # a function within a function travels as code: treevote may be missing there
        import importlib.metadata

        try:
            own = str(importlib.import_module("treevote.version").__version__)
        except ImportError:
            return {}
        packages = [point.dist for point in importlib.metadata.entry_points(group="treevote.members") if point.dist]
        return {"treevote": own} | {str(package.name): str(package.version) for package in packages}

    expected, found = versions(), client.run(versions)
    if not found:
        raise ConfigError(f"the cluster at {address} has no workers; start some, with dask worker {address}")
    for worker, others in sorted(found.items()):
        for name, own in expected.items():
            if (other := others.get(name)) != own:
                problem = f"the worker {worker} has {f'{name} {other}' if other else f'no {name}'}"
                raise ConfigError(f"{problem}, this command has version {own}; install the same version everywhere")


def jobs_here(n_jobs: int) -> int:
    """Return a number of jobs of this machine as it is; ConfigError if it is far more than the cores can do."""
    most = JOBS_PER_CORE * (os.cpu_count() or 1)
    if n_jobs > most:
        remedy = f"give at most {most}, or -1 for one for each core"
        raise ConfigError(f"{n_jobs} jobs are more than {JOBS_PER_CORE} for each core of this machine; {remedy}")
    return n_jobs


def _parallel(n_jobs: int | None, backend: str | None, prefer: str | None) -> tuple[Any, int]:
    """Return the runner of tasks, and the maximum number of tasks ahead of the results taken."""
    import joblib  # slow to import, and not needed for one job

    settings: dict[str, Any] = {"n_jobs": n_jobs, "backend": backend, "prefer": prefer, "batch_size": 1}
    settings["max_nbytes"] = None  # no array may become a memory map: kernels would be compiled for read-only arrays
    try:
        try:
            parallel = joblib.Parallel(return_as="generator", **settings)
        except ValueError:  # some backends return all results at once, not one by one
            parallel = joblib.Parallel(**settings)
        return parallel, AHEAD * joblib.effective_n_jobs(parallel.n_jobs)
    except ValueError as problem:
        raise ConfigError(f"joblib cannot run {n_jobs} jobs with backend {backend}: {problem}") from problem


def _attempt(function: Callable[..., R], caller: int, item: object) -> tuple[R | None, TreevoteError | None]:
    """Return the result or the error, so that errors are raised in the order of the items."""
    if os.getppid() == caller:
        _end_with(caller)
    try:
        return function(item), None
    except TreevoteError as error:
        return None, error


@functools.cache
def _end_with(parent: int) -> None:
    """End this process, a worker, soon after its parent: if that was killed, it would wait for it forever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _close(outcomes: Any) -> None:
    """Stop the tasks that still run, without joblib's warning about them."""
    if isinstance(outcomes, Iterator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes.close()  # type: ignore[attr-defined]
