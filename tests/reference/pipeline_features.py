"""Features of a pair as a person reads them: a template, and the values of its atoms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.reference.features import Agree, Feature, Known, Value, attribute, bin_of, combinations, feats
from tests.reference.pipeline import ACTIONS, State, Tree
from treevote.corpus.sentence import Word


def features(state: State, words: Sequence[Word], templates: Iterable[str], known: Known) -> Counter[Feature]:
    """Return the features of a pair in a sentence, ``words[0]`` being ROOT, and how often each is there."""
    found: Counter[Feature] = Counter()
    for template in templates:
        values = [atom(state, words, part, known) for part in template.split("+")]
        found.update((template, combination) for combination in combinations(values))
    return found


def atom(state: State, words: Sequence[Word], text: str, known: Known) -> list[Value]:
    """Return the values of an atom: none if it is not there, several for ``feat``."""
    if text == "distance":
        return [bin_of(state.T[state.focus + 1].token - state.T[state.focus].token)]
    if text in ("action", "action2"):
        back = 1 if text == "action" else 2
        history = state.history[-1]
        return [ACTIONS.index(history[-back])] if len(history) >= back else []
    *steps, name = text.split(".")
    tree = place(state, steps, len(words) - 1)
    if tree is None:
        return []
    if name in ("lval", "rval"):
        return [min(len(tree.left if name == "lval" else tree.right), 6)]
    if name == "feat":
        return [value for value in feats(words[tree.token]) if value in known["feat"]]
    if name == "agree":
        own = [value for value in feats(words[tree.token]) if value in known["feat"]]
        return [Agree(own)] if own else []
    value = attribute(words[tree.token], name)
    return [value] if value in known[name] else []


def place(state: State, steps: Sequence[str], n: int) -> Tree | None:
    """Return the word at a place, with its dependents."""
    line = [Tree(0), *state.T]
    at = state.focus + 1 + (1 + int(steps[0][1:]) if steps[0][0] == "q" else -int(steps[0][1:]))
    tree = line[at] if 0 <= at < len(line) else None
    for step in steps[1:]:
        if tree is None:
            break
        if step in ("prev", "next"):
            token = tree.token + (1 if step == "next" else -1)
            tree = next((other for other in (line[0], *every(state.T)) if other.token == token), None)
            continue
        side = tree.left if step[0] == "l" else tree.right[::-1]  # the outermost first
        back = 2 if step.endswith("2") else 1
        tree = side[back - 1] if len(side) >= back else None
    return tree


def every(trees: Iterable[Tree]) -> Iterable[Tree]:
    for tree in trees:
        yield tree
        yield from every((*tree.left, *tree.right))
