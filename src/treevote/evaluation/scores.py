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

from collections.abc import Callable
from operator import attrgetter
from typing import TypeAlias

import numpy as np

from treevote.corpus.sentence import Word
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

    ``system`` are the system's trees over its own words, and ``projected`` over the gold words, see
    `treevote.evaluation.alignment.project`. Settings and errors are those of `treevote.evaluation.counts.evaluate`.
    """
    counts = count_by_sentence(gold, projected, convention=convention, punctuation=punctuation)
    scored = scored_words(system, punctuation=punctuation)
    words = count_in_sentences(scored, alignment, gold.n_sentences)
    roots = count_in_sentences(scored & (system.heads == 0), alignment, gold.n_sentences)
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
        content = count_in_sentences(scored & has_label(system, CONTENT), alignment, gold.n_sentences)
        triples["CLAS"] = counts["content_arcs"], counts["gold_content"], content
    return {name: np.stack(triple, axis=1) for name, triple in triples.items()}


def scored_words(treebank: Treebank, *, punctuation: bool) -> Bools:
    """Return a mask of the slots that are scored: all words, or those that are no punctuation."""
    return treebank.is_token if punctuation else treebank.is_token & ~punctuation_marks(treebank)


def has_label(treebank: Treebank, labels: frozenset[str]) -> Bools:
    """Return a mask of the slots whose deprel, up to the first colon, is one of the labels."""
    wanted = [label.partition(":")[0] in labels for label in treebank.labels]
    return np.array([*wanted, False], np.bool_)[treebank.deprels]


def count_in_sentences(mask: Bools, alignment: Alignment, n_sentences: int) -> Longs:
    """Return the number of words of a system that begin in each gold sentence, shape (n_sentences,)."""
    return np.bincount(alignment.gold_sentence[mask], minlength=n_sentences)


def count_conll18(
    gold: Treebank, system: Treebank, alignment: Alignment, projected: Treebank, *, punctuation: bool
) -> Scores:
    """Count Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, MLAS and BLEX.

    Parameters are those of `count_attachment`; Tokens and Sentences always count punctuation.
    """
    scored, also_scored = (scored_words(treebank, punctuation=punctuation) for treebank in (gold, system))
    aligned = alignment.system_slot >= 0
    upos, xpos, features, lemmas = (
        aligned & _same(gold, system, alignment, attrgetter(name), _universal if name == "feats" else str)
        for name in ("upos", "xpos", "feats", "lemma")
    )
    lemmas |= aligned & np.array([word.lemma == "_" for word in gold.words], np.bool_)[gold.tokens]
    _, arcs = right_arcs(gold, projected)
    same_function = _same_function_words(gold, system, alignment, arcs & upos & features)
    content, also_content = has_label(gold, CONTENT), has_label(system, CONTENT)

    words = per_sentence(scored, gold.offsets), count_in_sentences(also_scored, alignment, gold.n_sentences)
    contents = (
        per_sentence(scored & content, gold.offsets),
        count_in_sentences(also_scored & also_content, alignment, gold.n_sentences),
    )
    right = {
        "Words": (aligned, words),
        "UPOS": (upos, words),
        "XPOS": (xpos, words),
        "UFeats": (features, words),
        "AllTags": (upos & xpos & features, words),
        "Lemmas": (lemmas, words),
        "MLAS": (content & arcs & upos & features & same_function, contents),
        "BLEX": (content & arcs & lemmas, contents),
    }
    scores = {"Tokens": alignment.tokens, "Sentences": alignment.sentences}
    for name, (mask, wholes) in right.items():
        scores[name] = np.stack([per_sentence(scored & mask, gold.offsets), *wholes], axis=1)
    return scores


def _universal(feats: str) -> str:
    """Return the features of the universal inventory, sorted."""
    return "|".join(sorted(item for item in feats.split("|") if item.partition("=")[0] in FEATURES))


def _same(
    gold: Treebank, system: Treebank, alignment: Alignment, column: Callable[[Word], str], part: Callable[[str], str]
) -> Bools:
    """Mask of the gold words that agree in part of a column with their counterparts; undefined without counterpart."""
    numbers: dict[str, int] = {}
    of_slots = []
    for treebank in (gold, system):
        entries: dict[str, int] = {}  # distinct ones: to take the part of all words would be slow
        entry_of = encode(map(column, treebank.words), entries)
        of_slots.append(encode(map(part, entries), numbers)[entry_of][treebank.tokens])
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
