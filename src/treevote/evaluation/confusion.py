"""Confusion of deprels, and of the parts of speech of heads, with examples."""

from __future__ import annotations

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.evaluation.breakdowns import NONE
from treevote.evaluation.counts import Convention
from treevote.evaluation.factors import Values, deprel, pos
from treevote.evaluation.results import Confusion, ConfusionCell, Example
from treevote.kernels import Bools, Longs

EXAMPLES = 5
"""Maximum number of examples of a cell."""


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
    return (
        Confusion(
            "deprel",
            "Deprel in the gold trees and that of the system; an error is a token with the wrong one.",
            _cells(ours, theirs, gold.offsets, scored, ~same_label),
        ),
        Confusion(
            "head POS",
            "Part of speech of the head in the gold trees and of that of the system; an error is a wrong head.",
            _cells(of_heads, of_found, gold.offsets, scored, ~heads),
        ),
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
    columns = []
    for names, index in (ours, theirs):
        columns.append(encode((*names, NONE), numbers)[:-1][index].astype(np.int64))  # the index -1 is NONE
    return list(numbers), columns[0], columns[1]


def _of_heads(tags: Values, treebank: Treebank) -> Values:
    """Return the value of the head of each slot, and ROOT for ROOT."""
    names, index = tags
    above = np.where(treebank.heads > 0, index[treebank.starts + np.maximum(treebank.heads, 0)], -1)
    return Values((*names, "ROOT"), np.where(treebank.heads == 0, len(names), above))
