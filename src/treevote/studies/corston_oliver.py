"""Studies of Corston-Oliver, Aue, Duh & Ringger (2006): learning curves and Bayes Point Machines."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import DEFAULT_MEMBERS
from treevote.models.parsers.graph.parser import GraphTrainer
from treevote.studies.report import Outcome, Table, Value, outcome, rate
from treevote.studies.study import METRICS, Claim, Conditions, Context, Metric, Results, Study, better, similar

PAPER = "Corston-Oliver, Aue, Duh & Ringger 2006"

PARTS, SAMPLES = (32, 16, 8, 4, 2, 1), 5
"""Divisors of the training set; number of random samples of each size but the whole."""


def sample_of(treebank: Treebank, part: int, number: int, seed: int) -> Treebank:
    """Return a random sample of the sentences, in their order; their number is divided by ``part``, rounded down."""
    rng = np.random.default_rng([seed, part, number])
    size = treebank.n_sentences // part
    return treebank.select(np.sort(rng.choice(treebank.n_sentences, size, replace=False)))


CONDITIONS = {part: [f"1/{part} ({number})" for number in range(1, SAMPLES + 1)] for part in PARTS} | {1: ["1/1 (1)"]}
"""Names of the samples of each size."""


def _samples(context: Context) -> Conditions:
    return {
        name: (sample_of(context.training, part, number, context.seed), context.test)
        for part, names in CONDITIONS.items()
        for number, name in enumerate(names)
    }


def _curve(results: Results, system: str, metric: Metric) -> list[tuple[float, float]]:
    """Return mean and standard deviation for each part."""
    curve = []
    for part, names in CONDITIONS.items():
        scores = [results.score(system, metric, name) for name in names]
        curve.append((statistics.fmean(scores), statistics.stdev(scores) if part > 1 else math.nan))
    return curve


def _learning_curve(results: Results) -> Iterator[Table]:
    for metric in METRICS:
        curves = [_curve(results, system, metric) for system in results.systems]
        rows: list[tuple[Value, ...]] = []
        for i, (part, names) in enumerate(CONDITIONS.items()):
            samples = [results.conditions[name][0] for name in names]
            tokens = round(statistics.fmean(sample.n_tokens for sample in samples))
            figures = (rate(figure) for curve in curves for figure in curve[i])
            rows.append((f"1/{part}", samples[0].n_sentences, tokens, *figures))
        columns = (column for name in results.systems for column in (name, f"{name} ±"))
        legends = {
            "part": "share of the training set",
            "sentences": "number of sentences to train on",
            "tokens": "mean number of tokens to train on",
            "a column for each system": f"mean {metric.upper()} of {SAMPLES} random samples of that size; the whole is "
            "trained on once",
            "±": "standard deviation of the samples",
        }
        yield Table(metric.upper(), ("part", "sentences", "tokens", *columns), tuple(rows), legends=legends)


def _grows(results: Results) -> tuple[Outcome, str]:
    *_, system = results.systems  # the vote, or the only member
    means = [mean for mean, _ in _curve(results, system, "las")]
    half, whole = (results.parses[CONDITIONS[part][0]][system] for part in PARTS[-2:])
    p = results.context.p_value(half, whole, "las")
    shown = ", ".join(f"{mean:.2f}" for mean in means)
    evidence = f"LAS of {system} from 1/{PARTS[0]} to the whole: {shown} ({p} for the last doubling)"
    return outcome(all(one < other for one, other in itertools.pairwise(means)), p.p), evidence


learning_curve = Study(
    "accuracy over training sizes (Corston-Oliver et al. 2006, Figure 2)",
    PAPER,
    _learning_curve,
    (Claim("Accuracy grows with every doubling of the training set", "Figure 2, a graph without figures", _grows),),
    members=DEFAULT_MEMBERS,
    votes={"vote": ()},
    conditions=_samples,
    fewest_sentences=2 * PARTS[0],
)

PERCEPTRONS, MACHINE = tuple(f"perceptron {number}" for number in range(1, 6)), "Bayes Point Machine"
"""Parsers like the parts of the machine, which differ in the order of the sentences alone; and the machine."""

MEASURES = {
    "dependency accuracy": ("uas", "percent of the tokens with the right head, UAS"),
    "root accuracy": ("root_accuracy", "F1 of the tokens on ROOT"),
    "complete match": ("complete", "percent of the sentences with all heads right"),
}
"""Metrics of section 6, the properties of `treevote.evaluation.counts.Counts`, and their legends."""


def _bpm(results: Results) -> list[Table]:
    scores = {}
    for name, parse in results.systems.items():
        counts = [results.context.counts(parse, punctuation=punctuation) for punctuation in (True, False)]
        scores[name] = [getattr(own, attribute) for own in counts for attribute, _ in MEASURES.values()]
    rows: list[tuple[Value, ...]] = [(name, *map(rate, own)) for name, own in scores.items()]
    means = [statistics.fmean(column) for column in zip(*(scores[name] for name in PERCEPTRONS), strict=True)]
    rows.insert(len(PERCEPTRONS), ("mean of the perceptrons", *map(rate, means)))
    note = "The first perceptron is also the first of the Bayes Point Machine."
    legends = {metric: legend for metric, (_, legend) in MEASURES.items()}
    legends |= {f"{metric}, no punctuation": "the same without punctuation" for metric in MEASURES}
    return [Table("First-order graph-based parsers", ("", *legends), tuple(rows), note=note, legends=legends)]


bpm = Study(
    "a Bayes Point Machine against its perceptrons (Corston-Oliver et al. 2006, Table 4)",
    PAPER,
    _bpm,
    (
        Claim(
            "A Bayes Point Machine is better than the best perceptron that contributes to it",
            "Table 4",
            better("uas", MACHINE, *PERCEPTRONS),
        ),
        Claim(
            "Neither MIRA nor the Bayes Point Machine clearly outperforms the other",
            "section 6",
            similar("uas", MACHINE, "MIRA"),
        ),
    ),
    systems={
        **{name: GraphTrainer(learner="perceptron", order=1) for name in PERCEPTRONS},
        MACHINE: GraphTrainer(learner="bpm", order=1, n_perceptrons=len(PERCEPTRONS)),
        "MIRA": GraphTrainer(learner="mira", order=1),
    },
    seeds={name: number for number, name in enumerate(PERCEPTRONS)},
)
