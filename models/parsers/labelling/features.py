"""The features of an arc: the templates, the grammar that they are written in, and their values in a tree.

Places: ``d`` the dependent of the arc, ``h`` its head, ``g`` the head of that. Steps: ``prev`` ``next`` the
neighbouring word of the sentence, ``l`` ``r`` the outermost dependent on the left, on the right, ``il`` ``ir`` the
innermost, ``ls`` ``rs`` the sibling before, after. ``h.r.upos`` is the tag of the rightmost dependent of the head.

Attributes besides those of the lexicon: ``lval rval`` (number of dependents on the left, on the right), ``rank``
(number of siblings between the word and its head), ``deprel`` (label of the arc to its head, if it has one already).
Sets: ``feat`` (each attribute=value of FEATS by itself), ``dependents`` (labels of the dependents that have one).
Without a place: ``distance`` (binned, with direction); the sets ``between`` (tags between dependent and head) and
``agree`` (values of FEATS that both have).
"""

from __future__ import annotations

from typing import NamedTuple

from treevote.kernels import Index, Ints, Keys, leaf
from treevote.models.learning.features.atoms import FAR, MAX_VALENCY, bin_distance
from treevote.models.learning.features.firing import MAX_MEMBERS, Scratch
from treevote.models.learning.features.lexicon import ATTRIBUTES, WordColumns
from treevote.models.learning.features.templates import COLUMN, LEXICON, Grammar, TemplateTable
from treevote.models.learning.features.trie import fire_trie, key_at, mix
from treevote.models.parsers.labelling.surroundings import AFTER, INNER_RIGHT, LEFT, LINKS, N_LEFT

DEPENDENT, HEAD, GRAND, PREV, NEXT, LINK = range(6)
"""Places and steps; ``LINK`` is the first of ``LINKS``."""
NUMBER, DEPREL, DISTANCE, FEAT, DEPENDENTS, BETWEEN, AGREE = range(1, 8)
"""Kinds of atoms."""

GRAMMAR = Grammar(
    places={"d": (DEPENDENT, 0), "h": (HEAD, 0), "g": (GRAND, 0)},
    steps={"prev": PREV, "next": NEXT} | {name: step for step, name in enumerate(LINKS[:N_LEFT], LINK)},
    attributes=LEXICON
    | {name: (NUMBER, column) for column, name in enumerate(LINKS) if column >= N_LEFT}
    | {"deprel": (DEPREL, 0), "feat": (FEAT, 0), "dependents": (DEPENDENTS, 0)},
    globals={"distance": DISTANCE, "between": BETWEEN, "agree": AGREE},
    sets=("feat", "dependents", "between", "agree"),
)

_LINES = """
d.form d.lemma d.upos d.xpos d.feats d.suffix3 d.suffix2 d.shape d.feat
h.form h.lemma h.upos h.xpos h.feats h.feat
distance d.upos+distance h.upos+distance d.upos+h.upos+distance d.lemma+distance h.lemma+distance
d.lemma+h.lemma+distance d.feats+h.xpos+distance
d.upos+h.upos d.form+h.upos d.lemma+h.upos d.upos+h.form d.upos+h.lemma d.lemma+h.lemma d.form+h.form d.xpos+h.xpos
d.feats+h.upos d.upos+h.feats d.feats+h.feats d.feat+h.upos d.upos+h.feat d.feats+h.lemma
d.suffix3+h.upos d.upos+d.suffix3 d.upos+h.upos+between agree d.upos+h.upos+agree
d.prev.upos d.next.upos h.prev.upos h.next.upos d.prev.lemma d.next.lemma
d.upos+h.upos+d.prev.upos d.upos+h.upos+d.next.upos d.upos+h.upos+h.prev.upos d.upos+h.upos+h.next.upos
d.lval d.rval d.upos+d.lval+d.rval h.lval h.rval d.rank d.upos+h.upos+d.rank d.upos+h.upos+h.lval+h.rval
d.l.upos d.r.upos d.il.upos d.ir.upos d.l.lemma d.r.lemma d.l.form d.r.form d.l.xpos d.r.xpos
d.upos+d.l.feat d.upos+d.r.feat d.lemma+d.l.lemma d.lemma+d.r.lemma
d.feats+d.l.upos d.feats+d.r.upos d.feats+d.l.lemma d.feats+d.r.lemma
d.upos+h.upos+d.l.upos d.upos+h.upos+d.r.upos d.upos+h.upos+d.l.upos+d.r.upos d.upos+h.upos+d.il.upos
d.upos+h.upos+d.ir.upos d.upos+h.upos+d.l.lemma d.upos+h.upos+d.r.lemma d.upos+h.upos+d.il.lemma
d.upos+h.upos+d.ir.lemma h.lemma+d.l.lemma h.lemma+d.r.lemma h.upos+d.feats+d.l.lemma h.upos+d.feats+d.r.lemma
d.ls.upos d.rs.upos d.ls.lemma d.rs.lemma d.upos+h.upos+d.ls.upos d.upos+h.upos+d.rs.upos d.upos+h.upos+d.ls.lemma
d.upos+h.upos+d.rs.lemma d.upos+d.ls.feat d.upos+d.rs.feat d.ls.feats+d.feats d.rs.feats+d.feats
g.upos g.lemma d.upos+h.upos+g.upos d.lemma+g.upos d.upos+g.lemma
d.dependents d.upos+d.dependents d.upos+h.upos+d.dependents
d.ls.deprel d.upos+d.ls.deprel d.upos+h.upos+d.ls.deprel d.lemma+d.ls.deprel
h.dependents h.upos+h.dependents h.lemma+h.dependents h.feats+h.dependents d.upos+h.dependents d.lemma+h.dependents
d.feats+h.dependents d.suffix3+h.dependents d.upos+h.upos+h.dependents d.upos+h.lemma+h.dependents
"""

TEMPLATES = tuple(_LINES.split())
"""The words of the arc, their neighbours in the sentence and in the tree, and the labels below and before."""

_UPOS = ATTRIBUTES.index("upos")
_TO_THE_RIGHT = 8  # added to the bin of a distance


class Sentence(NamedTuple):
    """A sentence with its tree and the labels known so far."""

    tokens: Ints  # shape (n + 1,): the word of each position
    heads: Ints
    deprels: Ints  # -1 for a label that is not known yet
    links: Ints  # shape (n + 1, len(LINKS)), of `treevote.models.parsers.labelling.surroundings.link`


@leaf
def max_features(table: TemplateTable) -> int:
    """Return the length of an array for the features of one arc: their maximum number plus 1."""
    return len(table.nodes) + MAX_MEMBERS * len(table.sets) + 1


@leaf
def fire(
    sentence: Sentence, dependent: int, words: WordColumns, table: TemplateTable, room: Scratch, keys: Keys
) -> int:
    """Write the features of the arc to ``dependent`` into ``keys``, `max_features` long, and return their number."""
    find_places(sentence, dependent, table, room.places)
    find_values(sentence, dependent, words, table, room)
    count = fire_trie(table.nodes, 0, len(table.nodes), room.values, room.nodes, keys, 0)
    for i in range(len(table.sets)):
        atom, start = table.sets[i, 1], key_at(table.sets[i, 0], room.nodes)
        if start != 0:
            for member in range(room.values[atom]):
                keys[count] = mix(start, atom, int(room.members[atom, member]))
                count += 1
    return count


@leaf
def find_places(sentence: Sentence, dependent: int, table: TemplateTable, places: Ints) -> None:
    """Write the position of each place of the templates; -1 where there is none."""
    head = sentence.heads[Index(dependent)]
    for p in range(len(table.places)):
        step, argument = table.places[p, 0], table.places[p, 1]
        if step == DEPENDENT:
            places[p, 0] = dependent
        elif step == HEAD:
            places[p, 0] = head
        elif step == GRAND:
            places[p, 0] = sentence.heads[head]
        elif places[Index(argument), 0] < 0:
            places[p, 0] = -1
        elif step == PREV:
            places[p, 0] = places[Index(argument), 0] - 1
        elif step == NEXT:
            place = places[Index(argument), 0] + 1
            places[p, 0] = place if place < len(sentence.heads) else -1
        else:
            places[p, 0] = sentence.links[Index(places[Index(argument), 0]), Index(step - LINK)]


@leaf
def find_values(sentence: Sentence, dependent: int, words: WordColumns, table: TemplateTable, room: Scratch) -> None:
    """Write the value of each atom, 0 where there is none."""
    for a in range(len(table.atoms)):
        kind, place, column = table.atoms[a, 0], table.atoms[a, 1], table.atoms[a, 2]
        value = 0
        if kind == DISTANCE:
            distance = dependent - sentence.heads[dependent]
            value = bin_distance(abs(distance), FAR) + (_TO_THE_RIGHT if distance > 0 else 0)
        elif kind == BETWEEN:
            value = tags_between(sentence, dependent, words, room.members[a])
        elif kind == AGREE:
            value = common_feats(sentence, dependent, words, room.members[a])
        elif room.places[Index(place), 0] >= 0:
            at = int(room.places[Index(place), 0])
            word = Index(sentence.tokens[Index(at)])
            if kind == COLUMN:
                value = words.values[word, Index(column)]
            elif kind == NUMBER:
                value = min(sentence.links[Index(at), Index(column)], MAX_VALENCY) + 1
            elif kind == DEPREL:
                value = sentence.deprels[Index(at)] + 1
            elif kind == FEAT:
                for i in range(words.feats_offsets[word], words.feats_offsets[word + 1]):
                    value = add(int(words.feats[Index(i)]), room.members[a], value)
            elif kind == DEPENDENTS:
                value = known_labels(sentence, at, room.members[a])
        room.values[a] = value


@leaf
def known_labels(sentence: Sentence, head: int, members: Ints) -> int:
    """Collect the known labels of the dependents of a word, and return their number."""
    n, links = 0, sentence.links
    token = links[head, LEFT] if links[head, LEFT] >= 0 else links[head, INNER_RIGHT]
    while token >= 0:
        n = add(int(sentence.deprels[Index(token)]) + 1, members, n)
        token = links[Index(token), AFTER]
    return n


@leaf
def tags_between(sentence: Sentence, dependent: int, words: WordColumns, members: Ints) -> int:
    """Collect the tags of the words between dependent and head, and return their number."""
    n, head = 0, sentence.heads[Index(dependent)]
    for position in range(min(head, dependent) + 1, max(head, dependent)):
        n = add(int(words.values[Index(sentence.tokens[Index(position)]), _UPOS]), members, n)
    return n


@leaf
def common_feats(sentence: Sentence, dependent: int, words: WordColumns, members: Ints) -> int:
    """Collect the common values of FEATS of dependent and head, and return their number."""
    n, offsets = 0, words.feats_offsets
    own = Index(sentence.tokens[Index(dependent)])
    other = Index(sentence.tokens[Index(sentence.heads[Index(dependent)])])
    for i in range(offsets[own], offsets[own + 1]):
        feat = words.feats[Index(i)]
        for j in range(offsets[other], offsets[other + 1]):
            if feat == words.feats[Index(j)]:
                n = add(int(feat), members, n)
    return n


@leaf
def add(member: int, members: Ints, n: int) -> int:
    """Add a member to the first ``n``, unless it is 0, present, or the array is full; return the new number."""
    if member == 0 or n == len(members):
        return n
    for i in range(n):
        if members[i] == member:
            return n
    members[n] = member
    return n + 1
