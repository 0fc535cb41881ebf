"""The judge of an ensemble: the vote over its parses, and the confidence in the result.

The trees come from weights of the systems, or else from the probabilities of a model of candidates. The confidence
always comes from the model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidate_model import CandidateModel, Examples
from treevote.ensemble.candidates import MAX_SYSTEMS
from treevote.ensemble.selection import MARGIN, VoteKind, WeightKind, cross_fitted, fit_weights
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError
from treevote.evaluation.counts import Convention, evaluate


@dataclass(frozen=True, eq=False)
class Judge:
    """Weights of systems and a model of their candidates.

    Attributes
    ----------
    weights : Weights, optional
        None where the model votes.
    model : CandidateModel, optional
        None without confidence.

    Raises
    ------
    ConfigError
        If there is neither, or they are for different numbers of systems.

    Examples
    --------
    >>> Judge(Weights.equal(3)).kind, Judge(Weights.equal(3)).n_members
    ('equal', 3)
    """

    weights: Weights | None
    model: CandidateModel | None = None

    def __post_init__(self) -> None:
        if len({part.n_members for part in (self.weights, self.model) if part is not None}) != 1:
            raise ConfigError("a judge needs weights or a model, both for the same number of systems")

    @property
    def kind(self) -> VoteKind | Literal["agreement"]:
        """The kind of the vote."""
        return "learned" if self.weights is None else self.weights.kind

    @property
    def n_members(self) -> int:
        """Number of systems."""
        part = self.weights or self.model
        assert part is not None
        return part.n_members

    @property
    def trees_alone(self) -> Judge:
        """The judge without the confidence that its trees do not need."""
        return self if self.weights is None else Judge(self.weights)

    def vote(self, systems: Sequence[Treebank], *, single_root: bool) -> Treebank:
        """Return the trees, with support, and with confidence if there is a model.

        Parameters and errors are those of `treevote.ensemble.vote.vote`, with the systems in the order of the training.
        """
        if self.model is None:
            return vote(systems, self.weights, single_root=single_root)
        probabilities = self.model.of(systems)
        if self.weights is None:
            return probabilities.vote(single_root=single_root)
        return probabilities.confident(vote(systems, self.weights, single_root=single_root))

    def recalibrated(self, gold: Treebank, systems: Sequence[Treebank], *, convention: Convention = "ud") -> Judge:
        """Return the judge with a model that is right on other data; without one, it is learned from them alone.

        Parameters and errors are those of `CandidateModel.recalibrated`. There is no model for more than
        ``MAX_SYSTEMS`` systems.
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
    """Learn a judge from gold trees and the parses of systems that were not trained on them.

    Parameters
    ----------
    kind : {"auto", "equal", "accuracy", "pos", "learned"}
        What decides for the trees; ``"auto"``: the model, if its trees are better than those of equal votes by more
        than `treevote.ensemble.selection.MARGIN`.
    gold : Treebank
    systems : sequence of Treebank
    single_root : bool
        See `treevote.ensemble.vote.vote`.
    convention : {"ud", "conllx"}, default="ud"
        Convention of what is right.

    Returns
    -------
    judge : Judge
        Without a model for more than ``MAX_SYSTEMS`` systems.
    voted : Treebank
        The vote over ``systems``: weights and model of each half of the sentences are learned from the other half, see
        `treevote.ensemble.selection.cross_fitted` and `treevote.ensemble.candidate_model.Examples.crossed`.

    Raises
    ------
    InputError
        If there is no token, sentences differ, or a gold head is not known.
    ConfigError
        If there are more than ``MAX_SYSTEMS`` systems for a learned vote.

    Examples
    --------
    >>> gold = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])] * 4)
    >>> judge, voted = learn("auto", gold, [gold, gold], single_root=True)
    >>> judge.kind, judge.vote([gold, gold], single_root=True).confidence[1:3] > 0.5
    ('equal', array([ True,  True]))
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
