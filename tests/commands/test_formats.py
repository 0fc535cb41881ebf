"""Small laws of files, numbers and names that commands and reports read and write."""

from __future__ import annotations

import pytest

from treevote import Treebank
from treevote.adaptation.configuration import read_configuration
from treevote.batch.outputs import folders_of, pairs
from treevote.batch.reading import Piece, tasks
from treevote.commands.train import with_folds
from treevote.config import to_toml
from treevote.conll.chunks import Chunk
from treevote.ensemble.configuration import described
from treevote.ensemble.parser import score_tags
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.evaluation.evaluation import evaluate_systems
from treevote.report.evaluation import as_csv, as_text
from treevote.report.page import points, rate, span, unbroken
from treevote.report.plots import Scale
from treevote.terminal import duration, plural, size, wrapped
from treevote.visibility import as_cell, as_json


def test_numbers_have_units_of_a_fitting_size() -> None:
    assert [duration(seconds) for seconds in (0.4, 75, 4000)] == ["0.4 s", "75 s", "67 min"]
    assert [size(n_bytes) for n_bytes in (648, 2_815_298)] == ["648 B", "2.8 MB"]
    assert [plural(1, "system"), plural(2077, "sentence")] == ["1 system", "2,077 sentences"]
    assert wrapped("a sentence that is too long", 12).split("\n") == ["a sentence", "that is too", "long"]


def test_numbers_of_a_page() -> None:
    assert [rate(89.126), rate(None), span(88.1, 90.2)] == ["89.13", "–", "88.10–90.20"]
    assert [points(1.234), points(-0.5), points(-0.001)] == ["+1.23", "−0.50", "0.00"]
    assert unbroken("95 % interval, p ≤ 0.01") == "95\xa0% interval, p\xa0≤\xa00.01"
    scales = [tuple(Scale.of(values)) for values in ([71.3, None, 93.8], [89.0], [100.0])]
    assert scales == [(5.0, 70.0, 95.0), (0.5, 88.5, 89.5), (0.5, 99.5, 100.0)]


@pytest.mark.parametrize(
    ("given", "suffix", "name"),
    [
        ("x/a.txt.gz", "", "a.conllu.gz"),
        ("x/A.TXT.GZ", "", "A.conllu.GZ"),
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


def test_rates_as_csv() -> None:
    gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    lines = as_csv(evaluate_systems(gold, {"mine": gold})).splitlines()
    assert lines[0] == "table,group,system,metric,value,low,high,correct,of gold,of system,p"
    assert next(line for line in lines if line.startswith("deprel,det"))[:27] == "deprel,det,mine,UAS,100.0,2"


def test_figures_as_a_table() -> None:
    gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    assert as_text(evaluate_systems(gold, {"mine": gold}, convention="conllx")).split("\n") == [
        "mine has 100.00 LAS (95 % interval 43.85 to 100.00).",
        "",
        "convention conllx     LAS     UAS      LA    root  complete",
        "mine               100.00  100.00  100.00  100.00    100.00",
    ]


def test_settings_in_a_few_words() -> None:
    maxent = {"learner": "maxent", "search": "beam", "width": 8, "templates": "rich", "cutoff": 3}
    assert described(maxent) == "learner maxent, search beam of 8, templates rich"
    mira = {"learner": "mira", "order": 2, "attributes": ["form", "lemma", "upos"]}
    assert described(mira) == "learner mira, order 2, 3 attributes"
    arcs = {"policy": "step-back", "wait_left": True, "wait_right": False}
    assert described(arcs) == "policy step-back, with wait left, without wait right"


def test_the_scheme_of_the_paper_as_toml() -> None:
    lines = ["[scheme]", 'committee = ["lr-maxent-forward", "lr-svm-backward"]', "rounds = 1"]
    assert to_toml(read_configuration(scheme="paper")).split("\n")[:3] == lines


def test_json_with_short_objects_on_a_line() -> None:
    assert as_json(["é", "\x9b31m"], width=0) == '[\n  "é",\n  "\\u009b31m"\n]'
    assert as_json({"a": {"b": 1, "c": None}}, width=40) == '{\n  "a": {"b": 1, "c": null}\n}'
    assert [as_cell(value) for value in ("=1+1", "a\tb", -1.5)] == ["'=1+1", "a␉b", -1.5]
