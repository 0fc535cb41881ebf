"""A task of the tagger: its tagset, its dictionary, and linear taggers that vote."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Floats, Ints, Longs, kernel
from treevote.models.learning.features.lexicon import split_feats
from treevote.models.text.tagging.classifier import Classifier, add_scores
from treevote.models.text.tagging.dictionary import Dictionary
from treevote.models.text.tagging.features import Text
from treevote.models.text.tagging.learning import add_parts
from treevote.models.text.tagging.tagset import Parts, Tagset
from treevote.store.record import Record
from treevote.store.validation import rebuild

NEW_COMBINATION = 4.0  # how much a combination of features that was never seen must beat the best that was
SURE = np.float32(20)  # maximum margin of a class


class VoteResult(NamedTuple):
    """Result of `Task.vote`; the shape of all arrays is (n_slots,)."""

    classes: Ints  # -1 in ROOT slots
    combinations: dict[int, str]  # by slot: combinations of features that were never seen
    agreed: Bools  # tokens for which every linear tagger by itself chose the class; all for a task without a column
    margins: Floats  # gain over the next best class of the group, mean of the taggers: SURE without a rival; ROOT: 0


@dataclass(frozen=True, eq=False)
class Task:
    """A task of the tagger."""

    tagset: Tagset
    dictionary: Dictionary
    taggers: tuple[Classifier, ...]

    @functools.cached_property
    def _widths(self) -> Longs:
        return np.diff(self.tagset.parts.bases).astype(np.int64)

    def vote(self, text: Text, column: int, neural: Floats | None = None) -> VoteResult:
        """Choose a class for each token: the one with the highest sum of scores, of equal ones the first.

        ``column`` is that of the task in ``text.tags``, or -1. The tags of the text are not changed. ``neural``, shape
        (n_slots, n_parts), are scores of a neural tagger, which are added.
        """
        # few calls of numpy: for a short text they take longer than the scores
        parts, codes, n_slots = self.tagset.parts, self.tagset.codes, len(text.groups)
        widths = self._widths[text.groups]
        ends = widths.cumsum()
        places, total = ends - widths, np.zeros(int(ends[-1]), np.float32)
        n_taggers = sum(len(tagger.evidence) for tagger in self.taggers)
        tags, first = np.empty((n_taggers, *text.tags.shape), np.int32), 0
        tags[:] = text.tags
        for tagger in self.taggers:
            own = tags[first : first + len(tagger.evidence)]
            add_scores(
                text, own, parts, self.dictionary, tagger.table, tagger.guide.weights, tagger.evidence, tagger.backward,
                column, codes, places, total,
            )  # fmt: skip
            first += len(own)
        if neural is not None:
            of_part = parts.bases[text.groups] - places + np.arange(n_slots) * neural.shape[1]
            total += neural.ravel()[np.repeat(of_part, widths) + np.arange(len(total))]
        choices, least = tags[: n_taggers if column >= 0 else 0, :, column], np.float32(NEW_COMBINATION)
        n_votes = n_taggers + (neural is not None)
        classes, old, new, margins, agreed = choose(parts, codes, text, choices, places, total, least, n_votes)
        combinations = {}
        for slot in np.flatnonzero(new >= 0).tolist():
            replaced = int(text.groups[slot]), int(classes[slot]), int(old[slot]), int(new[slot])
            if (name := self._combination(*replaced)) is not None:
                combinations[slot] = name
                agreed[slot] = False
        return VoteResult(classes, combinations, agreed, margins)

    def _combination(self, group: int, number: int, old: int, new: int) -> str | None:
        """Return the features of a class with one of them replaced; None if that is a class, or has one twice.

        ``old`` and ``new`` are numbers of features of the group.
        """
        features = self.tagset.part_names(group)
        values = split_feats(self.tagset.names[number])
        if features[new] in values:
            return None
        values[values.index(features[old])] = features[new]
        name = "|".join(values)
        known = self.tagset.names[self.tagset.starts[group] : self.tagset.starts[group + 1]]
        return name if name and name not in known else None

    def record(self) -> Record:
        """Return the task as data."""
        own = {str(i): tagger.record() for i, tagger in enumerate(self.taggers)}
        return Record("task", parts={"tagset": self.tagset.record(), "dictionary": self.dictionary.record(), **own})

    @classmethod
    def from_record(cls, record: Record, n_forms: int) -> Task:
        """Return the task of a record; raises as `treevote.store.validation.rebuild` expects."""
        tagset = rebuild(record.parts["tagset"], "tagset", Tagset.from_record)
        n_classes, n_parts = len(tagset.names), int(tagset.parts.bases[-1])
        dictionary = rebuild(
            record.parts["dictionary"], "dictionary", lambda part: Dictionary.from_record(part, n_forms, n_classes)
        )
        own = [record.parts[name] for name in record.parts if name not in ("tagset", "dictionary")]
        if not own:
            raise ValueError("a task without taggers")
        taggers = (rebuild(part, "linear-tagger", lambda part: Classifier.from_record(part, n_parts)) for part in own)
        return cls(tagset, dictionary, tuple(taggers))


@kernel
def choose(
    parts: Parts, codes: Ints, text: Text, choices: Ints, places: Longs, total: Floats, least: np.float32, n_votes: int
) -> tuple[Ints, Ints, Ints, Floats, Bools]:
    """Return the best class of each token, a feature of it to replace and the one in its place, margin and agreement.

    A feature is replaced if that gains more than ``least``. The margin is the distance to the next best class, divided
    by the number of votes, at most `SURE`. A token is agreed on if all ``choices``, shape (n_taggers, n_slots), are the
    code of the best class.

    Features are counted from 0 within their group, -1 without a replacement. In ROOT slots all numbers are -1, but for
    the margin, 0.
    """
    offsets, groups = text.offsets, text.groups
    n_slots = len(groups)
    classes, old, new = np.full(n_slots, -1, np.int32), np.full(n_slots, -1, np.int32), np.full(n_slots, -1, np.int32)
    margins, agreed = np.zeros(n_slots, np.float32), np.zeros(n_slots, np.bool_)
    scores, sentence = np.empty(np.diff(parts.starts).max(), np.float32), 0
    for slot in range(n_slots):
        if slot == offsets[sentence]:  # ROOT
            sentence += 1
            continue
        group, own = groups[slot], total[places[slot] :]
        first, last, base = parts.starts[group], parts.starts[group + 1], parts.bases[group]
        # the best class of the group, and its margin
        add_parts(parts, group, own, scores)
        best, distance = 0, np.float32(np.inf)
        for c in range(1, last - first):
            if scores[c] > scores[best]:
                distance = scores[c] - scores[best]
                best = c
            else:
                distance = min(distance, scores[best] - scores[c])
        classes[slot], agreed[slot] = first + best, True
        margins[slot] = min(distance / np.float32(n_votes), SURE)
        for t in range(len(choices)):
            agreed[slot] &= choices[t, slot] == codes[first + best]
        # the exchange of a feature for another of its kind, such as Case=Nom for Case=Acc, that gains most: the score
        # of the features, less that of the class as a whole, which a new combination does not have
        most_gained = least
        for i in range(parts.offsets[first + best], parts.offsets[first + best + 1]):
            feature = parts.values[i]
            for other in range(base + last - first, parts.bases[group + 1]):
                gain = own[other - base] - own[feature - base] - own[best]
                if parts.kinds[other] == parts.kinds[feature] and other != feature and gain > most_gained:
                    most_gained = gain
                    old[slot], new[slot] = feature - base - (last - first), other - base - (last - first)
    return classes, old, new, margins, agreed
