"""One sentence as a person sees it: its words, and a tree over them.

Throughout treevote a sentence of ``n`` tokens has positions ``0..n``: position 0 is ROOT, the virtual head of every
token without one; arrays over a sentence have ``n + 1`` entries. ``heads[0]`` is -1, and so is a head that is not
known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from treevote.kernels import Ints
from treevote.notebook import drawing


class Word(NamedTuple):
    """The five columns of a token that a parser may look at, as strings of the file.

    ``upos`` and ``xpos`` are the columns UPOS and XPOS of CoNLL-U, CPOSTAG and POSTAG of CoNLL-X.

    Examples
    --------
    >>> Word("dogs", "dog", "NOUN", "NNS", "Number=Plur").lemma
    'dog'
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str


ROOT = Word("<root>", "<root>", "<root>", "<root>", "_")
"""The word at position 0 of every sentence."""

_SENT_ID = re.compile(r"#\s*sent_id\s*=(.*)")


def is_label(text: str) -> bool:
    r"""Tell whether a text can be the label of an arc in a model: not empty, and without control characters.

    These are the Unicode categories Cc (among them tabs and line ends), Cs (surrogates), Zl and Zp (separators of
    lines).

    >>> is_label("nsubj:pass"), is_label("a b"), is_label(""), is_label("a\tb")
    (True, True, False, False)
    """
    return bool(text) and not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text)


class Sentence(NamedTuple):
    """A sentence of a treebank.

    Attributes
    ----------
    words : tuple of Word, length n + 1
        ``words[0]`` is ROOT.
    heads : ndarray of int32, shape (n + 1,)
        Position of the head of each token; ``heads[0]`` is -1, unknown heads are -1.
    deprels : tuple of str, length n + 1
        Label of the arc from the head; ``deprels[0]`` is ``""``.
    """

    words: tuple[Word, ...]
    heads: Ints
    deprels: tuple[str, ...]

    def _repr_svg_(self) -> str:
        """Return a drawing of the tree, for notebooks."""
        return drawing([self])


def sent_id(lines: Sequence[str]) -> str:
    """Return the ``sent_id`` of a sentence, or an empty string."""
    return next((match[1].strip() for line in lines if (match := _SENT_ID.fullmatch(line))), "")
