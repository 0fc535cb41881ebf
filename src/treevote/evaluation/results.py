"""Results of an evaluation, as plain records for tables, reports and JSON.

Rates are percentages, 0 to 100, and None where there is nothing to count. Sentences and tokens are counted from 1, as
in the gold file. Tuples with an entry for each system have the order in which the systems were given.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from treevote.evaluation.counts import Convention
from treevote.evaluation.parses import Parses, SentenceTrees

Interval: TypeAlias = Literal["wilson", "bootstrap"]
Kind: TypeAlias = Literal["arc", "word", "sentence"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A rate: its key in `System.rates`, one sentence for a reader, and whether differences in it are tested."""

    name: str
    description: str
    tested: bool


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate with its counts and its 95 % interval.

    Attributes
    ----------
    value : float or None
        F1 of precision and recall; where both are shares of the same whole, that share.
    low, high : float or None
        Ends of the interval.
    interval : {"wilson", "bootstrap"}
        Kind of interval, see `treevote.evaluation.intervals`.
    correct, gold, system : int
        Number of right items, of gold items, of the system's: ``value = 100 * 2 * correct / (gold + system)``.
    """

    value: float | None
    low: float | None
    high: float | None
    interval: Interval
    correct: int
    gold: int
    system: int

    @property
    def precision(self) -> float | None:
        """Share of the system's items that are right, in percent."""
        return 100 * self.correct / self.system if self.system else None

    @property
    def recall(self) -> float | None:
        """Share of the gold items that are right, in percent."""
        return 100 * self.correct / self.gold if self.gold else None


@dataclass(frozen=True, slots=True)
class Finding:
    """A way in which sentences of a system are not trees, see `treevote.evaluation.ill_formed`.

    ``sentences`` is the number of such sentences; ``first`` are the numbers of the first ones, in the file of the
    system.
    """

    name: str
    description: str
    sentences: int
    first: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A token of the gold file: number of the sentence and position in it."""

    sentence: int
    token: int


@dataclass(frozen=True, slots=True)
class ConfusionCell:
    """Tokens with a gold value and a system value, the errors among them, and examples of these, one a sentence."""

    gold: str
    system: str
    tokens: int
    errors: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Confusion of one value with another by a system.

    Attributes
    ----------
    name : {"deprel", "head POS"}
        Errors are tokens with the wrong deprel, or with the wrong head (which may have the right POS).
    description : str
        One sentence for a reader.
    cells : tuple of ConfusionCell
        Those with a token; most errors first, then most tokens, then by name.
    """

    name: str
    description: str
    cells: tuple[ConfusionCell, ...]


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """Number of scored tokens of a sentence, of those with the right head, and with the right head and label."""

    sentence: int
    tokens: int
    heads: int
    arcs: int


@dataclass(frozen=True, slots=True)
class File:
    """A file of an evaluation: its role, the name of the system in it (else empty), its path, its SHA-256 if known."""

    role: Literal["gold", "system", "training"]
    name: str
    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class System:
    """Results of one system by itself.

    Attributes
    ----------
    name : str
        As it was given.
    sentences, words : int
        Its own numbers, in its own segmentation.
    same_words : bool
        Whether its words are those of the gold file; otherwise they were aligned.
    rates : dict of str to Rate
        By name, in the order of `Evaluation.metrics`.
    ill_formed : tuple of Finding
        Empty if every sentence is a tree.
    confusions : tuple of Confusion
    worst : tuple of SentenceScore
        The sentences with most wrong arcs, most first.
    reliability : dict, optional
        Of its confidence, see `treevote.evaluation.calibration.measured`; None if its file carries none.
    """

    name: str
    sentences: int
    words: int
    same_words: bool
    rates: dict[str, Rate]
    ill_formed: tuple[Finding, ...]
    confusions: tuple[Confusion, ...]
    worst: tuple[SentenceScore, ...]
    reliability: dict[str, dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """Accuracy of one system on one group of tokens.

    Attributes
    ----------
    uas, las : Rate
        Recall: tokens of the group in the gold trees with the right head, with the right head and label.
    precision : Rate or None
        Tokens of the group in the trees of the system with the right head and label; None for groups that do not
        depend on the tree.
    f1 : float or None
        Of ``las`` and ``precision``.
    """

    uas: Rate
    las: Rate
    precision: Rate | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """A row of a breakdown: value of the factor, number of scored gold tokens, and a cell for each system."""

    value: str
    tokens: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Accuracy by a factor of the tokens; every scored gold token is in one group.

    Attributes
    ----------
    name, description : str
        See `treevote.evaluation.factors`.
    of : {"arc", "word", "sentence"}
        Bearer of the factor; the arcs of the gold tree and of the system may differ in it.
    ordered : bool
        Whether the groups have an order of their own, as lengths do; otherwise the largest is first.
    groups : tuple of Group
    """

    name: str
    description: str
    of: Kind
    ordered: bool
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Number of tokens on which one system has the right arc and another has not, and the first, one a sentence."""

    tokens: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """Test of the difference between two systems, see `treevote.evaluation.significance`.

    Attributes
    ----------
    metric : str
        Name of the `Metric`.
    first, second : int
        Index of the systems, from 0.
    difference : float or None
        First minus second, in points.
    low, high : float or None
        95 % interval of the difference, by the paired bootstrap.
    bootstrap, randomization, bootstrap_holm, randomization_holm : float
        Two-sided p-values, before and after Holm's correction for all pairs of systems.
    """

    metric: str
    first: int
    second: int
    difference: float | None
    low: float | None
    high: float | None
    bootstrap: float
    randomization: float
    bootstrap_holm: float
    randomization_holm: float


Matrix: TypeAlias = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The systems against each other; matrices are ``[first][second]``, shares of the scored gold tokens.

    Attributes
    ----------
    agreement_heads, agreement_arcs : Matrix
        Tokens on which two systems have the same head, the same head and label, right or wrong.
    oracle_heads, oracle_arcs : Matrix
        Tokens on which one of the two is right: the upper bound of a choice between them.
    all_heads, all_arcs : float or None
        Tokens on which at least one of all systems is right.
    right_wrong : tuple of tuple of Disagreement
        ``[first][second]``: the first is right and the second is wrong.
    tests : tuple of Test
        For every tested metric and pair ``first < second``.
    samples, permutations : int
        Number of bootstrap samples, and of random permutations.
    """

    agreement_heads: Matrix
    agreement_arcs: Matrix
    oracle_heads: Matrix
    oracle_arcs: Matrix
    all_heads: float | None
    all_arcs: float | None
    right_wrong: tuple[tuple[Disagreement, ...], ...]
    tests: tuple[Test, ...]
    samples: int
    permutations: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of an evaluation.

    Attributes
    ----------
    convention : {"ud", "conllx"}
        See `treevote.evaluation.counts`.
    punctuation : bool
        Whether it was scored.
    seed : int
        Seed of the bootstrap and the randomization.
    gold : str
        Name of the gold file.
    sentences, tokens, scored : int
        Numbers of sentences, tokens and scored tokens of the gold file.
    metrics : tuple of Metric
        Main figures first.
    systems : tuple of System
    breakdowns : tuple of Breakdown
    comparison : Comparison
        Matrices of one entry, and no tests, if there is one system.
    parses : Parses
        The trees; no part of `as_dict`.
    files : tuple of File
        The files that were read; empty for treebanks in memory.
    """

    convention: Convention
    punctuation: bool
    seed: int
    gold: str
    sentences: int
    tokens: int
    scored: int
    metrics: tuple[Metric, ...]
    systems: tuple[System, ...]
    breakdowns: tuple[Breakdown, ...]
    comparison: Comparison
    parses: Parses = field(repr=False, compare=False)
    files: tuple[File, ...] = ()

    def trees(self, number: int) -> SentenceTrees:
        """Return a sentence, counted from 1, with the trees of all systems."""
        return self.parses.sentence(number)

    def as_dict(self) -> dict[str, object]:
        """Return all but the trees as dicts, lists, strings and numbers; rates with precision and recall."""
        return {
            part.name: as_plain(getattr(self, part.name)) for part in dataclasses.fields(self) if part.name != "parses"
        }


def as_plain(value: object) -> object:
    """Return records as dicts, as `dataclasses.asdict`, rates with precision and recall."""
    if isinstance(value, tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: as_plain(item) for key, item in value.items()}
    if not dataclasses.is_dataclass(value):
        return value
    plain = {part.name: as_plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    return plain | {"precision": value.precision, "recall": value.recall} if isinstance(value, Rate) else plain
