"""The features of a pair: templates looked up on the words that are left, each a 64-bit key.

Templates are those of `treevote.models.features.templates`, with other places: ``s0`` is the focus point a and ``s1
s2 ...`` the words before it that are left, with ROOT before the first; ``q0`` is b and ``q1 q2 ...`` are the words
after it. ``distance`` is that between a and b, ``action`` and ``action2`` are the last actions of the round. Labels are
not known when heads are sought, so there are none to ask for.
"""

from __future__ import annotations

from collections.abc import Sequence

from treevote.errors import ConfigError
from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.atoms import MAX_VALENCY, bin_distance
from treevote.models.features.firing import Scratch, fire_templates
from treevote.models.features.lexicon import WordColumns
from treevote.models.features.templates import (
    COLUMN,
    DEPREL,
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
    TemplateTable,
    compile_templates,
)
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


def compile_pair_templates(lines: Sequence[str]) -> TemplateTable:
    """Compile templates that ask for nothing that a pair has not.

    Raises
    ------
    ConfigError
        As `treevote.models.features.templates.compile_templates`, and if a template asks for labels.

    Examples
    --------
    >>> compile_pair_templates(["s0.form+q0.form", "q0.l.deprel"])
    Traceback (most recent call last):
    treevote.errors.ConfigError: template 'q0.l.deprel': labels are not known while heads are sought; leave it out
    """
    table = compile_templates(lines)
    if (table.atoms[:, 0] == DEPREL).any():
        line = next(line for line in lines if ".deprel" in line)
        raise ConfigError(f"template '{line}': labels are not known while heads are sought; leave it out")
    return table


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
