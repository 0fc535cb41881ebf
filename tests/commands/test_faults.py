"""The option ``--all-faults``, and warnings about labels and roots: each fault, each place, no change of the work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command_line import ONE, TWO, content, fails, invoke, run
from tests.paths import TOY
from treevote.commands.faults import require_no_faults
from treevote.errors import InputError

BAD = ONE.replace("\t2\t", "\t9\t").replace("\t0\t", "\t8\t")
SHORT = "1\tone\n\n"
ODD = "1\ta\t_\tFOO\t_\t_\t0\tbar:x\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot:y\t_\t_\n\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "model"
    run("train", "--train", TOY, "-o", path, "--members", "lr-svm-forward")
    return path


def test_all_faults_are_told_a_line_each_and_counted(tmp_path: Path) -> None:
    bad, worse = tmp_path / "bad.conllu", tmp_path / "worse.conllu"
    bad.write_text(ONE + BAD + TWO)
    worse.write_text(SHORT)
    result = invoke("train", "--train", TOY, bad, worse, "-o", tmp_path / "model", "--all-faults")
    assert (result.exit_code, result.stdout) == (1, "")
    first, second, third, last = result.stderr.splitlines()
    assert f"{bad}, line 4, sentence 2: expected a HEAD in 0..2, found '9'; " in first
    assert f"{bad}, line 5, sentence 2: expected a HEAD in 0..2, found '8'; " in second
    assert f"{worse}, line 1, sentence 1: expected 10 columns" in third
    assert last == f"treevote: {bad}, {worse}: found 3 faults; nothing was done; correct them"
    assert first + "\n" == fails("train", "--train", bad, "-o", tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_the_faults_of_a_folder_are_those_of_its_files(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.mkdir()
    for name, text in (("a.conllu", ONE), ("b.conllu", TWO)):
        (gold / name).write_text(text)
    good = invoke("evaluate", gold, gold, "--all-faults")
    assert good.exit_code == 0, good.stderr
    (gold / "b.conllu").write_text(BAD)
    bad = invoke("evaluate", gold, gold, "--all-faults")
    assert f"{gold / 'b.conllu'}, line 1, sentence 1: expected a HEAD in 0..2, found '9'" in bad.stderr


def test_heads_are_a_fault_where_they_are_read(model: Path, tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.conllu", tmp_path / "out.conllu"
    bad.write_text(BAD)
    assert invoke("parse", model, bad, "-o", out, "--all-faults").exit_code == 0
    for arguments in ("vote", bad, bad, "-o", out), ("evaluate", bad, bad), ("evaluate", TOY, TOY, "--train", bad):
        n_files = sum(argument == bad for argument in arguments)
        result = invoke(*arguments, "--all-faults")
        assert result.exit_code == 1
        assert result.stderr.endswith(f"found {2 * n_files} faults; nothing was done; correct them\n")


def test_files_without_fault_are_worked_on_as_ever(model: Path, tmp_path: Path) -> None:
    assert run("parse", model, TOY, "--all-faults") == run("parse", model, TOY)
    assert run("evaluate", TOY, TOY, "--all-faults") == run("evaluate", TOY, TOY)
    run("train", "--train", TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward", "--all-faults")
    assert content(tmp_path / "model") == content(model)


def test_faults_of_whole_files_are_told_too(model: Path, tmp_path: Path) -> None:
    wide = tmp_path / "wide.conllu"
    wide.write_text(ONE, "utf-16")
    lines = invoke("parse", model, wide, tmp_path / "none", "--all-faults").stderr.splitlines()
    assert len(lines) == 3
    assert "the file is UTF-16; convert it: iconv -f UTF-16 -t UTF-8; treevote parse reads it" in lines[0]
    assert "No such file" in lines[1]
    assert "found 2 faults" in lines[2]
    assert "standard input can be read once" in fails("parse", model, "-", "--all-faults")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no names for descriptors")
@pytest.mark.parametrize("command", ["parse", "train"])
def test_a_pipe_cannot_be_read_twice(command: str, model: Path, tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, SHORT.encode())
    os.close(write_end)
    pipe = f"/dev/fd/{read_end}"  # that of <(...)
    files = {"parse": (model, pipe, "-o", tmp_path / "out"), "train": (TOY, "--dev", pipe, "-o", tmp_path / "new")}
    said = f"--all-faults reads a file twice, and {pipe} can be read once; give a file\n"
    assert said in fails(command, *files[command], "--all-faults")
    assert os.read(read_end, 100) == SHORT.encode()
    os.close(read_end)


def test_faults_are_told_while_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    path.write_text(SHORT * 400_000)
    told = 0

    def tell(fault: InputError) -> None:
        nonlocal told
        told += 1
        if told == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        require_no_faults({"required": [path]}, tell, format="auto")
    assert told == 3


def test_labels_tags_and_roots_that_ud_does_not_know_are_warned_of(tmp_path: Path) -> None:
    odd = tmp_path / "odd.conllu"
    odd.write_text(ONE + ODD + ODD)
    expected = [
        f"{odd}: 2 tokens have a relation that is none of the 37 universal ones of UD 2: bar:x (2), first in line 4",
        f"{odd}: 2 tokens have a UPOS that is none of the 17 universal ones of UD 2: FOO (2), first in line 4",
        f"{odd}: 2 sentences have more than one root, first in line 4",
    ]
    warnings = [f"treevote: warning: {warning}" for warning in expected]
    trained = invoke("train", "--train", odd, TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward")
    assert trained.exit_code == 0
    assert [line for line in trained.stderr.splitlines() if "warning" in line] == warnings  # beside progress
    assert invoke("evaluate", odd, odd).stderr.splitlines() == warnings
    assert invoke("evaluate", TOY, TOY).stderr == ""


@pytest.mark.parametrize("convention", ["--ud", "--conllx"])
def test_trees_without_any_label_are_warned_of(convention: str, tmp_path: Path) -> None:
    bare, gold = tmp_path / "bare.conllu", tmp_path / "gold.conllu"
    gold.write_text(ONE)
    bare.write_text(ONE.replace("nsubj", "_").replace("root", "_"))
    said = f"treevote: warning: {bare}: no token has a label: every DEPREL is '_'; "
    for pair, times in ((gold, bare), 1), ((bare, gold), 1), ((bare, bare), 2), ((gold, gold), 0):
        told = invoke("evaluate", *pair, convention).stderr.splitlines()
        assert [line.startswith(said) for line in told] == [True] * times


def test_conllx_has_its_own_labels(tmp_path: Path) -> None:
    (tmp_path / "odd.conllx").write_text(ODD)
    assert invoke("evaluate", tmp_path / "odd.conllx", tmp_path / "odd.conllx").stderr == ""


def test_labels_that_nobody_could_learn_are_warned_of(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text(ONE.replace("nsubj", "nsubj:rare"))
    warning = f"{gold}: 1 token has a label that the training data do not have: nsubj:rare (1), first in line 1\n"
    assert invoke("evaluate", gold, gold, "--train", TOY).stderr == f"treevote: warning: {warning}"
    arguments = "--train", TOY, "--dev", gold, "-o", tmp_path / "model", "--members", "lr-svm-forward"
    assert warning in invoke("train", *arguments).stderr
