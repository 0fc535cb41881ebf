"""Small laws of files, numbers and names that commands and reports write."""

from __future__ import annotations

import pytest

from treevote import Treebank
from treevote.batch.outputs import folders_of, pairs
from treevote.batch.reading import Piece, tasks
from treevote.commands.evaluate import as_csv
from treevote.commands.train import with_folds
from treevote.commands.vote import one_root
from treevote.conll.chunks import Chunk
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.evaluation.evaluation import evaluate_systems
from treevote.report.page import points, rate, span
from treevote.report.scores import score_tags
from treevote.terminal import duration, plural, size, wrapped


def test_numbers_have_units_of_a_fitting_size() -> None:
    assert [duration(seconds) for seconds in (0.4, 75, 4000)] == ["0.4 s", "75 s", "67 min"]
    assert [size(n_bytes) for n_bytes in (648, 2_815_298)] == ["648 B", "2.8 MB"]
    assert [plural(1, "system"), plural(2077, "sentence")] == ["1 system", "2,077 sentences"]
    assert wrapped("a sentence that is too long", 12).split("\n") == ["a sentence", "that is too", "long"]


def test_numbers_of_a_page() -> None:
    assert [rate(89.126), rate(None), span(88.1, 90.2)] == ["89.13", "–", "88.10–90.20"]
    assert [points(1.234), points(-0.5), points(-0.001)] == ["+1.23", "−0.50", "0.00"]


@pytest.mark.parametrize(
    ("given", "suffix", "name"),
    [
        ("x/a.txt.gz", "", "a.conllu.gz"),
        ("x/a.b.txt", "", "a.b.conllu"),
        ("x.y/a.conll", "", "a.conll"),
        ("x/a.conllu.gz", ".out", "a.out"),
        ("x/a.b.conll", ".out", "a.b.out"),
        ("x.y/a", ".out", "a.out"),
    ],
)
def test_the_name_of_an_output(given: str, suffix: str, name: str) -> None:
    ((_, found),) = pairs([given], "out", suffix)[0]
    assert found == name


def test_folders_of_a_path_from_the_last_to_the_first() -> None:
    assert list(folders_of("a/b/c.conllu")) == ["a/b", "a"]


def test_pieces_are_grouped_into_tasks() -> None:
    chunk = Chunk("", 1, 1, b"1234", "conllu")
    assert [len(task) for task in tasks([Piece(file, chunk) for file in range(5)], 8)] == [2, 2, 1]


def test_default_number_of_folds() -> None:
    found = [with_folds(EnsembleTrainer(), n_sentences).folds for n_sentences in (99, 100, 2_999, 3_000)]
    assert found == [0, 3, 3, 0]


def test_tags_of_the_scores() -> None:
    folds: dict[str, object] = {"scores": {}, "folds": 3, "reading": {"tags": "gold"}}
    developed: dict[str, object] = {"scores": {}, "development": {}, "reading": {"tags": "gold"}}
    assert [score_tags(facts) for facts in ({}, folds, developed)] == [None, "gold", "predicted"]


def test_gold_trees_or_the_systems_tell_the_number_of_roots() -> None:
    one = Treebank.of([(["a", "b"], [0, 1], ["root", "x"])])
    two = Treebank.of([(["a", "b"], [0, 0], ["root", "root"])])
    assert [one_root([one, two]), one_root([two, two]), one_root([one, one], gold=two)] == [True, False, False]


def test_rates_as_csv() -> None:
    gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    lines = as_csv(evaluate_systems(gold, {"mine": gold})).splitlines()
    assert lines[0] == "table,group,system,metric,value,low,high,correct,of gold,of system,p"
    assert next(line for line in lines if line.startswith("deprel,det"))[:27] == "deprel,det,mine,UAS,100.0,2"
