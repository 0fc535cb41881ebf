"""The rules of a parser as text, and the rule behind each link of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from treevote.corpus.treebank import Treebank
from treevote.models.decision_list.attributes import feature_name
from treevote.models.decision_list.linkage import class_name
from treevote.models.decision_list.parser import DecisionListParser


class Explanation(NamedTuple):
    """The rule behind the link of a word.

    Attributes
    ----------
    position : int
        Position of the word, from 1.
    form : str
    head, deprel
        Head and label of the link before pseudo-projective decoding, which can change the head and removes marks from
        the label.
    run, pass_number : int
        Counted from 1; both are 0 for a link of completion.
    rule : int
        Number of the rule within its list, 1 for the top; 0 if no rule matched.
    text : str
        The rule, or the reason for its absence.
    """

    position: int
    form: str
    head: int
    deprel: str
    run: int
    pass_number: int
    rule: int
    text: str


def rule_text(parser: DecisionListParser, number: int, rule: int) -> str:
    """Return a rule as text.

    Parameters
    ----------
    parser : DecisionListParser
    number : int
        The pass, from 0.
    rule : int
        From 0 at the top.
    """
    rules = parser.lists[number]
    names = [feature_name(f, parser.table, parser.memo.lexicon, parser.labels) for f in rules.pattern(rule)]
    said = class_name(int(rules.classes[rule]), parser.labels)
    counts = f"gain {rules.gains[rule]}, right {rules.right[rule]} of {rules.decided[rule]}"
    condition = f"if {' and '.join(names)} then " if names else "otherwise "
    return f"pass {number + 1}: {condition}{said}  ({counts})"


def rules_text(parser: DecisionListParser) -> Iterator[str]:
    """Yield the rules of all lists as text, each list from its top.

    Examples
    --------
    >>> from treevote.models.decision_list.parser import DecisionListTrainer
    >>> from treevote.corpus.sentence import Word
    >>> words = [Word("a", "a", "DET", "_", "_"), Word("dog", "dog", "NOUN", "_", "_")]
    >>> toy = Treebank.of([(words, [2, 0], ["det", "root"])] * 4)
    >>> for line in rules_text(DecisionListTrainer(attributes=("upos",), weights=(1,)).train(toy)):
    ...     print(line)
    pass 1: if left.upos=DET then L:det  (gain 4, right 4 of 4)
    pass 1: otherwise NONE  (gain 4, right 4 of 4)
    """
    for number, rules in enumerate(parser.lists):
        for rule in range(len(rules.classes)):
            yield rule_text(parser, number, rule)


def explain(parser: DecisionListParser, treebank: Treebank, i: int) -> list[Explanation]:
    """Return the rule behind the link of each word of a sentence.

    Parameters
    ----------
    parser : DecisionListParser
    treebank : Treebank
    i : int
        The sentence, from 0.
    """
    one = treebank.select([i])
    linkage = parser.link(one)
    words = one.sentence(0).words
    last = len(parser.lists) - 1
    result = []
    for position in range(1, len(words)):
        step, rule = int(linkage.steps[position]), int(linkage.rules[position])
        finished = step < parser.n_steps
        number = step % len(parser.lists) if finished else last
        text = rule_text(parser, number, rule) if rule >= 0 else "no rule matched: the nearest tree, the usual label"
        result.append(
            Explanation(
                position,
                words[position].form,
                int(linkage.heads[position]),
                parser.labels[(int(linkage.classes[position]) - 1) // 2],
                step // len(parser.lists) + 1 if finished else 0,
                number + 1 if finished else 0,
                rule + 1,
                text if finished else f"left over; {text}",
            )
        )
    return result
