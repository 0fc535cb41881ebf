"""Scores of parts of the templates, cached for the next configuration in which the part has the same values.

Nearly all that a parser scores it has scored before: the same word on top of the stack, the same tags of the pair. So
the templates are divided into *parts*, each with a few atoms. A template belongs to the first part that has all of its
atoms, or else to the last part, which is scored anew each time. The scores of any other part depend on the values of
its atoms alone: they are cached under a key that mixes these values, in one of ``CACHE_ROWS`` rows of the part, chosen
by the key. The order of all sums is the same with and without them, so no score depends on the contents of the cache.

The first parts may be *joint*: the sum of their scores is cached, too, under a key that mixes all of their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from treevote.kernels import Floats, Index, Ints, Keys, Longs, leaf, prefetch
from treevote.models.learning.features.feature_index import look_up
from treevote.models.learning.features.firing import MAX_FEATURES, Context, evaluate, fire_sets
from treevote.models.learning.features.stack_and_queue import AGREE, FEAT, GRAMMAR, WORD
from treevote.models.learning.features.templates import COLUMN, TemplateTable
from treevote.models.learning.features.trie import START, fire_trie, mix
from treevote.models.learning.features.weights import DenseWeights, Weights, add_rows

CACHE_ROWS = 1 << 8

_HIGHEST = np.uint64(1 << 63)

# Columns of Parts.bounds.
ATOMS, KEYS, NODES, SETS = range(4)


class Parts(NamedTuple):
    """Compiled templates, divided into parts; as `features.templates.TemplateTable`, part after part.

    ``atoms`` has those of all keys, then for each part the other atoms of its templates. A key may have an atom for a
    whole word, which no template has.
    """

    places: Ints
    atoms: Ints
    keys: Ints  # numbers of the atoms of the keys; those of the joint key are the last
    nodes: Ints
    sets: Ints
    bounds: Longs  # shape (n_parts + 1, 4): rows of ``atoms``, ``keys``, ``nodes`` and ``sets`` where each part begins
    n_values: int  # number of atoms
    n_joint: int  # number of joint parts


def divide(table: TemplateTable, parts: Sequence[str], joint: Sequence[str] = ()) -> Parts:
    """Divide templates of the grammar of `features.stack_and_queue` into parts, given by their atoms.

    A place without an attribute stands for its word, with all attributes of the lexicon. Places and atoms that no
    template has are passed over, and so are parts with a single template. The ``joint`` parts come first.

    >>> from treevote.models.learning.features.templates import compile_templates
    >>> table = compile_templates(["s0.form", "s0.form+s0.upos", "s0.form+q0.upos"], GRAMMAR)
    >>> parts = divide(table, ["s0", "s0.form q0.upos distance"])
    >>> parts.bounds[:, NODES].tolist()  # the second part would have a single template, and is left out
    [0, 2, 4]
    """
    atoms = [tuple(row) for row in table.atoms[:, :3].tolist()]
    ends: list[tuple[int, tuple[int, ...]]] = [(node, ()) for node in np.flatnonzero(table.nodes[:, 2]).tolist()]
    ends += [(node, tuple(several)) for node, *several in table.sets.tolist()]
    left = [  # atoms, node, and the set of each template
        ({*several[:-1], *(int(table.nodes[step, 1]) for step in _path(table, node))} - {-1}, node, several)
        for node, several in ends
    ]
    keys: list[int] = []
    nodes: list[tuple[int, int, bool]] = []
    sets: list[tuple[int, ...]] = []
    others: list[set[int]] = []
    bounds, n_joint = [(0, 0, 0)], 0  # of keys, nodes and sets
    for number_of_part, part in enumerate([*joint, *parts, ""]):
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
        whole = {node for _, node, several in own if not several}
        nodes += [(number[int(table.nodes[node, 0])], int(table.nodes[node, 1]), node in whole) for node in needed]
        sets += [(number[node], *several) for _, node, several in own if several]
        keys += key
        others.append(set().union(*(template for template, _, _ in own)))
        bounds.append((len(keys), len(nodes), len(sets)))
        n_joint += number_of_part < len(joint)

    last, *_ = bounds[n_joint]
    joint_key = dict.fromkeys(keys[:last])
    words = {atoms[atom][1] for atom in joint_key if atoms[atom][0] == WORD}  # each has all attributes of its place
    keys += [atom for atom in joint_key if atoms[atom][0] != COLUMN or atoms[atom][1] not in words]
    rows = sorted(set(keys))
    begins = [len(rows)]
    for atom_set in others:
        rows += sorted(atom_set - set(keys))
        begins.append(len(rows))
    atom_rows = np.array([(*atoms[atom], atom) for atom in rows], np.int32).reshape(-1, 4)
    node_rows, set_rows = np.array(nodes, np.int32).reshape(-1, 3), np.array(sets, np.int32).reshape(-1, 4)
    key_atoms, starts = np.array(keys, np.int32), np.column_stack([begins, np.array(bounds, np.int64)])
    return Parts(table.places, atom_rows, key_atoms, node_rows, set_rows, starts, len(atoms), n_joint)


def _path(table: TemplateTable, node: int) -> Iterator[int]:
    """Yield a node of the trie and all before it."""
    while node >= 0:
        yield node
        node = int(table.nodes[node, 0])


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


class ScoreCache(NamedTuple):
    """Cached scores, and scratch arrays of one thread."""

    tags: Keys  # shape (n_parts + 1, CACHE_ROWS): the keys of the rows, 0 for none; the last are those of joint parts
    scores: Ints | Floats  # shape (n_parts + 1, CACHE_ROWS, n_classes)
    places: Ints  # these three as in `treevote.models.learning.features.firing.Scratch`
    values: Longs
    nodes: Keys
    keys: Keys  # shape (n_parts * MAX_FEATURES,): features of the parts that have to be scored
    rows: Longs  # of the same shape: their rows of weights, -1 for none
    chosen: Longs  # shape (n_parts,): the row of ``scores`` for each part
    fresh: Longs  # shape (n_parts,): the parts that have to be scored
    ends: Longs  # shape (n_parts,): the ends of their features in ``keys``


def empty_cache(parts: Parts, n_classes: int, kind: type[np.int32] | type[np.float32] = np.int32) -> ScoreCache:
    """Return arrays for the scores of ``parts``, without any scores yet."""
    n_parts = len(parts.bounds) - 1
    tags = np.zeros((n_parts + 1, CACHE_ROWS), np.uint64)
    scores: Any = np.empty((n_parts + 1, CACHE_ROWS, n_classes), kind)
    places, values = np.empty((len(parts.places), 3), np.int32), np.empty(parts.n_values, np.int64)
    nodes, keys = np.empty(len(parts.nodes), np.uint64), np.empty(n_parts * MAX_FEATURES, np.uint64)
    chosen, fresh, ends = np.empty((3, n_parts), np.int64)
    return ScoreCache(tags, scores, places, values, nodes, keys, np.empty(len(keys), np.int64), chosen, fresh, ends)


@leaf
def forget(cache: ScoreCache) -> None:
    """Empty the cache: the weights have changed."""
    for part in range(len(cache.tags)):
        for row in range(CACHE_ROWS):
            cache.tags[part, row] = 0


@leaf
def score_parts(
    parts: Parts, cache: ScoreCache, weights: Weights | DenseWeights, context: Context, scores: Ints | Floats
) -> None:
    """Write the scores of all classes for a configuration whose places are in ``cache`` already."""
    atoms, key_atoms, nodes, sets, bounds = parts.atoms, parts.keys, parts.nodes, parts.sets, parts.bounds
    places, values, tags, saved, chosen = cache.places, cache.values, cache.tags, cache.scores, cache.chosen
    words, reached, keys = context.words, cache.nodes, cache.keys
    evaluate(atoms, 0, bounds[0, ATOMS], context, places, values)
    n_parts, n_joint, n_new, n_keys = len(bounds) - 1, parts.n_joint, 0, 0
    joint_key = key_of(parts, bounds[n_parts, KEYS], len(key_atoms), values)
    joint_row = joint_key & np.uint64(CACHE_ROWS - 1)
    known = tags[n_parts, joint_row] == joint_key
    tags[n_parts, joint_row] = joint_key
    for part in range(n_joint if known else 0, n_parts):
        key = key_of(parts, bounds[part, KEYS], bounds[part + 1, KEYS], values)
        row = key & np.uint64(CACHE_ROWS - 1)
        chosen[part] = np.int64(row)
        prefetch(saved, (part * CACHE_ROWS + np.int64(row)) * len(scores))
        if tags[part, row] != key or part == n_parts - 1:
            tags[part, row] = key
            first, end = bounds[part], bounds[part + 1]
            evaluate(atoms, first[ATOMS], end[ATOMS], context, places, values)
            limit, own_sets = n_keys + MAX_FEATURES, sets[first[SETS] : end[SETS]]
            n_keys = fire_trie(nodes, first[NODES], end[NODES], values, reached, keys, n_keys)
            n_keys = fire_sets(own_sets, words, values, reached, keys, n_keys, limit)
            cache.fresh[n_new], cache.ends[n_new] = part, n_keys
            n_new += 1
    look_up(keys, n_keys, weights.slots, weights.packed, cache.rows)
    start = 0
    for i in range(n_new - 1):
        part, stop = cache.fresh[i], cache.ends[i]
        own = saved[Index(part), Index(chosen[Index(part)])]
        for k in range(len(own)):
            own[k] = 0
        add_rows(weights, cache.rows, start, stop, own)
        start = stop
    joint = saved[n_parts, joint_row]
    if not known:
        for k in range(len(scores)):
            joint[k] = weights.bias[k]
        add_parts(saved, chosen, 0, n_joint, joint)
    for k in range(len(scores)):
        scores[k] = joint[k]
    add_parts(saved, chosen, n_joint, n_parts - 1, scores)
    add_rows(weights, cache.rows, start, n_keys, scores)


@leaf
def key_of(parts: Parts, first: int, last: int, values: Longs) -> np.uint64:
    """Return the key of a part, whose atoms are ``parts.keys[first:last]``; it is not 0."""
    key = START
    for i in range(first, last):
        key = mix(key, i, int(values[Index(parts.keys[Index(i)])]))
    return key | _HIGHEST


@leaf
def add_parts(saved: Ints | Floats, chosen: Longs, first: int, last: int, scores: Ints | Floats) -> None:
    """Add the cached scores of parts ``first:last``."""
    for part in range(first, last):
        own = saved[part, Index(chosen[part])]
        for k in range(len(scores)):
            scores[k] += own[k]
