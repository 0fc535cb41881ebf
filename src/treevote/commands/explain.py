"""``treevote explain``, ``treevote inspect --rules``: the rules of decision lists, and the rule behind each arc."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from treevote.conll.reader import read
from treevote.ensemble.parser import load
from treevote.errors import ConfigError, InputError
from treevote.models.parsers.decision_list.explanation import explain as explain_sentence
from treevote.models.parsers.decision_list.explanation import rules_text
from treevote.models.parsers.decision_list.parser import DecisionListParser
from treevote.terminal import table


def rules(model: str | Path) -> Iterator[str]:
    """Yield the rules of the decision lists of a model, line by line; ConfigError if it has none."""
    return rules_text(_decision_list(model))


def explain(model: str | Path, path: str | Path, *, first: int = 1, last: int | None = None) -> Iterator[str]:
    """Yield a table for each sentence: every word, its head and label, and the rule that set them.

    Sentences are numbered from 1, by default to the last; InputError if a file has no such sentences.
    """
    parser = _decision_list(model)
    treebank = read(path, trees="ignored")
    end = treebank.n_sentences if last is None else last
    if not 1 <= first <= end <= treebank.n_sentences:
        raise InputError(
            f"expected numbers of sentences in 1..{treebank.n_sentences}, found {first}-{end}",
            path=str(path),
            remedy="give numbers in this range",
        )
    for i in range(first - 1, end):
        words = list(explain_sentence(parser, treebank, i))
        steps = [f"{word.run}.{word.pass_number}" if word.run else "end" for word in words]
        rows = [
            [str(word.position), word.form, str(word.head), word.deprel, step]
            for word, step in zip(words, steps, strict=True)
        ]
        aligned = table(["", "form", "head", "deprel", "step"], rows).split("\n")
        rules_of = ["rule", *(word.text for word in words)]
        lines = [f"{line}  {text}" for line, text in zip(aligned, rules_of, strict=True)]
        yield "\n".join([f"sentence {i + 1}", *lines, ""])


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
