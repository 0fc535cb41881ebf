"""Scores token by token, as the conventions define them."""

from __future__ import annotations

import unicodedata
from collections import Counter

from treevote.corpus.treebank import Treebank

CONTENT = (
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod "
    "conj fixed flat compound list parataxis orphan goeswith reparandum root dep"
)


def counts(gold: Treebank, system: Treebank, convention: str, punctuation: bool) -> Counter[str]:
    """The counts of `treevote.evaluation.counts.Counts` by name; zero counts may be missing."""
    total: Counter[str] = Counter()
    for ours, theirs in zip(gold.sentences(), system.sentences(), strict=True):
        here: Counter[str] = Counter()
        for token in range(1, len(ours.words)):
            if not punctuation and all(unicodedata.category(c).startswith("P") for c in ours.words[token].form):
                continue
            label, found = ours.deprels[token], theirs.deprels[token]
            if convention == "ud":
                label, found = label.split(":")[0], found.split(":")[0]
            gold_head, found_head = int(ours.heads[token]), int(theirs.heads[token])
            content = convention == "ud" and label in CONTENT.split()
            here["tokens"] += 1
            here["heads"] += gold_head == found_head
            here["labels"] += label == found
            here["arcs"] += gold_head == found_head and label == found
            here["gold_content"] += content
            here["system_content"] += convention == "ud" and found in CONTENT.split()
            here["content_arcs"] += content and gold_head == found_head and label == found
            here["gold_roots"] += gold_head == 0
            here["system_roots"] += found_head == 0
            here["common_roots"] += gold_head == 0 == found_head
            here["dependencies"] += gold_head != 0
            here["right_dependencies"] += gold_head == found_head != 0
            here["leaves"] += token not in ours.heads
            here["right_leaves"] += token not in ours.heads and gold_head == found_head
        if here["tokens"]:
            here["sentences"] = 1
            here["head_sentences"] = here["heads"] == here["tokens"]
            here["arc_sentences"] = here["arcs"] == here["tokens"]
        total.update(here)
    return total
