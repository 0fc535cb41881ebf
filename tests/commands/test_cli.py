"""The command line: help, exit codes, streams, signals and memory."""

from __future__ import annotations

import csv
import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer

import treevote
import treevote.batch.parsing as parsing
from tests.command_line import ONE, content, fails, invoke, run
from tests.paths import TOY
from treevote import terminal
from treevote.cli import COMMANDS, application
from treevote.cli.group import LEAST_MEMORY
from treevote.cli.options import PANELS
from treevote.ensemble.parser import EnsembleParser


def test_importing_it_is_cheap() -> None:
    heavy = {"conllu", "joblib", "networkx", "numba", "numpy", "rich", "scipy", "sklearn"}
    code = "import sys, treevote.cli; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not heavy & set(loaded.split())


def test_public_names_exist() -> None:
    assert all(getattr(treevote, name) is not None for name in treevote.__all__)
    assert dir(treevote) == sorted(treevote.__all__)
    with pytest.raises(AttributeError, match="no attribute 'votes'"):
        treevote.votes  # noqa: B018


def test_help_and_version() -> None:
    assert run("--version") == f"treevote {treevote.__version__}\n"
    listed = run("--help").partition("Commands:")[2]
    assert "..." not in listed  # each first sentence fits into a line of 80 columns
    for command in "train", "parse", "vote", "evaluate", "inspect", "quickstart":
        assert command in listed
        assert "Usage:" in run(command, "--help")


@pytest.mark.parametrize(
    ("command", "usage"),
    [("parse", "<MODEL> <INPUT>..."), ("train", "[<FILE>...]"), ("adapt", "<MODEL> [<TEXT>...]")],
)
def test_the_usage_spells_arguments_as_their_list(command: str, usage: str) -> None:
    text = run(command, "--help")
    assert text.startswith(f"Usage: root {command} [OPTIONS] {usage}\n")
    for name in re.findall(r"<\w+>(?:\.\.\.)?", usage):
        assert re.search(rf"^  {re.escape(name)}  +[A-Z]", text, re.MULTILINE)


def test_help_has_a_short_name_and_the_shell_completes_commands() -> None:
    assert run("-h") == run("--help")
    assert run("parse", "-h") == run("parse", "--help")
    environment = os.environ | {"_TREEVOTE_COMPLETE": "complete_bash", "COMP_WORDS": "treevote eva", "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "from treevote.cli import main; main()"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["evaluate"]


def test_options_stand_in_the_same_groups_in_every_command() -> None:
    group: Any = typer.main.get_command(application())
    context = group.make_context("treevote", ["quickstart"])
    panels: dict[str, set[str]] = {}
    for name, command in group.commands.items():
        own = command.panels(type(context)(command, info_name=name, parent=context))
        titles = [title for title in own if title not in ("Arguments", "Options")]
        assert titles == [title for title in PANELS if title in own]
        for title, records in own.items():
            for spelling, _ in records:
                panels.setdefault(spelling, set()).add(title)
        headings = re.findall(r"^(\w+):$", run(name, "--help"), re.MULTILINE)
        assert headings == list(own)
    assert {spelling: titles for spelling, titles in panels.items() if len(titles) > 1} == {}


def test_notices_that_need_no_action_are_for_the_verbose(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_verbose", False)
    monkeypatch.setattr(parsing, "parse_counted", lambda parser, treebank, given: (parser.parse(treebank), 3))
    for options, told in ([], 0), (["-v"], 1):
        said = invoke("parse", model, TOY, *options).stderr
        assert said.count("3 times a bounded search was cut short") == told


def test_quiet_tells_faults_only(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_quiet", False)  # of the process: afterwards it is what it was
    for name, code, lines in ((TOY, 0, 0), (tmp_path / "none", 1, 1)):
        result = invoke("-q", "parse", model, name)
        assert (result.exit_code, result.stderr.count("\n")) == (code, lines)
        assert bool(result.stdout) == (code == 0)


def test_a_full_disk_leaves_what_was_there(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "model"
    target.mkdir()
    for name, data in content(model).items():
        (target / name).write_bytes(data)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = fails("train", "--train", TOY, "-o", target, "--members", "lr-svm-forward")
    assert "No space left on device" in said
    assert content(target) == content(model)
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
def test_a_full_output_is_one_sentence(model: Path) -> None:
    assert "/dev/full: cannot write: No space left on device" in fails("parse", model, TOY, "-o", "/dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "treevote", "evaluate", TOY, TOY],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(b"treevote: <stdout>: cannot write: No space left on device")
    assert done.stderr.count(b"\n") == 1


def test_nobody_reads_on_and_nothing_is_said(model: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with open(write_end, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "treevote", "parse", model, TOY], stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupt_leaves_no_half_file(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        assert any(name.startswith(".treevote-") for name in os.listdir(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr(EnsembleParser, "parse_counted", interrupt)
    assert run("parse", model, TOY, "-o", tmp_path / "out.conllu", code=130).startswith("treevote: interrupted")
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_killed_runs_leave_nothing_for_long(model: Path, tmp_path: Path) -> None:
    def stop(number: signal.Signals) -> int:
        """Run a command until it waits for standard input; return its exit code."""
        command = [sys.executable, "-m", "treevote", "parse", str(model), "-", "-o", str(tmp_path / "out.conllu")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            before = set(os.listdir(tmp_path))
            while process.poll() is None and set(os.listdir(tmp_path)) <= before:
                time.sleep(0.01)
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
        assert said.count(b"\n") == (number != signal.SIGKILL)
        return process.returncode

    assert stop(signal.SIGTERM) == 143
    assert stop(signal.SIGHUP) == 129
    assert os.listdir(tmp_path) == []
    assert stop(signal.SIGKILL) == -9
    assert len(os.listdir(tmp_path)) == 1
    run("parse", model, TOY, "-o", tmp_path / "out.conllu")
    assert os.listdir(tmp_path) == ["out.conllu"]


def test_data_cannot_reach_the_terminal_as_control_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, system, faulty = tmp_path / "gold.conllu", tmp_path / "=1+1.conllu", tmp_path / "faulty.conllu"
    bad = "\x1b]0;x\x07\x9b31m\u202e"
    gold.write_text(ONE.replace("nsubj", bad), "utf-8")
    system.write_text(ONE.replace("nsubj", "=1+1"), "utf-8")
    faulty.write_text(ONE.replace("2\tnsubj", f"{bad}\tnsubj"), "utf-8")
    monkeypatch.chdir(tmp_path)
    said = fails("evaluate", gold, faulty)
    assert r"found '\x1b]0;x\x07\x9b31m\u202e'" in said
    for text in (
        said,
        run("evaluate", gold, system, gold),
        run("evaluate", "--json", gold, system, gold),
        run("evaluate", "--latex", gold, system, gold),
        run("evaluate", "--csv", gold, system.name, gold),
    ):
        assert not set(text) & set("\x1b\x07\x9b\u202e")
    cells = [cell for line in csv.reader(text.splitlines()) for cell in line]
    assert "'=1+1" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)


def test_want_of_memory_is_one_sentence(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhaust(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(EnsembleParser, "parse_counted", exhaust)
    assert "not enough memory" in fails("parse", model, TOY)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of the address space is not kept everywhere")
def test_too_little_memory_to_begin_is_one_sentence() -> None:
    limit = LEAST_MEMORY - 1
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit})); "
    code += "from treevote.cli import main; main()"
    for arguments, returned, said in (["evaluate", TOY, TOY], 1, "of memory for the process"), (["--help"], 0, "Usage"):
        command = [sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == returned
        assert said in (done.stderr if returned else done.stdout)
        assert done.stderr.count("\n") == returned


def test_the_end_of_the_process_calls_what_was_registered_and_keeps_output_and_code() -> None:
    code = "import atexit, treevote.cli as cli; from treevote.__main__ import main; run = cli.main; "
    code += "cli.main = lambda: (atexit.register(print, 'last words', end=''), run()); main()"
    for argument, returned, said in ("--version", 0, f"treevote {treevote.__version__}\n"), ("--no-such", 2, ""):
        command = [sys.executable, "-c", code, argument]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (returned, f"{said}last words")
        assert ("--no-such" in done.stderr) == bool(returned)


def test_linear_algebra_has_one_thread_unless_more_are_asked_for() -> None:
    code = "import os, sys, treevote.cli as cli; from treevote.__main__ import main; "
    code += "cli.main = lambda: print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules); main()"
    unset = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for added, n in ({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=unset | added, capture_output=True, text=True, check=True)
        assert done.stdout == f"{n} False\n"  # the library reads it when it is loaded


def test_the_options_of_other_commands_are_not_read() -> None:
    code = (
        "import typer, treevote.cli as cli; "
        "typer.Typer.__call__ = lambda self, **_: print(len(self.registered_commands)); "
    )
    code += "cli.main()"
    every = len(COMMANDS)
    for arguments, n in (["-q", "parse", "--help"], 1), (["prase"], every), (["--help"], every):
        command = [sys.executable, "-c", code, *arguments]
        assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) == n


def test_the_model_that_is_replaced_is_named(tmp_path: Path) -> None:
    arguments = "train", "--train", TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward"

    assert "replaced" not in invoke(*arguments).stderr
    year = time.strftime("%Y")
    for _ in range(2):
        line = invoke(*arguments).stderr.splitlines()[-1]
        assert line.startswith(f"treevote: replaced {tmp_path / 'model'}, a model of {year}-")
        assert line.endswith(": lr-svm-forward, trained on toy.conllu (12 sentences)")
    manifest = tmp_path / "model" / "manifest.json"
    manifest.write_text(re.sub(r'"version": \d+', '"version": 99', manifest.read_text("utf-8")), "utf-8")
    assert invoke(*arguments).stderr.rstrip().endswith(": damaged, or of another version of treevote")


@pytest.mark.parametrize(
    "arguments",
    [["parse"], ["train", "-o", "x"], ["prase"], ["parse", "m", "x", "--on-error", "cry"], ["train", "--beam", "0"]],
)
def test_bad_usage_has_exit_code_2(arguments: list[str]) -> None:
    assert "Usage:" in run(*arguments, code=2)


@pytest.mark.parametrize(
    ("arguments", "option", "found"),
    [
        (["parse", "m", "x", "-o", "--confidence"], "--output", "--confidence"),
        (["parse", "m", "x", "--output", "--json"], "--output", "--json"),
        (["train", "x", "-o", "--fast"], "--output", "--fast"),
        (["evaluate", "x", "y", "--report", "--csv"], "--report", "--csv"),
    ],
)
def test_an_option_is_no_value_of_another(
    arguments: list[str], option: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run(*arguments, code=2)
    assert option in said
    assert f"expected a value, found the option {found}" in said
    assert not os.listdir(tmp_path)


def test_a_shell_may_complete_behind_an_option_that_lacks_its_value() -> None:
    words = {"_TREEVOTE_COMPLETE": "complete_bash", "COMP_WORDS": "treevote parse m -o --json --", "COMP_CWORD": "5"}
    code = "import sys; sys.argv = ['treevote']; from treevote.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **words}, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert "--confidence" in done.stdout


def test_help_of_a_command_has_two_spellings_and_the_version_a_short_one() -> None:
    assert run("help", "train") == run("train", "--help")
    assert run("help") == run("--help")
    assert run("-V") == run("--version")
    assert "No such command 'tarin'" in run("help", "tarin", code=2)


def test_treebanks_to_train_on_stand_before_or_behind_their_option(tmp_path: Path) -> None:
    run("train", TOY, "-o", tmp_path / "one", "--members", "lr-svm-forward", "--folds", "0")
    run("train", "--train", TOY, "-o", tmp_path / "two", "--members", "lr-svm-forward", "--folds", "0")
    one, two = ((tmp_path / name / "manifest.json").read_bytes() for name in ("one", "two"))
    assert one == two
    assert "before or behind --train" in run("train", TOY, "--train", TOY, "-o", tmp_path / "x", code=2)
    assert "nothing to train on" in run("train", "-o", tmp_path / "x", code=2)
