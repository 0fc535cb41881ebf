"""The features of a tagger, plainly: strings in, keys out."""

from __future__ import annotations

from collections.abc import Sequence

from treevote.corpus.sentence import Word
from treevote.models.features.lexicon import ATTRIBUTES, Lexicon, attributes
from treevote.studies.tagger import MOST_ATOMS


def fired(
    lexicon: Lexicon, words: Sequence[Word], tags: Sequence[int], position: int, templates: Sequence[str]
) -> list[tuple[str, tuple[int, ...]]]:
    """Return each template that fires at a position with the numbers of its values."""
    found = []
    for template in templates:
        values = []
        for atom in template.split("+"):
            offset, _, name = atom.partition(".")
            at = position + int(offset)
            if not 0 <= at < len(words):
                values.append(0)
            elif name == "tag":
                values.append(tags[at] + 2)
            else:
                column = ATTRIBUTES.index(name)
                string = attributes(words[at])[column]
                known = lexicon.values[column]
                values.append(known.index(string) + 1 if string in known else 0)
        if all(values):
            found.append((template, tuple(values)))
    return found


def slots_of(template: str, templates: Sequence[str]) -> list[int]:
    """Return the numbers that the atoms of a template go into keys with."""
    first = MOST_ATOMS * list(templates).index(template)
    return [first + i for i in range(template.count("+") + 1)]
