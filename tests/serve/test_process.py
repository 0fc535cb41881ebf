"""``treevote serve`` as a process: it starts, serves, finishes what is under way at a signal, and writes nothing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from tests.command_line import fails, invoke
from tests.serve.test_udpipe import ALL, GOLD, TEXT
from treevote.serve import app as door

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


@contextmanager
def serving(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server at a free port; yield it and its address, and end it."""
    command = [sys.executable, "-m", "treevote", "serve", "--jobs", "1", "--port", "0", *map(str, arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = next(line for line in process.stderr if "serving " in line)
        yield process, re.findall(r"http://\S+(?=/)", line)[0]
    finally:
        process.kill()
        process.wait()


def test_requests_under_way_are_answered_at_the_end(text_model: Path) -> None:
    before = sorted(text_model.rglob("*"))
    with serving(text_model) as (process, address):
        answers: list[httpx2.Response] = []

        def ask() -> None:
            answers.append(httpx2.post(f"{address}/process", data=ALL | {"data": f"{TEXT}\n\n" * 1000}, timeout=60))

        asking = threading.Thread(target=ask)
        asking.start()
        while "treevote_requests_under_way 2" not in httpx2.get(f"{address}/metrics").text:
            pass
        process.send_signal(signal.SIGTERM)
        asking.join(60)
        assert process.wait(60) == 0
        assert answers[0].status_code == 200
        assert answers[0].json()["result"].count("# newpar") == 2000
        assert process.stderr is not None
        assert process.stderr.read() == "treevote: stopped\n"
    assert sorted(text_model.rglob("*")) == before


def test_a_signal_at_once_after_the_start_is_no_fault(text_model: Path) -> None:
    with serving(text_model) as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_requests_under_way_are_answered_when_the_terminal_is_closed(text_model: Path) -> None:
    with serving(text_model) as (process, address):
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), 30) as client:
            body = urlencode({"data": GOLD}).encode()
            client.sendall(b"POST /process HTTP/1.1\r\nHost: a\r\nConnection: close\r\n")
            client.sendall(b"Content-Type: application/x-www-form-urlencoded\r\n")
            client.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body[:1])
            while "treevote_requests_under_way 2" not in httpx2.get(f"{address}/metrics").text:
                pass
            process.send_signal(signal.SIGHUP)
            client.sendall(body[1:])
            assert b" 200 " in client.recv(1000)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "treevote: stopped\n"


def test_who_sends_before_reading_reads_that_it_was_too_much(text_model: Path) -> None:
    with serving(text_model, "--max-size", 1) as (_, address):
        request = urllib.request.Request(f"{address}/process", b"x" * (20 << 20))
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)
        assert refused.value.code == 413
        assert refused.value.read() == b"The request is larger than 1 MiB; send the text in parts.\n"


def test_who_asks_before_sending_is_told_before_that_it_is_too_much(text_model: Path) -> None:
    with serving(text_model, "--max-size", 1) as (_, address):
        host, _, port = address.removeprefix("http://").partition(":")
        for size, answer in ((1 << 20) + 1, b" 413 "), (1 << 20, b" 100 "):
            with socket.create_connection((host, int(port)), 30) as client:
                client.sendall(b"POST /process HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n")
                client.sendall(b"Content-Length: %d\r\n\r\n" % size)
                assert answer in client.recv(1000)


def test_as_many_connections_are_served_as_allowed(text_model: Path) -> None:
    with serving(text_model, "--max-connections", 2) as (process, address), ExitStack() as stack:
        clients = [stack.enter_context(httpx2.Client()) for _ in range(3)]
        assert [client.get(f"{address}/health").status_code for client in clients] == [200, 200, 503]
        assert process.stderr is not None
        assert process.stderr.readline().startswith("treevote: Exceeded concurrency limit")


def test_half_a_body_and_garbage_leave_the_server_alone(text_model: Path) -> None:
    with serving(text_model, "--max-time", 1) as (process, address):
        host, _, port = address.removeprefix("http://").partition(":")
        half = b"POST /process HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        with (
            socket.create_connection((host, int(port)), 30) as slow,
            socket.create_connection((host, int(port)), 30) as bad,
        ):
            slow.sendall(half + b"Content-Length: 100\r\n\r\ndata=The")
            bad.sendall(b"\x00\x01garbage secret\r\n\r\n")
            assert b" 400 " in bad.recv(1000)
            assert httpx2.post(f"{address}/process", data={"data": GOLD}).json()["result"] == GOLD
            assert b" 408 " in slow.recv(1000)
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        assert httpx2.post(f"{address}/process", content=b"--secret", headers=kind).status_code == 400
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "treevote: Invalid HTTP request received.\ntreevote: stopped\n"


def test_nothing_is_done_for_a_client_that_has_gone(text_model: Path) -> None:
    with serving(text_model, "--max-size", 64) as (_, address):
        body = urlencode(ALL | {"data": f"{TEXT}\n\n" * 100_000}).encode()
        head = f"POST /process HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n"
        kind = "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall((head + kind).encode() + body)
            while "treevote_requests_under_way 2" not in httpx2.get(f"{address}/metrics").text:
                pass
        while 'route="/process",status=' not in (metrics := httpx2.get(f"{address}/metrics").text):
            pass
        assert 'route="/process",status="499"} 1\n' in metrics
        assert httpx2.post(f"{address}/process", data=ALL | {"data": TEXT}, timeout=60).status_code == 200


def test_headers_without_end_are_not_kept(text_model: Path) -> None:
    with serving(text_model) as (_, address):
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), 30) as endless, pytest.raises(ConnectionError):
            endless.sendall(b"GET /health HTTP/1.1\r\nX-A: " + b"a" * (100 << 20))
        assert httpx2.get(f"{address}/health").text == "ok\n"


def test_a_server_that_was_killed_starts_again_at_its_port(text_model: Path) -> None:
    with serving(text_model) as (process, address), httpx2.Client() as client:
        assert client.post(f"{address}/process", data={"data": GOLD}).status_code == 200
        process.kill()
        process.wait()
        with pytest.raises(httpx2.TransportError):
            client.post(f"{address}/process", data={"data": GOLD})
        with serving(text_model, "--port", address.rpartition(":")[2]) as (_, again):
            assert again == address
            assert client.post(f"{again}/process", data={"data": GOLD}).json()["result"] == GOLD


def test_what_cannot_be_served_is_one_sentence(tmp_path: Path, text_model: Path) -> None:
    assert "nowhere" in fails("serve", tmp_path / "nowhere")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "choose another --host or --port" in fails("serve", text_model, "--port", taken.getsockname()[1])
    assert len(fails("serve", text_model, "--host", "no such host").splitlines()) == 1


@pytest.mark.parametrize(
    ("address", "is_warned_of"), [("0.0.0.0", True), ("[::]", True), ("127.0.0.2", False), ("[::1]", False)]
)
def test_an_address_of_other_machines_is_warned_of(
    address: str, is_warned_of: bool, text_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any, started: Any) -> None:
        started(f"http://{address}:1/")

    monkeypatch.setattr(door, "run", stopped)
    said = invoke("serve", text_model, "--host", address).stderr
    assert ("the server asks for no password" in said) == is_warned_of
    assert f"serving toy-text-250101 at http://{address}:1/" in said


TRAINING = {"project_name": "toy", "train_samples": {"a": GOLD}, "base_model": None}


def test_what_a_killed_server_leaves_goes_with_the_next_start(
    text_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving(text_model, "--train", 1), serving(text_model, "--train", 1) as (process, _):
        living, killed = sorted(tmp_path.iterdir(), key=lambda folder: folder.stat().st_mtime_ns)
        Path(killed, "1").mkdir()
        process.kill()
        process.wait()
        assert killed.exists()
        with serving(text_model):
            assert killed.exists()  # a server without trainings has no folder, and removes none
        with serving(text_model, "--train", 1):
            assert not killed.exists()
            assert living.exists()
            assert len([*tmp_path.iterdir()]) == 2


def test_a_training_ends_with_the_server_and_leaves_nothing(
    text_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving(text_model, "--train", 1) as (process, address):
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert not any(folder.iterdir())
        assert httpx2.post(f"{address}/parser/models/train/start", json=TRAINING).json()["status"] == "success"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "treevote: stopped\n"  # also of the process that trains, which has its own
        assert not any(tmp_path.iterdir())
