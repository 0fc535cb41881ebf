"""The labeller as a person reads it: trees as dictionaries, features as a template and the values of its atoms."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tests.reference.features import Feature, Known, Value, attribute, bin_of, feats
from treevote.corpus.sentence import Word

Labels = Mapping[int, int]

MOST_VALUES = 16


def dependents(heads: Sequence[int], position: int) -> list[int]:
    """Return the dependents of a position from left to right; ``heads[0]`` is -1."""
    return [token for token in range(1, len(heads)) if heads[token] == position]


def depth(heads: Sequence[int], position: int) -> int:
    return 0 if position == 0 else 1 + depth(heads, heads[position])


def labelling_order(heads: Sequence[int]) -> list[int]:
    """Return the tokens, the deepest first; on one level in the order of their heads, then from left to right."""

    def path(token: int) -> list[int]:
        return [token] if heads[token] <= 0 else [*path(heads[token]), token]

    return sorted(range(1, len(heads)), key=lambda token: (-depth(heads, token), path(token)))


def step(heads: Sequence[int], position: int, name: str) -> int | None:
    """Return the position that one step leads to."""
    if name in ("prev", "next"):
        position += 1 if name == "next" else -1
        return position if 0 <= position < len(heads) else None
    if name in ("ls", "rs"):
        if position == 0:
            return None
        siblings = dependents(heads, heads[position])
        at = siblings.index(position) + (1 if name == "rs" else -1)
        return siblings[at] if 0 <= at < len(siblings) else None
    own = dependents(heads, position)
    left, right = [d for d in own if d < position], [d for d in own if d > position]
    choice = {"l": left[:1], "il": left[-1:], "ir": right[:1], "r": right[-1:]}[name]
    return choice[0] if choice else None


def number(heads: Sequence[int], position: int, name: str) -> int:
    own = dependents(heads, position)
    if name == "lval":
        return len([d for d in own if d < position])
    if name == "rval":
        return len([d for d in own if d > position])
    if position == 0:
        return 0
    head = heads[position]
    between = range(min(head, position) + 1, max(head, position))
    return len([d for d in dependents(heads, head) if d in between])


def few(values: Sequence[Value]) -> list[Value]:
    """Return the first distinct values, at most ``MOST_VALUES``."""
    return list(dict.fromkeys(values))[:MOST_VALUES]


def atom(
    heads: Sequence[int], labels: Labels, words: Sequence[Word], dependent: int, text: str, known: Known
) -> list[Value]:
    """Return the values of an atom: none if it is not there, several for a set."""
    head = heads[dependent]
    if text == "distance":
        return [("right" if dependent > head else "left") + str(bin_of(abs(dependent - head)))]
    if text == "between":
        tags = [attribute(words[p], "upos") for p in range(min(head, dependent) + 1, max(head, dependent))]
        return few([tag for tag in tags if tag in known["upos"]])
    if text == "agree":
        return few([v for v in feats(words[dependent]) if v in feats(words[head]) and v in known["feat"]])
    start, *steps, name = text.split(".")
    at: int | None = {"d": dependent, "h": head, "g": heads[head]}[start]
    if at == -1:
        at = None
    for one in steps:
        at = None if at is None else step(heads, at, one)
    if at is None:
        return []
    if name in ("lval", "rval", "rank"):
        return [min(number(heads, at, name), 6)]
    if name == "deprel":
        return [labels[at]] if at in labels else []
    if name == "dependents":
        return few([labels[d] for d in dependents(heads, at) if d in labels])
    if name == "feat":
        return few([value for value in feats(words[at]) if value in known["feat"]])
    value = attribute(words[at], name)
    return [value] if value in known[name] else []


def features(
    heads: Sequence[int],
    labels: Labels,
    words: Sequence[Word],
    dependent: int,
    templates: Sequence[str],
    known: Known,
) -> Counter[Feature]:
    """Return the features of an arc and how often each is there; ``labels`` are those known so far."""
    found: Counter[Feature] = Counter()
    for template in templates:
        values = [atom(heads, labels, words, dependent, part, known) for part in template.split("+")]
        found.update((template, combination) for combination in itertools.product(*values))
    return found


def label_greedily(heads: Sequence[int], choose: Callable[[int, Labels], int]) -> dict[int, int]:
    """Label the arcs of a tree; the arguments of ``choose`` are the dependent and the labels so far."""
    labels: dict[int, int] = {}
    for dependent in labelling_order(heads):
        labels[dependent] = choose(dependent, labels)
    return labels
