"""Limits of a server: what one request may take, and what all may take together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from treevote.serve.answers import RequestError

MAX_DROPPED = 64 << 20
"""Bytes beyond what is allowed that are read and dropped: many clients read no answer before they sent all."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server."""

    megabytes: int = 4  # maximum size of the body of a request, in MiB; more is refused with 413
    seconds: int = 60  # maximum time for the arrival of a request (then 408), and from there to its answer (then 503)
    queue: int = 64  # maximum number of requests that wait for a worker; more are refused with 429
    connections: int = 256  # maximum number of open connections; more are refused with 503
    jobs: int = 2  # number of processes that parse
    models: int = 0  # maximum number of models that clients may train and the server keeps
    training: int = 600  # maximum time of a training in seconds

    async def body(self, stream: AsyncIterator[bytes], length: str | None, expect: str | None = None) -> bytes:
        """Return the body of a request, read in time; one that is too large is dropped, up to `MAX_DROPPED` bytes.

        Nothing is read of a large body of a client that expects an answer first (``Expect: 100-continue``).
        """
        allowed = self.megabytes << 20
        large = RequestError(413, f"The request is larger than {self.megabytes} MiB; send the text in parts.")
        stated = int(length) if length is not None and length.isdecimal() else 0
        if stated > (allowed if expect else allowed + MAX_DROPPED):
            raise large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.seconds):
                async for part in stream:
                    size += len(part)
                    if size > allowed + MAX_DROPPED:
                        raise large
                    if max(size, stated) <= allowed:
                        parts.append(part)
                    else:
                        parts.clear()
        except TimeoutError:
            if max(size, stated) <= allowed:
                raise RequestError(408, f"The request did not arrive within {self.seconds} seconds.") from None
        if max(size, stated) > allowed:
            raise large
        return b"".join(parts)
