"""The rules of a parser as text, and the rule behind each link of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from treevote.corpus.treebank import Treebank
from treevote.models.parsers.decision_list.attributes import feature_name
from treevote.models.parsers.decision_list.linkage import class_name
from treevote.models.parsers.decision_list.parser import DecisionListParser


class Explanation(NamedTuple):
    """The rule behind the link of a word; head and label are those before pseudo-projective decoding."""

    position: int  # from 1
    form: str
    head: int
    deprel: str
    run: int  # from 1; 0 for a link of completion, as the pass
    pass_number: int
    rule: int  # within its list, 1 for the top; 0 if no rule matched
    text: str  # the rule, or the reason for its absence


def rule_text(parser: DecisionListParser, number: int, rule: int) -> str:
    """Return a rule of a pass as text, both counted from 0."""
    rules = parser.lists[number]
    names = [feature_name(f, parser.table, parser.memo.lexicon, parser.labels) for f in rules.pattern(rule)]
    said = class_name(int(rules.classes[rule]), parser.labels)
    counts = f"gain {rules.gains[rule]}, right {rules.right[rule]} of {rules.decided[rule]}"
    condition = f"if {' and '.join(names)} then " if names else "otherwise "
    return f"pass {number + 1}: {condition}{said}  ({counts})"


def rules_text(parser: DecisionListParser) -> Iterator[str]:
    """Yield the rules of all lists as text, each list from its top."""
    for number, rules in enumerate(parser.lists):
        for rule in range(len(rules.classes)):
            yield rule_text(parser, number, rule)


def explain(parser: DecisionListParser, treebank: Treebank, i: int) -> list[Explanation]:
    """Return the rule behind the link of each word of sentence ``i``."""
    one = treebank.select([i])
    linkage = parser.link(one)
    words = one.sentence(0).words
    result = []
    for position in range(1, len(words)):
        step, rule = int(linkage.steps[position]), int(linkage.rules[position])
        in_pass = step < parser.n_steps
        run, number = divmod(step, len(parser.lists)) if in_pass else (-1, -1)
        text = "no rule matched: the nearest tree, the usual label"
        if rule >= 0:
            text = rule_text(parser, number if in_pass else len(parser.lists) - 1, rule)
        text = text if in_pass else f"left over; {text}"
        head, deprel = int(linkage.heads[position]), parser.labels[(int(linkage.classes[position]) - 1) // 2]
        result.append(Explanation(position, words[position].form, head, deprel, run + 1, number + 1, rule + 1, text))
    return result
