"""``treevote vote``: its report, and development files that do not belong to the systems."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.command_line import fails, invoke, run
from tests.reference.toy_grammar import toy_treebank
from treevote import ConfigError, dumps, vote_files
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import evaluate
from treevote.report.votes import as_text

NAMES = ("good", "fair", "bad", "worst")
KINDS = {"good": 0.05, "fair": 0.15, "bad": 0.3, "worst": 0.45}
"""Systems, and the share of words whose label they have wrong."""


def parse_of(gold: Treebank, wrong: float, seed: int) -> Treebank:
    """Return trees in which a share of the labels is wrong, each system in its own way."""
    random = np.random.default_rng(seed)
    changed = gold.is_token & (random.random(len(gold.deprels)) < wrong)
    labels = (*gold.labels, f"wrong-{wrong}")
    return gold.with_trees(gold.heads, np.where(changed, len(gold.labels), gold.deprels).astype(np.int32), labels)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vote")
    for part, seed in (("dev", 1), ("test", 2)):
        gold = toy_treebank(80, seed)
        write(gold, folder / f"gold.{part}.conllu")
        for number, (name, wrong) in enumerate(KINDS.items()):
            write(parse_of(gold, wrong, 10 * seed + number), folder / f"{name}.{part}.conllu")
    return folder


def files(room: Path, part: str, names: tuple[str, ...] = NAMES) -> list[Path]:
    return [room / f"{name}.{part}.conllu" for name in names]


def said(*arguments: object) -> str:
    result = invoke("vote", *arguments)
    assert result.exit_code == 0, result.output
    return result.stderr


def test_scores_weights_and_what_was_left_out_are_told(room: Path, tmp_path: Path) -> None:
    dev = "--gold", room / "gold.dev.conllu", "--dev", *files(room, "dev")
    text = said(*files(room, "test"), *dev, "--select", "-o", tmp_path / "out.conllu")
    rows = {line.split()[0]: line.split() for line in text.split("\n\n")[0].splitlines()}
    gold = read(room / "gold.dev.conllu")
    for name in NAMES:
        assert rows[name][1] == f"{evaluate(gold, read(room / f'{name}.dev.conllu')).las:.2f}"
    assert rows["good"][-1] == "1"
    twins = [[f"{name}={room / f'good.{part}.conllu'}" for name in ("good", "copy")] for part in ("test", "dev")]
    dev = "--gold", room / "gold.dev.conllu", "--dev", *twins[1]
    alone = said(*twins[0], *dev, "--select", "-o", tmp_path / "out.conllu")
    assert "left out, since the vote is no better with them: copy" in alone
    assert "ablation: LAS that the vote loses" in text
    assert "good, the best system (95 % interval" in " ".join(text.split())
    assert "chosen on the same sentences" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_it_is_told_whether_the_vote_would_be_better_with_what_was_left_out(room: Path, tmp_path: Path) -> None:
    gold, output = room / "gold.dev.conllu", tmp_path / "out.conllu"
    voted = vote_files(files(room, "test"), output, select=True, gold=gold, dev=files(room, "dev"))
    *others, last = voted.facts["systems"]
    for gain, why in (-0.1, "since the vote is no"), (0.0, "since the vote is no"), (0.2, "though the vote would be"):
        systems = [*others, {**last, "place": None, "ablation": gain}]
        told = as_text(dataclasses.replace(voted, facts={**voted.facts, "systems": systems}))
        assert f"left out, {why} better with them: worst\n" in told
        assert told.count("left out, ") == 1


@pytest.mark.parametrize("short", ["test", "dev"])
def test_a_file_with_other_sentences_is_named(room: Path, tmp_path: Path, short: str) -> None:
    write(read(room / f"fair.{short}.conllu").select(range(10)), tmp_path / "short.conllu")
    systems, dev = files(room, "test"), files(room, "dev")
    (systems if short == "test" else dev)[1] = tmp_path / "short.conllu"
    message = fails("vote", *systems, "--gold", room / "gold.dev.conllu", "--dev", *dev, "-o", tmp_path / "out.conllu")
    assert "short.conllu" in message
    assert not (tmp_path / "out.conllu").exists()


def test_without_development_files_only_the_vote_is_told(room: Path, tmp_path: Path) -> None:
    text = said(*files(room, "test"), "-o", tmp_path / "out.conllu")
    assert text == "4 systems voted on 80 sentences with one root each; weights: equal\n"


def test_json_has_all_that_is_told(room: Path, tmp_path: Path) -> None:
    dev = "--gold", room / "gold.dev.conllu", "--dev", *files(room, "dev")
    answer = json.loads(run("vote", *files(room, "test"), *dev, "--weights", "pos", "-o", tmp_path / "o", "--json"))
    assert answer["schema"] == "treevote/vote"
    assert answer["voters"] == list(NAMES)
    assert [own["place"] for own in answer["systems"]] == [1, 2, 3, 4]
    assert answer["systems"][0]["weight"] == pytest.approx(answer["systems"][0]["las"] / 100, abs=1e-4)
    assert answer["development"]["gain"]["over"] == "good"
    for output in ("-", "/dev/stdout"):
        assert "standard output" in run("vote", *files(room, "test"), "--json", "-o", output, code=1)


def test_the_vote_of_files_in_python_is_that_of_the_command(room: Path, tmp_path: Path) -> None:
    gold, systems, dev = room / "gold.dev.conllu", files(room, "test"), files(room, "dev")
    options = "--gold", gold, "--dev", *dev, "--weights", "accuracy", "--support", "--json"
    answer = json.loads(run("vote", *systems, *options, "-o", tmp_path / "command"))
    voted = vote_files(systems, tmp_path / "python", weights="accuracy", gold=gold, dev=dev, support=True)
    assert (tmp_path / "python").read_bytes() == (tmp_path / "command").read_bytes()
    assert dumps(voted.parse) == (tmp_path / "command").read_text("utf-8")
    assert list(voted.voters) == answer["voters"]
    assert voted.facts["development"] == answer["development"]
    with pytest.raises(ConfigError, match="expected two systems or more"):
        vote_files(systems[:1], tmp_path / "python")


def test_sentences_that_were_no_trees_are_named(room: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.conllu"
    lines = (room / "good.test.conllu").read_text("utf-8").split("\n\n")
    lines[2] = lines[2].replace("\t0\t", "\t1\t", 1)
    broken.write_text("\n\n".join(lines), "utf-8")
    text = said(broken, *files(room, "test"), "-o", tmp_path / "out.conllu")
    assert "the vote has one wherever a system has heads:\nbroken: 1 sentence with cycle (3)" in text
    read(tmp_path / "out.conllu")  # trees only


def test_a_selection_of_systems_chooses_their_weights(room: Path) -> None:
    options = "--gold", room / "gold.dev.conllu", "--dev", *files(room, "dev"), "--select", "--weights", "equal"
    assert "a selection of systems chooses their weights as well" in fails("vote", *files(room, "test"), *options)


def test_unknown_weights_and_an_output_over_an_input_are_refused(room: Path, tmp_path: Path) -> None:
    systems, output = list(map(str, files(room, "test"))), tmp_path / "out.conllu"
    development = {"gold": room / "gold.dev.conllu", "dev": files(room, "dev")}
    for weights in ("acuracy", "Accuracy", "auto"):
        with pytest.raises(ConfigError, match=r"unknown weights .*known: equal, "):
            vote_files(systems, output, weights=cast("Any", weights), **cast("Any", development))
    before = Path(systems[0]).read_bytes()
    with pytest.raises(ConfigError, match="is both read and written"):
        vote_files([f"good={systems[0]}", systems[1]], systems[0])
    assert Path(systems[0]).read_bytes() == before
    assert not output.exists()


def test_one_system_has_no_vote(room: Path) -> None:
    assert "expected two systems or more to vote, found 1" in fails("vote", room / "good.test.conllu")


def test_development_files_of_other_systems_are_noticed(room: Path, tmp_path: Path) -> None:
    systems, gold = files(room, "test"), ("--gold", room / "gold.dev.conllu", "--dev")
    end = "-o", tmp_path / "out.conllu"
    assert "warning" not in said(*systems, *gold, *files(room, "dev"), *end)
    turned = files(room, "dev", ("worst", "bad", "fair", "good"))
    assert "by their names the files of --dev are in another order (worst, bad, fair, good)" in said(
        *systems, *gold, *turned, *end
    )
    for number, path in enumerate(turned):
        shutil.copy(path, tmp_path / f"d{number}.conllu")
    unnamed = [tmp_path / f"d{number}.conllu" for number in range(4)]
    text = said(*systems, *gold, *unnamed, *end)
    assert "by their agreement with each other the files of --dev seem to be in another order" in text
    assert f"better: {', '.join(str(path) for path in unnamed[::-1])}" in text
    noise = tmp_path / "noise.conllu"
    write(parse_of(read(room / "gold.dev.conllu"), 0.95, 9), noise)
    assert "they may be of different systems" in said(*systems, *gold, noise, *files(room, "dev")[1:], *end)


def test_measuring_on_the_sentences_that_are_voted_on_is_noticed(room: Path, tmp_path: Path) -> None:
    systems = files(room, "test")
    text = said(*systems, "--gold", room / "gold.test.conllu", "--dev", *systems, "-o", tmp_path / "out.conllu")
    assert "the sentences of --gold are those that are voted on" in text


def test_weights_by_agreement_need_no_gold_trees(room: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.conllu", tmp_path / "other.conllu"
    text = said(*files(room, "test"), "--weights", "agreement", "-o", one)
    assert "4 systems voted on 80 sentences with one root each; weights: agreement by " in text
    said(*reversed(files(room, "test")), "--weights", "agreement", "-o", other)
    trees = [read(path) for path in (one, other)]
    assert (trees[0].heads == trees[1].heads).all()
    dev = "--gold", room / "gold.dev.conllu", *(part for file in files(room, "dev") for part in ("--dev", file))
    assert "the best system" in said(*files(room, "test"), *dev, "--weights", "agreement", "-o", one)


def test_a_learned_vote_has_confidence_and_does_without_weights(room: Path, tmp_path: Path) -> None:
    dev = "--gold", room / "gold.dev.conllu", "--dev", *files(room, "dev")
    text = said(*files(room, "test"), *dev, "--weights", "learned", "--confidence", "-o", tmp_path / "out.conllu")
    rows = {line.split()[0]: line.split() for line in text.split("\n\n")[0].splitlines()}
    assert [rows[name][3] for name in NAMES] == ["-"] * len(NAMES)
    assert "4 systems voted on 80 sentences with one root each; weights: learned" in text
    voted = read(tmp_path / "out.conllu", marks=True)
    gold = read(room / "gold.test.conllu")
    assert list(voted.marks) == ["confidence", "label_confidence"]
    said(*files(room, "test"), "-o", tmp_path / "equal.conllu")
    assert evaluate(gold, voted).las > evaluate(gold, read(tmp_path / "equal.conllu")).las
    said(*files(room, "test"), *dev, "--weights", "learned", "-o", tmp_path / "bare.conllu")
    assert not read(tmp_path / "bare.conllu", marks=True).marks


def test_marks_of_the_first_system_are_not_those_of_the_vote(room: Path, tmp_path: Path) -> None:
    first, *others = files(room, "test")
    marked = tmp_path / "marked.conllu"
    marked.write_text(re.sub("\t_\n", "\tConfidence=0.5|Light=green\n", first.read_text()))
    said(marked, *others, "-o", tmp_path / "voted.conllu")
    said(first, *others, "-o", tmp_path / "bare.conllu")
    assert "Light=green" in marked.read_text()
    write(vote_files([marked, *others], tmp_path / "again.conllu").parse.only(), tmp_path / "written.conllu")
    assert (tmp_path / "written.conllu").read_text() == (tmp_path / "bare.conllu").read_text()
    assert (tmp_path / "voted.conllu").read_text() == (tmp_path / "bare.conllu").read_text()
