"""A command that is asked to stop does so within seconds, wherever it is, with its exit code and one sentence."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_RUN = """
import sys, time
from treevote.cli.signals import stoppable
from treevote.files.temporaries import temporary
from treevote.kernels import kernel

@kernel
def count(n):
    total = 0
    for i in range(n):
        total = (total * 31 + i) % 1000003
    return total

count(1)
with stoppable(), temporary(sys.argv[1]):
    if sys.argv[2] == "idle":
        import joblib
        with joblib.parallel_config("loky", n_jobs=2):
            joblib.Parallel()(joblib.delayed(abs)(-number) for number in range(4))
    print("ready", flush=True)
    if sys.argv[2] == "destructor":
        class Slow:
            def __del__(self):
                time.sleep(0.5)
        while True:
            Slow()
    if sys.argv[2] == "thread":
        import threading
        threading.Thread(target=time.sleep, args=(600,)).start()
        raise SystemExit(time.sleep(0.5))
    if sys.argv[2] == "worker":
        import multiprocessing
        multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,)).start()
    if sys.argv[2] == "import":
        import slow
    if sys.argv[2] == "turned":
        try:
            time.sleep(600)
        except KeyboardInterrupt:
            raise SystemError("error return without exception set")
    if sys.argv[2] == "together":
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP, signal.SIGTERM])
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP, signal.SIGTERM])
    if sys.argv[2] in ("kernel", "worker"):
        count(1 << 50)
    time.sleep(600)
"""

_SLOW = """
import time
try:
    time.sleep(600)
except KeyboardInterrupt:
    raise ImportError("initialization failed")
"""

_FORK = """
import multiprocessing, time
from treevote.cli.signals import GRACE, stoppable

with stoppable():
    process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
    process.start()
    time.sleep(0.2)
    process.terminate()
    process.join()
    time.sleep(GRACE + 0.5)
    print(process.exitcode)
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def stopped(target: Path, where: str, number: signal.Signals) -> tuple[int, str]:
    """Return the exit code and the standard error."""
    script = target.with_name("run.py")
    script.write_text(_RUN)
    target.with_name("slow.py").write_text(_SLOW)
    command = [sys.executable, str(script), str(target), where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
        return process.returncode, error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_kernel_is_left_and_no_file_stays(tmp_path: Path, number: signal.Signals) -> None:
    code, error = stopped(tmp_path / "target", "kernel", number)
    assert (code, error) == (128 + number, "treevote: interrupted; no half-written file was left behind\n")
    assert not list(tmp_path.glob(".*"))


def test_a_worker_ends_with_the_command(tmp_path: Path) -> None:
    code, error = stopped(tmp_path / "target", "worker", signal.SIGINT)  # it waits until nobody has the streams
    assert (code, error) == (130, "treevote: interrupted; no half-written file was left behind\n")


def test_idle_workers_end_with_the_command(tmp_path: Path) -> None:
    _, error = stopped(tmp_path / "target", "idle", signal.SIGTERM)  # it waits until nobody has the streams
    assert error.rstrip().endswith("treevote.cli.signals.Interruption: 15")
    assert not list(tmp_path.glob(".*"))


def test_elsewhere_the_block_is_left_by_an_exception(tmp_path: Path) -> None:
    code, error = stopped(tmp_path / "target", "sleep", signal.SIGTERM)
    assert code != 0
    assert error.rstrip().endswith("treevote.cli.signals.Interruption: 15")
    assert not list(tmp_path.glob(".*"))


def test_a_destructor_does_not_keep_the_signal_to_itself(tmp_path: Path) -> None:
    code, error = stopped(tmp_path / "target", "destructor", signal.SIGTERM)
    assert (code, error) == (143, "treevote: interrupted; no half-written file was left behind\n")


def test_of_two_signals_at_once_the_second_says_nothing(tmp_path: Path) -> None:
    code, error = stopped(tmp_path / "target", "together", signal.SIGWINCH)
    assert code != 0
    assert error.count("Traceback") == 1
    assert error.rstrip().endswith("treevote.cli.signals.Interruption: 1")


def test_a_signal_to_a_forked_process_is_none_to_the_command(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(_FORK)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{-signal.SIGTERM}\n", "")


def test_an_import_is_not_interrupted_but_ended(tmp_path: Path) -> None:
    code, error = stopped(tmp_path / "target", "import", signal.SIGHUP)
    assert (code, error) == (129, "treevote: interrupted; no half-written file was left behind\n")
    assert not list(tmp_path.glob(".*"))


def test_another_exception_after_a_signal_is_the_interruption(tmp_path: Path) -> None:
    _, error = stopped(tmp_path / "target", "turned", signal.SIGTERM)
    assert error.rstrip().endswith("treevote.cli.signals.Interruption: 15")


def test_threads_are_not_waited_for(tmp_path: Path) -> None:
    code, _ = stopped(tmp_path / "target", "thread", signal.SIGTERM)
    assert code == 143
    assert not list(tmp_path.glob(".*"))


_EARLY = """
import os, signal, time
from treevote import cli

def app(prog_name):
    os.kill(os.getpid(), signal.SIGHUP)
    time.sleep(60)

cli.application = lambda commands: app
cli.main()
"""


def test_a_signal_before_the_command_is_found_is_told_too() -> None:
    done = subprocess.run([sys.executable, "-c", _EARLY], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (129, "treevote: interrupted; no half-written file was left behind\n")
