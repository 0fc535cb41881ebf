"""How a model is adapted: who judges, what is kept, how often, and what is trained on it in the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from treevote.adaptation.choice import Choice
from treevote.errors import ConfigError, unknown

MAX_ROUNDS = 50


@dataclass(frozen=True)
class Scheme:
    """A way of adapting.

    Attributes
    ----------
    judges : tuple of str
        Members whose agreement is looked for, retrained in each round; empty: all members of the model.
    rounds : int
        At the most.
    least_new : float
        No further round if the sentences that were kept for the first time hold less than this percentage of the tokens
        of the text.
    choice : Choice
        What is kept in each round.
    members : tuple of str
        Members that are trained on the final set and vote; empty: those of the model.
    gold_copies : int
        How often the labelled sentences stand in the training data: their weight against those of the new domain.
    """

    judges: tuple[str, ...] = ("lr-maxent-forward", "lr-maxent-backward", "graph-mira", "graph-perceptron")
    rounds: int = 2
    least_new: float = 1.0
    choice: Choice = field(default_factory=lambda: Choice("share", 0.8))
    members: tuple[str, ...] = ()
    gold_copies: int = 1

    def __post_init__(self) -> None:
        for name in self.judges:
            if self.judges.count(name) > 1:
                raise ConfigError(f"judge {name} is named twice; a judge always agrees with itself")
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise ConfigError(f"rounds should be in 1..{MAX_ROUNDS}, found {self.rounds}")
        if not 0 <= self.least_new <= 100:
            raise ConfigError(f"least_new should be in 0..100, found {self.least_new}")
        if not 1 <= self.gold_copies <= 100:
            raise ConfigError(f"gold_copies should be in 1..100, found {self.gold_copies}")


SCHEMES = {
    "default": Scheme(),
    "paper": Scheme(("lr-maxent-forward", "lr-svm-backward"), 1, choice=Choice(), members=("lr-maxent-forward",)),
    "distil": Scheme(choice=Choice("all"), members=("lr-maxent-forward",)),
}
"""Name to scheme: what did best in trials; Sagae & Tsujii (2007), section 4.1; the judges' vote on all
sentences in one parser."""


def scheme_of(name: str) -> Scheme:
    """Return the scheme of a name.

    Raises
    ------
    ConfigError
        If there is none; the nearest is named.

    Examples
    --------
    >>> scheme_of("paper").rounds
    1
    """
    if name not in SCHEMES:
        raise unknown("scheme", name, SCHEMES)
    return SCHEMES[name]
