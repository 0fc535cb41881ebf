"""Accuracy by the factors of `treevote.evaluation.factors`, and confusion of deprels and of POS of heads.

For factors of words and sentences there is one accuracy, of the gold tokens of each group. For factors of arcs
there are two (McDonald & Nivre 2007): recall, of the tokens that are in the group in the gold trees, and precision, of
those that are there in the trees of the system; words of the system without counterpart are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.evaluation.counts import Convention
from treevote.evaluation.factors import Factor, Values, deprel, pos
from treevote.evaluation.intervals import Moments, share, sum_by_key
from treevote.evaluation.results import Breakdown, Cell, Confusion, ConfusionCell, Example, Group, Rate
from treevote.kernels import Bools, Longs

MAX_GROUPS = 200  # maximum number of groups of a factor; further values, the rarest, form one group
OTHERS, NONE = "(others)", "(none)"
EXAMPLES = 5  # maximum number of examples of a cell


class Tally(NamedTuple):
    """Sums of one system, see `treevote.evaluation.intervals.sum_by_key`, with a row for each value of a factor.

    ``names`` are the values: those of the gold trees, then others of the system. ``heads`` and ``arcs``, shape
    (n_values, 6), are over the gold tokens; ``system_arcs``, for a factor of arcs, over those of the system.
    """

    names: tuple[str, ...]
    heads: Longs
    arcs: Longs
    system_arcs: Longs | None


def tally(
    factor: Factor,
    gold_values: Values,
    projected: Treebank,
    scored: Bools,
    has_head: Bools,
    heads: Bools,
    arcs: Bools,
) -> Tally:
    """Count right heads and arcs of a system for each value of a factor, whose values of the gold trees are given.

    ``projected`` are the gold sentences with the trees of the system; ``scored``, ``has_head``, ``heads`` and ``arcs``,
    shape (n_slots,), mask the slots that are scored, that have some head in the trees of the system, perhaps a word
    without counterpart, that have the right head, and the right head and label.
    """
    slots, sentence_of = np.flatnonzero(scored), projected.sentence_of
    found = factor.values(projected) if factor.of == "arc" else gold_values
    names, ours, theirs = _common(gold_values, found)

    def sums(key: Longs, right: Bools) -> Longs:
        return sum_by_key(key[slots], right[slots].astype(np.int64), sentence_of[slots], len(names))

    system_arcs = None
    if factor.of == "arc":  # without a head there is none, but may be a label
        system_arcs = sums(np.where(has_head & (found.column >= 0), theirs, -1), arcs)
    return Tally(tuple(names), sums(ours, heads), sums(ours, arcs), system_arcs)


def breakdown(factor: Factor, tallies: Sequence[Tally]) -> Breakdown:
    """Put the tallies of several systems side by side, without groups that have no token in any tree."""
    names = list(dict.fromkeys(name for one in tallies for name in one.names))
    gold_tokens = Counter(dict(zip(tallies[0].names, tallies[0].arcs[:, 1].tolist(), strict=True)))
    found: Counter[str] = Counter()
    for one in tallies:
        if one.system_arcs is not None:
            found.update(dict(zip(one.names, one.system_arcs[:, 1].tolist(), strict=True)))
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
            cells.append(Cell(_share(one.heads, own), las, precision, _f1(precision, las)))
        label = row[0] if len(row) == 1 else OTHERS
        groups.append(Group(label, sum(gold_tokens[name] for name in row), tuple(cells)))
    return Breakdown(factor.name, factor.description, factor.of, factor.ordered, tuple(groups))


def _share(sums: Longs, rows: list[int]) -> Rate:
    return share(Moments(*sums[rows].sum(axis=0).tolist()))


def _f1(precision: Rate | None, recall: Rate) -> float | None:
    if precision is None or recall.value is None:
        return None
    found = precision.value or 0.0  # none if the system has no arc in the group: then it found none of the gold ones
    both = found + recall.value
    return 2 * found * recall.value / both if both else 0.0


def confusions(
    gold: Treebank, projected: Treebank, scored: Bools, heads: Bools, *, convention: Convention
) -> tuple[Confusion, ...]:
    """Return the confusion of deprels, and that of the parts of speech of heads.

    ``projected`` are the gold sentences with the trees of the system; ``scored`` and ``heads`` are masks, shape
    (n_slots,), of the scored slots and of those with the right head.
    """
    ours, theirs = deprel(gold, convention), deprel(projected, convention)
    tags = pos(gold)
    of_heads, of_found = (_of_heads(tags, treebank) for treebank in (gold, projected))
    same_label = np.equal(*_common(ours, theirs)[1:])
    by_label = "Deprel in the gold trees and that of the system; an error is a token with the wrong one."
    by_head = "Part of speech of the head in the gold trees and of that of the system; an error is a wrong head."
    return (
        Confusion("deprel", by_label, _cells(ours, theirs, gold.offsets, scored, ~same_label)),
        Confusion("head POS", by_head, _cells(of_heads, of_found, gold.offsets, scored, ~heads)),
    )


def first_examples(mask: Bools, offsets: Longs, key: Longs | None = None) -> dict[int, tuple[Example, ...]]:
    """Return the first slots of a mask, one a sentence and at most `EXAMPLES`, for each key (0 without keys)."""
    slots = np.flatnonzero(mask)
    keys = np.zeros(len(slots), np.int64) if key is None else key[slots]
    sentence = np.searchsorted(offsets, slots, "right") - 1
    _, first = np.unique(keys * len(offsets) + sentence, return_index=True)  # of each key in each sentence, in order
    found: dict[int, list[Example]] = {}
    for cell, i, slot in zip(keys[first].tolist(), sentence[first].tolist(), slots[first].tolist(), strict=True):
        examples = found.setdefault(cell, [])
        if len(examples) < EXAMPLES:
            examples.append(Example(i + 1, slot - int(offsets[i])))
    return {cell: tuple(examples) for cell, examples in found.items()}


def _cells(ours: Values, theirs: Values, offsets: Longs, scored: Bools, wrong: Bools) -> tuple[ConfusionCell, ...]:
    names, gold, system = _common(ours, theirs)
    key = gold * len(names) + system
    found, place = np.unique(key[scored], return_inverse=True)
    tokens = np.bincount(place, minlength=len(found))
    errors = np.bincount(place[wrong[scored]], minlength=len(found))
    examples = first_examples(scored & wrong, offsets, key)
    cells = [
        ConfusionCell(names[cell // len(names)], names[cell % len(names)], n_tokens, n_errors, examples.get(cell, ()))
        for cell, n_tokens, n_errors in zip(found.tolist(), tokens.tolist(), errors.tolist(), strict=True)
    ]
    return tuple(sorted(cells, key=lambda cell: (-cell.errors, -cell.tokens, cell.gold, cell.system)))


def _common(ours: Values, theirs: Values) -> tuple[list[str], Longs, Longs]:
    """Return the values of both as indices in common names, those without a value as one of their own."""
    numbers: dict[str, int] = {}
    encoded = [(encode((*names, NONE), numbers)[:-1], index) for names, index in (ours, theirs)]
    gold, system = (column[index].astype(np.int64) for column, index in encoded)  # the index -1 is NONE
    return list(numbers), gold, system


def _of_heads(tags: Values, treebank: Treebank) -> Values:
    """Return the value of the head of each slot, and ROOT for ROOT."""
    names, index = tags
    above = np.where(treebank.heads > 0, index[treebank.starts + np.maximum(treebank.heads, 0)], -1)
    return Values((*names, "ROOT"), np.where(treebank.heads == 0, len(names), above))
