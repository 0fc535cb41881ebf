"""Laws of folders: each output is that of its input alone, whatever happened to the others and to the run before."""

from __future__ import annotations

import glob
import inspect
import json
import lzma
import os
import random
import re
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command_line import fails, invoke, run
from tests.reference.toy_grammar import toy_treebank
from treevote.batch import reading
from treevote.batch.manifest import NAME, Entry
from treevote.batch.outputs import pairs
from treevote.batch.reading import FileEnd, pieces
from treevote.commands.folder_outputs import FolderSummary
from treevote.commands.parse import parse_files
from treevote.commands.parse_folder import parse_folder
from treevote.conll.writer import write
from treevote.errors import ConfigError, InputError
from treevote.files.temporaries import lock
from treevote.parallel import Jobs
from treevote.report.parsing import folder_text

ENDS = ("a/b", "a\\b", "\n", ".x\n", "\0", "..", "gz")
"""What is no suffix."""

DAMAGED = {"output": 5, "sentences": "1", "tokens": 1.0, "faults": True, "task": None, "more": 1}
"""What no entry of the list has."""


def alone(model: Path, path: Path, **options: object) -> bytes:
    """Return what ``treevote parse`` writes for one file."""
    output = model.parent / "alone.conllu"
    parse_files(model, [path], output, **options)  # type: ignore[arg-type]
    return output.read_bytes()


def files(folder: Path) -> dict[str, bytes]:
    """Return all files in a folder by path below it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def outputs(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(folder).items() if name != NAME}


@pytest.mark.parametrize("task_bytes", [1, 300, 1 << 20])
def test_each_file_has_the_output_that_it_has_alone(model: Path, corpus: Path, tmp_path: Path, task_bytes: int) -> None:
    summary = parse_folder(model, [corpus], tmp_path / "out", task_bytes=task_bytes)
    expected = {str(path.relative_to(corpus)): alone(model, path) for path in corpus.rglob("*.conllu")}
    assert outputs(tmp_path / "out") == expected
    assert (summary.written, summary.kept, summary.faulty) == (12, 0, [])
    assert summary.sentences == sum(1 + i % 4 for i in range(12))


def test_jobs_and_tasks_do_not_matter(model: Path, corpus: Path, tmp_path: Path) -> None:
    parse_folder(model, [corpus], tmp_path / "one")
    parse_folder(model, [corpus], tmp_path / "two", jobs=Jobs(2, "threading"), task_bytes=200)
    assert files(tmp_path / "one") == files(tmp_path / "two")


@pytest.mark.slow
def test_processes_do_not_matter(model: Path, corpus: Path, tmp_path: Path) -> None:
    parse_folder(model, [corpus], tmp_path / "one")
    parse_folder(model, [corpus], tmp_path / "two", jobs=Jobs(2), task_bytes=200)
    assert files(tmp_path / "one") == files(tmp_path / "two")


@pytest.mark.parametrize("ending", ["\n\n", "\n", "", "\r\n\r\n", "\n \n", "\n\n# a comment\n"])
def test_ends_of_files_and_byte_order_marks_stay(model: Path, tmp_path: Path, ending: str) -> None:
    token = "1\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_"
    (tmp_path / "in").mkdir()
    for i, front in enumerate(("\ufeff", "# text = a\n", "")):
        (tmp_path / "in" / f"{i}.conllu").write_bytes((front + token + ending).encode())
    parse_folder(model, [tmp_path / "in"], tmp_path / "out")
    assert outputs(tmp_path / "out") == {f"{i}.conllu": alone(model, tmp_path / "in" / f"{i}.conllu") for i in range(3)}


def test_a_fault_leaves_the_other_files(model: Path, corpus: Path, tmp_path: Path) -> None:
    faulty = corpus / "one" / "f02.conllu"
    faulty.write_bytes(faulty.read_bytes() + b"1\tone\n\n")
    (corpus / "one" / "empty.conllu").write_bytes(b"")
    (corpus / "two" / "comments.conllu").write_bytes(b"# nothing\n\n")
    (corpus / "two" / "cut.conllu.gz").write_bytes(b"\x1f\x8b\x08")
    (corpus / "two" / "latin.conllu").write_bytes("1\tné\t_\tX\t_\t_\t_\t_\t_\t_\n\n".encode("latin-1"))
    (corpus / "two" / "wide.conllu").write_bytes("1\tné\t_\tX\t_\t_\t_\t_\t_\t_\n\n".encode("utf-16"))
    command = ["parse", str(model), str(corpus), str(tmp_path / "no.conllu"), "--output-dir", str(tmp_path / "out")]
    result = invoke(*command, "--json")
    assert result.exit_code == 4, result.output
    facts = json.loads(result.stdout)
    reasons = {os.path.basename(each["input"]): each["reason"] for each in facts["faulty"]}
    assert set(reasons) == {
        *("f02.conllu", "empty.conllu", "comments.conllu", "cut.conllu.gz", "latin.conllu", "wide.conllu", "no.conllu")
    }
    assert "expected 10 columns" in reasons["f02.conllu"]
    assert "expected sentences, found none" in reasons["empty.conllu"]
    assert "No such file" in reasons["no.conllu"]
    assert "UTF-16" in reasons["wide.conllu"]
    assert facts["written"] == 11
    good = [path for path in corpus.rglob("f*.conllu") if path != faulty]
    assert outputs(tmp_path / "out") == {str(path.relative_to(corpus)): alone(model, path) for path in good}
    assert result.stderr.count("treevote: ") == len(reasons) + 2  # the summary has two lines
    assert "7 files with a fault, not parsed" in result.stderr


@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_faulty_sentences_are_left_out_or_kept(model: Path, corpus: Path, tmp_path: Path, on_error: str) -> None:
    faulty = corpus / "one" / "f02.conllu"
    faulty.write_bytes(b"1\tone\n\n" + faulty.read_bytes())
    summary = parse_folder(model, [corpus], tmp_path / "out", on_error=on_error)  # type: ignore[arg-type]
    expected = alone(model, faulty, on_error=on_error)
    assert (tmp_path / "out" / "one" / "f02.conllu").read_bytes() == expected
    assert (summary.written, summary.faults, summary.faulty) == (12, 1, [])


def test_what_is_there_is_not_made_again(
    model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    parse_folder(model, [corpus], out)
    before = files(out)
    times = {path: path.stat().st_mtime_ns for path in out.rglob("f*")}
    assert (again := parse_folder(model, [corpus], out)).kept == 12
    assert again.written == 0
    assert {path: path.stat().st_mtime_ns for path in out.rglob("f*")} == times
    (out / "one" / "f00.conllu").write_bytes(b"changed")  # an output
    (out / "one" / "f02.conllu").unlink()
    other = corpus / "one" / "f04.conllu"
    os.utime(other)  # a time alone is no change
    changed = corpus / "one" / "f06.conllu"
    changed.write_bytes(changed.read_bytes() * 2)
    assert (third := parse_folder(model, [corpus], out)).written == 3
    assert third.kept == 9
    after = files(out)
    assert {name for name in after if before[name] != after[name]} == {"one/f06.conllu", NAME}
    assert parse_folder(model, [corpus], out, support=True).written == 12  # other options
    assert parse_folder(model, [corpus], out, support=True, force=True).written == 12
    assert b"Support=" in (out / "one" / "f00.conllu").read_bytes()


def test_another_model_makes_them_again(model: Path, corpus: Path, tmp_path: Path) -> None:
    run("train", "--train", corpus / "one" / "f00.conllu", corpus / "two" / "f07.conllu", "-o", tmp_path / "other")
    parse_folder(model, [corpus], tmp_path / "out")
    assert parse_folder(tmp_path / "other", [corpus], tmp_path / "out").written == 12


OTHERS: dict[str, Any] = {
    "member": "lr-svm-forward",
    "support": True,
    "confidence": True,
    "lights": True,
    "on_error": "skip",
    "tags": "keep",
    "keep": "heads",
    "strict": True,
    "format": "conllu",
    "encoding": "latin-1",
    "id_prefix": "n",
}
"""Another value of each option that the bytes of an output, or its faults, may depend on."""

NO_TASK = {"model", "inputs", "folder", "suffix", "force", "jobs", "task_bytes"}
"""Parameters of `parse_folder` that are no options of the task."""


@pytest.mark.parametrize("name", sorted({*inspect.signature(parse_folder).parameters} - NO_TASK))
def test_another_option_makes_them_again(model: Path, corpus: Path, tmp_path: Path, name: str) -> None:
    parse_folder(model, [corpus / "one"], tmp_path / "out")
    for written in (6, 0):
        found = parse_folder(model, [corpus / "one"], tmp_path / "out", **{name: OTHERS[name]})
        assert (found.written, found.kept, found.faulty) == (written, 6 - written, [])


class Killed(BaseException):
    pass


@pytest.mark.parametrize("moment", range(1, 40, 3))
def test_a_run_that_ended_anywhere_goes_on_to_the_same_bytes(
    model: Path, corpus: Path, tmp_path: Path, moment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse_folder(model, [corpus], tmp_path / "whole")
    calls = 0
    for name in ("replace", "makedirs"):
        original = getattr(os, name)

        def step(*arguments: object, original: object = original, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls == moment:
                raise Killed
            return original(*arguments, **options)  # type: ignore[operator]

        monkeypatch.setattr(os, name, step)
    try:
        parse_folder(model, [corpus], tmp_path / "out", task_bytes=300)
    except Killed:
        done = outputs(tmp_path / "out") if (tmp_path / "out").exists() else {}
        assert done.items() <= outputs(tmp_path / "whole").items()
    monkeypatch.undo()
    parse_folder(model, [corpus], tmp_path / "out")
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    assert not [name for name in os.listdir(tmp_path / "out") if name.startswith(".")]


@pytest.mark.slow
def test_a_killed_process_leaves_nothing_that_matters(model: Path, corpus: Path, tmp_path: Path) -> None:
    parse_folder(model, [corpus], tmp_path / "whole")
    chance = random.Random(1)
    arguments = ["parse", str(model), str(corpus), "--output-dir", str(tmp_path / "out")]
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-m", "treevote", *arguments], stderr=subprocess.DEVNULL) as process:
            time.sleep(chance.uniform(0.5, 3))
            process.kill()
    run(*arguments)
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    assert not [name for name in os.listdir(tmp_path / "out") if name.startswith(".")]


def test_names_compression_and_suffixes(model: Path, corpus: Path, tmp_path: Path) -> None:
    text = (corpus / "one" / "f02.conllu").read_bytes()
    (corpus / "x.conllu.xz").write_bytes(lzma.compress(text))
    (corpus / "README.txt").write_text("no treebank")
    (corpus / ".hidden.conllu").write_text("no treebank")
    run("parse", model, corpus, "--output-dir", tmp_path / "out")
    assert len(outputs(tmp_path / "out")) == 13
    packed = (tmp_path / "out" / "x.conllu.xz").read_bytes()
    assert lzma.decompress(packed) == alone(model, corpus / "one" / "f02.conllu")
    run("parse", model, corpus / "*" / "f0?.conllu", "--output-dir", tmp_path / "packed", "--suffix", ".parsed.xz")
    assert "one/f02.parsed.xz" in outputs(tmp_path / "packed")
    assert lzma.decompress((tmp_path / "packed" / "one" / "f02.parsed.xz").read_bytes()) == lzma.decompress(packed)
    assert len(outputs(tmp_path / "packed")) == 10
    run("parse", model, corpus / "one" / "f02.conllu", "--output-dir", tmp_path / "single")
    assert list(outputs(tmp_path / "single")) == ["f02.conllu"]


def test_collisions_are_told_before_anything_is_done(model: Path, corpus: Path, tmp_path: Path) -> None:
    before = files(corpus)
    twin = corpus / "two" / "f00.conllu"
    write(toy_treebank(2, seed=0), tmp_path / "y.conllu")
    manifest, file, folder = corpus / NAME, corpus / "x.conllu", corpus / "three" / "x.conllu"
    folder.mkdir(parents=True)
    for path in (twin, manifest, file, folder / "a.conllu"):
        write(toy_treebank(2, seed=0), path)
    for arguments, said in (
        ((corpus / "one" / "f00.conllu", twin, "--output-dir", tmp_path / "out"), "would both be written to"),
        ((corpus, "--output-dir", corpus), "is inside the input folder"),
        ((corpus, "--output-dir", corpus / "out"), "is inside the input folder"),
        ((corpus / "one" / "*", "--output-dir", corpus / "one"), "matches files in the output folder"),
        ((corpus / "one" / "f00.conllu", "--output-dir", corpus / "one"), "is both read and written"),
        ((corpus, "--output-dir", twin), "is a file"),
        (("-", "--output-dir", tmp_path / "out"), "standard input has no name"),
        ((tmp_path / "none*", "--output-dir", tmp_path / "out"), "expected files, found none"),
        ((tmp_path, "--output-dir", tmp_path.parent / "out", "--suffix", "a/b"), "expected the end of a file name"),
        *(((corpus, "--output-dir", tmp_path / "out", "--suffix", end), "expected the end") for end in ENDS),
        ((manifest, "--output-dir", tmp_path / "out"), "is needed for the list of parses"),
        ((corpus / "x.conllu", corpus / "three", "--output-dir", tmp_path / "out"), "is needed for"),
        ((corpus / "on?" / ".." / ".." / "y*", "--output-dir", tmp_path / "out"), "written outside of"),
        ((corpus, "--output-dir", tmp_path / "out", "-o", tmp_path / "x"), "--output does not go with"),
        ((corpus, "--output-dir", tmp_path / "out", "--all-faults"), "--all-faults does not go with"),
        ((twin, "--suffix", ".x"), "--suffix goes with --output-dir"),
        ((twin, corpus), f"{corpus} is a folder; give --output-dir, too, or name the files in it"),
    ):
        assert said in fails("parse", model, *arguments)
    assert "no such model folder" in fails("parse", tmp_path / "no", corpus, "--output-dir", tmp_path / "out")
    assert f"{twin}: not a treevote model" in fails("parse", twin, model)  # in the wrong order
    assert not (tmp_path / "out").exists()
    for path in (twin, manifest, file, folder / "a.conllu"):
        path.unlink()
    assert files(corpus) == before


def test_the_same_file_twice_is_a_collision() -> None:
    path = "a.conllu"  # one string: the second one is no other object
    with pytest.raises(ConfigError, match=r"a\.conllu is an input twice; name it once"):
        pairs([path, path], "out")


def test_an_output_never_has_the_name_of_the_list(model: Path, tmp_path: Path) -> None:
    for name in ("b", NAME.removesuffix(".jsonl")):
        (tmp_path / "in").mkdir(exist_ok=True)
        write(toy_treebank(2, seed=0), tmp_path / "in" / f"{name}.conllu")
    command = ("parse", model, tmp_path / "in", "--output-dir", tmp_path / "out", "--suffix", ".jsonl")
    assert "is needed for the list of parses" in fails(*command)
    assert not (tmp_path / "out").exists()


def test_folders_and_files_in_the_way_are_named(model: Path, corpus: Path, tmp_path: Path) -> None:
    for way, make in (("one/f02.conllu", Path.mkdir), ("one", Path.touch)):
        out = tmp_path / way.replace("/", "-")
        (out / way).parent.mkdir(parents=True, exist_ok=True)
        make(out / way)
        for force in ((), ("--force",)):
            assert f"{out / way} is a " in fails("parse", model, corpus, "--output-dir", out, *force)
        assert not files(out).keys() - {way}


@pytest.mark.parametrize("loops", ["p", "pq", "pqr"])
def test_a_folder_and_its_pattern_agree_on_links(model: Path, corpus: Path, tmp_path: Path, loops: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    write(toy_treebank(1, seed=0), tmp_path / "elsewhere" / "x.conllu")
    (corpus / "one" / "away").symlink_to(tmp_path / "elsewhere")
    for name in loops:
        (corpus / name).symlink_to(corpus)
    found, links = pairs([corpus], tmp_path / "out")
    assert sorted(pairs([corpus / "**" / "*.conllu"], tmp_path / "out")[0]) == sorted(found)
    assert pairs([corpus / "**" / "**" / "f*"], tmp_path / "out")[1] == links
    assert len(found) == 12
    assert sorted(links) == sorted(str(corpus / link) for link in ("one/away", *loops))
    assert len(pairs([corpus / "one" / "a*" / "*.conllu"], tmp_path / "out")[0]) == 1  # a star is any name
    assert pairs([corpus / "one" / "away"], tmp_path / "out") == (
        [(str(corpus / "one" / "away" / "x.conllu"), "x.conllu")],
        [],
    )
    command = ["parse", str(model), str(corpus / "**" / "*.conllu"), "--output-dir", str(tmp_path / "out"), "--json"]
    result = invoke(*command)
    assert result.stderr.count("links to folders are not followed") == 1
    assert json.loads(result.stdout)["links_not_followed"] == links


def test_a_folder_that_cannot_be_read_is_told(
    model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = os.scandir

    def scandir(path: str) -> object:
        if os.path.basename(path) == "two":
            raise PermissionError(13, "Permission denied", path)
        return original(path)

    monkeypatch.setattr(os, "scandir", scandir)  # root may read all
    for each in (corpus, corpus / "**" / "*.conllu"):
        said = fails("parse", model, each, "--output-dir", tmp_path / "out")
        assert f"{corpus / 'two'}: cannot read: Permission denied" in said
    assert not (tmp_path / "out").exists()


@given(st.lists(st.sampled_from(["**", "**", "*", "one", "t*", "f0[0-3].conllu", "*.conllu"]), min_size=1, max_size=4))
def test_without_links_a_pattern_is_that_of_the_library(steps: list[str]) -> None:
    with TemporaryDirectory() as room:
        for name in (
            "one/f00.conllu",
            "one/two/f01.conllu",
            "three/one/f02.conllu",
            "f03.conllu",
            ".hidden/f00.conllu",
        ):
            path = Path(room, "corpus", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        pattern = os.path.join(room, "c*", *steps)
        expected = {os.path.realpath(path) for path in glob.iglob(pattern, recursive=True) if os.path.isfile(path)}
        if not expected:
            with pytest.raises(InputError, match="found none"):
                pairs([pattern], Path(room, "out"))
            return
        assert {os.path.realpath(path) for path, _ in pairs([pattern], Path(room, "out"))[0]} == expected


DAMAGE = (
    *("5", "null", "[]", "{}", "x", "", "[" * 100_000, '{"a":' * 100_000),
    *(json.dumps(asdict(Entry("a", "b", "c", "d", 1, 2, 3)) | {key: value}) for key, value in DAMAGED.items()),
)


@pytest.mark.parametrize("line", DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_list_is_told_with_its_line(model: Path, corpus: Path, tmp_path: Path, line: str) -> None:
    parse_folder(model, [corpus], tmp_path / "out")
    lines = (tmp_path / "out" / NAME).read_text().splitlines()
    (tmp_path / "out" / NAME).write_text("\n".join([*lines[:2], line, *lines[2:], '{"cut']))
    before = files(tmp_path / "out")
    assert f"{NAME}, line 3: expected output, task, " in fails("parse", model, corpus, "--output-dir", tmp_path / "out")
    assert files(tmp_path / "out") == before
    (tmp_path / "out" / NAME).write_text(f"{line}\n")
    assert "is not the list of parses" in fails("parse", model, corpus, "--output-dir", tmp_path / "out")


def test_foreign_files_are_not_replaced(model: Path, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / "one").mkdir(parents=True)
    foreign = tmp_path / "out" / "one" / "f02.conllu"
    foreign.write_text("mine")
    assert "was not written by this command" in fails("parse", model, corpus, "--output-dir", tmp_path / "out")
    assert files(tmp_path / "out") == {"one/f02.conllu": b"mine"}
    run("parse", model, corpus, "--output-dir", tmp_path / "out", "--force")
    assert foreign.read_bytes() == alone(model, corpus / "one" / "f02.conllu")
    (tmp_path / "out" / NAME).write_text("something else")
    assert "is not the list of parses" in fails("parse", model, corpus, "--output-dir", tmp_path / "out")


def test_an_output_that_is_read_only_is_not_replaced(
    model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, may = tmp_path / "out", os.access
    parse_folder(model, [corpus], out)
    before, kept = files(out), out / "one" / "f02.conllu"
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != kept and may(path, mode))  # root may write all
    assert parse_folder(model, [corpus], out).kept == len(before) - 1  # it belongs to its input
    kept.write_text("mine")
    summary = parse_folder(model, [corpus], out, force=True)
    assert [str(fault) for _, fault in summary.faulty] == [
        f"{corpus / 'one' / 'f02.conllu'}: cannot write: {kept} is read-only; change its permissions"
    ]
    assert files(out)["one/f02.conllu"] == b"mine"
    assert summary.written == len(before) - 2


def test_two_runs_do_not_write_into_one_folder(model: Path, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with lock(tmp_path / "out"), pytest.raises(ConfigError, match="another run writes into"):
        parse_folder(model, [corpus], tmp_path / "out")


def test_a_file_that_changes_while_it_is_read_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "growing.conllu"
    token = b"1\tdog" + b"\t_" * 8 + b"\n\n"
    path.write_bytes(token * 100)
    source = pieces(str(path), 0, document="", format="auto", n_bytes=50, stopped=())
    assert not isinstance(next(source).content, FileEnd)
    with path.open("ab") as file:
        file.write(token)
    *_, (_, last) = source
    assert isinstance(last, FileEnd)
    assert "the file changed while it was read" in str(last.fault)


def test_unfit_text_is_told_and_with_strict_a_fault(model: Path, corpus: Path, tmp_path: Path) -> None:
    (corpus / "bare.conllu").write_text(("1\tdog" + "\t_" * 8 + "\n\n") * 30)
    summary = parse_folder(model, [corpus], tmp_path / "out")
    assert [(os.path.basename(path), reason[:5]) for path, reason in summary.doubtful] == [("bare.conllu", "100% ")]
    strict = parse_folder(model, [corpus], tmp_path / "strict", strict=True)
    assert [os.path.basename(path) for path, _ in strict.faulty] == ["bare.conllu"]
    assert strict.written == 12


def test_progress_counts_bytes_of_the_input(model: Path, corpus: Path, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    jobs = Jobs(progress=lambda *step: heard.append(step))
    parse_folder(model, [corpus], tmp_path / "out", task_bytes=300, jobs=jobs)
    assert heard == sorted(heard)
    total = sum(path.stat().st_size for path in corpus.rglob("*.conllu"))
    assert heard[-1] == ("parsing 12 files", total, total)


def test_a_full_disk_ends_the_run_with_one_sentence(
    model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = os.replace, 0

    def replace(*paths: str) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise OSError(28, "No space left on device", paths[0])
        original(*paths)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path / 'out'))}: cannot write: No space left on device"):
        parse_folder(model, [corpus], tmp_path / "out")
    monkeypatch.undo()
    assert parse_folder(model, [corpus], tmp_path / "out").kept == 3


def test_a_summary_of_nothing_new() -> None:
    assert folder_text(FolderSummary("out", kept=1)) == (
        "out: wrote 0 files, 0 sentences, 0 tokens in 0.0 s; 1 file of the same model and input was there"
    )


def test_outputs_of_folders_files_and_patterns(tmp_path: Path) -> None:
    for name in ("a/b/c.conllu", "a/d.conllx.gz", "e.conll"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found, _ = pairs([tmp_path / "a", tmp_path / "*.conll"], tmp_path / "out")
    assert sorted(name for _, name in found) == ["b/c.conllu", "d.conllx.gz", "e.conll"]
    assert reading.TASK_BYTES > 0
