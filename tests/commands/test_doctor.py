"""``treevote doctor`` and ``next``: their outputs and errors."""

from __future__ import annotations

import dataclasses
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import fails, invoke, run
from tests.reference.toy_grammar import toy_treebank
from treevote.annotation.selection import Selection
from treevote.annotation.suspects import Arc, Suspect
from treevote.commands.doctor import doctor
from treevote.commands.next import next_sentences
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.sentence import Sentence, Word
from treevote.errors import ConfigError, TreevoteWarning
from treevote.report import doctor as report
from treevote.report import selection
from treevote.report.doctor import as_json, sentence

DOCTOR = ("doctor", "--members", "lr-svm-forward")
WRONG = 7
"""Number of wrong labels in the treebank."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doctor")
    gold = toy_treebank(90, 1)
    deprels = gold.deprels.copy()
    slots = np.random.default_rng(1).choice(np.flatnonzero(gold.is_token), WRONG, replace=False)
    deprels[slots] = (deprels[slots] + 1) % len(gold.labels)
    write(gold.with_trees(gold.heads, deprels, gold.labels), folder / "plain.conllu")
    treebank = read(folder / "plain.conllu")
    text = (folder / "plain.conllu").read_text()
    named = [f"# sent_id = s{i}\n{block}" for i, block in enumerate(text.strip().split("\n\n"), 1)]
    (folder / "trees.conllu").write_text("\n\n".join(named).replace("_\n", "SpaceAfter=No\r\n", 1) + "\n\n")
    (folder / "wrong.txt").write_text(" ".join(map(str, sorted(slots.tolist()))))
    write(toy_treebank(60, 2), folder / "pool.conllu")
    run(
        "train", "--train", folder / "plain.conllu", "--folds", 3, "--members", "lr-svm-forward", "-o", folder / "model"
    )
    assert len(treebank) == 90
    return folder


def wrong_tokens(room: Path) -> set[tuple[str, int]]:
    treebank = read(room / "trees.conllu")
    slots = list(map(int, (room / "wrong.txt").read_text().split()))
    return {(f"s{treebank.sentence_of[slot] + 1}", int(treebank.positions[slot])) for slot in slots}


@pytest.fixture(scope="module")
def diagnosis(room: Path) -> dict[str, str]:
    """Return the outputs of a run with all of them."""
    names = {"-o": room / "marked.conllu", "--list": room / "list.tsv", "--report": room / "page.html"}
    asked = [part for pair in names.items() for part in pair]
    out = run(*DOCTOR, room / "trees.conllu", "--work", room / "work", "--json", *asked)
    return {"json": out, **{name: path.read_bytes().decode() for name, path in names.items()}}


def test_suspects_are_named_most_probable_first(room: Path, diagnosis: dict[str, str]) -> None:
    found = json.loads(diagnosis["json"])
    assert (found["schema"], found["sentences"], found["folds"]) == ("treevote/diagnosis", 90, 3)
    suspects = found["suspects"]
    assert {"sent_id", "token", "given", "suggested", "probability", "kind"} <= set(suspects[0])
    assert [one["probability"] for one in suspects] == sorted((one["probability"] for one in suspects), reverse=True)
    first = {(one["sent_id"], one["token"]) for one in suspects[:WRONG]}
    assert len(first & wrong_tokens(room)) >= WRONG - 1


def test_only_misc_of_the_suspects_changes(room: Path, diagnosis: dict[str, str]) -> None:
    before, after = (room / "trees.conllu").read_bytes().decode(), diagnosis["-o"]
    assert after.count("Suspect=") == len(json.loads(diagnosis["json"])["suspects"])
    taken = re.sub(r"\|Suspect=[^\r\n]*|(?<=\t)Suspect=[^\r\n]*", lambda m: "" if m[0][0] == "|" else "_", after)
    assert taken == before


def test_a_marked_file_can_be_diagnosed_again(room: Path, diagnosis: dict[str, str]) -> None:
    run(*DOCTOR, room / "marked.conllu", "--work", room / "work", "-o", room / "again.conllu")
    assert (room / "again.conllu").read_bytes().decode() == diagnosis["-o"]


def test_acknowledged_cases_are_left_out_until_they_change(
    room: Path, diagnosis: dict[str, str], tmp_path: Path
) -> None:
    lines = diagnosis["--list"].splitlines()
    changed = re.sub("\t[0-9a-f]{12}\t", "\t000000000000\t", lines[1])
    (tmp_path / "cases.tsv").write_text(f"{lines[0]}\n{changed}\n")
    asked = *DOCTOR, room / "trees.conllu", "--work", room / "work", "--acknowledged", tmp_path / "cases.tsv", "--json"
    found = json.loads(run(*asked))
    assert found["acknowledged"] == 1
    assert found["suspects"] == json.loads(diagnosis["json"])["suspects"][1:]


def test_a_list_of_sentences_with_tabs_in_their_names_is_read(room: Path, tmp_path: Path) -> None:
    named = (room / "trees.conllu").read_text().replace("# sent_id = s", "# sent_id = s\t")
    (tmp_path / "trees.conllu").write_text(named)
    doctored = (*DOCTOR, tmp_path / "trees.conllu", "--work", room / "work")
    run(*doctored, "--list", tmp_path / "cases.tsv")
    found = json.loads(run(*doctored, "--acknowledged", tmp_path / "cases.tsv", "--json"))
    assert found["acknowledged"] == len((tmp_path / "cases.tsv").read_text().splitlines()) > 0
    assert not found["suspects"]


def test_suspects_of_several_kinds_are_told_since_each_kind_counts_them(diagnosis: dict[str, str]) -> None:
    answer = json.loads(diagnosis["json"])
    several = [len(one["kinds"]) - 1 for one in answer["suspects"] if len(one["kinds"]) > 1]
    assert sum(answer["kinds"].values()) == len(answer["suspects"]) + sum(several)
    assert several
    assert f", {len(several)} of several kinds." in diagnosis["--report"]


def test_words_that_a_picture_leaves_out_are_an_ellipsis() -> None:
    n = 60
    words = [Word(f"w{i}", "_", "X", "_", "_") for i in range(n + 1)]
    tree = Sentence(tuple(words), np.array([-1, 0, *range(1, n)], np.int32), ("", *["x"] * n))
    arcs = Arc(19, "x", "w19"), Arc(50, "x", "w50")
    suspect = Suspect(0, "1", 20, "w20", *arcs, 0.9, "head", ("head",), "", "")
    picture = report._drawing(tree, suspect)
    forms = re.findall(r'<text class="f"[^>]*>([^<]*)</text>', picture[picture.rindex("<svg") :])
    assert forms == ["w17", "w18", "w19", "w20", "w21", "w22", "…", "w48", "w49", "w50", "w51", "w52"]
    assert "the annotation" in picture


def test_the_page_is_whole_and_fetches_nothing(diagnosis: dict[str, str]) -> None:
    page = diagnosis["--report"]
    assert page.rstrip().endswith("</html>")
    assert "<script" not in page
    assert re.search(r"(src|href)=\"(?!#)", page) is None
    assert page.count('class="tree"') >= WRONG
    case = "\t".join(diagnosis["--list"].split("\t")[:3])
    assert f"<code>{case}</code>" in page


def test_a_limit_gives_another_exit_code(room: Path, diagnosis: dict[str, str]) -> None:
    asked = *DOCTOR, room / "trees.conllu", "--work", room / "work", "--fail-over"
    total = json.loads(diagnosis["json"])["probable"]
    run(*asked, total)
    said = invoke(*asked, total - 1)
    assert said.exit_code == 3
    assert f"expected at most {total - 1} suspects (--fail-over), found {total};" in said.stderr


def test_a_run_goes_on_from_the_parses_that_there_are(room: Path, diagnosis: dict[str, str]) -> None:
    first, second = (room / "work" / f"lr-svm-forward-{number}.conllu" for number in (1, 2))
    whole = second.read_bytes()
    for damaged in (None, b"", whole[:1000], first.read_bytes(), whole.replace(b"\troot\t", b"\tdep\t")):
        if damaged is None:
            second.unlink()
        else:
            second.write_bytes(damaged)
        assert run(*DOCTOR, room / "trees.conllu", "--work", room / "work", "--list", room / "list2.tsv")
        assert second.read_bytes() == whole
    assert (room / "list2.tsv").read_text() == diagnosis["--list"]
    assert "holds a diagnosis that differs in folds" in fails(
        *DOCTOR, room / "trees.conllu", "--work", room / "work", "--folds", 2
    )


def test_bad_input_is_one_sentence(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    few = tmp_path / "few.conllu"
    few.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert "3 folds need 6 sentences with trees, found 1" in fails("doctor", few)
    few.write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert "expected trees, found a file without" in fails("doctor", few)
    few.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 9)
    assert "which has no MISC" in fails("doctor", few, "--format", "conllx", "-o", tmp_path / "out.conllu")
    assert [path.name for path in tmp_path.iterdir()] == ["few.conllu"]


@pytest.mark.parametrize("folds", [0, 1, 101, -3])
def test_a_number_of_folds_that_is_not_possible_is_told(folds: int) -> None:
    with pytest.raises(ConfigError, match=f"^expected 2 to 100 folds, found {folds}$"):
        doctor(toy_treebank(6, 1), folds=folds)


def test_next_sentences_have_trees_and_doubts(room: Path, tmp_path: Path) -> None:
    output = tmp_path / "next.conllu"
    found = json.loads(
        run("next", room / "model", room / "pool.conllu", "-k", 5, "-o", output, "--json", "--arcs", 0.01)
    )
    chosen = read(output)
    assert len(chosen) == len(found["sentences"]) <= 5
    assert (found["schema"], found["tokens"]) == ("treevote/selection", chosen.n_tokens)
    assert output.read_text().count("Doubt=") == sum(len(one["doubtful"]) for one in found["sentences"]) > 0
    run("next", room / "model", room / "pool.conllu", "--tokens", 20, "-o", output)
    assert read(output).n_tokens <= 20


def test_fewer_sentences_than_were_asked_for_are_told(room: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", TreevoteWarning)
        next_sentences(room / "model", [room / "pool.conllu"], sentences=1)
    with pytest.warns(TreevoteWarning) as warned:
        chosen = next_sentences(room / "model", [room / "pool.conllu"], sentences=1000).sentences
    told = f"expected 1,000 sentences to choose, found {len(chosen)}; "
    assert [told in str(one.message) for one in warned] == [True]


def test_next_says_whether_its_doubts_are_probabilities_or_votes(room: Path, tmp_path: Path) -> None:
    two = "lr-svm-forward,lr-svm-backward"
    run("train", "--train", room / "plain.conllu", "--members", two, "-o", tmp_path / "model")
    for model, basis in (room, "by the model's own confidence"), (tmp_path, "shares of votes against arcs and labels"):
        assert basis in run("next", model / "model", room / "pool.conllu", "-o", tmp_path / "next.conllu")


def test_wrong_arcs_of_few_tokens_are_not_rounded_to_none() -> None:
    one = toy_treebank(1, 1)
    chosen = dataclasses.replace(one, label_confidence=one.is_token.astype(np.float32))
    text = selection.as_text(Selection(chosen, np.array([0, 0.4]), np.array([0]), 1, 4, 0.4))
    assert text.splitlines()[2].split() == ["pool", "1", "4", "0.4", "10.0"]


def test_a_round_that_is_named_twice_is_one(room: Path, tmp_path: Path) -> None:
    run("train", room / "pool.conllu", "--members", "lr-svm-forward", "--folds", 3, "-o", tmp_path / "model")
    named = tmp_path / "model", f"{tmp_path / 'model'}/", tmp_path / "." / "x" / ".." / "model", f"{room / 'model'}/"
    found = json.loads(run("inspect", room / "model", "--rounds", *named, "--json"))
    assert [one["sentences"] for one in found["curve"]["rounds"]] == [60, 90]


def test_a_missing_folder_of_an_output_is_told_before_the_work(room: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none" / "out"
    for option in ("--output", "--list", "--report"):
        assert "no folder" in fails(*DOCTOR, room / "plain.conllu", "--work", tmp_path / "work", option, missing)
    assert "no folder" in fails("next", room / "model", room / "pool.conllu", "-o", missing)
    unread = tmp_path / "unread.conllu"
    for command in (["clusters", unread], ["vectors", unread], ["vote", unread, unread]):
        assert "no folder" in fails(*command, "-o", missing)
    assert list(tmp_path.iterdir()) == []


def test_next_leaves_out_what_is_annotated_until_nothing_is_left(room: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.conllu", tmp_path / "second.conllu"
    asked = "next", room / "model", room / "pool.conllu", "-k", 10
    run(*asked, "-o", first)
    run(*asked, "--annotated", first, "-o", second)
    words = [{tuple(word.form for word in sentence.words) for sentence in read(path)} for path in (first, second)]
    assert words[0].isdisjoint(words[1])
    assert "expected new sentences, found none" in fails(*asked, "--annotated", room / "pool.conllu", "-o", second)


def test_next_without_doubt_without_sentences_or_with_the_training_data_is_one_sentence(
    room: Path, tmp_path: Path
) -> None:
    output = tmp_path / "next.conllu"
    assert "as in the training data" in fails("next", room / "model", room / "plain.conllu", "-o", output)
    (tmp_path / "empty.conllu").write_text("\n")
    assert "expected sentences" in fails("next", room / "model", tmp_path / "empty.conllu", "-o", output)
    asked = "train", "--train", room / "pool.conllu", "--members", "lr-svm-forward", "-o", tmp_path / "model"
    run(*asked)
    assert "has no doubt" in fails("next", tmp_path / "model", room / "plain.conllu", "-o", output)
    assert "shortest sentence" in fails("next", room / "model", room / "pool.conllu", "--tokens", 1, "-o", output)
    assert not output.exists()


def test_the_folds_of_a_training_are_those_of_the_doctor(room: Path, diagnosis: dict[str, str], tmp_path: Path) -> None:
    train = ("train", room / "trees.conllu", "--members", "lr-svm-forward", "--folds", 3, "-o", tmp_path / "model")
    run(*train, "--save-folds", tmp_path / "folds")
    own, saved = (sorted(path.glob("*.conllu")) for path in (room / "work", tmp_path / "folds"))
    assert [path.name for path in saved] == [path.name for path in own]
    assert len(saved) == 3
    for one, other in zip(own, saved, strict=True):
        assert one.read_bytes() == other.read_bytes()
    before = [path.stat().st_mtime_ns for path in saved]
    found = json.loads(run("doctor", room / "trees.conllu", "--work", tmp_path / "folds", "--json"))
    assert found["members"] == ["lr-svm-forward"]
    assert found["suspects"] == json.loads(diagnosis["json"])["suspects"]
    assert [path.stat().st_mtime_ns for path in saved] == before


def test_folds_are_saved_where_there_are_some_and_for_the_treebank_as_it_is(room: Path, tmp_path: Path) -> None:
    train = ("train", room / "trees.conllu", "--fast", "-o", tmp_path / "model", "--save-folds", tmp_path / "folds")
    assert "add --folds 3" in fails(*train)
    assert "has nothing to keep; leave out --dev" in fails(*train, "--dev", room / "pool.conllu")
    assert "add --tags gold" in fails(*train, "--folds", 2, "--from-tokens")
    assert "50 folds need 100 sentences with whole trees, found 90" in fails(*train, "--folds", 50)
    assert not (tmp_path / "folds").exists()
    (tmp_path / "folds").mkdir()
    (tmp_path / "folds" / "mine.txt").write_text("mine")
    assert "holds something else" in fails(*train, "--folds", 2)
    assert not (tmp_path / "model").exists()
    run(*train[:5], "--folds", 2, "--save-folds", tmp_path / "two")
    assert "differs in treebank" in fails("doctor", room / "pool.conllu", "--work", tmp_path / "two")


def test_half_done_trees_are_no_suspects(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (room / "plain.conllu").read_text().split("\n")
    columns = lines[0].split("\t")
    lines[0] = "\t".join([*columns[:6], "_", "_", *columns[8:]])
    (tmp_path / "half.conllu").write_text("\n".join(lines))
    said: list[str] = []
    found = doctor(tmp_path / "half.conllu", members=["lr-svm-forward"], work=tmp_path / "work", warn=said.append)
    assert said == ["1 of 90 sentences has no whole tree and is left out"]
    assert all(one.sentence > 0 for one in found.suspects)
    assert repr(found) == f"<Diagnosis of 'half.conllu': {len(found.suspects)} suspects>"
    left_out = int(found.treebank.lengths[0])
    assert (answer := json.loads(as_json(found)))["sentences"] == 89
    assert answer["tokens"] == found.treebank.n_tokens - left_out
    assert f"in 89 sentences, {answer['tokens']} tokens" in sentence(found)
    monkeypatch.setattr(report, "DRAWN", 0)
    monkeypatch.setattr(report, "LISTED", 1)
    report.write_report(found, tmp_path / "page.html")
    assert "<summary>1 less probable one</summary>" in (tmp_path / "page.html").read_text("utf-8")


def test_equal_sent_ids_are_told(room: Path, tmp_path: Path) -> None:
    blocks = (room / "plain.conllu").read_text("utf-8").split("\n\n")
    names = ("a", "b", "a", "c", "a")
    named = [f"# sent_id = {name}\n{block}" for name, block in zip(names, blocks, strict=False)]
    (tmp_path / "same.conllu").write_text("\n\n".join([*named, *blocks[len(names) :]]), "utf-8")
    said: list[str] = []
    doctor(tmp_path / "same.conllu", members=["lr-svm-forward"], work=tmp_path / "work", warn=said.append)
    assert said == [
        "2 of 90 sentences have the sent_id of another one, such as a; "
        "a case that is left out of one is left out of all of these"
    ]


def test_the_folder_of_the_parses_is_called_after_a_folder_of_treebanks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen(*_: object, **__: object) -> None:
        raise ConfigError(" ".join(sorted(path.name for path in tmp_path.iterdir())))

    (tmp_path / "bank").mkdir()
    write(toy_treebank(10, 1), tmp_path / "bank" / "toy.conllu")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("treevote.commands.doctor.cross_parsed", seen)
    with pytest.raises(ConfigError, match=r"^bank bank\.doctor$"):
        doctor("bank/", members=["lr-svm-forward"], folds=2)
    assert not (tmp_path / "bank.doctor").exists()


def test_comments_and_misc_are_not_lost_beside_a_file_in_another_format(room: Path, tmp_path: Path) -> None:
    token = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "old.conllx").write_text(token * 9)
    said = fails(*DOCTOR, room / "trees.conllu", tmp_path / "old.conllx", "-o", tmp_path / "marked.conllu")
    assert "old.conllx: expected CoNLL-U, found CoNLL-X, which has no MISC" in said
    assert not (tmp_path / "marked.conllu").exists()
