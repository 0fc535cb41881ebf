"""Candidates of a vote, their attributes and the places of their features, token by token."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treevote.corpus.sentence import Sentence

WORD = 2**64


class Proposal(NamedTuple):
    """A head that systems propose for a token, and a label that some of them give it, None for another label."""

    token: int
    head: int
    label: str | None


def proposals(systems: Sequence[Sentence]) -> Iterator[Proposal]:
    """Yield the candidates of a sentence: token by token, by the first system that proposes them."""
    for d in range(1, len(systems[0].heads)):
        seen = set()
        for system in systems:
            head = int(system.heads[d])
            for label in (None, system.deprels[d]):
                proposal = Proposal(d, head, label)
                if head >= 0 and proposal not in seen:
                    seen.add(proposal)
                    yield proposal


def code(name: str | None) -> int:
    """Return the number of a name."""
    return 0 if name is None else 1 + zlib.crc32(name.encode())


def bits(systems: Sequence[int]) -> int:
    """Return a set of systems as bits."""
    return sum(2**a for a in systems)


def voters(systems: Sequence[Sentence], d: int, head: int, label: str | None = None) -> list[int]:
    """Return the systems that vote for a head, and for a label if there is one."""
    return [a for a, s in enumerate(systems) if s.heads[d] == head and (label is None or s.deprels[d] == label)]


def leader(systems: Sequence[Sentence], d: int) -> int:
    """Return the first system whose head of a token has most votes."""
    counts = [len(voters(systems, d, s.heads[d])) if s.heads[d] >= 0 else 0 for s in systems]
    return counts.index(max(counts))


def place(d: int, head: int) -> int:
    """Return direction and distance of a head."""
    if head == 0:
        return 0
    size = sum(abs(d - head) > longest for longest in (1, 2, 3, 5, 10)) + 1
    return size if head < d else size + 6


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Tell whether two arcs cross."""
    (a, b), (c, d) = sorted(one), sorted(other)
    return a < c < b < d or c < a < d < b


def attributes(systems: Sequence[Sentence], proposal: Proposal) -> list[int]:
    """Return the attributes of a candidate, in the order of `treevote.ensemble.candidate_features.ATTRIBUTES`."""
    d, h, label = proposal
    k, n = len(systems), len(systems[0].heads) - 1
    own = voters(systems, d, h)
    namers = [] if label is None else voters(systems, d, h, label)
    heads = list(dict.fromkeys(s.heads[d] for s in systems if s.heads[d] >= 0))
    others = [head for head in heads if head != h]
    rivals = max((voters(systems, d, head) for head in others), key=len, default=[])
    leading = {t: systems[leader(systems, t)] for t in range(1, n + 1)}
    head_of = {t: leading[t].heads[t] for t in leading}
    votes = {t: len(voters(systems, t, head_of[t])) if head_of[t] >= 0 else 0 for t in leading}
    upos = ["<root>", *(word.upos for word in systems[0].words[1:])]
    rest = [t for t in leading if t != d and head_of[t] >= 0]
    row = [
        int(label is not None),
        bits(own),
        len(own),
        bits(namers),
        len(namers),
        bits(rivals),
        len(rivals),
        len(heads),
        code(label),
        code(upos[d]),
        code(upos[h]),
        place(d, h),
        place(d, systems[rivals[0]].heads[d]) if rivals else 13,
        20 * sum(votes.values()) // (k * n),
        2 if h == 0 else int(len({systems[a].heads[h] for a in own}) == 1),
        0 if h == 0 else sum(systems[a].heads[h] == head_of[h] for a in own),
        k if h == 0 else votes[h],
        min(3, sum(crosses((d, h), (t, head_of[t])) for t in rest)),
        0 if label is None else min(2, sum(head_of[t] == h and leading[t].deprels[t] == label for t in rest)),
        0 if h == 0 or head_of[h] < 0 else code(leading[h].deprels[h]),
    ]
    return [int(value) for value in row]


def mix(key: int, value: int) -> int:
    """Return a key with one more value."""
    key = ((key ^ value) * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) % WORD
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    key = (key ^ (key >> 27)) * 0x94D049BB133111EB % WORD
    return key ^ (key >> 31)


def places(row: Sequence[int], strong: Sequence[Sequence[int]], weak: Sequence[Sequence[int]], k: int) -> list[int]:
    """Return the places of the features of a candidate; templates are columns."""

    def key_of(number: int, columns: Sequence[int]) -> int:
        key = mix(0, number)
        for column in columns:
            key = mix(key, row[column])
        return key

    keys = [key_of(number, columns) for number, columns in enumerate(strong)]
    for b in range(k):
        keys.append(mix(mix(1, b), 2 * (row[1] // 2**b % 2) + row[0]))
        keys.append(mix(mix(keys[-1], row[9]), row[0]))
    keys += [key_of(len(strong) + number, columns) for number, columns in enumerate(weak)]
    return [key >> 44 for key in keys]
