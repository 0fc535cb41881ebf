"""What a tagger sees of a token: its form and those around it, and the tags to its left (after Ratnaparkhi 1996).

A template names what must be there together, such as ``-1.tag+0.suffix3``: the tag of the token before and the last
three characters of the token itself. The lemma and the tags of the input are never looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.lexicon import ATTRIBUTES, WordColumns
from treevote.models.features.trie import key_at, mix

TEMPLATES = """
0.form 0.lower 0.prefix1 0.prefix2 0.prefix3 0.suffix1 0.suffix2 0.suffix3 0.suffix4 0.shape
-2.lower -1.lower 1.lower 2.lower -1.suffix2 1.suffix2 -1.suffix3 1.suffix3 1.shape
-1.lower+0.lower 0.lower+1.lower -1.lower+1.lower 0.suffix3+1.suffix3 0.suffix2+0.shape
-1.tag -2.tag+-1.tag -1.tag+0.lower -1.tag+0.suffix3 -1.tag+1.lower -1.tag+1.suffix3 -1.tag+0.shape
"""
"""Apart by white space; positions are relative to the token, which is 0."""

SEEN = (*(name for name in ATTRIBUTES if name not in ("lemma", "upos", "xpos", "feats")), "tag")
"""What templates may ask for."""

MOST_ATOMS = 3

_TAG, _NONE = -1, -2  # columns that are not of the lexicon
_NOWHERE = np.zeros(0, np.uint64)


def compile_templates(templates: Sequence[str]) -> Ints:
    """Return templates as numbers, shape (n_templates, MOST_ATOMS, 2): for each atom its position and column.

    Raises
    ------
    ConfigError
        If a template is wrong; it is quoted.

    Examples
    --------
    >>> compile_templates(["-1.tag+0.form"])[0].tolist()
    [[-1, -1], [0, 0], [0, -2]]
    >>> compile_templates(["1.tag"])
    Traceback (most recent call last):
    treevote.errors.ConfigError: template '1.tag': expected up to 3 atoms such as 0.suffix3 or -1.tag; a tag is known...
    """
    table = np.full((len(templates), MOST_ATOMS, 2), (0, _NONE), np.int32)
    for row, template in zip(table, templates, strict=True):
        atoms = [atom.partition(".") for atom in template.split("+")]
        for i, (position, _, name) in enumerate(atoms):
            number = position.removeprefix("-").isdecimal() and abs(int(position)) < 10
            if i == MOST_ATOMS or not number or name not in SEEN or (name == "tag" and int(position) >= 0):
                raise ConfigError(
                    f"template '{template}': expected up to {MOST_ATOMS} atoms such as 0.suffix3 or -1.tag; "
                    "a tag is known only to the left"
                )
            row[i] = int(position), _TAG if name == "tag" else ATTRIBUTES.index(name)
    return table


@kernel
def fire(position: int, tokens: Ints, tags: Ints, words: WordColumns, templates: Ints, keys: Keys) -> int:
    """Write the features of a token into ``keys`` and return how many there are.

    Parameters
    ----------
    position : int
        In the sentence, from 1.
    tokens : ndarray of int32, shape (n + 1,)
        Row of each position in ``words``.
    tags : ndarray of int32, shape (n + 1,)
        -1 at ROOT; only those to the left are looked at.
    words : WordColumns
    templates : ndarray of int32, shape (n_templates, MOST_ATOMS, 2)
    keys : ndarray of uint64, shape (at least n_templates,)
        Receives the features.
    """
    count = 0
    for t in range(len(templates)):
        key, fires = key_at(-1, _NOWHERE), True
        for a in range(MOST_ATOMS):
            at, column = position + templates[t, a, 0], templates[t, a, 1]
            if column == _NONE:
                break
            value = 0
            if 0 <= at < len(tokens):
                value = int(tags[at]) + 2 if column == _TAG else int(words.values[tokens[at], column])
            if value == 0:
                fires = False
                break
            key = mix(key, MOST_ATOMS * t + a, value)
        if fires:
            keys[count] = key
            count += 1
    return count


@kernel
def fire_all(
    tokens: Ints, tags: Ints, offsets: Longs, words: WordColumns, templates: Ints, keys: Keys, lengths: Ints
) -> int:
    """Write the features of all tokens, one after the other, and how many each has; return how many there are."""
    count, token = 0, 0
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        for position in range(1, last - first):
            found = fire(position, tokens[first:last], tags[first:last], words, templates, keys[count:])
            lengths[token] = found
            count += found
            token += 1
    return count
