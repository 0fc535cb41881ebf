"""Features as a person reads them: a template, and the values of its atoms."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

from tests.reference.arc_standard import Configuration, Tree
from treevote.corpus.sentence import Word


class Agree(tuple[str, ...]):
    """The FEATS of a word, to be compared with those of another."""


Value: TypeAlias = "str | int | Agree"
Feature: TypeAlias = tuple[str, tuple[Value, ...]]
Known: TypeAlias = Mapping[str, set[str]]


def read_bits(key: int) -> int:
    """Return the part of the key of a feature that an index reads: all but the lowest 16 bits."""
    return key >> 16 << 16


def attribute(word: Word, name: str) -> str:
    """Return an attribute of a word, empty where it has none."""
    lower = "".join("0" if character.isdigit() else character for character in word.form.lower())
    if name in ("form", "lemma", "upos", "xpos", "feats"):
        value = str(getattr(word, name))
        nothing = (value == "_" and name != "form") or (name == "xpos" and value == word.upos)
        return "" if nothing else value
    if name == "lower":
        return lower
    if name == "shape":
        kinds = [
            "X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else "o" if c.isalpha() else c
            for c in word.form
        ]
        return "".join(kind for kind, _ in itertools.groupby(kinds))[:8]
    size = int(name[-1])
    if name.startswith("prefix"):
        return lower[:size]
    return lower[-size:] if len(lower) >= size else ""


def feats(word: Word) -> list[str]:
    return [] if word.feats == "_" else word.feats.split("|")


def known_of(words: Iterable[Word], names: Iterable[str]) -> Known:
    """Return the values of every attribute that occur in the training words."""
    words = list(words)
    known = {name: {attribute(word, name) for word in words} - {""} for name in names}
    return known | {"feat": {value for word in words for value in feats(word)}}


def features(
    configuration: Configuration, words: Sequence[Word], templates: Iterable[str], known: Known
) -> Counter[Feature]:
    """Return the features of a configuration over a sentence, ``words[0]`` being ROOT, and how often each is there."""
    found: Counter[Feature] = Counter()
    for template in templates:
        values = [atom(configuration, words, part, known) for part in template.split("+")]
        found.update((template, combination) for combination in combinations(values))
    return found


def combinations(values: Iterable[Sequence[Value]]) -> Iterable[tuple[Value, ...]]:
    """Return the combinations of the values of atoms; two of ``agree`` are compared, and give their agreements."""
    compared = [own[0] for own in values if own and isinstance(own[0], Agree)]
    others = [own for own in values if not (own and isinstance(own[0], Agree))]
    if len(compared) == 2:
        others.append(agreements(*compared))
    return itertools.product(*others)


def agreements(one: Sequence[str], two: Sequence[str]) -> list[str]:
    """Return for each attribute of FEATS of two words whether they agree, or which of them lacks it."""
    found = []
    for value in one:
        name = value.partition("=")[0]
        others = [other for other in two if other.partition("=")[0] == name]
        found.append(f"{name} " + ("same" if value in others else "different" if others else "missing in the second"))
    names = {value.partition("=")[0] for value in one}
    lacking = [value.partition("=")[0] for value in two]
    return found + [f"{name} missing in the first" for name in lacking if name not in names]


def atom(configuration: Configuration, words: Sequence[Word], text: str, known: Known) -> list[Value]:
    """Return the values of an atom: none if it is not there, several for ``feat``."""
    stack, _, history = configuration
    if text == "distance":
        return [bin_of(stack[-1].token - stack[-2].token)] if len(stack) > 1 else []
    if text in ("action", "action2"):
        back = 1 if text == "action" else 2
        return [history[-back]] if len(history) >= back else []
    *steps, name = text.split(".")
    token, tree, label = place(configuration, steps, len(words) - 1)
    if token is None:
        return []
    if name == "deprel":
        return [label] if label is not None else []
    if name in ("lval", "rval"):
        if tree is None:
            return []
        return [min(len(tree.left if name == "lval" else tree.right), 6)]
    if name == "feat":
        return [value for value in feats(words[token]) if value in known["feat"]]
    if name == "agree":
        own = [value for value in feats(words[token]) if value in known["feat"]]
        return [Agree(own)] if own else []
    value = attribute(words[token], name)
    return [value] if value in known[name] else []


def place(configuration: Configuration, steps: Sequence[str], n: int) -> tuple[int | None, Tree | None, int | None]:
    """Return the word at a place, its tree if it is part of one, and the label of its arc if it has one."""
    first, depth = steps[0][0], int(steps[0][1:])
    tree: Tree | None = None
    if first == "s" and depth < len(configuration.stack):
        tree = configuration.stack[-1 - depth]
    if first == "q" and depth < len(configuration.queue):
        tree = Tree(configuration.queue[depth])
    token = tree.token if tree else None
    label: int | None = None
    for step in steps[1:]:
        if step in ("next", "prev"):
            tree = label = None
            if token is not None:
                token += 1 if step == "next" else -1
                token = token if 0 <= token <= n else None
            continue
        side = (tree.left if step[0] == "l" else tree.right) if tree else ()
        back = 2 if step.endswith("2") else 1
        label, tree = side[-back] if len(side) >= back else (None, None)
        token = tree.token if tree else None
    return token, tree, label


def bin_of(distance: int) -> int:
    return next(bin for bin, most in enumerate((1, 2, 3, 4, 6, 9, 10**9), 1) if distance <= most)


def occurrences(bags: Iterable[Counter[Hashable]]) -> Counter[tuple[tuple[int, int], ...]]:
    """Return for each thing in which bags it is and how often, and count these."""
    found: defaultdict[Hashable, list[tuple[int, int]]] = defaultdict(list)
    for i, bag in enumerate(bags):
        for item, times in bag.items():
            found[item].append((i, times))
    return Counter(tuple(where) for where in found.values())
