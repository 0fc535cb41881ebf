"""``treevote explain``, ``treevote inspect --rules``: the rules of decision lists, and the rule behind each arc."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from treevote.conll.reader import read
from treevote.ensemble.parser import load
from treevote.errors import ConfigError, InputError
from treevote.models.parsers.decision_list.explanation import Explanation, rules_text
from treevote.models.parsers.decision_list.explanation import explain as explain_sentence
from treevote.models.parsers.decision_list.parser import DecisionListParser


def rules(model: str | Path) -> Iterator[str]:
    """Yield the rules of the decision lists of a model, line by line; ConfigError if it has none."""
    return rules_text(_decision_list(model))


def explain(model: str | Path, path: str | Path, sentence: int | None) -> Iterator[tuple[int, list[Explanation]]]:
    """Yield the number of each sentence, and of every word its head and label, and the rule that set them.

    Sentences are numbered from 1; one of them alone if it is given; InputError if there is no such sentence.
    """
    parser = _decision_list(model)
    treebank = read(path, trees="ignored")
    numbers = range(1, treebank.n_sentences + 1)
    if sentence is not None and sentence not in numbers:
        problem = f"expected a sentence from 1 to {len(numbers):,}, found {sentence}"
        raise InputError(problem, path=str(path), remedy="choose among these")
    for number in numbers if sentence is None else [sentence]:
        yield number, list(explain_sentence(parser, treebank, number - 1))


def _decision_list(model: str | Path) -> DecisionListParser:
    """Return the first decision list among the members of a model."""
    members = load(model).members
    found = next((member for member in members.values() if isinstance(member, DecisionListParser)), None)
    if found is None:
        raise ConfigError(
            f"{model} has no decision list among its members ({', '.join(members)}); "
            "train one with --members decision-list"
        )
    return found
