"""A worker: what its functions return and raise comes through, and its end is an answer and not that of the server."""

from __future__ import annotations

import json
import operator
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.serve.test_udpipe import ALL, TEXT
from tests.serve.together import outcomes
from treevote.batch.joint import ParseJob
from treevote.conll.chunks import Chunk
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, TreevoteError
from treevote.serve.answers import RequestError
from treevote.serve.app import Server
from treevote.serve.catalogue import Catalogue
from treevote.serve.limits import Limits
from treevote.serve.queue import Queue, Run, Task
from treevote.serve.votes import asked
from treevote.serve.worker import InternalError, Worker, place_of


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker([partial(sys.setrecursionlimit, 1234)])
    yield worker
    worker.close()


def test_results_come_from_another_process(worker: Worker) -> None:
    assert worker.run(os.getpid) != os.getpid()
    assert worker.run(divmod, 17, 5) == (3, 2)
    assert worker.run(sys.getrecursionlimit) == 1234 != sys.getrecursionlimit()
    assert len(worker.run(operator.mul, b"x" * 1000, 10_000)) == 10_000_000


def test_faults_come_through_with_all_their_parts(worker: Worker) -> None:
    with pytest.raises(InputError) as fault:
        worker.run(Treebank.of, [(["a"], [7], ["x"])], "toy")
    assert str(fault.value) == "toy, sentence 1: token 1: expected a head in -1..1, found 7; correct it"
    assert (fault.value.path, fault.value.sentence) == ("toy", "1")
    with pytest.raises(RequestError, match=r"^Cannot read the request: expected an object in JSON\.$") as refusal:
        worker.run(asked, b"[]")
    assert (refusal.value.status, refusal.value.wait) == (400, 0)


def test_a_bug_comes_as_its_class_and_place_without_content(worker: Worker) -> None:
    with pytest.raises(InternalError) as bug:
        worker.run(json.loads, "secret")
    assert str(bug.value).startswith("JSONDecodeError at ")
    assert "decoder.py:" in place_of(bug.value)
    assert "secret" not in place_of(bug.value)


def test_a_process_that_ends_is_a_refusal_and_another_takes_its_place(worker: Worker) -> None:
    before = worker.run(os.getpid)
    with pytest.raises(RequestError, match="perhaps for lack of memory") as refusal:
        worker.run(os._exit, 1)
    assert refusal.value.status == 503
    assert worker.run(os.getpid) != before
    assert worker.run(sys.getrecursionlimit) == 1234


def test_a_call_that_takes_too_long_ends_its_process() -> None:
    worker = Worker(patience=0.2)
    with pytest.raises(RequestError, match="The work took too long") as refusal:
        worker.run(time.sleep, 60)
    assert refusal.value.status == 503
    assert worker.run(os.getpid) != os.getpid()
    worker.close()


def test_a_model_that_is_gone_leaves_the_others_to_a_new_process(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    worker = Worker([partial(read, tmp_path / "model")])
    worker.start()
    worker.ready()
    (tmp_path / "model").unlink()
    with pytest.raises(RequestError):
        worker.run(os._exit, 1)
    assert worker.run(divmod, 17, 5) == (3, 2)
    worker.close()


@pytest.mark.skipif(os.name == "nt", reason="its signals are others")
def test_the_server_alone_decides_on_signals(worker: Worker) -> None:
    process = worker.run(os.getpid)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(process, number)
    assert worker.run(os.getpid) == process


def test_a_closed_worker_has_no_process() -> None:
    worker = Worker()
    process = worker.run(os.getpid)
    worker.close()
    worker.close()
    assert not _is_running(process)


def test_the_process_ends_with_that_of_the_server() -> None:
    program = """
import os, signal, warnings
from treevote.serve.worker import Worker
if __name__ == "__main__":
    worker = Worker()
    worker.run(warnings.warn, "content of a request")
    print(worker.run(os.getpid), flush=True)
    {}
"""
    for end in ("os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "pass"):
        script = subprocess.run([sys.executable, "-c", program.format(end)], capture_output=True, text=True, timeout=60)
        end_of_wait = time.monotonic() + 20
        while _is_running(int(script.stdout)) and time.monotonic() < end_of_wait:
            time.sleep(0.05)
        assert not _is_running(int(script.stdout)), end
        assert script.stderr == ""


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


def test_a_task_that_ends_the_process_leaves_those_beside_it_alone() -> None:
    def deadly(tasks: Sequence[Task], run: Run) -> list[int]:
        return [run(os._exit, 1) if task.data == b"end" else run(len, task.data) for task in tasks]

    one, end, two = outcomes(deadly, (b"a", b"end", b"bb"))
    assert (one, two) == (1, 2)
    assert (type(end), end.status) == (RequestError, 503)


def test_a_process_that_ended_between_requests_is_replaced(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(self: ParseJob, inputs: list[Chunk]) -> object:
        raise AssertionError("runs in the process of the worker")

    server = Server(catalogue, Limits(jobs=1))
    client = TestClient(server.application())
    monkeypatch.setattr(ParseJob, "__call__", deadly)  # here, not there
    answer = client.post("/process", data=ALL | {"data": TEXT})
    assert answer.status_code == 200
    process, _ = server.queue._workers[0]._process  # type: ignore[misc]
    process.kill()
    process.join()
    assert client.post("/process", data=ALL | {"data": TEXT}).content == answer.content
    server.queue.close()


def test_a_model_that_is_gone_is_told_without_its_path_until_it_is_back(
    text_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, aside = tmp_path / "toy", tmp_path / "aside"
    shutil.copytree(text_model, folder)
    server = Server(Catalogue.of([str(folder)]), Limits(jobs=1))
    client = TestClient(server.application())
    answer = client.post("/process", data=ALL | {"data": TEXT})
    assert answer.status_code == 200
    folder.rename(aside)
    process, _ = server.queue._workers[0]._process  # type: ignore[misc]
    process.kill()
    process.join()
    for _ in range(2):
        refusal = client.post("/process", data=ALL | {"data": TEXT})
        assert refusal.status_code == 503
        assert refusal.text == "The server cannot do this now; its log tells why.\n"
    said = capsys.readouterr().err.splitlines()
    assert [line.startswith("treevote: ") and str(folder) in line for line in said] == [True, True]
    aside.rename(folder)
    assert client.post("/process", data=ALL | {"data": TEXT}).content == answer.content
    server.queue.close()


def test_processes_that_cannot_start_are_one_sentence() -> None:
    queue = Queue(Limits(jobs=2), [partial(os._exit, 1)])
    with pytest.raises(TreevoteError, match="a process ended while it loaded the models"):
        queue.start()
    queue.close()
