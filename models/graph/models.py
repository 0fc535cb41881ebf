"""First- and second-order models: templates and weights, and how they travel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.kernels import Ints, Longs
from treevote.models.features.lexicon import WordColumns
from treevote.models.graph.arc_model import parse_arcs
from treevote.models.graph.features import MIN_BITS
from treevote.models.graph.hashed_weights import HashedWeights, pack, unpack
from treevote.models.graph.pair_model import PairTables, parse_pairs
from treevote.models.graph.templates import (
    GRANDPARENT_ROLES,
    SIBLING_ROLES,
    ArcTable,
    compile_arcs,
    compile_pairs,
)
from treevote.store.record import Record
from treevote.store.validation import column, scale_of

_NONE = HashedWeights(np.zeros(1 << MIN_BITS, np.int16), MIN_BITS, 1.0)


class ArcModel(NamedTuple):
    """A first-order model.

    Attributes
    ----------
    templates : tuple of str
    table : ArcTable
        The templates, compiled.
    weights : HashedWeights
    """

    templates: tuple[str, ...]
    table: ArcTable
    weights: HashedWeights

    @classmethod
    def untrained(cls, templates: Sequence[str]) -> ArcModel:
        """Return a model with no weights; raises as `treevote.models.graph.templates.compile_arcs`."""
        return cls(tuple(templates), compile_arcs(templates), _NONE)

    def parse(
        self, words: WordColumns, tokens: Ints, offsets: Longs, projective: bool, single_root: bool, heads: Ints
    ) -> None:
        """Find the heads of every sentence; parameters as for `treevote.models.graph.arc_model.parse_arcs`."""
        table, bits, _ = self.weights
        parse_arcs(table, bits, self.table, words, tokens, offsets, projective, single_root, heads)

    def record(self) -> Record:
        """Return the model as data."""
        return _record("arc-model", self.weights, {"arcs": self.templates})

    @classmethod
    def from_record(cls, record: Record) -> ArcModel:
        """Make the model of a record.

        Raises
        ------
        ModelError, ConfigError, KeyError, TypeError, ValueError
            If its parts do not fit together.
        """
        return cls.untrained(record.texts["arcs"])._replace(weights=_weights(record, "arc-model"))


class PairModel(NamedTuple):
    """A second-order model.

    Attributes
    ----------
    arcs, siblings, grandparents : tuple of str
        Templates.
    tables : PairTables
        The templates, compiled.
    weights : HashedWeights
    """

    arcs: tuple[str, ...]
    siblings: tuple[str, ...]
    grandparents: tuple[str, ...]
    tables: PairTables
    weights: HashedWeights

    @classmethod
    def untrained(cls, arcs: Sequence[str], siblings: Sequence[str], grandparents: Sequence[str]) -> PairModel:
        """Return a model with no weights; raises as `treevote.models.graph.templates.compile_arcs`."""
        tables = PairTables(
            compile_arcs(arcs),
            compile_pairs(siblings, SIBLING_ROLES),
            compile_pairs(grandparents, GRANDPARENT_ROLES),
        )
        return cls(tuple(arcs), tuple(siblings), tuple(grandparents), tables, _NONE)

    def parse(
        self,
        pruner: ArcModel,
        keep: int,
        margin: float,
        words: WordColumns,
        tokens: Ints,
        offsets: Longs,
        projective: bool,
        single_root: bool,
        heads: Ints,
    ) -> None:
        """Find the heads of every sentence.

        Parameters are those of `treevote.models.graph.pair_model.parse_pairs`, with the margin as a difference of
        log-probabilities.
        """
        table, bits, _ = self.weights
        pruning = pruner.weights.table, pruner.weights.bits, pruner.table, keep, margin / pruner.weights.scale
        parse_pairs(table, bits, self.tables, *pruning, words, tokens, offsets, projective, single_root, heads)

    def record(self) -> Record:
        """Return the model as data."""
        templates = {"arcs": self.arcs, "siblings": self.siblings, "grandparents": self.grandparents}
        return _record("pair-model", self.weights, templates)

    @classmethod
    def from_record(cls, record: Record) -> PairModel:
        """Make the model of a record; raises as `ArcModel.from_record`."""
        texts = record.texts
        model = cls.untrained(texts["arcs"], texts["siblings"], texts["grandparents"])
        return model._replace(weights=_weights(record, "pair-model"))


def _record(kind: str, weights: HashedWeights, templates: dict[str, tuple[str, ...]]) -> Record:
    filled, packed = pack(weights)
    return Record(kind, {"scale": weights.scale}, {"filled": filled, "packed": packed}, templates)


def _weights(record: Record, kind: str) -> HashedWeights:
    if record.kind != kind:
        raise ValueError(f"a part of kind {record.kind}")
    filled, packed = (
        column(record, name, dtype, mapped=True) for name, dtype in (("filled", np.uint8), ("packed", np.int16))
    )
    return unpack(filled, packed, scale_of(record))
