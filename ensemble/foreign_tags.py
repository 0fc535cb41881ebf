"""Foreign tags: columns of a text without values, or with values that the training data do not have.

Members read UPOS, XPOS, FEATS and lemma. An empty or foreign column fires no feature: nothing fails, but LAS may fall
by a third. Each column is judged by itself, against the share of the training data that has a value in it: in most
languages a third of the tokens have no FEATS, and some treebanks have no XPOS at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.kernels import Bools, Doubles
from treevote.models.learning.features.lexicon import ATTRIBUTES, attributes
from treevote.models.learning.features.word_memo import WordMemo
from treevote.store.manifest import JSON

COLUMNS = {"upos": "known UPOS", "xpos": "known XPOS", "feats": "known FEATS", "lemma": "lemma"}
"""The columns, and how a message names their values. Lemmas are many: an unknown one counts as a value."""

# A column is foreign if the share of tokens with a known value is lower than in the training data by more than FEWER,
# and by more than SURE times its standard error. In the test sets of 22 UD treebanks, in pieces of 20 to 500 tokens,
# 11 of 17,479 have such a column without a cause.
FEWER, SURE = 0.2, 5.0

_LEMMA = ATTRIBUTES.index("lemma")


def filled(treebank: Treebank) -> dict[str, JSON]:
    """Return the share of tokens with a value in each column; an XPOS that repeats the UPOS is none."""
    values = np.array([attributes(word) for word in treebank.words], np.object_) != ""
    shares = values[treebank.tokens[treebank.is_token]].sum(0) / max(1, treebank.n_tokens)
    return {column: round(float(shares[ATTRIBUTES.index(column)]), 4) for column in COLUMNS}


def usual_shares(memo: WordMemo, training: object) -> Doubles:
    """Return the share of tokens with a value in each column of the training data, shape (len(COLUMNS),).

    ``training`` are the facts of a model on them. Of a model without these, all tokens have UPOS, or else XPOS.
    """
    measured = training.get("columns") if isinstance(training, Mapping) else None
    if isinstance(measured, Mapping):
        shares = [measured.get(column) for column in COLUMNS]
        return np.array([share if isinstance(share, float) and 0 <= share <= 1 else 0.0 for share in shares])
    upos, xpos = (len(memo.lexicon.values[ATTRIBUTES.index(name)]) > 1 for name in ("upos", "xpos"))
    return np.array([upos, xpos and not upos, 0, 0], np.float64)


def known_values(memo: WordMemo, treebank: Treebank, names: Iterable[str]) -> Bools:
    """Tell which tokens have known values of the attributes, shape (n_tokens, n_names); any lemma is known."""
    rows, columns = memo.encode(treebank.words)
    known = columns.values[rows] > 0
    known[:, _LEMMA] = [word.lemma not in ("_", "") for word in treebank.words]
    return np.asarray(known[treebank.tokens[treebank.is_token]][:, [ATTRIBUTES.index(name) for name in names]])


def foreign(shares: Doubles, usual: Doubles, tokens: int) -> str:
    """Return a sentence that names the foreign columns of a text; empty if there are none.

    ``shares`` are those of its tokens with known values, ``usual`` those of the training data.
    """
    return ", ".join(
        f"{1 - here:.0%} of the tokens have no {what} (training data: {1 - there:.0%})"
        for what, here, there in zip(COLUMNS.values(), shares.tolist(), usual.tolist(), strict=True)
        if there - here > max(FEWER, SURE * math.sqrt(there * (1 - there) / tokens))
    )
