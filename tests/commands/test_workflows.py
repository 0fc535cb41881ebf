"""Commands one after the other: training, parsing, evaluation, and what they say of a model."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import ONE, TWO, content, fails, run, sentence
from tests.paths import TOY
from treevote.conll.reader import read
from treevote.corpus.trees import roots
from treevote.ensemble.configuration import PRESETS, Preset, ensemble_of, read_configuration
from treevote.store import folder as store


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


@pytest.mark.parametrize("preset", ["fast", "best"])
def test_the_configuration_of_a_preset_can_be_written_out(preset: Preset, tmp_path: Path) -> None:
    path = tmp_path / "preset.toml"
    path.write_text(run("config", f"--{preset}"), "utf-8")
    assert ensemble_of(read_configuration(path)) == ensemble_of(PRESETS[preset])
    assert f"an adaptation has no --{preset}" in fails("config", "adapt", f"--{preset}")
    assert "three choices of members" in fails("config", f"--{preset}", "--members", "pipeline")


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
    run("train", "--train", TOY, "--dev", TOY, "-o", path, "--config", config, "--pseudo-projective", "head")
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


@pytest.mark.parametrize(
    "both",
    [
        "--rules --json",
        "--full --json",
        "--markdown --json",
        "--full --markdown",
        "--markdown --rounds",
        "--card --full",
    ],
)
def test_inspect_answers_in_one_form(both: str, model: Path) -> None:
    words = both.replace("--card", "--card facts.toml").replace("--rounds", f"--rounds {model}")
    said = run("inspect", *words.split(), model, code=1)
    assert f"{both.replace(' ', ' and ')} exclude each other; choose one" in said


@pytest.mark.parametrize("option", ["--jobs 2", "--backend loky"])
def test_a_cluster_decides_on_jobs_and_backend(option: str, model: Path) -> None:
    said = run("parse", model, TOY, "--cluster", "tcp://127.0.0.1:1", *option.split(), code=1)
    assert f"--cluster and {option.split()[0]} exclude each other; choose one" in said


def test_a_model_cannot_go_to_standard_output() -> None:
    assert "expected a folder for the model, found -" in fails("train", TOY, "-o", "-")


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
    assert "support, confidence and lights belong to a vote" in fails(
        "parse", model, TOY, "--confidence", "--member", "lr-structured-forward"
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
    assert ", found 999; choose among these" in fails("explain", tmp_path / "model", TOY, "--sentence", 999)
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


@pytest.mark.parametrize(("seconds", "day"), [("86399", "1970-01-01"), ("9" * 30, "2..."), ("soon", "2...")])
def test_the_day_of_a_report_can_be_given(
    seconds: str, day: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    run("evaluate", TOY, TOY, "--report", tmp_path / "report.html")
    assert re.search(rf", {day}.*\. Seed 0\.", (tmp_path / "report.html").read_text("utf-8"))


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
