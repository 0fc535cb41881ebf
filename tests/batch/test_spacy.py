"""The component of spaCy gives the trees of the command line, and texts come back with all their tokens."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT
from tests.reference.toy_grammar import toy_treebank
from treevote import ConfigError, InputError, dumps, parse_strings

spacy = pytest.importorskip("spacy")

from treevote import spacy_component  # noqa: E402
from treevote.spacy_component import to_docs, to_treebank  # noqa: E402

TEXTS = ("A dog barks.  It sleeps\n\n now.", "\n Dogs bark\t", "Yes", "", "  ")


@pytest.fixture(scope="module")
def nlp(model: Path) -> Any:
    """Return a pipeline whose tags are those of a list."""
    tags = {
        word.form.lower(): word.upos for sentence in toy_treebank(60, seed=1).sentences() for word in sentence.words[1:]
    }

    @spacy.Language.component("toy_tags")  # type: ignore[untyped-decorator]
    def toy_tags(doc: Any) -> Any:
        for token in doc:
            token.pos_ = "SPACE" if token.is_space else tags.get(token.text.lower(), "NOUN")
        return doc

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("toy_tags")
    pipeline.add_pipe("treevote", config={"model": str(model)})
    return pipeline


def tokens(doc: Any) -> list[tuple[str, str, int, str]]:
    return [(token.text, token.whitespace_, token.head.i, token.dep_) for token in doc]


def texts() -> list[str]:
    sentences = toy_treebank(30, seed=9).sentences()
    return [*TEXTS, *(" ".join(word.form for word in sentence.words[1:]) + "." for sentence in sentences)]


def test_trees_are_those_of_the_command_line(nlp: Any, model: Path) -> None:
    for doc in nlp.pipe(texts()):
        if not doc or all(token.is_space for token in doc):
            continue
        written = dumps(to_treebank([doc]))
        (parsed,) = parse_strings(model, [written])
        assert parsed.text == written
        assert "\t_\t_\t_\t" not in parsed.text.replace("\t_\t_\t_\t_\t", "")


def test_sentences_stay_and_confidence_is_there(nlp: Any) -> None:
    before = spacy.blank("en")
    before.add_pipe("sentencizer")
    for text in texts():
        doc = nlp(text)
        assert [sentence.text for sentence in doc.sents] == [sentence.text for sentence in before(text).sents]
        for token in doc:
            assert token.is_space or 0 <= token._.dep_confidence <= 1
            assert token.is_space or 0 < token._.dep_support <= 1


@pytest.mark.slow
def test_two_processes_give_the_same(nlp: Any) -> None:
    alone = [tokens(doc) for doc in nlp.pipe(texts())]
    several = list(nlp.pipe(texts(), n_process=2, batch_size=8))
    assert [tokens(doc) for doc in several] == alone
    assert all(token._.dep_confidence is not None for doc in several for token in doc if not token.is_space)


def test_a_pipeline_comes_back_from_disk_with_its_model(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.get_pipe("treevote").model == str(tmp_path / "pipeline" / "treevote" / "model")
    assert [tokens(doc) for doc in again.pipe(texts())] == [tokens(doc) for doc in nlp.pipe(texts())]


def test_texts_come_back_with_all_tokens(nlp: Any) -> None:
    docs = [doc for doc in nlp.pipe(texts()) if any(not token.is_space for token in doc)]
    back = to_docs(to_treebank(docs), nlp.vocab)
    assert [doc.text for doc in back] == [doc.text for doc in docs]
    assert [tokens(doc) for doc in back] == [tokens(doc) for doc in docs]
    assert [[token.pos_ for token in doc] for doc in back] == [[token.pos_ for token in doc] for doc in docs]
    assert dumps(to_treebank(back)) == dumps(to_treebank(docs))


def test_a_treebank_comes_back_from_texts(nlp: Any) -> None:
    toy = toy_treebank(10, seed=4)
    (doc,) = to_docs(toy, nlp.vocab)
    back = to_treebank([doc])
    assert [sentence.words for sentence in back] == [sentence.words for sentence in toy]
    assert [sentence.heads.tolist() for sentence in back] == [sentence.heads.tolist() for sentence in toy]
    assert [sentence.deprels for sentence in back] == [sentence.deprels for sentence in toy]


def test_what_is_missing_is_told(model: Path) -> None:
    bare = spacy.blank("en")
    bare.add_pipe("treevote", config={"model": str(model)})
    with pytest.raises(InputError, match="expected boundaries of sentences"):
        bare("A dog barks.")
    with pytest.raises(ConfigError, match="needs a model"):
        spacy.blank("en").add_pipe("treevote")


def test_the_entry_point_is_the_factory() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, name = project["entry-points"]["spacy_factories"]["treevote"].partition(":")
    assert getattr(import_module(module), name) is spacy_component.make
