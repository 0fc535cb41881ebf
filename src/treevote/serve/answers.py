"""Answers to requests: a status, bytes and their type; an error is a status with one plain sentence."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

from treevote.visibility import visible

TEXT, JSON_TYPE = "text/plain; charset=utf-8", "application/json; charset=utf-8"


class Answer(NamedTuple):
    """The answer to a request; ``wait`` is the number of seconds after which to ask again, 0 if it is unknown."""

    body: bytes
    media_type: str = JSON_TYPE
    status: int = 200
    wait: int = 0


class RequestError(Exception):
    """A request that cannot be served: status and sentence of its answer, seconds after which it may be served.

    With the status 429 it is one second at least.
    """

    def __init__(self, status: int, sentence: str, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.status, self.wait = status, max(math.ceil(wait), int(status == 429))

    def __reduce__(self) -> tuple[object, ...]:
        return RequestError, (self.status, str(self), self.wait)

    def told(self) -> Answer:
        """Return the error as an answer."""
        return Answer(f"{visible(str(self))}\n".encode("utf-8", "replace"), TEXT, self.status, self.wait)


def as_json(value: object) -> Answer:
    """Return a value as an answer in JSON, with ``?`` for half of a character."""
    return Answer(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
