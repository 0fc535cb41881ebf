"""The judge of an ensemble: the vote over its parses, and the confidence in the result.

The trees come from weights of the systems, or else from the probabilities of a model of candidates. The confidence
always comes from the model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidate_model import CandidateModel, Examples
from treevote.ensemble.candidates import MAX_SYSTEMS
from treevote.ensemble.selection import MARGIN, VoteKind, WeightKind, cross_fitted, fit_weights
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import table
from treevote.evaluation.counts import Convention, evaluate
from treevote.store.manifest import JSON


@dataclass(frozen=True, eq=False)
class Judge:
    """Weights of systems and a model of their candidates; ConfigError for neither or different numbers of systems."""

    weights: Weights | None  # None where the model votes
    model: CandidateModel | None = None  # None without confidence

    def __post_init__(self) -> None:
        if len({part.n_members for part in (self.weights, self.model) if part is not None}) != 1:
            raise ConfigError("a judge needs weights or a model, both for the same number of systems")

    @property
    def kind(self) -> VoteKind | Literal["agreement"]:
        """The kind of the vote."""
        return "learned" if self.weights is None else self.weights.kind

    @property
    def trees_alone(self) -> Judge:
        """The judge without the confidence that its trees do not need."""
        return self if self.weights is None else Judge(self.weights)

    def vote(self, systems: Sequence[Treebank], *, single_root: bool, given: Given | None = None) -> Treebank:
        """Return the trees of the systems in the order of the training, with support, and confidence of the model.

        They are the heaviest that hold all ``given`` arcs, whether those of the systems do or not.
        """
        if self.model is None:
            return vote(systems, self.weights, single_root=single_root, given=given)
        probabilities = self.model.of(systems if given is None else [given.held(system) for system in systems])
        if self.weights is None:
            return probabilities.vote(single_root=single_root, given=given)
        voted = vote(systems, self.weights, single_root=single_root, given=given)
        return probabilities.confident(voted, given)

    def recalibrated(self, gold: Treebank, systems: Sequence[Treebank], *, convention: Convention = "ud") -> Judge:
        """Recalibrate the confidence on other data; without a model, fit it there.

        There is no model for more than ``MAX_SYSTEMS`` systems. Raises as `CandidateModel.recalibrated`.
        """
        if self.model is not None:
            model = self.model.recalibrated(gold, systems, convention=convention)
        elif len(systems) <= MAX_SYSTEMS:
            model = CandidateModel.fit(gold, systems, convention=convention)
        else:
            return self
        return dataclasses.replace(self, model=model)


def learn(
    kind: VoteKind | Literal["auto"],
    gold: Treebank,
    systems: Sequence[Treebank],
    *,
    single_root: bool,
    convention: Convention = "ud",
) -> tuple[Judge, Treebank]:
    """Learn a judge from gold trees and the parses of systems that were not trained on them; return it and its vote.

    For ``"auto"`` the model decides for the trees if they are better than those of equal votes by more than
    `treevote.ensemble.selection.MARGIN`. There is no model for more than ``MAX_SYSTEMS`` systems (ConfigError for a
    learned vote). For the vote over ``systems``, each half of the sentences is judged by what the other half taught.
    InputError if there is no token, sentences differ, or a gold head is not known.
    """
    if kind == "learned":
        examples = Examples.of(gold, systems, convention=convention)
        return Judge(None, examples.model()), examples.crossed().vote(single_root=single_root)
    plain: WeightKind = "equal" if kind == "auto" else kind
    weights, voted = fit_weights(plain, gold, systems), cross_fitted(plain, gold, systems, single_root=single_root)
    if len(systems) > MAX_SYSTEMS:
        return Judge(weights), voted
    examples = Examples.of(gold, systems, convention=convention)
    model, crossed = examples.model(), examples.crossed()
    voted = crossed.confident(voted)
    if kind == "auto" and len(systems) > 1 and gold.n_sentences > 1:
        learned = crossed.vote(single_root=single_root)
        las, equal = (evaluate(gold, parse, convention=convention).las for parse in (learned, voted))
        if las > equal + MARGIN:
            return Judge(None, model), learned
    return Judge(weights, model), voted


def calibration(gold: Treebank, parse: Treebank, *, convention: Convention = "ud") -> dict[str, JSON]:
    """Measure the confidence of a parse: a `table` by ``"arc"`` and ``"label"`` (both right); nothing without any."""
    if parse.confidence is None or parse.label_confidence is None or not gold.n_tokens:
        return {}
    tokens, right = gold.is_token, right_arcs(gold, parse, convention=convention)
    return {
        "arc": table(parse.confidence[tokens], right.heads[tokens]),
        "label": table(parse.label_confidence[tokens], right.arcs[tokens]),
    }
