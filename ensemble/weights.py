"""Weights of the votes of systems (Sagae & Lavie 2006, "Parser combination by reparsing").

Equal weights; the labelled accuracy of a system on held-out data; or that accuracy for the part of speech of the
dependent. Without gold trees, the agreement of a system with the others takes the place of its accuracy.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from treevote.config import converted
from treevote.corpus.treebank import Treebank, require_treebank, require_treebanks
from treevote.corpus.vocabulary import encode
from treevote.errors import ConfigError, ModelError
from treevote.evaluation.agreement import accuracy_by, agreement, arcs_of
from treevote.evaluation.counts import check_same_sentences
from treevote.kernels import Ints, Longs
from treevote.settings import Interval, Settings

UNIT = 2**20  # weights are whole multiples of 1 / UNIT, so that sums are exact in any order
HEAVIEST = 2.0**20  # maximum weight, so that sums cannot overflow
Row: TypeAlias = tuple[Annotated[float, Interval(0, HEAVIEST)], ...]  # the weight of each system
SEEN_ENOUGH = 20  # minimum number of held-out tokens of a part of speech with an accuracy of its own


@dataclass(frozen=True)
class Weights(Settings):
    """The weight of each system, the same for all tokens or by the part of speech of the dependent.

    Attributes
    ----------
    kind : {"equal", "accuracy", "pos", "agreement"}
        The kind of the weights.
    overall : tuple of float, length k
        Weight of each system; with rows for a part of speech that has no row of its own.
    pos : tuple of str
        The parts of speech (UPOS) that have rows; empty unless ``kind`` is ``"pos"`` or ``"agreement"``.
    rows : tuple of tuple of float, length len(pos), each of length k
        Weight of each system on dependents of that part of speech.

    Raises
    ------
    ConfigError
        If the shapes do not fit, or a weight is no number, negative, not finite or beyond ``HEAVIEST``.

    Examples
    --------
    >>> Weights.equal(3)
    Weights(kind='equal', overall=(1.0, 1.0, 1.0), pos=(), rows=())
    >>> Weights("accuracy", (0.5, 1.5)).table(Treebank.of([(["a"], [0], ["root"])])) / UNIT
    array([[0.5, 0.5],
           [1.5, 1.5]])
    """

    kind: Literal["equal", "accuracy", "pos", "agreement"]
    overall: Row
    pos: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.rows) != len(self.pos) or any(len(row) != len(self.overall) for row in self.rows):
            raise ConfigError("weights by part of speech need one row for each part, one weight for each system")

    @property
    def n_members(self) -> int:
        """Number of systems."""
        return len(self.overall)

    @staticmethod
    def equal(k: int) -> Weights:
        """Return weight 1 for each of ``k`` systems."""
        return Weights("equal", (1.0,) * converted(int, k, "k"))

    @staticmethod
    def by_accuracy(gold: Treebank, systems: Sequence[Treebank]) -> Weights:
        """Return the share of tokens of held-out sentences to which each system gives the right head and label.

        Raises
        ------
        InputError
            If the sentences differ, a gold head is not known, or something is no treebank.

        Examples
        --------
        >>> gold = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
        >>> other = Treebank.of([(["dogs", "bark"], [2, 0], ["obj", "root"])])
        >>> Weights.by_accuracy(gold, [gold, other]).overall
        (1.0, 0.5)
        """
        one_key = np.zeros(len(require_treebank(gold).tokens), np.int32)
        return Weights("accuracy", _accuracies(gold, require_treebanks(systems), one_key, 1)[0])

    @staticmethod
    def by_pos(gold: Treebank, systems: Sequence[Treebank]) -> Weights:
        """Return the same share for each part of speech (UPOS) of the dependent in ``gold``; see `by_accuracy`.

        A part of speech with fewer than ``SEEN_ENOUGH`` tokens has no row: the share over all tokens is used.
        """
        (names, key, seen), systems = _seen_parts(require_treebank(gold)), require_treebanks(systems)
        rows = _accuracies(gold, systems, key, len(names))
        overall = Weights.by_accuracy(gold, systems).overall
        return Weights("pos", overall, tuple(names[i] for i in seen), tuple(rows[i] for i in seen))

    @staticmethod
    def by_agreement(systems: Sequence[Treebank]) -> Weights:
        """Return the share of tokens on which each system agrees with another one, by part of speech.

        It is the mean over the other systems, of the same head and label, by the part of speech of the dependent (those
        of the first system, as in `by_pos`). Independent systems agree the more often, the more often they are right.
        Such weights nearly always differ a little, so the order of the systems decides few ties; two systems have equal
        weights.

        Raises
        ------
        InputError
            If the sentences differ, or something is no treebank.

        Examples
        --------
        >>> one = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
        >>> two = Treebank.of([(["dogs", "bark"], [2, 0], ["obj", "root"])])
        >>> Weights.by_agreement([one, two, one]).overall
        (0.75, 0.5, 0.75)
        """
        check_same_sentences(systems := require_treebanks(systems))
        names, key, seen = _seen_parts(systems[0])
        arcs = arcs_of(systems)
        counts = np.zeros((len(names), len(systems)), np.int64)
        for i, j in itertools.combinations(range(len(systems)), 2):
            same = key[agreement(arcs[i], arcs[j]).arcs]
            counts[:, [i, j]] += np.bincount(same, minlength=len(names))[:, None]
        sizes = np.bincount(key[systems[0].is_token], minlength=len(names)) * max(1, len(systems) - 1)
        rows = counts / np.maximum(sizes, 1)[:, None]
        overall = counts.sum(0) / max(1, int(sizes.sum()))
        chosen = tuple(tuple(row) for row in rows[seen].tolist())
        return Weights("agreement", tuple(overall.tolist()), tuple(names[i] for i in seen), chosen)

    def table(self, treebank: Treebank) -> Longs:
        """Return the weight of each system on each slot of a treebank, in units of ``1 / UNIT``; shape (k, n_slots).

        Weights are rounded to whole units, at least one: so even a system of weight 0 decides where no other votes.
        """
        rows = np.array([*self.rows, self.overall], np.float64)
        units = np.maximum(np.rint(rows * UNIT), 1).astype(np.int64)
        if not self.pos:
            return np.repeat(units.T, len(treebank.tokens), axis=1)
        return np.ascontiguousarray(units.T[:, _part_of_speech(treebank, self.pos)])

    def to_json(self) -> dict[str, Any]:
        """Return the weights as numbers, strings and lists, for a manifest."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Weights:
        """Return the weights that ``to_json`` wrote.

        Raises
        ------
        ModelError
            If they are damaged.
        """
        try:
            return Weights(data["kind"], data["overall"], data["pos"], data["rows"])
        except (ConfigError, KeyError, TypeError) as error:
            raise ModelError(f"the weights of the vote are damaged: {error}; train the model again") from error


def _part_of_speech(treebank: Treebank, names: Sequence[str]) -> Ints:
    """Return for each slot the index of its UPOS in ``names``, ``len(names)`` where it is not among them."""
    known = {name: number for number, name in enumerate(names)}
    return np.minimum(encode((word.upos for word in treebank.words), known), len(names))[treebank.tokens]


def _seen_parts(treebank: Treebank) -> tuple[list[str], Ints, list[int]]:
    """Return the parts of speech, the number of that of each slot, and the numbers of those seen often enough."""
    names = sorted({word.upos for word in treebank.words})
    key = _part_of_speech(treebank, names)
    counts = np.bincount(key[treebank.is_token], minlength=len(names))
    return names, key, [i for i, count in enumerate(counts) if count >= SEEN_ENOUGH]


def _accuracies(gold: Treebank, systems: Sequence[Treebank], key: Ints, n_keys: int) -> list[tuple[float, ...]]:
    """Return for each key the accuracy of each system on the tokens that have it, else 0; labels count whole."""
    columns = [np.nan_to_num(accuracy_by(gold, one, key, n_keys)).tolist() for one in systems]
    return [tuple(column[i] for column in columns) for i in range(n_keys)]
