"""Other words for the tokens of a treebank, in memory and in the text that it was read from."""

from __future__ import annotations

import dataclasses

import numpy as np

from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints


def with_words(treebank: Treebank, words: tuple[Word, ...], tokens: Ints) -> Treebank:
    """Return the same sentences and trees with other lemmas and tags; forms stay.

    ``tokens`` has for each slot the index in ``words``, whose first is ROOT. If the treebank has a source, the columns
    LEMMA to FEATS of its lines change as well, and nothing else in them.
    """
    source = treebank.source
    if source is not None:
        lines = list(source.lines)
        columns = ["\t".join(word[1:]) for word in words]
        slots = np.flatnonzero(treebank.is_token)
        for line, word in zip(source.line_of[slots].tolist(), tokens[slots].tolist(), strict=True):
            number, form, _, _, _, _, rest = lines[line].split("\t", 6)
            lines[line] = f"{number}\t{form}\t{columns[word]}\t{rest}"
        source = dataclasses.replace(source, text="\n".join(lines).encode("utf-8", "surrogateescape"))
    return dataclasses.replace(treebank, words=words, tokens=tokens, source=source)
