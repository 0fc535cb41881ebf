"""Results of an evaluation, as plain records for tables, reports and JSON.

Rates are percentages, 0 to 100, and None where there is nothing to count. Sentences and tokens are counted from 1, as
in the gold file. Tuples with an entry for each system have the order in which the systems were given.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from treevote.evaluation.counts import Convention
from treevote.evaluation.parses import Parses

Interval: TypeAlias = Literal["wilson", "bootstrap"]
Kind: TypeAlias = Literal["arc", "word", "sentence"]

CONVENTIONS = {"ud": "CoNLL 2018 (universal part of the deprel)", "conllx": "CoNLL-X (whole deprel)"}
"""How `treevote.evaluation.counts` counts, for a reader."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A rate: its key in `System.rates`, one sentence for a reader, and whether differences in it are tested."""

    name: str
    description: str
    tested: bool


@dataclass(frozen=True, slots=True)
class Rate:
    """The F1 of precision and recall in percent with its 95 % interval: ``100 * 2 * correct / (gold + system)``.

    It is a share where ``gold`` and ``system``, numbers of items, are of the same whole. For ``interval`` see
    `treevote.evaluation.intervals`.
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
    """A way in which sentences of a system are no trees: how many, and the numbers of the first in its own file."""

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
    """Confusion of one value, ``"deprel"`` or ``"head POS"``, with another by a system.

    Errors are tokens with the wrong deprel, or with the wrong head, which may have the right POS. ``cells`` are those
    with a token: most errors first, then most tokens, then by name.
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

    ``sentences`` and ``words`` are counted in its own segmentation; where ``same_words`` is false, its words were
    aligned with those of the gold file. ``rates`` have the order of `Evaluation.metrics`. ``worst`` are the sentences
    with most wrong arcs, most first. ``reliability`` is that of its confidence, see
    `treevote.evaluation.calibration.measured`; None if its file carries none.
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

    ``uas`` and ``las`` are recall, of the tokens of the group in the gold trees; ``precision`` is that of labelled arcs
    in the group in the trees of the system; None, as is ``f1`` of both, for groups that do not depend on the tree.
    ``f1`` is 0 where the system has no arc in the group, and None where the gold trees have none.
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
    """Accuracy by a factor of the tokens, see `treevote.evaluation.factors`; each scored gold token is in one group.

    ``of`` is the bearer of the factor: the arcs of the gold tree and of the system may differ in it. Groups that are
    ``ordered``, as lengths are, keep their order; otherwise the largest is first.
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
    """Test of the difference between two systems, by their index from 0, see `treevote.evaluation.significance`.

    The difference is first minus second, in points, with its 95 % interval by the paired bootstrap. The p-values of
    both tests are two-sided, before and after Holm's correction for all pairs of systems.
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

    Agreement: the same head, or head and label, right or wrong. Oracle: one of the two is right, the upper bound of a
    choice between them; ``all_heads`` and ``all_arcs``: one of all systems is. ``right_wrong``: the first is right and
    the second is wrong. There is a test for every tested metric and pair ``first < second``.
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
    """Results of an evaluation; ``sentences``, ``tokens`` and ``scored`` are counts of the gold file.

    Main metrics come first. With one system the matrices of ``comparison`` have one entry and there are no tests.
    ``files`` are those that were read; none for treebanks in memory.
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

    def as_dict(self) -> dict[str, object]:
        """Return all but the trees as dicts, lists, strings and numbers; rates with precision and recall."""
        names = (part.name for part in dataclasses.fields(self) if part.name != "parses")
        return {name: as_plain(getattr(self, name)) for name in names}


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
