"""Trees inside a notebook."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from treevote.corpus.sentence import Sentence
from treevote.drawing.svg import document, draw

MAX_INLINE = 3
"""Maximum number of sentences in a notebook's cell."""


def drawing(sentences: Iterable[Sentence]) -> str:
    """Return an SVG file with the first sentences.

    Examples
    --------
    >>> from treevote.corpus.treebank import Treebank
    >>> toy = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])] * 5)
    >>> toy._repr_svg_().count("nsubj</text>"), toy[0]._repr_svg_().count("nsubj</text>")
    (3, 1)
    """
    first = itertools.islice(sentences, MAX_INLINE)
    pictures = [(f"sentence {number}", draw(sentence)) for number, sentence in enumerate(first, 1)]
    return document(pictures if len(pictures) > 1 else [("", picture) for _, picture in pictures], two_trees=False)
