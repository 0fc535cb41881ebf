"""Unknown words: forms that the training data of a model do not have, and what they do to its confidence.

Confidence is right where sentences are like those of the development data. Elsewhere it is too high, the more so the
more words of a sentence are unknown, and most of all for these words. An *unusual* sentence has a larger share of
unknown words than the sentences of three fifths of the development data. There the log-odds of likely arcs shrink with
the excess of this share, and those of unknown words fall besides. In usual sentences nothing changes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.corpus.vocabulary import encode
from treevote.evaluation.calibration import LEAST
from treevote.kernels import Bools, Doubles, Floats
from treevote.models.learning.features.lexicon import ATTRIBUTES, lowered
from treevote.models.learning.features.word_memo import WordMemo

USUAL = 0.6  # share of the development data, in tokens, whose sentences have a usual share of unknown words

# In unusual sentences: the shrinkage of positive log-odds for each unit of the excess, the fall of those of an unknown
# word. Fitted to models of genres of English on texts of others: `python -m benchmarks figures --only domains`.
SHRINKAGE, FALL = 1.25, 0.5

_LOWER = ATTRIBUTES.index("lower")


def memos_of(members: Iterable[object]) -> list[WordMemo]:
    """Return the vocabularies of members, each once; a plug-in may have none."""
    memos = (getattr(member, "memo", None) for member in members)
    return list({id(memo): memo for memo in memos if isinstance(memo, WordMemo)}.values())


def unknown_words(members: Iterable[object], treebank: Treebank) -> Bools | None:
    """Return a mask, shape (n_slots,), of the tokens whose form no member knows; None if none has a vocabulary."""
    masks = []
    for memo in memos_of(members):
        rows, columns = memo.encode(treebank.words)
        masks.append(columns.values[rows][:, _LOWER] == 0)
    return np.logical_and.reduce(masks)[treebank.tokens] & treebank.is_token if masks else None


def unknown_in_folds(treebank: Treebank, n_folds: int, always: Treebank) -> Bools:
    """Return a mask of the tokens whose form, as `lowered` has it, occurs in no other fold, shape (n_slots,).

    Sentences in ``always`` are learned from beside all folds: their forms are known.
    """
    forms, tokens = dict[str, int](), treebank.is_token
    form_of = encode((lowered(word.form) for word in treebank.words), forms)[treebank.tokens]
    seen = np.zeros((len(forms), n_folds), np.bool_)
    seen[form_of[tokens], treebank.sentence_of[tokens] % n_folds] = True
    known = {lowered(word.form) for word in always.compact().words[1:]}
    seen[[number for form, number in forms.items() if form in known]] = True
    return np.asarray((seen.sum(1) == 1)[form_of] & tokens)


def usual_share(unknown: Bools, treebank: Treebank) -> float:
    """Return the share of unknown words that sentences with ``USUAL`` of the tokens do not exceed."""
    return float(np.quantile(np.repeat(share_of_tokens(unknown, treebank), treebank.lengths), USUAL))


def tempered(parse: Treebank, unknown: Bools, usual: float) -> Treebank:
    """Return a parse with less confidence in sentences with unusually many unknown words; what is given stays sure."""
    excess = np.maximum(share_of_tokens(unknown, parse) - usual, 0)
    if parse.confidence is None or parse.label_confidence is None or not excess.any():
        return parse
    excess = excess[parse.sentence_of]
    arc, label = (
        np.where((excess > 0) & (sure > 0) & (sure < 1), _less(sure, excess, unknown), sure).astype(np.float32)
        for sure in (parse.confidence, parse.label_confidence)
    )
    return dataclasses.replace(parse, confidence=arc, label_confidence=label)


def _less(sure: Floats, excess: Doubles, unknown: Bools) -> Doubles:
    """Return the probabilities of arcs of unusual sentences, never higher than before."""
    odds = np.log(np.maximum(sure, LEAST) / np.maximum(1 - sure.astype(np.float64), LEAST / 10))
    odds = np.where(odds > 0, odds * np.maximum(1 - SHRINKAGE * excess, 0), odds) - FALL * unknown
    return np.asarray(np.maximum(1 / (1 + np.exp(-odds)), LEAST))


def share_of_tokens(mask: Bools, treebank: Treebank) -> Doubles:
    """Return the share of true tokens of each sentence, given a mask of slots; 0 for a sentence without tokens."""
    return np.asarray(per_sentence(mask, treebank.offsets) / np.maximum(treebank.lengths, 1))
