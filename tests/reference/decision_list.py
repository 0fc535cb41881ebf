"""The decision-list parser as it is defined: links as sets of arcs, features as text, lists walked from the top."""

from __future__ import annotations

from dataclasses import dataclass, field

from treevote.corpus.sentence import Word
from treevote.models.learning.features.lexicon import ATTRIBUTES, attributes, split_feats
from treevote.models.parsers.decision_list.attributes import feature_name
from treevote.models.parsers.decision_list.completion import usual_classes
from treevote.models.parsers.decision_list.parser import DecisionListParser

Pair = tuple[int, int]


def crosses(one: Pair, other: Pair) -> bool:
    (a, b), (c, d) = sorted(one), sorted(other)
    return a < c < b < d or c < a < d < b


@dataclass
class Links:
    """Heads and labels found so far; the sentence has the words ``0..n``."""

    n: int
    heads: dict[int, int] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)

    def dominates(self, head: int, word: int) -> bool:
        while word != head and word in self.heads:
            word = self.heads[word]
        return word == head

    def dependents(self, word: int) -> list[int]:
        return sorted(d for d, h in self.heads.items() if h == word)

    def may_link(self, head: int, dependent: int, single_root: bool) -> bool:
        """Tell whether the words are potentially adjacent and the link is possible."""
        low, high = sorted((head, dependent))
        return (
            dependent != 0
            and dependent not in self.heads
            and not self.dominates(dependent, head)
            and all(word in self.heads for word in range(low + 1, high))
            and not any(crosses((head, dependent), arc) for arc in self.heads.items())
            and not (head == 0 and single_root and self.dependents(0))
        )

    def pairs(self, single_root: bool) -> list[Pair]:
        """Return the potentially adjacent pairs."""
        return [
            (left, right)
            for left in range(self.n + 1)
            for right in range(left + 1, self.n + 1)
            if self.may_link(left, right, single_root) or self.may_link(right, left, single_root)
        ]

    def root_of(self, word: int) -> int:
        return self.root_of(self.heads[word]) if word in self.heads else word


def word_features(name: str, word: Word, asked: tuple[str, ...], suffixes: int) -> set[str]:
    values: dict[str, str] = dict(zip(ATTRIBUTES, attributes(word), strict=True))
    found = set()
    for attribute in asked:
        if attribute == "feats":
            found |= {f"{name}.feats={value}" for value in split_feats(word.feats)}
        else:
            lengths = range(1, suffixes + 1)
            columns = [f"suffix{k}" for k in lengths] if attribute == "suffix" else [attribute]
            found |= {f"{name}.{column}={values[column]}" for column in columns if values[column]}
    return found


def features(parser: DecisionListParser, words: tuple[Word, ...], links: Links, left: int, right: int) -> set[str]:
    """Return the features of a pair in rules."""
    context, n = parser.trainer.context, links.n
    places: dict[str, int | None] = {"left": left, "right": right}
    for name, word in (("left", left), ("right", right)):
        below = links.dependents(word)
        places[f"{name}.ldep"] = below[0] if below and below[0] < word else None
        places[f"{name}.rdep"] = below[-1] if below and below[-1] > word else None
        places[f"{name}.head"] = links.heads.get(word)
        for k in range(1, context + 1):
            before, after = word - k, word + k
            places[f"{name}-{k}"] = before if (0 if name == "left" else left + 1) <= before else None
            places[f"{name}+{k}"] = after if after <= (right - 1 if name == "left" else n) else None
    roots = [word for word in range(n + 1) if word not in links.heads]
    one, other = roots.index(links.root_of(left)), roots.index(links.root_of(right))
    places["before"] = roots[one - 1] if one else None
    places["after"] = roots[other + 1] if other + 1 < len(roots) else None
    found = set()
    for name, place in places.items():
        if place is None:
            found.add(f"no {name}")
            continue
        found |= word_features(name, words[place], parser.attributes, parser.trainer.suffixes)
        if name.startswith(("left", "right")) and not any(sign in name for sign in "+-") and place in links.labels:
            found.add(f"{name}.deprel={links.labels[place]}")
    distance = right - left
    found.add(
        f"distance={distance}" if distance <= 4
        else "distance=5-6" if distance <= 6
        else "distance=7-10" if distance <= 10
        else "distance=11 or more"
    )  # fmt: skip
    return found | {f"between.upos={word.upos}" for word in words[left + 1 : right] if word.upos != "_"}


@dataclass(frozen=True)
class PlainRule:
    pattern: frozenset[str]
    direction: str
    label: str
    reliability: float


def plain_lists(parser: DecisionListParser) -> list[list[PlainRule]]:
    """Return the lists with features as text."""
    return [
        [
            PlainRule(
                frozenset(
                    feature_name(f, parser.table, parser.memo.lexicon, parser.labels) for f in rules.pattern(number)
                ),
                "" if said == 0 else "L" if said % 2 else "R",
                "" if said == 0 else parser.labels[(said - 1) // 2],
                (int(rules.right[number]) + 0.5) / (int(rules.decided[number]) + 1.0),
            )
            for number, said in enumerate(rules.classes.tolist())
        ]
        for rules in parser.lists
    ]


def parse(parser: DecisionListParser, words: tuple[Word, ...]) -> Links:
    """Return the links of a sentence, ROOT in front of its words, before marks of labels are resolved."""
    lists, links = plain_lists(parser), Links(len(words) - 1)
    for step in range(parser.n_steps):
        rules = lists[step % len(lists)]
        found = []
        for left, right in links.pairs(parser.single_root):
            seen = features(parser, words, links, left, right)
            rule = next(rule for rule in rules if rule.pattern <= seen)
            if rule.direction:
                found.append((rule, left, right))
        for rule, left, right in sorted(found, key=lambda item: -item[0].reliability):
            head, dependent = (right, left) if rule.direction == "L" else (left, right)
            if links.may_link(head, dependent, parser.single_root):
                links.heads[dependent], links.labels[dependent] = head, rule.label
    while len(links.heads) < links.n:
        join(parser, lists[-1], words, links)
    return links


def join(parser: DecisionListParser, rules: list[PlainRule], words: tuple[Word, ...], links: Links) -> None:
    """Link the pair whose rule is the most reliable."""
    single = parser.single_root
    pairs = links.pairs(single)
    if single and not links.dependents(0) and len(links.heads) < links.n - 1:
        pairs = [(left, right) for left, right in pairs if left]
    best: tuple[float, int, int, PlainRule] | None = None
    for left, right in in_order(links, pairs):
        possible = {"L": links.may_link(right, left, single), "R": links.may_link(left, right, single)}
        seen = features(parser, words, links, left, right)
        rule = next((r for r in rules if possible.get(r.direction) and r.pattern <= seen), None)
        if rule is None:
            usual = usual_classes(parser.lists[-1])[1 if possible["R"] else 0]
            rule = PlainRule(frozenset(), "R" if possible["R"] else "L", parser.labels[(usual - 1) // 2], 0.0)
        if best is None or rule.reliability > best[0]:
            best = rule.reliability, left, right, rule
    assert best is not None
    _, left, right, rule = best
    head, dependent = (right, left) if rule.direction == "L" else (left, right)
    links.heads[dependent], links.labels[dependent] = head, rule.label


def in_order(links: Links, pairs: list[Pair]) -> list[Pair]:
    """Return pairs tree by tree; of two trees first those with the root on the right, each from the roots down."""

    def depth(word: int) -> int:
        return 1 + depth(links.heads[word]) if word in links.heads else 0

    def key(pair: Pair) -> tuple[int, bool, int]:
        left, right = pair
        return links.root_of(right), depth(right) > 0, depth(left) + depth(right)

    return sorted(pairs, key=key)
