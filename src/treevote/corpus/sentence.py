"""One sentence as a person sees it: its words, and a tree over them.

Throughout treevote a sentence of ``n`` tokens has positions ``0..n``: position 0 is ROOT, the virtual head of every
token without one; arrays over a sentence have ``n + 1`` entries. ``heads[0]`` is -1, and so is a head that is not
known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from numbers import Integral
from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from treevote.errors import InputError, shortened
from treevote.kernels import Ints, Longs
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

_COMMENT = re.compile(r"#\s*([^\s=]+)\s*=(.*)")


def is_label(text: str) -> bool:
    r"""Tell whether a text can be the label of an arc in a model: not empty, and without control characters.

    These are the Unicode categories Cc (among them tabs and line ends), Cs (surrogates), Zl and Zp (separators of
    lines).

    >>> is_label("nsubj:pass"), is_label("a b"), is_label(""), is_label("a\tb")
    (True, True, False, False)
    """
    return bool(text) and not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text)


class Token(NamedTuple):
    """A token of a sentence, from which its head and its dependents can be reached.

    Attributes
    ----------
    sentence : Sentence
    id : int
        Position, from 1; 0 is ROOT.

    Examples
    --------
    >>> words = (ROOT, Word("dogs", "dog", "NOUN", "_", "_"), Word("bark", "bark", "VERB", "_", "_"))
    >>> dogs, bark = Sentence(words, np.array([-1, 2, 0], np.int32), ("", "nsubj", "root")).tokens
    >>> dogs, dogs.head.lemma, bark.dependents, bark.head
    (<1 dogs: nsubj of 2 bark>, 'bark', (<1 dogs: nsubj of 2 bark>,), <ROOT>)
    """

    sentence: Sentence
    id: int

    def __repr__(self) -> str:
        """Return position, form, label and head."""
        if not self.id:
            return "<ROOT>"
        head = self.head
        arc = "" if head is None else f": {self.deprel} of {f'{head.id} {head.form}' if head.id else 'ROOT'}"
        return f"<{self.id} {self.form}{arc}>"

    @property
    def word(self) -> Word:
        """The columns of the token."""
        return self.sentence.words[self.id]

    @property
    def form(self) -> str:
        """FORM."""
        return self.word.form

    @property
    def lemma(self) -> str:
        """LEMMA."""
        return self.word.lemma

    @property
    def upos(self) -> str:
        """UPOS, or CPOSTAG."""
        return self.word.upos

    @property
    def xpos(self) -> str:
        """XPOS, or POSTAG."""
        return self.word.xpos

    @property
    def feats(self) -> str:
        """FEATS."""
        return self.word.feats

    @property
    def deprel(self) -> str:
        """Label of the arc from the head."""
        return self.sentence.deprels[self.id]

    @property
    def head(self) -> Token | None:
        """The head, which may be ROOT; None if it is not known, and of ROOT."""
        head = int(self.sentence.heads[self.id])
        return Token(self.sentence, head) if head >= 0 else None

    @property
    def dependents(self) -> tuple[Token, ...]:
        """The tokens whose head it is, from left to right."""
        return tuple(Token(self.sentence, i) for i in np.flatnonzero(self.sentence.heads == self.id).tolist())


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
    comments : sequence of str
        The lines above the first token, if the sentence was read.
    """

    words: tuple[Word, ...]
    heads: Ints
    deprels: tuple[str, ...]
    comments: Sequence[str] = ()

    def __eq__(self, other: object) -> bool:
        """Tell whether two sentences have the same words, trees and comments."""
        if not isinstance(other, Sentence):
            return NotImplemented
        same_heads = np.array_equal(self.heads, other.heads)
        columns, others = (self.words, self.deprels, [*self.comments]), (other.words, other.deprels, [*other.comments])
        return same_heads and columns == others

    def __ne__(self, other: object) -> bool:
        """Tell whether they differ; a tuple would compare arrays."""
        return not self == other

    def __repr__(self) -> str:
        """Return the id, the number of tokens, and the beginning of the text."""
        name = f" {self.sent_id!r}" if self.sent_id else ""
        return f"<Sentence{name}: {len(self.words) - 1} tokens, {shortened(self.text)!r}>"

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens without ROOT."""
        return tuple(Token(self, i) for i in range(1, len(self.words)))

    @property
    def sent_id(self) -> str:
        """The ``sent_id`` of the comments; empty without one."""
        return sent_id(self.comments)

    @property
    def text(self) -> str:
        """The ``text`` of the comments, else the forms with a space between."""
        return comment("text", self.comments) or " ".join(word.form for word in self.words[1:])

    def _repr_svg_(self) -> str:
        """Return a drawing of the tree, for notebooks."""
        return drawing([self])


def sent_id(lines: Sequence[str]) -> str:
    """Return the ``sent_id`` of a sentence, or an empty string."""
    return comment("sent_id", lines)


def comment(name: str, lines: Sequence[str]) -> str:
    """Return the value of the first comment ``# name = value``, or an empty string."""
    found = (match for line in lines if (match := _COMMENT.fullmatch(line.rstrip("\r"))) and match[1] == name)
    return next((match[2].strip() for match in found), "")


def columns_of_sentences(
    sentences: Sequence[tuple[Sequence[Word | str], Sequence[int], Sequence[str]]], name: str
) -> tuple[tuple[Word, ...], Ints, Ints, tuple[str, ...], Ints, Longs]:
    """Return words, tokens, heads, labels, deprels and offsets of sentences by hand; for the rest see `Treebank.of`."""
    words: dict[Word, int] = {ROOT: 0}
    labels: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []  # word, head and label of each slot
    offsets = [0]
    try:
        shapes = [(columns, [len(column) for column in columns]) for columns in sentences]
    except TypeError:
        problem = f"expected sentences of three lists each (words, heads and deprels), found {short(sentences)}"
        raise InputError(problem, path=name, remedy="correct the lists") from None
    for number, (columns, sizes) in enumerate(shapes, 1):
        if len(sizes) != 3 or sizes != sizes[:1] * 3:
            problem = f"expected words, heads and deprels of one length, found {' and '.join(map(str, sizes))}"
            raise InputError(problem, path=name, sentence=str(number), remedy="correct the lists")
        rows.append((0, -1, -1))
        for token, (item, head, deprel) in enumerate(zip(*columns, strict=True), 1):
            if not isinstance(head, Integral) or not -1 <= head <= sizes[0]:
                problem = f"token {token}: expected a head in -1..{sizes[0]}, found {short(head)}"
                raise InputError(problem, path=name, sentence=str(number), remedy="correct it")
            for value, kind, expected in ((item, str | Word, "a form or a Word"), (deprel, str, "a label")):
                if not isinstance(value, kind):
                    problem = f"token {token}: expected {expected}, found {short(value)}"
                    raise InputError(problem, path=name, sentence=str(number), remedy="correct it")
            if token == 1 and (item, head) == (ROOT, -1):  # the arrays of a `Sentence`
                problem, remedy = f"token {token}: expected a word, found ROOT", "leave out position 0 of a sentence"
                raise InputError(problem, path=name, sentence=str(number), remedy=f"{remedy}, or use treebank.select()")
            word = Word(item, "_", "_", "_", "_") if isinstance(item, str) else item
            if not all(isinstance(field, str) for field in word):
                problem = f"token {token}: expected a Word of strings, found {short(word)}"
                raise InputError(problem, path=name, sentence=str(number), remedy="write _ for an empty column")
            word = Word(word.form, *(field or "_" for field in word[1:]))
            label = -1 if head < 0 and deprel in ("", "_") else labels.setdefault(deprel or "_", len(labels))
            rows.append((words.setdefault(word, len(words)), head, label))
        offsets.append(len(rows))
    tokens, heads, deprels = np.array(rows, np.int32).reshape(-1, 3).T.copy()
    return tuple(words), tokens, heads, tuple(labels), deprels, np.array(offsets, np.int64)
