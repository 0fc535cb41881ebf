"""The features of arcs and pairs of arcs as a person reads them: a template, the values of its atoms, a position."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tests.reference.features import agreements, attribute, feats
from treevote.corpus.sentence import Word

Feature: TypeAlias = tuple[object, ...]
Roles: TypeAlias = Mapping[str, int]
"""Position of the word in each role, -1 for none."""

Labels: TypeAlias = Mapping[tuple[int, int], int]
"""The likely label of each arc: head, dependent."""


def arc_features(words: Sequence[Word], templates: Sequence[str], h: int, d: int) -> Iterator[Feature]:
    """Yield the features of an arc, in the order of the kernel: plain templates, those with ``b``, with ``feat``."""
    directed, binned = h < d, (h < d, bin_of(abs(h - d)))
    for kind in ("plain", "between", "split"):
        for template in templates:
            if kind_of(template) == kind:
                for values in combinations(words, template, {"h": h, "d": d}):
                    yield (template, values, directed)
                    yield (template, values, binned)


def kind_of(template: str) -> str:
    atoms = template.split("+")
    if any(atom.startswith("b.") for atom in atoms):
        return "between"
    return "split" if any(atom.endswith((".feat", ".agree")) for atom in atoms) else "plain"


def combinations(
    words: Sequence[Word], template: str, roles: Roles, labels: object = None
) -> Iterator[tuple[object, ...]]:
    """Yield the values of the atoms, the first ones slowest; ``b``, ``feat`` and ``agree`` atoms have several."""
    atoms = [atom for atom in template.split("+") if not atom.endswith(".agree")]
    several = [values(words, atom, roles, labels) for atom in atoms]
    if len(atoms) < len(template.split("+")):
        several.append(list(agreements(feats(words[roles["h"]]), feats(words[roles["d"]]))))
    return itertools.product(*several)


def values(words: Sequence[Word], atom: str, roles: Roles, labels: object) -> list[object]:
    if atom == "labels":
        return [labels]
    role, *steps, name = atom.split(".")
    if role == "b":
        low, high = sorted((roles["h"], roles["d"]))
        counts = Counter(attribute(word, name) for word in words[low + 1 : high])
        order = dict.fromkeys(attribute(word, name) for word in words[1:])
        return [(value, min(counts[value], 3)) for value in order if value in counts]
    position = roles[role]
    if position < 0:
        return ["no word"]
    if name == "feat":
        return list(feats(words[position]))
    position += {"prev": -1, "next": 1}[steps[0]] if steps else 0
    return [attribute(words[position], name) if 0 <= position < len(words) else "outside"]


def bin_of(distance: int) -> int:
    """Return the bin of a distance: 1, 2, 3, 4, then 5-6, 7-10 and 11 or more."""
    return distance if distance <= 4 else 5 if distance <= 6 else 6 if distance <= 10 else 7


def sibling_features(
    words: Sequence[Word], templates: Sequence[str], h: int, s: int, d: int, labels: Labels
) -> Iterator[Feature]:
    both = labels[h, d], labels.get((h, s))
    for template in templates:
        for own in combinations(words, template, {"h": h, "s": s, "d": d}, both):
            yield (template, own, h < d)
            yield (template, own, h < d, bin_of(abs(d - (h if s < 0 else s))))


def grandparent_features(
    words: Sequence[Word], templates: Sequence[str], g: int, h: int, d: int, labels: Labels
) -> Iterator[Feature]:
    length, both = abs(h - d), (labels[h, d], labels.get((g, h)))
    for template in templates:
        for own in combinations(words, template, {"g": g, "h": h, "d": d}, both):
            yield (template, own, h < d, g < h)
            yield (template, own, h < d, g < h, 1 if length == 1 else 2 if length <= 4 else 3)
