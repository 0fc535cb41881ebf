"""Familiarity of a text to a model: words and tags that the training data had.

A parser that was trained with tags parses text without tags at a tenth of its accuracy, without an error; so does a
parser of another language. The vocabulary of the model reveals both in the first sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treevote.corpus.given import FREE_LABEL, Keep
from treevote.corpus.pseudo_projective import plain_labels
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.models.learning.features.lexicon import ATTRIBUTES
from treevote.models.learning.features.word_memo import WordMemo
from treevote.protocols import Parser

ENOUGH_TOKENS = 20  # minimum number of tokens for a judgement
ENOUGH_WORDS = 2_000  # minimum number of forms in the vocabulary of a model for a judgement by forms

# Share of tokens without any known tag from which a text is doubtful; below 0.001 on test sets of 22 UD treebanks.
STRANGE_TAGS = 0.2

# Share of tokens with unknown forms from which a text is doubtful. On 22 UD treebanks: at most 0.40 on the test set of
# a model's own treebank, 0.70 or more on 383 of the 462 test sets of the others.
STRANGE_WORDS = 0.7

MOST_NAMED = 5  # labels in a message


def doubt(parser: EnsembleParser, treebank: Treebank) -> str | None:
    """Return a sentence with the reason why a text is unfit for a model, None if it seems to be fit."""
    return doubts(parser, treebank, [0, treebank.n_sentences])[0]


def doubts(parser: EnsembleParser, treebank: Treebank, bounds: Sequence[int]) -> list[str | None]:
    """Return the reason of each text in a treebank, see `doubt`: sentences ``bounds[i]:bounds[i + 1]`` are text i."""
    ends = treebank.offsets[list(bounds)] - list(bounds)
    sizes = np.diff(ends)
    reasons: list[str | None] = [None] * len(sizes)
    if not (sizes >= ENOUGH_TOKENS).any():
        return reasons
    for memo in _memos(parser):
        rows, columns = memo.encode(treebank.words)
        known = columns.values[rows][:, [ATTRIBUTES.index(name) for name in ("upos", "xpos", "lower")]] > 0
        upos, xpos, lower = known[treebank.tokens[treebank.is_token]].T
        tagged, familiar = (np.append(0, np.cumsum(seen))[ends] for seen in (upos | xpos, lower))
        has_tags = max(_size(memo, "upos"), _size(memo, "xpos")) > 1
        has_words = _size(memo, "lower") >= ENOUGH_WORDS
        for i in (i for i, size in enumerate(sizes.tolist()) if size >= ENOUGH_TOKENS and reasons[i] is None):
            with_tags, with_words = (float((own[i + 1] - own[i]) / sizes[i]) for own in (tagged, familiar))
            if has_tags and with_tags <= 1 - STRANGE_TAGS:
                reasons[i] = (
                    f"{1 - with_tags:.0%} of the tokens have no part of speech that the training data of the model "
                    "have; tag the text as they are tagged"
                )
            elif has_words and with_words <= 1 - STRANGE_WORDS:
                reasons[i] = (
                    f"{1 - with_words:.0%} of the words are unknown to the model; take a model of their language"
                )
    return reasons


def strange_labels(parser: Parser, treebank: Treebank, keep: Keep | None) -> str | None:
    """Return a sentence that names the kept labels which no member of a model, or which a member alone, does not know.

    None if there are none. They are kept all the same.
    """
    if keep is None or keep == "heads":
        return None
    known = {FREE_LABEL}
    for member in parser.members.values() if isinstance(parser, EnsembleParser) else (parser,):
        labels = getattr(getattr(member, "labeller", member), "labels", None)
        if labels is None:  # of a plug-in
            return None
        known.update(plain_labels(labels, "path")[0])
    used = np.unique(treebank.deprels[treebank.deprels >= 0]).tolist()
    strange = [label for label in map(treebank.labels.__getitem__, used) if label not in known]
    if not strange:
        return None
    more = f" and {len(strange) - MOST_NAMED} more" if len(strange) > MOST_NAMED else ""
    return (
        f"the model does not know the labels {', '.join(sorted(strange)[:MOST_NAMED])}{more}; they are kept as they are"
    )


def expects_tags(parser: EnsembleParser) -> bool:
    """Tell whether the training data of a model had parts of speech."""
    return any(max(_size(memo, "upos"), _size(memo, "xpos")) > 1 for memo in _memos(parser))


def _memos(parser: EnsembleParser) -> list[WordMemo]:
    """Return the vocabularies of the members, each once."""
    memos = (getattr(member, "memo", None) for member in parser.members.values())
    return list({id(memo): memo for memo in memos if isinstance(memo, WordMemo)}.values())


def _size(memo: WordMemo, attribute: str) -> int:
    """Return the number of values of an attribute that the model knows."""
    return len(memo.lexicon.values[ATTRIBUTES.index(attribute)])
