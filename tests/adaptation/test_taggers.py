"""Adaptation of a model with a tagger: what is retrained, what stays, and that interruptions do not matter."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from tests.adaptation.test_adapt import DEV, LENIENT, SCHEME, SOURCE, TRAINERS, KilledError, Mortal, added, content
from tests.adaptation.test_adapt import before as without_tagger
from tests.reference import toy_model
from tests.reference.toy_grammar import toy_treebank
from treevote.adaptation import measuring
from treevote.adaptation.adapt import Adaptation, AdaptationResult
from treevote.adaptation.annotation import commented
from treevote.adaptation.data import Data, tagged, training_data
from treevote.adaptation.scheme import Scheme
from treevote.adaptation.silver import joined, read_silver
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk, read
from treevote.conll.writer import dumps, encoded, write
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.ensemble import streaming
from treevote.ensemble.annotator_trainer import AnnotatorTrainer, tagger_scores
from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import ConfigError, InputError
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.text.tagging.tagger import Tagger, TaggerTrainer
from treevote.models.text.text_annotator import TextAnnotator
from treevote.parallel import ONE_JOB, Jobs
from treevote.report.adaptation import as_text
from treevote.store.checkpoints import checkpoints


def strange(treebank: Treebank) -> Treebank:
    """Return the same with every fourth word spelled backwards, so that taggers disagree."""
    words = (word if i % 4 else word._replace(form=word.form[::-1]) for i, word in enumerate(treebank.words[1:]))
    return dataclasses.replace(treebank, words=(ROOT, *words), source=None)


TEXT = strange(toy_treebank(120, 3))
TARGET = TEXT.select(range(100, 120))
KINDS = ("both", "parsers", "taggers")


def scheme(retrained: Any, **changes: Any) -> Scheme:
    return dataclasses.replace(SCHEME, rounds=1, retrained=retrained, **changes)


@functools.cache
def before() -> EnsembleParser:
    """Return the model that is adapted, with a tagger."""
    trained = AnnotatorTrainer("tokens").train(SOURCE, DEV)
    return trained.of(EnsembleTrainer(TRAINERS).train(trained.treebank, trained.dev))


def untagged(treebank: Treebank) -> Treebank:
    words = (ROOT, *(Word(word.form, "_", "_", "_", "_") for word in treebank.words[1:]))
    return dataclasses.replace(treebank, words=words, source=None)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.conllu"
    write(untagged(TEXT), path)
    return path


def run(
    text: Path,
    folder: Path,
    scheme: Scheme,
    *,
    model: EnsembleParser | None = None,
    target: Treebank | None = None,
    chunk_bytes: int = 2000,
    jobs: Jobs = ONE_JOB,
) -> AdaptationResult:
    data = Data(SOURCE, [text], DEV, target)
    settings: dict[str, Any] = {"scheme": scheme, "guard": LENIENT, "seed": 0, "convention": "ud", "jobs": jobs}
    with mock.patch.object(streaming, "CHUNK_BYTES", chunk_bytes), checkpoints(folder, {}) as steps:
        return Adaptation(model or before(), data, steps, **settings).run()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[AdaptationResult, Path]]:
    """Return the result and the finished steps of each kind, of runs that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    write(untagged(TEXT), folder / "text.conllu")
    return {
        kind: (run(folder / "text.conllu", folder / kind, scheme(kind), target=TARGET), folder / kind) for kind in KINDS
    }


def test_a_tag_of_the_training_data_that_the_tagger_missed_there_is_no_strange_one(text: Path, tmp_path: Path) -> None:
    missed = (word._replace(upos="X", xpos="X") if word.upos == "NOUN" else word for word in SOURCE.words[1:])
    predicted = dataclasses.replace(SOURCE, words=(ROOT, *missed), source=None)
    with mock.patch("treevote.adaptation.adapt.training_data", return_value=predicted):
        report: Any = run(text, tmp_path / "steps", scheme("taggers")).report
    assert report["distance"]["tags"] == []


def members(model: EnsembleParser) -> object:
    return [toy_model.content(member.record()) for member in model.members.values()]


def reader(model: EnsembleParser) -> object:
    return toy_model.content(model.annotator.record())


def test_what_is_not_retrained_stays_byte_for_byte(whole: dict[str, tuple[AdaptationResult, Path]]) -> None:
    changed = {
        kind: (reader(found.parser) != reader(before()), members(found.parser) != members(before()))
        for kind, (found, _) in whole.items()
    }
    assert changed == {"both": (True, True), "parsers": (False, True), "taggers": (True, False)}
    assert reader(whole["both"][0].parser) == reader(whole["taggers"][0].parser)
    assert whole["parsers"][0].parser.facts["reading"] == before().facts["reading"]
    assert [set(found.report) & {"taggers", "rounds"} for found, _ in whole.values()] == [
        {"taggers", "rounds"},
        {"rounds"},
        {"taggers"},
    ]


def test_parsers_that_stay_are_measured_on_the_new_tags(whole: dict[str, tuple[AdaptationResult, Path]]) -> None:
    facts: Any = whole["taggers"][0].parser.facts
    rows: Any = whole["taggers"][0].report["scores"]
    (after,) = (row for row in rows if (row["domain"], row["metric"]) == ("source", "LAS"))
    assert facts["scores"]["vote"]["las"] == after["after"]
    assert facts["training"] == before().facts["training"]


def test_the_new_tagger_learns_from_gold_tags_and_from_what_was_added(
    whole: dict[str, tuple[AdaptationResult, Path]],
) -> None:
    found, _ = whole["taggers"]
    expected = TaggerTrainer().train(joined([SOURCE], added(found)))
    assert isinstance(found.parser.annotator.tagger, Tagger)
    assert toy_model.content(found.parser.annotator.tagger.record()) == toy_model.content(expected.record())
    reading: Any = found.parser.facts["reading"]
    assert reading["accuracy"] == tagger_scores(DEV, expected.tag(DEV), DEV.is_token)["accuracy"]
    assert (reading["reads"], reading["tags"]) == ("tokens", "predicted")


def test_sentences_are_added_on_which_the_taggers_agree_but_for_those_of_the_estimate(
    whole: dict[str, tuple[AdaptationResult, Path]],
) -> None:
    found, _ = whole["taggers"]
    bare, model = untagged(TEXT), before()
    assert model.annotator.tagger is not None
    vote, agreed, _ = model.annotator.tagger.tag_with_margins(bare)
    selected = [
        i
        for i, (a, b) in enumerate(zip(bare.offsets[:-1] + 1, bare.offsets[1:], strict=True))
        if agreed[a:b].all() and i % measuring.HELD_OUT != measuring.HELD_OUT - 1
    ]
    assert 0 < len(selected) < TEXT.n_sentences
    silver = read_silver(added(found))
    words = [each.words[1:] for each in silver.sentences()]
    assert words == [vote.sentence(i).words[1:] for i in selected]
    assert (silver.heads[silver.is_token] < 0).all()
    blocks = added(found).read_text("utf-8").split("\n\n")[:-1]
    for number, block in zip(selected, blocks, strict=True):
        assert block.startswith("# round = 1\n# reason = the taggers agree\n# source = text.conllu, sentence ")
        assert f", sentence {number + 1}\n" in block
    facts: Any = found.report["taggers"]
    assert (facts["sentences"], facts["text_sentences"]) == (len(selected), TEXT.n_sentences)


def test_trees_are_added_with_the_tags_of_the_new_tagger(whole: dict[str, tuple[AdaptationResult, Path]]) -> None:
    found, folder = whole["both"]
    again = read(folder / "tagged-again-1.conllu", trees="ignored")
    expected = found.parser.annotator.tagged(untagged(TEXT))
    assert [s.words for s in again.sentences()] == [s.words for s in expected.sentences()]
    known = {sentence.words for sentence in expected.sentences()}
    silver = read_silver(added(found))
    assert silver.n_sentences > 0
    assert {sentence.words for sentence in silver.sentences()} <= known


def test_scores_are_those_of_predicted_tags(whole: dict[str, tuple[AdaptationResult, Path]]) -> None:
    for found, _ in whole.values():
        rows: Any = found.report["scores"]
        told = {(row["domain"], row["metric"]): (row["before"], row["after"]) for row in rows}
        assert {metric for _, metric in told} == {"LAS", "UAS", "UPOS", "AllTags"}
        for domain, gold in ("source", DEV), ("target", TARGET):
            models = (before(), found.parser)
            sides: Any = [tagger_scores(gold, tagged(own, gold), gold.is_token)["accuracy"] for own in models]
            for metric in ("UPOS", "AllTags"):
                assert told[domain, metric] == (sides[0][metric], sides[1][metric])
            after = found.parser.parse(tagged(found.parser, gold))
            assert told[domain, "UAS"][1] == round(100 * float((after.heads == gold.heads)[gold.is_token].mean()), 2)


def test_the_tags_that_would_be_added_are_measured_on_the_labelled_target(
    whole: dict[str, tuple[AdaptationResult, Path]],
) -> None:
    facts: Any = whole["both"][0].report["taggers"]
    model = before()
    assert model.annotator.tagger is not None
    found, agreed, _ = model.annotator.tagger.tag_with_margins(TARGET)
    upos = np.array(
        [TARGET.words[a].upos == found.words[b].upos for a, b in zip(TARGET.tokens, found.tokens, strict=True)]
    )
    whole_sentences = [bool(agreed[a + 1 : b].all()) for a, b in itertools.pairwise(TARGET.offsets)]
    selected = np.repeat(whole_sentences, np.diff(TARGET.offsets)) & TARGET.is_token
    for name, mask in ("all", TARGET.is_token), ("agreed", agreed), ("selected", selected):
        told = facts["on_target_dev"][name]
        assert (told["tokens"], told["UPOS"]) == (int(mask.sum()), round(100 * float(upos[mask].mean()), 2))
    assert 0 < facts["on_target_dev"]["selected"]["tokens"] < facts["on_target_dev"]["agreed"]["tokens"]


@pytest.mark.parametrize("kind", KINDS)
def test_neither_jobs_nor_chunks_matter(
    kind: str, text: Path, whole: dict[str, tuple[AdaptationResult, Path]], tmp_path: Path
) -> None:
    found, folder = whole[kind]
    run(text, tmp_path / "work", scheme(kind), target=TARGET, jobs=Jobs(2, "threading"))
    assert content(tmp_path / "work") == content(folder)
    other = run(text, tmp_path / "other", scheme(kind), target=TARGET, chunk_bytes=10**6)
    assert other.report == found.report
    assert added(other).read_bytes() == added(found).read_bytes()
    assert toy_model.content(other.parser.record()) == toy_model.content(found.parser.record())


@pytest.mark.parametrize("step", [0, 1, 3, 4, 6])
def test_what_was_killed_goes_on_and_ends_in_the_same_bytes(
    step: int,
    text: Path,
    whole: dict[str, tuple[AdaptationResult, Path]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mortal = Mortal(step)
    with monkeypatch.context() as patch:
        patch.setattr("treevote.adaptation.annotation.commented", mortal(commented))
        patch.setattr("treevote.adaptation.tagging.save", mortal(save))
        patch.setattr("treevote.adaptation.data.encoded", mortal(encoded))
        with pytest.raises(KilledError):
            run(text, tmp_path / "killed", scheme("both"), target=TARGET)
    run(text, tmp_path / "killed", scheme("both"), target=TARGET)
    assert content(tmp_path / "killed") == content(whole["both"][1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_adapted_model_gives_the_same_when_it_is_read_again(
    kind: str, whole: dict[str, tuple[AdaptationResult, Path]], tmp_path: Path
) -> None:
    model = whole[kind][0].parser
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    bare = untagged(TARGET)
    assert dumps(again.parse(tagged(again, bare)).only()) == dumps(model.parse(tagged(model, bare)).only())
    assert again.facts == model.facts


def test_a_text_with_tags_teaches_the_taggers_nothing(tmp_path: Path) -> None:
    write(TEXT, tmp_path / "text.conllu")
    found = run(tmp_path / "text.conllu", tmp_path / "both", scheme("both"))
    assert reader(found.parser) == reader(before())
    facts: Any = found.report["taggers"]
    assert facts["sentences"] == 0
    words = {sentence.words for sentence in TEXT.sentences()}
    assert {sentence.words for sentence in read_silver(added(found)).sentences()} <= words
    with pytest.raises(InputError, match="expected sentences without tags on which the taggers agree, found none"):
        run(tmp_path / "text.conllu", tmp_path / "taggers", scheme("taggers"))


def test_a_reader_without_a_tagger_leaves_sentences_as_they_are() -> None:
    assert tagged(dataclasses.replace(without_tagger(), annotator=TextAnnotator()), DEV) is DEV
    assert tagged(without_tagger(), DEV) is DEV


def test_training_data_have_the_tags_that_the_parsers_were_trained_on() -> None:
    data, reading = Data(SOURCE, []), {"tags": "predicted"}
    of_gold_tags = dataclasses.replace(before(), facts={**before().facts, "reading": {"tags": "gold"}})
    for model in (of_gold_tags, dataclasses.replace(without_tagger(), facts={"reading": reading}), without_tagger()):
        assert training_data(model, data, ONE_JOB) is SOURCE
    assert training_data(before(), data, ONE_JOB) is not SOURCE


def test_a_model_without_a_tagger_has_parsers_alone(tmp_path: Path) -> None:
    write(TEXT, tmp_path / "text.conllu")
    both, parsers = (
        run(tmp_path / "text.conllu", tmp_path / kind, scheme(kind), model=without_tagger())
        for kind in ("both", "parsers")
    )
    assert members(both.parser) == members(parsers.parser)
    assert "taggers" not in both.report
    with pytest.raises(ConfigError, match="the model has no tagger to retrain"):
        run(tmp_path / "text.conllu", tmp_path / "taggers", scheme("taggers"), model=without_tagger())


def test_a_lower_agreement_adds_more(
    text: Path, whole: dict[str, tuple[AdaptationResult, Path]], tmp_path: Path
) -> None:
    found = run(text, tmp_path / "work", scheme("taggers", tag_agreement=0.0))
    facts: Any = found.report["taggers"]
    numbers = np.arange(TEXT.n_sentences)
    assert facts["sentences"] == int((~measuring.held_out(numbers)).sum())
    strict: Any = whole["taggers"][0].report["taggers"]
    assert strict["sentences"] < facts["sentences"]
    for wrong in (-0.1, 1.1):
        with pytest.raises(ConfigError, match=r"tag_agreement should be in 0\.\.1"):
            scheme("both", tag_agreement=wrong)


def test_a_text_of_conllx_stays_conllx(tmp_path: Path) -> None:
    lines = [line.split("\t") for line in dumps(TEXT).split("\n")]
    rows = ["\t".join([*line[:2], *"________"]) if len(line) == 10 else "" for line in lines]
    (tmp_path / "text.conll").write_text("\n".join(rows))
    found = run(tmp_path / "text.conll", tmp_path / "work", scheme("taggers"))
    (step,) = (tmp_path / "work").glob("tagged-1.*conll")
    assert step.name == "tagged-1.conll"
    treebank, _ = parse_chunk(Chunk("", 1, 1, step.read_bytes(), "conllx"), trees="ignored")
    assert treebank.n_sentences == TEXT.n_sentences
    assert found.report["taggers"] != {}


def test_the_tags_of_labelled_sentences_teach_taggers_and_neither_parsers_nor_their_confidence(tmp_path: Path) -> None:
    found = []
    for number, few in enumerate((TARGET, untagged(TARGET))):
        with checkpoints(tmp_path / str(number), {}) as steps:
            data = Data(SOURCE, [], DEV, target_train=few)
            settings: Any = {"scheme": scheme("parsers"), "guard": LENIENT, "seed": 0, "convention": "ud"}
            found.append(Adaptation(before(), data, steps, **settings).run())
    assert found[0].report == found[1].report
    assert toy_model.content(found[0].parser.record()) == toy_model.content(found[1].parser.record())


@pytest.mark.parametrize("retrained", KINDS)
def test_labelled_sentences_alone_teach_taggers_and_parsers(retrained: Any, tmp_path: Path) -> None:
    data = Data(SOURCE, [], DEV, TARGET, target_train=TEXT.select(range(20)))
    with checkpoints(tmp_path / "work", {}) as steps:
        settings: Any = {"scheme": scheme(retrained), "guard": LENIENT, "seed": 0, "convention": "ud"}
        found = Adaptation(before(), data, steps, **settings).run()
    reader, old = found.parser.annotator, before().annotator
    assert reader is not None
    assert old is not None
    assert (reader.tagger is old.tagger) == (retrained == "parsers")
    facts: Any = found.parser.facts
    assert (facts["training"] == before().facts["training"]) == (retrained == "taggers")
    by_folds = set() if retrained == "taggers" else {"target by folds"}  # parsers that stay have nothing to gain
    assert {row["domain"] for row in facts["adaptation"]["scores"]} == {"source", "target"} | by_folds
    assert found.silver is None


def test_taggers_that_no_sentence_measures_are_not_promoted(tmp_path: Path) -> None:
    data = Data(SOURCE, [], target_train=TEXT.select(range(20)))
    with checkpoints(tmp_path / "work", {}) as steps:
        settings: Any = {"scheme": scheme("taggers"), "guard": LENIENT, "seed": 0, "convention": "ud"}
        found = Adaptation(before(), data, steps, **settings).run()
    assert found.reasons == ["nothing was measured: give a development set of the old or of the new domain"]


@pytest.mark.parametrize("clusters", [None, Clusters(("dog",), ("01",))])
def test_the_report_tells_whether_taggers_were_retrained(clusters: Clusters | None, tmp_path: Path) -> None:
    write(TEXT, tmp_path / "text.conllu")  # with tags, so that no sentence is added
    data = Data(SOURCE, [tmp_path / "text.conllu"], DEV, clusters=clusters)
    with checkpoints(tmp_path / "work", {}) as steps:
        settings: Any = {"scheme": scheme("both"), "guard": LENIENT, "seed": 0, "convention": "ud"}
        found = Adaptation(before(), data, steps, **settings).run()
    assert ("retrained once" in as_text(found.report)) == (reader(found.parser) != reader(before()))


def test_the_report_counts_the_sentences_that_taggers_learn_from(text: Path, tmp_path: Path) -> None:
    data = Data(SOURCE, [text], DEV, target_train=TARGET)
    with checkpoints(tmp_path / "work", {}) as steps:
        settings: Any = {"scheme": scheme("taggers"), "guard": LENIENT, "seed": 0, "convention": "ud"}
        found = Adaptation(before(), data, steps, **settings).run()
    few: Any = found.report["target_train"]
    silver = added(found)
    n_sentences = len(SOURCE) + few["copies"] * len(TARGET) + read_silver(silver).n_sentences
    (after,) = (line for line in as_text(found.report).splitlines() if line.startswith("training data after"))
    assert int(after.split()[-2].replace(",", "")) == n_sentences
