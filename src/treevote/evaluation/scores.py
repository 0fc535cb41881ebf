"""Scores of a system whose words were aligned with the gold words, sentence by sentence.

A score is three counts for each gold sentence: right items, gold items, system items. Where the system has the same
words, the last two are equal for all scores but CLAS, MLAS, BLEX and root.

The figures of the CoNLL 2018 shared task besides the plain attachment scores (Zeman et al. 2018, section 4; Nivre &
Fang 2017 for CLAS) are F1s of gold and system words, of which those are correct that are aligned and

- **UPOS, XPOS, UFeats**: have the same tag, the same features of the universal inventory; **AllTags**: all three;
- **Lemmas**: the same lemma; a gold lemma ``_`` is right whatever the system has;
- **MLAS**: content words with the right head and label, UPOS and features, whose function words are the same with the
  right label, UPOS and features;
- **BLEX**: content words with the right head and label, and lemma.

A content word is one with a deprel of `treevote.evaluation.counts.CONTENT`, a function word one with one of `FUNCTION`.
Tokens and Sentences are right if their characters are. Empty nodes are no words.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TypeAlias

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.corpus.vocabulary import encode
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.alignment import Alignment
from treevote.evaluation.counts import CONTENT, FUNCTION, Convention, count_by_sentence, punctuation_marks
from treevote.kernels import Bools, Longs

Scores: TypeAlias = dict[str, Longs]
"""By the name of the metric; shape (n_gold_sentences, 3): correct, gold, system."""

_FEATURES = """Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood NumType Number Person Polarity
Polite Poss PronType Reflex Tense VerbForm Voice"""

FEATURES = frozenset(_FEATURES.split())
"""Names of the universal features of 2018, which UFeats and MLAS compare."""


def count_scores(
    gold: Treebank,
    system: Treebank,
    alignment: Alignment,
    projected: Treebank,
    *,
    convention: Convention = "ud",
    punctuation: bool = True,
) -> Scores:
    """Count LAS, UAS, LA, root, dependency, leaf, complete and complete labelled; by the convention ud all others, too.

    ``system`` are the system's trees over its own words, and ``projected`` over the gold words, see
    `treevote.evaluation.alignment.project`. Settings and errors are those of `treevote.evaluation.counts.evaluate`;
    Tokens and Sentences always count punctuation.
    """
    counts = count_by_sentence(gold, projected, convention=convention, punctuation=punctuation)
    scored, also_scored = (scored_words(treebank, punctuation=punctuation) for treebank in (gold, system))

    def in_system(mask: Bools) -> Longs:
        """Count the words of the system that begin in each gold sentence."""
        return np.bincount(alignment.gold_sentence[also_scored & mask], minlength=gold.n_sentences)

    words = counts["tokens"], in_system(also_scored)
    triples = {
        "LAS": (counts["arcs"], *words),
        "UAS": (counts["heads"], *words),
        "LA": (counts["labels"], *words),
        "root": (counts["common_roots"], counts["gold_roots"], in_system(system.heads == 0)),
        "dependency": (counts["right_dependencies"], counts["dependencies"], counts["dependencies"]),
        "leaf": (counts["right_leaves"], counts["leaves"], counts["leaves"]),
        "complete": (counts["head_sentences"], counts["sentences"], counts["sentences"]),
        "complete labelled": (counts["arc_sentences"], counts["sentences"], counts["sentences"]),
    }
    scores: Scores = {}
    if convention == "ud":
        content = counts["gold_content"], in_system(has_label(system, CONTENT))
        triples["CLAS"] = counts["content_arcs"], *content
        for name, right in _right_words(gold, system, alignment, projected).items():
            wholes = content if name in ("MLAS", "BLEX") else words
            triples[name] = per_sentence(scored & right, gold.offsets), *wholes
        scores = {"Tokens": alignment.tokens, "Sentences": alignment.sentences}
    return scores | {name: np.stack(triple, axis=1) for name, triple in triples.items()}


def scored_words(treebank: Treebank, *, punctuation: bool) -> Bools:
    """Return a mask of the slots that are scored: all words, or those that are no punctuation."""
    return treebank.is_token if punctuation else treebank.is_token & ~punctuation_marks(treebank)


def has_label(treebank: Treebank, labels: frozenset[str]) -> Bools:
    """Return a mask of the slots whose deprel, up to the first colon, is one of the labels."""
    wanted = [label.partition(":")[0] in labels for label in treebank.labels]
    return np.array([*wanted, False], np.bool_)[treebank.deprels]


def _right_words(gold: Treebank, system: Treebank, alignment: Alignment, projected: Treebank) -> dict[str, Bools]:
    """Return masks of the gold words that the system has right, by the metrics of the shared task."""
    aligned = alignment.system_slot >= 0
    upos, xpos, features, lemmas = (
        aligned & _same(gold, system, alignment, column) for column in ("upos", "xpos", "feats", "lemma")
    )
    lemmas |= aligned & np.array([word.lemma == "_" for word in gold.words], np.bool_)[gold.tokens]
    arcs = right_arcs(gold, projected).arcs
    content_arcs, tagged_arcs = arcs & has_label(gold, CONTENT), arcs & upos & features
    return {
        "Words": aligned,
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": features,
        "AllTags": upos & xpos & features,
        "Lemmas": lemmas,
        "MLAS": content_arcs & tagged_arcs & _same_function_words(gold, system, alignment, tagged_arcs),
        "BLEX": content_arcs & lemmas,
    }


def _universal(feats: str) -> str:
    """Return the features of the universal inventory, sorted."""
    return "|".join(sorted(item for item in feats.split("|") if item.partition("=")[0] in FEATURES))


def _same(gold: Treebank, system: Treebank, alignment: Alignment, column: str) -> Bools:
    """Mask of the gold words with the tag or lemma of their counterparts; undefined without counterpart."""
    numbers: dict[str, int] = {}
    of_slots = []
    for treebank in (gold, system):
        entries: dict[str, int] = {}  # distinct ones: to take the universal features of all words would be slow
        entry_of = encode(map(attrgetter(column), treebank.words), entries)
        compared = map(_universal, entries) if column == "feats" else entries
        of_slots.append(encode(compared, numbers)[entry_of][treebank.tokens])
    return np.equal(of_slots[0], of_slots[1][alignment.system_slot])


def _same_function_words(gold: Treebank, system: Treebank, alignment: Alignment, same: Bools) -> Bools:
    """Mask of the gold words with the same function words as their counterparts; ``same`` is that of single words."""
    function = has_label(gold, FUNCTION)
    ours, theirs = _count_dependents(gold, function), _count_dependents(system, has_label(system, FUNCTION))
    right = _count_dependents(gold, function & same)
    return np.equal(ours, theirs[alignment.system_slot]) & np.equal(ours, right)


def _count_dependents(treebank: Treebank, mask: Bools) -> Longs:
    """Return the number of dependents of each slot that are in the mask, 0 for ROOT."""
    inner = np.flatnonzero(mask & (treebank.heads > 0))
    return np.bincount(treebank.starts[inner] + treebank.heads[inner], minlength=len(mask))
