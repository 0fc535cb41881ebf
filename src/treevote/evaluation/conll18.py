"""The figures of the CoNLL 2018 shared task besides the plain attachment scores, sentence by sentence.

Definitions (Zeman et al. 2018, section 4; Nivre & Fang 2017 for CLAS): every figure is an F1 of gold and system words,
of which those are correct that are aligned and

- **UPOS, XPOS, UFeats**: have the same tag, the same features of the universal inventory; **AllTags**: all three;
- **Lemmas**: the same lemma; a gold lemma ``_`` is right whatever the system has;
- **MLAS**: content words with the right head and label, UPOS and features, whose function words are the same with the
  right label, UPOS and features;
- **BLEX**: content words with the right head and label, and lemma.

A content word is one with a deprel of `treevote.evaluation.counts.CONTENT`, and a function word one of `FUNCTION`.
Tokens and Sentences are right if their characters are. Empty nodes are no words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter

import numpy as np

from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.corpus.vocabulary import encode
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.alignment import Alignment
from treevote.evaluation.attachment import Scores, count_in_sentences, has_label, scored_words
from treevote.evaluation.counts import CONTENT
from treevote.kernels import Bools, Longs

FUNCTION = frozenset(("aux", "case", "cc", "clf", "cop", "det", "mark"))
"""Universal deprels of the function words that MLAS looks at."""

FEATURES = frozenset(
    (
        *("Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender", "Mood", "NumType"),
        *("Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex", "Tense", "VerbForm", "Voice"),
    )
)
"""Names of the universal features of 2018, which UFeats and MLAS compare."""


def count_conll18(
    gold: Treebank, system: Treebank, alignment: Alignment, projected: Treebank, *, punctuation: bool = True
) -> Scores:
    """Count Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, MLAS and BLEX.

    Parameters are those of `treevote.evaluation.attachment.count_attachment`; Tokens and Sentences always count
    punctuation.
    """
    scored, also_scored = (scored_words(treebank, punctuation=punctuation) for treebank in (gold, system))
    aligned = alignment.system_slot >= 0
    columns = attrgetter("upos"), attrgetter("xpos"), lambda word: _universal(word.feats), attrgetter("lemma")
    upos, xpos, features, lemmas = (aligned & _same(gold, system, alignment, column) for column in columns)
    lemmas |= aligned & np.array([word.lemma == "_" for word in gold.words], np.bool_)[gold.tokens]
    _, arcs = right_arcs(gold, projected)
    same_function = _same_function_words(gold, system, alignment, arcs & upos & features)
    content, also_content = has_label(gold, CONTENT), has_label(system, CONTENT)

    words = per_sentence(scored, gold.offsets), count_in_sentences(also_scored, alignment)
    contents = per_sentence(scored & content, gold.offsets), count_in_sentences(also_scored & also_content, alignment)
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


@lru_cache(1 << 12)
def _universal(feats: str) -> str:
    """Return the features of the universal inventory, sorted."""
    return "|".join(sorted(item for item in feats.split("|") if item.partition("=")[0] in FEATURES))


def _same(gold: Treebank, system: Treebank, alignment: Alignment, column: Callable[[Word], str]) -> Bools:
    """Mask of the gold words that agree in a column with their counterparts; undefined without counterpart."""
    numbers: dict[str, int] = {}
    ours, theirs = (encode(map(column, treebank.words), numbers)[treebank.tokens] for treebank in (gold, system))
    return np.equal(ours, theirs[alignment.system_slot])


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
