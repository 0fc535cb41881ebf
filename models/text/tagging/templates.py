"""The templates of the taggers: one language for all, a set for each task.

A template is a conjunction such as ``-1.upos+0.suffix3``: the part of speech of the token before, and the last three
characters of the token itself. ``0`` is the token, ``-2`` to ``2`` are its neighbours. ``upos``, ``feats`` and ``xpos``
are tags: a tagger from left to right knows those to its left, one from right to left those to its right, and later
tasks those of the tasks before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Ints
from treevote.models.learning.features.templates import COLUMN, Grammar, Template, read_templates
from treevote.models.text.tagging.forms import SPELLING

TAGS = ("upos", "feats", "xpos")  # that templates may name; their columns follow those of the spelling
FURTHEST = 2  # neighbour that templates may name
MAX_ATOMS = 3
NO_ATOM = -1


def _check(template: Template) -> None:
    if len(template) > MAX_ATOMS:
        raise ConfigError(f"it should have at most {MAX_ATOMS} atoms, found {len(template)}")


GRAMMAR = Grammar(
    places={str(position): (0, position) for position in range(-FURTHEST, FURTHEST + 1)},
    steps={},
    attributes={name: (COLUMN, column) for column, name in enumerate((*SPELLING, *TAGS))},
    globals={},
    check=_check,
)

_AFFIXES = """
0.prefix1 0.prefix2 0.prefix3 0.suffix1 0.suffix2 0.suffix3 0.suffix4 0.suffix5 0.suffix6 0.suffix7 0.shape
0.infix1 0.infix2 0.infix3 0.infix4 0.infix5
"""

_NEIGHBOURS = "-1.lower 1.lower -2.lower 2.lower -1.suffix2 1.suffix2 -1.suffix3 1.suffix3"

# Parts of speech, from left to right. The forms of the token itself are in the dictionary, too.
UPOS = f"""
0.form 0.lower 0.prefix4 {_AFFIXES} 0.suffix2+0.shape 0.suffix3+0.shape
{_NEIGHBOURS} -1.suffix4 1.suffix4 -1.shape 1.shape -2.suffix3 2.suffix3
-1.lower+0.lower 0.lower+1.lower -1.lower+1.lower 0.suffix3+1.suffix3 -1.suffix3+0.suffix3
0.suffix4+1.lower -1.lower+0.suffix4
-1.upos -2.upos -2.upos+-1.upos -1.upos+0.lower -1.upos+0.suffix3 -1.upos+0.suffix4 -1.upos+1.lower -1.upos+1.suffix3
-1.upos+0.shape -2.upos+-1.upos+0.lower -2.upos+-1.upos+0.suffix3
"""

# Features, given parts of speech on both sides, from left to right.
FEATS = f"""
{_AFFIXES} {_NEIGHBOURS} -1.suffix1+0.suffix1 0.suffix1+1.suffix1 -1.suffix2+0.suffix2 0.suffix2+1.suffix2
-1.upos 1.upos -1.upos+1.upos -2.upos+-1.upos 1.upos+2.upos -1.upos+0.suffix3 0.suffix3+1.upos
-1.upos+-1.lower 1.upos+1.lower -1.upos+-1.suffix2 1.upos+1.suffix2 -1.upos+-1.suffix3 1.upos+1.suffix3
-2.upos+-2.suffix3 2.upos+2.suffix3 -2.upos+-2.suffix2+-1.upos 1.upos+2.upos+2.suffix2
-1.lower+0.suffix3 0.suffix3+1.lower
-1.feats -1.feats+0.suffix2 -1.feats+0.suffix3 -1.feats+0.lower -2.feats -2.feats+-1.feats -1.feats+1.upos
-1.feats+1.upos+1.suffix2
"""

# Language-specific parts of speech, given parts of speech and features.
XPOS = """
0.form 0.lower 0.shape 0.prefix1 0.prefix2 0.suffix1 0.suffix2 0.suffix3 0.suffix4 0.feats 0.feats+0.lower
0.feats+0.suffix2 0.feats+0.suffix3 -1.lower 1.lower -1.upos 1.upos -1.feats 1.feats -1.upos+0.suffix2
-1.lower+0.lower 0.lower+1.lower
"""

# Edit rules of lemmas, given all tags.
LEMMA = f"""
0.lower 0.prefix4 {_AFFIXES} 0.feats 0.xpos 0.feats+0.suffix1 0.feats+0.suffix2 0.feats+0.suffix3 0.feats+0.suffix4
0.feats+0.lower 0.xpos+0.suffix3 0.xpos+0.lower 0.prefix2+0.suffix3 0.prefix3+0.suffix2 -1.shape
"""

_CLUSTERS = "0.cluster4 0.cluster6 0.cluster -1.cluster 1.cluster -1.cluster+0.cluster 0.cluster+1.cluster"

# For each task, in addition to the others if there are clusters of words.
CLUSTERS = {
    "upos": f"{_CLUSTERS} -2.cluster 2.cluster -1.cluster+1.cluster -1.upos+0.cluster 0.suffix3+0.cluster",
    "feats": f"{_CLUSTERS} 0.suffix2+0.cluster",
    "xpos": "0.cluster4 0.cluster6 0.cluster -1.cluster 1.cluster 0.suffix2+0.cluster",
    "lemma": "",
}


def mirrored(templates: Sequence[str]) -> tuple[str, ...]:
    """Return templates with left and right exchanged; errors as for `compile_templates`."""
    read = read_templates(templates, GRAMMAR)
    return tuple("+".join(f"{-int(place)}.{attribute}" for place, _, attribute in template) for template in read)


def compile_templates(templates: Sequence[str]) -> Ints:
    """Return templates as numbers, shape (n_templates, MAX_ATOMS, 2): for each atom its position and column."""
    table = np.full((len(templates), MAX_ATOMS, 2), (0, NO_ATOM), np.int32)
    for row, template in zip(table, read_templates(templates, GRAMMAR), strict=True):
        row[: len(template)] = [(int(place), GRAMMAR.attributes[attribute][1]) for place, _, attribute in template]
    return table
