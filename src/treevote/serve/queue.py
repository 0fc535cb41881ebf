"""The queue of a server: a bounded number of requests waits for a few workers, and equal work is done together."""

from __future__ import annotations

import asyncio
import itertools
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

from treevote.errors import TreevoteError
from treevote.serve.answers import RequestError
from treevote.serve.limits import Limits
from treevote.serve.worker import Worker

T = TypeVar("T")

TOGETHER = 1 << 16
"""Maximum size in bytes of the requests that are done together, unless one alone is larger."""

PATIENCE = 60
"""Seconds after the time for an answer, when the process that still works on a part of one is ended."""

SHARE = 0.75
"""Share of the time for an answer that the requests that wait may need: a forecast is no certainty."""

RECENT = 1 << 20
"""Bytes over which the time of one is averaged."""


@dataclass(eq=False)
class Task:
    """One piece of work: its data, and whether its result is still wanted."""

    work: Work
    data: bytes
    end: float = math.inf  # on the clock of `time.monotonic`; a result is not wanted later
    future: asyncio.Future[Any] | None = None  # of who waits for the result

    @property
    def is_wanted(self) -> bool:
        """Whether the result is still wanted."""
        return self.future is None or not self.future.cancelled()


Run: TypeAlias = Callable[..., Any]
"""Runs a function with its arguments in the process of a worker, and returns its result."""

Work: TypeAlias = Callable[[Sequence[Task], Run], Sequence[Any]]
"""Gives the result of each of several tasks, or an exception as its result; equal works are done in one call."""


def separately(answer: Callable[[T], Any], tasks: Sequence[T]) -> list[Any]:
    """Return the answer to each task, or its fault."""
    answers = []
    for task in tasks:
        try:
            answers.append(answer(task))
        except (TreevoteError, RequestError) as fault:
            answers.append(fault)
    return answers


class Queue:
    """Workers that take tasks in their order, each with all waiting tasks of equal work, up to `TOGETHER` bytes.

    A worker is a thread with a process. Work that cannot end in time is refused before it begins, by the time that a
    byte has taken so far. The ``first`` calls are those of each process, see `Worker`.
    """

    def __init__(self, limits: Limits, first: Sequence[Callable[[], object]] = ()) -> None:
        self.limits = limits
        self._tasks: deque[Task] = deque()
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[None]] = []  # the last one to become idle is woken first: its caches are warm
        self._pace = Pace()
        self._under_way = 0  # bytes that the threads work on
        self._workers = [Worker(first, limits.seconds + PATIENCE) for _ in range(limits.jobs)]
        for worker in self._workers:
            threading.Thread(target=self._serve, args=(worker, SimpleQueue()), daemon=True).start()

    def __len__(self) -> int:
        """Return the number of waiting tasks."""
        return len(self._tasks)

    def start(self) -> None:
        """Start all processes, before the first task; without it each starts with its first task.

        TreevoteError if one ends, or a model cannot be loaded.
        """
        first, *others = self._workers
        try:
            first.start()
            first.ready()  # the others find all kernels compiled
            for worker in others:
                worker.start()
            for worker in others:
                worker.ready()
        except RequestError:
            raise TreevoteError(
                "a process ended while it loaded the models, perhaps for lack of memory; give fewer --jobs or models"
            ) from None

    def close(self) -> None:
        """End all processes, after the last task."""
        for worker in self._workers:
            worker.close()

    async def run(self, work: Work, data: bytes) -> Any:
        """Return the result of a task.

        RequestError with 429 if the queue is full, with 503 if the time will not be enough, or is over.
        """
        limit, future = self.limits.seconds, asyncio.get_running_loop().create_future()
        with self._lock:
            if len(self._tasks) >= self.limits.queue:
                sentence = f"The queue is full ({self.limits.queue} waiting); try again later."
                raise RequestError(429, sentence, self._wait() / 2)
            task = Task(work, data, future=future)
            # an idle server begins whatever comes, so a wrong pace is corrected
            if self._tasks or self._under_way:
                task.end = time.monotonic() + limit
                wait = self._wait()
                if wait + len(data) * self._pace.seconds > SHARE * limit:
                    sentence = f"The queue takes too long ({len(self._tasks)} waiting); try again later."
                    raise RequestError(503, sentence, wait / 2)
            self._tasks.append(task)
            if self._idle:
                self._idle.pop().put(None)
        try:
            async with asyncio.timeout(limit):
                return await future
        except TimeoutError:
            raise self._late() from None
        finally:
            with self._lock:
                if task in self._tasks:  # its time is over, or its client has gone
                    self._tasks.remove(task)

    def _late(self) -> RequestError:
        return RequestError(503, f"No answer within {self.limits.seconds} seconds; send a shorter text.")

    def _wait(self) -> float:
        """Return the seconds, about, until a new task is begun."""
        size = self._under_way / 2 + sum(len(task.data) for task in self._tasks)  # half of it is done, about
        return size * self._pace.seconds / self.limits.jobs

    def _serve(self, worker: Worker, wake: SimpleQueue[None]) -> None:
        while True:
            with self._lock:
                tasks = self._next()
                size = sum(len(task.data) for task in tasks)
                self._under_way += size
                if not tasks:
                    self._idle.append(wake)
            if not tasks:
                wake.get()
                continue
            begun = time.monotonic()
            results = _done(tasks, worker.run)
            with self._lock:
                self._under_way -= size
                self._pace.add(size, time.monotonic() - begun)
            _tell(tasks, results)

    def _next(self) -> list[Task]:
        """Return the first waiting task with those of equal work; the list is empty if there is none."""
        found: list[Task] = []
        size, now = 0, time.monotonic()
        for task in list(self._tasks):
            if found and task.work != found[0].work:
                continue
            if found and size + len(task.data) > TOGETHER:
                break
            self._tasks.remove(task)
            if task.is_wanted and now + len(task.data) * self._pace.seconds > task.end:
                _tell([task], [self._late()])
            elif task.is_wanted:
                found.append(task)
                size += len(task.data)
        return found


class Pace:
    """The seconds that a byte of a task takes: the mean over recent tasks, 0 until there are some."""

    def __init__(self) -> None:
        self._bytes = self._seconds = 0.0

    def add(self, n_bytes: int, seconds: float) -> None:
        """Count a task; what was counted before counts the less, the larger the task is."""
        kept = RECENT / (RECENT + n_bytes)
        self._bytes, self._seconds = kept * self._bytes + n_bytes, kept * self._seconds + seconds

    @property
    def seconds(self) -> float:
        """The mean."""
        return 0.0 if self._bytes < TOGETHER else self._seconds / self._bytes


def _tell(tasks: Sequence[Task], results: Sequence[Any]) -> None:
    """Hand the results to those who wait, all of a loop at once: each call wakes it."""
    pairs = [(task.future, result) for task, result in zip(tasks, results, strict=True) if task.future is not None]
    for loop, own in itertools.groupby(pairs, lambda pair: pair[0].get_loop()):
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(_settle, list(own))


def _settle(pairs: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, result in pairs:
        if future.done():  # nobody waits for it any more
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)


def _done(tasks: Sequence[Task], run: Run) -> Sequence[Any]:
    """Return the results of tasks of equal work; where they fail together, those of each alone."""
    try:
        return tasks[0].work(tasks, run)
    except Exception as bug:
        return [bug] if len(tasks) == 1 else [_done([task], run)[0] for task in tasks]
