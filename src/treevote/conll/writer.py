"""Treebanks as CoNLL text: the lines they were read from with the trees they have now.

HEAD and DEPREL of the tokens whose head is known are put into the lines, and into MISC the marks of the treebank if it
has any: ``Support`` (share of the votes for the arc), ``LabelSupport`` (share of those for the label), ``Confidence``
(probability that the arc is right), ``LabelConfidence`` (that it is right with its label), ``TagConfidence`` (that the
tags are right). All other bytes stay as they are. Sentences without a source text become plain CoNLL-U.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treevote.conll.stretches import with_trees
from treevote.corpus.sentence import Word
from treevote.corpus.source import BOM, missing_end
from treevote.corpus.treebank import LIGHT, MARKS, Treebank, require_treebank
from treevote.errors import InputError
from treevote.files.encodings import utf8_of
from treevote.files.streams import writing
from treevote.kernels import Ints


def dumps(treebank: Treebank) -> str:
    r"""Return the text of a treebank.

    Parameters
    ----------
    treebank : Treebank
        With a source, its lines are taken; without, they are made.

    Returns
    -------
    str
        Encode it with ``surrogateescape``, as `encoded` does: a faulty sentence that was kept may not be UTF-8.

    Raises
    ------
    InputError
        When marks are to be written to CoNLL-X, which has no MISC; when a word or label has a tab or line
        feed in it, or a sentence has no word.

    Examples
    --------
    >>> dumps(Treebank.of([(["dogs"], [0], ["root"])]))
    '1\tdogs\t_\t_\t_\t_\t0\troot\t_\t_\n\n'
    """
    lines, line_of = lines_of(treebank)
    slots = np.flatnonzero(treebank.heads >= 0)
    at, heads = line_of[slots].tolist(), treebank.heads[slots].tolist()
    labels = _label_columns(treebank.labels)
    deprels = [labels[deprel] for deprel in treebank.deprels[slots].tolist()]
    marks = treebank.marks
    if marks and treebank.source is not None and treebank.source.format == "conllx":
        raise InputError(
            f"{next(iter(marks)).replace('_', ' ')} can only be written to CoNLL-U, found CoNLL-X, which has no MISC",
            path=treebank.source.path,
            remedy="ask for the trees alone, or give the sentences as CoNLL-U",
        )
    items, columns = [MARKS[field] for field in marks], [column[slots].tolist() for column in marks.values()]
    marks_of: Iterable[tuple[float, ...]] = zip(*columns, strict=True) if marks else itertools.repeat(())
    for line, head, deprel, numbers in zip(at, heads, deprels, marks_of, strict=False):
        before, _, _, ninth, tenth = lines[line].rsplit("\t", 4)
        if numbers:
            known = [item.format(number) for item, number in zip(items, numbers, strict=True) if number == number]
            tenth = _replaced(tenth, [*_OF_TREES, *(item.partition("=")[0] for item in known)], known)
        lines[line] = f"{before}\t{head}\t{deprel}\t{ninth}\t{tenth}"
    return "\n".join(lines)


def encoded(treebank: Treebank) -> bytes:
    """Return the text of a treebank as bytes; parameters and errors as for `dumps`."""
    if treebank.source is None or treebank.marks:
        return utf8_of(dumps(treebank))
    slots = np.flatnonzero(treebank.heads >= 0)
    labels = _encoded_labels(treebank.labels)
    source, trees = treebank.source, (treebank.heads[slots], treebank.deprels[slots])
    return with_trees(source.text, source.line_of[slots], *trees, labels)


@functools.lru_cache(16)  # those of a parser are always the same
def _encoded_labels(labels: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(map(utf8_of, _label_columns(labels)))


def _label_columns(labels: Sequence[str]) -> list[str]:
    """Return labels as columns, with one more at the end for -1, an unknown label; no column is empty."""
    return [*(_column(label) or "_" for label in labels), "_"]


def write(treebanks: Treebank | Iterable[Treebank], path: str | os.PathLike[str]) -> None:
    """Write treebanks, one after the other, to a file, whole or not at all.

    Line ends that one lacks at its end are added before the next one, whose byte order mark is left out.

    Parameters
    ----------
    treebanks : Treebank or iterable of Treebank
        They are consumed one at a time.
    path : path or "-"
        See `treevote.files.streams.writing`.

    Raises
    ------
    InputError
        See `dumps` and `treevote.files.streams.writing`.
    """
    with writing(path) as stream:
        last = b""
        several = isinstance(treebanks, Iterable) and not isinstance(treebanks, Treebank)
        for treebank in treebanks if several else [treebanks]:
            text = encoded(require_treebank(treebank))
            stream.write(missing_end(last) + text.removeprefix(BOM if last else b""))
            last = text or last


def lines_of(treebank: Treebank) -> tuple[list[str], Ints]:
    """Return the lines that trees are put into, made if there is no source, and the line of each slot."""
    treebank = require_treebank(treebank)
    if treebank.source is not None:
        return list(treebank.source.lines), treebank.source.line_of
    _require_forms(treebank)
    words = ["\t".join(_column(column) or "_" for column in word) for word in treebank.words]
    lines: list[str] = []
    line_of = np.arange(len(treebank.tokens), dtype=np.int32) - 1  # a blank line for each ROOT: one slot, one line
    line_of[treebank.offsets[:-1]] += 1
    labels = _label_columns(treebank.labels)
    if len(empty := np.flatnonzero(treebank.lengths == 0)):
        remedy = "leave the sentence out, CoNLL-U has none without words: treebank.select(treebank.lengths > 0)"
        raise InputError("expected words, found none", path=treebank.title, sentence=str(empty[0] + 1), remedy=remedy)
    for start, end in itertools.pairwise(treebank.offsets.tolist()):
        tokens, deprels = (column[start + 1 : end].tolist() for column in (treebank.tokens, treebank.deprels))
        both = enumerate(zip(tokens, deprels, strict=True), 1)
        lines += [f"{i}\t{words[token]}\t_\t{labels[deprel]}\t_\t_" for i, (token, deprel) in both]
        lines.append("")
    return [*lines, ""], line_of


def _require_forms(treebank: Treebank) -> None:
    is_empty = np.array([not word.form for word in treebank.words], np.bool_)
    slots = np.flatnonzero(is_empty[treebank.tokens] & treebank.is_token)
    if len(slots):
        sentence = int(np.searchsorted(treebank.offsets, slots[0], "right"))
        problem = f"expected a FORM, found an empty one at word {slots[0] - treebank.offsets[sentence - 1]}"
        raise InputError(problem, sentence=str(sentence), remedy="give the form, or _")


def _column(text: str) -> str:
    if "\t" in text or "\n" in text:
        raise InputError(f"expected a column without tab or line feed, found {text!r}", remedy="replace them")
    return text


def _replaced(misc: str, keys: Sequence[str], items: Sequence[str]) -> str:
    """Put items at the end of MISC, in place of those with some keys; a carriage return stays last."""
    before = misc.rstrip("\r")
    kept = [item for item in before.split("|") if item.partition("=")[0] not in keys]
    return ("|".join([*(kept if kept not in ([""], ["_"]) else []), *items]) or "_") + misc[len(before) :]


_OF_TAGS = MARKS["tag_confidence"].partition("=")[0]
_OF_TREES = (*(mark.partition("=")[0] for field, mark in MARKS.items() if field != "tag_confidence"), LIGHT)


def require_misc(treebank: Treebank) -> None:
    """Raise the error for a treebank in CoNLL-X, which has no MISC."""
    if treebank.source is not None and treebank.source.format == "conllx":
        problem, remedy = "expected CoNLL-U, found CoNLL-X, which has no MISC", "give the sentences as CoNLL-U"
        raise InputError(problem, path=treebank.source.path, remedy=remedy)


def with_items(treebank: Treebank, key: str, values: Mapping[int, str], *, trees: bool = False) -> bytes:
    r"""Return the text of a treebank with a value for the key in MISC of some slots, and in no others.

    An item with this key that was there is taken out. Other items, and other columns, stay byte for byte; with
    ``trees``, HEAD and DEPREL are those of the treebank, `without_marks` of others. A ``|`` in a value is written
    ``\p`` (as in Udapi), a backslash ``\\``.
    """
    require_misc(treebank)
    lines, line_of = lines_of(treebank)
    if trees or treebank.source is None:
        lines = dumps(without_marks(treebank).only()).split("\n")
    items = {slot: f"{key}=" + value.replace("\\", r"\\").replace("|", r"\p") for slot, value in values.items()}
    for slot in np.flatnonzero(treebank.is_token).tolist():
        before, _, misc = lines[line_of[slot]].rpartition("\t")
        if slot in items or key in misc:
            lines[line_of[slot]] = f"{before}\t{_replaced(misc, [key], [items[slot]] if slot in items else [])}"
    return utf8_of("\n".join(lines))


def without_marks(treebank: Treebank) -> Treebank:
    """Return a treebank whose lines have no marks of trees in MISC, such as those of an earlier parse."""
    source = treebank.source
    if source is None or source.format == "conllx" or not any(f"{name}=".encode() in source.text for name in _OF_TREES):
        return treebank
    lines = list(source.lines)
    for line in source.line_of[treebank.is_token].tolist():
        before, _, misc = lines[line].rpartition("\t")
        if any(item.partition("=")[0] in _OF_TREES for item in misc.split("|")):
            lines[line] = f"{before}\t{_replaced(misc, _OF_TREES, [])}"
    return dataclasses.replace(treebank, source=dataclasses.replace(source, text=utf8_of("\n".join(lines))))


def with_words(treebank: Treebank, words: tuple[Word, ...], tokens: Ints) -> Treebank:
    """Return the same sentences and trees with other lemmas and tags; forms stay.

    ``tokens`` has for each slot the index in ``words``, whose first is ROOT. If the treebank has a source, the columns
    LEMMA to FEATS of its lines change as well, and nothing else in them. Where tags change, the confidence in the old
    ones is taken out of MISC.
    """
    source = treebank.source
    if source is not None:
        lines = list(source.lines)
        columns = ["\t".join(word[1:]) for word in words]
        slots = np.flatnonzero(treebank.is_token)
        is_marked = source.format == "conllu" and f"{_OF_TAGS}=".encode() in source.text
        for line, word in zip(source.line_of[slots].tolist(), tokens[slots].tolist(), strict=True):
            number, form, _, *tags, rest = lines[line].split("\t", 6)
            if is_marked and (*tags,) != words[word][2:]:
                rest, _, misc = rest.rpartition("\t")
                rest = f"{rest}\t{_replaced(misc, [_OF_TAGS], [])}"
            lines[line] = f"{number}\t{form}\t{columns[word]}\t{rest}"
        source = dataclasses.replace(source, text=utf8_of("\n".join(lines)))
    return dataclasses.replace(treebank, words=words, tokens=tokens, source=source)
