"""Answers to requests: a status, bytes and their type; an error is a status with one plain sentence."""

from __future__ import annotations

import json
from typing import NamedTuple

TEXT, JSON_TYPE = "text/plain; charset=utf-8", "application/json; charset=utf-8"


class Answer(NamedTuple):
    """The answer to a request."""

    body: bytes
    media_type: str = JSON_TYPE
    status: int = 200


class RequestError(Exception):
    """A request that cannot be served, with the status and the sentence of its answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status

    def told(self) -> Answer:
        """Return the error as an answer."""
        return Answer(f"{self}\n".encode(), TEXT, self.status)


def as_json(value: object) -> Answer:
    """Return a value as an answer in JSON."""
    return Answer(json.dumps(value, ensure_ascii=False).encode())
