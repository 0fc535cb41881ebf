"""Adaptation: what was killed goes on, jobs and chunks do not matter, trees of the text are never read."""

from __future__ import annotations

import dataclasses
import functools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from tests.reference.toy_grammar import toy_treebank
from tests.values import settable
from treevote.adaptation import measuring
from treevote.adaptation.adapt import Adaptation, AdaptationResult
from treevote.adaptation.annotation import _parsed, annotate
from treevote.adaptation.data import Data
from treevote.adaptation.guard import Guard
from treevote.adaptation.scheme import InstanceSelection, Scheme
from treevote.adaptation.silver import write_silver
from treevote.conll.reader import read
from treevote.conll.writer import dumps, write
from treevote.corpus.treebank import Treebank
from treevote.ensemble import streaming
from treevote.ensemble.parser import EnsembleParser, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import ConfigError, InputError
from treevote.models.parsers.transition.parser import TransitionTrainer
from treevote.parallel import ONE_JOB, Jobs, cluster
from treevote.store.checkpoints import checkpoints

SMALL = TransitionTrainer(templates=("s0.upos", "s1.upos", "s0.form", "s0.upos+s1.upos", "q0.upos"), cutoff=1)
TRAINERS = {"forward": SMALL, "backward": dataclasses.replace(SMALL, direction="backward", search="greedy")}
SOURCE, DEV, TEXT = toy_treebank(40, 1), toy_treebank(20, 2), toy_treebank(120, 3)
SCHEME = Scheme(committee=("forward", "backward"), rounds=2, stopping_threshold=0.0)
LENIENT = Guard(source_margin=100, target_margin=100, estimate_margin=100, min_estimate=0, min_bigram_information=-1000)


@functools.cache
def before() -> EnsembleParser:
    """Return the model that is adapted."""
    return EnsembleTrainer(TRAINERS, "equal").train(SOURCE, DEV)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the finished steps of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    write(TEXT, folder / "text.conllu")
    run(folder / "text.conllu", folder / "work")
    return folder / "work"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.conllu"
    write(TEXT, path)
    return path


def run(
    text: Path,
    folder: Path,
    *,
    scheme: Scheme = SCHEME,
    guard: Guard = LENIENT,
    chunk_bytes: int = 2000,
    jobs: Jobs = ONE_JOB,
) -> AdaptationResult:
    data = Data(SOURCE, [text], DEV)
    with mock.patch.object(streaming, "CHUNK_BYTES", chunk_bytes), checkpoints(folder, {}) as steps:
        return Adaptation(before(), data, steps, scheme=scheme, guard=guard, seed=0, convention="ud", jobs=jobs).run()


def added(adapted: AdaptationResult) -> Path:
    """Return the file of the sentences that were added."""
    assert adapted.silver is not None
    return adapted.silver


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("jobs", [Jobs(2), Jobs(2, "threading")])
def test_jobs_do_not_matter(jobs: Jobs, text: Path, whole: Path, tmp_path: Path) -> None:
    run(text, tmp_path / "work", jobs=jobs)
    assert content(tmp_path / "work") == content(whole)


def test_annotation_is_told_in_bytes_of_all_files_as_they_stand_on_disk(whole: Path, tmp_path: Path) -> None:
    texts = [tmp_path / "text.conllu", tmp_path / "text.conllu.gz"]
    for path in texts:
        write(TEXT, path)
    heard: list[tuple[str, int, int]] = []
    (tmp_path / "chunks").mkdir()
    jobs = Jobs(progress=lambda *message: heard.append(message))
    with mock.patch.object(streaming, "CHUNK_BYTES", 2000):
        annotate(whole / "round-1.committee", Data(SOURCE, texts), tmp_path / "chunks", jobs=jobs)
    size = sum(path.stat().st_size for path in texts)
    assert len(heard) > 2
    assert heard == sorted(heard)
    assert heard[-1] == ("annotation", size, size)


@pytest.mark.parametrize("file", ["chunk-000000.npy", "chunk-000000.conllu"])
@pytest.mark.parametrize("change", [None, *(lambda old, n=n: old[:n] for n in (0, 9, 140, 300)), bytes.swapcase])
def test_a_damaged_chunk_is_annotated_again(
    file: str, change: Callable[[bytes], bytes] | None, whole: Path, tmp_path: Path
) -> None:
    write(TEXT, tmp_path / "text.conllu")
    (tmp_path / "chunks").mkdir()
    data, damaged = Data(SOURCE, [tmp_path / "text.conllu"]), tmp_path / "chunks" / file
    annotate(whole / "round-1.committee", data, tmp_path / "chunks")
    before = content(tmp_path / "chunks")
    if change is None:
        damaged.unlink()
    else:
        damaged.write_bytes(change(damaged.read_bytes()))
    annotate(whole / "round-1.committee", data, tmp_path / "chunks")
    assert content(tmp_path / "chunks") == before


@pytest.mark.parametrize("size", [None, 0, 200])
def test_damaged_silver_is_written_again(size: int | None, text: Path, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "work")
    silver = tmp_path / "work" / "round-1.silver.conllu"
    shutil.rmtree(tmp_path / "work" / "adapted")
    if size is None:
        silver.unlink()
    else:
        silver.write_bytes(silver.read_bytes()[:size])
    run(text, tmp_path / "work")
    assert content(tmp_path / "work") == content(whole)


def test_what_is_added_keeps_its_comments(tmp_path: Path) -> None:
    lines = dumps(TEXT).split("\n\n")[:-1]
    text, crlf = "".join(f"# sent_id = {i}\n# source = a\n{block}\n\n" for i, block in enumerate(lines)), tmp_path / "b"
    (tmp_path / "a").write_text("\ufeff" + text, "utf-8")
    crlf.write_bytes(text.replace("\n", "\r\n").encode())
    silver = [added(run(path, tmp_path / f"{path.name}.work")).read_text("utf-8") for path in (tmp_path / "a", crlf)]
    assert silver[0] == silver[1].replace("# source = b, sentence", "# source = a, sentence")
    blocks = silver[0].split("\n\n")[:-1]
    assert len(blocks) > 10
    for block in blocks:
        number = int(block.split(", sentence ")[1].split("\n")[0])
        assert f"\n# sent_id = {number - 1}\n# source = a\n1\t" in block


def test_the_length_of_chunks_does_not_matter(text: Path, tmp_path: Path) -> None:
    one, two = run(text, tmp_path / "one", chunk_bytes=500), run(text, tmp_path / "two", chunk_bytes=10**6)
    assert added(one).read_bytes() == added(two).read_bytes()
    assert one.report == two.report


class KilledError(Exception):
    pass


class Mortal:
    """Functions that are killed after some calls of them together."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise KilledError
            return function(*arguments, **keywords)

        return call


@pytest.mark.parametrize("step", [0, 1, 3, 7, 8, 15])
def test_what_was_killed_goes_on_and_ends_in_the_same_bytes(
    step: int, text: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mortal = Mortal(step)
    with monkeypatch.context() as patch:
        patch.setattr("treevote.adaptation.annotation._parsed", mortal(_parsed))
        patch.setattr("treevote.adaptation.adapt.save", mortal(save))
        patch.setattr("treevote.adaptation.adapt.write_silver", mortal(write_silver))
        with pytest.raises(KilledError):
            run(text, tmp_path / "killed")
    run(text, tmp_path / "killed")
    assert content(tmp_path / "killed") == content(whole)


def test_trees_of_the_text_are_never_read(text: Path, tmp_path: Path) -> None:
    lines = text.read_text("utf-8").replace("\tnsubj\t", "\tobj\t").split("\n")
    (tmp_path / "text").mkdir()
    other = tmp_path / "text" / "text.conllu"
    other.write_text("\n".join(lines), "utf-8")
    assert added(run(text, tmp_path / "one")).read_bytes() == added(run(other, tmp_path / "two")).read_bytes()


def test_every_sentence_added_says_its_round_and_why(text: Path, tmp_path: Path) -> None:
    scheme = dataclasses.replace(SCHEME, rounds=1, selection=InstanceSelection(0.5))
    adapted = run(text, tmp_path / "work", scheme=scheme)
    silver = read(added(adapted))
    assert silver.source is not None
    comments = [line for line in silver.source.lines if line.startswith("#")]
    reasons = [line for line in comments if line.startswith("# reason = ")]
    assert len(reasons) == silver.n_sentences
    assert any("the committee agrees on" in line for line in reasons)
    assert any(line == "# reason = the committee agrees" for line in reasons)
    assert sum(line in ("# round = 1", "# round = 2") for line in comments) == silver.n_sentences
    rounds: Any = adapted.report["rounds"]
    assert rounds[-1]["sentences"] == silver.n_sentences
    assert rounds[0]["new"] == rounds[0]["share_of_tokens"]


def test_sentences_for_the_estimate_are_never_learned_from(text: Path, tmp_path: Path) -> None:
    adapted = run(text, tmp_path / "work", scheme=dataclasses.replace(SCHEME, selection=InstanceSelection(0.0)))
    numbers = [
        int(line.rpartition(" ")[2]) - 1
        for line in added(adapted).read_text("utf-8").split("\n")
        if line.startswith("# source = ")
    ]
    assert sorted(numbers) == [i for i in range(TEXT.n_sentences) if i % measuring.HELD_OUT != measuring.HELD_OUT - 1]


def test_an_external_parser_joins_the_committee(text: Path, tmp_path: Path) -> None:
    wrong = TEXT.with_trees(
        np.where(
            TEXT.is_token,
            np.maximum(0, np.arange(len(TEXT.heads)) - np.repeat(TEXT.offsets[:-1], np.diff(TEXT.offsets)) - 1),
            -1,
        ).astype(np.int32),
        TEXT.deprels,
        TEXT.labels,
    )
    write(wrong, tmp_path / "chain.conllu")
    data = Data(SOURCE, [text], DEV, external=[tmp_path / "chain.conllu"], names=["news.txt"])

    def attempt(data: Data, folder: Path) -> AdaptationResult:
        settings: dict[str, Any] = {"guard": LENIENT, "seed": 0, "convention": "ud"}
        with mock.patch.object(streaming, "CHUNK_BYTES", 2000), checkpoints(folder, {}) as steps:
            return Adaptation(before(), data, steps, scheme=SCHEME, **settings).run()

    with pytest.raises(InputError, match=r"^news\.txt: expected sentences on which the committee agrees"):
        attempt(data, tmp_path / "a")
    write(TEXT, tmp_path / "gold.conllu")
    gold = dataclasses.replace(data, external=[tmp_path / "gold.conllu"])
    adapted = attempt(gold, tmp_path / "b")
    assert read(added(adapted)).n_sentences > 0
    write(TEXT.select(range(7)), tmp_path / "short.conllu")
    write(Treebank.concatenate([TEXT, TEXT]), tmp_path / "long.conllu")
    long = dataclasses.replace(data, external=[tmp_path / "long.conllu"])
    with pytest.raises(InputError, match="found 120 more"):
        attempt(long, tmp_path / "d")
    short = dataclasses.replace(data, external=[tmp_path / "short.conllu"])
    with pytest.raises(InputError, match="expected a parse of every sentence, found parses of 7"):
        attempt(short, tmp_path / "c")


def test_the_guard_is_given_exact_scores(text: Path) -> None:
    data = Data(SOURCE, [text], DEV, DEV.select(range(7)))
    found = measuring.measure(before(), data, data, None, "ud")
    assert (found.las.source, found.las.target) == tuple(map(measuring.las_of, found.scores.values()))
    assert found.las.target != found.las.shown["target"]


def test_a_text_that_is_not_fit_is_not_learned_from(text: Path, tmp_path: Path) -> None:
    shuffled = Treebank.of(
        [(s.words[:0:-1], [0] * (len(s.words) - 1), ["x"] * (len(s.words) - 1)) for s in TEXT.sentences()]
    )
    path = tmp_path / "shuffled.conllu"
    write(shuffled, path)
    adapted = run(path, tmp_path / "work", guard=Guard(min_estimate=99.9))
    assert adapted.parser is before()
    assert "do not follow each other" in adapted.reasons[0]
    assert "an estimate" in adapted.reasons[1]


def test_distillation_puts_the_vote_on_the_whole_text_into_one_member(text: Path, tmp_path: Path) -> None:
    scheme = dataclasses.replace(SCHEME, selection=InstanceSelection(0.0), members=("forward",))
    adapted = run(text, tmp_path / "work", scheme=scheme)
    assert list(adapted.parser.members) == ["forward"]
    assert read(added(adapted)).n_sentences == TEXT.n_sentences - TEXT.n_sentences // measuring.HELD_OUT


def test_results_with_equal_parts_are_two_results() -> None:
    assert len({AdaptationResult(before(), []), AdaptationResult(before(), [])}) == 2


def test_a_text_without_sentences_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("")
    with pytest.raises(InputError, match="expected sentences, found none"):
        run(tmp_path / "empty.conllu", tmp_path / "work")
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["plan.json"]  # before any training


def test_a_parser_is_in_the_committee_once() -> None:
    with pytest.raises(ConfigError, match="first is in the committee twice"):
        Scheme(committee=("first", "second", "first"))


@pytest.mark.slow
def test_a_cluster_does_not_matter(text: Path, whole: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**options) as local, cluster(local.scheduler_address):
        run(text, tmp_path / "work", jobs=Jobs(-1))
    assert content(tmp_path / "work") == content(whole)


def test_schemes_and_results_are_values() -> None:
    assert settable("treevote.adaptation") == {"Profile"}  # which grows with each treebank
