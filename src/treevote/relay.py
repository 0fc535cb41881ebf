"""Progress from other processes: datagrams over the loopback device.

The generators of joblib report finished tasks only, and a task may be a training of several minutes. Datagrams need no
further process, and a lost one loses nothing but progress.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

REPORT_EVERY = 0.1
"""Seconds between two messages of a task in another process, and the timeout of the inbox."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called after each step of a task with its name, the number of steps done, and their total."""


@contextmanager
def relayed(progress: Progress) -> Iterator[Progress]:
    """Yield a progress that can be pickled: tasks in any thread or process of this machine call it.

    An exception of the progress comes at the end of the block, if it was called for a task in another process.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox:
        inbox.settimeout(REPORT_EVERY)
        with suppress(OSError):  # without a loopback device, the progress of other processes is lost
            inbox.bind(("127.0.0.1", 0))
        relay = _Relay(inbox.getsockname()[1], os.urandom(8).hex(), progress)
        done = threading.Event()
        thread = threading.Thread(target=_listen, args=(inbox, relay, done), daemon=True)
        thread.start()
        try:
            yield relay
        finally:
            done.set()
            thread.join()
        if relay.fault is not None:
            raise relay.fault


class _Relay:
    """Calls a progress in its own process; pickled into another one, it sends datagrams instead."""

    def __init__(self, port: int, key: str, progress: Progress | None = None) -> None:
        self.port, self.key, self.progress = port, key, progress
        self.lock, self.last = threading.Lock(), -REPORT_EVERY
        self.fault: Exception | None = None  # of the progress, called for another process

    def __reduce__(self) -> tuple[object, ...]:
        return _Relay, (self.port, self.key)

    def __call__(self, name: str, done: int, total: int) -> None:
        if self.progress is not None:
            with self.lock:
                self.progress(name, done, total)
        elif (now := time.monotonic()) - self.last >= REPORT_EVERY or done >= total:
            self.last = now
            message = json.dumps([self.key, name[:200], done, total]).encode()
            with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outbox:
                outbox.sendto(message, ("127.0.0.1", self.port))


def _listen(inbox: socket.socket, relay: _Relay, stop: threading.Event) -> None:
    """Pass on the messages with the right key, until the tasks are done and no message is left."""
    while True:
        try:
            message = inbox.recv(4096)
        except OSError:
            if stop.is_set():
                return
            continue
        try:
            key, name, done, total = json.loads(message)
        except (TypeError, ValueError):  # no message of ours
            continue
        if key == relay.key and relay.fault is None:
            try:
                relay(name, done, total)
            except Exception as fault:
                relay.fault = fault
