"""Laws of working side by side: what comes out does not depend on how many work at it."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator

import joblib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treevote.errors import ConfigError, InputError, TreevoteError
from treevote.parallel import AHEAD, Jobs, Progress, jobs_here


def halve(number: int) -> int:
    if number % 2:
        time.sleep(0.02 if number == 1 else 0)  # the first fault is not the first to be found
        raise InputError(f"{number} is odd", path="numbers", line=number)
    return number // 2


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def held(number: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def count(name: str, progress: Progress) -> str:
    for step in range(1, 4):
        progress(name, step, 3)
        time.sleep(0.11)
    return name


_KILLED = """
import joblib, os, threading, time
from treevote.parallel import Jobs

threading.Timer(1, os.kill, (os.getpid(), 9)).start()
list(Jobs(2, "multiprocessing").map(time.sleep, [600, 600]))
"""


def take(results: Iterator[int]) -> tuple[list[int], str]:
    taken: list[int] = []
    try:
        for result in results:
            taken.append(result)
    except InputError as error:
        return taken, str(error)
    return taken, ""


@settings(max_examples=15)
@given(st.lists(st.integers(-3, 50).map(lambda n: 2 * n) | st.just(1) | st.just(3), max_size=40))
def test_results_and_faults_are_those_of_one_job(numbers: list[int]) -> None:
    assert take(Jobs(3, "threading").map(halve, numbers)) == take(Jobs().map(halve, numbers))


@pytest.mark.parametrize("backend", [None, "multiprocessing", "threading", "sequential"])
def test_every_backend_gives_the_same(backend: str | None) -> None:
    numbers = [2 * n for n in range(50)]
    assert list(Jobs(2, backend).map(halve, numbers)) == list(range(50))
    assert take(Jobs(2, backend).map(halve, [2, 4, 7, 1])) == (
        [1, 2],
        "numbers, line 7: 7 is odd",
    )


def test_items_are_taken_only_as_results_are() -> None:
    fed = 0

    def endless() -> Iterator[int]:
        nonlocal fed
        for fed in itertools.count(1):
            yield 2 * fed

    results = Jobs(2, "threading").map(halve, endless())
    taken = 0
    for taken in range(1, 200):
        assert next(results) == taken
        assert fed <= taken + 2 * AHEAD
    time.sleep(0.1)
    assert fed <= taken + 2 * AHEAD
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results.close()  # type: ignore[attr-defined]


def test_a_fault_of_the_items_comes_after_the_results_before_it() -> None:
    def items() -> Iterator[int]:
        yield from (2, 4, 6)
        raise InputError("the file is cut off")

    assert take(Jobs(2, "threading").map(halve, items())) == (
        [1, 2, 3],
        "the file is cut off",
    )


def test_the_backend_may_be_set_around_it() -> None:
    with joblib.parallel_config("threading", n_jobs=2):
        names = list(Jobs(None).map(lambda _: os.getpid(), range(4)))
    assert set(names) == {os.getpid()}


@pytest.mark.parametrize(("n_jobs", "backend"), [(0, None), (2, "lokky"), (1, "lokky")])
def test_what_joblib_does_not_know_is_a_configuration_error(n_jobs: int, backend: str | None) -> None:
    with pytest.raises(ConfigError, match="joblib cannot run"):
        Jobs(n_jobs, backend)


def test_workers_end_with_their_killed_parent() -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED], capture_output=True, timeout=60, check=False)  # to their end
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="a feature of POSIX")
def test_ctrl_c_is_for_the_parent_alone() -> None:
    """A worker would write a traceback, most of all while it starts; its parent ends it."""
    assert all(Jobs(2, "loky").map(held, range(4)))
    assert not held(0)


def test_a_killed_worker_is_one_error() -> None:
    with pytest.raises(TreevoteError, match="worker process was killed"):
        list(Jobs(2, "loky").map(die, [1, 2]))


@pytest.mark.parametrize(("n_jobs", "backend"), [(1, None), (2, "loky"), (2, "threading")])
def test_progress_comes_from_wherever_a_task_runs(n_jobs: int, backend: str | None) -> None:
    heard: dict[str, list[int]] = {"a": [], "b": []}

    def hear(name: str, done: int, total: int) -> None:
        assert total == 3
        heard[name].append(done)

    assert list(Jobs(n_jobs, backend, hear).map(count, "ab")) == ["a", "b"]
    assert heard == {"a": [1, 2, 3], "b": [1, 2, 3]}


@pytest.mark.parametrize(("n_jobs", "backend"), [(1, None), (2, "loky"), (2, "threading")])
def test_a_fault_of_the_progress_comes_from_wherever_a_task_runs(n_jobs: int, backend: str | None) -> None:
    def cancel(*step: object) -> None:
        raise ValueError("cancelled")

    with pytest.raises(ValueError, match="cancelled"):
        list(Jobs(n_jobs, backend, cancel).map(count, "ab"))


@pytest.mark.parametrize(
    ("jobs", "said"),
    [
        (0, "cannot run 0 jobs"),
        ("2", "jobs: expected a whole number, found '2'"),
        (1.5, r"jobs: expected a whole number, found 1\.5"),
        (True, "jobs: expected a whole number, found True"),
    ],
)
def test_a_number_of_jobs_that_cannot_be_is_refused_at_once(jobs: int, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Jobs.of(jobs)


def test_a_machine_has_a_greatest_number_of_jobs() -> None:
    assert jobs_here(-1) == -1
    with pytest.raises(ConfigError, match=r"1000000 jobs are more than \d+ for each core .*; give at most \d+, or -1"):
        jobs_here(10**6)
