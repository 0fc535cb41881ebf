"""The command ``adapt``: its files, its messages, and the safety of existing files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import Result

from tests.command_line import content, fails, invoke, run
from tests.reference.toy_grammar import toy_treebank
from treevote import parallel
from treevote.adaptation.configuration import Configuration, read_configuration
from treevote.adaptation.scheme import Scheme, scheme_of
from treevote.commands.adapt import adapt as adapted
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, ModelError
from treevote.parallel import Jobs

CONFIG = """
members = ["first", "second"]
[member.first]
like = "lr-maxent-forward"
search = "greedy"
templates = ["s0.upos", "s1.upos", "s0.form", "s0.upos+s1.upos", "q0.upos"]
cutoff = 1
[member.second]
like = "lr-svm-forward"
direction = "backward"
templates = ["s0.upos", "s1.upos", "s0.form", "s0.upos+s1.upos", "q0.upos"]
cutoff = 1
"""
QUICK = ("--committee", "first,second", "--rounds", 1, "--margin", 100)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model, its training data, and a text."""
    folder = tmp_path_factory.mktemp("adapt")
    (folder / "members.toml").write_text(CONFIG)
    for name, size, seed in (("train", 60, 1), ("dev", 20, 2), ("text", 80, 3), ("target", 20, 4)):
        write(toy_treebank(size, seed), folder / f"{name}.conllu")
    paths = "--train", folder / "train.conllu", "--dev", folder / "dev.conllu", "--config", folder / "members.toml"
    run("train", *paths, "--weights", "equal", "-o", folder / "model")
    return folder


def adapt(room: Path, text: Path, output: Path, *options: object, code: int = 0) -> Result:
    paths = "--train", room / "train.conllu", "--dev", room / "dev.conllu", "-o", output
    arguments = ["adapt", room / "model", text, *paths, *QUICK, *options]
    result = invoke(*arguments)
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_a_model_is_written_with_the_sentences_that_were_added(room: Path, tmp_path: Path) -> None:
    said = adapt(room, room / "text.conllu", tmp_path / "new", "--target-dev", room / "target.conllu").stdout
    for words in ("scheme     ", "committee  first, second", "identical %", "new domain, LAS", "new domain, UAS"):
        assert words in said
    assert "selected sentences" in said
    assert "The adapted model is promoted: on the new domain it has " in said
    assert all(len(line) <= 100 for line in said.splitlines() if not line.startswith(("model ", "added ")))
    told = run("inspect", tmp_path / "new")
    for words in ("adapted to a new domain", "identical %", "new domain, LAS", "selected sentences"):
        assert words in told
    added = read(tmp_path / "new.silver.conllu")
    assert added.n_sentences > 0
    assert "members" in run("inspect", tmp_path / "new")
    run("parse", tmp_path / "new", room / "target.conllu", "-o", tmp_path / "parsed.conllu")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "new.silver.conllu", "parsed.conllu"]


def test_a_configuration_holds_what_the_options_say(room: Path, tmp_path: Path) -> None:
    short = '[scheme]\nlike = "paper"\ncommittee = ["first", "second"]\n[scheme.selection]\nmin_agreement = 0.9\n'
    (tmp_path / "short.toml").write_text(short + "[guard]\nsource_margin = 100\n")
    whole = tmp_path / "whole.toml"
    whole.write_text(run("config", "adapt", "--config", tmp_path / "short.toml"), "utf-8")
    assert run("config", "adapt", "--config", whole) == whole.read_text("utf-8")
    options = "--scheme", "paper", *QUICK, "--min-agreement", 0.9, "--members", "first"
    adapt(room, room / "text.conllu", tmp_path / "options", *options)
    paths = "--train", room / "train.conllu", "--dev", room / "dev.conllu"
    for name in "short", "whole":
        config = "--config", tmp_path / f"{name}.toml", "--members", "first", "--rounds", 1
        run("adapt", room / "model", room / "text.conllu", *paths, *config, "-o", tmp_path / name)
        assert content(tmp_path / name) == content(tmp_path / "options")


def test_options_replace_keys_of_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "adapt.toml"
    path.write_text("seed = 3\n[scheme]\nrounds = 5\n[scheme.selection]\nbalanced = true\n[guard]\nmax_repeated = 7\n")
    of_file = read_configuration(path)
    assert (of_file.seed, of_file.scheme.rounds, of_file.guard.max_repeated) == (3, 5, 7.0)
    assert of_file.scheme.selection == replace(Scheme().selection, balanced=True)
    selection = {"balanced": False, "min_agreement": None}
    changed = read_configuration(path, None, {"seed": 0, "scheme": {"selection": selection, "rounds": None}})
    assert (changed.seed, changed.scheme.rounds, changed.scheme.selection.balanced) == (0, 5, False)
    assert read_configuration(path, "paper") == replace(of_file, scheme=scheme_of("paper"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[scheme]\nround = 1", "unknown key 'scheme.round'; did you mean 'scheme.rounds'?"),
        ("[scheme]\nrounds = '1'", "scheme.rounds: expected a whole number, found '1'"),
        ("[scheme.selection]\nbalanced = 1", "scheme.selection.balanced: expected true or false, found 1"),
        ("[scheme]\nlike = 'papr'", "unknown scheme 'papr'; did you mean 'paper'?"),
        ("[scheme]\nlike = 1", "scheme.like: expected a string, found 1"),
        ("[scheme]\nrounds = 0", "rounds should be in 1..50, found 0"),
        ("scheme = 'paper'", "scheme: expected a table, found 'paper'"),
        ("seed = -1", "seed should be at least 0, found -1"),
        ("[guard]\nsource_margn = 1", "unknown key 'guard.source_margn'; did you mean 'guard.source_margin'?"),
        ("[guard", "expected TOML"),
    ],
)
def test_a_fault_in_the_configuration_names_file_and_key(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "adapt.toml"
    path.write_text(text)
    arguments = tmp_path / "model", tmp_path / "text", "--train", tmp_path / "train", "-o", tmp_path / "new"
    sentence = fails("adapt", *arguments, "--config", path)
    assert sentence.startswith(f"treevote: {path}")
    assert said in sentence
    assert sentence == fails("config", "adapt", "--config", path)


def test_a_model_is_replaced_only_by_a_better_one(room: Path, tmp_path: Path) -> None:
    assert "replaced" not in adapt(room, room / "text.conllu", tmp_path / "new").stderr
    said = adapt(room, room / "text.conllu", tmp_path / "new").stderr
    assert f"treevote: replaced {tmp_path / 'new'}, a model of " in said
    assert "replaced" not in adapt(room, room / "train.conllu", tmp_path / "new", code=3).stderr


def test_all_that_is_told_is_there_in_json(room: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = "--json", "--report", page, "--target-dev", room / "target.conllu"
    facts = json.loads(adapt(room, room / "text.conllu", tmp_path / "new", *options).stdout)
    assert facts["promoted"]
    assert facts["schema"] == "treevote/adaptation"
    assert facts["sentence"].startswith("The adapted model is promoted")
    assert [(each["domain"], each["metric"]) for each in facts["scores"]] == [
        ("source", "LAS"),
        ("source", "UAS"),
        ("target", "LAS"),
        ("target", "UAS"),
    ]
    assert all(each["error"] is not None for each in facts["estimates"])
    (found,) = (each["on_target_dev"] for each in facts["rounds"])
    assert set(found["members"]) == {"first", "second"}
    assert facts["added"]["tokens"] == facts["rounds"][0]["tokens"]
    text = page.read_text("utf-8")
    assert f"{facts['added']['sentences']} sentences added" in text
    assert "Round 1: the committee agrees" in text
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="tree"' in text
    assert facts["rounds"][0]["sentences"] == read(tmp_path / "new.silver.conllu").n_sentences
    assert {"before", "after", "labels", "distance", "scheme", "committee", "training"} <= set(facts)


def test_what_is_judged_worse_is_not_written_unless_forced(room: Path, tmp_path: Path) -> None:
    backwards = tmp_path / "backwards.conllu"
    sentences = [s for s in toy_treebank(400, 5).sentences() if len(s.words) > 2]
    write(
        Treebank.of([(s.words[:0:-1], [0] * (len(s.words) - 1), ["x"] * (len(s.words) - 1)) for s in sentences]),
        backwards,
    )
    old, bad = content(room / "model"), ("--min-agreement", 0, "--margin", 0)
    said = adapt(room, backwards, tmp_path / "new", *bad, code=3).stdout
    assert "not promoted: the tags of the text do not" in said
    assert content(room / "model") == old
    assert [path.name for path in tmp_path.iterdir()] == ["backwards.conllu"]
    said = adapt(room, backwards, tmp_path / "new", *bad, "--force").stdout
    assert "promoted by force, in spite of this: the tags of the text do not" in said
    assert "more than the 0.00 that may be lost" in " ".join(said.split())
    assert (tmp_path / "new" / "manifest.json").is_file()


def test_text_that_is_the_training_data_teaches_nothing(room: Path, tmp_path: Path) -> None:
    said = adapt(room, room / "train.conllu", tmp_path / "new", code=3).stdout
    assert "not promoted: 100 % of the sentences of the text are in the training data" in " ".join(said.split())
    assert list(tmp_path.iterdir()) == []


def test_another_tag_set_is_told_before_the_work(room: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.conllu"
    text.write_text((room / "text.conllu").read_text("utf-8").replace("\tNOUN\tN", "\tNOUN\tXN"), "utf-8")
    warning = "of the text has tags that the training data do not have (XN"
    assert warning in adapt(room, text, tmp_path / "new", code=3).stderr


def test_a_text_in_another_language_is_told_before_the_work(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treevote.adaptation.adapt.ENOUGH_WORDS", 1)
    warning = "100 % of the words of the text are not in the training data; if it is in another language"
    assert warning not in adapt(room, room / "text.conllu", tmp_path / "same", "--force").stderr
    text = tmp_path / "text.conllu"
    rows = [line.split("\t") for line in (room / "text.conllu").read_text("utf-8").split("\n")]
    text.write_text(
        "\n".join("\t".join([row[0], *(f"{form}x" for form in row[1:2]), *row[2:]]) for row in rows), "utf-8"
    )
    assert warning in adapt(room, text, tmp_path / "new", "--force").stderr


def test_one_endless_sentence_is_not_learned_from(room: Path, tmp_path: Path) -> None:
    text = tmp_path / "endless.conllu"
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new", *QUICK
    for n_tokens, options, said in (
        (5_000, ["--force"], "expected sentences on which the committee agrees and is sure enough, found none among 1"),
        (30_000, [], "expected at most 10,000 tokens in a sentence"),
    ):
        lines = (f"{i}\tthe\tthe\tDET\t_\t_\t_\t_\t_\t_\n" for i in range(1, n_tokens + 1))
        text.write_text("".join(lines) + "\n", "utf-8")
        assert said in fails("adapt", room / "model", text, *arguments, *options)
        assert [path.name for path in tmp_path.iterdir()] == ["endless.conllu"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "expected sentences, found none"), ("1\ta\n", "text.conllu, line 1"), (None, "no such file")],
)
def test_text_that_cannot_be_used_is_told(text: str | None, said: str, room: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.conllu"
    if text is not None:
        path.write_text(text)
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new", *QUICK
    assert said in fails("adapt", room / "model", path, *arguments)
    assert not (tmp_path / "new").exists()


def test_options_that_cannot_be_used_are_refused(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CONNECT_WITHIN", 0.5)
    for number, (options, said) in enumerate(
        (
            (("--committee", "first"), "expected a committee of two or more"),
            (("--committee", "first,first"), "is in the committee twice"),
            (("--committee", "first,lr-maxent-froward"), "did you mean 'lr-maxent-forward'"),
            (("--members", "lr-maxent-froward"), "did you mean 'lr-maxent-forward'"),
            (("--members", "first,first"), "first is among the members twice"),
            (("--min-confidence", 0.9), "a committee has confidence only with a development set"),
            (("--report", tmp_path / "none" / "page.html"), "no folder"),
            (("--report", tmp_path / "new-7.silver.conllu"), "is named for two outputs"),
            (("--cluster", "tcp://127.0.0.1:1"), "no Dask scheduler answers"),
        )
    ):
        arguments = "--train", room / "train.conllu", "-o", tmp_path / f"new-{number}"
        assert said in fails("adapt", room / "model", room / "text.conllu", *arguments, *options)


def test_what_is_read_is_not_written_over(room: Path, tmp_path: Path) -> None:
    text = tmp_path / "new.silver.conllu"
    text.write_bytes((room / "text.conllu").read_bytes())
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new", *QUICK
    assert "is both read and written" in fails("adapt", room / "model", text, *arguments)
    assert "is in the way" in fails("adapt", room / "model", room / "text.conllu", *arguments)
    assert text.read_bytes() == (room / "text.conllu").read_bytes()
    model = content(room / "model")
    itself = "--train", room / "train.conllu", "-o", room / "model", "--force", *QUICK
    assert "is both read and written" in fails("adapt", room / "model", room / "text.conllu", *itself)
    assert content(room / "model") == model


@pytest.mark.parametrize("n_sentences", [80, 81])
def test_a_text_that_changes_during_the_work_is_told(n_sentences: int, room: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.conllu"
    text.write_bytes((room / "text.conllu").read_bytes())

    def change(step: str, done: int, total: int) -> None:
        if step.startswith("round-2"):
            write(toy_treebank(n_sentences, 5), text)

    configuration = Configuration(scheme=replace(Scheme(), rounds=2, stopping_threshold=0.0))
    with pytest.raises(InputError, match=r"text.conllu: expected the same text .* give the same command again"):
        adapted(
            room / "model",
            [text],
            tmp_path / "new",
            train=[room / "train.conllu"],
            dev=room / "dev.conllu",
            target_dev=None,
            target_train=None,
            clusters=None,
            configuration=configuration,
            force=True,
            jobs=Jobs(progress=change),
        )
    assert list(tmp_path.iterdir()) == [text]


def test_a_full_disk_at_the_first_step_leaves_nothing(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(parser: object, path: Path) -> None:
        raise ModelError(f"{path}: cannot write the model (No space left on device)")

    monkeypatch.setattr("treevote.adaptation.adapt.save", full)
    paths = "--train", room / "train.conllu", "--force", "-o", tmp_path / "new"
    assert "No space left" in fails("adapt", room / "model", room / "text.conllu", *paths, *QUICK)
    assert list(tmp_path.iterdir()) == []


def test_a_fault_in_a_file_leaves_nothing_that_blocks_the_next_attempt(room: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_text("1\ta\n")
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new", *QUICK
    command = "adapt", room / "model", room / "text.conllu", *arguments
    assert "bad.conllu, line 1" in fails(*command, "--dev", tmp_path / "bad.conllu")
    assert adapt(room, room / "text.conllu", tmp_path / "new").exit_code == 0


def test_a_model_that_was_not_measured_is_not_promoted(room: Path, tmp_path: Path) -> None:
    arguments = [
        "adapt",
        room / "model",
        room / "text.conllu",
        "--train",
        room / "train.conllu",
        "-o",
        tmp_path / "new",
    ]
    result = invoke(*arguments, *QUICK)
    assert result.exit_code == 3
    assert "nothing measures the new model, so it is not written; give --dev" in result.stderr
    assert "nothing was measured" in result.stdout
    assert "for another command, remove the folder first" in result.stdout
    assert (tmp_path / "new.work").is_dir()
    forced = invoke(*arguments, *QUICK, "--force")
    assert forced.exit_code == 0
    assert "nothing measures" not in forced.stderr
    assert not (tmp_path / "new.work").exists()


def test_other_training_data_than_the_models_are_told(room: Path, tmp_path: Path) -> None:
    other = "--train", room / "target.conllu"
    assert "not trained on these training data" in adapt(room, room / "text.conllu", tmp_path / "new", *other).stderr


def test_a_few_labelled_sentences_are_enough(room: Path, tmp_path: Path) -> None:
    paths = "--train", room / "train.conllu", "--dev", room / "dev.conllu", "--target-train", room / "target.conllu"
    page = tmp_path / "page.html"
    said = run("adapt", room / "model", *paths, "-o", tmp_path / "new", "--margin", 100, "--report", page, "--force")
    told = run("inspect", tmp_path / "new")
    for words in (
        "labelled sentences of the new domain",
        "new domain by folds, LAS",
        "confidence on the new domain",
        "of the new domain",
        "recalibrated",
    ):
        assert words in said
        assert words in told
    assert "model   " in said
    assert "added   " not in said
    assert "labelled sentences of the new domain" in page.read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "page.html"]
    options = "--margin", 100, "--force", "--json"
    facts = json.loads(run("adapt", room / "model", *paths, "-o", tmp_path / "new", *options))
    assert facts["target_train"]["sentences"] == 20
    assert facts["silver"] is None
    assert "20 labelled sentences" in run("inspect", tmp_path / "new", "--markdown")


def test_an_option_that_would_do_nothing_is_refused(room: Path, tmp_path: Path) -> None:
    paths = "--train", room / "train.conllu", "--target-train", room / "target.conllu", "-o", tmp_path / "new"
    options = ("--committee", "first,second"), ("--rounds", 2), ("--min-agreement", 0.5), ("--balanced",)
    for option in (*options, ("--external", room / "text.conllu")):
        said = run("adapt", room / "model", *paths, *option, code=1)
        assert f"there is no text, so {option[0]} would do nothing" in said
    text = room / "text.conllu"
    said = run("adapt", room / "model", text, *paths, "--retrain", "taggers", "--members", "first", code=1)
    assert "taggers alone are trained, so --members would do nothing" in said


def test_other_sentences_of_external_parses_are_told_before_the_training(room: Path, tmp_path: Path) -> None:
    text, other = room / "text.conllu", tmp_path / "other.conllu"
    blocks = text.read_text("utf-8").split("\n\n")
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new", *QUICK, "--external", other
    for found in (blocks[:-2], blocks[1:2] + blocks[1:], blocks[:1] + blocks):
        other.write_text("\n\n".join(found) + "\n\n", "utf-8")
        assert "expected" in fails("adapt", room / "model", text, *arguments)
        assert [path.name for path in tmp_path.iterdir()] == ["other.conllu"]


def test_faulty_external_parses_are_told_before_the_training(room: Path, tmp_path: Path) -> None:
    text, other = room / "text.conllu", tmp_path / "other.conllu"
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new", *QUICK, "--external", other
    tokens = [line.split("\t") for line in text.read_text("utf-8").split("\n")]
    for head, expected in ("_", "found no heads at all"), ("1", "line 1, sentence 1: token 1: expected its head to be"):
        changed = [[*columns[:6], head, *columns[7:]] if len(columns) > 1 else columns for columns in tokens]
        other.write_text("\n".join(map("\t".join, changed)), "utf-8")
        assert expected in fails("adapt", room / "model", text, *arguments)
        assert [path.name for path in tmp_path.iterdir()] == ["other.conllu"]


def test_half_done_trees_are_training_data_as_for_the_model(room: Path, tmp_path: Path) -> None:
    half_done = tmp_path / "half-done.conllu"
    lines = (room / "train.conllu").read_text("utf-8").split("\n")
    columns = lines[1].split("\t")
    columns[6:8] = "_", "_"
    half_done.write_text("\n".join([lines[0], "\t".join(columns), *lines[2:]]), "utf-8")
    said = adapt(room, room / "text.conllu", tmp_path / "new", "--train", half_done).stderr
    assert "1 word has no head" in said


def test_development_sentences_that_are_trained_on_are_told(room: Path, tmp_path: Path) -> None:
    text, few = room / "text.conllu", room / "target.conllu"
    labelled = [("--target-train", few, option, few) for option in ("--dev", "--target-dev")]
    for options in (("--dev", room / "train.conllu"), *labelled):
        assert "100 % of its sentences are among" in adapt(room, text, tmp_path / "new", *options, "--force").stderr


def test_added_sentences_of_an_older_model_do_not_stay(room: Path, tmp_path: Path) -> None:
    adapt(room, room / "text.conllu", tmp_path / "new")
    assert (tmp_path / "new.silver.conllu").is_file()
    paths = "--train", room / "train.conllu", "--dev", room / "dev.conllu", "--target-train", room / "target.conllu"
    run("adapt", room / "model", *paths, "-o", tmp_path / "new", "--margin", 100, "--force")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_without_text_and_labels_there_is_nothing_to_adapt_to(room: Path, tmp_path: Path) -> None:
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new"
    assert "there is nothing to adapt to" in fails("adapt", room / "model", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_or_a_stream_is_no_text(room: Path, tmp_path: Path) -> None:
    arguments = "--train", room / "train.conllu", "-o", tmp_path / "new"
    assert "reads several times, found a folder; name the files" in fails("adapt", room / "model", room, *arguments)
    assert "reads several times, found a stream; name the files" in fails("adapt", room / "model", "-", *arguments)


def test_a_text_without_a_sentence_leaves_nothing(room: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.conllu"
    text.write_bytes(b"\n\n")
    said = fails("adapt", room / "model", text, "--train", room / "train.conllu", "-o", tmp_path / "new")
    assert said == f"treevote: {text}: expected sentences, found none; give a file with sentences in it\n"
    assert list(tmp_path.iterdir()) == [text]


def test_too_few_labelled_sentences_are_told(room: Path, tmp_path: Path) -> None:
    write(toy_treebank(4, 9), tmp_path / "few.conllu")
    arguments = "--train", room / "train.conllu", "--target-train", tmp_path / "few.conllu", "-o", tmp_path / "new"
    said = fails("adapt", room / "model", *arguments)
    assert "expected 6 labelled sentences of the new domain or more, found 4" in said
    assert not (tmp_path / "new.work").exists()  # before the work
