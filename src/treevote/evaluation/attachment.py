"""Attachment scores of a system whose words were aligned with the gold words, sentence by sentence.

A score is three counts for each gold sentence: right items, gold items, system items. Where the system has the same
words, the last two are equal for all scores but CLAS and root.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.evaluation.alignment import Alignment
from treevote.evaluation.counts import CONTENT, Convention, count_by_sentence, punctuation_marks
from treevote.kernels import Bools, Longs

Scores: TypeAlias = dict[str, Longs]
"""By the name of the metric; shape (n_gold_sentences, 3): correct, gold, system."""


def count_attachment(
    gold: Treebank,
    system: Treebank,
    alignment: Alignment,
    projected: Treebank,
    *,
    convention: Convention = "ud",
    punctuation: bool = True,
) -> Scores:
    """Count LAS, UAS, LA, root, dependency, leaf, complete and complete labelled, and CLAS of the convention ud.

    ``system`` are the trees over the system's own words, ``projected`` over the gold words, see
    `treevote.evaluation.alignment.project`. Errors are those of `treevote.evaluation.counts.evaluate`.
    """
    counts = count_by_sentence(gold, projected, convention=convention, punctuation=punctuation)
    scored = scored_words(system, punctuation=punctuation)
    words = count_in_sentences(scored, alignment)
    roots = count_in_sentences(scored & (system.heads == 0), alignment)
    triples = {
        "LAS": (counts["arcs"], counts["tokens"], words),
        "UAS": (counts["heads"], counts["tokens"], words),
        "LA": (counts["labels"], counts["tokens"], words),
        "root": (counts["common_roots"], counts["gold_roots"], roots),
        "dependency": (counts["right_dependencies"], counts["dependencies"], counts["dependencies"]),
        "leaf": (counts["right_leaves"], counts["leaves"], counts["leaves"]),
        "complete": (counts["head_sentences"], counts["sentences"], counts["sentences"]),
        "complete labelled": (counts["arc_sentences"], counts["sentences"], counts["sentences"]),
    }
    if convention == "ud":
        content = count_in_sentences(scored & has_label(system, CONTENT), alignment)
        triples["CLAS"] = counts["content_arcs"], counts["gold_content"], content
    return {name: np.stack(triple, axis=1) for name, triple in triples.items()}


def scored_words(treebank: Treebank, *, punctuation: bool) -> Bools:
    """Return a mask of the slots that are scored: all words, or those that are no punctuation."""
    return treebank.is_token if punctuation else treebank.is_token & ~punctuation_marks(treebank)


def has_label(treebank: Treebank, labels: frozenset[str]) -> Bools:
    """Return a mask of the slots whose deprel, up to the first colon, is one of the labels."""
    wanted = [label.partition(":")[0] in labels for label in treebank.labels]
    return np.array([*wanted, False], np.bool_)[treebank.deprels]


def count_in_sentences(mask: Bools, alignment: Alignment) -> Longs:
    """Return the number of words of a system that begin in each gold sentence, shape (n_sentences,)."""
    return np.bincount(alignment.gold_sentence[mask], minlength=len(alignment.sentences))
