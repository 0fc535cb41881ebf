"""``treevote train --from-tokens`` and ``--from-text``: models that tag, from the command line to the parse."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import content, fails, invoke, run
from tests.paths import TOY
from tests.reference.toy_text import CONLLU, QUICK
from treevote import train
from treevote.conll.reader import read
from treevote.ensemble import annotator_trainer
from treevote.ensemble.annotator_trainer import AnnotatorTrainer, TrainingTags
from treevote.ensemble.parser import load

CONLLX = "".join(line for line in CONLLU.splitlines(keepends=True) if not line.startswith(("#", "2-")))
MEMBER = ("--members", "lr-svm-forward", "--search", "greedy")


def without_tags(path: Path, out: Path) -> Path:
    """Write a treebank without lemmas, tags and trees."""
    lines = [line.split("\t") for line in path.read_text("utf-8").split("\n")]
    kept = [[*line[:2], *"______", *line[8:]] if len(line) == 10 else line for line in lines]
    out.write_text("\n".join("\t".join(line) for line in kept), "utf-8")
    return out


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reader") / "model"
    report = run("train", "--train", TOY, "--dev", TOY, "-o", path, *MEMBER, "--from-tokens")
    assert "trained in" in report
    return path


def test_tokens_are_tagged_and_parsed(model: Path, tmp_path: Path) -> None:
    bare = without_tags(TOY, tmp_path / "bare.conllu")
    run("parse", model, bare, "-o", tmp_path / "parsed.conllu")
    found, gold = read(tmp_path / "parsed.conllu"), read(TOY)
    tokens = zip(found.tokens[found.is_token], gold.tokens[gold.is_token], strict=True)
    pairs = [(found.words[one], gold.words[other]) for one, other in tokens]
    assert sum(one == other for one, other in pairs) > 0.9 * len(pairs)
    assert found.source is not None
    assert gold.source is not None
    for one, other in zip(found.source.lines, gold.source.lines, strict=True):
        assert one.split("\t")[:2] == other.split("\t")[:2]
        assert one.split("\t")[8] == other.split("\t")[8] if "\t" in one else one == other
    run("parse", model, TOY, "-o", tmp_path / "tagged.conllu", "--tags", "predict")
    assert (tmp_path / "tagged.conllu").read_text("utf-8").split() == (
        (tmp_path / "parsed.conllu").read_text("utf-8").split()
    )


def test_the_model_says_what_it_reads(model: Path) -> None:
    assert "reads CoNLL-U with or without tags" in run("inspect", model)
    facts = json.loads(run("inspect", model, "--json"))
    assert facts["annotator"] == ["tagger"]
    reading: Any = load(model).facts["reading"]
    assert (reading["reads"], reading["tags"]) == ("tokens", "predicted")
    assert set(reading["accuracy"]) == {"UPOS", "XPOS", "FEATS", "AllTags", "Lemmas"}
    assert reading["accuracy"]["UPOS"] > 90


@pytest.mark.parametrize(
    ("options", "tags"),
    [
        (("--folds", 2), "gold"),
        (("--folds", 2, "--from-tokens"), "predicted"),
        (("--folds", 2, "--from-tokens", "--tags", "gold"), "gold"),
        (("--dev", TOY, "--from-tokens", "--tags", "gold"), "predicted"),
    ],
)
def test_scores_say_their_tags(tmp_path: Path, options: tuple[object, ...], tags: str) -> None:
    told = run("train", "--train", TOY, "-o", tmp_path / "model", *MEMBER, *options)
    assert f"{'development' if '--dev' in options else '2 folds'}, {tags} tags  " in told
    assert f"scores with {tags} tags:" in run("inspect", tmp_path / "model")
    assert json.loads(run("inspect", tmp_path / "model", "--json"))["score_tags"] == tags
    assert f"{tags} tags" in run("inspect", tmp_path / "model", "--markdown")


def test_training_on_gold_tags_that_will_be_predicted_is_warned_of(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    kinds: tuple[TrainingTags, ...] = ("predicted", "gold")
    for tags in kinds:
        train(TOY, output=tmp_path / "model", members=MEMBER[1:2], annotator=AnnotatorTrainer("tokens", tags))
    assert [sentence for sentence in (str(warning.message) for warning in recwarn) if "gold" in sentence] == [
        "the parsers learn from gold tags, and will be given predicted ones; leave out --tags gold"
    ]


def test_any_jobs_give_the_same_bytes(model: Path, tmp_path: Path) -> None:
    same = ("train", "--train", TOY, "--dev", TOY, *MEMBER, "--from-tokens", "--jobs", 2, "--backend", "threading")
    run(*same, "-o", tmp_path / "model")
    assert content(tmp_path / "model") == content(model)


def test_several_files_and_gold_tags(tmp_path: Path) -> None:
    answer = json.loads(
        run("train", "--train", TOY, TOY, "-o", tmp_path / "gold", *MEMBER, "--from-tokens", "--tags", "gold", "--json")
    )
    assert answer["reading"] == {"reads": "tokens", "tags": "gold"}
    assert answer["training"]["tokens"] == 2 * read(TOY).n_tokens
    reader = load(tmp_path / "gold").annotator
    assert reader is not None
    assert reader.parts == ["tagger"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--tags", "gold"), "--tags belongs to --from-text or to --from-tokens; give one of these two"),
        (("--from-text", "--from-tokens"), "--from-text reads tokens, too; leave --from-tokens out"),
    ],
)
def test_options_of_a_reader_fit_together(tmp_path: Path, options: tuple[str, ...], found: str) -> None:
    assert found in fails("train", "--train", TOY, "-o", tmp_path / "model", *options)
    assert not (tmp_path / "model").exists()


def test_other_tags_are_told(tmp_path: Path) -> None:
    assert "--tags" in run("train", "--train", TOY, "-o", tmp_path, "--from-text", "--tags", "silver", code=2)


def test_a_model_of_tokens_reads_no_text(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("The dog barks.\n")
    assert "the model has no tokenizer" in fails("parse", model, tmp_path / "in.txt")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a treebank and a model that reads text."""
    path = tmp_path_factory.mktemp("text")
    (path / "toy.conllu").write_text(CONLLU)
    with pytest.MonkeyPatch.context() as patch:
        quick = functools.partial(annotator_trainer.AnnotatorTrainer, tokenizer=QUICK)
        patch.setattr(annotator_trainer, "AnnotatorTrainer", quick)
        run("train", "--train", path / "toy.conllu", "-o", path / "model", *MEMBER, "--from-text")
    return path


def test_text_is_read_tagged_and_parsed(room: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Dogs can't bark. Dogs can't bark.\n")
    run("parse", room / "model", tmp_path / "in.txt", "-o", tmp_path / "out.conllu")
    found = read(tmp_path / "out.conllu")
    assert [[word.upos for word in sentence.words[1:]] for sentence in found.sentences()] == [
        ["NOUN", "AUX", "PART", "VERB", "PUNCT"]
    ] * 2
    assert "reads raw text, and CoNLL-U with or without tags" in run("inspect", room / "model")
    own = "--train", room / "toy.conllu", "--retrain", "taggers", "--force"
    run("adapt", room / "model", tmp_path / "in.txt", *own, "-o", tmp_path / "adapted")
    silver = (tmp_path / "adapted.silver.conllu").read_text("utf-8")
    assert "# source = in.txt, sentence 1\n" in silver
    assert silver.count("\tbark\t_\tVERB\t") == 2


def test_predicted_tags_have_confidence_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "toy.conllu").write_text(CONLLU)
    (tmp_path / "in.conllu").write_text("1\tDogs" + "\t_" * 8 + "\n\n1\tDogs\t_\tNOUN" + "\t_" * 6 + "\n\n")
    both = "--train", tmp_path / "toy.conllu", "--dev", tmp_path / "toy.conllu"
    run("train", *both, "-o", tmp_path / "model", *MEMBER, "--from-tokens")
    plain = run("parse", tmp_path / "model", tmp_path / "in.conllu")
    sure = run("parse", tmp_path / "model", tmp_path / "in.conllu", "--confidence")
    assert "TagConfidence" not in plain
    assert ["TagConfidence=" in line for line in sure.splitlines() if line[:1] == "1"] == [True, False]


def test_a_cascade_has_a_line_for_each_stage(model: Path) -> None:
    lines = run("cascade", model, TOY).splitlines()
    assert [line.split("  ")[0] for line in lines[1:3]] == ["gold tags", "gold tokens"]
    assert not lines[3]
    stages = json.loads(run("cascade", model, TOY, "--json"))["stages"]
    assert stages["gold tags"]["UPOS"] == 100 > stages["gold tokens"]["UPOS"] - 1
    assert stages["gold tokens"]["Tokens"] == 100


def test_a_cascade_needs_the_tags_that_the_model_learned(model: Path, tmp_path: Path) -> None:
    for name, columns in (("bare", slice(2, 6)), ("upos", slice(4, 6))):
        rows = [line.split("\t") for line in TOY.read_text("utf-8").split("\n")]
        for row in rows:
            row[columns] = "_" * len(row[columns])
        (tmp_path / f"{name}.conllu").write_text("\n".join(map("\t".join, rows)), "utf-8")
    assert "bare.conllu: expected tags, found none in" in fails("cascade", model, tmp_path / "bare.conllu")
    said = invoke("cascade", model, tmp_path / "upos.conllu")
    assert "upos.conllu: 100% of the tokens have no known FEATS" in said.stderr
    assert "gold tags" in said.stdout
    assert not invoke("cascade", model, TOY).stderr


def test_a_cascade_has_no_raw_text_where_a_form_has_a_control_character(room: Path, tmp_path: Path) -> None:
    assert "\nraw text" in run("cascade", room / "model", room / "toy.conllu")
    (tmp_path / "in.conllu").write_text((room / "toy.conllu").read_text("utf-8").replace("\tbark\t", "\tb\x01k\t", 1))
    said = invoke("cascade", room / "model", tmp_path / "in.conllu")
    assert "no parse of the raw text: " in said.stderr
    assert "token 4: expected a form without control characters, found 'b\\x01k'" in said.stderr
    assert "\ngold tokens" in said.stdout
    assert "raw text  " not in said.stdout


def test_a_cascade_takes_a_file_standard_input_and_a_folder(room: Path, tmp_path: Path) -> None:
    (tmp_path / "toy.conllu").write_text(CONLLU)
    answers = [
        run("cascade", room / "model", gold, stdin=CONLLU.encode()) for gold in (room / "toy.conllu", "-", tmp_path)
    ]
    assert answers == answers[:1] * 3
    assert answers[0].splitlines()[3].startswith("raw text")
    (tmp_path / "toy.conllx").write_text(CONLLX)
    assert "expected files of one format" in fails("cascade", room / "model", tmp_path)


def test_a_cascade_in_conllx_may_cut_words_anew(room: Path, tmp_path: Path) -> None:
    (tmp_path / "toy.conllx").write_text(CONLLX.replace("SpaceAfter=No", "_").replace("Dogs", "Dogs."))
    stages = json.loads(run("cascade", room / "model", tmp_path / "toy.conllx", "--json"))["stages"]
    assert stages["gold tokens"]["Words"] == 100 > stages["raw text"]["Words"]


ADAPT = ("--train", TOY, "--dev", TOY, "--force")
COMMITTEE = ("--committee", "lr-svm-forward,lr-svm-backward", "--rounds", "1")


def test_adaptation_of_the_parsers_keeps_the_reader(model: Path, tmp_path: Path) -> None:
    bare = without_tags(TOY, tmp_path / "bare.conllu")
    run("adapt", model, bare, *ADAPT, *COMMITTEE, "-o", tmp_path / "adapted", "--retrain", "parsers")
    adapted = load(tmp_path / "adapted")
    assert adapted.facts["reading"] == load(model).facts["reading"]
    silver = read(tmp_path / "adapted.silver.conllu")
    assert all(word.upos != "_" for word in silver.words[1:])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["adapted", "adapted.silver.conllu", "bare.conllu"]


def test_adaptation_of_taggers_and_parsers_tells_both(model: Path, tmp_path: Path) -> None:
    bare = without_tags(TOY, tmp_path / "bare.conllu")
    said = run("adapt", model, bare, *ADAPT, *COMMITTEE, "-o", tmp_path / "adapted", "--target-dev", TOY)
    for words in (
        "taggers    agreement on the tags of all tokens",
        "on the text ",
        "taggers on the new domain",
        "new domain, UPOS",
        "old domain, AllTags",
        "new domain, LAS",
        "round  identical %",
    ):
        assert words in said
    assert all(len(line) <= 100 for line in said.splitlines() if not line.startswith(("model ", "added ")))
    told = run("inspect", tmp_path / "adapted")
    assert "new domain, UPOS" in told
    silver = read(tmp_path / "adapted.silver.conllu")
    assert all(word.upos != "_" for word in silver.words[1:])


def test_adaptation_of_the_taggers_alone_keeps_the_parsers(model: Path, tmp_path: Path) -> None:
    bare, page = without_tags(TOY, tmp_path / "bare.conllu"), tmp_path / "page.html"
    options = "--retrain", "taggers", "--json", "--report", page
    facts = json.loads(run("adapt", model, bare, *ADAPT, *options, "-o", tmp_path / "adapted"))
    assert facts["taggers"]["sentences"] > 0
    assert not {"rounds", "added", "members", "labels"} & set(facts)
    assert [row["metric"] for row in facts["scores"]] == ["LAS", "UAS", "UPOS", "AllTags"]
    silver = (tmp_path / "adapted.silver.conllu").read_text("utf-8")
    assert silver.count("# reason = the taggers agree\n") == facts["taggers"]["sentences"]
    assert "the taggers agree" in page.read_text("utf-8")
    run("parse", tmp_path / "adapted", bare, "-o", tmp_path / "parsed.conllu")
    assert read(tmp_path / "parsed.conllu").n_tokens == read(TOY).n_tokens
    assert "old domain, AllTags" in run("inspect", tmp_path / "adapted")
    assert "taggers" in run("inspect", tmp_path / "adapted", "--markdown")
    again = run("adapt", model, bare, *ADAPT, "--retrain", "taggers", "-o", tmp_path / "adapted")
    assert "taggers    agreement on the tags of all tokens" in again
    assert (tmp_path / "adapted.silver.conllu").read_text("utf-8") == silver
