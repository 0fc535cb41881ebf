"""Limits of a server: each is a plain answer, and requests after it are served as before."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from tests.serve.test_udpipe import ALL, GOLD, TEXT
from tests.serve.together import outcomes
from treevote.errors import ConfigError
from treevote.serve import udpipe
from treevote.serve.answers import RequestError
from treevote.serve.app import HEADERS, Server, listening, response_of
from treevote.serve.arborator import failure
from treevote.serve.catalogue import Catalogue
from treevote.serve.limits import MAX_DROPPED, Limits
from treevote.serve.queue import TOGETHER, Queue, Run, Task
from treevote.serve.texts import TextWork
from treevote.store import packages
from treevote.store.packages import InstalledModel

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_a_large_body_is_refused(catalogue: Catalogue) -> None:
    client = TestClient(Server(catalogue, Limits(megabytes=1)).application())
    text = GOLD * 4000
    assert len(text) > 1 << 20

    def parts() -> Any:
        yield b"data="
        yield from (b"x" * 1000 for _ in range(2000))

    for response in (
        client.post("/process", data={"data": text}),
        client.post("/process", content=parts(), headers=FORM),  # of no known length
    ):
        assert response.status_code == 413
        assert response.text == "The request is larger than 1 MiB; send the text in parts.\n"
    assert client.post("/process", data={"data": GOLD}).status_code == 200


@pytest.mark.parametrize("length", [None, str(3 << 20)])
def test_a_large_body_is_read_to_its_end_and_dropped(length: str | None) -> None:
    read: list[int] = []

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(3):
            read.append(1 << 20)
            yield b"x" * (1 << 20)

    with pytest.raises(RequestError, match="larger than 1 MiB") as refused:
        asyncio.run(Limits(megabytes=1).body(parts(), length))
    assert refused.value.status == 413
    assert len(read) == 3


@pytest.mark.parametrize("length", [None, str((1 << 20) + MAX_DROPPED + 1)])
def test_a_body_beyond_all_bounds_is_not_read_on(length: str | None) -> None:
    read: list[int] = []

    async def parts() -> AsyncIterator[bytes]:
        while len(read) < 1000:
            read.append(1 << 20)
            yield b"x" * (1 << 20)

    with pytest.raises(RequestError) as refused:
        asyncio.run(Limits(megabytes=1).body(parts(), length))
    assert refused.value.status == 413
    assert len(read) == (0 if length else 2 + (MAX_DROPPED >> 20))


def test_a_large_body_that_does_not_end_is_told_as_large() -> None:
    async def half() -> AsyncIterator[bytes]:
        yield b"x" * (2 << 20)
        await asyncio.sleep(60)

    with pytest.raises(RequestError) as refused:
        asyncio.run(Limits(megabytes=1, seconds=1).body(half(), None))
    assert refused.value.status == 413


def test_a_body_that_does_not_come_is_given_up() -> None:
    async def half() -> AsyncIterator[bytes]:
        yield b"data=The"
        await asyncio.sleep(60)

    with pytest.raises(RequestError, match="did not arrive within 1 seconds") as refused:
        asyncio.run(Limits(seconds=1).body(half(), "100"))
    assert refused.value.status == 408


def test_a_full_queue_and_a_long_task_are_answered(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    own = TextWork.__call__

    def slow(self: TextWork, tasks: Sequence[Task], run: Run) -> list[Any]:
        begun.set()
        go_on.wait(60)
        return own(self, tasks, run)

    async def requests() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(server.application())
        async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
            first = asyncio.create_task(client.post("/process", data=ALL | {"data": TEXT}))
            await asyncio.to_thread(begun.wait)
            second = asyncio.create_task(client.post("/process", data={"data": GOLD}))
            while not len(server.queue):
                await asyncio.sleep(0.01)
            metrics = await client.get("/metrics")
            third = await client.post("/process", data={"data": GOLD})
            late = await second, await first
            go_on.set()
            return [metrics, third, *late, await client.post("/process", data={"data": GOLD})]

    monkeypatch.setattr(TextWork, "__call__", slow)
    server = Server(catalogue, Limits(seconds=1, queue=1, jobs=1))
    server.queue.start()  # it may take longer than the requests
    metrics, third, second, first, last = asyncio.run(requests())
    server.queue.close()
    assert "treevote_requests_waiting 1\n" in metrics.text
    assert third.status_code == 429
    assert third.text == "The queue is full (1 waiting); try again later.\n"
    assert third.headers["Retry-After"] == "1"
    assert [first.status_code, second.status_code, last.status_code] == [503, 503, 200]
    assert first.text == "No answer within 1 seconds; send a shorter text.\n"
    assert last.json()["result"] == GOLD


def test_what_nobody_waits_for_is_not_done() -> None:
    begun, go_on = threading.Event(), threading.Event()
    seen: list[bytes] = []

    def blocked(tasks: Sequence[Task], run: Run) -> list[int]:
        begun.set()
        go_on.wait(60)
        return [0] * len(tasks)

    def noted(tasks: Sequence[Task], run: Run) -> list[int]:
        seen.extend(task.data for task in tasks)
        return [len(task.data) for task in tasks]

    async def requests() -> list[Any]:
        queue = Queue(Limits(jobs=1))
        first = asyncio.create_task(queue.run(blocked, b""))
        await asyncio.to_thread(begun.wait)
        others = [asyncio.create_task(queue.run(noted, data)) for data in (b"a", b"bb", b"c" * 100_000, b"dddd")]
        while len(queue) < len(others):
            await asyncio.sleep(0.01)
        others.pop(1).cancel()
        await asyncio.sleep(0.01)
        assert len(queue) == len(others)
        go_on.set()
        return await asyncio.gather(first, *others)

    assert asyncio.run(requests()) == [0, 1, 100_000, 4]
    assert b"bb" not in seen


def test_work_that_cannot_end_in_time_is_refused_before_it_begins() -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[bytes] = []

    def work(tasks: Sequence[Task], run: Run) -> list[int]:
        begun.set()
        go_on.wait(60)
        done.extend(task.data[:1] for task in tasks)
        return [len(task.data) for task in tasks]

    async def requests() -> list[Any]:
        queue = Queue(Limits(jobs=1, seconds=60))
        queue._pace.add(TOGETHER, TOGETHER / 1e5)  # 10 seconds for a megabyte
        first = asyncio.create_task(queue.run(work, b"a" * 10**7))  # too long, but nothing else is there
        await asyncio.to_thread(begun.wait)
        queue._under_way = 1_200_000
        others = [asyncio.create_task(queue.run(work, letter * 10**6)) for letter in (b"b", b"c", b"d", b"e", b"f")]
        await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
        assert len(queue) == 3  # 6 seconds for half of what is under way, 10 for each: the fourth would end after 46
        (late,) = (task for task in list(queue._tasks) if task.data[:1] == b"c")
        late.end = time.monotonic() - 1
        go_on.set()
        return await asyncio.gather(first, *others, return_exceptions=True)

    first, b, c, d, e, f = asyncio.run(requests())
    assert (first, b, d) == (10**7, 10**6, 10**6)
    assert str(c).startswith("No answer")
    assert str(e) == str(f) == "The queue takes too long (3 waiting); try again later."
    assert [refused.wait for refused in (c, e, f)] == [0, 18, 18]
    assert done == [b"a", b"b", b"d"]


def test_a_refusal_tells_when_to_ask_again() -> None:
    assert response_of(RequestError(503, "Too many.", 17.2).told()).headers["Retry-After"] == "18"
    assert "Retry-After" not in response_of(RequestError(503, "Too late.").told()).headers
    assert response_of(RequestError(429, "Too many.").told()).headers["Retry-After"] == "1"
    assert response_of(failure(RequestError(429, "Too many.", 17.2))).headers["Retry-After"] == "18"


def test_a_task_that_fails_leaves_those_beside_it_alone() -> None:
    sizes: list[int] = []

    def inverse(tasks: Sequence[Task], run: Run) -> list[float]:
        sizes.append(len(tasks))
        return [1 / int(task.data) for task in tasks]

    one, two, three = outcomes(inverse, (b"1", b"0", b"4"))
    assert (one, three) == (1, 1 / 4)
    assert isinstance(two, ZeroDivisionError)
    assert sizes == [3, 1, 1, 1]


def test_a_bug_is_an_answer_without_content(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(self: TextWork, tasks: Sequence[Task], run: Run) -> list[Any]:
        raise KeyError(tasks[0].data)

    monkeypatch.setattr(TextWork, "__call__", broken)
    client = TestClient(Server(catalogue, Limits()).application())
    response = client.post("/process", data={"data": "secret"})
    assert (response.status_code, response.text) == (500, "Internal error; the log of the server names the place.\n")
    said = capsys.readouterr().err
    assert said.startswith("treevote: internal error: KeyError at ")
    assert "secret" not in said
    monkeypatch.undo()
    assert client.post("/process", data={"data": GOLD}).json()["result"] == GOLD


def test_every_answer_has_the_headers_of_a_safe_page(client: TestClient) -> None:
    for path in ("/models", "/health", "/metrics", "/process", "/nothing", "/health/", "/../../etc/passwd"):
        response = client.get(path, follow_redirects=False)
        assert response.headers.items() >= {name.lower(): value for name, value in HEADERS.items()}.items()
    assert client.get("/nothing").text == client.get("/health/").text == "Not Found.\n"
    response = client.delete("/models")
    assert (response.status_code, response.text) == (405, "Method Not Allowed.\n")
    assert "POST" in response.headers["allow"]


def test_metrics_count_answers_and_no_content(catalogue: Catalogue) -> None:
    client = TestClient(Server(catalogue, Limits()).application())
    client.post("/process", data={"data": GOLD})
    client.get("/process?model=secret&data=x")
    client.get("/secret")
    client.delete("/models")
    assert client.get("/health").text == "ok\n"
    lines = client.get("/metrics").text.splitlines()
    assert 'treevote_requests_total{route="/process",status="200"} 1' in lines
    assert 'treevote_requests_total{route="/process",status="400"} 1' in lines
    assert 'treevote_requests_total{route="other",status="404"} 1' in lines
    assert 'treevote_requests_total{route="other",status="405"} 1' in lines
    assert "treevote_requests_under_way 1" in lines
    assert "treevote_sentences_total 3" in lines
    assert "secret" not in "".join(lines)


def test_a_taken_port_is_one_sentence() -> None:
    with listening("127.0.0.1", 0) as door, pytest.raises(ConfigError, match=r"port \d+: [^()]+; choose another"):
        listening("127.0.0.1", door.getsockname()[1])
    for host in ("no such host", ""):
        with pytest.raises(ConfigError, match=f"cannot listen at '{host}', port 0: "):
            listening(host, 0)


def test_the_second_part_of_an_answer_does_not_wait() -> None:
    with listening("127.0.0.1", 0) as door, socket.create_connection(door.getsockname()), door.accept()[0] as accepted:
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_names_of_models(catalogue: Catalogue) -> None:
    first, second = catalogue.models.values()
    assert [name for name in ("toy-text-250101", "toy-text", "toy", "") if catalogue.find(name) is first] == [
        "toy-text-250101",
        "toy-text",
        "toy",
        "",
    ]
    assert catalogue.find("plain") is second
    with pytest.raises(ConfigError, match="two models have the same name"):
        Catalogue([first, first])
    with pytest.raises(ConfigError, match="expected a name of letters"):
        Catalogue.of([f"a name={first.stored.path}"])
    assert udpipe.models(Catalogue([second])).body == (
        b'{"models": {"plain-one": ["parser"]}, "default_model": "plain-one"}'
    )


def test_an_installed_model_comes_with_its_licence(text_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = InstalledModel("en-toy", "1.0", "CC-BY-4.0", text_model)
    monkeypatch.setattr(packages, "installed_model", lambda name: found)
    monkeypatch.setattr("treevote.serve.catalogue.installed_model", lambda name: found)
    client = TestClient(Server(Catalogue.of(["en-toy"]), Limits()).application())
    answer = client.post("/process", data={"data": GOLD}).json()
    assert answer["model"] == "en-toy"
    assert answer["acknowledgements"][1:] == ["en-toy 1.0, CC-BY-4.0"]


def test_the_time_of_a_request_is_that_of_its_task() -> None:
    start = time.monotonic()
    with pytest.raises(RequestError) as late:
        asyncio.run(Queue(Limits(seconds=1)).run(lambda tasks, run: time.sleep(5) or [0], b""))  # type: ignore[func-returns-value]
    assert late.value.status == 503
    assert time.monotonic() - start < 5
