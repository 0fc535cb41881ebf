"""Agreement as a sign of correctness (Sagae & Tsujii 2007, sections 4 and 5)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.evaluation.agreement import unanimous
from treevote.kernels import Bools
from treevote.metrics import count_by_sentence
from treevote.studies.members import PAPER
from treevote.studies.tables import Finding, Report, Table, Value, percent, rate
from treevote.studies.workbench import Workbench
from treevote.treebank import Treebank
from treevote.trees import per_sentence

PAIR = ("lr-maxent-forward", "lr-svm-backward")
"""The pair whose agreement chooses sentences in the paper."""

COLUMNS = ("", "sentences %", "tokens %", "LAS where they agree", "UAS where they agree", "LAS first", "LAS second")


class Agreed(NamedTuple):
    """Where systems agree: shares of sentences and tokens, and LAS and UAS there, in percent; None of nothing."""

    sentences: float | None
    tokens: float | None
    las: float | None
    uas: float | None


def agreement(bench: Workbench) -> Report:
    """For each pair of members, and for all: how often they agree on a whole sentence, and how often rightly."""
    parses = bench.parses(bench.trainers)
    las = {name: bench.counts(parse).las for name, parse in parses.items()}
    pairs = {pair: where_agreed(bench, [parses[name] for name in pair]) for pair in itertools.combinations(parses, 2)}
    rows: list[tuple[Value, ...]] = [
        (" + ".join(pair), *found, *(rate(las[name]) for name in pair)) for pair, found in pairs.items()
    ]
    if len(parses) > 2:
        rows.append(("all", *where_agreed(bench, list(parses.values())), None, None))
    rows.append(("paper: " + " + ".join(PAIR), None, None, "just above 90", None, "78 to 79", "78 to 79"))
    shown = PAIR if PAIR in pairs else next(iter(pairs))
    finding = Finding(
        f"Agreement of two models is an indication of correctness ({PAPER}, section 5).",
        all(found.las is not None and found.las > max(las[name] for name in pair) for pair, found in pairs.items()),
        f"{shown[0]} and {shown[1]} agree on {pairs[shown].sentences} % of the sentences, with {pairs[shown].las} LAS "
        f"there against {las[shown[0]]:.2f} and {las[shown[1]]:.2f} overall",
    )
    source = f"{PAPER}, sections 4 and 5, English in another domain"
    return Report((Table("Sentences on which members agree wholly", COLUMNS, tuple(rows), source),), (finding,))


def where_agreed(bench: Workbench, parses: Sequence[Treebank]) -> Agreed:
    """Return how much systems agree on, and how much of that is right."""
    same = agreed(parses)
    counts = count_by_sentence(bench.test, parses[0], convention=bench.convention)
    tokens, arcs, heads = (int(counts[name][same].sum()) for name in ("tokens", "arcs", "heads"))
    return Agreed(
        percent(int(same.sum()), bench.test.n_sentences),
        percent(tokens, bench.test.n_tokens),
        percent(arcs, tokens),
        percent(heads, tokens),
    )


def agreed(parses: Sequence[Treebank]) -> Bools:
    """Return a mask of the sentences to which all parses give the same heads and labels, shape (n_sentences,).

    Examples
    --------
    >>> one = Treebank.of([(["a", "b"], [2, 0], ["x", "root"]), (["c"], [0], ["root"])])
    >>> two = Treebank.of([(["a", "b"], [2, 0], ["y", "root"]), (["c"], [0], ["root"])])
    >>> agreed([one, two]).tolist()
    [False, True]
    """
    differs = parses[0].is_token & ~unanimous(parses)
    return np.equal(per_sentence(differs, parses[0].offsets), 0)
