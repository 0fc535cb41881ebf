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


def explain(
    model: str | Path, path: str | Path, *, first: int = 1, last: int | None = None
) -> Iterator[tuple[int, list[Explanation]]]:
    """Yield the number of each sentence, and of every word its head and label, and the rule that set them.

    Sentences are numbered from 1, by default to the last; InputError if a file has no such sentences.
    """
    parser = _decision_list(model)
    treebank = read(path, trees="ignored")
    end = treebank.n_sentences if last is None else last
    if not 1 <= first <= end <= treebank.n_sentences:
        problem = f"expected numbers of sentences in 1..{treebank.n_sentences}, found {first}-{end}"
        raise InputError(problem, path=str(path), remedy="give numbers in this range")
    for number in range(first, end + 1):
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
