"""The disconnect of a client: its request leaves the queue, and no more work is done for it.

An ASGI server tells of a disconnect if it is asked, once the whole request was read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

EVERY = 1.0
"""Seconds between two questions whether the client is still there; short requests are answered before the first."""


class DisconnectWatch:
    """A watch over the client of a request, while its answer is made."""

    def __init__(self, is_disconnected: Callable[[], Awaitable[bool]]) -> None:
        self.is_read = False  # before that, a question would take a part of the request
        self.has_gone = False
        self._is_disconnected = is_disconnected

    @contextmanager
    def cancelling(self) -> Iterator[None]:
        """Cancel the work of the block, and leave it, when the client disconnects."""
        task: Any = asyncio.current_task()
        watch = None

        def begin() -> None:
            nonlocal watch
            watch = asyncio.ensure_future(self._watch(task))

        timer = asyncio.get_running_loop().call_later(EVERY, begin)
        try:
            yield
        except asyncio.CancelledError:
            if not self.has_gone:
                raise
            task.uncancel()
        finally:
            timer.cancel()
            if watch is not None:
                watch.cancel()

    async def _watch(self, task: asyncio.Task[Any]) -> None:
        while not (self.is_read and await self._is_disconnected()):
            await asyncio.sleep(EVERY)
        self.has_gone = True
        task.cancel()
