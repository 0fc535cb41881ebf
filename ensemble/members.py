"""The members of the ensemble: which kinds of parser there are, and the trainers that have a name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from treevote.errors import ModelError, unknown
from treevote.models.decision_list import parser as rules
from treevote.models.decision_list.parser import DecisionListTrainer
from treevote.models.features.word_memo import WordMemo
from treevote.models.graph import parser as graph
from treevote.models.graph.parser import GraphTrainer
from treevote.models.pipeline import parser as pipeline
from treevote.models.pipeline.parser import PipelineTrainer
from treevote.models.transition import parser as lr
from treevote.models.transition.parser import TransitionTrainer
from treevote.protocols import Parser, Trainer
from treevote.store import Record


class Member(Parser, Protocol):
    """A parser that an ensemble can hold: a frozen dataclass."""

    @property
    def trainer(self) -> Any:
        """What it was trained with."""
        ...

    @property
    def memo(self) -> WordMemo:
        """The words that it met; members with the same lexicon may share them."""
        ...


class Kind(NamedTuple):
    """A kind of parser: the dataclass of its hyper-parameters, and the parser that comes of them."""

    trainer: Any
    parser: Any


KINDS = {
    lr.KIND: Kind(lr.TransitionTrainer, lr.TransitionParser),
    pipeline.KIND: Kind(pipeline.PipelineTrainer, pipeline.PipelineParser),
    graph.KIND: Kind(graph.GraphTrainer, graph.GraphParser),
    rules.KIND: Kind(rules.DecisionListTrainer, rules.DecisionListParser),
}
"""Kinds of parser by the name that records and configurations have for them."""

MEMBERS: dict[str, Trainer] = {
    "lr-maxent-forward": TransitionTrainer(direction="forward", learner="maxent"),
    "lr-maxent-backward": TransitionTrainer(direction="backward", learner="maxent"),
    "lr-svm-forward": TransitionTrainer(direction="forward", learner="svm", search="greedy"),
    "lr-svm-backward": TransitionTrainer(direction="backward", learner="svm", search="greedy"),
    "pipeline": PipelineTrainer(),
    "graph-perceptron": GraphTrainer(learner="perceptron"),
    "graph-mira": GraphTrainer(learner="mira"),
    "graph-bpm": GraphTrainer(learner="bpm", epochs=5),
    "decision-list": DecisionListTrainer(),
}
"""Name to trainer."""

DEFAULT_MEMBERS = ("lr-maxent-forward", "lr-maxent-backward", "lr-svm-forward")
"""Directions and kinds of learner as in the ensemble of Sagae & Tsujii (2007), section 3."""


def members_of(names: Iterable[str]) -> dict[str, Trainer]:
    """Return the trainers of the named members.

    Raises
    ------
    ConfigError
        If there is no member of a name; the nearest is named.

    Examples
    --------
    >>> list(members_of(["lr-svm-backward"]))
    ['lr-svm-backward']
    """
    names = list(names)
    for name in names:
        if name not in MEMBERS:
            raise unknown("member", name, MEMBERS)
    return {name: MEMBERS[name] for name in names}


def kind_of(trainer: Trainer) -> str:
    """Return the name of the kind of parser that a trainer trains.

    Examples
    --------
    >>> kind_of(MEMBERS["lr-svm-backward"])
    'lr-parser'
    """
    return next(name for name, kind in KINDS.items() if isinstance(trainer, kind.trainer))


def member_from_record(record: Record) -> Member:
    """Make the member of a record.

    Raises
    ------
    ModelError
        If the record is not that of a member, or its parts do not fit together.
    """
    if record.kind not in KINDS:
        raise ModelError(f"expected a member of kind {', '.join(KINDS)}, found '{record.kind}'; train the model again")
    member: Member = KINDS[record.kind].parser.from_record(record)
    return member
