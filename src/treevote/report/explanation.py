"""The rules of a decision list behind the arcs of a sentence, as text."""

from __future__ import annotations

from collections.abc import Sequence

from treevote.models.parsers.decision_list.explanation import Explanation
from treevote.terminal import table


def as_text(number: int, words: Sequence[Explanation]) -> str:
    """Return the table of a sentence: every word, its head and label, and the rule that set them."""
    steps = [f"{word.run}.{word.pass_number}" if word.run else "end" for word in words]
    rows = [
        [str(word.position), word.form, str(word.head), word.deprel, step]
        for word, step in zip(words, steps, strict=True)
    ]
    aligned = table(["", "form", "head", "deprel", "step"], rows).split("\n")
    rules = ["rule", *(word.text for word in words)]
    lines = [f"{line}  {text}" for line, text in zip(aligned, rules, strict=True)]
    return "\n".join([f"sentence {number}", *lines, ""])
