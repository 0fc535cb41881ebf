"""Learning curves over training sizes (Corston-Oliver, Aue, Duh & Ringger 2006, section 6 and Figure 2)."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np

from treevote.errors import InputError
from treevote.studies.cells import Parsing, alone
from treevote.studies.tables import Finding, Report, Table, Value, rate
from treevote.studies.workbench import Workbench
from treevote.treebank import Treebank

PAPER = "Corston-Oliver, Aue, Duh & Ringger 2006"

PARTS = (32, 16, 8, 4, 2, 1)
"""The training set is divided by these."""

SAMPLES = 5
"""Random samples of each size but the whole."""


def learning_curve(bench: Workbench) -> Report:
    """Train members on samples of the training set; score them, and the vote of those that saw the same sample."""
    if bench.training.n_sentences < 2 * PARTS[0]:
        raise InputError(
            f"expected at least {2 * PARTS[0]} sentences to train on, found {bench.training.n_sentences}",
            path=bench.training.name,
            remedy="give a larger treebank",
        )
    samples = {
        (part, number): sample_of(bench.training, part, number, bench.seed)
        for part in PARTS
        for number in range(SAMPLES if part > 1 else 1)
    }
    test = alone(bench.test)
    cells = [
        Parsing(f"{name} 1/{part} ({number + 1})", trainer, alone(sample), test, bench.seed)
        for (part, number), sample in samples.items()
        for name, trainer in bench.trainers.items()
    ]
    outcomes = iter(bench.run(cells))
    systems = [*bench.members, "vote"] if len(bench.members) > 1 else list(bench.members)
    scores: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for part, _ in samples:
        parses = {name: next(outcomes) for name in bench.members}
        if len(parses) > 1:
            parses["vote"] = bench.vote(parses.values())
        for name, parse in parses.items():
            counts = bench.counts(parse)
            scores.setdefault((part, name), []).append((counts.las, counts.uas))

    tables, means = [], {}
    for index, metric in enumerate(("LAS", "UAS")):
        rows: list[tuple[Value, ...]] = []
        for part in PARTS:
            sizes = [sample for (own, _), sample in samples.items() if own == part]
            row: list[Value] = [f"1/{part}", sizes[0].n_sentences, _mean_tokens(sizes)]
            for name in systems:
                figures = [pair[index] for pair in scores[part, name]]
                means[metric, part, name] = statistics.fmean(figures)
                row += [rate(means[metric, part, name]), rate(_deviation(figures))]
            rows.append(tuple(row))
        columns = itertools.chain.from_iterable((name, f"{name} ±") for name in systems)
        note = f"Mean of {SAMPLES} random samples, ± their standard deviation; the whole is trained on once."
        tables.append(Table(metric, ("part", "sentences", "tokens", *columns), tuple(rows), "", note))
    best = systems[-1]
    curve = [means["LAS", part, best] for part in PARTS]
    grows = all(small < large for small, large in itertools.pairwise(curve))
    claim = f"Accuracy grows with every doubling of the training set ({PAPER}, Figure 2, a graph without figures)."
    evidence = f"LAS of {best} from 1/{PARTS[0]} to the whole: " + ", ".join(f"{mean:.2f}" for mean in curve)
    return Report(tuple(tables), (Finding(claim, grows, evidence),))


def sample_of(treebank: Treebank, part: int, number: int, seed: int) -> Treebank:
    """Return a random part of the sentences, in their order.

    Parameters
    ----------
    treebank : Treebank
    part : int
        What their number is divided by, rounded down.
    number : int
        Which sample.
    seed : int
    """
    rng = np.random.default_rng([seed, part, number])
    size = treebank.n_sentences // part
    return treebank.select(np.sort(rng.choice(treebank.n_sentences, size, replace=False)))


def _mean_tokens(samples: list[Treebank]) -> int:
    return round(statistics.fmean(sample.n_tokens for sample in samples))


def _deviation(figures: list[float]) -> float:
    return statistics.stdev(figures) if len(figures) > 1 else math.nan
