"""The features of a pair: templates looked up on the words that are left, each a 64-bit key."""

from __future__ import annotations

from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.atoms import MAX_VALENCY, bin_distance
from treevote.models.features.firing import Scratch, fire_templates
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.stack_and_queue import (
    DISTANCE,
    FEAT,
    LAST_ACTION,
    LEFT,
    LEFT2,
    LVAL,
    NEXT,
    PREV,
    QUEUE,
    RIGHT,
    STACK,
)
from treevote.models.features.templates import COLUMN, TemplateTable
from treevote.models.pipeline.configuration import (
    AFTER,
    BEFORE,
    INNER,
    L1,
    L_VALENCY,
    R1,
    R_VALENCY,
    Focus,
)


@kernel
def fire(
    T: Longs, focus: Focus, tokens: Ints, words: WordColumns, table: TemplateTable, room: Scratch, keys: Keys
) -> int:
    """Write the features of the pair at the focus point into ``keys`` and return how many there are.

    Parameters
    ----------
    T : ndarray of int64, shape (n + 2, WIDTH)
    focus : Focus
    tokens : ndarray of int32, shape (n + 1,)
        The word of each position.
    words : WordColumns
    table : TemplateTable
    room : Scratch
    keys : ndarray of uint64, shape (MAX_FEATURES,)
        Receives the features.
    """
    find_places(T, focus, table, room.places)
    find_values(T, focus, tokens, words, table, room.places, room.values)
    return fire_templates(words, table, room, keys)


@kernel
def find_places(T: Longs, focus: Focus, table: TemplateTable, places: Ints) -> None:
    """Write the position at each place of the templates into the first column; -1 where there is none."""
    n = len(T) - 2
    for p in range(len(table.places)):
        step, start = table.places[p]
        if step == STACK:
            place = focus.a
            while start > 0 and place >= 0:
                place = T[place, BEFORE]
                start -= 1
        elif step == QUEUE:
            place = T[focus.a, AFTER]
            while start > 0 and place <= n:
                place = T[place, AFTER]
                start -= 1
            if place > n:
                place = -1
        else:
            place = places[start, 0]
            if place >= 0:
                if step == NEXT:
                    place = place + 1 if place < n else -1
                elif step == PREV:
                    place -= 1
                else:
                    place = T[place, L1] if step in (LEFT, LEFT2) else T[place, R1]
                    if place > 0 and step not in (LEFT, RIGHT):
                        place = T[place, INNER]
                    if place == 0:
                        place = -1
        places[p, 0] = place


@kernel
def find_values(
    T: Longs, focus: Focus, tokens: Ints, words: WordColumns, table: TemplateTable, places: Ints, values: Longs
) -> None:
    """Write the value of each atom, 0 where there is none; for ``feat`` the word plus 1."""
    for atom in range(len(table.atoms)):
        kind, place, column = table.atoms[atom]
        value = 0
        if kind == DISTANCE:
            value = bin_distance(T[focus.a, AFTER] - focus.a)
        elif kind >= LAST_ACTION:
            value = 1 + (focus.action if kind == LAST_ACTION else focus.action2)
        else:
            position = places[place, 0]
            if position >= 0:
                if kind == COLUMN:
                    value = words.values[tokens[position], column]
                elif kind == FEAT:
                    word = tokens[position]
                    if words.feats_offsets[word + 1] > words.feats_offsets[word]:
                        value = word + 1
                else:
                    value = min(T[position, L_VALENCY if kind == LVAL else R_VALENCY], MAX_VALENCY) + 1
        values[atom] = value
