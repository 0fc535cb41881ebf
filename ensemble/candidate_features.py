"""Features of the candidates of a vote: what is known of an arc that some system proposes.

Each candidate has a row of `ATTRIBUTES`, all of them numbers: who votes for it and for its strongest rival, parts of
speech, length and direction, what the systems say of the tokens around it. `TEMPLATES` combine them to features;
features are hashed to places in a table of weights, so that there is no vocabulary to keep.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

import numpy as np

from treevote.corpus.folds import runs_of
from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidates import Candidates, Leaders, is_first
from treevote.ensemble.vote import Ballots
from treevote.kernels import Doubles, Floats, Ints, Longs, kernel, leaf

BATCH = 1 << 13  # slots of the sentences whose features are in memory at a time; a longer sentence is alone
PLACE_BITS = 20  # binary logarithm of the number of weights

ATTRIBUTES = {
    "named": "1, or 0 for another label",
    "voters": "the systems that vote for the head, as bits",
    "votes": "their number",
    "namers": "the systems that vote for head and label, as bits",
    "names": "their number",
    "rivals": "the voters of the strongest other head, as bits",
    "rival-votes": "their number",
    "heads": "number of heads that are proposed for the token",
    "label": "the label",
    "upos": "part of speech of the token",
    "head-upos": "that of the head",
    "place": "direction and distance of the head",
    "rival-place": "those of the strongest other head",
    "agreement": "mean share of the votes for the leading heads of the sentence, in twentieths",
    "united": "1 if the voters agree on the head of the head, 2 if the head is ROOT",
    "followers": "number of the voters whose head of the head is its leading one",
    "head-votes": "number of votes for the leading head of the head",
    "crossed": "number of leading arcs that the arc crosses, up to 3",
    "twins": "number of other tokens that lead to the head with the same label, up to 2",
    "head-label": "leading label of the head",
}
"""Name and meaning of the columns; the *leading* head of a token has most votes, in a tie that of the first system."""

(
    NAMED, VOTERS, N_VOTERS, NAMERS, N_NAMERS, RIVALS, N_RIVALS, N_HEADS, LABEL, UPOS, HEAD_UPOS, PLACE, RIVAL_PLACE,
    AGREEMENT, UNITED, FOLLOWERS, N_HEAD_VOTES, N_CROSSED, N_TWINS, HEAD_LABEL,
) = range(len(ATTRIBUTES))  # fmt: skip

VOTES = "named  votes+rival-votes+named  names+votes+named+heads"
"""Templates of counts, shrunk little: every candidate has their features, and they alone are nearly an equal vote."""

TEMPLATES = """
voters  voters+rivals  voters+upos  voters+head-upos  voters+place  votes+upos+head-upos  votes+place+upos
upos+head-upos+place  votes+agreement  votes+united+followers+head-votes  votes+head-votes+rival-votes
votes+rival-votes+crossed  votes+rival-votes+heads+upos  rival-place+place+votes+rival-votes  namers+voters+named
label+upos  label+upos+head-upos  label+place  label+namers  label+names+votes  label+votes+upos+names  label+twins
label+twins+names  label+head-label+head-upos
"""
"""All other templates: attributes are joined by ``+``."""

_MAX_ATTRIBUTES = 4  # of one template
_GOLDEN, _FIRST, _SECOND = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def places_by_batch(treebank: Treebank, ballots: Ballots, candidates: Candidates) -> Iterator[tuple[slice, Ints]]:
    """Yield the candidates of some sentences at a time, and the places of the features of each of them.

    Places have the shape (n_candidates of the batch, n_features), each below 2**PLACE_BITS. The first ``N_STRONG``
    columns are those of ``VOTES``. A batch has at most ``BATCH`` slots, or one sentence.
    """
    heads, deprels, labels = ballots.heads, ballots.deprels, _codes(ballots.labels)
    upos = _codes(word.upos for word in treebank.words)[treebank.tokens]
    leaders, offsets = Leaders.of(ballots), treebank.offsets
    for first, last in runs_of(offsets, BATCH):
        chosen = slice(*np.searchsorted(candidates.slots, offsets[[first, last]]).tolist())
        batch = Candidates(candidates.slots[chosen], candidates.systems[chosen], candidates.named[chosen])
        attributes = np.zeros((len(batch.slots), len(ATTRIBUTES)), np.int64)
        describe(heads, deprels, leaders, labels, upos, offsets[first : last + 1], batch, attributes)
        places = np.empty((len(attributes), n_features(len(heads))), np.int32)
        hash_features(attributes, _STRONG, _WEAK, len(heads), places)
        yield chosen, places


def places_of(treebank: Treebank, ballots: Ballots, candidates: Candidates) -> Ints:
    """Return the places of all candidates, shape (n_candidates, n_features), see `places_by_batch`."""
    places = np.empty((len(candidates.slots), n_features(len(ballots.heads))), np.int32)
    for chosen, batch in places_by_batch(treebank, ballots, candidates):
        places[chosen] = batch
    return places


def n_features(k: int) -> int:
    """Return the number of features of a candidate of k systems."""
    return N_STRONG + 2 * k + len(_WEAK)


def _codes(names: Iterable[str]) -> Longs:
    """Return a number above 0 for each name, and 0 at the end, for none."""
    return np.array([*(1 + zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in names), 0], np.int64)


def compile_templates(text: str) -> Longs:
    """Return the columns of each template, -1 behind the last."""
    column = {name: number for number, name in enumerate(ATTRIBUTES)}
    rows = [[column[name] for name in template.split("+")] for template in text.split()]
    return np.array([row + [-1] * (_MAX_ATTRIBUTES - len(row)) for row in rows], np.int64)


_STRONG, _WEAK = compile_templates(VOTES), compile_templates(TEMPLATES)
N_STRONG = len(_STRONG)


@leaf
def place_of(d: int, h: int) -> int:
    """Return direction and distance of a head: 0 for ROOT, 1 to 6 on the left, 7 to 12 on the right."""
    distance = abs(d - h)
    size = distance if distance <= 3 else 4 if distance <= 5 else 5 if distance <= 10 else 6
    return 0 if h == 0 else size if h < d else 6 + size


@kernel
def describe(
    heads: Ints,
    deprels: Ints,
    leaders: Leaders,
    labels: Longs,
    upos: Longs,
    offsets: Longs,
    candidates: Candidates,
    attributes: Longs,
) -> None:
    """Write the attributes of the candidates of the sentences between the offsets, and of no others.

    ``labels`` and ``upos`` are codes of labels, and of tokens by slot.
    """
    slots, systems, named = candidates
    head_of, label_of, votes = leaders
    k, c = len(heads), 0
    for i in range(len(offsets) - 1):
        first, n = offsets[i], offsets[i + 1] - offsets[i] - 1
        total = 0
        for slot in range(first + 1, first + 1 + n):
            total += votes[slot]
        while c < len(slots) and slots[c] <= first + n:
            slot, a = slots[c], systems[c]
            d, h, label = int(slot - first), int(heads[a, slot]), int(deprels[a, slot]) if named[c] else -1
            top, row = first + h, attributes[c]
            rival, n_heads = -1, 0
            for b in range(k):
                if heads[b, slot] == h:
                    row[VOTERS] |= 1 << b
                    row[N_VOTERS] += 1
                    if label >= 0 and deprels[b, slot] == label:
                        row[NAMERS] |= 1 << b
                        row[N_NAMERS] += 1
                    row[FOLLOWERS] += int(h > 0 and heads[b, top] == head_of[top])
                    row[UNITED] |= int(heads[b, top] != heads[a, top])
                if heads[b, slot] >= 0 and is_first(heads, deprels, slot, b, False):
                    n_heads += 1
                    if heads[b, slot] != h:
                        count = 0
                        for other in range(b, k):
                            count += int(heads[other, slot] == heads[b, slot])
                        if count > row[N_RIVALS]:
                            rival, row[N_RIVALS] = b, count
            row[NAMED], row[N_HEADS], row[LABEL] = int(named[c]), n_heads, labels[label]
            row[UPOS], row[HEAD_UPOS], row[PLACE] = upos[slot], upos[top], place_of(d, h)
            row[AGREEMENT] = 20 * total // max(1, k * n)
            row[UNITED] = 2 if h == 0 else int(row[UNITED] == 0)
            row[N_HEAD_VOTES] = votes[top] if h > 0 else k
            row[HEAD_LABEL] = labels[label_of[top]] if h > 0 else 0
            row[RIVAL_PLACE] = 13
            if rival >= 0:
                row[RIVAL_PLACE] = place_of(d, int(heads[rival, slot]))
                for b in range(k):
                    row[RIVALS] |= int(heads[b, slot] == heads[rival, slot]) << b
            low, high = min(d, h), max(d, h)
            for t in range(1, n + 1):
                g = head_of[first + t]
                left, right = min(t, g), max(t, g)
                crosses = left < low < right < high or low < left < high < right
                row[N_CROSSED] += int(g >= 0 and t != d and crosses and row[N_CROSSED] < 3)
                row[N_TWINS] += int(
                    g == h and t != d and label >= 0 and label_of[first + t] == label and row[N_TWINS] < 2
                )
            c += 1


@leaf
def mix(key: np.uint64, value: int) -> np.uint64:
    """Return a key with one more value: the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    key = (key ^ np.uint64(np.int64(value))) * _GOLDEN + _GOLDEN
    key = (key ^ (key >> np.uint64(30))) * _FIRST
    key = (key ^ (key >> np.uint64(27))) * _SECOND
    return key ^ (key >> np.uint64(31))


@kernel
def hash_features(attributes: Longs, strong: Longs, weak: Longs, k: int, places: Ints) -> None:
    """Write the places of the features: strong templates; each vote, alone and by part of speech; weak templates."""
    shift = np.uint64(64 - PLACE_BITS)
    for c in range(len(attributes)):
        row, at = attributes[c], 0
        for t in range(len(strong) + len(weak)):
            columns = strong[t] if t < len(strong) else weak[t - len(strong)]
            key = mix(np.uint64(0), t)
            for column in columns:
                if column >= 0:
                    key = mix(key, row[column])
            places[c, at] = np.int32(key >> shift)
            at += 1
            if t == len(strong) - 1:
                for b in range(k):
                    key = mix(mix(np.uint64(1), b), (row[VOTERS] >> b & 1) * 2 + row[NAMED])
                    places[c, at] = np.int32(key >> shift)
                    places[c, at + 1] = np.int32(mix(mix(key, row[UPOS]), row[NAMED]) >> shift)
                    at += 2


@kernel
def add_weights(places: Ints, weights: Doubles | Floats, sums: Doubles) -> None:
    """Write the sum of the weights of each row of places."""
    for i in range(len(places)):
        total = np.float64(0)
        for j in range(places.shape[1]):
            total += weights[places[i, j]]
        sums[i] = total


@kernel
def add_to_places(places: Ints, values: Doubles, totals: Doubles) -> None:
    """Add the value of each row to all of its places."""
    for i in range(len(places)):
        for j in range(places.shape[1]):
            totals[places[i, j]] += values[i]
