"""Systems against each other: where they agree, what choosing between them could reach, who is right where."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from treevote.evaluation.confusion import first_examples
from treevote.evaluation.intervals import percentiles
from treevote.evaluation.parses import Parses
from treevote.evaluation.results import Comparison, Disagreement, Matrix, Test
from treevote.evaluation.significance import bootstrap_p, holm, randomization_p, rates
from treevote.kernels import Bools, Doubles, Longs


def compare(
    parses: Parses,
    metrics: Sequence[str],
    counts: Sequence[Longs],
    samples: Sequence[Doubles],
    *,
    permutations: int,
    seed: int,
) -> Comparison:
    """Compare every pair of systems.

    Parameters
    ----------
    parses : Parses
        The trees.
    metrics : sequence of str
        The metrics to test.
    counts : sequence of ndarray of int64, shape (n_sentences, n_metrics, 2)
        Of each system: what is right, and of how much.
    samples : sequence of ndarray of float64, shape (n_samples, n_metrics)
        Of each system: its rates in bootstrap samples, the same sentences for all.
    permutations, seed : int
        Of the randomization test.
    """
    scored = parses.scored
    same_heads, same_arcs = _agreement(parses, scored)
    right_heads = [scored & (system.heads == parses.gold.heads) for system in parses.systems]
    right_arcs = [
        heads & (system.deprels == parses.gold.deprels)
        for heads, system in zip(right_heads, parses.systems, strict=True)
    ]
    n = int(np.count_nonzero(scored))
    return Comparison(
        same_heads,
        same_arcs,
        _oracle(right_heads, n),
        _oracle(right_arcs, n),
        _share(np.logical_or.reduce(right_heads), n),
        _share(np.logical_or.reduce(right_arcs), n),
        tuple(
            tuple(_right_wrong(ours & ~theirs, parses.words.offsets) for theirs in right_arcs) for ours in right_arcs
        ),
        tuple(_tests(metrics, counts, samples, permutations, seed)),
        len(samples[0]),
        permutations,
    )


def _agreement(parses: Parses, scored: Bools) -> tuple[Matrix, Matrix]:
    n = int(np.count_nonzero(scored))
    heads, arcs = [], []
    for ours in parses.systems:
        known = scored & (ours.heads >= 0)
        same = [known & (ours.heads == theirs.heads) for theirs in parses.systems]
        heads.append(tuple(_share(mask, n) for mask in same))
        arcs.append(
            tuple(
                _share(mask & (ours.deprels == theirs.deprels), n)
                for mask, theirs in zip(same, parses.systems, strict=True)
            )
        )
    return tuple(heads), tuple(arcs)


def _oracle(right: Sequence[Bools], n: int) -> Matrix:
    return tuple(tuple(_share(ours | theirs, n) for theirs in right) for ours in right)


def _share(mask: Bools, n: int) -> float | None:
    return 100 * int(np.count_nonzero(mask)) / n if n else None


def _right_wrong(mask: Bools, offsets: Longs) -> Disagreement:
    return Disagreement(int(np.count_nonzero(mask)), first_examples(mask, offsets).get(0, ()))


def _tests(
    metrics: Sequence[str], counts: Sequence[Longs], samples: Sequence[Doubles], permutations: int, seed: int
) -> list[Test]:
    pairs = list(itertools.combinations(range(len(counts)), 2))
    by_randomization = [randomization_p(counts[i], counts[j], permutations, seed) for i, j in pairs]
    tests = []
    for k, metric in enumerate(metrics):
        values = [rates(system[:, k].sum(axis=0)) for system in counts]
        differences = [float(values[i] - values[j]) for i, j in pairs]
        sampled = [samples[i][:, k] - samples[j][:, k] for i, j in pairs]
        p = [bootstrap_p(difference, drawn) for difference, drawn in zip(differences, sampled, strict=True)]
        q = [float(values_of_pair[k]) for values_of_pair in by_randomization]
        p_holm, q_holm = holm(p), holm(q)
        for n, (i, j) in enumerate(pairs):
            difference = None if np.isnan(differences[n]) else differences[n]
            low, high = percentiles(sampled[n])
            tests.append(Test(metric, i, j, difference, low, high, p[n], q[n], p_holm[n], q_holm[n]))
    return tests
