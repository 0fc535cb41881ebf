"""Arguments of a wrong kind: what is no path, no model and no treebank is refused by name wherever one is taken."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import treevote
from tests.test_api import MEMBERS, TEST, TRAIN
from treevote import InputError, Treebank


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kinds") / "model"
    treevote.train(TRAIN, output=path, members=MEMBERS)
    return path


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: treevote.read(None), "expected a path, found NoneType"),  # type: ignore[arg-type]
        (lambda: treevote.read(b"1\ta"), "expected a path, found bytes; .* a text to treevote.loads"),  # type: ignore[arg-type]
        (lambda: treevote.read(iter([TRAIN])), "expected a path, found list_iterator"),  # type: ignore[arg-type]
        (lambda: treevote.loads(b"1\ta"), "expected a text, found bytes; decode it first"),  # type: ignore[arg-type]
        (lambda: treevote.vote(None, single_root=True), "expected a treebank, found NoneType"),  # type: ignore[arg-type]
        (lambda: Treebank.concatenate(None), "expected a treebank, found NoneType"),  # type: ignore[arg-type]
        (lambda: Treebank.of(None), r"expected sentences of three lists each .*, found None"),  # type: ignore[arg-type]
        (lambda: Treebank.of([None]), r"expected sentences of three lists each .*, found \[None"),  # type: ignore[list-item]
        (lambda: treevote.write(None, "-"), "expected a treebank, found NoneType"),  # type: ignore[arg-type]
        (lambda: treevote.write(TEST[0], "-"), "expected a treebank, found tuple; .* one sentence is treebank"),  # type: ignore[arg-type]
    ],
)
def test_something_else_is_named_by_its_type(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_a_closed_file_is_refused_wherever_data_are_taken(model: Path) -> None:
    with io.BytesIO() as file:
        pass
    calls: list[Callable[[Any], object]] = [treevote.read, treevote.train, partial(treevote.parse, model)]
    for call, said in zip(calls, ("an open file, found a closed one", "paths, found BytesIO;", "found <"), strict=True):
        with pytest.raises(InputError, match=said):
            call(file)


@pytest.mark.parametrize("members", [None, ["forward"], {"forward": 5}])
def test_members_are_trainers_by_name(members: Any) -> None:
    with pytest.raises(treevote.ConfigError, match=r"members: expected trainers by name, found .*; give them as in"):
        treevote.EnsembleTrainer(members)


@pytest.mark.parametrize("size", ["x", 0, 1.5])
def test_the_size_of_a_chunk_or_task_is_a_positive_whole_number(size: Any, model: Path, tmp_path: Path) -> None:
    with pytest.raises(treevote.ConfigError, match="chunk_bytes"):
        treevote.parse_files(model, tmp_path, tmp_path / "out", chunk_bytes=size)
    with pytest.raises(treevote.ConfigError, match="task_bytes"):
        treevote.parse_folder(model, tmp_path, tmp_path / "out", task_bytes=size)


@pytest.mark.parametrize("encoding", [None, 5, b"utf-8"])
def test_an_encoding_is_a_name(encoding: Any, model: Path, tmp_path: Path) -> None:
    treevote.write(TEST, tmp_path / "a.conllu")
    calls: list[Callable[..., object]] = [
        partial(treevote.read, tmp_path / "a.conllu"),
        partial(treevote.parse_files, model, tmp_path / "a.conllu", tmp_path / "out"),
        partial(treevote.parse_folder, model, tmp_path / "a.conllu", tmp_path / "out"),
    ]
    for call in calls:
        with pytest.raises(treevote.ConfigError, match=r"the encoding .* is unknown; name one such as"):
            call(encoding=encoding)


def test_what_can_be_no_path_is_refused_wherever_a_path_is_taken(model: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.conllu", "b.conllu")]
    for file in files:
        treevote.write(TEST, file)
    calls: list[Callable[[Any], object]] = [
        treevote.read,
        lambda path: treevote.evaluate(TEST, path),
        lambda path: treevote.write(TEST, path),
        lambda path: treevote.parse(model, TEST, output=path),
        lambda path: treevote.parse_files(model, path, tmp_path / "out"),
        lambda path: treevote.parse_files(model, files, path),
        lambda path: treevote.parse_folder(model, path, tmp_path / "out"),
        lambda path: treevote.parse_folder(model, files, path),
        lambda path: treevote.vote_files([path, files[0]], tmp_path / "out"),
        lambda path: treevote.vote_files(files, path),
        lambda path: treevote.vote_files(files, tmp_path / "out", keep=path),
        lambda path: treevote.save(treevote.load(model), path),
        lambda path: treevote.train(path),
        lambda path: treevote.train(TEST, path),
        *(partial(_trained_with, name) for name in ("output", "config", "clusters")),
        lambda path: treevote.adapt(model, path, tmp_path / "out", train=files),
        lambda path: treevote.adapt(model, files, tmp_path / "out", train=path),
        lambda path: treevote.adapt(model, files, tmp_path / "out", train=files, clusters=path),
    ]
    for call in calls:
        for path in (5, "", "a\0b", Path("a\0b"), "a\ud800"):
            with pytest.raises(InputError, match=r"expected a (path|Treebank or a path|treebank or paths), found"):
                call(path)
    assert not (tmp_path / "out").exists()


def _trained_with(name: str, path: Any) -> object:
    options: dict[str, Any] = {name: path}
    return treevote.train(TEST, members=["lr-svm-forward"], **options)


def test_what_can_be_no_model_is_refused_wherever_a_model_is_taken(model: Path, tmp_path: Path) -> None:
    treevote.write(TEST, tmp_path / "a.conllu")
    file, out = tmp_path / "a.conllu", tmp_path / "out"
    calls: list[Callable[[Any], object]] = [
        treevote.load,
        lambda model: treevote.parse_files(model, file, out),
        lambda model: treevote.parse_folder(model, [file], out),
        lambda model: treevote.parse_strings(model, []),
        lambda model: treevote.adapt(model, file, out, train=file),
    ]
    for call in calls:
        for other in (None, treevote.load(model), "", "a\0b", "a\ud800"):
            with pytest.raises(
                treevote.ModelError, match=r"expected the folder of a model .*, found .*; a parser in memory is"
            ):
                call(other)


def test_what_is_no_treebank_is_refused_wherever_one_is_taken(model: Path) -> None:
    parser, trainer = treevote.load(model), treevote.TransitionTrainer()
    member = next(iter(parser.members.values()))
    calls: list[Callable[[Any], object]] = [
        treevote.dumps,
        treevote.to_tokenlists,
        parser.parse,
        member.parse,
        trainer.train,
        treevote.EnsembleTrainer().train,
        lambda other: treevote.EnsembleTrainer().train(TEST, other),
        lambda other: treevote.write([other], "-"),
        lambda other: treevote.vote([other], single_root=True),
        lambda other: treevote.vote([TEST, other], single_root=True),
        lambda other: treevote.Weights.by_agreement([TEST, other]),
        lambda other: Treebank.concatenate([TEST, other]),
    ]
    for call in calls:
        for other in ("a.conllu", TEST[0], [TEST]):
            with pytest.raises(InputError, match=rf"expected a treebank, found {type(other).__name__}; "):
                call(other)
