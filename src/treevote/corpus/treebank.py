"""A treebank as integer columns.

All sentences are in one array per column, one after the other, each with a slot for ROOT in front: sentence ``i`` is
``offsets[i]:offsets[i + 1]``. A token is the number of its distinct word in ``words``, so properties of words are
computed once for each distinct word.
"""

from __future__ import annotations

import dataclasses
import hashlib
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from treevote.corpus.consistency import inconsistency, numbers_of
from treevote.corpus.frame import columns_of
from treevote.corpus.sentence import ROOT, Sentence, Word, columns_of_sentences, sent_id
from treevote.corpus.source import Source, openings
from treevote.corpus.vocabulary import encode, used
from treevote.errors import InputError, extra, require_known, shortened
from treevote.kernels import Bools, Floats, Ints, Longs
from treevote.notebook import drawing

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]

Format: TypeAlias = Literal["conllu", "conllx"]  # of a text, see `treevote.conll.validation`

MARKS = {
    "support": "Support={:.2f}",
    "label_support": "LabelSupport={:.2f}",
    "confidence": "Confidence={:.3f}",
    "label_confidence": "LabelConfidence={:.3f}",
    "tag_confidence": "TagConfidence={:.3f}",
}
"""Optional numbers of each token: the field of `Treebank`, and the format of its item in MISC."""

LIGHT = "Light"
"""Name in MISC of the light of an arc: green, yellow or red, see `treevote.evaluation.lights`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Treebank:
    """Sentences with their trees, as columns. Immutable: every change gives a new treebank that shares the rest.

    All indices are checked on construction. Do not write into the arrays, which treebanks share: `with_trees` gives a
    treebank with other trees. Whether heads are trees is told by `treevote.corpus.trees.are_trees`.

    Attributes
    ----------
    words : tuple of Word
        The distinct words; ``words[0]`` is ROOT.
    tokens : ndarray of int32, shape (n_slots,)
        For each slot the index in ``words``; 0 in ROOT slots. ``n_slots`` is tokens plus sentences.
    heads : ndarray of int32, shape (n_slots,)
        Position of the head within the sentence, 0 for ROOT; -1 in ROOT slots and where no head is known.
    labels : tuple of str
        The distinct deprels.
    deprels : ndarray of int32, shape (n_slots,)
        Index in ``labels``; -1 in ROOT slots and where no label is known.
    offsets : ndarray of int64, shape (n_sentences + 1,)
        Slot of ROOT of each sentence, and the number of slots.
    name : str
        Where the sentences come from, for messages and reports.
    source : Source, optional
        The text they were read from.
    support, label_support : ndarray of float32, shape (n_slots,), optional
        Share of the votes for each arc, and for its label among them; 0..1.
    confidence, label_confidence : ndarray of float32, shape (n_slots,), optional
        Probability that an arc is right, without and with its label; 0..1.
    tag_confidence : ndarray of float32, shape (n_slots,), optional
        Probability that UPOS, FEATS and XPOS are right, where they were predicted; 0..1, NaN elsewhere.

    Raises
    ------
    InputError
        If a column has another type or length, or an index is out of range; with sentence and token.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> toy
    <Treebank: 1 sentence, 3 tokens, 3 labels>
    >>> len(toy), toy[0].heads.tolist()
    (1, [-1, 2, 3, 0])
    """

    words: tuple[Word, ...]
    tokens: Ints
    heads: Ints
    labels: tuple[str, ...]
    deprels: Ints
    offsets: Longs
    name: str = ""
    source: Source | None = None
    support: Floats | None = None
    label_support: Floats | None = None
    confidence: Floats | None = None
    label_confidence: Floats | None = None
    tag_confidence: Floats | None = None

    def __post_init__(self) -> None:
        columns = {name: getattr(self, name) for name in ("offsets", "tokens", "heads", "deprels")} | self.marks
        if found := inconsistency(columns, len(self.words), len(self.labels)):
            problem, slot = found
            remedy = "correct the column"
            if slot is None:
                raise InputError(problem, path=self.title, remedy=remedy)
            raise self.fault(slot, problem, remedy)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.offsets) - 1

    def __bool__(self) -> bool:
        """Return True: a treebank without sentences is a treebank, too."""
        return True

    @overload
    def __getitem__(self, key: int) -> Sentence: ...

    @overload
    def __getitem__(self, key: slice) -> Treebank: ...

    def __getitem__(self, key: int | slice) -> Sentence | Treebank:
        """Return a sentence by its number, from 0 or, if negative, from the end; or the sentences of a slice.

        Examples
        --------
        >>> toy = Treebank.of([(["a"], [0], ["root"]), (["b"], [0], ["root"])])
        >>> toy[-1].words[1].form, toy[:1]
        ('b', <Treebank: 1 sentence, 1 token, 1 label>)
        """
        if isinstance(key, slice):
            return self.select(range(*key.indices(len(self))), source=True)
        try:
            return self.sentence(operator.index(key))
        except IndexError:
            raise IndexError(f"expected the number of one of {len(self)} sentences, found {key}") from None
        except TypeError:
            found = f"expected a number or a slice, found {shortened(repr(key))}"
            raise TypeError(f"{found}; for several sentences use select()") from None

    def __iter__(self) -> Iterator[Sentence]:
        """Iterate over the sentences."""
        return (self.sentence(i) for i in range(len(self)))

    def __repr__(self) -> str:
        """Return one line with the sizes."""
        counts = ((len(self), "sentence"), (self.n_tokens, "token"), (len(self.labels), "label"))
        sizes = ", ".join(f"{number:,} {what}{'' if number == 1 else 's'}" for number, what in counts)
        marks = f", with {', '.join(self.marks)}" if self.marks else ""
        return f"<Treebank{f' {self.name!r}' if self.name else ''}: {sizes}{marks}>"

    def _repr_svg_(self) -> str:
        """Return a drawing of the first sentences, for notebooks."""
        return drawing(self)

    def to_frame(self) -> pandas.DataFrame:
        """Return the tokens as a table of pandas, one row each.

        Returns
        -------
        pandas.DataFrame
            Columns: ``document`` and ``sent_id`` (from the comments, or empty), ``sentence`` (from 0), ``id`` (position
            in the sentence, from 1), ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``, ``head`` (0 for ROOT, -1 if
            unknown), ``deprel`` (empty if unknown), ``head_form`` and ``head_upos`` (empty without a head or under
            ROOT), ``misc`` (``_`` without a source), and support and confidence if there are any.

        Raises
        ------
        ConfigError
            If pandas is not installed.
        """
        with extra("pandas", "tables need pandas"):
            import pandas  # pyright: ignore[reportMissingImports]
        slots = np.flatnonzero(self.is_token)
        words = [self.words[word] for word in self.tokens[slots].tolist()]
        sentences, ids = self.sentence_of[slots], [sent_id(self.comments(i)) for i in range(len(self))]
        columns: dict[str, Any] = {"document": np.array(self.documents, object)[sentences]}
        columns |= {"sent_id": np.array(ids, object)[sentences], "sentence": sentences, "id": self.positions[slots]}
        columns |= {field: [getattr(word, field) for word in words] for field in Word._fields}
        columns |= {"head": self.heads[slots], "deprel": [(*self.labels, "")[i] for i in self.deprels[slots].tolist()]}
        above = np.where(self.heads[slots] > 0, self.tokens[self.starts[slots] + np.maximum(self.heads[slots], 0)], -1)
        heads = [None if word < 0 else self.words[word] for word in above.tolist()]
        columns |= {f"head_{field}": [getattr(head, field, "") for head in heads] for field in ("form", "upos")}
        columns["misc"] = ["_"] * len(slots) if self.source is None else self.source.misc(slots)
        return pandas.DataFrame(columns | {field: column[slots] for field, column in self.marks.items()})

    @staticmethod
    def from_frame(frame: pandas.DataFrame, name: str = "") -> Treebank:
        """Build a treebank from a table as `to_frame` makes it.

        Parameters
        ----------
        frame : pandas.DataFrame
            ``sentence`` and ``form`` are needed; a new value of ``sentence`` begins a sentence, and rows are in the
            order of the tokens. Without ``head`` no head is known; without a column of lemmas or tags they are ``_``.
            With ``id``, a 1 begins a sentence as well, and no word of a sentence may be missing.
        name : str, default=""

        Raises
        ------
        InputError
            If a column is missing, or has something else than its kind; if a head is not in the sentence.
        """
        columns = columns_of(frame, [*Word._fields, "deprel"], list(MARKS))
        starts = [*np.flatnonzero(columns["new"]).tolist(), len(columns["new"])]
        words = [Word(*fields) for fields in zip(*(columns[field] for field in Word._fields), strict=True)]
        spans = map(slice, starts, starts[1:])
        made = Treebank.of([(words[span], columns["head"][span], columns["deprel"][span]) for span in spans], name)
        marks: dict[str, Any] = {}
        for field in MARKS:
            if field in columns:
                marks[field] = np.zeros(len(made.tokens), np.float32)
                marks[field][made.is_token] = columns[field]
        return dataclasses.replace(made, **marks)

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self)

    @property
    def n_tokens(self) -> int:
        """Number of tokens, ROOT not counted."""
        return len(self.tokens) - self.n_sentences

    @property
    def is_token(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Mask of the slots that hold a token, shape (n_slots,); false in ROOT slots."""
        mask = np.ones(len(self.tokens), np.bool_)
        mask[self.offsets[:-1]] = False
        return mask

    @property
    def lengths(self) -> Longs:
        """Number of tokens of each sentence, shape (n_sentences,)."""
        return np.diff(self.offsets) - 1

    @property
    def sentence_of(self) -> Longs:
        """Sentence of each slot, from 0, shape (n_slots,)."""
        return np.repeat(np.arange(self.n_sentences), np.diff(self.offsets))

    @property
    def starts(self) -> Longs:
        """ROOT slot of the sentence of each slot, shape (n_slots,)."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @property
    def positions(self) -> Longs:
        """Position of each slot in its sentence, 0 in ROOT slots, shape (n_slots,)."""
        return np.arange(len(self.tokens)) - self.starts

    @property
    def title(self) -> str:
        """Name of the treebank in messages: its file, else its name; it may be empty."""
        return (self.source.path if self.source else "") or self.name

    def fault(self, slot: int, problem: str, remedy: str) -> InputError:
        """Error for a token, or for the end of a sentence if that is at the slot, with file, line and sentence."""
        i = int(np.searchsorted(self.offsets, slot)) - 1
        path, line, number = "", None, i + 1
        if self.source is not None:
            number = self.source.numbers[i]
            path, line = self.source.place(slot if slot < self.offsets[i + 1] else slot - 1)
        problem, sentence = f"token {slot - self.offsets[i]}: {problem}", sent_id(self.comments(i)) or str(number)
        return InputError(problem, path=path or self.title, line=line, sentence=sentence, remedy=remedy)

    def comments(self, i: int) -> Sequence[str]:
        """Return the lines above the first token of sentence ``i``, counted from 0; none without a source.

        A negative number counts from the end, and IndexError is raised if there is no such sentence.
        """
        root = self.offsets[range(len(self))[i]]
        if (source := self.source) is None:
            return ()
        lines = source.lines[source.line_of[root] : source.line_of[root + 1]]
        return (lines[0].removeprefix("\ufeff"), *lines[1:]) if root == 0 and lines else lines

    def sentence(self, i: int) -> Sentence:
        """Return sentence ``i``, counted from 0, or from the end if it is negative; IndexError if there is none."""
        i = range(len(self))[i]
        span = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        return Sentence(
            tuple(self.words[word] for word in self.tokens[span]),
            self.heads[span].copy(),
            tuple(self.labels[label] if label >= 0 else "" for label in self.deprels[span]),
            self.comments(i),
        )

    @property
    def documents(self) -> list[str]:
        """Id of the document of each sentence, from ``# newdoc``; empty before the first, and without a source."""
        return self._documents(np.arange(len(self)))

    def _documents(self, chosen: Longs) -> list[str]:
        return [""] * len(chosen) if self.source is None else self.source.documents(self.offsets[:-1], chosen)

    def sentences(self) -> Iterator[Sentence]:
        """Iterate over the sentences."""
        return iter(self)

    def with_trees(self, heads: Ints, deprels: Ints, labels: Sequence[str]) -> Treebank:
        """Return the same sentences with other trees, without their marks; ``deprels`` are indices in ``labels``."""
        changes: dict[str, Any] = {field: None for field in self.marks if field != "tag_confidence"}
        return dataclasses.replace(self, heads=heads, deprels=deprels, labels=tuple(labels), **changes)

    @property
    def marks(self) -> dict[str, Floats]:
        """The fields named in ``MARKS`` that are present."""
        return {field: column for field in MARKS if (column := getattr(self, field)) is not None}

    def only(self, *fields: str) -> Treebank:
        """Return the same trees with no other marks than these, each a name of ``MARKS``; ConfigError for another."""
        for field in fields:
            require_known("mark", field, MARKS)
        dropped: dict[str, Any] = {field: None for field in self.marks if field not in fields}
        return dataclasses.replace(self, **dropped) if dropped else self

    def select(self, sentences: Sequence[int] | NDArray[np.integer[Any]] | Bools, *, source: bool = False) -> Treebank:
        """Return some sentences, in the given order.

        Parameters
        ----------
        sentences : sequence of int, or of bool with shape (n_sentences,)
            Their numbers, from 0 and not from the end, or a mask of them.
        source : bool, default=False
            Whether the lines that they were read from are kept, with comments and MISC; the text is copied. If they are
            in the order of the treebank, one that follows a sentence of another document gets the comment that begins
            its own, unless it has it.

        Raises
        ------
        InputError
            If there is no such sentence, or a mask has another length.

        Examples
        --------
        >>> toy = Treebank.of([(["a"], [0], ["root"]), (["b"], [0], ["root"])])
        >>> [s.words[1].form for s in toy.select([1]).sentences()], len(toy.select([True, False]))
        (['b'], 1)
        """
        chosen = numbers_of(sentences, len(self), self.title)
        lengths = self.lengths[chosen] + 1
        offsets = np.append(0, np.cumsum(lengths))
        slots = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        columns: dict[str, Any] = {field: column[slots] for field, column in self.marks.items()}
        columns |= {"tokens": self.tokens[slots], "heads": self.heads[slots], "deprels": self.deprels[slots]}
        lines = None
        if source and self.source is not None:
            front = [""] * len(chosen)
            if (chosen[1:] > chosen[:-1]).all():
                front = openings(self._documents(chosen), map(self.comments, chosen.tolist()))
            own = [range(*self.offsets[i : i + 2].tolist()) for i in chosen.tolist()]
            lines = self.source.select(chosen, own, front)
        return dataclasses.replace(self, **columns, offsets=offsets, source=lines)

    def compact(self) -> Treebank:
        """Return the same sentences without the words and labels that none of them has, in order of first appearance.

        Examples
        --------
        >>> toy = Treebank.of([(["a"], [0], ["root"]), (["b"], [0], ["ROOT"])]).select([1]).compact()
        >>> toy.words[1].form, toy.labels
        ('b', ('ROOT',))
        """
        (numbers, tokens), (label_numbers, deprels) = used(np.append(0, self.tokens)), used(self.deprels)
        words, labels = tuple(self.words[i] for i in numbers), tuple(self.labels[i] for i in label_numbers)
        return dataclasses.replace(self, words=words, labels=labels, tokens=tokens[1:], deprels=deprels)

    @staticmethod
    def of(sentences: Sequence[tuple[Sequence[Word | str], Sequence[int], Sequence[str]]], name: str = "") -> Treebank:
        """Build a treebank by hand: for each sentence its words or forms, heads and deprels, of length n each.

        Heads count from 1; 0 is ROOT, -1 unknown. A word without head has a label, unless that is empty or ``_``. An
        empty string as a column of a word, or as a label, is ``_``, as in a file.

        Raises
        ------
        InputError
            If a sentence has not one head and deprel for each word, or a head is not in it.

        Examples
        --------
        >>> Treebank.of([(["dogs", "bark"], [2, 4], ["nsubj", "root"])], "toy")
        Traceback (most recent call last):
        treevote.errors.InputError: toy, sentence 1: token 2: expected a head in -1..2, found 4; correct it
        """
        return Treebank(*columns_of_sentences(sentences, name), name)

    @staticmethod
    def concatenate(parts: Iterable[Treebank], name: str = "") -> Treebank:
        """Join treebanks, in order; the result has no source text, and no support or confidence.

        Examples
        --------
        >>> one, two = (Treebank.of([(["a"], [0], [label])]) for label in ("root", "ROOT"))
        >>> [sentence.deprels[1] for sentence in Treebank.concatenate([one, two])]
        ['root', 'ROOT']
        """
        parts = require_treebanks(parts)
        words: dict[Word, int] = {ROOT: 0}
        labels: dict[str, int] = {}
        none = np.zeros(0, np.int32)
        tokens = np.concatenate([none, *(encode(part.words, words)[part.tokens] for part in parts)])
        heads = np.concatenate([none, *(part.heads for part in parts)])
        deprels = np.concatenate([none, *(encode(part.labels, labels)[part.deprels] for part in parts)])
        offsets = np.cumsum(np.concatenate([np.zeros(1, np.int64), *(part.lengths + 1 for part in parts)]))
        return Treebank(tuple(words), tokens, heads, tuple(labels), deprels, offsets, name)


def require_treebank(found: object) -> Treebank:
    """Return a treebank as it is; InputError for anything else.

    >>> require_treebank(["a", "b"])
    Traceback (most recent call last):
    treevote.errors.InputError: expected a treebank, found list; make one with treevote.read, treevote.loads or ...
    """
    if isinstance(found, Treebank):
        return found
    remedy = "make one with treevote.read, treevote.loads or Treebank.of; one sentence is treebank[i : i + 1]"
    raise InputError(f"expected a treebank, found {type(found).__name__}", remedy=remedy)


def require_treebanks(found: Iterable[Treebank]) -> list[Treebank]:
    """Return treebanks as a list; InputError for anything else."""
    return [require_treebank(each) for each in (found if isinstance(found, Iterable) else (found,))]


def checksum(treebank: Treebank) -> str:
    """Return the SHA-256 of words and trees; it depends on the order of ``words`` and ``labels``, not on the name.

    >>> checksum(Treebank.of([(["a"], [0], ["root"])])) == checksum(Treebank.of([(["a"], [0], ["root"])], name="other"))
    True
    """
    digest = hashlib.sha256()
    for column in (treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets):
        digest.update(column.tobytes())
    for string in (*("\t".join(word) for word in treebank.words), *treebank.labels):
        digest.update(string.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
