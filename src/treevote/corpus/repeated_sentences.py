"""Sentences that occur in other data, word for word."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator

from treevote.corpus.treebank import Treebank


def sentence_forms(treebank: Treebank) -> Iterator[tuple[str, ...]]:
    """Yield the forms of each sentence.

    >>> list(sentence_forms(Treebank.of([(["Dogs", "bark"], [2, 0], ["nsubj", "root"]), (["Yes"], [0], ["root"])])))
    [('Dogs', 'bark'), ('Yes',)]
    """
    forms, tokens = [word.form for word in treebank.words], treebank.tokens.tolist()
    for first, last in itertools.pairwise(treebank.offsets.tolist()):
        yield tuple(forms[token] for token in tokens[first + 1 : last])


def repeated(treebank: Treebank, known: Container[tuple[str, ...]]) -> int:
    """Return the number of sentences whose forms are those of a known sentence."""
    return sum(forms in known for forms in sentence_forms(treebank))
