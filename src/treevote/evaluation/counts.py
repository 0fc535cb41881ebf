"""Scores of trees against gold trees: counts first, rates last.

Counts of parts add up to the counts of the whole, so results over many files or chunks are exact. All rates are
percentages, 0 to 100.

There are two conventions. ``"ud"`` is that of the CoNLL 2018 shared task (Zeman et al. 2018) on given
words: of a deprel only the universal part counts, before the first colon, and CLAS looks at content words
alone. ``"conllx"`` is that of the CoNLL-X and 2007 shared tasks (Buchholz & Marsi 2006):
deprels count whole, and punctuation may be left out, which is every token whose characters are all of the
Unicode categories P.
"""

from __future__ import annotations

import dataclasses
import os
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from treevote.conll.guidelines import RELATIONS
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank, require_treebank
from treevote.corpus.trees import per_sentence
from treevote.corpus.vocabulary import common_labels, encode
from treevote.errors import InputError, require_known
from treevote.kernels import Bools, Ints, Longs
from treevote.terminal import plural

Convention: TypeAlias = Literal["ud", "conllx"]


def convention_of(treebank: Treebank) -> Convention:
    """Return the convention that goes with the format that a treebank was read from."""
    return "conllx" if treebank.source is not None and treebank.source.format == "conllx" else "ud"


FUNCTION = frozenset(("aux", "case", "cc", "clf", "cop", "det", "mark"))
"""Universal deprels of the function words that MLAS looks at."""

CONTENT = RELATIONS - FUNCTION - {"punct"}
"""Universal deprels of content words, which CLAS counts; labels of UD version 1 such as ``dobj`` are not among them."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts, and the rates that follow from them.

    Counts add with ``+``; ``Counts()`` is the zero. A rate with nothing to count is ``nan``.

    Attributes
    ----------
    sentences, tokens : int
        Sentences with a scored token, and scored tokens.
    heads, labels, arcs : int
        Tokens with the right head, with the right label, with both.
    gold_content, system_content, content_arcs : int
        Tokens with a content label in the gold trees, in the system's, and right arcs among the former; 0
        under the convention ``"conllx"``.
    gold_roots, system_roots, common_roots : int
        Dependents of ROOT in the gold trees, in the system's, in both.
    dependencies, right_dependencies : int
        Tokens with another head than ROOT in the gold trees, and those of them with the right head.
    leaves, right_leaves : int
        Tokens without any dependent in the gold trees, and those of them with the right head.
    head_sentences, arc_sentences : int
        Sentences in which all heads, all arcs of scored tokens are right.

    Examples
    --------
    >>> counts = Counts(sentences=1, tokens=4, heads=3, labels=3, arcs=2)
    >>> counts.uas, (counts + counts).las
    (75.0, 50.0)
    """

    sentences: int = 0
    tokens: int = 0
    heads: int = 0
    labels: int = 0
    arcs: int = 0
    gold_content: int = 0
    system_content: int = 0
    content_arcs: int = 0
    gold_roots: int = 0
    system_roots: int = 0
    common_roots: int = 0
    dependencies: int = 0
    right_dependencies: int = 0
    leaves: int = 0
    right_leaves: int = 0
    head_sentences: int = 0
    arc_sentences: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of two sets of sentences together."""
        if not isinstance(other, Counts):
            return NotImplemented
        return Counts(*map(int.__add__, dataclasses.astuple(self), dataclasses.astuple(other)))

    @property
    def las(self) -> float:
        """Labelled attachment score: tokens with the right head and label."""
        return _percent(self.arcs, self.tokens)

    @property
    def uas(self) -> float:
        """Unlabelled attachment score: tokens with the right head."""
        return _percent(self.heads, self.tokens)

    @property
    def attachment(self) -> dict[str, float]:
        """LAS and UAS to two decimals, as reports have them."""
        return {"las": round(self.las, 2), "uas": round(self.uas, 2)}

    @property
    def label_accuracy(self) -> float:
        """Tokens with the right label, whatever their head."""
        return _percent(self.labels, self.tokens)

    @property
    def clas(self) -> float:
        """Content-word labelled attachment score, as F1."""
        return _percent(2 * self.content_arcs, self.gold_content + self.system_content)

    @property
    def root_accuracy(self) -> float:
        """Tokens rightly on ROOT, as F1, since there may be several."""
        return _percent(2 * self.common_roots, self.gold_roots + self.system_roots)

    @property
    def dependency_accuracy(self) -> float:
        """Tokens with the right head, among those with another head than ROOT (Chang et al. 2006, section 3.3)."""
        return _percent(self.right_dependencies, self.dependencies)

    @property
    def leaf_accuracy(self) -> float:
        """Tokens with the right head, among those without dependents (Yamada & Matsumoto 2003)."""
        return _percent(self.right_leaves, self.leaves)

    @property
    def complete(self) -> float:
        """Sentences with all heads right."""
        return _percent(self.head_sentences, self.sentences)

    @property
    def complete_labelled(self) -> float:
        """Sentences with all heads and labels right."""
        return _percent(self.arc_sentences, self.sentences)


def evaluate(
    gold: Treebank | str | os.PathLike[str],
    system: Treebank | str | os.PathLike[str],
    *,
    convention: Convention = "ud",
    punctuation: bool = True,
) -> Counts:
    """Compare the trees of a system with the gold trees.

    Parameters
    ----------
    gold, system : Treebank or path
        The same sentences. Every gold token needs a head; tokens that the system left without one are wrong.
    convention : {"ud", "conllx"}, default="ud"
        See the head of this module.
    punctuation : bool, default=True
        Whether punctuation is scored.

    Returns
    -------
    Counts

    Raises
    ------
    InputError
        If the sentences differ, with the first difference; if a gold token has no head; if a file cannot be read; for
        anything but a treebank or a path.
    ConfigError
        If the convention is not known.

    Examples
    --------
    >>> gold = Treebank.of([(["a", "dog", "barks", "!"], [2, 3, 0, 3], ["det", "nsubj", "root", "punct"])])
    >>> parse = Treebank.of([(["a", "dog", "barks", "!"], [3, 3, 0, 3], ["det", "nsubj:x", "root", "punct"])])
    >>> evaluate(gold, parse).las, evaluate(gold, parse).clas
    (75.0, 100.0)
    >>> counts = evaluate(gold, parse, convention="conllx", punctuation=False)
    >>> counts.tokens, counts.heads, counts.labels, counts.arcs
    (3, 2, 2, 1)
    """
    for one in (gold, system):
        if not isinstance(one, Treebank | str | os.PathLike):
            problem = f"expected a Treebank or a path, found {type(one).__name__}"
            raise InputError(problem, remedy="make a Treebank with treevote.read, treevote.loads or Treebank.of")
    trees = [one if isinstance(one, Treebank) else read(one, trees="optional") for one in (gold, system)]
    columns = count_by_sentence(*trees, convention=convention, punctuation=punctuation)
    return Counts(**{name: int(column.sum()) for name, column in columns.items()})


def compared_part(convention: Convention) -> Callable[[str], str]:
    """Return the function that gives the part of a label that a convention compares; ConfigError for an unknown one."""
    require_known("convention", convention, get_args(Convention))
    return str if convention == "conllx" else lambda label: label.partition(":")[0]


def require_heads(gold: Treebank) -> Bools:
    """Return the mask of the tokens of gold trees; InputError, with its place, for the first one without a head."""
    tokens = gold.is_token
    missing = np.flatnonzero(tokens & (gold.heads < 0))
    if len(missing):
        slot = int(missing[0])
        problem = f"expected a head for every gold token, found none for {_form(gold, slot)}"
        raise gold.fault(slot, problem, "give gold trees, or leave the sentence out on both sides")
    return tokens


def count_by_sentence(
    gold: Treebank, system: Treebank, *, convention: Convention = "ud", punctuation: bool = True
) -> dict[str, Longs]:
    """Return the counts of each sentence, shape (n_sentences,), by the fields of `Counts`; errors as in `evaluate`."""
    scored = require_heads(gold)
    part = compared_part(convention)
    require_same_sentences(gold, system)
    if not punctuation:
        scored &= ~punctuation_marks(gold)
    labels_of, (gold_labels, system_labels) = common_labels([gold, system], part)
    content = np.array([*(convention == "ud" and label in CONTENT for label in labels_of), False], np.bool_)

    heads, labels = scored & (gold.heads == system.heads), scored & (gold_labels == system_labels)
    arcs = heads & labels
    gold_content, gold_roots = scored & content[gold_labels], scored & (gold.heads == 0)
    system_roots = scored & (system.heads == 0)
    is_leaf = scored.copy()
    is_leaf[(gold.starts + gold.heads)[gold.heads > 0]] = False
    masks = {
        "tokens": scored,
        "heads": heads,
        "labels": labels,
        "arcs": arcs,
        "gold_content": gold_content,
        "system_content": scored & content[system_labels],
        "content_arcs": gold_content & arcs,
        "gold_roots": gold_roots,
        "system_roots": system_roots,
        "common_roots": gold_roots & system_roots,
        "dependencies": scored & ~gold_roots,
        "right_dependencies": heads & ~gold_roots,
        "leaves": is_leaf,
        "right_leaves": heads & is_leaf,
    }
    columns = {name: per_sentence(mask, gold.offsets) for name, mask in masks.items()}
    nonempty = columns["tokens"] > 0
    for name, right in ("sentences", "tokens"), ("head_sentences", "heads"), ("arc_sentences", "arcs"):
        columns[name] = (nonempty & (columns[right] == columns["tokens"])).astype(np.int64)
    return columns


def require_same_sentences(gold: Treebank, system: Treebank) -> None:
    """Raise InputError about ``system`` at the first form, or end of a sentence, that differs from that of ``gold``."""
    slot = first_difference(gold, system)
    if slot < 0:
        return
    remedy = "give the same sentences, with the same tokens, in the same order"
    expected, found, name = _form(gold, slot), _form(system, slot), gold.title or "the gold trees"
    if expected != found and look_alike(expected, found):
        expected, found, remedy = _form(gold, slot, ascii), _form(system, slot, ascii), ONE_NORMALIZATION
    if expected == found:
        problem = f"expected {plural(gold.n_sentences, 'sentence')} as in {name}, found {system.n_sentences}"
        raise InputError(problem, path=system.title, remedy=remedy)
    raise system.fault(slot, f"expected {expected} as in {name}, found {found}", remedy)


def first_difference(gold: Treebank, system: Treebank) -> int:
    """Return the first slot with another form, or end of a sentence, than in ``gold``; -1 if there is none."""
    if gold.words is system.words and gold.tokens is system.tokens and gold.offsets is system.offsets:
        return -1
    forms: dict[str, int] = {}
    ours, theirs = (form_numbers(treebank, str, forms) for treebank in (gold, system))
    shorter = min(len(ours), len(theirs))
    differences = np.flatnonzero(ours[:shorter] != theirs[:shorter])
    if not len(differences) and len(ours) == len(theirs):
        return -1
    return int(differences[0]) if len(differences) else shorter


ONE_NORMALIZATION = "bring both files to the same Unicode normalization, such as NFC"
"""The remedy for texts that look alike."""


def look_alike(one: str, another: str) -> bool:
    """Tell whether two texts are the same in one normalization of Unicode.

    >>> look_alike("\u00e8", "e\u0300"), look_alike("e", "\u00e8")
    (True, False)
    """
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", another)


def form_numbers(treebank: Treebank, key: Callable[[str], str], numbers: dict[str, int]) -> Ints:
    """Return the number of a key of the form in each slot, -1 in ROOT slots; new keys are added to ``numbers``."""
    found = encode((key(word.form) for word in treebank.words), numbers)
    return np.where(treebank.is_token, found[treebank.tokens], np.int32(-1))


def check_same_sentences(systems: Sequence[Treebank]) -> None:
    """Raise InputError at the first word that a system, called by name or number, does not share with the first system.

    Only forms and the division into sentences count, not lemmas, tags or features. No system is an error, too.
    """
    if not systems:
        raise InputError("expected the parses of at least one system, found none")
    first, *others = (
        dataclasses.replace(require_treebank(system), name=system.name or f"system {k}")
        for k, system in enumerate(systems, start=1)
    )
    for system in others:
        require_same_sentences(first, system)


def punctuation_marks(treebank: Treebank) -> Bools:
    """Return a mask of the slots whose characters are all of the Unicode categories P, shape (n_slots,)."""
    kinds = (map(unicodedata.category, word.form) for word in treebank.words)
    return np.array([all(kind[0] == "P" for kind in of_word) for of_word in kinds], np.bool_)[treebank.tokens]


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else float("nan")


def _form(treebank: Treebank, slot: int, shown: Callable[[str], str] = repr) -> str:
    if slot < len(treebank.tokens) and treebank.is_token[slot]:
        return shown(treebank.words[treebank.tokens[slot]].form)
    return "the end of the sentence"
