"""Bad data, models, names and options: one sentence, and no file is harmed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.command_line import ONE, TWO, content, fails, invoke, run, sentence
from tests.paths import TOY
from treevote.commands.parse import parse_files
from treevote.errors import ModelError


@pytest.fixture
def damaged(model: Path, tmp_path: Path) -> Callable[[str, Callable[[bytes], bytes]], Path]:
    """Return a function that copies the model with one file changed."""

    def damage(suffix: str, change: Callable[[bytes], bytes]) -> Path:
        copy = tmp_path / "damaged"
        copy.mkdir()
        for name, data in content(model).items():
            (copy / name).write_bytes(data)
        path = next(path for path in sorted(copy.iterdir()) if path.name.endswith(suffix))
        path.write_bytes(change(path.read_bytes()))
        return copy

    return damage


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.replace("\t2\t", "\t9\t"), "line 1, sentence 1: expected a HEAD in 0..2, found '9'; correct the head"),
        (ONE.replace("\t2\t", "\t\t"), "expected a HEAD in 0..2, found an empty column; write the head, or _"),
        (
            ONE + ONE.replace("\t0\t", "\t1\t"),
            "line 4, sentence 2: expected a token with HEAD 0, found a sentence without a root; correct the heads",
        ),
        (sentence(3, 0, 1), "line 1, sentence 1: expected a tree, found the cycle 1 -> 3 -> 1;"),
        (ONE.replace("\t_\t_\n", "\t_\n", 1), "line 1, sentence 1: expected 10 columns separated by tabs, found 9;"),
        (ONE.replace("2\tbark", "3\tbark"), "line 2, sentence 1: expected id 2, found 3;"),
        (ONE.replace("dogs", "d\udcffgs"), "line 1, sentence 1: expected UTF-8, found the byte 0xFF as byte 4"),
        ("", "expected sentences, found none;"),
        (ONE.replace("\t2\tnsubj", "\t_\t_").replace("\t0\troot", "\t_\t_"), "give a labelled treebank"),
    ],
    ids=["HEAD out of range", "no HEAD", "no root", "cycle", "columns", "gap", "not UTF-8", "empty", "unlabelled"],
)  # fmt: skip
def test_bad_training_data_is_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    error = fails("train", "--train", path, "-o", tmp_path / "model")
    assert str(path) in error
    assert said in error
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.replace("\t_\t_\n", "\t_\n", 1), "expected 10 columns"),
        (ONE.replace("2\tbark", "3\tbark"), "expected id 2, found 3"),
        (ONE.replace("dogs", "d\udcffgs"), "expected UTF-8"),
        ("", "expected sentences, found none"),
    ],
    ids=["columns", "gap in ids", "not UTF-8", "empty"],
)
def test_bad_input_is_one_sentence_and_harms_no_file(text: str, said: str, model: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "out.conllu").write_text("as before")
    assert said in fails("parse", model, tmp_path / "bad.conllu", "-o", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == "as before"
    assert sorted(os.listdir(tmp_path)) == ["bad.conllu", "out.conllu"]


def test_faults_are_counted(model: Path, tmp_path: Path) -> None:
    (tmp_path / "mixed.conllu").write_text(ONE + "1\tone\n\n" + TWO)
    result = invoke("parse", model, tmp_path / "mixed.conllu", "--on-error", "keep")
    assert result.exit_code == 0
    assert "\n\n1\tone\n\n1\tcats" in result.stdout
    assert "parsed 2 sentences, 4 tokens" in result.stderr
    assert "1 with faults, first" in result.stderr


def test_a_file_of_faulty_sentences_alone_is_refused_whatever_is_left_out(model: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text(ONE.replace("_\n", "_\t\n"))
    before = bad.read_bytes()
    for treatment in ("skip", "keep"):
        said = fails("parse", model, bad, "--on-error", treatment, "-o", bad)
        assert "line 1, sentence 1: expected 10 columns separated by tabs, found 11; correct the line; convert" in said
        assert bad.read_bytes() == before
        result = invoke("parse", model, bad, TOY, "--on-error", treatment, "--output-dir", tmp_path / treatment)
        assert result.exit_code == 4
        assert not (tmp_path / treatment / "bad.conllu").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("parse", "MODEL", TOY),
        ("text", TOY),
        ("vote", TOY, TOY),
        ("evaluate", TOY, TOY, "--report"),
    ],
    ids=lambda words: words[0],
)
def test_a_file_is_not_written_into_a_model(words: tuple[object, ...], model: Path, tmp_path: Path) -> None:
    before = content(model)
    option = () if str(words[-1]).startswith("--") else ("-o",)
    for name in ("manifest.json", "other.conllu"):
        said = fails(*(model if word == "MODEL" else word for word in words), *option, model / name)
        assert f"{model / name}: '{model}' is a model, and holds nothing else; name a folder outside" in said
    (tmp_path / "link").symlink_to(model / "other.conllu")
    said = fails(*(model if word == "MODEL" else word for word in words), *option, tmp_path / "link")
    assert f"link: '{model}' is a model" in said
    assert content(model) == before


def test_standard_output_is_no_file_of_the_working_folder(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model)
    assert "\t" in run("parse", ".", TOY)
    assert "\t" in run("vote", TOY, TOY, "-o", "-")


def test_unknown_names_get_the_nearest_known_one(model: Path, tmp_path: Path) -> None:
    target = tmp_path / "model"
    assert "did you mean 'lr-svm-forward'" in fails("train", "--train", TOY, "-o", target, "--members", "lr-svm-foward")
    assert "did you mean 'graph-mira'" in fails("parse", model, TOY, "--member", "graph-mora")
    config = tmp_path / "config.toml"
    for text, hint in (
        ("wights = 'pos'", "did you mean 'weights'"),
        ("[member.x]\nlike = 'lr-svm'", "did you mean 'lr-svm-"),
        ("[member.x]\nlearner = 'maxnt'", "did you mean 'maxent'"),
        ("[member.x]\nwidht = 3", "did you mean 'member.x.width'"),
        ("[member.vote]\nlearner = 'svm'", "cannot be called 'vote'"),
        ("[member.x", "expected TOML"),
    ):
        config.write_text(text)
        assert hint in fails("train", "--train", TOY, "-o", target, "--config", config)
    assert not target.exists()


def test_a_place_that_is_taken_is_found_out_before_training(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    missing = tmp_path / "there is no such file"  # it would be missed first if it were looked for first
    assert "found 'letter.txt', no part of a model" in fails("train", "--train", missing, "-o", tmp_path)
    taken = tmp_path / "letter.txt"
    assert "a folder for the model, found a file" in fails("train", "--train", missing, "-o", taken)
    assert f"{taken} is a file; name a folder for a diagnosis" in fails("doctor", TOY, "--fast", "--work", taken)
    for folds in ("new", "new/folds", "."):
        words = "train", "--train", missing, "--folds", 2, "-o", tmp_path / "new", "--save-folds", tmp_path / folds
        assert "must be apart; name another folder" in fails(*words)
    assert taken.read_text() == "dear"
    assert os.listdir(tmp_path) == ["letter.txt"]
    shutil.copytree(tmp_path, tmp_path / "tried" / "adapted-model")
    assert "found 'letter.txt', no part of a model" in fails("quickstart", "-o", tmp_path / "tried")
    assert os.listdir(tmp_path / "tried") == ["adapted-model"]


@pytest.mark.parametrize(
    "words",
    [
        ("train", "-o", "", TOY),
        ("train", "-o", "model", "--save-folds", "", "--folds", 2, "--fast", TOY),
        ("adapt", "model", TOY, "--train", TOY, "-o", ""),
        ("adapt", "model", TOY, "--train", TOY, "-o", "new", "--work", ""),
        ("doctor", TOY, "--fast", "--work", ""),
        ("study", "agreement", TOY, "-o", ""),
        ("quickstart", "-o", ""),
        ("package", "model", "--name", "toy", "--licence", "MIT", "-o", ""),
        ("inspect", "model", "--card", ""),
        ("inspect", ""),
    ],
)
def test_an_empty_name_is_not_the_working_folder(
    words: tuple[object, ...], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ", found ''; " in fails(*(model if word == "model" else word for word in words))
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("option", ["accuracy", "pos"])
def test_weights_need_something_to_measure_on(option: str, tmp_path: Path) -> None:
    unmeasured = "train", "--train", TOY, "-o", tmp_path / "model", "--weights", option, "--folds", 0
    assert "on development data or folds; give one of them" in fails(*unmeasured)
    assert "parses of each of the 2 systems" in fails("vote", TOY, TOY, "--weights", option, "--gold", TOY)


@pytest.mark.parametrize("command", ["vote", "evaluate"])
def test_the_first_difference_between_systems_is_shown(command: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_text(ONE + ONE)
    (tmp_path / "two").write_text(ONE + TWO)
    said = fails(command, tmp_path / "one", tmp_path / "two")
    assert "line 4, sentence 2: token 1: expected " in said
    assert "found 'cats" in said


def test_damaged_models_are_refused(
    damaged: Callable[[str, Callable[[bytes], bytes]], Path],
) -> None:
    path = damaged("packed.npy", lambda data: data[:-1] + bytes([data[-1] ^ 1]))
    for command in ("parse", path, TOY), ("inspect", path):
        assert "does not have the checksum" in fails(*command)


def test_truncated_models_are_refused(damaged: Callable[[str, Callable[[bytes], bytes]], Path]) -> None:
    assert "the model is damaged" in fails("parse", damaged("packed.npy", lambda data: data[:-9]), TOY)


def test_models_that_claim_too_much_are_refused(
    damaged: Callable[[str, Callable[[bytes], bytes]], Path],
) -> None:
    def claim(data: bytes) -> bytes:
        header = np.lib.format.magic(1, 0) + (118).to_bytes(2, "little")
        return header + b"{'descr': '<i2', 'fortran_order': False, 'shape': (1000000000000,), }".ljust(118)

    assert "the model is damaged" in fails("parse", damaged("packed.npy", claim), TOY)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    assert "no such model folder" in fails("parse", tmp_path / "none", TOY)
    assert "not a treevote model" in fails("inspect", tmp_path)


def test_a_file_without_heads_is_no_parse(tmp_path: Path) -> None:
    bare = tmp_path / "bare.conllu"
    bare.write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    gold = tmp_path / "gold.conllu"
    gold.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert "found no heads at all" in fails("evaluate", gold, bare)
    assert "found no heads at all" in fails("vote", gold, bare, "-o", tmp_path / "out.conllu")
    assert not (tmp_path / "out.conllu").exists()


def test_a_model_that_may_not_be_read_is_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = os.stat

    def stat(path: str | Path, **options: Any) -> os.stat_result:
        if os.path.basename(path) == "manifest.json":
            raise PermissionError(13, "Permission denied", path)
        return original(path, **options)

    monkeypatch.setattr(os, "stat", stat)  # root may read all
    said = f"{model}: cannot read the model (Permission denied); check the path and its permissions"
    assert said in fails("parse", model, TOY)
    with pytest.raises(ModelError, match=re.escape(said)):
        parse_files(model, [TOY], os.devnull)


def test_a_fault_in_a_configuration_is_told_by_its_key(tmp_path: Path) -> None:
    for text, said in (
        ("[members.first]", "c.toml: the table of a member is [member.NAME]"),
        (
            "[member.first]\nwidht = 3",
            "c.toml: unknown key 'member.first.widht'; did you mean 'member.first.width'?",
        ),
        ("[member.default]\nwidth = 3", "c.toml: a member cannot be called 'default', a reserved name"),
        ("[member.'../x']\nwidth = 3", "c.toml: a member cannot be called '../x'; give it a name without / and \\"),
        ("[member.'a\\b']\nwidth = 3", "give it a name without / and \\"),
        ("[member.'']\nwidth = 3", "c.toml: a member cannot be called ''; give it a name without control characters"),
        ("[member.first]\nlike = ['a']", "c.toml: member.first.like: expected a name, found ('a',)"),
        ("[member.first]\nkind = {}", "member.first.kind: expected a name, found {}"),
        ("[member.first]\noptions = 3", "member.first.options: expected a table, found 3"),
        ("[member.first]\nmargin = 1e400", "member.first.margin: expected a number, found inf"),
        (
            "[member.first]\nwidth = 1" + "0" * 400,
            "member.first.width: expected a number of at most 64 bits, found 1000",
        ),
        ("seed = 1" + "0" * 400, "c.toml: seed: expected a number of at most 64 bits, found 1000"),
        ("[member.first]\nlearner = 'sklearn" + ".a" * 2000 + "'", "c.toml: member first: unknown learner 'sklearn.a"),
        (
            "[member.graph-mira]\n[member.first]\noptions = {nope = 3}",
            "c.toml: member first: unknown option of maxent 'nope'",
        ),
    ):
        (tmp_path / "c.toml").write_text(text)
        assert said in fails("train", "--train", TOY, "--config", tmp_path / "c.toml", "-o", tmp_path / "m")
    assert "unknown member ''" in fails("train", "--train", TOY, "--members", "", "-o", tmp_path / "m")


def test_text_without_tags_is_warned_of_and_strict_stops(model: Path, tmp_path: Path) -> None:
    text, output = tmp_path / "text.conllu", tmp_path / "out.conllu"
    text.write_text("".join(f"{i}\tword{i}\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 31)) + "\n", "utf-8")
    for options, code in ((), 0), (("--strict",), 3):
        result = invoke("parse", model, text, "-o", output, *options)
        assert result.exit_code == code
        assert result.stderr.count("100% of the tokens have no known UPOS") == 1
        assert output.exists() == (code == 0)
        output.unlink(missing_ok=True)


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "gold.conllu", "other.conllu", "--report", "gold.conllu"),
        ("evaluate", "gold.conllu", "x=other.conllu", "--report", "other.conllu"),
        ("doctor", "gold.conllu", "--report", "gold.conllu"),
        ("doctor", "gold.conllu", "--list", "gold.conllu"),
        ("doctor", "gold.conllu", "other.conllu", "-o", "gold.conllu"),
        ("text", "gold.conllu", "-o", "gold.conllu"),
        ("show", "gold.conllu", "--svg", "gold.conllu"),
        ("next", "MODEL", "gold.conllu", "-o", "gold.conllu"),
        ("next", "MODEL", "gold.conllu", "--annotated", "other.conllu", "-o", "other.conllu"),
        ("vote", "gold.conllu", "other.conllu", "-o", "other.conllu"),
        ("vote", "gold.conllu", "other.conllu", "--keep", "half.conllu", "-o", "half.conllu"),
        ("parse", "MODEL", "gold.conllu", "other.conllu", "-o", "other.conllu"),
        ("clusters", "gold.conllu", "-o", "gold.conllu"),
        ("adapt", "MODEL", "gold.conllu", "--train", "other.conllu", "-o", "new", "--report", "gold.conllu"),
    ],
    ids=lambda words: f"{words[0]} {words[-2]}",
)
def test_a_file_that_is_read_is_not_written(
    words: tuple[str, ...], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "other", "half"):
        (tmp_path / f"{name}.conllu").write_text(ONE * 8)
    assert "is both read and written; name another output" in fails(*(model if w == "MODEL" else w for w in words))
    assert {path.read_text() for path in tmp_path.glob("*.conllu")} == {ONE * 8}


@pytest.mark.parametrize(
    "words",
    [
        ("parse", "MODEL", "-", "gold.conllu", "-"),
        ("train", "-", "-", "-o", "new"),
        ("train", "-", "--dev", "-", "-o", "new"),
        ("train", "-", "--word-clusters", "-", "-o", "new"),
        ("evaluate", "-", "other=-"),
        ("reliability", "-", "-"),
        ("vote", "gold.conllu", "-", "--keep", "-"),
    ],
    ids=" ".join,
)
def test_standard_input_is_one_input(words: tuple[str, ...], model: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_text(ONE)
    places = {"MODEL": model, "gold.conllu": tmp_path / "gold.conllu", "new": tmp_path / "new"}
    said = run(*(places.get(word, word) for word in words), code=1, stdin=ONE.encode())
    assert said == (
        "treevote: standard input is named for two inputs, and can be read once; name a file for one of them\n"
    )
    assert not (tmp_path / "new").exists()


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_text(ONE * 8)
    list_and_report = "--list", tmp_path / "out", "--report", tmp_path / "." / "out"
    assert "out is named for two outputs" in fails("doctor", tmp_path / "gold.conllu", *list_and_report)


def test_no_model_is_put_into_another(model: Path, tmp_path: Path) -> None:
    error = fails("train", "--train", TOY, "--fast", "--folds", "0", "-o", model / "inner")
    assert f"'{model.resolve()}' is a model, and holds nothing else; name a folder outside" in error
    assert not (model / "inner").exists()
    (tmp_path / "manifest.json").write_text('{"name": "a page of another program"}')
    run("train", "--train", TOY, "--fast", "--folds", "0", "-o", tmp_path / "folder" / "model")


def test_a_relative_cache_folder_is_no_fault_of_the_model(model: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "treevote", "parse", str(model), str(TOY), "-o", str(tmp_path / "out")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "TREEVOTE_CACHE_DIR": "here"}
    )
    assert done.returncode == 1
    assert (
        done.stderr
        == "treevote: TREEVOTE_CACHE_DIR is 'here', expected an absolute path; write the path from the root\n"
    )


def test_no_other_file_is_written_into_a_model(model: Path, tmp_path: Path) -> None:
    before = content(model)
    for folder in (model, model / "deeper"):
        for command in (("parse", model, TOY, "--output-dir"), ("study", "bpm", TOY, "-o")):
            assert "is a model, and holds nothing else; name a folder outside" in fails(*command, f"{folder}/")
    assert content(model) == before


@pytest.mark.parametrize(
    "words",
    [
        ("parse", "MODEL", TOY, "--output-dir", "-"),
        ("study", "bpm", TOY, "-o", "-"),
        ("package", "MODEL", "--name", "toy", "--licence", "MIT", "-o", "-"),
        ("doctor", TOY, "--members", "lr-svm-forward", "--work", "-"),
        ("train", TOY, "--members", "lr-svm-forward", "--folds", 2, "--save-folds", "-", "-o", "model"),
        ("adapt", "MODEL", TOY, "--train", TOY, "--work", "-", "-o", "adapted"),
    ],
    ids=lambda words: words[0],
)
def test_standard_output_is_no_folder(
    words: tuple[object, ...], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = fails(*(model if word == "MODEL" else word for word in words))
    assert said == "treevote: expected a folder, found -, which is standard output; name a folder\n"
    assert not os.listdir(tmp_path)


def test_an_option_of_several_values_that_took_an_argument_is_named() -> None:
    for words, option in (
        (("evaluate", "gold", "--fail-under", "LAS=50", "system"), "--fail-under"),
        (("next", "--annotated", "train", "model", "pool"), "--annotated"),
    ):
        assert f"{option} takes all values behind it; put it after the arguments" in run(*words, code=2)
    assert "takes all values" not in run("next", "--annotated", "train", code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("parse", "model", TOY, "--format", "conlu"), "'--format': 'conlu' is not one of 'auto', 'conllu', "),
        (("evaluate", TOY, TOY, "--json=all"), "'--json': 'all' is not one of 'compact', 'full'."),
        (("parse", "model", TOY, "-j", "abc"), "'--jobs' / '-j': 'abc' should be a valid integer\n"),
        (("train", TOY, "-o", "model", "--seed", -3), "'--seed': '-3' should be greater than or equal to 0\n"),
    ],
    ids=["choice", "choice that may be left out", "number", "range"],
)
def test_a_value_that_an_option_does_not_take_is_shown(words: tuple[object, ...], said: str) -> None:
    assert f"Error: Invalid value for {said}" in run(*words, code=2)
