"""Accuracy by the factors of `treevote.evaluation.factors`.

For factors of words and sentences there is one accuracy, of the gold tokens of each group. For factors of arcs
there are two (McDonald & Nivre 2007): recall, of the tokens that are in the group in the gold trees, and precision, of
those that are there in the trees of the system; words of the system without counterpart are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.evaluation.factors import Factor, Values
from treevote.evaluation.intervals import Moments, share, sum_by_key
from treevote.evaluation.results import Breakdown, Cell, Group, Rate
from treevote.kernels import Bools, Longs

MAX_GROUPS = 200
"""Maximum number of groups of a factor; further values, the rarest, form one group."""

OTHERS, NONE = "(others)", "(none)"


class Tally(NamedTuple):
    """Sums of one system, see `treevote.evaluation.intervals.sum_by_key`, with a row for each value of a factor.

    ``names`` are the values: those of the gold trees, then others of the system. ``heads`` and ``arcs`` are over the
    gold tokens; ``system_arcs``, for a factor of arcs, over those of the system. Shapes are (n_values, 6).
    """

    names: tuple[str, ...]
    heads: Longs
    arcs: Longs
    system_arcs: Longs | None


def tally(factor: Factor, gold_values: Values, projected: Treebank, scored: Bools, heads: Bools, arcs: Bools) -> Tally:
    """Count right heads and arcs of a system for each value of a factor.

    ``projected`` are the gold sentences with the trees of the system; ``scored``, ``heads`` and ``arcs``, shape
    (n_slots,), are masks of the slots that are scored, have the right head, the right head and label.
    """
    slots = np.flatnonzero(scored)
    sentence = projected.sentence_of[slots]
    right_heads, right_arcs = heads[slots].astype(np.int64), arcs[slots].astype(np.int64)
    names = tuple(dict.fromkeys((*gold_values.names, NONE)))
    n = len(names)
    key = np.where(gold_values.column[slots] < 0, names.index(NONE), gold_values.column[slots])
    by_heads, by_arcs = (sum_by_key(key, right, sentence, n) for right in (right_heads, right_arcs))
    if factor.of != "arc":
        return Tally(names, by_heads, by_arcs, None)
    found = factor.values(projected)
    numbers = {name: i for i, name in enumerate(names)}
    places = encode(found.names, numbers).astype(np.int64)
    more = len(numbers) - n
    by_heads, by_arcs = (np.pad(sums, ((0, more), (0, 0))) for sums in (by_heads, by_arcs))
    found_arcs = sum_by_key(places[found.column[slots]], right_arcs, sentence, len(numbers))
    return Tally(tuple(numbers), by_heads, by_arcs, found_arcs)


def breakdown(factor: Factor, tallies: Sequence[Tally]) -> Breakdown:
    """Put the tallies of systems side by side; groups without a token in any tree are left out."""
    names = list(dict.fromkeys(name for one in tallies for name in one.names))
    gold_tokens = dict.fromkeys(names, 0) | dict(zip(tallies[0].names, tallies[0].arcs[:, 1].tolist(), strict=True))
    found = dict.fromkeys(names, 0)
    for one in tallies:
        if one.system_arcs is not None:
            for name, tokens in zip(one.names, one.system_arcs[:, 1].tolist(), strict=True):
                found[name] += tokens
    names = [name for name in names if gold_tokens[name] or found[name]]
    if not factor.ordered:
        names.sort(key=lambda name: (-gold_tokens[name], -found[name], name))
    rows = [[name] for name in names[:MAX_GROUPS]] + ([names[MAX_GROUPS:]] if names[MAX_GROUPS:] else [])
    rows_of = [{name: i for i, name in enumerate(one.names)} for one in tallies]
    groups = []
    for row in rows:
        cells = []
        for one, places in zip(tallies, rows_of, strict=True):
            own = [places[name] for name in row if name in places]
            las = _share(one.arcs, own)
            precision = None if one.system_arcs is None else _share(one.system_arcs, own)
            f1 = None if precision is None else _f1(precision, las)
            cells.append(Cell(_share(one.heads, own), las, precision, f1))
        label = row[0] if len(row) == 1 else OTHERS
        groups.append(Group(label, sum(gold_tokens[name] for name in row), tuple(cells)))
    return Breakdown(factor.name, factor.description, factor.of, factor.ordered, tuple(groups))


def _share(sums: Longs, rows: list[int]) -> Rate:
    return share(Moments(*sums[rows].sum(axis=0).tolist()))


def _f1(precision: Rate, recall: Rate) -> float | None:
    if precision.value is None or recall.value is None:
        return None
    both = precision.value + recall.value
    return 2 * precision.value * recall.value / both if both else 0.0
