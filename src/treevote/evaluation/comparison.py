"""Comparison of systems: agreement, oracle, errors of one that another does not make, and tests of differences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from treevote.evaluation.agreement import agreement, arcs_of, oracle
from treevote.evaluation.breakdowns import first_examples
from treevote.evaluation.intervals import percentiles
from treevote.evaluation.parses import Parses
from treevote.evaluation.results import Comparison, Disagreement, Matrix, Test
from treevote.evaluation.significance import bootstrap_p, holm, rates, swaps_p
from treevote.kernels import Bools, Longs


def compare(parses: Parses, metrics: Sequence[str], observed: Longs, drawn: Longs, swapped: Longs) -> Comparison:
    """Compare every pair of systems by right items and all items for each tested metric, summed over sentences.

    ``observed``, shape (n_systems, n_metrics, 2), is over all sentences; ``drawn``, with the samples as a first axis,
    over each bootstrap sample; ``swapped``, likewise, over the sentences swapped in each permutation.
    """
    scored = parses.scored
    n = int(np.count_nonzero(scored))

    def share(mask: Bools) -> float | None:
        return 100 * int(np.count_nonzero(scored & mask)) / n if n else None

    gold, *systems = arcs_of([parses.gold, *parses.systems])
    same_heads, same_arcs = [], []
    for ours in systems:
        same = [agreement(ours, theirs) for theirs in systems]
        same_heads.append(tuple(share(of.heads) for of in same))
        same_arcs.append(tuple(share(of.arcs) for of in same))
    right = [agreement(system, gold) for system in systems]
    right_heads, right_arcs = [of.heads for of in right], [of.arcs for of in right]

    def disagreement(mask: Bools) -> Disagreement:
        return Disagreement(int(np.count_nonzero(mask)), first_examples(mask, parses.gold.offsets).get(0, ()))

    def of_pairs(masks: Sequence[Bools]) -> Matrix:
        return tuple(tuple(share(oracle([ours, theirs])) for theirs in masks) for ours in masks)

    return Comparison(
        tuple(same_heads),
        tuple(same_arcs),
        of_pairs(right_heads),
        of_pairs(right_arcs),
        share(oracle(right_heads)),
        share(oracle(right_arcs)),
        tuple(tuple(disagreement(scored & ours & ~theirs) for theirs in right_arcs) for ours in right_arcs),
        tuple(_tests(metrics, observed, drawn, swapped)),
        len(drawn),
        len(swapped),
    )


def _tests(metrics: Sequence[str], observed: Longs, drawn: Longs, swapped: Longs) -> Iterator[Test]:
    pairs = list(itertools.combinations(range(len(observed)), 2))
    by_swaps = [swaps_p(observed[i], observed[j], swapped[:, j] - swapped[:, i]) for i, j in pairs]
    values, samples = rates(observed), rates(drawn)
    for k, metric in enumerate(metrics):
        differences = [float(values[i, k] - values[j, k]) for i, j in pairs]
        sampled = [samples[:, i, k] - samples[:, j, k] for i, j in pairs]
        p = list(map(bootstrap_p, differences, sampled))
        q = [float(of_pair[k]) for of_pair in by_swaps]
        p_holm, q_holm = holm(p), holm(q)
        for n, (i, j) in enumerate(pairs):
            difference = None if np.isnan(differences[n]) else differences[n]
            low, high = percentiles(sampled[n])
            yield Test(metric, i, j, difference, low, high, p[n], q[n], p_holm[n], q_holm[n])
