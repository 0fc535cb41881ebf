"""Factors by which accuracy is broken down (McDonald & Nivre 2007): of the arc, of the word, of the sentence.

A factor gives every token one of its values, as an index, or -1 for none, such as the length of an unknown arc. The
factors of arcs are those of McDonald & Nivre; the bins of sentence length are those of Chang, Do & Roth (Table 4 of the
longer paper) and finer ones.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.sentence import sent_id
from treevote.corpus.source import new_document
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, non_projective
from treevote.corpus.vocabulary import encode
from treevote.evaluation.counts import Convention, compared_part
from treevote.evaluation.results import Kind
from treevote.kernels import Longs

TENS, FIVES = (10, 20, 30, 40), tuple(range(5, 61, 5))
"""Upper ends of the bins of sentence length: those of Chang, Do & Roth, and finer ones."""

MAX_DOMAINS = 50  # maximum number of domains taken from sent_id

_DOMAIN = re.compile(r"#\s*(?:meta::)?(?:genre|domain)\s*=(.*)")
_SEPARATOR = re.compile(r"[-_.:/\s]+")


class Values(NamedTuple):
    """The value of each slot, -1 for none, as an index in ``names``, which is in the order of the factor."""

    names: tuple[str, ...]
    column: Longs


class Factor(NamedTuple):
    """A factor: a function from a treebank to the values of its tokens; see `treevote.evaluation.results.Breakdown`."""

    name: str
    description: str
    of: Kind
    ordered: bool
    values: Callable[[Treebank], Values]


def factors(gold: Treebank, *, convention: Convention, training: Treebank | None = None) -> list[Factor]:
    """Return the factors that apply to a gold file: some need training data, others comments in the file."""
    bins = "Words in the sentence."
    found = [
        Factor("deprel", "Label of the arc.", "arc", False, lambda treebank: deprel(treebank, convention)),
        Factor("length", "Words from the head to the dependent.", "arc", True, length),
        Factor("direction", "Where the head is, seen from the dependent.", "arc", False, direction),
        Factor("distance to root", "Arcs from ROOT to the dependent.", "arc", True, depth),
        Factor("projectivity", "Whether the head dominates all between it and the dependent.", "arc", False, crossing),
        Factor("POS", "Part of speech of the dependent in the gold file.", "word", False, pos),
        Factor("sentence length", bins, "sentence", True, lambda t: sentence_length(t, TENS)),
        Factor("sentence length in fives", bins, "sentence", True, lambda t: sentence_length(t, FIVES)),
    ]
    if training is not None:
        forms = {word.form for word in training.compact().words[1:]}
        text = "Whether the form is in the training data."
        found.append(Factor("known word", text, "word", False, lambda treebank: known(treebank, forms)))
    if (names := documents(gold)) is not None:
        by_document = of_sentences(gold, names)
        found.append(Factor("document", "Document, by newdoc.", "sentence", False, lambda _: by_document))
    if (names := domains(gold)) is not None:
        by_domain = of_sentences(gold, names)
        text = "Domain, by the comments genre or domain, else by the beginning of sent_id."
        found.append(Factor("domain", text, "sentence", False, lambda _: by_domain))
    return found


def deprel(treebank: Treebank, convention: Convention) -> Values:
    """Return the label of each arc, whole or its universal part, as the convention compares it."""
    names: dict[str, int] = {}
    column = encode(map(compared_part(convention), treebank.labels), names)[treebank.deprels]
    return Values(tuple(names), column.astype(np.int64))


def length(treebank: Treebank) -> Values:
    """Return the distance between head and dependent, apart from arcs from ROOT.

    >>> names, index = length(Treebank.of([(["a", "dog", "barks"], [3, 3, 0], ["det", "nsubj", "root"])]))
    >>> [names[value] for value in index[1:]]
    ['2', '1', 'ROOT']
    """
    names, bins = _bins((*range(1, 11), 15, 20, 30))
    distance = np.abs(treebank.heads - treebank.positions)
    values = np.where(treebank.heads > 0, bins[np.minimum(distance, len(bins) - 1)] + 1, -1)
    return Values(("ROOT", *names), np.where(treebank.heads == 0, 0, values))


def direction(treebank: Treebank) -> Values:
    """Return the side of the dependent on which its head is."""
    side = np.where(treebank.heads < treebank.positions, 0, 1)
    values = np.where(treebank.heads == 0, 2, side)
    return Values(("head to the left", "head to the right", "ROOT"), np.where(treebank.heads < 0, -1, values))


def depth(treebank: Treebank) -> Values:
    """Return the number of arcs from ROOT; none where there is a cycle or an unknown head on the way."""
    names, bins = _bins(range(1, 16))
    depths = _depths(treebank)
    return Values(names, np.where(depths > 0, bins[np.minimum(depths, len(bins) - 1)], -1))


def crossing(treebank: Treebank) -> Values:
    """Return whether an arc is projective, see `treevote.corpus.trees`; none where the sentence is no tree."""
    trees = are_trees(treebank)
    whole = trees[treebank.sentence_of] & treebank.is_token
    values = np.full(len(whole), -1, np.int64)
    kept = treebank.select(np.flatnonzero(trees))
    values[whole] = non_projective(kept)[kept.is_token]
    return Values(("projective", "non-projective"), values)


def pos(treebank: Treebank) -> Values:
    """Return UPOS, or XPOS where there is none (CPOSTAG and POSTAG of CoNLL-X)."""
    tags: dict[str, int] = {}
    column = encode((word.xpos if word.upos == "_" else word.upos for word in treebank.words), tags)[treebank.tokens]
    return Values(tuple(tags), np.where(treebank.is_token, column.astype(np.int64), -1))


def sentence_length(treebank: Treebank, ends: Sequence[int]) -> Values:
    """Return the bin of the number of words in the sentence; ``ends`` are the upper ends of all bins but the last."""
    names, bins = _bins(ends)
    by_sentence = bins[np.minimum(treebank.lengths, len(bins) - 1)]
    return Values(names, np.where(treebank.is_token, by_sentence[treebank.sentence_of], -1))


def known(treebank: Treebank, forms: set[str]) -> Values:
    """Return whether a form is among those given."""
    index = np.array([word.form not in forms for word in treebank.words], np.int64)[treebank.tokens]
    return Values(("known", "unknown"), np.where(treebank.is_token, index, -1))


def of_sentences(treebank: Treebank, names: Sequence[str]) -> Values:
    """Return the name given to the sentence of each token."""
    distinct: dict[str, int] = {}
    column = encode(names, distinct)[treebank.sentence_of].astype(np.int64)
    return Values(tuple(distinct), np.where(treebank.is_token, column, -1))


def documents(treebank: Treebank) -> list[str] | None:
    """Return the document of each sentence, by the comments ``# newdoc``; None if there are none."""
    names: list[str] = []
    name, count = "(before the first)", 0
    for lines in map(treebank.comments, range(treebank.n_sentences)):
        if (document := new_document(lines)) is not None:
            count += 1
            name = document or f"document {count}"
        names.append(name)
    return names if count else None


def domains(treebank: Treebank) -> list[str] | None:
    """Return the domain of each sentence: by a comment ``genre`` or ``domain``, else by the beginning of ``sent_id``.

    The beginning of a ``sent_id`` is cut at ``-_.:/``, without digits at the end of a piece, after the first piece that
    differs between sentences. None if it would give one domain, or more than `MAX_DOMAINS`.
    """
    comments = [treebank.comments(i) for i in range(treebank.n_sentences)]
    name, names = "", []
    for lines in comments:
        for line in lines:
            if new_document([line]) is not None:
                name = ""
            elif match := _DOMAIN.fullmatch(line):
                name = match[1].strip()
        names.append(name)
    if any(names):
        return [name or "(no domain)" for name in names]
    pieces = [[piece.rstrip("0123456789") for piece in _SEPARATOR.split(sent_id(lines))] for lines in comments]
    same = itertools.takewhile(lambda column: len(set(column)) == 1, zip(*pieces, strict=False))
    n = 1 + sum(1 for _ in same)
    starts = ["-".join(piece[:n]) for piece in pieces]
    kinds = set(starts)
    return starts if 1 < len(kinds) <= MAX_DOMAINS and "" not in kinds else None


def _bins(ends: Sequence[int]) -> tuple[tuple[str, ...], Longs]:
    """Return the names of the bins with these ends and of an open last one, and the bin of each number up to it."""
    starts = [1, *(end + 1 for end in ends)]
    names = [str(end) if start == end else f"{start}-{end}" for start, end in zip(starts, ends, strict=False)]
    return (*names, f">{ends[-1]}"), np.searchsorted(np.array(ends), np.arange(ends[-1] + 2))


def _depths(treebank: Treebank) -> Longs:
    """Return the number of arcs from ROOT to each slot; 0 for ROOT, -1 where the way up does not end there."""
    above = treebank.starts + treebank.heads
    depths = np.where(treebank.is_token, -1, 0)
    left = np.flatnonzero(treebank.heads >= 0)
    while (found := depths[above[left]] >= 0).any():
        depths[left[found]] = depths[above[left[found]]] + 1
        left = left[~found]
    return depths
