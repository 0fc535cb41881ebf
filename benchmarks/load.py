"""``python -m benchmarks.load MODEL TEXT``: a server under load from this machine (Linux), beside ``treevote parse``.

Clients ask for the parses of short and of long texts, one after the other on a connection each; every answer is
compared with the bytes of ``treevote parse``. At the end a client sends half a body, and another one 100 MB; then the
server is killed, and started again at its port. The last two columns are the processor time of ``treevote parse`` for a
token, without its start, over that of the server with all its processes, without its clients, for a token: 100 % is the
same speed. ``speed`` is beside the whole text, the median of several times during the load, ``files`` beside the same
texts as files of their own with ``--output-dir``. Memory that processes share is counted for each.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import operator
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from benchmarks.measure import ONE_CORE, run
from benchmarks.systems import TREEVOTE, System, treebank_files
from benchmarks.tables import Table, as_markdown

CLIENTS = (1, 8, 64)
FILES = 300_000  # least length in bytes of all files together, when texts are parsed as files of their own
SHORT, LONG = (200, 12), (60_000, 2)  # least length of a text in characters, and number of different texts
PARAGRAPH = 5  # number of sentences in a paragraph of the texts: the treebank does not tell where one ends

SLICES, STARTS = 8, 7
"""Number of parts of a load, with ``treevote parse`` measured before and after each, and of measurements of its start:
the speed of a machine that others use changes within minutes."""

WHOLE = 6
"""Number of times that the whole text is parsed by a command: its start, which is subtracted, changes by some tenths of
a second."""

TICKS = os.sysconf("SC_CLK_TCK")


class Case(NamedTuple):
    """A text, also as a form, and the parse that the command line gives it."""

    text: str
    form: bytes
    parse: str
    tokens: int
    cpu: float  # seconds of the command


class Answers(NamedTuple):
    """Seconds of all parses, the tokens of each (0 if it is not that of the command), sentences of refusal."""

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
    for table in loads(asked.model, asked.text.read_text("utf-8"), asked.seconds).values():
        print(as_markdown(table))


def load_of_small(data: Path, work: Path) -> Mapping[str, Table]:
    """Measure the load of a model of ``train --fast --from-text``, two minutes for each kind and number of clients."""
    folder = treebank_files(data, "UD_Hungarian-Szeged", work)
    model, _ = System("fast", ("--from-text", "--fast")).trained(folder)
    treebanks = "".join((folder / f"{name}.conllu").read_text("utf-8") for name in ("dev", "test"))
    sentences = re.findall(r"(?m)^# text = (.*)$", treebanks)
    paragraphs = (" ".join(sentences[i : i + PARAGRAPH]) for i in range(0, len(sentences), PARAGRAPH))
    return loads(str(model), "\n\n".join(paragraphs), 120.0)


def loads(model: str, text: str, seconds: float) -> Mapping[str, Table]:
    """Return the table of all loads, and what became of hostile requests and of a server that was killed."""
    kinds = {name: [case(model, part) for part in parts(text, *size)] for name, size in
             (("short", SHORT), ("long", LONG))}  # fmt: skip
    start, whole = statistics.median(case(model, "a").cpu for _ in range(STARTS)), case(model, (text + "\n\n") * WHOLE)
    columns = {"texts": 0, "clients": 0, "requests/s": 1, "tokens/s": 0, "median, ms": 0, "p99, ms": 0, "refused": 0,
               "wrong": 0, "peak, MiB": 0, "speed, %": 0, "files, %": 0}  # fmt: skip
    rows = []
    for (name, cases), n in itertools.product(kinds.items(), CLIENTS):
        usual, answers, took, used = [usual_cpu(model, whole, start)], Answers([], [], []), 0.0, 0.0
        with server(model) as (pid, port):
            load(port, cases, 1, 1.0)  # the first requests load what is not there yet
            for _ in range(SLICES):
                before, began = cpu(pid), time.monotonic()
                answers = Answers(*map(operator.add, answers, load(port, cases, n, seconds / SLICES)))
                took, used = took + time.monotonic() - began, used + cpu(pid) - before
                usual.append(usual_cpu(model, whole, start))
            memory = peak(pid)
        spent, ordered = used / max(sum(answers.tokens), 1), sorted(answers.seconds)
        row = (n, len(ordered) / took, sum(answers.tokens) / took, 1000 * statistics.median(ordered),
               1000 * ordered[int(0.99 * (len(ordered) - 1))], len(answers.refused), answers.wrong, memory,
               100 * statistics.median(usual) / spent, 100 * cpu_of_files(model, cases, start) / spent)  # fmt: skip
        rows.append([name, *row])
        print(name, *(f"{number:.1f}" for number in row), *sorted({*answers.refused})[:3], file=sys.stderr, flush=True)
    with server(model, "--max-time", "5") as (pid, port):
        ends = [hostile(port, kinds["short"])]
    ends.append(killed(model, kinds["short"]))
    return {"load": {"columns": columns, "rows": rows}, "load-ends": {"lines": ends}}


def usual_cpu(model: str, whole: Case, start: float) -> float:
    """Return the processor seconds of ``treevote parse`` for a token of a text, without its start."""
    return (case(model, whole.text).cpu - start) / whole.tokens


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


def cpu_of_files(model: str, cases: Sequence[Case], start: float) -> float:
    """Return the processor seconds of ``treevote parse`` for a token of texts as files, without its start."""
    with tempfile.TemporaryDirectory() as folder:
        size = tokens = 0
        for number, one in enumerate(itertools.cycle(cases)):
            if size >= FILES:
                break
            size += Path(folder, f"{number}.txt").write_bytes(one.text.encode())
            tokens += one.tokens
        used = run([*TREEVOTE, "parse", model, f"{folder}/*.txt", "--output-dir", f"{folder}/parsed"]).cpu
    return (used - start) / tokens


def case(model: str, text: str) -> Case:
    """Return a text with its parse by the command line."""
    used, _, parse = run([*TREEVOTE, "parse", model, "-", "--format", "text"], text)
    form = urlencode({"tokenizer": "", "tagger": "", "parser": "", "data": text}).encode()
    return Case(text, form, parse, len(re.findall(r"(?m)^[0-9]+\t", parse)), used)


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
    """Ask with several clients at a time; one that is refused waits as long as the answer says."""
    answers, end = Answers([], [], []), time.monotonic() + seconds

    def ask(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for number in itertools.count(first):
            if time.monotonic() > end:
                return
            one, begun = cases[number % len(cases)], time.monotonic()
            try:
                connection.request("POST", "/process", one.form, {"Content-Type": "application/x-www-form-urlencoded"})
                response = connection.getresponse()
                body = response.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                answers.refused.append("no answer")
                time.sleep(0.1)
                continue
            if response.status != 200:
                answers.refused.append(f"{response.status} {body.decode().strip()}")
                time.sleep(min(int(response.headers.get("Retry-After", 0)), max(0.0, end - time.monotonic())))
            else:
                answers.seconds.append(time.monotonic() - begun)
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


def killed(model: str, cases: Sequence[Case]) -> str:
    """Return what eight clients get of a server that is killed, and started again at its port."""
    found: list[Answers] = []
    with server(model) as (pid, port):
        asking = threading.Thread(target=lambda: found.append(load(port, cases, 8, 15)))
        asking.start()
        time.sleep(5)
        os.kill(pid, signal.SIGKILL)
        with server(model, "--port", str(port)):
            asking.join()
    (answers,) = found
    n = len(answers.seconds)
    return f"killed and started again: {answers.wrong} of {n} wrong, {len(answers.refused)} connections broke off"


def processes(pid: int) -> list[Path]:
    """Return the folders of a process and of all that it started."""
    found = Path(f"/proc/{pid}")
    children = (pid for file in found.glob("task/*/children") for pid in file.read_text().split())
    return [found, *(folder for child in children for folder in processes(int(child)))]


def cpu(pid: int) -> float:
    """Return the processor seconds of a process and of those that it started."""
    stats = [Path(folder, "stat").read_text().rpartition(")")[2].split() for folder in processes(pid)]
    return sum(int(ticks) for stat in stats for ticks in stat[11:13]) / TICKS  # of the user, and of the system


def peak(pid: int) -> float:
    """Return the largest memory so far of a process and of those that it started, in MiB; what they share, for each."""
    status = [Path(folder, "status").read_text() for folder in processes(pid)]
    return sum(int(re.findall(r"VmHWM:\s+([0-9]+)", each)[0]) for each in status) / 1024


if __name__ == "__main__":
    main()
