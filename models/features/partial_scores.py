"""Scores of parts of the templates, kept for the next configuration in which the part has the same values.

Nearly all that a parser scores it has scored before: the same word on top of the stack, the same tags of the pair, the
same two words in another item of the beam. So the templates are divided into *parts*, each with a few atoms. A
template belongs to the first part that has all of its atoms, or else to the last part. The scores of a part depend
on the values of its atoms alone: they are kept under a key that mixes these values. There are ``KEPT`` rows for a
part, chosen by the key, and a new key takes the row of the old one. The last part is scored anew each time.

Scores are integers, so their sum is the same in any order, and no parse depends on what was kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.kernels import Index, Ints, Keys, Longs, leaf, prefetch
from treevote.models.features.feature_index import look_up
from treevote.models.features.firing import MAX_FEATURES, Globals, evaluate, fire_nodes
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.stack_and_queue import AGREE, FEAT, GRAMMAR, WORD
from treevote.models.features.templates import COLUMN, TemplateTable
from treevote.models.features.trie import mix
from treevote.models.features.weights import Weights, add_rows

KEPT = 1 << 8

_START = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)

# Columns of Parts.bounds.
ATOMS, KEYS, NODES, SETS = range(4)


class Parts(NamedTuple):
    """Compiled templates, divided into parts.

    Attributes
    ----------
    places : ndarray of int32, shape (n_places, 2)
        As in `treevote.models.features.templates.TemplateTable`.
    atoms : ndarray of int32, shape (n_rows, 4)
        Likewise: the atoms of all keys, then for each part the other atoms of its templates. A key may have an atom for
        a whole word, which no template has.
    keys : ndarray of int32
        Numbers of the atoms of the keys, part after part.
    nodes, sets : ndarray of int32
        As in ``TemplateTable``, part after part.
    bounds : ndarray of int64, shape (n_parts + 1, 4)
        The rows of ``atoms``, ``keys``, ``nodes`` and ``sets`` with which each part begins.
    n_values : int
        Number of atoms.
    """

    places: Ints
    atoms: Ints
    keys: Ints
    nodes: Ints
    sets: Ints
    bounds: Longs
    n_values: int


def divide(table: TemplateTable, parts: Sequence[str]) -> Parts:
    """Divide templates over a stack and a queue into parts.

    Parameters
    ----------
    table : TemplateTable
        Of the grammar of `treevote.models.features.stack_and_queue`.
    parts : sequence of str
        The atoms of each part. A place without an attribute stands for its word, with all attributes of the lexicon.
        Places and atoms that no template has are passed over, and so are parts with a single template.

    Examples
    --------
    >>> from treevote.models.features.templates import compile_templates
    >>> table = compile_templates(["s0.form", "s0.form+s0.upos", "s0.form+q0.upos"], GRAMMAR)
    >>> parts = divide(table, ["s0", "s0.form q0.upos distance"])
    >>> parts.bounds[:, NODES].tolist()  # the second part would have a single template, and is left out
    [0, 2, 4]
    """
    atoms = [tuple(row) for row in table.atoms[:, :3].tolist()]
    left: list[tuple[set[int], int, tuple[int, ...]]] = []  # atoms, node, and the set of each template
    for node in np.flatnonzero(table.nodes[:, 2]).tolist():
        left.append(({int(table.nodes[step, 1]) for step in _path(table, node)}, node, ()))
    for node, *own, kind in table.sets.tolist():
        steps = {int(table.nodes[step, 1]) for step in _path(table, node)}
        left.append(({*own, *steps} - {-1}, node, (*own, kind)))

    keys: list[int] = []
    nodes: list[tuple[int, int, bool]] = []
    sets: list[tuple[int, ...]] = []
    others: list[set[int]] = []
    bounds = [[0, 0, 0, 0]]
    for part in [*parts, ""]:
        key: list[int] = []
        covered: set[int] = set()
        for row in _rows(table, part):
            if row[0] == WORD:
                kinds = COLUMN, FEAT, AGREE
                covered |= {i for i, other in enumerate(atoms) if other[0] in kinds and other[1] == row[1]}
                if row not in atoms:
                    atoms.append(row)
            if row in atoms:
                key.append(atoms.index(row))
        covered |= set(key)
        own = [template for template in left if template[0] <= covered or not part]
        if part and len(own) < 2:
            continue
        left = [template for template in left if template not in own]
        needed = sorted({step for _, node, _ in own for step in _path(table, node)})
        number = {-1: -1} | {node: i for i, node in enumerate(needed, len(nodes))}
        ends = {node for _, node, several in own if not several}
        nodes += [(number[int(table.nodes[node, 0])], int(table.nodes[node, 1]), node in ends) for node in needed]
        sets += [(number[node], *several) for _, node, several in own if several]
        keys += key
        others.append(set().union(*(template for template, _, _ in own)))
        bounds.append([0, len(keys), len(nodes), len(sets)])

    rows = sorted(set(keys))
    for bound, atom_set in zip(bounds, others, strict=False):
        bound[0] = len(rows)
        rows += sorted(atom_set - set(keys))
    bounds[-1][0] = len(rows)
    columns = np.array([(*atoms[atom], atom) for atom in rows], np.int32).reshape(-1, 4)
    return Parts(
        table.places,
        columns,
        np.array(keys, np.int32),
        np.array(nodes, np.int32).reshape(-1, 3),
        np.array(sets, np.int32).reshape(-1, 4),
        np.array(bounds, np.int64),
        len(atoms),
    )


def _path(table: TemplateTable, node: int) -> list[int]:
    """Return a node of the trie and all before it."""
    path = []
    while node >= 0:
        path.append(node)
        node = int(table.nodes[node, 0])
    return path


def _rows(table: TemplateTable, part: str) -> list[tuple[int, int, int]]:
    """Return the atoms of a part as rows of the table, without those at places that it does not have."""
    numbers = {tuple(row): i for i, row in enumerate(table.places.tolist())}
    rows = []
    for text in part.split():
        if text in GRAMMAR.globals:
            rows.append((GRAMMAR.globals[text], -1, 0))
            continue
        first, *steps = text.split(".")
        kind, column = GRAMMAR.attributes[steps.pop()] if steps and steps[-1] in GRAMMAR.attributes else (WORD, 0)
        place = numbers.get(GRAMMAR.places[first], -1)
        for step in steps:
            place = numbers.get((GRAMMAR.steps[step], place), -1)
        if place >= 0:
            rows.append((kind, place, column))
    return rows


class Kept(NamedTuple):
    """The scores that are kept, and scratch arrays of one thread.

    Attributes
    ----------
    tags : ndarray of uint64, shape (n_parts, KEPT)
        The keys, 0 for none.
    scores : ndarray of int32, shape (n_parts, KEPT, n_classes)
    places, values, nodes
        As in `treevote.models.features.firing.Scratch`.
    keys : ndarray of uint64, shape (n_parts * MAX_FEATURES,)
        Features of the parts that have to be scored.
    rows : ndarray of int64, of the same shape
        Their rows of weights, -1 for none.
    chosen : ndarray of int64, shape (n_parts,)
        The row of ``scores`` for each part.
    fresh, ends : ndarray of int64, shape (n_parts,)
        The parts that have to be scored, and the ends of their features in ``keys``.
    """

    tags: Keys
    scores: Ints
    places: Ints
    values: Longs
    nodes: Keys
    keys: Keys
    rows: Longs
    chosen: Longs
    fresh: Longs
    ends: Longs


def nothing_kept(parts: Parts, n_classes: int) -> Kept:
    """Return arrays for the scores of ``parts``, without any scores yet."""
    n_parts = len(parts.bounds) - 1
    return Kept(
        np.zeros((n_parts, KEPT), np.uint64),
        np.empty((n_parts, KEPT, n_classes), np.int32),
        np.empty((len(parts.places), 3), np.int32),
        np.empty(parts.n_values, np.int64),
        np.empty(len(parts.nodes), np.uint64),
        np.empty(n_parts * MAX_FEATURES, np.uint64),
        np.empty(n_parts * MAX_FEATURES, np.int64),
        np.empty(n_parts, np.int64),
        np.empty(n_parts, np.int64),
        np.empty(n_parts, np.int64),
    )


@leaf
def score_parts(
    parts: Parts,
    kept: Kept,
    weights: Weights,
    others: Globals,
    trees: Ints,
    valencies: int,
    tokens: Ints,
    words: WordColumns,
    scores: Ints,
) -> None:
    """Write the scores of all classes for a configuration whose places are in ``kept`` already.

    The other parameters are those of `treevote.models.features.firing.fire_templates`.
    """
    atoms, key_atoms, nodes, sets, bounds = parts.atoms, parts.keys, parts.nodes, parts.sets, parts.bounds
    places, values, tags, saved, chosen = kept.places, kept.values, kept.tags, kept.scores, kept.chosen
    evaluate(atoms, 0, bounds[0, ATOMS], others, trees, valencies, tokens, words, places, values)
    n_parts, n_new, n_keys = len(bounds) - 1, 0, 0
    for part in range(n_parts):
        key = _START
        for i in range(bounds[part, KEYS], bounds[part + 1, KEYS]):
            key = mix(key, i, int(values[Index(key_atoms[Index(i)])]))
        row = key & np.uint64(KEPT - 1)
        key |= _ONE  # 0 is no key
        chosen[part] = np.int64(row)
        prefetch(saved, (part * KEPT + np.int64(row)) * len(scores))
        if tags[part, row] != key or part == n_parts - 1:
            tags[part, row] = key
            first, end = bounds[part], bounds[part + 1]
            evaluate(atoms, first[ATOMS], end[ATOMS], others, trees, valencies, tokens, words, places, values)
            n_keys = fire_nodes(
                nodes,
                first[NODES],
                end[NODES],
                sets,
                first[SETS],
                end[SETS],
                words,
                values,
                kept.nodes,
                kept.keys,
                n_keys,
            )
            kept.fresh[n_new], kept.ends[n_new] = part, n_keys
            n_new += 1
    look_up(kept.keys, n_keys, weights.slots, weights.packed, kept.rows)
    start = 0
    for i in range(n_new - 1):
        part, end = kept.fresh[i], kept.ends[i]
        own = saved[Index(part), Index(chosen[Index(part)])]
        for k in range(len(own)):
            own[k] = 0
        add_rows(weights, kept.rows, start, end, own)
        start = end
    for k in range(len(scores)):
        scores[k] = weights.bias[k]
    for part in range(n_parts - 1):
        own = saved[part, Index(chosen[part])]
        for k in range(len(scores)):
            scores[k] += own[k]
    add_rows(weights, kept.rows, start, n_keys, scores)
