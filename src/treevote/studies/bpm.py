"""A Bayes Point Machine against perceptrons like its parts, and MIRA (Corston-Oliver et al. 2006, Tables 3 and 4)."""

from __future__ import annotations

import statistics

from treevote.models.graph.parser import GraphTrainer
from treevote.studies.cells import Parsing, alone
from treevote.studies.learning_curve import PAPER
from treevote.studies.tables import Finding, Report, Table, Value, rate
from treevote.studies.workbench import Workbench
from treevote.treebank import Treebank

PARTS = 5
"""Perceptrons of the Bayes Point Machine, and of those that it is compared with."""

METRICS = {"dependency accuracy": "uas", "root accuracy": "root_accuracy", "complete match": "complete"}
"""Metrics of section 6, and the properties of `treevote.metrics.Counts`."""

MACHINE, MIRA = GraphTrainer(learner="bpm", order=1, parts=PARTS), GraphTrainer(learner="mira", order=1)
PERCEPTRON = GraphTrainer(learner="perceptron", order=1)

LEVEL = 0.05
"""Of significance."""


def bpm(bench: Workbench) -> Report:
    """Train a Bayes Point Machine, MIRA, and perceptrons that differ in the order of the sentences alone."""
    training, test = alone(bench.training), alone(bench.test)
    trainers = {f"perceptron {k + 1}": (PERCEPTRON, bench.seed + k) for k in range(PARTS)}
    trainers |= {"Bayes Point Machine": (MACHINE, bench.seed), "MIRA": (MIRA, bench.seed)}
    cells = [Parsing(name, trainer, training, test, seed) for name, (trainer, seed) in trainers.items()]
    parses = dict(zip(trainers, bench.run(cells), strict=True))
    single = [name for name in parses if name.startswith("perceptron")]
    scores = {name: _scores(bench, parse) for name, parse in parses.items()}
    rows: list[tuple[Value, ...]] = [(name, *map(rate, own)) for name, own in scores.items()]
    means = [statistics.fmean(column) for column in zip(*(scores[name] for name in single), strict=True)]
    rows.insert(PARTS, ("mean of the perceptrons", *map(rate, means)))
    uas = {name: bench.counts(parse).uas for name, parse in parses.items()}
    best = max(single, key=lambda name: uas[name])
    to_best = bench.p_value(parses["Bayes Point Machine"], parses[best], "heads")
    to_mira = bench.p_value(parses["Bayes Point Machine"], parses["MIRA"], "heads")
    columns = (*METRICS, *(f"{metric}, no punctuation" for metric in METRICS))
    return Report(
        (
            Table(
                "First-order graph-based parsers",
                ("", *columns),
                tuple(rows),
                note="The first perceptron is also the first of the Bayes Point Machine. Root accuracy is F1.",
            ),
        ),
        (
            Finding(
                f"A Bayes Point Machine is better than the best perceptron that contributes to it ({PAPER}, Table 4).",
                uas["Bayes Point Machine"] > uas[best],
                f"{uas['Bayes Point Machine']:.2f} UAS, {best} {uas[best]:.2f} (p = {to_best:.4f})",
            ),
            Finding(
                f"Neither MIRA nor the Bayes Point Machine clearly outperforms the other ({PAPER}, section 6).",
                to_mira > LEVEL,
                f"{uas['Bayes Point Machine']:.2f} UAS, MIRA {uas['MIRA']:.2f} (p = {to_mira:.4f})",
            ),
        ),
    )


def _scores(bench: Workbench, parse: Treebank) -> list[float]:
    """Return the metrics with and without punctuation."""
    counts = [bench.counts(parse, punctuation=punctuation) for punctuation in (True, False)]
    return [getattr(own, attribute) for own in counts for attribute in METRICS.values()]
