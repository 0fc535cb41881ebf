"""Departures from the guidelines of Universal Dependencies, version 2: trees that can be read all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import roots
from treevote.errors import shortened
from treevote.kernels import Ints

# The 37 universal relations, and the 17 universal part-of-speech tags.
_RELATIONS = """acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated
expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative
xcomp"""
_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"

RELATIONS, TAGS = frozenset(_RELATIONS.split()), frozenset(_TAGS.split())
NAMED = 5  # maximum number of labels that a warning names, the most frequent first


def departures(treebank: Treebank) -> Iterator[str]:
    """Yield a warning of each kind of departure, counts and first place; for CoNLL-X only that of `no_labels`.

    A treebank without any universal tag, in capital or small letters, is not warned of for its tags.

    >>> toy = Treebank.of([(["a", "dog"], [0, 0], ["root", "nsbj"])], name="toy")
    >>> for warning in departures(toy):
    ...     print(warning)
    toy: 1 token has a relation that is none of the 37 universal ones of UD 2: nsbj (1), first in sentence 1
    toy: 1 sentence has more than one root, first in sentence 1
    """
    yield from (unlabelled := [*no_labels(treebank)])
    if treebank.source is not None and treebank.source.format == "conllx":
        return
    known = [bool(unlabelled) or label.partition(":")[0] in RELATIONS for label in treebank.labels]
    what = "a relation that is none of the 37 universal ones of UD 2"
    yield from _warning(treebank, treebank.labels, treebank.deprels, known, what)
    tags = [word.upos for word in treebank.words]
    if any(tag.upper() in TAGS for tag in tags[1:]):
        universal = [True, *(tag in TAGS for tag in tags[1:])]
        what = "a UPOS that is none of the 17 universal ones of UD 2"
        yield from _warning(treebank, tags, treebank.tokens, universal, what)
    several = roots(treebank) > 1
    if several.any():
        first = int(treebank.offsets[:-1][several][0]) + 1
        n = int(several.sum())
        what = "1 sentence has" if n == 1 else f"{n:,} sentences have"
        yield f"{_title(treebank)}{what} more than one root, first {_place(treebank, first)}"


def no_labels(treebank: Treebank) -> Iterator[str]:
    """Yield a warning if no token has a label other than ``_``."""
    if {*treebank.labels} <= {"_"}:
        yield f"{_title(treebank)}no token has a label: every DEPREL is '_'; UAS compares the heads, LAS says nothing"


def unknown_labels(treebank: Treebank, training: Treebank) -> Iterator[str]:
    """Yield a warning, with counts and the first place, if there are labels that the training data do not have.

    Nothing is said where the training data have no labels at all.
    """
    if training.labels:
        learned = {*training.labels}
        known, what = [label in learned for label in treebank.labels], "a label that the training data do not have"
        yield from _warning(treebank, treebank.labels, treebank.deprels, known, what)


def missing_columns(treebank: Treebank, training: Treebank) -> Iterator[str]:
    """Yield a warning for each column that only one of two treebanks has, see `columns_apart`."""
    for name, here, there in columns_apart(treebank, training):
        if here:
            found, cost = f"{here:.0%} of the words have {name}, and none of the training data", "nothing learns it"
        else:
            found, cost = f"no word has {name}, and {there:.0%} of the training data have", "its scores are too low"
        yield f"{_title(treebank)}{found}: {cost}; annotate both in the same way"


def columns_apart(treebank: Treebank, other: Treebank) -> Iterator[tuple[str, float, float]]:
    """Yield each column that at least a quarter of the words of one treebank have, and none of the other.

    With its name come the shares of the words that have it in the two.
    """
    for name in ("LEMMA", "UPOS", "XPOS", "FEATS"):
        here, there = (_share_with(own, name.lower()) for own in (treebank, other))
        if min(here, there) == 0 and max(here, there) >= 0.25:
            yield name, here, there


def _share_with(treebank: Treebank, column: str) -> float:
    """Return the share of the words with something in a column."""
    has = np.array([getattr(word, column) not in ("", "_") for word in treebank.words], np.bool_)
    return float(has[treebank.tokens][treebank.is_token].mean()) if treebank.n_tokens else 0.0


def _warning(treebank: Treebank, names: Sequence[str], column: Ints, known: Sequence[bool], what: str) -> Iterator[str]:
    """Yield a warning of the tokens with a name that is not known, by its index in a column, if there are any."""
    found = ~np.array([*known, True])[column]  # -1 is none
    if not (n := int(found.sum())):
        return
    counts = Counter[str]()
    for index, number in zip(*np.unique(column[found], return_counts=True), strict=True):
        counts[names[int(index)]] += int(number)
    listed = ", ".join(f"{shortened(name)} ({number:,})" for name, number in counts.most_common(NAMED))
    more = f" and {len(counts) - NAMED:,} more" if len(counts) > NAMED else ""
    tokens = "1 token has" if n == 1 else f"{n:,} tokens have"
    place = _place(treebank, int(found.argmax()))
    yield f"{_title(treebank)}{tokens} {what}: {listed}{more}, first {place}"


def _title(treebank: Treebank) -> str:
    return f"{treebank.title}: " if treebank.title else ""


def _place(treebank: Treebank, slot: int) -> str:
    if treebank.source is None:
        return f"in sentence {int(np.searchsorted(treebank.offsets, slot, 'right'))}"
    path, line = treebank.source.place(slot)
    return f"in line {line:,}" + (f" of {path}" if path != treebank.title else "")
