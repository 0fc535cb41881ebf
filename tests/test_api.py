"""The whole job from Python: what data may be, and what a treebank answers."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import treevote
from tests.command_line import run
from tests.reference.toy_grammar import toy_treebank
from treevote import InputError, Treebank, TreevoteError, Word, load, parse_files
from treevote.batch.data import from_tokens
from treevote.parallel import Jobs

TRAIN, DEV, TEST = (toy_treebank(40, seed=1), toy_treebank(20, seed=2), toy_treebank(6, seed=3))
MEMBERS = ["lr-svm-forward", "lr-svm-backward"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("api") / "model"
    treevote.train(TRAIN, DEV, output=path, members=MEMBERS)
    return path


def trees(treebank: Treebank) -> list[tuple[list[int], tuple[str, ...]]]:
    return [(sentence.heads.tolist(), sentence.deprels) for sentence in treebank]


def test_training_from_files_is_training_from_treebanks(model: Path, tmp_path: Path) -> None:
    treevote.write(TRAIN, tmp_path / "train.conllu")
    treevote.write(DEV, tmp_path / "dev.conllu")
    parser = treevote.train(str(tmp_path / "train.conllu"), tmp_path / "dev.conllu", members=MEMBERS)
    assert trees(parser.parse(TEST)) == trees(treevote.load(model).parse(TEST))
    with pytest.raises(treevote.ConfigError, match="unknown member"):
        treevote.train(TRAIN, members=["x"])
    with pytest.raises(treevote.ConfigError, match="unknown preset 'quick'"):
        treevote.train(TRAIN, preset="quick")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"found Treebank in a list; .* several treebanks by Treebank.concatenate"):
        treevote.train([TRAIN, DEV])
    with pytest.raises(treevote.ConfigError, match="members: expected an array, each a string, found 'pipeline'"):
        treevote.train(TRAIN, members="pipeline")
    with pytest.raises(treevote.ConfigError, match=r"members: expected an array, each a string, found \{'pipeline'\}"):
        treevote.train(TRAIN, members={"pipeline"})  # type: ignore[arg-type]
    for seed, said in (
        (-1, "at least 0"),
        (2**63, "at most 64 bits"),
        (1.5, "a whole number"),
        ("1", "a whole number"),
    ):
        with pytest.raises(treevote.ConfigError, match=f"seed.*{said}"):
            treevote.train(TRAIN, members=MEMBERS, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(treevote.ConfigError, match=r"unknown weights 'x'; known: [a-z, ]*, auto$"):
        treevote.train(TRAIN, members=MEMBERS, weights="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="found list in a list"):
        treevote.train([["dogs", "bark"]])
    with pytest.raises(treevote.ConfigError, match="on a development set or on folds; leave one of them out"):
        treevote.train(TRAIN, DEV, members=MEMBERS, folds=3)


def test_training_is_that_of_the_command(tmp_path: Path) -> None:
    treevote.write(TRAIN, tmp_path / "train.conllu")
    paths = [tmp_path / "train.conllu"] * 2
    treevote.train(paths, output=tmp_path / "function", members=MEMBERS[:1])
    run("train", *paths, "-o", tmp_path / "command", "--members", MEMBERS[0])
    files = [
        sorted(path for path in (tmp_path / name).rglob("*") if path.is_file()) for name in ("function", "command")
    ]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


def test_data_may_be_files_texts_and_lists(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "test.conllu"
    treevote.write(TEST, path)
    expected = trees(treevote.load(model).parse(TEST))
    pairs = [[(word.form, word.upos) for word in sentence.words[1:]] for sentence in TEST]
    mappings = [[word._asdict() for word in sentence.words[1:]] for sentence in TEST]
    words = [list(sentence.words[1:]) for sentence in TEST]
    tokens = treevote.to_tokenlists(TEST)
    for data in (TEST, path, path.read_text(), [path], iter([path]), mappings, words, tokens):
        assert trees(treevote.parse(model, data)) == expected
    assert len(treevote.parse(model, pairs)) == len(TEST)
    out = tmp_path / "parsed.conllu"
    treevote.parse(treevote.StoredParser.of(model), path, output=out)
    treevote.parse_files(model, [path], tmp_path / "files.conllu")
    assert out.read_bytes() == (tmp_path / "files.conllu").read_bytes()


def test_chunks_do_not_matter(model: Path) -> None:
    whole, cut = treevote.parse(model, TEST), treevote.parse(model, TEST, chunk=2)
    assert treevote.dumps(whole) == treevote.dumps(cut)
    assert cut.confidence is not None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([["Dogs", "bark"]], "expected a part of speech for each token, found none"),
        ("Dogs bark.", "expected a text in CoNLL-U, found 'Dogs bark.'"),
        ("none.conllu", "expected a text in CoNLL-U, found 'none.conllu'"),
        (["Dogs bark."], "expected sentences, found the string 'Dogs bark.'"),
        (b"Dogs bark.", "expected a text, found bytes; decode it first"),
        ([Path("none.conllu")], "none.conllu: cannot read"),
        (__file__, r"is the name of a file; give treevote.parse\(model, Path\('.*test_api.py'\)\), or its content"),
        ("我喜欢猫。", "expected a text in CoNLL-U, found '我喜欢猫。'"),
        (Path("我喜欢猫。"), "我喜欢猫。: cannot read"),
        ([], "expected sentences, found none"),
        ([[]], r"sentence 1: expected a list of tokens, found \[\]"),
        ([[("a", "DET"), 3]], "sentence 1: expected a token, found 3"),
        ([[{"form": "a", "tag": "DET"}]], "sentence 1: expected a token"),
        ([[("", "DET")]], "sentence 1: expected a token"),
        ("1\tone\n", "expected 10 columns"),
    ],
)
def test_data_that_cannot_be_parsed_are_told(model: Path, data: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        treevote.parse(model, data)  # type: ignore[arg-type]


def test_unfit_text_is_a_warning(model: Path) -> None:
    with pytest.warns(UserWarning, match="100% of the tokens have no known UPOS"):
        treevote.parse(model, [[("dog", "X-1")] * 30])


def test_adaptation_is_a_call(model: Path, tmp_path: Path) -> None:
    for name, treebank in (("train", TRAIN), ("dev", DEV), ("text", toy_treebank(20, seed=5))):
        treevote.write(treebank, tmp_path / f"{name}.conllu")
    outcome = treevote.adapt(
        model,
        tmp_path / "text.conllu",
        tmp_path / "adapted",
        train=tmp_path / "train.conllu",
        dev=tmp_path / "dev.conllu",
        scheme="paper",
        force=True,
    )
    assert outcome.promoted
    assert "report" not in repr(outcome)  # which is long
    assert treevote.load(tmp_path / "adapted").parse(TEST).n_tokens == TEST.n_tokens


def test_a_slash_behind_the_output_of_an_adaptation_is_no_name(tmp_path: Path) -> None:
    with pytest.raises(treevote.InputError, match="no such file"):  # not: the model and the folder must be apart
        treevote.adapt(tmp_path / "model", tmp_path / "text", f"{tmp_path}/adapted/", train=tmp_path / "train")


def test_progress_is_shown_on_request_and_in_notebooks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("treevote.terminal.EVERY", 0.0)
    treevote.train(TRAIN, members=MEMBERS[:1], progress=True)
    assert "lr-svm-forward" in capsys.readouterr().err
    treevote.train(TRAIN, members=MEMBERS[:1])
    assert capsys.readouterr().err == ""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1)))
    treevote.train(TRAIN, members=MEMBERS[:1])
    said = capsys.readouterr().err
    *_, last, blank, end = said.split("\r")
    assert last.startswith("treevote: ")
    assert len(blank) >= len(last)
    assert not blank.strip() + end  # nothing stays of it when the work is done
    assert "\n" not in said
    heard: list[str] = []
    treevote.train(TRAIN, members=MEMBERS[:1], jobs=Jobs(progress=lambda name, done, total: heard.append(name)))
    assert heard


def test_a_treebank_is_a_sequence_with_a_short_name() -> None:
    assert len(TEST) == 6
    assert [sentence.words for sentence in TEST] == [TEST[i].words for i in range(6)]
    assert TEST[-1].words == TEST[5].words
    assert [sentence.words for sentence in TEST[1:5:2]] == [TEST[1].words, TEST[3].words]
    for number in (6, -7):
        with pytest.raises(IndexError, match=rf"expected the number of one of 6 sentences, found {number}"):
            TEST[number]
    with pytest.raises(
        TypeError, match=r"expected a number or a slice, found \[0, 1\]; for several sentences use select"
    ):
        TEST[[0, 1]]  # type: ignore[call-overload]
    empty = TEST[:0]
    assert len(empty) == 0
    assert empty
    marked = dataclasses.replace(TEST, name="a.conllu", support=np.zeros(len(TEST.tokens), np.float32))
    assert repr(marked).startswith("<Treebank 'a.conllu': 6 sentences, ")
    assert repr(marked).endswith(" labels, with support>")


def test_a_model_has_a_short_name(model: Path) -> None:
    parser = treevote.load(model)
    assert repr(parser) == f"<EnsembleParser: {', '.join(parser.members)}>"
    assert len(repr(parser)) < 200


def test_trees_are_drawn_in_notebooks() -> None:
    assert TEST._repr_svg_().count("<title>") == 3
    assert TEST[0]._repr_svg_().startswith("<svg")
    assert TEST[:0]._repr_svg_().startswith("<svg")


def test_a_parse_of_no_sentences_has_an_empty_confidence(model: Path) -> None:
    parse = treevote.parse(model, toy_treebank(3, 1)[:0])
    assert parse.confidence is not None
    assert len(parse) == len(parse.confidence) == 0


def test_systems_may_be_an_iterator_and_weights_are_weights() -> None:
    voted = treevote.vote((TEST for _ in range(2)), single_root=True)  # type: ignore[arg-type]
    assert trees(voted) == trees(TEST)
    with pytest.raises(treevote.ConfigError, match=r"weights: expected Weights, found list; measure some with"):
        treevote.vote([TEST, TEST], [1.0, 2.0], single_root=True)  # type: ignore[arg-type]


def test_a_number_of_jobs_is_enough_for_every_training() -> None:
    trainer = treevote.EnsembleTrainer({"forward": treevote.TransitionTrainer()})
    assert trees(trainer.train(TRAIN, jobs=1).parse(TEST)) == trees(trainer.train(TRAIN).parse(TEST))
    own = treevote.TransitionTrainer()
    assert trees(own.train(TRAIN, jobs=1).parse(TEST)) == trees(own.train(TRAIN).parse(TEST))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_training_is_cancelled_by_its_progress(n_jobs: int) -> None:
    def cancel(*step: object) -> None:
        raise LookupError("cancelled")

    members = ["lr-svm-forward", "graph-perceptron"]
    with pytest.raises(LookupError, match="cancelled"):
        treevote.train(TRAIN, members=members, jobs=treevote.Jobs(n_jobs, progress=cancel))


def test_a_warning_about_sentences_of_no_name_begins_with_their_number() -> None:
    bare = Treebank.of([(["a"], [-1], [""])])
    with pytest.warns(treevote.TreevoteWarning, match="^1 of 41 sentences has no tree and is left out") as warned:
        treevote.train(Treebank.concatenate([TRAIN, bare]), members=["lr-svm-forward"])
    assert {warning.filename for warning in warned} == {__file__}  # the line of the caller


def test_an_annotator_is_an_annotator_trainer() -> None:
    with pytest.raises(treevote.ConfigError, match="annotator: expected an AnnotatorTrainer, found str; make one"):
        treevote.train(TEST, annotator="text")  # type: ignore[arg-type]


def test_marks_are_those_of_every_token() -> None:
    row = "\t_\t_\t_\t_\t{}\tx\t_\t{}\n"
    twice = "1\ta" + row.format(2, "Confidence=0.5|Confidence=0.9") + "2\tb" + row.format(0, "_") + "\n"
    assert not treevote.read(io.BytesIO(twice.encode()), marks=True).marks
    once = twice.replace("0\tx\t_\t_", "0\tx\t_\tConfidence=0")
    assert treevote.read(io.BytesIO(once.encode()), marks=True).marks["confidence"].tolist() == [0, np.float32(0.9), 0]


def test_confidence_comes_back_from_misc(model: Path, tmp_path: Path) -> None:
    parsed = treevote.parse(model, TEST)
    treevote.write(parsed, tmp_path / "parsed.conllu")
    back = treevote.read(tmp_path / "parsed.conllu", marks=True)
    assert list(back.marks) == ["support", "label_support", "confidence", "label_confidence"]
    for field, column in parsed.marks.items():
        assert np.abs(back.marks[field] - np.where(parsed.is_token, column, 0)).max() < 0.006
    assert treevote.dumps(back) == (tmp_path / "parsed.conllu").read_text()
    assert treevote.read(tmp_path / "parsed.conllu").marks == {}
    text = (tmp_path / "parsed.conllu").read_text().replace("Confidence=0", "Confidence=7", 1)
    (tmp_path / "bad.conllu").write_text(text)
    with pytest.raises(InputError, match="expected Confidence=NUMBER from 0 to 1"):
        treevote.read(tmp_path / "bad.conllu", marks=True)


def test_tables_come_back(model: Path) -> None:
    pytest.importorskip("pandas")
    parsed = treevote.parse(model, TEST)
    frame = parsed.to_frame()
    named = [*frame.columns[:11], *frame.columns[11:14]]
    assert named == [
        "document",
        "sent_id",
        "sentence",
        "id",
        "form",
        "lemma",
        "upos",
        "xpos",
        "feats",
        "head",
        "deprel",
        "head_form",
        "head_upos",
        "misc",
    ]
    sentence = TEST[0]
    heads = ["" if head <= 0 else sentence.words[head].form for head in parsed[0].heads[1:]]
    assert frame.head_form[: len(heads)].tolist() == heads
    assert set(frame.misc) == {"_"}
    assert len(frame) == TEST.n_tokens
    back = Treebank.from_frame(frame)
    assert treevote.dumps(back) == treevote.dumps(dataclasses.replace(parsed, source=None))
    short = Treebank.from_frame(frame.loc[:, ["sentence", "form", "upos"]])
    assert trees(treevote.parse(model, short)) != []
    assert (short.heads == -1).all()
    for change, said in (
        ({"head": 99}, r"expected a head in -1\.\.\d+, found 99"),
        ({"head": "x"}, "expected whole numbers from -1 on in column 'head', found 'x' in row 0"),
        ({"form": 3}, "expected strings in column 'form'"),
        ({"confidence": 2.0}, "expected numbers from 0 to 1 in column 'confidence'"),
    ):
        with pytest.raises(InputError, match=said):
            Treebank.from_frame(frame.assign(**change))
    with pytest.raises(InputError, match="expected a column 'form'"):
        Treebank.from_frame(frame.drop(columns="form"))


def test_a_string_is_a_path_where_files_are_read_and_a_text_where_texts_are(tmp_path: Path) -> None:
    text = treevote.dumps(TEST)
    (tmp_path / "x.conllu").write_text(text)
    assert treevote.dumps(treevote.loads(text)) == treevote.dumps(treevote.read(str(tmp_path / "x.conllu"))) == text
    for call in (treevote.read, treevote.train):
        with pytest.raises(InputError, match=r"expected the path of a file, found the text .*; read a text with"):
            call(text)
    with pytest.raises(InputError, match=r"is the name of a file; give treevote.read\(Path\('.*x.conllu'\)\), or its"):
        treevote.loads(str(tmp_path / "x.conllu"))


def test_a_parser_that_gets_a_text_says_what_to_call(model: Path) -> None:
    with pytest.raises(InputError, match=r"expected a treebank, found str; read it with treevote\.read or"):
        treevote.load(model).parse("1\tDogs")  # type: ignore[arg-type]


def test_a_list_or_folder_of_files_is_one_corpus_with_documents(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    first = (
        "\n# sent_id = a\n# text = Dogs bark.\n1\tDogs\t_\t_\t_\t_\t2\tx\t_\tA=1\n2\tbark\t_\t_\t_\t_\t0\troot\t_\t_"
    )
    (tmp_path / "a.conllu").write_text(first)
    second = "# newdoc id = own\n1\tCats\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\tsit\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "sub" / "b.conllu").write_text(second)
    (tmp_path / "notes.txt").write_text("no treebank")
    whole = treevote.read(tmp_path)
    assert treevote.dumps(whole) == treevote.dumps(treevote.read([tmp_path / "a.conllu", tmp_path / "sub/b.conllu"]))
    assert whole.documents == ["a", "own", "own"]
    assert treevote.dumps(whole) == first.replace("\n# sent_id", "\n# newdoc id = a\n# sent_id") + "\n\n" + second
    assert (whole[0].sent_id, whole[0].text, whole[1].text) == ("a", "Dogs bark.", "Cats")
    assert repr(whole[0]) == "<Sentence 'a': 2 tokens, 'Dogs bark.'>"
    assert treevote.loads(treevote.dumps(whole)).documents == whole.documents
    (tmp_path / "c.conll").write_text("1\tSo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.warns(treevote.TreevoteWarning, match=r"c\.conll: files of different formats; comments"):
        assert treevote.read([tmp_path / "sub/b.conllu", tmp_path / "c.conll"]).n_sentences == 3
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"expected files with the suffix \.conllu, \.conllx, \.conll, found none"):
        treevote.read(tmp_path / "empty")


def test_heads_and_dependents_of_tokens_are_those_of_the_tree() -> None:
    for sentence in TEST:
        for token in sentence.tokens:
            head = token.head
            assert head is not None
            assert head.id == sentence.heads[token.id]
            assert token in [*head.dependents]
            assert (token.form, token.upos, token.deprel) == (
                sentence.words[token.id].form,
                sentence.words[token.id].upos,
                sentence.deprels[token.id],
            )


def test_a_table_without_pandas_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(treevote.ConfigError, match="need pandas"):
        TEST.to_frame()


def test_words_are_made_of_several_things() -> None:
    assert from_tokens([["a", ("b", "X"), Word("c", "_", "_", "_", "_")]])[0].words[2].upos == "X"


def test_public_names_exist() -> None:
    code = "import treevote; [getattr(treevote, name) for name in treevote.__all__]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_half_done_trees_are_learned_from_as_by_the_command(tmp_path: Path) -> None:
    lines = treevote.dumps(TRAIN).split("\n")
    lines[0] = "\t".join([*lines[0].split("\t")[:6], *"____"])
    (half := tmp_path / "half.conllu").write_text("\n".join(lines), "utf-8")
    with pytest.warns(UserWarning, match="1 word has no head, in 1 of 40 sentences"):
        parser = treevote.train(half, members=MEMBERS, folds=0)
    run("train", half, "-o", tmp_path / "model", "--members", ",".join(MEMBERS), "--folds", 0)
    assert trees(parser.parse(TEST)) == trees(treevote.load(tmp_path / "model").parse(TEST))
    with pytest.raises(InputError, match=r"half\.conllu, line 1, sentence 1: expected a HEAD"):
        treevote.train(TRAIN, half, members=MEMBERS)


def test_one_path_is_a_list_of_one(model: Path, tmp_path: Path) -> None:
    treevote.write(TEST, text := tmp_path / "text.conllu")
    treevote.parse_files(model, text, tmp_path / "one.conllu")
    treevote.parse_folder(model, str(text), tmp_path / "folder")
    assert (tmp_path / "one.conllu").read_bytes() == (tmp_path / "folder" / "text.conllu").read_bytes()


@pytest.mark.parametrize("choice", [{"tags": "nope"}, {"keep": "head"}, {"chunk": 0}, {"chunk": 2.5}])
def test_what_is_no_choice_is_refused(choice: dict[str, Any], model: Path) -> None:
    with pytest.raises(treevote.ConfigError, match=r"unknown|should be at least 1, found 0|a whole number, found 2.5"):
        treevote.parse(model, TEST, **choice)


class OfBytes(os.PathLike[bytes]):
    """A path in bytes."""

    def __fspath__(self) -> bytes:
        return b"one.conllu"


def test_arguments_that_make_no_sense_are_told(model: Path, tmp_path: Path) -> None:
    toy, parser, one = toy_treebank(30, seed=0), load(model), tmp_path / "one.conllu"
    treevote.write(toy, one)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: parse_files(model, [], tmp_path / "out"), "expected files to parse, found none"),
        (lambda: treevote.parse_folder(model, [], tmp_path / "out"), "expected files to parse, found none"),
        (lambda: treevote.doctor([]), "expected files to look at, found none"),
        (lambda: treevote.doctor(None), "expected a path, found None"),  # type: ignore[arg-type]
        (lambda: treevote.doctor([one, 3]), "expected a path, found 3"),  # type: ignore[list-item]
        (lambda: treevote.doctor(toy, least=float("nan")), "least: expected a number, found nan"),
        (lambda: treevote.doctor(toy, least=2), "least should be in 0..1, found 2"),
        (lambda: treevote.doctor(toy, least="x"), "least: expected a number, found 'x'"),  # type: ignore[arg-type]
        (
            lambda: treevote.doctor(toy, members="pipeline"),
            "members: expected an array, each a string, found 'pipeline'",
        ),
        (lambda: treevote.parse_strings(model, "dogs bark"), "expected texts, found str"),
        (lambda: treevote.parse_strings(model, b"dogs bark"), "expected texts, found bytes"),
        (lambda: treevote.parse_strings(model, None), "expected texts, found NoneType"),  # type: ignore[arg-type]
        (lambda: treevote.save(next(iter(parser.members.values())), tmp_path / "out"), "expected an ensemble to save"),  # type: ignore[arg-type]
        (lambda: treevote.doctor(b"one.conllu"), "expected a path, found b'one.conllu'"),  # type: ignore[arg-type]
        (lambda: treevote.parse(parser, toy, member=3), "unknown member '3'"),  # type: ignore[arg-type]
        (lambda: treevote.parse(model, toy, member=3), "member: expected a string, found 3"),  # type: ignore[arg-type]
        (lambda: parse_files(model, one, tmp_path / "out", member=["a"]), "member: expected a string, found ['a']"),  # type: ignore[arg-type]
        (lambda: treevote.load(OfBytes()), "expected the folder of a model or the name of an installed one, found <"),  # type: ignore[arg-type]
        (lambda: treevote.parse(model, OfBytes()), "expected a path, found <"),  # type: ignore[arg-type]
        (lambda: treevote.parse(model, [toy[0].words]), "expected a token, found Word"),
        (lambda: treevote.vote_files([one, one], tmp_path / "out", roots="ONE"), "unknown roots 'ONE'"),  # type: ignore[arg-type]
        (lambda: treevote.vote([toy], single_root=True, given="all"), "given: expected Given, found str"),  # type: ignore[arg-type]
        (lambda: parser.combine({}), "expected a parse of each member, found none of "),
        (lambda: treevote.Weights.equal(2.5), "k: expected a whole number, found 2.5"),  # type: ignore[arg-type]
        (lambda: treevote.Weights.from_json(None), "the weights of the vote are damaged"),  # type: ignore[arg-type]
        (lambda: treevote.TransitionTrainer().train(toy, seed=-1), "seed should be at least 0, found -1"),
        (lambda: treevote.EnsembleTrainer({"a": treevote.TransitionTrainer}), "members: expected trainers by name"),  # type: ignore[dict-item]
        (lambda: treevote.EnsembleTrainer({"a": treevote.EnsembleTrainer()}), "members: expected trainers by name"),
        (lambda: treevote.EnsembleTrainer({1: treevote.TransitionTrainer()}), "a member cannot be called 1; give it"),  # type: ignore[dict-item]
        (lambda: treevote.parse_folder(model, one, tmp_path / "out", suffix=3), "suffix: expected a string, found 3"),  # type: ignore[arg-type]
        (lambda: parse_files(model, one, tmp_path / "out", id_prefix=3), "id_prefix: expected a string, found 3"),  # type: ignore[arg-type]
    ]
    for call, said in cases:
        with pytest.raises(TreevoteError, match=re.escape(said)):
            call()
        assert not (tmp_path / "out").exists()


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    toy = toy_treebank(30, seed=0)
    options: dict[str, Any] = {"members": ["lr-svm-forward"], "folds": np.int32(2), "seed": np.int64(3)}
    assert treevote.TransitionTrainer(margin=np.float32(1.5)).margin == 1.5  # type: ignore[arg-type]
    treevote.train(toy, output=tmp_path / "model", **options)
    assert load(tmp_path / "model").facts["seed"] == 3
