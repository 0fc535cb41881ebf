"""The CoNLL 2018 figures word by word, and the alignment by brute force, as the shared task defines them.

A word here is a plain dict; a sentence may stand over ranges, given as ``(first, last, form)`` counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from treevote.corpus.treebank import Treebank

CONTENT = (
    " nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod "
    "conj fixed flat compound list parataxis orphan goeswith reparandum root dep "
)
FUNCTION = " aux cop mark det clf case cc "
FEATURES = (
    " PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect "
    "Voice Evident Polarity Person Polite "
)


@dataclass(eq=False)
class W:
    """A word with its span of characters."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: tuple[str, ...]
    deprel: str
    start: int
    end: int
    multi: bool
    head: W | None = None  # None for ROOT
    known: bool = True

    @property
    def span(self) -> tuple[int, int]:
        """Begin and end."""
        return self.start, self.end


def listed(name: str, names: str) -> bool:
    """Tell whether a name is among those given."""
    return f" {name} " in names


Ranges = Sequence[Sequence[tuple[int, int, str]]]


def words_of(treebank: Treebank, ranges: Ranges) -> tuple[list[list[W]], list[tuple[int, int]]]:
    """Return the words of each sentence, and the spans of the tokens."""
    sentences, tokens, at = [], [], 0
    for i, sentence in enumerate(treebank.sentences()):
        found: list[W] = []
        inside = {k: (first, last, form) for first, last, form in ranges[i] for k in range(first, last + 1)}
        for k in range(1, len(sentence.words)):
            word = sentence.words[k]
            first, _, form = inside.get(k, (k, k, word.form))
            if k == first:
                tokens.append((at, at + len(form.replace(" ", ""))))
                at = tokens[-1][1]
            feats = tuple(sorted(feat for feat in word.feats.split("|") if listed(feat.split("=")[0], FEATURES)))
            label = sentence.deprels[k].split(":")[0]
            found.append(
                W(word.form, word.lemma, word.upos, word.xpos, feats, label, tokens[-1][0], tokens[-1][1], k in inside)
            )
        for w, head in zip(found, sentence.heads[1:].tolist(), strict=True):
            w.head, w.known = (found[head - 1] if head > 0 else None), head >= 0
        sentences.append(found)
    return sentences, tokens


def aligned(gold: list[W], system: list[W]) -> dict[int, W]:
    """Return the counterpart of gold words, by id: equal spans outside of the stretches around ranges, LCS inside."""
    pairs: dict[int, W] = {}
    taken: set[int] = set()
    for start, end in stretches(gold, system):
        ours = [w for w in gold if inside(w, start, end)]
        theirs = [w for w in system if inside(w, start, end)]
        taken |= set(map(id, ours)) | set(map(id, theirs))
        pairs |= {id(ours[i]): theirs[j] for i, j in lcs(tuple(map(fold, ours)), tuple(map(fold, theirs)))}
    for w in gold:
        for v in system:
            if w.span == v.span and id(w) not in taken and id(v) not in taken:
                pairs[id(w)] = v
    return pairs


def stretches(gold: list[W], system: list[W]) -> list[tuple[int, int]]:
    """Return the unions of the ranges that overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted({w.span for w in (*gold, *system) if w.multi}):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def inside(w: W, start: int, end: int) -> bool:
    """Tell whether a word belongs to a stretch: a range that touches it, a plain word within."""
    return w.start >= start and (w.start < end if w.multi else w.end <= end)


def fold(w: W) -> str:
    """Return the part of a form that is compared."""
    return w.form.lower() if w.multi else w.form.replace(" ", "").lower()


def lcs(ours: tuple[str, ...], theirs: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the longest common subsequence that a walk from the left finds."""

    @cache
    def length(i: int, j: int) -> int:
        if i == len(ours) or j == len(theirs):
            return 0
        return length(i + 1, j + 1) + 1 if ours[i] == theirs[j] else max(length(i + 1, j), length(i, j + 1))

    pairs, i, j = [], 0, 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif length(i, j) == length(i + 1, j):
            i += 1
        else:
            j += 1
    return pairs


def figures(gold: Treebank, ours: Ranges, system: Treebank, theirs: Ranges) -> dict[str, tuple[int, ...]]:
    """Return correct, gold and system count of each metric."""
    gold_sentences, gold_tokens = words_of(gold, ours)
    system_sentences, system_tokens = words_of(system, theirs)
    gold_words, system_words = [*chain(*gold_sentences)], [*chain(*system_sentences)]
    pairs = aligned(gold_words, system_words)
    back = {id(v): w for w in gold_words if (v := pairs.get(id(w)))}

    def head(w: W) -> bool:
        v = pairs[id(w)]
        return v.known and (v.head is None) == (w.head is None) and (v.head is None or back.get(id(v.head)) is w.head)

    def tags(w: W, v: W) -> bool:
        return (w.upos, w.feats) == (v.upos, v.feats)

    def label(w: W) -> bool:
        return pairs[id(w)].known and w.deprel == pairs[id(w)].deprel

    def functions(w: W) -> bool:
        expected = [(u, u.deprel, u.upos, u.feats) for u in gold_words if u.head is w and listed(u.deprel, FUNCTION)]
        v = pairs[id(w)]
        found = [
            (back.get(id(u)), u.deprel, u.upos, u.feats)
            for u in system_words
            if u.head is v and listed(u.deprel, FUNCTION)
        ]
        return expected == found

    right: dict[str, Callable[[W], bool]] = {
        "Words": lambda w: True,
        "UPOS": lambda w: w.upos == pairs[id(w)].upos,
        "XPOS": lambda w: w.xpos == pairs[id(w)].xpos,
        "UFeats": lambda w: w.feats == pairs[id(w)].feats,
        "AllTags": lambda w: tags(w, pairs[id(w)]) and w.xpos == pairs[id(w)].xpos,
        "Lemmas": lambda w: w.lemma in ("_", pairs[id(w)].lemma),
        "UAS": head,
        "LA": label,
        "LAS": lambda w: head(w) and label(w),
    }
    content: dict[str, Callable[[W], bool]] = {
        "CLAS": right["LAS"],
        "MLAS": lambda w: head(w) and label(w) and tags(w, pairs[id(w)]) and functions(w),
        "BLEX": lambda w: head(w) and label(w) and right["Lemmas"](w),
    }
    both = [w for w in gold_words if id(w) in pairs]
    spans = [[(s[0].start, s[-1].end) for s in sentences] for sentences in (gold_sentences, system_sentences)]
    counts: dict[str, tuple[int, ...]] = {
        "Tokens": (len(set(gold_tokens) & set(system_tokens)), len(gold_tokens), len(system_tokens)),
        "Sentences": (len(set(spans[0]) & set(spans[1])), len(spans[0]), len(spans[1])),
        "root": tuple(
            sum(map(bool, which))
            for which in (
                [w.head is None and head(w) for w in both],
                [w.head is None for w in gold_words],
                [w.head is None and w.known for w in system_words],
            )
        ),
    }
    sizes = len(gold_words), len(system_words)
    counts |= {name: (sum(map(test, both)), *sizes) for name, test in right.items()}
    sizes = sum(listed(w.deprel, CONTENT) for w in gold_words), sum(listed(w.deprel, CONTENT) for w in system_words)
    counts |= {
        name: (sum(listed(w.deprel, CONTENT) and test(w) for w in both), *sizes) for name, test in content.items()
    }
    return counts
