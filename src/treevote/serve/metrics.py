"""Counts of a server, in the text format of Prometheus (version 0.0.4); no content of a request is among them."""

from __future__ import annotations

from collections import Counter, defaultdict

from treevote.serve.answers import Answer


class Metrics:
    """Counts since the start of a server; used by the thread of the event loop alone."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._under_way = self._sentences = self._tokens = 0

    def begun(self) -> None:
        """Count a request that came in."""
        self._under_way += 1

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer of a route, and its time."""
        self._under_way -= 1
        self._requests[route, status] += 1
        self._seconds[route] += seconds

    def parsed(self, sentences: int, tokens: int) -> None:
        """Count a parsed text."""
        self._sentences += sentences
        self._tokens += tokens

    def answer(self, waiting: int) -> Answer:
        """Return all counts, and the number of requests that wait."""
        lines = ["# TYPE treevote_requests_total counter"]
        lines += [
            f'treevote_requests_total{{route="{route}",status="{status}"}} {count}'
            for (route, status), count in sorted(self._requests.items())
        ]
        lines.append("# TYPE treevote_request_seconds_total counter")
        lines += [f'treevote_request_seconds_total{{route="{r}"}} {s:.3f}' for r, s in sorted(self._seconds.items())]
        for name, kind, value in (
            ("sentences_total", "counter", self._sentences),
            ("tokens_total", "counter", self._tokens),
            ("requests_under_way", "gauge", self._under_way),
            ("requests_waiting", "gauge", waiting),
        ):
            lines += [f"# TYPE treevote_{name} {kind}", f"treevote_{name} {value}"]
        return Answer("\n".join([*lines, ""]).encode(), "text/plain; version=0.0.4; charset=utf-8")
