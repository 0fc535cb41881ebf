"""Sentences in memory are parsed part by part, and it does not show."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.reference.toy_grammar import toy_treebank
from treevote import dumps, parse_files, parse_folder
from treevote.batch.joint import ParseJob
from treevote.batch.parsing import parse_sentences, stored_parser
from treevote.conll.chunks import Chunk
from treevote.corpus.given import Keep
from treevote.ensemble import stored as storing
from treevote.ensemble.familiarity import TextCounts
from treevote.ensemble.parser import load, save
from treevote.ensemble.stored import StoredParser
from treevote.errors import ModelError
from treevote.parallel import Jobs


def test_a_model_may_be_replaced_while_it_is_loaded_by_its_path(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, path = load(model), tmp_path / "model"
    new = dataclasses.replace(old, facts={**old.facts, "licence": "new"})
    save(old, path)

    def replaced(folder: str) -> object:
        monkeypatch.setattr(storing, "load", load)
        save(new, folder)
        return load(folder)

    monkeypatch.setattr(storing, "load", replaced)
    assert stored_parser(path, None)().facts["licence"] == "new"
    (tmp_path / "in.conllu").write_text("1\ta\t_\tN" + "\t_" * 6 + "\n\n")
    calls: list[Callable[..., object]] = [parse_files, parse_folder]
    for n, call in enumerate(calls):
        save(old, path)
        with monkeypatch.context() as patched:
            patched.setattr(storing, "load", replaced)
            call(path, tmp_path / "in.conllu", tmp_path / f"out{n}")
    assert stored_parser(path, np.str_("lr-svm-forward"))().members
    (path / "manifest.json").write_text("")
    with pytest.raises(ModelError, match="manifest"):
        stored_parser(path, None)


@pytest.mark.parametrize("keep", [None, "labels", "heads", "all"])
@pytest.mark.parametrize(("n", "ends"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4, 5]), (4, [4, 5]), (5, [])])
def test_no_result_depends_on_the_number_of_sentences_at_a_time(
    model: Path, keep: Keep | None, n: int, ends: list[int]
) -> None:
    parser, gold = load(model), toy_treebank(5, seed=3)
    some = np.where(np.arange(len(gold.heads)) % 3, -1, gold.heads)
    given = gold if keep is None else gold.with_trees(some, np.where(some < 0, -1, gold.deprels), gold.labels)
    told: list[tuple[str, int, int]] = []
    jobs = Jobs(progress=lambda *step: told.append(step))
    whole, cut = parse_sentences(parser, given, keep=keep)
    parts, cut_by_parts = parse_sentences(parser, given, keep=keep, n=n, jobs=jobs)
    assert dumps(parts) == dumps(whole)
    assert {name: mark.tolist() for name, mark in parts.marks.items()} == {
        name: mark.tolist() for name, mark in whole.marks.items()
    }
    assert cut_by_parts == cut
    assert told == [("parsing", end, 5) for end in ends]


@pytest.mark.parametrize("n", [1, 3])
def test_texts_that_are_not_compared_have_the_same_parses_and_no_counts(model: Path, n: int) -> None:
    inputs = [Chunk("", 1, 1, dumps(toy_treebank(2, seed)).encode(), "conllu") for seed in range(n)]
    found = ParseJob(StoredParser.of(model), compare=False)(inputs)
    assert [each.text for each in found] == [each.text for each in ParseJob(StoredParser.of(model))(inputs)]
    assert [(each.doubt, each.text_counts) for each in found] == [(None, TextCounts())] * n
