"""Development files that do not belong to the systems: in another order, of other parsers, or of the test sentences."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence

import numpy as np

from treevote.corpus.repeated_sentences import repeated, sentence_forms
from treevote.corpus.treebank import Treebank
from treevote.evaluation.agreement import agreement, arcs_of
from treevote.evaluation.names import stems
from treevote.kernels import Doubles

MOST_ORDERS = 6  # maximum number of systems whose orders are tried, to notice development parses in a wrong order
MOST_LEARNED = 0.25  # share of development sentences in the training data: some short ones are in both by chance

UNLIKE, GAIN = 15.0, 0.5
"""Points of agreement: a system is unlike itself if it differs more between development and test; another order is the
right one if it halves the difference, by this much at least."""


def same_sentences(gold: Treebank, parse: Treebank) -> Iterator[str]:
    """Yield a warning if the development sentences are those that are voted on."""
    same_size = gold.n_sentences == parse.n_sentences
    if same_size and all(map(operator.eq, sentence_forms(gold), sentence_forms(parse))):
        yield "the sentences of --gold are those that are voted on: what is measured on them is too good"


def learned_sentences(development: Treebank, training: Treebank) -> Iterator[str]:
    """Yield a warning if more than ``MOST_LEARNED`` of the development sentences are trained on."""
    share = repeated(development, frozenset(sentence_forms(training))) / max(1, development.n_sentences)
    if share > MOST_LEARNED:
        amount = f"{100 * share:.0f} % of its sentences are among the training data"
        yield f"{development.title}: {amount}: what is measured on them is too good"


def misplaced(
    paths: Sequence[str], dev_paths: Sequence[str], parses: Sequence[Treebank], known: Sequence[Treebank]
) -> Iterator[str]:
    """Yield warnings about development files that seem to be those of other systems.

    The names of the files tell, or their agreement with each other: systems that agree on one text agree on another.
    """
    ours, theirs = stems(paths), stems(dev_paths)
    if set(ours) == set(theirs) and ours != theirs:
        order, other = ", ".join(ours), ", ".join(theirs)
        yield f"by their names the files of --dev are in another order ({other}) than the systems ({order})"
        return
    here, there = _agreement(parses), _agreement(known)
    n = len(parses)
    if 3 <= n <= MOST_ORDERS:
        pairs = np.triu_indices(n, 1)
        costs = {
            order: float(np.abs(here[pairs] - there[np.ix_(order, order)][pairs]).mean())
            for order in itertools.permutations(range(n))
        }
        same, best = tuple(range(n)), min(costs, key=costs.__getitem__)
        if costs[best] < costs[same] / 2 and costs[same] - costs[best] > GAIN:
            yield (
                "by their agreement with each other the files of --dev seem to be in another order than the systems; "
                f"better: {', '.join(dev_paths[i] for i in best)}"
            )
            return
    for i in range(n):
        others = [j for j in range(n) if j != i]
        test, dev = float(here[i, others].mean()), float(there[i, others].mean())
        if abs(test - dev) > UNLIKE:
            yield (
                f"{paths[i]} agrees with the other systems on {test:.0f} % of the tokens, {dev_paths[i]} on "
                f"{dev:.0f} %: they may be of different systems or of different kinds of text"
            )
            return


def _agreement(systems: Sequence[Treebank]) -> Doubles:
    """Return the percentage of tokens with the same arc for each pair of systems, shape (n, n)."""
    arcs, n = arcs_of(systems), max(1, systems[0].n_tokens)
    table = np.zeros((len(arcs), len(arcs)))
    for i, j in itertools.combinations(range(len(arcs)), 2):
        table[i, j] = table[j, i] = 100 * int(agreement(arcs[i], arcs[j]).arcs.sum()) / n
    return table
