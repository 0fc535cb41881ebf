"""The component of spaCy gives the trees of the command line, and texts come back with all their tokens."""

from __future__ import annotations

import dataclasses
import io
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import ROOT
from tests.reference.quick_tagger import SMALL
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_text import toy_tokenizer
from treevote import ConfigError, InputError, ModelError, Treebank, dumps, parse, parse_strings, read, save
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.members import members_of
from treevote.ensemble.trainer import EnsembleTrainer

spacy = pytest.importorskip("spacy")

from treevote import spacy_component  # noqa: E402
from treevote.spacy_texts import surface_words, to_docs, to_treebank, with_whitespace  # noqa: E402

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


def test_texts_that_cannot_be_parsed_go_to_the_handler_of_errors(nlp: Any) -> None:
    given, told = [*texts(), "a " * 10_001, "Dogs bark"], []
    expected = [tokens(doc) for doc in nlp.pipe(given[:-2])] + [tokens(nlp(given[-1]))]
    nlp.set_error_handler(lambda name, component, docs, error: told.append((name, docs[0].text, str(error))))
    assert [tokens(doc) for doc in nlp.pipe(given)] == expected
    assert [(name, text) for name, text, _ in told] == [("treevote", given[-2])]
    nlp.set_error_handler(spacy.util.raise_error)
    with pytest.raises(InputError, match=f"text {len(given) - 1}: expected at most 10,000 tokens"):
        list(nlp.pipe(given))


def test_a_pipeline_comes_back_from_disk_with_its_model(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.get_pipe("treevote").model == str(tmp_path / "pipeline" / "treevote" / "model")
    assert [tokens(doc) for doc in again.pipe(texts())] == [tokens(doc) for doc in nlp.pipe(texts())]


def test_a_pipeline_is_saved_where_it_was_loaded_from(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    again.to_disk(tmp_path / "pipeline")
    (tmp_path / "link").symlink_to(tmp_path / "pipeline")
    again.to_disk(tmp_path / "link")
    assert tokens(spacy.load(tmp_path / "pipeline")(TEXTS[0])) == tokens(nlp(TEXTS[0]))


def test_a_model_that_is_gone_leaves_the_saved_one(nlp: Any, model: Path, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    gone = spacy.blank("en")
    gone.add_pipe("treevote", config={"model": str(tmp_path / "nowhere")})
    with pytest.raises(ModelError, match="nowhere"):
        gone.to_disk(tmp_path / "pipeline")
    saved = tmp_path / "pipeline" / "treevote" / "model"
    assert sorted(path.name for path in saved.iterdir()) == sorted(path.name for path in model.iterdir())
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


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


@pytest.fixture(scope="module")
def reading_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model that reads raw text."""
    trained = AnnotatorTrainer("tokens", tagger=SMALL).train(toy_treebank(60, seed=1))
    parser = trained.of(EnsembleTrainer(members_of(["lr-svm-forward", "lr-svm-backward"])).train(trained.treebank))
    path = tmp_path_factory.mktemp("spacy") / "model"
    save(dataclasses.replace(parser, annotator=dataclasses.replace(trained.annotator, tokenizer=toy_tokenizer())), path)
    return path


def whole_pipeline(model: Path) -> Any:
    """Return a pipeline of which all parts are those of a model."""
    tokenizer = {"@tokenizers": "treevote.Tokenizer.v1", "model": str(model)}
    pipeline = spacy.blank("xx", config={"nlp": {"tokenizer": tokenizer}})
    pipeline.add_pipe("treevote", config={"model": str(model)})
    return pipeline


def annotated(doc: Any) -> list[list[tuple[str, ...]]]:
    """Return the words of each sentence, with all that a model predicts."""
    return [
        [
            (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph), token.dep_, token.head.text)
            for token in sentence
            if not token.is_space
        ]
        for sentence in doc.sents
    ]


def expected(treebank: Treebank) -> list[list[tuple[str, ...]]]:
    return [
        [
            (*("" if field == "_" else field for field in word), deprel, words[head or i].form)
            for i, (word, head, deprel) in enumerate(zip(words, heads, deprels, strict=True))
            if i
        ]
        for words, heads, deprels in ((each.words, each.heads.tolist(), each.deprels) for each in treebank)
    ]


def test_a_model_that_reads_text_is_a_whole_pipeline(reading_model: Path, tmp_path: Path) -> None:
    nlp = whole_pipeline(reading_model)
    text = "\n".join([*texts(), "A well-known dog barks - twice."])
    doc = nlp(text)
    assert doc.text == text
    (tmp_path / "text.txt").write_text(text, "utf-8")
    assert annotated(doc) == expected(parse(reading_model, tmp_path / "text.txt"))
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.tokenizer.model == str(tmp_path / "pipeline" / "tokenizer" / "model")
    assert annotated(again(text)) == annotated(doc)
    assert [len(nlp(text)) for text in ("", "  \n")] == [0, 1]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\ufeffA dog  barks.\nIt sleeps. ", " A dog  barks.\nIt sleeps. "),
        ("A dog\x07 barks.\n\nIt  sleeps.", "A dog\ufffd barks.\n\nIt  sleeps."),
        ("A dog barks.\x0bIt\u2028 sleeps.\r\n", "A dog barks. It  sleeps.\r\n"),
    ],
)
def test_whitespace_stays_beside_what_a_model_does_not_see(text: str, seen: str, reading_model: Path) -> None:
    assert whole_pipeline(reading_model)(text).text == seen


@given(st.lists(st.tuples(st.sampled_from(["", " ", "  ", "\n ", " \t"]), st.text("ab.", min_size=1)), max_size=9))
def test_whitespace_tokens_are_those_of_spacy(pairs: list[tuple[str, str]]) -> None:
    words = [word for _, word in pairs]
    text = "".join(map("".join, pairs)) + " " * len(pairs)
    assert with_whitespace(words, text) == spacy.util.get_words_and_spaces(words, text)


def test_a_pipeline_comes_back_from_bytes_with_the_name_of_its_model(reading_model: Path) -> None:
    nlp = whole_pipeline(reading_model)
    again = whole_pipeline(Path("elsewhere")).from_bytes(nlp.to_bytes())
    assert again.tokenizer.model == again.get_pipe("treevote").model == str(reading_model)
    assert annotated(again(TEXTS[0])) == annotated(nlp(TEXTS[0]))
    part = nlp.tokenizer
    assert part.from_bytes(part.to_bytes(exclude=["model"])).model == str(reading_model)
    assert part.from_bytes(b"elsewhere", exclude=["model"]).model == str(reading_model)


def test_tags_are_predicted_only_where_there_are_none(reading_model: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("treevote", config={"model": str(reading_model)})
    doc = nlp("A dog barks. It sleeps.")
    assert all(token.pos_ and token.lemma_ for token in doc)
    words = ["A", "dog", "barks", "."]
    tags = ["DET", "NOUN", "X", "PUNCT"]
    given = spacy.tokens.Doc(nlp.vocab, words, pos=tags, sent_starts=[True, False, False, False])
    assert [token.pos_ for token in nlp.get_pipe("treevote")(given)] == tags


MULTIWORDS = """
1-2 don't _ _ _ _ _ _ _ _
1 do _ _ _ _ 0 root _ _
2 n't _ _ _ _ 1 dep _ _
3-4 du _ _ _ _ _ _ _ SpaceAfter=No
3 de _ _ _ _ 1 dep _ _
4 le _ _ _ _ 1 dep _ _
5 x _ _ _ _ 1 dep _ _

"""


def test_words_of_a_multiword_token_are_words() -> None:
    words, spaces, starts = surface_words(read(io.BytesIO(MULTIWORDS.lstrip().replace(" ", "\t").encode())))
    assert words == ["do", "n't", "de", "le", "x"]
    assert spaces == [False, True, True, False, True]
    assert starts == [True, False, False, False, False]


def test_spaces_are_those_around_multiword_tokens(nlp: Any) -> None:
    (doc,) = to_docs(read(io.BytesIO(MULTIWORDS.lstrip().replace(" ", "\t").encode())), nlp.vocab)
    assert doc.text == "don't de lex "
    lines = MULTIWORDS.replace("5 x _ _ _ _ 1 dep _ _", r"5 x _ _ _ _ 1 dep _ SpaceTokens=\s")
    (doc,) = to_docs(read(io.BytesIO(lines.lstrip().replace(" ", "\t").encode())), nlp.vocab)
    assert doc.text == "don't de lex  "


def test_a_missing_head_costs_the_tree_of_its_sentence_alone(nlp: Any) -> None:
    trees = toy_treebank(3, seed=4)
    rows = [(each.words[1:], each.heads[1:].tolist(), each.deprels[1:]) for each in trees]
    words, heads, deprels = rows[1]
    for missing in range(len(heads)):
        rows[1] = words, [-1 if i == missing else head for i, head in enumerate(heads)], deprels
        (doc,) = to_docs(Treebank.of(rows), nlp.vocab)
        assert [len(sentence) for sentence in doc.sents] == [len(row[0]) for row in rows]
        first, second, third = doc.sents
        assert [token.has_head() for token in second] == [True, *[False] * (len(words) - 1)]
        assert (second[0].dep_, second.root) == ("_", second[0])
        for sentence, (_, own, labels) in ((first, rows[0]), (third, rows[2])):
            found = [0 if token.head == token else token.head.i - sentence.start + 1 for token in sentence]
            assert (found, [token.dep_ for token in sentence]) == (own, list(labels))
        back = to_treebank([doc])
        assert [each.heads[1:].tolist() for each in back] == [rows[0][1], [-1] * len(words), rows[2][1]]
    (bare,) = to_docs(Treebank.of([(words, [-1] * len(words), [""] * len(words)) for words, _, _ in rows]), nlp.vocab)
    assert not bare.has_annotation("DEP")
    assert [len(sentence) for sentence in bare.sents] == [len(row[0]) for row in rows]


def test_what_is_missing_is_told(model: Path) -> None:
    bare = spacy.blank("en")
    bare.add_pipe("treevote", config={"model": str(model)})
    with pytest.raises(InputError, match="expected boundaries of sentences"):
        bare("A dog barks.")
    with pytest.raises(ConfigError, match="needs a model"):
        spacy.blank("en").add_pipe("treevote")
    bare.add_pipe("sentencizer", first=True)
    with pytest.raises(InputError, match="expected a part of speech for each token, found none"):
        bare("A dog barks.")
    with pytest.raises(InputError, match="text 1: expected at most 10,000 tokens in a sentence, found 10,001"):
        bare("a " * 10_001)
    with pytest.raises(InputError, match="no tokenizer"):
        whole_pipeline(model)("A dog barks.")


def test_entry_points_are_the_factories() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for group, part, function in (
        ("spacy_factories", "treevote", spacy_component.make),
        ("spacy_tokenizers", "treevote.Tokenizer.v1", spacy_component.make_tokenizer),
    ):
        module, _, name = project["entry-points"][group][part].partition(":")
        assert getattr(import_module(module), name) is function
