"""Invented evaluations, of which the pages of the tests are made."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.evaluation import results
from treevote.evaluation.parses import Parses, SentenceTrees
from treevote.evaluation.results import (
    Breakdown,
    Cell,
    Comparison,
    Confusion,
    ConfusionCell,
    Disagreement,
    Evaluation,
    Example,
    Finding,
    Group,
    Metric,
    Rate,
    SentenceScore,
    System,
)

HOSTILE = "<script>alert(1)</script>&\"'\x1b\u202e"


def rate(value: float | None, n: int = 1000) -> Rate:
    if value is None:
        return Rate(None, None, None, "wilson", 0, 0, 0)
    return Rate(value, value - 1, min(value + 1, 100.0), "wilson", round(value * n / 100), n, n)


class Sentences(Parses):
    """Sentences of three words, of which each system has another one wrong, if they differ."""

    def __init__(self, n_systems: int, form: str, *, differing: bool = True) -> None:
        def trees(heads: Sequence[int], last: str) -> Treebank:
            return Treebank.of(
                [
                    (
                        [
                            Word(form, "_", "NOUN", "_", "_"),
                            Word(f"verb{number}", "_", "VERB", "_", "_"),
                            Word("end", "_", "NOUN", "_", "_"),
                        ],
                        heads,
                        ["nsubj", "root", last],
                    )
                    for number in range(1, 13)
                ]
            )

        gold = trees([2, 0, 2], "obj")
        super().__init__(gold, gold.is_token, "ud")
        for i in range(n_systems):
            heads = [2, 0, 2]
            if differing:
                heads[i % 3] = -1 if i % 3 == 1 else 3 - heads[i % 3]
            self.add(trees(heads, "iobj"))

    def sentence(self, number: int) -> SentenceTrees:
        found = super().sentence(number)
        return found._replace(gold=found.gold._replace(comments=[f"# sent_id = s-{number}"]))


def evaluation(names: Sequence[str] = ("out/udpipe.conllu", "out/yara.conllu"), *, name: str = "dogs") -> Evaluation:
    """An evaluation of 12 sentences; ``name`` is wherever a file may have put text."""
    k = len(names)
    metrics = (
        Metric("LAS", "Right head and label.", True),
        Metric("UAS", "Right head.", True),
        Metric("MLAS", "Nothing to count.", False),
        Metric("Words", "Perfect.", False),
    )
    examples = (Example(1, 1), Example(3, 3))
    cells = (ConfusionCell("obj", name, 40, 9, examples), ConfusionCell("obj", "obj", 60, 0, ()))
    systems = tuple(
        System(
            system,
            12,
            36,
            i != 1,
            {"LAS": rate(80.0 + i), "UAS": rate(85.0 + i), "MLAS": rate(None), "Words": rate(100.0)},
            (Finding("cycle", "Words in a circle.", 2, (3, 7)),) if i else (),
            (Confusion("deprel", "What is taken for what.", cells), Confusion("head POS", "The same.", ())),
            (SentenceScore(1, 3, 2, 1),),
        )
        for i, system in enumerate(names)
    )
    groups = tuple(
        Group(value, n, tuple(Cell(rate(90.0 - i), rate(70.0 + i + n % 7), rate(50.0), 60.0 + i) for i in range(k)))
        for value, n in ((name, 20), ("b", 100), ("a", 3))
    )
    plain = tuple(
        Group(value, n, tuple(Cell(rate(90.0), rate(80.0 - n % 9), None, None) for _ in range(k)))
        for value, n in (("1-10", 30), ("11-20", 2000), (">20", 7))
    )
    breakdowns = (
        Breakdown("deprel", "By deprel.", "arc", False, groups),
        Breakdown("sentence length in tens", "By length.", "sentence", True, plain),
        Breakdown("length", "By distance.", "arc", True, groups),
        Breakdown("document", "By document.", "sentence", False, plain * 50),
    )
    matrix = tuple(tuple(90.0 + i + j for j in range(k)) for i in range(k))
    wrong = tuple(tuple(Disagreement(5 * (i != j), examples * (i != j)) for j in range(k)) for i in range(k))
    tests = tuple(
        results.Test(metric, i, j, -1.25, -2.0, -0.5, 0.01, 0.02, 0.03, 0.6 if metric == "UAS" else 0.0004)
        for metric in ("LAS", "UAS")
        for i, j in itertools.combinations(range(k), 2)
    )
    comparison = Comparison(matrix, matrix, matrix, matrix, 97.5, 96.5, wrong, tests, 1000, 500)
    return Evaluation("ud", True, 0, name, 12, 36, 36, metrics, systems, breakdowns, comparison, Sentences(k, name))


PAGES = {
    "two systems": evaluation(),
    "one system": evaluation(["parse.conllu"]),
    "seven systems": evaluation([f"s{i}" for i in range(7)]),
    "hostile": evaluation([HOSTILE, f"{HOSTILE}2"], name=HOSTILE),
    "bare": dataclasses.replace(
        evaluation(),
        breakdowns=(),
        sentences=0,
        systems=tuple(dataclasses.replace(system, confusions=()) for system in evaluation().systems),
        parses=Sentences(2, "dogs", differing=False),
    ),
}
