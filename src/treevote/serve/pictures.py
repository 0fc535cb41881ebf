"""``POST /draw``: trees over the same words as SVG; for the page.

The request is ``{"words": {"form", "upos"}, "trees": [{"head", "deprel"}, …], "confidence": [...], "width": pixels}``,
with a value for each word, and the confidence may be missing. The answer is ``{"pictures": [...]}``: the first tree,
and each other with its differences from the first. ``"caption"`` asks for one SVG file of the first tree instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treevote.corpus.sentence import ROOT, Sentence, Word
from treevote.drawing import svg
from treevote.serve.answers import RequestError
from treevote.serve.queue import Run, Task, separately
from treevote.serve.votes import asked

MAX_WORDS, MAX_TREES = 500, 20
"""Maximum numbers of words and trees of a request."""


def draw(tasks: Sequence[Task], run: Run) -> list[dict[str, Any] | Exception]:
    """Return the answer to each request."""
    return separately(_answer, tasks)


def _answer(task: Task) -> dict[str, Any]:
    request = asked(task.data)
    try:
        words, trees, width = request["words"], request["trees"], float(request["width"])
        pairs = list(zip(map(str, words["form"]), map(str, words["upos"]), strict=True))
        confidence = request.get("confidence")
        sure = None if confidence is None or None in confidence else [0.0, *map(float, confidence)]
        n = len(pairs)
        if n > MAX_WORDS or len(trees) > MAX_TREES:
            raise RequestError(400, f"Cannot draw more than {MAX_WORDS} words, or {MAX_TREES} trees.")
        if not (n and trees and 100 <= width <= 10_000):
            raise ValueError
        if sure is not None and (len(sure) != n + 1 or not all(0 <= value <= 1 for value in sure)):
            raise ValueError
        first, *others = [_sentence(pairs, tree["head"], tree["deprel"]) for tree in trees]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        problem = (
            f"expected 'words' with lists 'form' and 'upos' of 1 to {MAX_WORDS}, 1 to {MAX_TREES} 'trees' with lists "
            "'head' and 'deprel' as long, and a 'width' of 100 to 10000"
        )
        raise RequestError(400, f"Cannot draw: {problem}.") from None
    picture = svg.draw(first, width=width, confidence=sure, numbered="caption" not in request)
    if "caption" in request:
        return {"file": svg.document([(str(request["caption"]), picture)], two_trees=False, confident=sure is not None)}
    return {"pictures": [picture.markup, *(svg.draw(first, other, width=width).markup for other in others)]}


def _sentence(pairs: Sequence[tuple[str, str]], heads: Sequence[int], deprels: Sequence[str]) -> Sentence:
    n = len(pairs)
    if len(heads) != n or len(deprels) != n or not all(type(head) is int and -1 <= head <= n for head in heads):
        raise ValueError
    words = (ROOT, *(Word(form, "_", upos, "_", "_") for form, upos in pairs))
    return Sentence(words, np.array([-1, *heads], np.int32), ("", *map(str, deprels)))
