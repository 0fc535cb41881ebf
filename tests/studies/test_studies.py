"""Studies: reports that are the same bytes every time, figures of the papers, their use."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command_line import invoke
from tests.reference.studies import pairs
from tests.reference.toy_grammar import toy_treebank
from tests.strategies import treebanks
from treevote.commands import study as command
from treevote.commands.study import JOBS, STUDIES, listing
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank, checksum
from treevote.errors import ConfigError, InputError
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.parsers.transition.parser import TransitionTrainer
from treevote.parallel import ONE_JOB, Jobs
from treevote.studies import chang_do_roth, corston_oliver, sagae_tsujii, yuret
from treevote.studies.corston_oliver import sample_of
from treevote.studies.jobs import compact
from treevote.studies.report import OUTCOMES, Finding, Report, Table, as_json, as_latex, as_markdown, outcome, printed
from treevote.studies.study import Context, Results, hold_out

TOY = toy_treebank(90, 1, crossing=True)

study = functools.partial(
    command.study, test=None, text=None, members=(), settings="default", seed=0, format="auto", jobs=ONE_JOB
)


@pytest.fixture
def toy_file(tmp_path: Path) -> Path:
    path = tmp_path / "toy.conllu"
    write(TOY, path)
    return path


@given(treebanks(), st.data())
def test_a_compact_treebank_has_the_same_sentences_and_nothing_else(treebank: Treebank, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, max(0, treebank.n_sentences - 1)), max_size=3))
    part = treebank.select([i for i in chosen if i < treebank.n_sentences])
    small = compact(part)
    pairs = list(zip(small.sentences(), part.sentences(), strict=True))
    assert all(own.words == other.words and own.deprels == other.deprels for own, other in pairs)
    assert small.heads.tolist() == part.heads.tolist()
    assert {*small.tokens.tolist(), 0} == set(range(len(small.words)))
    assert {*small.deprels.tolist(), -1} == set(range(-1, len(small.labels)))
    assert checksum(compact(small)) == checksum(small)


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
    training, test = hold_out(numbered)
    forms = [{sentence.words[1].form for sentence in part.sentences()} for part in (training, test)]
    assert forms[1] == {"9", "19", "29"}
    assert not forms[0] & forms[1]
    assert len(forms[0] | forms[1]) == 33


def test_figures_of_the_papers_are_whole() -> None:
    languages = list(sagae_tsujii.LANGUAGES.values())
    for column in (0, 1):  # Sagae & Tsujii give the mean as well
        mean = sum(figures[column] for figures in languages[:-1]) / (len(languages) - 1)
        assert round(mean, 2) == languages[-1][column]
    sizes = ((chang_do_roth.WAITS, 2), (chang_do_roth.TAGS, 3), (chang_do_roth.DEPTHS, 4), (chang_do_roth.LENGTHS, 5))
    assert all(len(row) == size for figures, size in sizes for row in figures.values())
    assert len(yuret.LANGUAGES) == 12
    assert all(las < uas for las, uas in [*yuret.LANGUAGES.values(), *sagae_tsujii.LANGUAGES.values()])
    for metric in chang_do_roth.METRICS:  # WaitLeft without look ahead is in two tables, depth 4 in two others
        assert chang_do_roth.WAITS[metric][1] == chang_do_roth.DEPTHS[metric][0]


def test_tables_as_markdown_and_json_hold_the_same() -> None:
    rows = (("a|b", 1, 2.5, Decimal("70.0"), None), ("c", 12_345, 100.0, "over 80", 3))
    report = Report(
        (Table("T", ("", "n", "x", "paper", "y"), rows, "P, Table 1", "N."),),
        (Finding("C.", "holds", "e"), Finding("D.", "not significant", "f")),
    )
    text = as_markdown("name", "summary", {"training": {"name": "t", "tokens": 9}}, report)
    lines = text.splitlines()
    assert "| a\\|b | 1 | 2.50 | 70.0 |  |" in lines
    assert "| c | 12,345 | 100.00 | over 80 | 3 |" in lines
    assert "- training: t, 9 tokens" in lines
    assert "- C. **Holds here**: e." in lines
    assert "- D. **Same direction here, not significant**: f." in lines
    assert "Figures of the paper: P, Table 1." in lines
    content = json.loads(as_json("name", "summary", {"seed": 1}, report))
    assert content["seed"] == 1
    assert content["tables"][0]["rows"][0] == {"row": "a|b", "n": 1, "x": 2.5, "paper": 70.0, "y": None}
    assert content["findings"][0] == {"claim": "C.", "outcome": "holds", "evidence": "e"}
    assert (content["schema"], content["schema_version"]) == ("treevote/study", 1)


@pytest.mark.parametrize("attribute", yuret.ATTRIBUTES)
@pytest.mark.parametrize("context", yuret.CONTEXTS)
def test_instances_are_the_pairs_of_adjacent_words(attribute: str, context: int) -> None:
    treebank = toy_treebank(12, 4, crossing=True)
    X, y = yuret.instances(treebank, Lexicon.of(treebank), yuret.LinkOptions(attribute, context))
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


def test_attributes_of_the_test_set_alone_are_not_asked_for(tmp_path: Path) -> None:
    toy = toy_treebank(30, 4)
    bare = [
        (
            [word if i % 10 == 9 else word._replace(upos="_", xpos="_", lemma="_") for word in sentence.words[1:]],
            sentence.heads[1:].tolist(),
            sentence.deprels[1:],
        )
        for i, sentence in enumerate(toy.sentences())
    ]
    path = tmp_path / "bare.conllu"
    write(Treebank.of(bare), path)
    content = json.loads(study("decision-list", path, tmp_path / "out").paths[1].read_text())
    rows = {row["row"]: row["rules"] for row in content["tables"][2]["rows"]}
    assert [name for name, rules in rows.items() if rules is None] == ["postag", "cpostag", "lemma"]


def test_a_study_is_the_same_bytes_and_trains_once(
    toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = study("agreement", toy_file, tmp_path / "one")
    threads = study("agreement", toy_file, tmp_path / "two", jobs=Jobs(2, "threading"))
    for path, other in zip(first.paths, threads.paths, strict=True):
        assert path.read_bytes() == other.read_bytes()
    assert first.paths[0].read_text() == first.markdown
    files = sorted((tmp_path / "one" / JOBS).iterdir())
    assert [file.name for file in files] == [file.name for file in sorted((tmp_path / "two" / JOBS).iterdir())]

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(TransitionTrainer, "train", fail)
    assert study("agreement", toy_file, tmp_path / "one").markdown == first.markdown
    assert study("members", toy_file, tmp_path / "one").paths[1].is_file()  # it has the same jobs
    with pytest.raises(AssertionError, match="trained again"):
        study("agreement", toy_file, tmp_path / "one", seed=1)


@pytest.mark.parametrize("name", [name for name in STUDIES if name != "ensemble"])  # tests/studies/test_ensemble.py
def test_every_study_makes_its_tables(name: str, toy_file: Path, tmp_path: Path) -> None:
    chosen = ("lr-svm-forward", "lr-svm-backward") if STUDIES[name].members else ()
    told: list[tuple[str, int, int]] = []
    options: dict[str, Any] = {}
    if STUDIES[name].needs_text:
        write(toy_treebank(30, 7), tmp_path / "text.conllu")
        write(toy_treebank(12, 8), tmp_path / "test.conllu")
        options = {"text": tmp_path / "text.conllu", "test": tmp_path / "test.conllu"}
    result = study(
        name, toy_file, tmp_path / "out", members=chosen, jobs=Jobs(progress=lambda *step: told.append(step)), **options
    )
    content = json.loads(result.paths[1].read_text())
    assert content["study"] == name
    assert options or content["training"]["sentences"] + content["test"]["sentences"] == TOY.n_sentences
    assert all(content["systems"].values())
    assert content["tables"]
    for table in content["tables"]:
        assert table["rows"]
        assert all(list(row) == table["columns"] for row in table["rows"])
        own = {*table["legend"], *content["systems"]}
        explained = any(name.startswith("a column for each") for name in own)
        for column in table["columns"][1:]:
            assert column in own or column.startswith("paper: ") or explained, (table["title"], column)
    assert content["findings"] or name == "sentence-length"  # the toy has no long sentence
    assert {finding["outcome"] for finding in content["findings"]} <= set(OUTCOMES)
    assert any(task == "study" and done == total for task, done, total in told)


def test_a_test_set_of_its_own(toy_file: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.conllu"
    write(toy_treebank(5, 3), test)
    result = study("members", toy_file, tmp_path / "out", test=test, members=["lr-svm-forward", "lr-svm-backward"])
    content = json.loads(result.paths[1].read_text())
    assert content["training"]["sentences"] == TOY.n_sentences
    assert content["test"]["sentences"] == 5


@pytest.mark.usefixtures("untrained")
def test_sentences_that_are_trained_and_measured_on_are_told(toy_file: Path, tmp_path: Path) -> None:
    write(toy_treebank(20, 8), tmp_path / "other.conllu")
    told = "100 % of its sentences are among the training data: what is measured on them is too good"
    for test, expected in ((toy_file, f"treevote: warning: {toy_file}: {told}"), (tmp_path / "other.conllu", "")):
        result = invoke("study", "agreement", toy_file, "--test", test, "-o", tmp_path / "out")
        assert result.exit_code == 0
        assert [line for line in result.stderr.splitlines() if "warning" in line] == [expected] * bool(expected)


@pytest.mark.parametrize("suffix", [".md", ".json", ".tex"])
def test_an_output_that_is_in_the_way_is_told_before_the_work(suffix: str, toy_file: Path, tmp_path: Path) -> None:
    taken = tmp_path / "out" / f"agreement{suffix}"
    taken.mkdir(parents=True)
    with pytest.raises(InputError, match="expected a file to write, found a folder"):
        study("agreement", toy_file, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == [taken]


def test_the_p_value_is_1_for_the_same_parse(tmp_path: Path) -> None:
    context = Context(TOY, TOY, tmp_path)
    assert context.p_value(TOY, TOY, "las").p == 1
    wrong = TOY.with_trees(TOY.heads, np.where(TOY.is_token, 0, -1).astype(np.int32), TOY.labels)
    assert context.p_value(TOY, wrong, "las").p < 0.001
    assert context.p_value(TOY, wrong, "uas").p == 1


def test_wrong_use_is_told(toy_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ConfigError, match="did you mean 'members'"):
        study("member", toy_file, out)
    with pytest.raises(ConfigError, match="parsers of its own"):
        study("waits", toy_file, out, members=["lr-svm-forward"])
    with pytest.raises(ConfigError, match="unknown member 'lr'"):
        study("members", toy_file, out, members=["lr"])
    with pytest.raises(ConfigError, match="needs 2 members or more, found 1"):
        study("agreement", toy_file, out, members=["lr-svm-forward"])
    few, other = tmp_path / "few.conllu", tmp_path / "other.conllu"
    write(toy_treebank(9, 1), few)
    write(toy_treebank(9, 2), other)
    with pytest.raises(InputError, match="at least 10 sentences"):
        study("members", few, out)
    with pytest.raises(InputError, match=f"at least {2 * corston_oliver.PARTS[0]} sentences"):
        study("learning-curve", few, out, test=other)
    with pytest.raises(InputError, match=f"at least {chang_do_roth.FOLDS} sentences"):
        study("tags", few, out, test=other)
    with pytest.raises(ConfigError, match="needs unlabelled text and a test set"):
        study("adaptation", toy_file, out, test=toy_file)
    with pytest.raises(ConfigError, match="takes no unlabelled text"):
        study("waits", toy_file, out, text=toy_file)
    with pytest.raises(ConfigError, match="no other settings"):
        study("waits", toy_file, out, settings="paper")
    assert not out.exists()


@pytest.mark.parametrize(
    ("direction", "p", "expected"),
    [
        (True, 0.049, "holds"),
        (True, 0.05, "not significant"),
        (True, 0.93, "not significant"),
        (False, 0.001, "does not hold"),
        (True, None, "holds"),
    ],
)
def test_a_claim_holds_only_with_significance(direction: bool, p: float | None, expected: str) -> None:
    assert outcome(direction, p) == expected


@pytest.mark.parametrize("name", ["direction", "decision-list", "look-ahead", "waits"])
def test_equal_figures_have_no_direction(name: str, tmp_path: Path) -> None:
    own: Any = STUDIES[name]
    equal = defaultdict[Any, Any](lambda: (1, 50.0))
    results = Results(Context(TOY, TOY, tmp_path), {}, {"": dict.fromkeys(own.systems, TOY)}, equal)
    checks = [claim.check(results) for claim in own.claims if claim.sentence != "WaitRight is not needed"]
    assert [found and found[0] for found in checks] == ["does not hold"] * len(checks)


@pytest.mark.parametrize("name", ["agreement", "adaptation"])
def test_agreement_tells_something_only_where_it_is_right_more_often(name: str, tmp_path: Path) -> None:
    gold, one, other = (
        Treebank.of([(["a", "b", "c"], heads, ["dep", "root", "dep"])]) for heads in ([2, 0, 2], [2, 0, 1], [3, 0, 2])
    )
    own: Any = STUDIES[name]
    forward, backward = sagae_tsujii.PAIR
    for second, told in (one, "66.67 LAS"), (other, "agree on no sentence"):
        results = Results(Context(gold, gold, tmp_path), {}, {"": {forward: one, backward: second}}, {})
        found = own.claims[0].check(results)
        assert found[0] == "does not hold"
        assert told in found[1]


def test_what_was_run_stands_in_the_head(toy_file: Path, tmp_path: Path) -> None:
    members = ["lr-svm-forward", "lr-svm-backward"]
    own, paper = (
        study("members", toy_file, tmp_path / settings, members=members, settings=settings)
        for settings in ("default", "paper")
    )
    assert "learner svm, direction forward" in own.markdown
    assert "learner pairs-svm, direction forward, search greedy, encoding path, templates paper" in paper.markdown
    assert "vote of all: equal weights: lr-svm-forward, lr-svm-backward" in paper.markdown
    assert "settings: learners, features and search of the paper" in paper.markdown


def test_adaptation_adds_the_sentences_on_which_two_agree(toy_file: Path, tmp_path: Path) -> None:
    text, test = tmp_path / "text.conllu", tmp_path / "test.conllu"
    write(toy_treebank(60, 7), text)
    write(toy_treebank(20, 8), test)
    content = json.loads(study("adaptation", toy_file, tmp_path / "out", test=test, text=text).paths[1].read_text())
    accuracy, sentences = ({row["row"]: row for row in table["rows"]} for table in content["tables"])
    assert list(accuracy) == [
        "lr-maxent-forward",
        "lr-svm-backward",
        "vote of the paper's three",
        "lr-maxent-forward, retrained",
    ]
    before, after = sentences["training data before"], sentences["training data after"]
    added = next(row for name, row in sentences.items() if name.endswith(", added"))
    for key in "sentences", "tokens":
        assert after[key] == before[key] + added[key]
    assert before["sentences"] == TOY.n_sentences
    assert accuracy["lr-maxent-forward, retrained"]["paper: chemical test LAS"] == 81.06
    assert accuracy["lr-maxent-forward"]["p (LAS)"] is None
    bare = text.read_text("utf-8").splitlines()
    lines = [
        "\t".join([*cells[:6], "_", "_", *cells[8:]]) if len(cells := line.split("\t")) > 1 else line for line in bare
    ]
    text.write_text("\n".join([*lines, ""]), "utf-8")  # trees in the text are not read
    again = json.loads(study("adaptation", toy_file, tmp_path / "bare", test=test, text=text).paths[1].read_text())
    assert again["tables"] == content["tables"]


def test_the_list_has_a_line_for_each_study() -> None:
    lines = listing().splitlines()
    assert [line.split()[0] for line in lines] == list(STUDIES)
    assert all(len(line) <= 110 for line in lines)


def test_a_gain_that_is_rounded_to_nothing_has_no_sign(tmp_path: Path) -> None:
    words = ["a"] * 25_000
    gold, worse = (Treebank.of([(words, [0] * 25_000, ["root"] * 24_999 + [last])]) for last in ("root", "dep"))
    systems = {name: worse if "backward" in name else gold for name in sagae_tsujii.FOUR}
    results = Results(Context(gold, gold, tmp_path), {}, {"": systems}, {})
    report = Report(tuple(sagae_tsujii.direction.tables(results)))
    assert "-0.0" not in as_markdown("direction", "", {}, report) + as_json("direction", "", {}, report)
    found: Any = sagae_tsujii.direction.claims[0].check(results)
    assert "backward MaxEnt 0.00 LAS" in found[1]


def test_tables_in_latex_have_the_best_score_in_bold() -> None:
    made = Table(
        "Two parsers", ("", "LAS", "<11"), (("a_b|", 88.0, 3), ("c", 89.5, 9), ("paper: d", *printed("89.50"), None))
    )
    lines = as_latex(Report((made,), (Finding("c is better.", "holds", "by 1.5 %"),))).splitlines()
    assert lines[0] == "% Two parsers"
    assert " & LAS & $<$11 \\\\" in lines
    rows = lines[lines.index("\\midrule") + 1 : lines.index("\\bottomrule")]
    assert rows == ["a\\_b$|$ & 88.00 & 3 \\\\", "c & \\textbf{89.50} & 9 \\\\", "paper: d & 89.50 &  \\\\"]
    assert lines[-1] == "% c is better. Holds here: by 1.5 %."
