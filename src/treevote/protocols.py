"""Protocols of learners, parsers and trainers: the extension points of treevote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from treevote.corpus.treebank import Treebank
from treevote.parallel import ONE_JOB, Jobs
from treevote.store.record import Record


class Learner(Protocol):
    """A scikit-learn classifier: rows of features to classes."""

    classes_: Any

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from ``X``, CSR matrix of shape (n_rows, n_features), and ``y``, shape (n_rows,)."""
        ...

    def predict(self, X: Any) -> Any:
        """Return the class of each row, shape (n_rows,)."""
        ...


class Parser(Protocol):
    """A parser of sentences; immutable.

    A parser may also have ``parse_counted(treebank, given=None)``, which returns the trees and the number of sentences
    on which a bounded search fell back on a simpler one. Its trees hold those of the ``given`` arcs
    (`treevote.corpus.given`) that they can; the others are made afterwards.
    """

    @property
    def single_root(self) -> bool:
        """Whether every tree has exactly one root."""
        ...

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with the parser's trees; trees of the input are ignored."""
        ...

    def record(self) -> Record:
        """Return the whole parser as data, for `treevote.store`."""
        ...


class Trainer(Protocol):
    """Hyper-parameters of a parser: a frozen dataclass.

    If it has a true ``chooses``, its parsers choose among heads that other members of an ensemble propose: they have a
    method ``with_proposals(parses)``, which takes the parses of the sentences to parse, and returns the parser that
    looks at their heads as well.
    """

    def train(self, treebank: Treebank, dev: Treebank | None = None, *, seed: int = 0, jobs: Jobs = ONE_JOB) -> Parser:
        """Learn from trees; the same treebanks and seed give the same bytes, whatever the jobs.

        Every sentence of ``treebank`` has a tree; ``dev`` has trees outside the training data, for choices of the
        trainer. ``jobs`` are for independent parts of the training; their progress is called as the training advances.
        """
        ...


class Family(NamedTuple):
    """A family of parsers, such as all transition-based ones, for the registry `treevote.ensemble.members`.

    Attributes
    ----------
    kind : str
        Its name in records and configurations.
    trainer : type
        A frozen dataclass of hyper-parameters, a `Trainer`, whose fields are plain TOML values.
    parser : type
        A frozen dataclass, a `Parser`, with its ``trainer`` and a class method ``from_record``, the inverse of
        ``record``. It raises `treevote.errors.ModelError` for a record whose parts do not fit together: a record may
        come from an untrusted source.
    members : mapping of str to Trainer
        Members of the family by name.
    """

    kind: str
    trainer: Any
    parser: Any
    members: Mapping[str, Trainer]
