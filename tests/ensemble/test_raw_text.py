"""Laws of parsing running text: the bytes depend on model and text alone, and the text can be rebuilt."""

from __future__ import annotations

import dataclasses
import io
import lzma
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.adaptation.test_adapt import before
from tests.command_line import fails, invoke, run
from tests.models.text.tokenization.texts import texts
from tests.reference.toy_tagger import ToyTagger
from tests.reference.toy_text import toy, toy_tokenizer
from treevote import (
    ConfigError,
    InputError,
    TreevoteWarning,
    adapt,
    dumps,
    parse,
    parse_files,
    parse_folder,
    parse_strings,
    read,
    save,
    write,
)
from treevote.commands.inspect import inspect
from treevote.commands.next import next_sentences
from treevote.commands.parse import write_text
from treevote.commands.word_representations import unlabelled
from treevote.conll import text_chunks as cutting
from treevote.conll.plain_text import encoded
from treevote.conll.text_chunks import TextFormat
from treevote.corpus.sentence import sent_id
from treevote.corpus.trees import are_trees
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import load
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.files.encodings import guessed, recoded
from treevote.models.text import text_annotator as annotation
from treevote.models.text.text_annotator import TextAnnotator
from treevote.parallel import Jobs
from treevote.report.model import as_text
from treevote.report.parsing import files_text


@pytest.fixture(autouse=True)
def toy_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tagger of a stored model be the toy."""
    known = {**annotation._PARTS, "tagger": ("tests.reference.toy_tagger", "ToyTagger")}
    monkeypatch.setattr(annotation, "_PARTS", known)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw")
    parser = EnsembleTrainer(members_of(["lr-svm-forward", "lr-svm-backward"])).train(toy())
    save(parser, folder / "parses")
    save(dataclasses.replace(parser, annotator=TextAnnotator(toy_tokenizer(), ToyTagger())), folder / "model")
    return folder / "model"


def parsed(model: Path, text: bytes, **options: object) -> bytes:
    path, out = model.parent / "in.txt", model.parent / "out.conllu"
    path.write_bytes(text)
    parse_files(model, [path], out, **options)  # type: ignore[arg-type]
    return out.read_bytes()


def rebuilt(conllu: bytes, model: Path) -> bytes:
    (model.parent / "made.conllu").write_bytes(conllu)
    summary = write_text(model.parent / "made.conllu", model.parent / "made.txt", lines=False)
    assert summary.different == 0
    return (model.parent / "made.txt").read_bytes()


def without_document(conllu: bytes) -> bytes:
    """Return the parse of a file as that of its text, which has no id."""
    return conllu.replace(b"# newdoc id = in\n", b"# newdoc\n").replace(b"# sent_id = in-", b"# sent_id = ")


@pytest.mark.parametrize("format", ["text", "lines"])
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.lists(texts, min_size=1, max_size=5), chunk_bytes=st.integers(1, 80), n_jobs=st.integers(1, 3))
def test_the_bytes_depend_on_model_and_text_alone(
    model: Path, text: Sequence[str], chunk_bytes: int, n_jobs: int, format: TextFormat
) -> None:
    data = encoded("\n\n".join(["Dogs", *text]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "MAX_STRETCH", 100)
        whole = parsed(model, data, format=format)
        assert parsed(model, data, format=format, chunk_bytes=chunk_bytes, jobs=Jobs(n_jobs, "threading")) == whole
        (alone,) = parse_strings(model, [data.decode("utf-8", "surrogateescape")], format=format)
    assert rebuilt(whole, model) == data
    assert are_trees(read(io.BytesIO(whole))).all()
    assert alone.text.encode() == without_document(whole)


def test_text_is_tagged_and_parsed(model: Path, tmp_path: Path) -> None:
    text = b"Dogs can't bark. Dogs bark.\n\nDogs.\n"
    found = parsed(model, text)
    assert found.count(b"\tNOUN\tX\t") == 5 + 3 + 2
    assert found == parsed(model, text, tags="predict")
    assert b"NOUN" not in parsed(model, text, tags="keep")
    assert parsed(model, text, member="lr-svm-forward").count(b"# text") == 3
    for data in (text.decode(), model.parent / "in.txt"):
        (model.parent / "in.txt").write_bytes(text)
        assert without_document(dumps(parse(str(model), data).only()).encode()) == without_document(found)
    with pytest.raises(InputError, match="let its tagger find them, without tags='keep'"):
        parse(model, [["Dogs", "bark"]], tags="keep")
    reader = load(model).annotator
    assert reader is not None
    assert reader.read(text).n_tokens == 10
    assert reader.tokenized(cutting.text_chunk(b"Dogs bark. Dogs", format="lines")).n_sentences == 1
    assert "reads raw text, and CoNLL-U with or without tags" in as_text(inspect(model))
    assert inspect(model)["card"]["input"].startswith("raw text, or sentences of words; CoNLL-U")


def test_columns_in_a_file_of_text_are_columns(model: Path) -> None:
    conllu = b"# text = Dogs\n1\tDogs" + b"\t_" * 8 + b"\n\n"
    assert parsed(model, conllu).startswith(b"# text = Dogs\n1\tDogs\tdogs\tNOUN\tX\tLen=4\t0\troot")


def test_several_files_are_told_apart(model: Path) -> None:
    one, two = model.parent / "one.txt", model.parent / "two.txt.xz"
    one.write_bytes(b"Dogs bark.\n")
    two.write_bytes(lzma.compress(b"Dogs.\n\nDogs."))
    parse_files(model, [one, two], model.parent / "both.conllu")
    both = (model.parent / "both.conllu").read_text()
    assert [line for line in both.split("\n") if line.startswith("# sent_id")] == [
        "# sent_id = one-p1s1",
        "# sent_id = two-p1s1",
        "# sent_id = two-p2s1",
    ]
    assert [line for line in both.split("\n") if line.startswith("# newdoc")] == [
        "# newdoc id = one",
        "# newdoc id = two",
    ]
    assert dumps(parse(model, [one, two]).only()) == both
    assert dumps(parse(model, [one]).only()) == dumps(parse(model, one).only())


def test_no_sentence_of_a_folder_has_the_id_of_another(model: Path, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "one/a.txt", "two/a.txt"):
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Dogs bark.\n\nDogs.\n")
    parse_folder(model, [tmp_path / "texts"], tmp_path / "out")
    lines = [line for path in sorted((tmp_path / "out").rglob("*.conllu")) for line in path.read_text().split("\n")]
    ids = [line.removeprefix("# sent_id = ") for line in lines if line.startswith("# sent_id")]
    assert ids == [f"{name}-p{number}s1" for name in ("a", "b", "one:a", "two:a") for number in (1, 2)]


def test_a_text_that_gets_another_id_is_parsed_again(model: Path, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts", tmp_path / "out"
    for name in ("one/news.txt", "other.txt", "one/table.txt"):
        (texts / name).parent.mkdir(parents=True, exist_ok=True)
        (texts / name).write_text("1\tDogs" + "\t_" * 8 + "\n\n" if "table" in name else "Dogs bark.\n")
    assert parse_folder(model, [texts], out).written == 3
    (texts / "two").mkdir()
    (texts / "two" / "news.txt").write_text("Dogs.\n")
    assert (again := parse_folder(model, [texts], out)).written == 2
    assert again.kept == 2  # the id of one text is as it was, and columns have none
    parse_folder(model, [texts], tmp_path / "new")
    for path in (tmp_path / "new").rglob("*.*"):
        assert path.read_bytes() == (out / path.relative_to(tmp_path / "new")).read_bytes()
    assert "# newdoc id = one:news\n" in (out / "one" / "news.conllu").read_text()


def test_a_model_without_a_tokenizer_says_what_to_do(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("Dogs bark.\n")
    problem = "in.txt: expected sentences in CoNLL-U, found running text, and the model has no tokenizer; train it with"
    with pytest.raises(InputError, match=problem):
        parse_files(model.parent / "parses", [path], tmp_path / "out")
    with pytest.raises(InputError, match=problem):
        parse(model.parent / "parses", path)
    with pytest.raises(InputError, match="or train with --from-text"):
        parse(model.parent / "parses", "Dogs bark.")
    (result,) = parse_strings(model.parent / "parses", ["Dogs bark."], format="text")
    assert not result.text
    assert "the model has no tokenizer" in result.error
    summary = parse_folder(model.parent / "parses", [path], tmp_path / "out")
    assert "the model has no tokenizer" in str(summary.faulty[0][1])


def test_text_without_words_is_a_fault(model: Path) -> None:
    with pytest.raises(InputError, match="expected sentences, found none"):
        parsed(model, b" \n\n" * 3000)


def test_text_in_another_encoding_is_refused(model: Path) -> None:
    with pytest.raises(InputError, match="expected UTF-8, the file is UTF-16"):
        parsed(model, "Dogs".encode("utf-16"))


def test_folders_of_text_give_treebanks(model: Path, tmp_path: Path) -> None:
    source = tmp_path / "in"
    for name in ("a.txt", "b/c.txt", "notes.md"):
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("Dogs can't bark.\n\nDogs.")
    (source / "b" / "d.txt").write_text("")
    summary = parse_folder(model, [source], tmp_path / "out")
    assert (summary.written, len(summary.faulty)) == (2, 1)
    made = (tmp_path / "out" / "b" / "c.conllu").read_bytes()
    assert made.replace(b"id = c", b"id = in") == parsed(model, b"Dogs can't bark.\n\nDogs.")
    assert parse_folder(model, [source], tmp_path / "out").kept == 2
    (source / "e.conllu").write_text("1\tDogs" + "\t_" * 8 + "\n\n")
    assert parse_folder(model, [source], tmp_path / "treebanks").written == 1
    assert parse_folder(model, [source], tmp_path / "texts", format="text").written == 2
    several = parse_folder(model, [source / "a.txt", source / "e.conllu"], tmp_path / "mixed", task_bytes=5)
    assert several.written == 2
    assert (tmp_path / "mixed" / "e.conllu").read_bytes() == (tmp_path / "treebanks" / "e.conllu").read_bytes()


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "mac-roman", "utf-16", "utf-16-be", "utf-8"])
def test_text_in_an_encoding_that_is_named_is_parsed_as_its_utf8(model: Path, tmp_path: Path, encoding: str) -> None:
    text = "A café can't bark.\n\nDogs."
    (tmp_path / "x.txt").write_bytes(text.encode(encoding))
    told: list[str] = []
    parse_files(model, [tmp_path / "x.txt"], tmp_path / "x.conllu", encoding=encoding, on_doubt=told.append)
    expected = parsed(model, text.encode()).replace(b"id = in", b"id = x")
    assert (tmp_path / "x.conllu").read_bytes() == expected
    parse_folder(model, [tmp_path / "x.txt"], tmp_path / "out", encoding=encoding, id_prefix="my corpus")
    made = (tmp_path / "out" / "x.conllu").read_bytes()
    assert made == expected.replace(b"id = x", b"id = my_corpus-x")
    assert not told


def test_text_of_two_encodings_and_bytes_of_another_one_are_told(model: Path, tmp_path: Path) -> None:
    path, told = tmp_path / "x.txt", list[str]()
    path.write_bytes("A café barks.\n\n".encode() * 9 + "A café barks.".encode("latin-1"))
    parse_files(model, [path], tmp_path / "out.conllu", on_doubt=told.append, chunk_bytes=60)
    assert told == [
        f"{path}: it is not UTF-8: line 19, byte 0xe9 in 'caf\ufffd'; other words of it are UTF-8: it was put "
        "together from two encodings, convert the parts apart"
    ]
    path.write_bytes(b"A caf\x81 barks.")
    with pytest.raises(InputError, match=r"x\.txt: expected windows-1252, found the byte 0x81; name the encoding"):
        parse_files(model, [path], tmp_path / "out.conllu", encoding="windows-1252")
    path.write_bytes("It costs 20 €.".encode("windows-1252"))
    with pytest.raises(InputError, match=r"expected latin-1, found the byte 0x80, .*, such as windows-1252"):
        parse_files(model, [path], tmp_path / "out.conllu", encoding="latin-1")
    for name in ("latin-x", "base64", "rot13", "bz2", "a\0b"):
        with pytest.raises(
            ConfigError, match=f"the encoding {re.escape(repr(name))} is unknown; name one such as iso-8859-2"
        ):
            parse_files(model, [path], tmp_path / "out.conllu", encoding=name, jobs=2)
    path.write_bytes(("A dog barks. " * 9).encode("utf-16-le"))
    with pytest.raises(InputError, match="the file is UTF-16LE; convert it: iconv -f UTF-16LE -t UTF-8"):
        parse_files(model, [path], tmp_path / "out.conllu")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32-le"])
def test_a_byte_order_mark_is_no_text(encoding: str) -> None:
    for text in ("", "né", "a\ufeffb"):
        content = io.BytesIO(
            ("" if encoding in ("utf-16", "utf-8-sig") else "\ufeff").encode(encoding) + text.encode(encoding)
        )
        assert b"".join(recoded(content, encoding, "x")).decode() == text


def test_an_amount_of_euros_is_not_taken_for_a_letter() -> None:
    assert guessed("It costs 20 €.".encode("windows-1252")) == "windows-1252"
    assert guessed("Äpfel für Österreich".encode("mac-roman")) == "mac-roman"


@pytest.mark.parametrize("text", ["Été à la forêt, où naît l’œuvre « élevée ».", "“Hello,” he said—it’s fine…"])
@pytest.mark.parametrize("encoding", ["windows-1252", "mac-roman"])
def test_the_encoding_of_quotes_and_letters_is_guessed(text: str, encoding: str) -> None:
    assert guessed(text.encode(encoding)) == encoding


def test_text_in_another_encoding_is_doubtful(model: Path, tmp_path: Path) -> None:
    for name, encoding in (("new", "utf-8"), ("old", "latin-1"), ("mac", "mac-roman")):
        (tmp_path / f"{name}.txt").write_bytes("A café barks.\n".encode(encoding))
    files = [tmp_path / f"{name}.txt" for name in ("new", "old", "mac")]
    told: list[str] = []
    parse_files(model, files, tmp_path / "out.conllu", on_doubt=told.append)
    summary = parse_folder(model, files, tmp_path / "out")
    reasons = [
        f"it is not UTF-8: line 1, byte {byte} in 'caf\ufffd'; it looks like {names} in Czech, "
        "Hungarian, Polish and the like): convert it to UTF-8, or parse it with --encoding and the right one"
        for byte, names in (("0xe9", "latin-1 (iso-8859-2 or windows-1250"), ("0x8e", "mac-roman (mac-latin2"))
    ]
    assert [reason for _, reason in summary.doubtful] == reasons
    assert told == [f"{files[1]}: {reasons[0]}"]
    strict = parse_folder(model, files, tmp_path / "strict", strict=True)
    assert [os.path.basename(path) for path, _ in strict.faulty] == ["old.txt", "mac.txt"]


def test_text_to_learn_from_in_another_encoding_is_doubtful_once(model: Path, tmp_path: Path) -> None:
    text = "A café barks.\n\nDogs bark.\n\n".encode("latin-1") * 2
    (tmp_path / "old.txt").write_bytes(text)
    told: list[str] = []
    parts = list(cutting.text_chunks(io.BytesIO(text), n_bytes=1))
    assert list(cutting.utf8_checked(parts, told.append)) == parts
    assert len(told) == 1
    with pytest.warns(TreevoteWarning) as doubts:
        next_sentences(model, [tmp_path / "old.txt"], sentences=1)
    told = [str(warning.message) for warning in doubts]
    with pytest.warns(TreevoteWarning) as given:
        list(unlabelled([tmp_path / "old.txt"], tmp_path / "out.paths", model=model, format="auto", jobs=Jobs()))
    reasons = [reason for reason in told if "not UTF-8" in reason]
    assert reasons == [str(warning.message) for warning in given]
    assert reasons == [
        f"{tmp_path / 'old.txt'}: it is not UTF-8: line 1, byte 0xe9 in 'caf\ufffd'; it looks like latin-1 "
        "(iso-8859-2 or windows-1250 in Czech, Hungarian, Polish and the like): convert it to UTF-8, "
        "or parse it with --encoding and the right one"
    ]


def test_an_adaptation_tells_the_name_and_the_encoding_of_its_text(model: Path, tmp_path: Path) -> None:
    train, text = tmp_path / "train.conllu", tmp_path / "text.txt"
    write(toy(), train)
    text.write_bytes(b" \n")
    with pytest.raises(InputError, match=r"/text.txt: expected sentences, found none"):
        adapt(model, [text], tmp_path / "new", train=[train])
    text.write_bytes(b"Dogs can't bark.\n\n" * 30 + "A café barks.\n".encode("latin-1"))  # nearly all are known
    with pytest.warns(TreevoteWarning) as told:
        outcome = adapt(model, [text], tmp_path / "new", train=[train])
    assert outcome.model is None
    assert [str(warning.message) for warning in told][:1] == [
        f"{text}: it is not UTF-8: line 61, byte 0xe9 in 'caf\ufffd'; it looks like latin-1 "
        "(iso-8859-2 or windows-1250 in Czech, Hungarian, Polish and the like): convert it to UTF-8, "
        "or parse it with --encoding and the right one"
    ]


def test_an_adaptation_without_a_training_leaves_nothing_that_blocks_the_next(model: Path, tmp_path: Path) -> None:
    train, text, one = (tmp_path / name for name in ("train.conllu", "text.txt", "one.conllu"))
    write(toy(), train)
    write(toy()[:1], one)
    text.write_bytes(b"Dogs can't bark.\n\n" * 30)
    command = "adapt", model, text, "--train", train, "-o", tmp_path / "new"
    assert "expected a parse of every sentence, found parses of 1" in fails(*command, "--external", one)
    result = invoke(*command)
    assert (result.exit_code, "nothing was trained; the same command with --force" in result.stdout) == (3, True)
    assert not (tmp_path / "new.work").exists()


def test_the_expectation_of_raw_text_names_its_condition(tmp_path: Path) -> None:
    save(dataclasses.replace(before(), annotator=TextAnnotator(toy_tokenizer(), ToyTagger())), tmp_path / "model")
    (tmp_path / "text.txt").write_text("the old dog saw cats. " * 300, "utf-8")
    parse_files(tmp_path / "model", [tmp_path / "text.txt"], tmp_path / "parsed.conllu")
    for name, is_raw in (("text.txt", True), ("parsed.conllu", False)):
        for size in (1000, 1 << 20):
            summary = parse_files(tmp_path / "model", [tmp_path / name], tmp_path / "out", chunk_bytes=size)
            assert summary.expectation is not None
            assert summary.expectation.las is not None
            assert summary.expectation.as_dict()["raw_text"] == is_raw
            assert (" where words and sentences are cut right (" in files_text(summary)) == is_raw


def test_sentences_to_annotate_from_several_texts_have_the_ids_of_a_parse(model: Path, tmp_path: Path) -> None:
    texts = tmp_path / "one.txt", tmp_path / "two.txt"
    texts[0].write_text("Dogs bark.\n\nCats sleep here.\n", "utf-8")
    texts[1].write_text("Dogs can't bark.\n\nCats bark.\n", "utf-8")
    found = []
    for command, *options in (("next", "-k", 9), ("parse",)):
        run(command, model, *texts, *options, "-o", tmp_path / "out.conllu")
        found.append([sent_id(sentence.comments) for sentence in read(tmp_path / "out.conllu")])
    assert len(set(found[0])) == len(found[0]) > 2
    assert set(found[0]) <= set(found[1])
