"""The command line: arguments, output and exit codes."""

from __future__ import annotations

import csv
import dataclasses
import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import treevote
import treevote.batch.parsing as parsing
from tests.command_line import content, fails, run
from tests.paths import TOY
from treevote import terminal
from treevote.cli import app
from treevote.cli.group import LEAST_MEMORY
from treevote.cli.options import PANELS
from treevote.conll.reader import read
from treevote.corpus.trees import roots
from treevote.ensemble.parser import EnsembleParser
from treevote.store import folder as store

ONE = "1\tdogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n"
TWO = "1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tpurr\tpurr\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def sentence(*heads: int) -> str:
    return "".join(f"{i}\tw{i}\t_\tX\t_\t_\t{head}\tx\t_\t_\n" for i, head in enumerate(heads, 1)) + "\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "model"
    report = run("train", "--train", TOY, "--dev", TOY, "-o", path, "--search", "greedy")
    assert "lr-structured-forward" in report
    assert "vote" in report
    assert "trained in" in report
    return path


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


# What works


def test_importing_it_is_cheap() -> None:
    heavy = {"conllu", "joblib", "networkx", "numba", "numpy", "rich", "scipy", "sklearn"}
    code = "import sys, treevote.cli; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not heavy & set(loaded.split())


def test_public_names_exist() -> None:
    assert all(getattr(treevote, name) is not None for name in treevote.__all__)
    assert set(treevote.__all__) <= set(dir(treevote))
    with pytest.raises(AttributeError, match="no attribute 'votes'"):
        treevote.votes  # noqa: B018


def test_help_and_version() -> None:
    assert run("--version") == f"treevote {treevote.__version__}\n"
    for command in "train", "parse", "vote", "evaluate", "inspect", "quickstart":
        assert command in run("--help")
        assert "Usage:" in run(command, "--help")


def test_help_has_a_short_name_and_the_shell_completes_commands() -> None:
    assert run("-h") == run("--help")
    assert run("parse", "-h") == run("parse", "--help")
    environment = os.environ | {"_TREEVOTE_COMPLETE": "complete_bash", "COMP_WORDS": "treevote eva", "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "from treevote.cli import main; main()"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["evaluate"]


def test_options_stand_in_the_same_groups_in_every_command() -> None:
    group: Any = typer.main.get_command(app)
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
    monkeypatch.setattr(parsing, "parse_counted", lambda parser, treebank: (parser.parse(treebank), 3))
    for options, told in ([], 0), (["-v"], 1):
        said = CliRunner().invoke(app, ["parse", str(model), str(TOY), *options]).stderr
        assert said.count("3 times a bounded search was cut short") == told


def test_quiet_tells_faults_only(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_quiet", False)  # of the process: afterwards it is what it was
    for name, code, lines in ((TOY, 0, 0), (tmp_path / "none", 1, 1)):
        result = CliRunner().invoke(app, ["-q", "parse", str(model), str(name)])
        assert (result.exit_code, result.stderr.count("\n")) == (code, lines)
        assert bool(result.stdout) == (code == 0)


def test_a_configuration_that_is_written_out_trains_the_same_model(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text('[member.own]\nlike = "lr-svm-backward"\ntemplates = ["s0.upos", "s1.upos"]\n')
    whole = tmp_path / "whole.toml"
    whole.write_text(run("config", "--config", tmp_path / "short.toml"), "utf-8")
    assert "cutoff = " in whole.read_text("utf-8")
    assert run("config", "--config", whole) == whole.read_text("utf-8")
    for name in "short", "whole":
        run("train", "--train", TOY, "-o", tmp_path / name, "--config", tmp_path / f"{name}.toml")
    assert content(tmp_path / "short") == content(tmp_path / "whole")
    assert run("config", "train", "--members", "all").count("[member.") >= 9
    assert "did you mean" in fails("config", "--members", "lr-svm-backwart")
    assert "a training has no scheme" in fails("config", "--scheme", "paper")


def test_train_parse_evaluate(model: Path, tmp_path: Path) -> None:
    parsed = tmp_path / "parsed.conllu"
    run("parse", model, TOY, "-o", parsed)
    rows = run("evaluate", TOY, parsed, f"gold={TOY}").split("\n\n")[1].splitlines()
    assert rows[0].split() == ["convention", "ud", "LAS", "UAS", "CLAS", "MLAS", "BLEX", "LA", "root", "complete"]
    assert rows[2].split() == ["gold", *["100.00"] * 8]
    assert float(rows[1].split()[1]) > 90


def test_standard_input_and_output(model: Path) -> None:
    text = TOY.read_bytes()
    assert run("parse", model, "-", stdin=text) == run("parse", model, TOY)


def test_the_same_training_gives_the_same_bytes(model: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    run("train", "--train", TOY, "--dev", TOY, "-o", again, "--search", "greedy", "-j", 2)
    assert content(again) == content(model)


def test_several_training_files_with_and_without_repeating_the_option(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    run("train", "--train", TOY, TOY, "-o", first, "--members", "lr-svm-forward")
    run("train", "--train", TOY, "-o", second, "--train", TOY, "--members", "lr-svm-forward")
    assert content(first) == content(second)
    facts = json.loads(run("inspect", first, "--json"))
    assert facts["training"]["name"] == "toy.conllu + toy.conllu"
    assert facts["training"]["sentences"] == 24


def test_a_configuration_describes_the_members(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        """
        weights = "accuracy"
        seed = 7
        [member.lr-svm-forward]
        cutoff = 1
        [member.wide]
        like = "lr-svm-forward"
        width = 3
        search = "beam"
        [member.foreign]
        direction = "backward"
        learner = "sklearn.linear_model.SGDClassifier"
        options.alpha = 0.01
        """
    )
    path = tmp_path / "model"
    run("train", "--train", TOY, "--dev", TOY, "-o", path, "--config", config, "--encoding", "head")
    facts = json.loads(run("inspect", path, "--json"))
    members = facts["members"]
    assert list(members) == ["lr-svm-forward", "wide", "foreign"]
    assert [member["cutoff"] for member in members.values()] == [1, 1, 3]
    assert [member["encoding"] for member in members.values()] == ["head"] * 3
    assert (members["wide"]["width"], members["wide"]["search"]) == (3, "beam")
    assert members["foreign"]["options"] == {"alpha": 0.01}
    assert (facts["votes"]["kind"], facts["seed"]) == ("accuracy", 7)
    text = run("inspect", path, "--full")
    again = tmp_path / "again.toml"
    again.write_text(text[text.index("configuration:\n") + 15 : text.index("\nfiles ")])
    run("train", "--train", TOY, "--dev", TOY, "-o", tmp_path / "again", "--config", again)
    assert content(tmp_path / "again") == content(path)


def test_inspect_shows_a_learned_vote(tmp_path: Path) -> None:
    path = tmp_path / "model"
    run("train", "--train", TOY, "--dev", TOY, "-o", path, "--members", "lr-svm-forward", "--weights", "learned")
    facts = json.loads(run("inspect", path, "--json"))
    assert (facts["votes"]["kind"], facts["votes"]["overall"]) == ("learned", [None])
    text = run("inspect", path, "--full")
    assert "weights of the votes: learned" in text
    assert 'weights = "learned"' in text
    assert "Confidence=" in run("parse", path, TOY, "--confidence", "-o", "-")


def test_a_member_may_be_named_twice(tmp_path: Path) -> None:
    run("train", "--train", TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward, lr-svm-forward")
    facts = json.loads(run("inspect", tmp_path / "model", "--json"))
    assert list(facts["members"]) == ["lr-svm-forward", "lr-svm-forward-2"]


def test_inspect_shows_names_of_files_that_are_not_utf8(model: Path, tmp_path: Path) -> None:
    record = store.load(model)
    facts: dict[str, Any] = dict(record.facts)
    facts["training"] = {**facts["training"], "name": "a\udce4.conllu"}
    store.save(dataclasses.replace(record, facts=facts), tmp_path / "model")
    assert "training data: a\\udce4.conllu" in run("inspect", tmp_path / "model")
    assert json.loads(run("inspect", tmp_path / "model", "--json"))["training"]["name"] == "a\udce4.conllu"


def test_inspect_says_what_a_model_is(model: Path) -> None:
    short, full = run("inspect", model), run("inspect", model, "--full")
    facts = json.loads(run("inspect", model, "--json"))
    for text in short, full:
        assert "ensemble of 4 members, one root in each sentence" in text
        assert f"training data: toy.conllu, 12 sentences, 77 tokens, {facts['training']['labels']} labels" in text
        assert (facts["training"]["sha256"] in text) == (text == full)
        assert ("[member.lr-structured-backward]" in text) == (text == full)
    assert len(short.splitlines()) <= 20
    rows = [line.split() for line in short.splitlines()]
    for name in facts["members"]:
        las, uas = (f"{facts['scores'][name][score]:.2f}" for score in ("las", "uas"))
        assert [name, facts["members"][name]["kind"], "1", las, uas] in rows
    quiet = [sys.executable, "-m", "treevote", "inspect", str(model), "-v"]
    assert subprocess.run(quiet, capture_output=True, text=True, check=True).stdout == full
    assert set(facts["files"]) == set(content(model))
    assert facts["scores"]["vote"]["las"] > 90


def test_members_are_chosen_and_said_why(tmp_path: Path) -> None:
    members = "lr-svm-forward,lr-svm-backward"
    report = run("train", "--train", TOY, "-o", tmp_path / "model", "--members", members, "--select", "--folds", 2)
    for words in ("2 folds", "uniquely correct", "ms/1000 tokens", "oracle", "% of tokens on which two differ"):
        assert words in report
    text = run("inspect", tmp_path / "model", "--full")
    assert "ms/1000 tokens" not in text
    configuration = text[text.index("configuration:\n") + 15 : text.index("\n\nfiles")]
    (tmp_path / "config.toml").write_text(configuration)
    run("train", "--train", TOY, "-o", tmp_path / "again", "--config", tmp_path / "config.toml")
    assert content(tmp_path / "again") == content(tmp_path / "model")


def test_confidence_is_written_and_can_be_checked(model: Path, tmp_path: Path) -> None:
    run("parse", model, TOY, "--confidence", "-o", tmp_path / "parse.conllu")
    text = (tmp_path / "parse.conllu").read_text("utf-8")
    assert text.count("|LabelConfidence=") == read(TOY).n_tokens
    assert "Support" not in text
    assert "expected calibration error" in run("reliability", TOY, tmp_path / "parse.conllu")
    assert json.loads(run("reliability", TOY, tmp_path / "parse.conllu", "--json"))["arc"]["coverage"] > 0
    assert "expected Confidence=NUMBER in MISC" in fails("reliability", TOY, TOY)
    for number in ("1e300", "1e400", "nan", "-0.1", "9" * 5000):
        (tmp_path / "odd.conllu").write_text(re.sub("\\|Confidence=[0-9.]+", f"|Confidence={number}", text, count=1))
        said = fails("reliability", TOY, tmp_path / "odd.conllu")
        assert "expected Confidence=NUMBER in MISC" in said
        assert len(said) < 500
    assert "support and confidence belong to a vote" in fails(
        "parse", model, TOY, "--confidence", "--member", "lr-svm-forward"
    )


def test_confidence_needs_something_to_measure_on(tmp_path: Path) -> None:
    run("train", "--train", TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward")
    assert "train it with a development set" in fails("parse", tmp_path / "model", TOY, "--confidence")


def test_rules_are_printed_and_explain_a_parse(model: Path, tmp_path: Path) -> None:
    run("train", "--train", TOY, "-o", tmp_path / "model", "--members", "decision-list")
    assert "pass 1: if " in run("inspect", tmp_path / "model", "--rules")
    text = run("explain", tmp_path / "model", TOY, "--sentence", 1)
    assert [line.split()[1] for line in text.strip().split("\n")[2:]] == ["The", "dog", "barks", "."]
    assert text.count("pass ") >= 1
    assert "expected numbers of sentences in 1.." in fails("explain", tmp_path / "model", TOY, "--sentence", 999)
    assert "no decision list among its members" in fails("explain", model, TOY)


def test_members_of_all_kinds_train_parse_and_come_back(tmp_path: Path) -> None:
    members = "pipeline,graph-perceptron,decision-list"
    run("train", "--train", TOY, "--dev", TOY, "-o", tmp_path / "one", "--members", members)
    run("train", "--train", TOY, "--dev", TOY, "-o", tmp_path / "two", "--members", members, "-j", 2)
    assert content(tmp_path / "one") == content(tmp_path / "two")
    for arguments in ((), ("--member", "pipeline"), ("--member", "decision-list"), ("--confidence",)):
        run("parse", tmp_path / "one", TOY, *arguments, "-o", tmp_path / "parse.conllu")
        assert read(tmp_path / "parse.conllu").n_tokens == read(TOY).n_tokens


def test_vote_chooses_systems(tmp_path: Path) -> None:
    for name, text in (("good", ONE + TWO), ("bad", (ONE + TWO).replace("\t2\tnsubj", "\t0\tnsubj"))):
        (tmp_path / name).write_text(text)
    good, bad = tmp_path / "good", tmp_path / "bad"
    arguments = ("--select", "--gold", good, "--dev", bad, good, "--confidence")
    run("vote", bad, good, *arguments, "-o", tmp_path / "voted")
    assert (tmp_path / "voted").read_text().count("\t2\tnsubj\t_\tConfidence=0.") == 2
    assert "the choice of systems is measured" in fails("vote", bad, good, "--select")


def test_vote_writes_the_text_of_the_first_system(tmp_path: Path) -> None:
    flipped = ONE.replace("\t2\tnsubj", "\t0\troot").replace("bark\tVERB\t_\t_\t0\troot", "bark\tVERB\t_\t_\t1\tdep")
    for name, text in (("a", "# first\n" + flipped), ("b", ONE), ("c", ONE)):
        (tmp_path / name).write_text(text)
    systems = [tmp_path / name for name in "abc"]
    assert run("vote", *systems) == "# first\n" + ONE
    assert "Support=0.67" in run("vote", *systems, "--support")
    gold = tmp_path / "a"
    weighted = run("vote", *systems, "--weights", "accuracy", "--gold", gold, "--dev", *systems)
    assert weighted == "# first\n" + flipped


def test_vote_decides_how_many_roots_there_are(tmp_path: Path) -> None:
    several = ONE.replace("\t2\tnsubj", "\t0\troot")
    (tmp_path / "one.conllu").write_text("# a comment\n" + ONE)
    (tmp_path / "several.conllu").write_text(several)
    (tmp_path / "several.conllx").write_text(several)

    def n_roots(*arguments: str) -> int:
        run("vote", *(tmp_path / name if "conll" in name else name for name in arguments), "-o", tmp_path / "out")
        return int(roots(read(tmp_path / "out"))[0])

    mixed = ("several.conllu", "several.conllu", "one.conllu")
    assert n_roots(*mixed) == 1
    assert n_roots("several.conllu", "several.conllu") == 2
    assert n_roots("several.conllx", "several.conllx", "one.conllu") == 2
    assert n_roots(*mixed, "--roots", "several") == 2
    assert n_roots("several.conllu", "several.conllu", "--roots", "one") == 1
    assert n_roots(*mixed, "--gold", "several.conllx") == 2


def test_evaluate_conventions_and_json(tmp_path: Path) -> None:
    (tmp_path / "gold.conllx").write_text(ONE)
    (tmp_path / "x.conllx").write_text(ONE.replace("nsubj", "nsubj:x"))
    text, table = run("evaluate", tmp_path / "gold.conllx", tmp_path / "x.conllx").split("\n\n")
    assert text.startswith("x has 50.00 LAS")
    assert table.split() == [
        *("convention", "conllx", "LAS", "UAS", "LA", "root", "complete", "x"),
        *("50.00", "100.00", "50.00", "100.00", "100.00"),
    ]
    assert "x has 100.00 LAS" in run("evaluate", tmp_path / "gold.conllx", tmp_path / "x.conllx", "--ud")
    answer = json.loads(run("evaluate", tmp_path / "gold.conllx", tmp_path / "x.conllx", "--json", "--no-punct"))
    (system,) = answer["systems"]
    assert system["name"] == "x"
    assert system["rates"]["LAS"]["value"] == 50.0
    assert "CLAS" not in system["rates"]
    assert run("evaluate", TOY, TOY, "--csv").startswith("table,group,system,metric,value,")


def test_evaluate_compares_systems_and_writes_a_report(tmp_path: Path) -> None:
    text = run("evaluate", TOY, TOY, TOY, "--train", TOY, "--report", tmp_path / "report.html")
    assert "p bootstrap" in text
    assert "1.00" in text
    assert (tmp_path / "report.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert "known word" in run("evaluate", TOY, TOY, "--train", TOY, "--json=full")


def test_show_draws_trees(tmp_path: Path) -> None:
    assert "nsubj" in run("show", TOY, "--sentence", 1)
    run("show", TOY, "--sentence", 1, "--against", TOY, "--svg", tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text("utf-8").startswith("<svg")
    assert "expected" in fails("show", TOY, "--sentence", 99)


def test_studies_are_named(tmp_path: Path) -> None:
    assert "look-ahead" in run("study", "--list")
    assert "unknown study" in fails("study", "nothing", TOY, "-o", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        ONE.replace("nsubj", "x").replace("root", "x"),
        sentence(3, 4, 0, 3) * 3,
        sentence(0),
    ],
    ids=["one sentence", "one label", "only non-projective trees", "one token"],
)
def test_small_and_odd_training_data_will_do(text: str, tmp_path: Path) -> None:
    (tmp_path / "train.conllu").write_text(text)
    run("train", "--train", tmp_path / "train.conllu", "-o", tmp_path / "model")
    assert run("parse", tmp_path / "model", tmp_path / "train.conllu")


def test_a_long_sentence_is_parsed(model: Path, tmp_path: Path) -> None:
    lines = (f"{i}\tdogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n" for i in range(1, 3001))
    (tmp_path / "long.conllu").write_text("".join(lines) + "\n")
    run("parse", model, tmp_path / "long.conllu", "-o", tmp_path / "parsed.conllu")
    assert read(tmp_path / "parsed.conllu").n_tokens == 3000


# What does not


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.replace("\t2\t", "\t9\t"), "line 1, sentence 1: expected a HEAD in 0..2, found '9'; correct the head"),
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
    ids=["HEAD out of range", "no root", "cycle", "columns", "gap in ids", "not UTF-8", "empty", "unlabelled"],
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
    result = CliRunner().invoke(app, ["parse", str(model), str(tmp_path / "mixed.conllu"), "--on-error", "keep"])
    assert result.exit_code == 0
    assert "\n\n1\tone\n\n1\tcats" in result.stdout
    assert "parsed 2 sentences, 4 tokens" in result.stderr
    assert "1 with faults, first" in result.stderr


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
    assert os.listdir(tmp_path) == ["letter.txt"]


@pytest.mark.parametrize("option", ["accuracy", "pos"])
def test_weights_need_something_to_measure_on(option: str, tmp_path: Path) -> None:
    unmeasured = "train", "--train", TOY, "-o", tmp_path / "model", "--weights", option, "--folds", 0
    assert "on a development set; give one, or a number of folds" in fails(*unmeasured)
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


def test_the_options_of_other_commands_are_not_read() -> None:
    code = (
        "import typer, treevote.cli as cli; "
        "typer.Typer.__call__ = lambda self, **_: print(len(self.registered_commands)); "
    )
    code += "cli.main()"
    every = len(app.registered_commands)
    for arguments, n in (["-q", "parse", "--help"], 1), (["prase"], every), (["--help"], every):
        command = [sys.executable, "-c", code, *arguments]
        assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) == n


def test_the_model_that_is_replaced_is_named(tmp_path: Path) -> None:
    arguments = "train", "--train", TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward"

    def said() -> str:
        return CliRunner().invoke(app, [str(argument) for argument in arguments]).stderr

    assert "replaced" not in said()
    year = time.strftime("%Y")
    for _ in range(2):
        line = said().splitlines()[-1]
        assert line.startswith(f"treevote: replaced {tmp_path / 'model'}, a model of {year}-")
        assert line.endswith(": lr-svm-forward, trained on toy.conllu (12 sentences)")
    manifest = tmp_path / "model" / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"version": 2', '"version": 99'), "utf-8")
    assert said().rstrip().endswith(": damaged, or of another version of treevote")


@pytest.mark.parametrize(
    "arguments",
    [["parse"], ["train", "-o", "x"], ["prase"], ["parse", "m", "x", "--on-error", "cry"], ["train", "--beam", "0"]],
)
def test_bad_usage_has_exit_code_2(arguments: list[str]) -> None:
    assert "Usage:" in run(*arguments, code=2)


def test_a_file_without_heads_is_no_parse(tmp_path: Path) -> None:
    bare = tmp_path / "bare.conllu"
    bare.write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    gold = tmp_path / "gold.conllu"
    gold.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert "found no heads at all" in fails("evaluate", gold, bare)
    assert "found no heads at all" in fails("vote", gold, bare, "-o", tmp_path / "out.conllu")
    assert not (tmp_path / "out.conllu").exists()


def test_a_fault_in_a_configuration_is_told_by_its_key(tmp_path: Path) -> None:
    for text, said in (
        ("[members.first]", "c.toml: the table of a member is [member.NAME]"),
        (
            "[member.first]\nwidht = 3",
            "unknown key 'member.first.widht'; did you mean 'member.first.width'?",
        ),
        ("[member.first]\nlike = ['a']", "member.first.like: expected a name, found ('a',)"),
        ("[member.first]\nkind = {}", "member.first.kind: expected a name, found {}"),
        ("[member.first]\noptions = 3", "member.first.options: expected a table, found 3"),
        ("[member.first]\nmargin = 1e400", "member.first.margin: expected a number, found inf"),
        (
            "[member.first]\nwidth = 1" + "0" * 400,
            "member.first.width: expected a number of at most 64 bits, found 1000",
        ),
        ("seed = 1" + "0" * 400, "c.toml: seed: expected a whole number, found 1000"),
        ("[member.first]\nlearner = 'sklearn" + ".a" * 2000 + "'", "unknown learner 'sklearn.a"),
    ):
        (tmp_path / "c.toml").write_text(text)
        assert said in fails("train", "--train", TOY, "--config", tmp_path / "c.toml", "-o", tmp_path / "m")
    assert "unknown member ''" in fails("train", "--train", TOY, "--members", "", "-o", tmp_path / "m")


def test_text_without_tags_is_warned_of_and_strict_stops(model: Path, tmp_path: Path) -> None:
    text, output = tmp_path / "text.conllu", tmp_path / "out.conllu"
    text.write_text("".join(f"{i}\tword{i}\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 31)) + "\n", "utf-8")
    for options, code in ((), 0), (("--strict",), 3):
        result = CliRunner().invoke(app, ["parse", str(model), str(text), "-o", str(output), *options])
        assert result.exit_code == code
        assert result.stderr.count("100% of the tokens have no part of speech") == 1
        assert output.exists() == (code == 0)
        output.unlink(missing_ok=True)


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
