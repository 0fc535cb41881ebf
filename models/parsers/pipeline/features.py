"""The features of a pair: templates applied to the words that are left, each a 64-bit key."""

from __future__ import annotations

from treevote.kernels import Index, Ints, Keys, leaf
from treevote.models.learning.features.atoms import FAR, bin_distance
from treevote.models.learning.features.firing import Context, Globals, Scratch, fire_templates
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.stack_and_queue import LEFT, LEFT2, NEXT, PREV, QUEUE, RIGHT, STACK
from treevote.models.learning.features.templates import TemplateTable
from treevote.models.parsers.pipeline.configuration import AFTER, BEFORE, INNER, L1, L_VALENCY, R1, Focus


@leaf
def fire(
    remaining: Ints, focus: Focus, tokens: Ints, words: WordColumns, table: TemplateTable, room: Scratch, keys: Keys
) -> int:
    """Write the features of the pair at the focus point into ``keys`` and return their number."""
    find_places(remaining, focus, table.places, room.places)
    return fire_templates(Context(globals_of(remaining, focus), remaining, L_VALENCY, tokens, words), table, room, keys)


@leaf
def globals_of(remaining: Ints, focus: Focus) -> Globals:
    """Return the values of the atoms without a place."""
    return Globals(bin_distance(remaining[focus.a, AFTER] - focus.a, FAR), 1 + focus.action, 1 + focus.action2)


@leaf
def find_places(remaining: Ints, focus: Focus, steps: Ints, places: Ints) -> None:
    """Write the position at each place of the templates, which is also the number of its subtree; -1 for none."""
    n = len(remaining) - 2
    for p in range(len(steps)):
        step, start = steps[p, 0], steps[p, 1]
        if step == STACK:
            place = focus.a
            while start > 0 and place >= 0:
                place = remaining[Index(place), BEFORE]
                start -= 1
        elif step == QUEUE:
            place = remaining[Index(focus.a), AFTER]
            while start > 0 and place <= n:
                place = remaining[Index(place), AFTER]
                start -= 1
            if place > n:
                place = -1
        else:
            place = places[Index(start), 0]
            if place >= 0:
                if step == NEXT:
                    place = place + 1 if place < n else -1
                elif step == PREV:
                    place -= 1
                else:
                    place = remaining[Index(place), L1] if step in (LEFT, LEFT2) else remaining[Index(place), R1]
                    if place > 0 and step not in (LEFT, RIGHT):
                        place = remaining[Index(place), INNER]
                    if place == 0:
                        place = -1
        places[p, 0] = place
        places[p, 1] = place
