"""Schemes of adaptation: committee, instance selection, rounds, and members of the adapted model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from treevote.errors import ConfigError, require_known
from treevote.kernels import Bools, Doubles, Longs
from treevote.settings import Count, Interval, Settings

MAX_ROUNDS = 50
MAX_FOLDS = 20
LENGTHS = (5, 10, 15, 20, 25, 30, 40, 60)  # upper ends of the bins of length that are balanced; one more bin above


@dataclass(frozen=True)
class InstanceSelection(Settings):
    """Criteria for the selection of sentences.

    Attributes
    ----------
    min_agreement : float
        Least share of tokens on which the committee agrees, 0..1: 1 for identical parses, 0 for any.
    min_confidence : float
        Least mean confidence of the arcs of a sentence, 0..1.
    max_length : int
        Maximum number of tokens of a sentence.
    balanced : bool
        Selection of the same proportion in each range of lengths: the sentences with the highest agreement, in the
        proportion that ``min_agreement`` gives for the whole text. Parsers agree on short sentences more often, and a
        treebank of short sentences teaches little about long ones.
    """

    min_agreement: Annotated[float, Interval(0, 1)] = 1.0
    min_confidence: Annotated[float, Interval(0, 1)] = 0.0
    max_length: Count = 200
    balanced: bool = False

    def of(self, lengths: Longs, agreed: Doubles, confidence: Doubles) -> Bools:
        """Return a mask of the selected sentences; arguments as in `treevote.adaptation.annotation.Annotation`."""
        usable = (lengths > 0) & (lengths <= self.max_length) & (confidence >= self.min_confidence)
        kept = usable & (agreed >= self.min_agreement)
        if not self.balanced or not usable.any():
            return kept
        part = kept.sum() / usable.sum()
        bins = np.searchsorted(LENGTHS, lengths)
        balanced = np.zeros(len(lengths), np.bool_)
        for b in range(len(LENGTHS) + 1):
            own = np.flatnonzero(usable & (bins == b))
            best = own[np.lexsort((own, -confidence[own], -agreed[own]))]
            balanced[best[: round(part * len(own))]] = True
        return balanced


@dataclass(frozen=True)
class Scheme(Settings):
    """A scheme of adaptation.

    Attributes
    ----------
    committee : tuple of str
        Members whose agreement is measured, retrained in each round after the first; empty: those of the model, or of
        the default ensemble for a model with a single member. In the first round it is the model itself, if that has
        these members and was trained on the labelled sentences that are given; else they are trained on these.
    rounds : int
        Maximum number of rounds.
    stopping_threshold : float
        Least percentage of newly selected tokens of the text for a further round.
    selection : InstanceSelection
        Criteria for the selection of sentences in each round.
    members : tuple of str
        Members of the adapted model; empty: those of the old model.
    source_copies : int
        Copies of the labelled sentences in the training data: their weight against those of the new domain.
    retrained : {"both", "parsers", "taggers"}
        What is trained again. A model without a tagger has parsers alone.
    target_share : float
        Share of the labelled sentences of the new domain, if there are any, in all labelled tokens that are trained on;
        they are repeated to have it, see `treevote.adaptation.labelled`.
    target_folds : int
        Folds of these sentences, each parsed by parsers trained on the others: they measure the adapted model and its
        confidence; 0 for none.
    tag_agreement : float
        Least share of the tokens, 0..1, on whose tags the taggers agree, for a sentence that joins their training data.
    """

    committee: tuple[str, ...] = ()
    rounds: Annotated[int, Interval(1, MAX_ROUNDS)] = 1
    stopping_threshold: Annotated[float, Interval(0, 100)] = 1.0
    selection: InstanceSelection = field(default_factory=lambda: InstanceSelection(0.8))
    members: tuple[str, ...] = ()
    source_copies: Annotated[int, Interval(1, 100)] = 1
    retrained: Literal["both", "parsers", "taggers"] = "both"
    tag_agreement: Annotated[float, Interval(0, 1)] = 1.0
    target_share: Annotated[float, Interval(0, 1, "left")] = 0.2
    target_folds: Annotated[int, Interval(0, MAX_FOLDS)] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.committee:
            if self.committee.count(name) > 1:
                raise ConfigError(f"{name} is in the committee twice; a parser always agrees with itself")
        for name in self.members:
            if self.members.count(name) > 1:
                raise ConfigError(f"{name} is among the members twice; name each once")
        if self.target_folds == 1:
            raise ConfigError(f"target_folds should be in 2..{MAX_FOLDS}, or 0 for none, found 1")


SCHEMES = {
    "default": Scheme(),
    "paper": Scheme(
        committee=("lr-maxent-forward", "lr-svm-backward"),
        selection=InstanceSelection(),
        members=("lr-maxent-forward",),
        retrained="parsers",
    ),
    "distil": Scheme(selection=InstanceSelection(0.0), members=("lr-maxent-forward",)),
}
"""Schemes by name: the best one in trials; Sagae & Tsujii (2007), section 4.1; the vote of the committee on all
sentences in one parser."""


def scheme_of(name: str) -> Scheme:
    """Return the scheme of a name; ConfigError, with the nearest name, if there is none."""
    require_known("scheme", name, SCHEMES)
    return SCHEMES[name]


def homogeneity_warning(committee: Mapping[str, Any]) -> str | None:
    """Return the reason for which the members of a committee (trainers by name) are too similar; None if they are not.

    Parsers that differ only in their learner make the same errors: they should read from different sides, or be of
    different families.

    >>> from treevote.ensemble.members import members_of
    >>> homogeneity_warning(members_of(["lr-maxent-forward", "lr-svm-forward"]))
    'lr-maxent-forward and lr-svm-forward read from the same side and are of one family'
    >>> homogeneity_warning(members_of(["lr-svm-forward", "lr-svm-backward"])) is None
    True
    >>> homogeneity_warning(members_of(["lr-svm-forward"])) is None
    True
    """
    sides = {(type(trainer), getattr(trainer, "direction", None)) for trainer in committee.values()}
    if len(committee) < 2 or len(sides) > 1:
        return None
    ((_, side),) = sides
    return f"{' and '.join(committee)} {'read from the same side and ' if side else ''}are of one family"
