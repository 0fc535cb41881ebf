"""Tasks that wait together, so that a worker takes them in one call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

from treevote.serve.limits import Limits
from treevote.serve.queue import Queue, Run, Task, Work


def outcomes(work: Work, texts: Sequence[bytes]) -> list[Any]:
    """Return the result of each text, or its exception; they wait while the only worker is at another task."""
    begun, go_on = threading.Event(), threading.Event()

    def blocked(tasks: Sequence[Task], run: Run) -> list[int]:
        begun.set()
        go_on.wait(60)
        return [0] * len(tasks)

    async def requests() -> list[Any]:
        first = asyncio.create_task(queue.run(blocked, b""))
        await asyncio.to_thread(begun.wait)
        waiting = [asyncio.create_task(queue.run(work, text)) for text in texts]
        while len(queue) < len(waiting):
            await asyncio.sleep(0.01)
        go_on.set()
        await first
        return await asyncio.gather(*waiting, return_exceptions=True)

    queue = Queue(Limits(jobs=1))
    found = asyncio.run(requests())
    queue.close()
    return found
