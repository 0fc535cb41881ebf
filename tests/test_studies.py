"""Studies: cells that are worked out once, tables that are the same bytes every time, figures of the papers."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.studies import pairs
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import SMALL
from tests.strategies import treebanks
from treevote import conll
from treevote.commands.study import CELLS, listing, study
from treevote.errors import ConfigError, InputError
from treevote.models.features.lexicon import Lexicon
from treevote.models.transition.parser import TransitionTrainer
from treevote.protocols import Progress
from treevote.store import JSON
from treevote.studies import chang, decision_list, learning_curve, look_ahead, members, sentence_length, tags, waits
from treevote.studies.agreement import agreed
from treevote.studies.catalogue import STUDIES
from treevote.studies.cells import Parsing, alone, checksum, run
from treevote.studies.direction import heads_on_either_side
from treevote.studies.learning_curve import sample_of
from treevote.studies.tables import Finding, Report, Table, as_json, as_markdown
from treevote.studies.workbench import Workbench, held_out
from treevote.treebank import Treebank

TOY = toy_treebank(90, 1, crossing=True)
PARSING = Parsing("toy", SMALL, alone(TOY), alone(toy_treebank(5, 2)), 0)


@dataclass(frozen=True)
class Squaring:
    """A cell that notes in a folder how often it was worked on."""

    number: int
    log: Path
    trainer: int = 0

    @property
    def title(self) -> str:
        return str(self.number)

    def facts(self) -> dict[str, JSON]:
        return {"number": self.number}

    def work(self, progress: Progress | None) -> JSON:
        if self.number < 0:
            raise InputError("a number below 0")
        with (self.log / str(self.number)).open("a") as file:
            file.write("worked\n")
        return self.number**2

    def outcome(self, result: Any) -> int:
        return int(result)

    def reduced(self) -> Squaring:
        return dataclasses.replace(self, number=0)

    def times(self) -> int:
        return len((self.log / str(self.number)).read_text().splitlines())


@pytest.fixture
def toy_file(tmp_path: Path) -> Path:
    path = tmp_path / "toy.conllu"
    conll.write(TOY, path)
    return path


def test_a_cell_is_worked_out_once(tmp_path: Path) -> None:
    cells = [Squaring(number, tmp_path) for number in (3, 1, 3, 2)]
    assert run(cells, tmp_path / "cells") == [9, 1, 9, 4]
    assert run(cells[::-1], tmp_path / "cells", n_jobs=2, backend="threading") == [4, 9, 1, 9]
    assert [cell.times() for cell in cells] == [1, 1, 1, 1]


def test_what_was_done_before_an_interruption_is_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="below 0"):
        run([Squaring(number, tmp_path) for number in (1, 2, -1, 3)], tmp_path / "cells")
    assert run([Squaring(number, tmp_path) for number in (1, 2, 3)], tmp_path / "cells") == [1, 4, 9]
    assert [Squaring(number, tmp_path).times() for number in (1, 2, 3)] == [1, 1, 1]


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b"[]", b'{"cell":{},"result":16}', b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: bytes) -> None:
    cell = Squaring(4, tmp_path)
    run([cell], tmp_path / "cells")
    (path,) = (tmp_path / "cells").iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage)
    assert run([cell], tmp_path / "cells") == [16]
    assert path.read_bytes() == whole
    assert cell.times() == 2


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot make the folder"):
        run([Squaring(1, tmp_path)], tmp_path / "file" / "cells")


def test_a_parse_comes_back_from_its_file() -> None:
    result = json.loads(json.dumps(PARSING.work(None)))
    expected = SMALL.train(PARSING.training).parse(PARSING.test)
    found = PARSING.outcome(result)
    assert found.heads.tolist() == expected.heads.tolist()
    assert [s.deprels for s in found.sentences()] == [s.deprels for s in expected.sentences()]


@pytest.mark.parametrize(
    "forged",
    [
        {"heads": []},
        {"heads": [10**6] * PARSING.test.n_tokens},
        {"heads": [10**30] * PARSING.test.n_tokens},
        {"heads": [-1] * PARSING.test.n_tokens},
        {"heads": [1.5] * PARSING.test.n_tokens},
        {"heads": [1] * PARSING.test.n_tokens},  # the first is its own head
        {"heads": "none"},
        {"deprels": [99] * PARSING.test.n_tokens},
        {"labels": []},
        {"labels": 3},
    ],
)
def test_a_forged_parse_is_refused(forged: dict[str, Any]) -> None:
    sound: Any = {"heads": [0] * PARSING.test.n_tokens, "deprels": [0] * PARSING.test.n_tokens, "labels": ["root"]}
    PARSING.outcome(sound)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        PARSING.outcome({**sound, **forged})


def test_the_facts_of_a_cell_tell_apart_all_that_counts() -> None:
    others = [
        dataclasses.replace(PARSING, seed=1),
        dataclasses.replace(PARSING, trainer=dataclasses.replace(SMALL, cutoff=2)),
        dataclasses.replace(PARSING, training=PARSING.test),
        dataclasses.replace(PARSING, test=PARSING.training),
    ]
    texts = [json.dumps(cell.facts(), sort_keys=True) for cell in (PARSING, *others)]
    assert len(set(texts)) == len(texts)
    assert json.dumps(dataclasses.replace(PARSING, title="other").facts(), sort_keys=True) == texts[0]


@given(treebanks(), st.data())
def test_sentences_alone_know_nothing_of_where_they_come_from(treebank: Treebank, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, max(0, treebank.n_sentences - 1)), max_size=3))
    part = treebank.select([i for i in chosen if i < treebank.n_sentences])
    lonely = alone(part)
    pairs = list(zip(lonely.sentences(), part.sentences(), strict=True))
    assert all(own.words == other.words and own.deprels == other.deprels for own, other in pairs)
    assert lonely.heads.tolist() == part.heads.tolist()
    assert {*lonely.tokens.tolist(), 0} == set(range(len(lonely.words)))
    assert {*lonely.deprels.tolist(), -1} == set(range(-1, len(lonely.labels)))
    assert checksum(alone(lonely)) == checksum(lonely)


@given(treebanks(), treebanks())
def test_agreement_is_that_of_all_heads_and_labels(one: Treebank, other: Treebank) -> None:
    same = agreed([one, one])
    assert same.all()
    deprels = one.deprels.copy()
    deprels[one.is_token] = deprels[one.is_token][::-1]
    shuffled = one.with_trees(one.heads, deprels, one.labels)
    if one.n_sentences:
        expected = [
            a.heads.tolist() == b.heads.tolist() and a.deprels == b.deprels
            for a, b in zip(one.sentences(), shuffled.sentences(), strict=True)
        ]
        assert agreed([one, shuffled]).tolist() == expected


@given(treebanks())
def test_every_token_has_its_head_on_one_side(treebank: Treebank) -> None:
    left, right = heads_on_either_side(treebank)
    assert ((left.astype(int) + right + (treebank.heads == 0)) == treebank.is_token).all()


@given(st.integers(1, 40), st.integers(0, 5), st.integers(0, 3))
def test_a_sample_is_a_part_of_the_sentences(part: int, number: int, seed: int) -> None:
    numbered = Treebank.of([([str(i)], [0], ["root"]) for i in range(80)])
    forms = [sentence.words[1].form for sentence in sample_of(numbered, part, number, seed).sentences()]
    assert len(forms) == 80 // part
    assert sorted(set(map(int, forms))) == [int(form) for form in forms]


def test_samples_differ() -> None:
    samples = {sample_of(TOY, 4, number, seed).tokens.tobytes() for number in range(5) for seed in range(2)}
    assert len(samples) == 10


def test_what_is_held_out_is_not_trained_on() -> None:
    numbered = Treebank.of([([str(i)], [0], ["root"]) for i in range(33)])
    training, test = held_out(numbered)
    forms = [{sentence.words[1].form for sentence in part.sentences()} for part in (training, test)]
    assert forms[1] == {"9", "19", "29"}
    assert not forms[0] & forms[1]
    assert len(forms[0] | forms[1]) == 33


def test_figures_of_the_papers_are_whole() -> None:
    languages = list(members.LANGUAGES.values())
    for column in (0, 1):  # Sagae & Tsujii give the mean as well
        mean = sum(figures[column] for figures in languages[:-1]) / (len(languages) - 1)
        assert round(mean, 2) == languages[-1][column]
    assert all(len(row) == len(sentence_length.BINS) for row in sentence_length.FIGURES.values())
    assert all(len(row) == len(look_ahead.DEPTHS) for row in look_ahead.FIGURES.values())
    for figures in (sentence_length.FIGURES, look_ahead.FIGURES, waits.FIGURES, tags.FIGURES):
        assert list(figures) == list(chang.METRICS)
    assert len(decision_list.LANGUAGES) == 12
    assert all(las < uas for las, uas in [*decision_list.LANGUAGES.values(), *members.LANGUAGES.values()])
    for metric in chang.METRICS:  # WaitLeft without look ahead stands in two tables, depth 4 in two others
        assert waits.FIGURES[metric][1] == look_ahead.FIGURES[metric][0]


def test_tables_as_markdown_and_json_hold_the_same() -> None:
    rows = (("a|b", 1, 2.5, Decimal("70.0"), None), ("c", 12_345, 100.0, "over 80", 3))
    report = Report((Table("T", ("", "n", "x", "paper", "y"), rows, "P, Table 1", "N."),), (Finding("C.", True, "e"),))
    text = as_markdown("name", "summary", {"training": {"name": "t", "tokens": 9}}, report)
    lines = text.splitlines()
    assert "| a\\|b | 1 | 2.50 | 70.0 |  |" in lines
    assert "| c | 12,345 | 100.00 | over 80 | 3 |" in lines
    assert "- training: t, 9 tokens" in lines
    assert "- C. **Holds here**: e." in lines
    assert "Figures of the paper: P, Table 1." in lines
    content = json.loads(as_json("name", "summary", {"seed": 1}, report))
    assert content["seed"] == 1
    assert content["tables"][0]["rows"][0] == {"row": "a|b", "n": 1, "x": 2.5, "paper": 70.0, "y": None}
    assert content["findings"] == [{"claim": "C.", "holds": True, "evidence": "e"}]


@pytest.mark.parametrize("attribute", decision_list.ATTRIBUTES)
@pytest.mark.parametrize("context", decision_list.CONTEXTS)
def test_instances_are_the_pairs_of_adjacent_words(attribute: str, context: int) -> None:
    treebank = toy_treebank(12, 4, crossing=True)
    X, y = decision_list.instances(treebank, Lexicon.of(treebank), attribute, context)
    expected = pairs(treebank, attribute, context)
    assert y.tolist() == [linked for _, linked in expected]
    # A column stands for one thing that is seen: both are met in the same pairs.
    rows_of_column: dict[int, list[int]] = {}
    rows_of_seen: dict[tuple[int, str, str], list[int]] = {}
    for row, (seen, _) in enumerate(expected):
        for column in X[[row]].indices.tolist():
            rows_of_column.setdefault(column, []).append(row)
        for item in seen:
            rows_of_seen.setdefault(item, []).append(row)
    assert sorted(rows_of_column.values()) == sorted(rows_of_seen.values())


def test_a_study_is_the_same_bytes_and_trains_once(
    toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = study("agreement", toy_file, tmp_path / "one")
    threads = study("agreement", toy_file, tmp_path / "two", n_jobs=2, backend="threading")
    for path, other in zip(first.paths, threads.paths, strict=True):
        assert path.read_bytes() == other.read_bytes()
    assert first.paths[0].read_text() == first.markdown
    files = sorted((tmp_path / "one" / CELLS).iterdir())
    assert [file.name for file in files] == [file.name for file in sorted((tmp_path / "two" / CELLS).iterdir())]

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(TransitionTrainer, "train", fail)
    assert study("agreement", toy_file, tmp_path / "one").markdown == first.markdown
    assert study("members", toy_file, tmp_path / "one").paths[1].is_file()  # it has the same cells
    with pytest.raises(AssertionError, match="trained again"):
        study("agreement", toy_file, tmp_path / "one", seed=1)


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_makes_its_tables(name: str, toy_file: Path, tmp_path: Path) -> None:
    chosen = ("lr-svm-forward", "lr-svm-backward") if STUDIES[name].members else ()
    told: list[tuple[str, int, int]] = []
    result = study(name, toy_file, tmp_path / "out", members=chosen, progress=lambda *step: told.append(step))
    content = json.loads(result.paths[1].read_text())
    assert content["study"] == name
    assert content["training"]["sentences"] + content["test"]["sentences"] == TOY.n_sentences
    assert content["tables"]
    for table in content["tables"]:
        assert table["rows"]
        assert all(list(row) == table["columns"] for row in table["rows"])
    assert content["findings"] or name == "sentence-length"  # the toy has no long sentence
    assert all(isinstance(finding["holds"], bool) for finding in content["findings"])
    assert any(task == "study" and done == total for task, done, total in told)


def test_a_test_set_of_its_own(toy_file: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.conllu"
    conll.write(toy_treebank(5, 3), test)
    result = study("members", toy_file, tmp_path / "out", test=test, members=["lr-svm-forward", "lr-svm-backward"])
    content = json.loads(result.paths[1].read_text())
    assert content["training"]["sentences"] == TOY.n_sentences
    assert content["test"]["sentences"] == 5


def test_the_p_value_is_1_for_the_same_parse(tmp_path: Path) -> None:
    bench = Workbench(TOY, TOY, tmp_path)
    assert bench.p_value(TOY, TOY, "arcs") == 1
    wrong = TOY.with_trees(TOY.heads, np.where(TOY.is_token, 0, -1).astype(np.int32), TOY.labels)
    assert bench.p_value(TOY, wrong, "arcs") < 0.001
    assert bench.p_value(TOY, wrong, "heads") == 1


def test_wrong_use_is_told(toy_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ConfigError, match="did you mean 'members'"):
        study("member", toy_file, out)
    with pytest.raises(ConfigError, match="parsers of its own"):
        study("waits", toy_file, out, members=["lr-svm-forward"])
    with pytest.raises(ConfigError, match="unknown member 'lr'"):
        study("members", toy_file, out, members=["lr"])
    with pytest.raises(ConfigError, match="seed should not be negative"):
        study("members", toy_file, out, seed=-1)
    with pytest.raises(ConfigError, match="needs 2 members or more, found 1"):
        study("agreement", toy_file, out, members=["lr-svm-forward"])
    few = tmp_path / "few.conllu"
    conll.write(toy_treebank(9, 1), few)
    with pytest.raises(InputError, match="at least 10 sentences"):
        study("members", few, out)
    with pytest.raises(InputError, match=f"at least {2 * learning_curve.PARTS[0]} sentences"):
        study("learning-curve", few, out, test=few)
    with pytest.raises(InputError, match=f"at least {tags.FOLDS} sentences"):
        study("tags", few, out, test=few)
    assert not out.exists()


def test_the_list_has_a_line_for_each_study() -> None:
    lines = listing().splitlines()
    assert [line.split()[0] for line in lines] == list(STUDIES)
    assert all(len(line) <= 110 for line in lines)
