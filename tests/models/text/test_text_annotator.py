"""Laws of the reader: which sentences are tagged, and that a model with one is stored, loaded and told apart."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_tagger import ToyTagger
from treevote import ConfigError, EnsembleParser, InputError, ModelError, dumps, parse, parse_files, parse_strings, save
from treevote.commands.inspect import inspect, model_at
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import load, load_member
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import TreevoteWarning
from treevote.models.text import text_annotator as annotation
from treevote.models.text.text_annotator import Tags, TextAnnotator
from treevote.report.model import as_text
from treevote.store.record import Record

TAGGED = "# a\n1\tDogs\tdog\tNOUN\tNNS\t_\t_\t_\t_\tA=b\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
BARE = "1-2\tCats\t_\t_\t_\t_\t_\t_\t_\t_\n1\tCat\t_\t_\t_\t_\t_\t_\t_\t_\n2\ts\t_\t_\t_\t_\t_\t_\t_\tC=d\n\n"
NONE = "# nothing\n\n"

mixed = st.lists(st.sampled_from([TAGGED, BARE, NONE]), min_size=1, max_size=6).filter(lambda parts: {*parts} != {NONE})


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tagger of a stored model be the toy."""
    known = {**annotation._PARTS, "tagger": ("tests.reference.toy_tagger", "ToyTagger")}
    monkeypatch.setattr(annotation, "_PARTS", known)


@pytest.fixture(scope="module")
def parser() -> EnsembleParser:
    return EnsembleTrainer(members_of(["lr-svm-forward", "lr-svm-backward"])).train(
        toy_treebank(40, seed=1), toy_treebank(20, seed=2)
    )


def of(text: str) -> Treebank:
    return read(io.BytesIO(text.encode()), trees="ignored")


def sentences(treebank: Treebank) -> list[object]:
    return [sentence.words for sentence in treebank.sentences()]


@pytest.mark.parametrize("tags", ["auto", "predict", "keep"])
@given(parts=mixed)
def test_tags_are_those_that_each_sentence_gets_alone(tags: Tags, parts: list[str]) -> None:
    reader = TextAnnotator(tagger=ToyTagger())
    tagged = reader.tagged(of("".join(parts)), tags)
    alone = [None if part == NONE else reader.tagged(of(part), tags) for part in parts]
    assert sentences(tagged) == [words for each in alone if each is not None for words in sentences(each)]
    assert dumps(tagged) == "".join(NONE if each is None else dumps(each) for each in alone)
    assert sentences(of(dumps(tagged))) == sentences(tagged)


def test_nothing_is_done_where_nothing_is_to_be_predicted() -> None:
    treebank, tagger = of(TAGGED + TAGGED), ToyTagger()
    assert TextAnnotator(tagger=tagger).tagged(treebank) is treebank
    assert TextAnnotator(tagger=tagger).tagged(of(BARE), "keep").words[1].upos == "_"
    assert TextAnnotator().tagged(of(BARE)).words[1].upos == "_"
    assert tagger.calls == []
    TextAnnotator(tagger=tagger).tagged(of(TAGGED + BARE + TAGGED))
    assert tagger.calls == [1]
    with pytest.raises(ConfigError, match="the model has no tagger; tag the text"):
        TextAnnotator().tagged(treebank, "predict")


def test_a_model_with_a_reader_is_stored_and_told_apart(parser: EnsembleParser, tmp_path: Path) -> None:
    model = dataclasses.replace(parser, annotator=TextAnnotator(tagger=ToyTagger("VERB")))
    assert content(dataclasses.replace(model, annotator=TextAnnotator()).record()) == content(parser.record())
    save(model, tmp_path / "reads")
    save(parser, tmp_path / "parses")
    assert content(load(tmp_path / "reads").record()) == content(model.record())
    assert load(tmp_path / "parses").annotator.parts == []
    alone = load_member(tmp_path / "reads", "lr-svm-backward")
    assert list(alone.members) == ["lr-svm-backward"]
    assert alone.annotator.tagger == ToyTagger("VERB")
    with pytest.raises(ConfigError, match="unknown member 'annotator'"):
        load_member(tmp_path / "reads", "annotator")
    reads, parses = inspect(tmp_path / "reads"), inspect(tmp_path / "parses")
    assert (reads["annotator"], parses["annotator"]) == (["tagger"], [])
    assert "reads CoNLL-U with or without tags" in as_text(reads)
    assert "reads" not in as_text(parses)
    assert reads["card"]["input"] == "sentences of words; CoNLL-U or CoNLL-X"
    assert "backward, trained on" in model_at(tmp_path / "reads")


def test_a_forged_reader_is_refused(parser: EnsembleParser) -> None:
    for reader, problem in [
        (Record("ensemble"), "expected a model of kind 'annotator'"),
        (Record("annotator", parts={"tagger": Record("parser")}), "expected a toy tagger"),
        (Record("annotator", parts={"speller": Record("parser")}), "reads text with an unknown 'speller'"),
    ]:
        record = parser.record()
        with pytest.raises(ModelError, match=problem):
            EnsembleParser.from_record(dataclasses.replace(record, parts={**record.parts, "annotator": reader}))


def test_text_without_tags_is_tagged_before_it_is_parsed(parser: EnsembleParser, tmp_path: Path) -> None:
    save(parser, tmp_path / "parses")
    save(dataclasses.replace(parser, annotator=TextAnnotator(tagger=ToyTagger())), tmp_path / "reads")
    bare, doubts = tmp_path / "bare.conllu", list[str]()
    bare.write_text(BARE * 20 + TAGGED)
    parse_files(tmp_path / "parses", [bare], tmp_path / "out", on_doubt=doubts.append)
    assert "known UPOS" in doubts.pop()
    parse_files(tmp_path / "reads", [bare], tmp_path / "out", on_doubt=doubts.append)
    assert "known UPOS" not in doubts.pop()  # XPOS and FEATS of this tagger are foreign
    found = (tmp_path / "out").read_text()
    assert found.count("\tcat\tNOUN\tX\tLen=3\t") == 20
    assert "\tDogs\tdog\tNOUN\tNNS\t_\t" in found
    (text,) = parse_strings(tmp_path / "reads", [bare.read_text()])
    assert text.text == found
    several = parse_strings(tmp_path / "reads", [BARE, TAGGED, BARE])
    assert several == [parse_strings(tmp_path / "reads", [each])[0] for each in (BARE, TAGGED, BARE)]
    parse_files(tmp_path / "reads", [bare], tmp_path / "out", tags="predict")
    assert "\tDogs\tdogs\tNOUN\tX\tLen=4\t" in (tmp_path / "out").read_text()
    with pytest.warns(TreevoteWarning, match="no known XPOS"):
        assert dumps(parse(str(tmp_path / "reads"), bare).only()) == found
    with pytest.raises(ConfigError, match="the model has no tagger"):
        parse_files(tmp_path / "parses", [bare], tmp_path / "out", tags="predict")
    with pytest.raises(InputError, match="expected a part of speech for each token"):
        parse(str(tmp_path / "parses"), [["Cat"]])
