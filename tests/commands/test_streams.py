"""Standard streams: all bytes or an error, buffered or not; closed streams do no harm."""

from __future__ import annotations

import fcntl
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command_line import invoke

SENTENCE = "1\tdogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n"
COMMAND = [sys.executable, "-m", "treevote"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX descriptors")
unbuffered = pytest.mark.parametrize("unbuffered", ["", "1"])
output = pytest.mark.parametrize(
    ("number", "unbuffered"),
    [(0, ""), (1, "1"), *(pytest.param(*rest, marks=pytest.mark.slow) for rest in ((0, "1"), (1, "")))],
)


def environment(unbuffered: str) -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": unbuffered}


@pytest.fixture(autouse=True, scope="module")
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the kernels of all commands here, so that none of them says that it compiles."""
    path = tmp_path_factory.mktemp("compiled") / "one.conllu"
    path.write_text(SENTENCE)
    for arguments in [*commands(path), ["evaluate", str(path), str(path), str(path)]]:
        assert invoke(*arguments).exit_code == 0


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    """Return a file that is longer than the buffer of a pipe."""
    path = tmp_path / "long.conllu"
    path.write_text(SENTENCE * 1500)
    return path


def commands(treebank: Path) -> list[list[str]]:
    """Return a command that writes bytes and one that writes text, both at length."""
    return [["vote", str(treebank), str(treebank)], ["show", str(treebank)]]


@output
def test_a_full_disk_is_one_sentence(number: int, unbuffered: str, treebank: Path, tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb") as out:
        done = subprocess.run(
            [*COMMAND, *commands(treebank)[number]],
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
            env=environment(unbuffered),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY)),
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"treevote: <stdout>: cannot write: File too large")
    assert done.stderr.count(b"\n") == 1


@output
def test_a_pipe_that_does_not_block_is_waited_for(number: int, unbuffered: str, treebank: Path) -> None:
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, fcntl.F_SETFL, os.O_WRONLY | os.O_NONBLOCK)
    command = [*COMMAND, *commands(treebank)[number]]
    expected = invoke(*commands(treebank)[number]).stdout_bytes
    assert len(expected) > 1 << 16
    with subprocess.Popen(command, stdout=write_end, env=environment(unbuffered), stderr=subprocess.DEVNULL) as process:
        os.close(write_end)
        with open(read_end, "rb") as pipe:
            first = pipe.read(1)
            time.sleep(0.3)  # so that it is full
            assert first + pipe.read() == expected
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
@unbuffered
@pytest.mark.parametrize(
    "arguments",
    ["--help", "--version", *(pytest.param(rest, marks=pytest.mark.slow) for rest in ("parse --help", "study --list"))],
)
def test_help_is_written_or_an_error_said(arguments: str, unbuffered: str) -> None:
    command = [*COMMAND, *arguments.split()]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, check=False, text=True, env=environment(unbuffered)
        )
    assert done.returncode == 1
    assert done.stderr.startswith("treevote: <stdout>: cannot write: No space left on device")
    assert done.stderr.count("\n") == 1


@unbuffered
def test_a_pipe_that_nobody_reads_ends_help_quietly(unbuffered: str) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with open(write_end, "wb") as pipe:
        done = subprocess.run(
            [*COMMAND, "--help"], stdout=pipe, stderr=subprocess.PIPE, check=False, env=environment(unbuffered)
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_command_that_waits_for_a_reader_can_be_stopped(treebank: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, *commands(treebank)[0]], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 143
        assert process.stderr.read() == b"treevote: interrupted; no half-written file was left behind\n"


@pytest.mark.parametrize(
    ("closed", "code"),
    [("<&-", 0), ("2>&-", 0), ("<&- 2>&-", 0), (">&-", 1), ("<&- >&-", 1), (">&- 2>&-", 1), ("<&- >&- 2>&-", 1)],
)
def test_closed_streams(closed: str, code: int, tmp_path: Path) -> None:
    messages = "" if "2>" in closed else "2>messages"
    command = f"{shlex.join(COMMAND)} --version {closed} {messages}"
    assert subprocess.run(command, shell=True, cwd=tmp_path, stdout=subprocess.DEVNULL, check=False).returncode == code
    if messages:
        said = (tmp_path / "messages").read_text()
        assert said.count("\n") == code
        assert "Traceback" not in said


def test_a_stream_by_its_path_keeps_what_was_written_before(tmp_path: Path) -> None:
    (tmp_path / "one.conllu").write_text(SENTENCE)
    vote = shlex.join([*COMMAND, "vote", "one.conllu", "one.conllu", "-q", "-o"])
    (tmp_path / "link").symlink_to("/dev/stdout")
    streams = {"/dev/stdout": ">> log", "/dev/stderr": "2>> log", "link": ">> log", "/dev//fd/1": ">> log"}
    for stream, redirected in streams.items():
        (tmp_path / "log").write_text("before\n")
        subprocess.run(f"{vote} {stream} {redirected}", shell=True, cwd=tmp_path, check=True)
        assert (tmp_path / "log").read_text() == f"before\n{SENTENCE}"


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("parse MODEL f >> f", "f"),
        ("parse MODEL g f -o /dev/stdout >> f", "f"),
        ("parse MODEL - < f >> f", "standard input"),
        ("text f >> f", "f"),
        ("text - -o /dev/fd/3 < f 3>> f", "standard input"),
        ("vote f g >> g", "g"),
    ],
)
def test_output_that_leads_into_an_input_is_refused(command: str, named: str, model: Path, tmp_path: Path) -> None:
    for name in ("f", "g"):
        (tmp_path / name).write_text(SENTENCE * 1500)
    done = subprocess.run(
        f"{shlex.join(COMMAND)} {command.replace('MODEL', shlex.quote(str(model)))}",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY)),
    )
    assert done.stderr.decode() == f"treevote: {named} is both read and written; name another output\n"
    assert done.returncode == 1
    assert {(tmp_path / name).read_text() for name in ("f", "g")} == {SENTENCE * 1500}


@pytest.mark.parametrize(("command", "times"), [("- < f > new", 1), ("f f > new", 2), ("f - < f > new", 2)])
def test_an_input_may_be_given_twice(command: str, times: int, model: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(SENTENCE)
    parse = shlex.join([*COMMAND, "parse", str(model), "-q"])
    subprocess.run(f"{parse} {command}", shell=True, cwd=tmp_path, check=True)
    assert (tmp_path / "new").read_text() == SENTENCE * times


def test_no_file_gets_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    (tmp_path / "one.conllu").write_text(SENTENCE)
    vote = shlex.join([*COMMAND, "vote", "one.conllu", "one.conllu"])
    done = subprocess.run(f"{vote} -o out.conllu <&- >&- 2>&-", shell=True, cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert (tmp_path / "out.conllu").read_text() == SENTENCE
    done = subprocess.run(f"{vote} - 2>said <&-", shell=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert (tmp_path / "said").read_text().startswith("treevote: <stdin>: cannot read")
    assert sorted(os.listdir(tmp_path)) == ["one.conllu", "out.conllu", "said"]


def test_processes_that_are_started_have_all_streams() -> None:
    child = "import sys; sys.exit(None in (sys.stdin, sys.stdout, sys.stderr))"
    code = f"""
import subprocess, sys
from treevote.cli.streams import open_streams
open_streams()
sys.exit(subprocess.call([sys.executable, "-c", {child!r}]))
"""
    done = subprocess.run(f"{shlex.join([sys.executable, '-c', code])} <&- >&- 2>&-", shell=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_characters_outside_the_encoding_are_escape_sequences(locale: str, tmp_path: Path) -> None:
    path = tmp_path / "dogs.conllu"
    path.write_text(SENTENCE)
    ascii_alone = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [*COMMAND, "evaluate", str(path), str(path), str(path)]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **ascii_alone})
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"dogs \u2212 dogs (2)" in done.stdout
