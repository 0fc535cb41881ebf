"""The queue of a server: a few threads do the work, a bounded number of requests waits, equal work is done together."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from treevote.serve.answers import RequestError
from treevote.serve.limits import Limits

TOGETHER = 1 << 16
"""Maximum size in bytes of the requests that are done together, unless one alone is larger."""


@dataclass(eq=False)
class Task:
    """One piece of work: its data, and whether its result is still wanted."""

    work: Work
    data: bytes
    future: Future[Any] = field(default_factory=Future)

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits for the result."""
        return not self.future.cancelled()


Work: TypeAlias = Callable[[Sequence[Task]], Sequence[Any]]
"""Gives the result of each of several tasks, or an exception as its result; equal works are done in one call."""


class Queue:
    """Threads that take tasks in their order, each with all waiting tasks of equal work, up to `TOGETHER` bytes."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._tasks: deque[Task] = deque()
        self._changed = threading.Condition()
        for _ in range(limits.jobs):
            threading.Thread(target=self._serve, daemon=True).start()

    def __len__(self) -> int:
        """Return the number of waiting tasks."""
        return len(self._tasks)

    async def run(self, work: Work, data: bytes) -> Any:
        """Return the result of a task; RequestError with 429 if the queue is full, with 503 if the time is over."""
        task = Task(work, data)
        with self._changed:
            if len(self._tasks) >= self.limits.queue:
                raise RequestError(429, f"{self.limits.queue} requests are waiting already; try again later.")
            self._tasks.append(task)
            self._changed.notify()
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await asyncio.wrap_future(task.future)
        except TimeoutError:
            raise RequestError(503, f"No answer within {self.limits.seconds} seconds; send a shorter text.") from None
        finally:
            with self._changed, suppress(ValueError):  # it has ended, or its time is over
                self._tasks.remove(task)

    def _serve(self) -> None:
        while True:
            tasks = self._next()
            for task, result in zip(tasks, _done(tasks), strict=True):
                with suppress(InvalidStateError):  # nobody waits for it any more
                    if isinstance(result, Exception):
                        task.future.set_exception(result)
                    else:
                        task.future.set_result(result)

    def _next(self) -> list[Task]:
        """Wait for a task; return it with the waiting ones of equal work."""
        with self._changed:
            while True:
                while not self._tasks:
                    self._changed.wait()
                first = self._tasks.popleft()
                if first.is_wanted:
                    break
            found, size = [first], len(first.data)
            for task in [task for task in self._tasks if task.work == first.work]:
                size += len(task.data)
                if size > TOGETHER:
                    break
                self._tasks.remove(task)
                if task.is_wanted:
                    found.append(task)
            return found


def _done(tasks: Sequence[Task]) -> Sequence[Any]:
    """Return the results of tasks of equal work; where they fail together, those of each alone."""
    try:
        return tasks[0].work(tasks)
    except Exception as bug:
        return [bug] if len(tasks) == 1 else [_done([task])[0] for task in tasks]
