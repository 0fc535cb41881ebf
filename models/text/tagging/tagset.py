"""The classes that a tagger chooses from, in groups, and the parts that they are made of.

The features of a noun are chosen among those that nouns had in training: a *group* is a part of speech, and a class is
a value in its group. The score of a class is the sum of the scores of its *parts*: the whole value, and each of its
features (``Case=Nom``), so that rare values profit from frequent ones (Müller, Schmid & Schütze 2013, section 3). A
rare value has no part of its own: it competes by its features alone, as a combination that was never seen does.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bools, Ints
from treevote.models.learning.features.lexicon import split_feats
from treevote.store.record import Record
from treevote.store.validation import check_offsets, column, truth_of

MAX_CLASSES = 16_000  # the rarest beyond are left out
MAX_VALUES = 32  # features of a class that count as parts
MIN_OCCURRENCES = 10  # from which a class that has features is a part of its own
MAX_PARTS = 16_000  # packed weights have 15 bits for the numbers of the parts of two taggers


class Parts(NamedTuple):
    """The parts of all classes, for kernels. The parts of a group begin with its classes as wholes, in order."""

    starts: Ints  # shape (n_groups + 1,): first class of each group
    bases: Ints  # shape (n_groups + 1,): first part of each group
    offsets: Ints  # shape (n_classes + 1,): the other parts of class c are values[offsets[c] : offsets[c + 1]]
    values: Ints
    own: Bools  # shape (n_classes,): whether the class as a whole may have a weight
    kinds: Ints  # shape (n_parts,): number of the feature of a part, as of Case for Case=Nom; -1 for wholes


@dataclass(frozen=True, eq=False)
class Tagset:
    """Classes by group."""

    groups: tuple[str, ...]
    names: tuple[str, ...]  # of the classes, one group after the other, sorted within each
    starts: Ints  # shape (n_groups + 1,): first class of each group
    split: bool  # whether the features of a class are parts of it
    own: Bools  # shape (n_classes,): whether a class has a part of its own

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], *, split: bool) -> Tagset:
        """Return the classes of a training set, given group and class of each token.

        The features of classes are no parts if there were more than ``MAX_PARTS``.

        >>> tagset = Tagset.of([("NOUN", "Number=Sing"), ("DET", "_"), ("NOUN", "Case=Gen|Number=Sing")], split=True)
        >>> tagset.groups, tagset.names
        (('DET', 'NOUN'), ('_', 'Case=Gen|Number=Sing', 'Number=Sing'))
        >>> tagset.parts.bases.tolist(), tagset.parts.values.tolist()
        ([0, 1, 5], [3, 4, 4])
        """
        counts = Counter(pairs)
        frequent = sorted(counts, key=lambda pair: (-counts[pair], pair))
        first = dict(reversed(frequent))  # no group stays empty
        kept = sorted({*frequent[: max(0, MAX_CLASSES - len(first))], *first.items()})
        groups = tuple(dict.fromkeys(group for group, _ in kept))
        sizes = Counter(group for group, _ in kept)
        own = [not split or counts[pair] >= MIN_OCCURRENCES for pair in kept]
        starts = np.cumsum([0, *(sizes[group] for group in groups)], dtype=np.int32)
        names = tuple(name for _, name in kept)
        tagset = cls(groups, names, starts, split, np.array(own, np.bool_))
        if len(names) + sum(len(tagset.part_names(group)) for group in range(len(groups)) if split) > MAX_PARTS:
            return cls(groups, names, starts, False, np.ones(len(names), np.bool_))
        return tagset

    @functools.cached_property
    def codes(self) -> Ints:
        """Number of each class in templates: equal tags of all groups have one. The last is -1, for no class."""
        number = {tag: i for i, tag in enumerate(sorted(set(self.names)))}
        return np.array([*(number[tag] for tag in self.names), -1], np.int32)

    @functools.cached_property
    def parts(self) -> Parts:
        """The parts of all classes; ValueError if there are too many."""
        bases, offsets, values, kinds = [0], [0], list[int](), list[int]()
        features: dict[str, int] = {}
        for first, last in itertools.pairwise(self.starts.tolist()):
            numbers: dict[str, int] = {}
            start = bases[-1] + last - first
            for name in self.names[first:last]:
                own = dict.fromkeys(split_feats(name)[:MAX_VALUES]) if self.split else ()
                values += [numbers.setdefault(value, start + len(numbers)) for value in own]
                offsets.append(len(values))
            bases.append(start + len(numbers))
            kinds += [-1] * (last - first)
            kinds += [features.setdefault(value.partition("=")[0], len(features)) for value in numbers]
        if bases[-1] > MAX_PARTS:
            raise ValueError(f"its tags have {bases[-1]} parts; there may be {MAX_PARTS}")
        firsts, ends, others, features_of = (np.array(column, np.int32) for column in (bases, offsets, values, kinds))
        return Parts(self.starts, firsts, ends, others, self.own, features_of)

    def part_names(self, group: int) -> list[str]:
        """Return the features of a group, in the order of their parts."""
        names = self.names[self.starts[group] : self.starts[group + 1]]
        return list(dict.fromkeys(value for name in names for value in split_feats(name)[:MAX_VALUES]))

    def numbers(self) -> dict[tuple[str, str], int]:
        """Return the number of each class, by group and name."""
        groups = np.repeat(np.arange(len(self.groups)), np.diff(self.starts)).tolist()
        return {(self.groups[group], name): i for i, (group, name) in enumerate(zip(groups, self.names, strict=True))}

    def record(self) -> Record:
        """Return the classes as data."""
        texts = {"groups": self.groups, "names": self.names}
        return Record("tagset", {"split": self.split}, {"starts": self.starts, "own": self.own}, texts)

    @classmethod
    def from_record(cls, record: Record) -> Tagset:
        """Return the classes of a record; raises as `treevote.store.validation.rebuild` expects."""
        groups, names = tuple(record.texts["groups"]), tuple(record.texts["names"])
        starts, split = column(record, "starts", np.int32), truth_of(record, "split")
        check_offsets("starts", starts, len(groups), len(names))
        if not groups or (starts[1:] == starts[:-1]).any():
            raise ValueError("its groups of tags")
        if len(names) > MAX_CLASSES:
            raise ValueError("its tags")
        own = column(record, "own", np.bool_)
        if len(own) != len(names):
            raise ValueError("the parts of its tags")
        for tag in (*groups, *names):
            if not tag or any(character in "\t\n" for character in tag):
                raise ValueError(f"the tag {tag[:40]!r} is empty or has a tab or a line end")
        return cls(groups, names, starts, split, own)
