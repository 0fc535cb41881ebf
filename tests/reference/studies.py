"""Pairs of adjacent words: their features for a decision list, as text."""

from __future__ import annotations

from treevote.corpus.treebank import Treebank
from treevote.models.learning.features.lexicon import ATTRIBUTES as COLUMNS
from treevote.models.learning.features.lexicon import attributes, split_feats
from treevote.studies.yuret import ATTRIBUTES


def pairs(treebank: Treebank, attribute: str, context: int) -> list[tuple[set[tuple[int, str, str]], str]]:
    """Return for each pair of adjacent words what is seen, as (place, column, value), and its class."""
    name = ATTRIBUTES[attribute]
    columns = {"suffix": ("suffix1", "suffix2", "suffix3"), "feats": ()}.get(name, (name,))
    found = []
    for sentence in treebank.sentences():
        n = len(sentence.words) - 1
        for i in range(1, n):
            seen = set()
            for place in range(-context, context + 2):
                if 0 <= i + place <= n:
                    word = sentence.words[i + place]
                    for name in columns:
                        value = attributes(word)[COLUMNS.index(name)]
                        if value:
                            seen.add((place, name, value))
                    if attribute == "feats":
                        seen |= {(place, "feats", value) for value in split_feats(word.feats)}
            linked = "NONE"
            if sentence.heads[i] == i + 1:
                linked = "L:" + sentence.deprels[i]
            elif sentence.heads[i + 1] == i:
                linked = "R:" + sentence.deprels[i + 1]
            found.append((seen, linked))
    return found
