"""``python -m benchmarks.load MODEL TEXT``: a server under load from this machine (Linux), beside ``treevote parse``.

Clients ask for the parses of short and of long texts, one after the other on a connection each; every answer is
compared with the bytes of ``treevote parse``. At the end a client sends half a body, and another one 100 MB. The last
column is the processor time of ``treevote parse`` for a token of the long text, without its start, over that of the
server for a token: 1 is the same speed.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from benchmarks.measure import ONE_CORE

TREEVOTE = (sys.executable, "-m", "treevote")
CLIENTS = (1, 8, 64)
SHORT, LONG = (200, 12), (60_000, 2)
"""Least length of a text in characters, and number of different texts."""

TICKS = os.sysconf("SC_CLK_TCK")


class Case(NamedTuple):
    """A text as a form, and the parse that the command line gives it."""

    form: bytes
    parse: str
    tokens: int
    cpu: float  # seconds of the command


class Answers(NamedTuple):
    """Seconds of all answers, the tokens of each parse (0 if it is not that of the command), sentences of refusal."""

    seconds: list[float]
    tokens: list[int]
    refused: list[str]

    @property
    def wrong(self) -> int:
        """Number of parses that are not those of the command."""
        return self.tokens.count(0)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("text", type=Path, help="running text, at least 150 kB")
    parser.add_argument("--seconds", type=float, default=20, help="time of each load (default 20)")
    asked = parser.parse_args()
    text = asked.text.read_text("utf-8")
    kinds = {name: [case(asked.model, part) for part in parts(text, *size)] for name, size in
             (("short", SHORT), ("long", LONG))}  # fmt: skip
    start = case(asked.model, "a").cpu
    usual = sum(one.cpu - start for one in kinds["long"]) / sum(one.tokens for one in kinds["long"])
    print("| texts | clients | requests/s | tokens/s | median, ms | p99, ms | refused | wrong | peak, MiB | speed |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for (name, cases), n in itertools.product(kinds.items(), CLIENTS):
        with server(asked.model) as (pid, port):
            load(port, cases, 1, 1.0)  # the first requests load what is not there yet
            before, began = cpu(pid), time.monotonic()
            answers = load(port, cases, n, asked.seconds)
            took, spent = time.monotonic() - began, (cpu(pid) - before) / max(sum(answers.tokens), 1)
            fields = (
                f"{len(answers.seconds) / took:.0f}",
                f"{sum(answers.tokens) / took:,.0f}",
                f"{1000 * statistics.median(answers.seconds):.0f}",
                f"{1000 * sorted(answers.seconds)[int(0.99 * (len(answers.seconds) - 1))]:.0f}",
                f"{len(answers.refused)} of {len(answers.seconds)}",
                f"{answers.wrong}",
                f"{peak(pid):.0f}",
                f"{usual / spent:.2f}",
            )
        print(f"| {name} | {n} | {' | '.join(fields)} |", flush=True)
        for problem in sorted({*answers.refused}):
            print(problem, file=sys.stderr)
    with server(asked.model, "--max-time", "5") as (pid, port):
        print(hostile(port, kinds["short"]))


def parts(text: str, length: int, n: int) -> list[str]:
    """Return different texts of whole paragraphs."""
    found, part = list[str](), ""
    for paragraph in itertools.cycle(text.split("\n\n")):
        part += f"{paragraph}\n\n"
        if len(part) >= length:
            found.append(part)
            part = ""
        if len(found) == n:
            break
    return found


def case(model: str, text: str) -> Case:
    """Return a text with its parse by the command line."""
    before = os.times()
    command = [*TREEVOTE, "parse", model, "-", "--format", "text"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True, env={**os.environ, **ONE_CORE})
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    form = urlencode({"tokenizer": "", "tagger": "", "parser": "", "data": text}).encode()
    parse = done.stdout.decode()
    return Case(form, parse, len(re.findall(r"(?m)^[0-9]+\t", parse)), used)


@contextmanager
def server(model: str, *options: str) -> Iterator[tuple[int, int]]:
    """Start a server; yield its process and port, and let it end."""
    command = [*TREEVOTE, "serve", model, "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **ONE_CORE})
    assert process.stderr is not None
    address = next(line for line in process.stderr if "serving " in line)
    try:
        yield process.pid, int(re.findall(r":([0-9]+)/", address)[0])
    finally:
        process.terminate()
        process.wait()


def load(port: int, cases: Sequence[Case], n_clients: int, seconds: float) -> Answers:
    """Ask with several clients at a time."""
    answers, end = Answers([], [], []), time.monotonic() + seconds

    def ask(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for number in itertools.count(first):
            if time.monotonic() > end:
                return
            one, begun = cases[number % len(cases)], time.monotonic()
            connection.request("POST", "/process", one.form, {"Content-Type": "application/x-www-form-urlencoded"})
            response = connection.getresponse()
            body = response.read()
            answers.seconds.append(time.monotonic() - begun)
            if response.status != 200:
                answers.refused.append(f"{response.status} {body.decode().strip()}")
            else:
                answers.tokens.append(one.tokens if json.loads(body)["result"] == one.parse else 0)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(n_clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def hostile(port: int, cases: Sequence[Case]) -> str:
    """Return what becomes of half a body and of 100 MB while eight clients ask."""
    found: list[int] = []

    def send(length: int, sent: bytes, times: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.putrequest("POST", "/process")
        connection.putheader("Content-Type", "application/x-www-form-urlencoded")
        connection.putheader("Content-Length", str(length))
        connection.endheaders()
        with suppress(OSError):  # the server does not take all
            for _ in range(times):
                connection.send(sent)
        found.append(connection.getresponse().status)

    bad = [threading.Thread(target=send, args=each) for each in ((1000, b"data=half", 1), (10**8, b"x" * 10**5, 1000))]
    for thread in bad:
        thread.start()
    answers = load(port, cases, 8, 8)
    for thread in bad:
        thread.join()
    return f"half a body, 100 MB: {sorted(found)}; beside them {answers.wrong} of {len(answers.seconds)} wrong"


def cpu(pid: int) -> float:
    """Return the processor seconds of a process."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / TICKS


def peak(pid: int) -> float:
    """Return the largest memory of a process so far, in MiB."""
    return int(re.findall(r"VmHWM:\s+([0-9]+)", Path(f"/proc/{pid}/status").read_text())[0]) / 1024


if __name__ == "__main__":
    main()
