"""Feature keys, and the trie of templates, in which they share their common atoms.

A key mixes the number of each atom of a template with its value; two features share a key with probability 2**-64, so
keys replace features (Shi et al. 2009 show that even far shorter keys do no harm). With the atoms of each template in
one canonical order, templates form a trie: a key is computed once for each node, not for each atom of each template.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

import numpy as np

from treevote.kernels import Index, Ints, Keys, Longs, leaf

START = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(29)


@leaf
def mix(key: np.uint64, atom: int, value: int) -> np.uint64:
    """Return the key of a feature with one more atom."""
    key = (key ^ np.uint64((np.int64(atom) << 32) | value)) * _MULTIPLIER
    return key ^ (key >> _SHIFT)


def grow_trie(templates: Sequence[Sequence[int]], sets: Container[int]) -> tuple[Ints, list[int]]:
    """Return the trie of templates, given as numbers of atoms; atoms of more templates are nearer to its root.

    Multi-valued atoms, ``sets``, are not in the trie: their templates extend one of its nodes. A row of the trie, shape
    (n_nodes, 3), is the earlier node that it extends (-1 for none), its atom, and 1 if a template without sets ends
    there, else 0. Also return the last node of each template, -1 for a template of sets alone.

    >>> nodes, ends = grow_trie([[0, 1], [1], [1, 2]], sets={2})
    >>> nodes.tolist(), ends
    ([[-1, 1, 1], [0, 0, 1]], [1, 0, 0])
    """
    uses = Counter(atom for template in templates for atom in template)
    nodes: dict[tuple[int, int], int] = {}
    ends = []
    for template in templates:
        node = -1
        for atom in sorted((atom for atom in template if atom not in sets), key=lambda atom: (-uses[atom], atom)):
            node = nodes.setdefault((node, atom), len(nodes))
        ends.append(node)
    whole = {end for template, end in zip(templates, ends, strict=True) if not any(a in sets for a in template)}
    rows = [(*pair, node in whole) for pair, node in nodes.items()]
    return np.array(rows, np.int32).reshape(-1, 3), ends


@leaf
def fire_trie(nodes: Ints, first: int, last: int, values: Longs, reached: Keys, keys: Keys, count: int) -> int:
    """Write the features of templates without sets that end in nodes ``first:last``, and return their number.

    A template does not fire if the value of an atom is 0. ``reached`` receives the key at each node, 0 for a node that
    was not reached. The length of ``keys`` is at least the number of nodes plus 1.
    """
    for node in range(first, last):
        before, atom, ends = nodes[Index(node), 0], nodes[Index(node), 1], nodes[Index(node), 2]
        value, start = values[Index(atom)], key_at(before, reached)
        fires = (value != 0) & (start != 0)  # a factor and no branch, which the processor would often guess wrong
        key = mix(start, atom, int(value)) * np.uint64(fires)
        reached[Index(node)] = key
        keys[Index(count)] = key
        count += ends * np.int64(fires)
    return count


@leaf
def key_at(node: int, reached: Keys) -> np.uint64:
    """Return the key at a node, that of the empty template for -1; 0 if the node was not reached."""
    return np.uint64(reached[Index(node)]) if node >= 0 else START
