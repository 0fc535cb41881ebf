"""Comparison of systems: agreement, oracle, errors of one that another does not make, and tests of differences."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.evaluation.agreement import agreement, oracle
from treevote.evaluation.confusion import first_examples
from treevote.evaluation.intervals import percentiles
from treevote.evaluation.parses import Parses
from treevote.evaluation.results import Comparison, Disagreement, Matrix, Test
from treevote.evaluation.significance import bootstrap_p, holm, rates, swaps_p
from treevote.kernels import Bools, Longs


class Sums(NamedTuple):
    """Counts of one system, right items and all items, summed over all sentences, over samples, over swaps.

    Shapes are (n_metrics, 2), (n_samples, n_metrics, 2) and (n_permutations, n_metrics, 2). Samples and permutations
    are the same for all systems.
    """

    observed: Longs
    drawn: Longs
    swapped: Longs


def compare(parses: Parses, metrics: Sequence[str], sums: Sequence[Sums]) -> Comparison:
    """Compare every pair of systems; ``sums`` are the counts of each for the tested metrics."""
    scored = parses.scored
    n = int(np.count_nonzero(scored))

    def share(mask: Bools) -> float | None:
        return 100 * int(np.count_nonzero(scored & mask)) / n if n else None

    same_heads, same_arcs = [], []
    for ours in parses.systems:
        same = [agreement(ours, theirs) for theirs in parses.systems]
        same_heads.append(tuple(share(of.heads) for of in same))
        same_arcs.append(tuple(share(of.arcs) for of in same))
    right = [agreement(system, parses.gold) for system in parses.systems]
    right_heads, right_arcs = [of.heads for of in right], [of.arcs for of in right]

    def of_pairs(masks: Sequence[Bools]) -> Matrix:
        return tuple(tuple(share(oracle([ours, theirs])) for theirs in masks) for ours in masks)

    return Comparison(
        tuple(same_heads),
        tuple(same_arcs),
        of_pairs(right_heads),
        of_pairs(right_arcs),
        share(oracle(right_heads)),
        share(oracle(right_arcs)),
        tuple(
            tuple(
                Disagreement(int(np.count_nonzero(mask)), first_examples(mask, parses.words.offsets).get(0, ()))
                for mask in (scored & ours & ~theirs for theirs in right_arcs)
            )
            for ours in right_arcs
        ),
        tuple(_tests(metrics, sums)),
        len(sums[0].drawn),
        len(sums[0].swapped),
    )


def _tests(metrics: Sequence[str], sums: Sequence[Sums]) -> list[Test]:
    pairs = list(itertools.combinations(range(len(sums)), 2))
    by_swaps = [swaps_p(sums[i].observed, sums[j].observed, sums[j].swapped - sums[i].swapped) for i, j in pairs]
    values, samples = [rates(of.observed) for of in sums], [rates(of.drawn) for of in sums]
    tests = []
    for k, metric in enumerate(metrics):
        differences = [float(values[i][k] - values[j][k]) for i, j in pairs]
        sampled = [samples[i][:, k] - samples[j][:, k] for i, j in pairs]
        p = [bootstrap_p(difference, drawn) for difference, drawn in zip(differences, sampled, strict=True)]
        q = [float(of_pair[k]) for of_pair in by_swaps]
        p_holm, q_holm = holm(p), holm(q)
        for n, (i, j) in enumerate(pairs):
            difference = None if np.isnan(differences[n]) else differences[n]
            low, high = percentiles(sampled[n])
            tests.append(Test(metric, i, j, difference, low, high, p[n], q[n], p_holm[n], q_holm[n]))
    return tests
