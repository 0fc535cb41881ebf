"""What a learner, a parser and a trainer are: the seams along which treevote can be extended."""

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
    """Anything that gives sentences trees; immutable.

    A parser with a bounded search may also have ``parse_counted``, which returns the trees and the number of sentences
    on which it fell back on a simpler search.
    """

    @property
    def single_root(self) -> bool:
        """Whether every tree has exactly one root."""
        ...

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with the parser's trees; trees of the input are never looked at."""
        ...

    def record(self) -> Record:
        """Return the whole parser as data, for `treevote.store`."""
        ...


class Trainer(Protocol):
    """Hyper-parameters of a parser: a frozen dataclass."""

    def train(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int = 0,
        jobs: Jobs = ONE_JOB,
    ) -> Parser:
        """Learn from trees; the same treebanks and seed give the same bytes, whatever the jobs.

        Parameters
        ----------
        treebank : Treebank
            Every sentence has a tree.
        dev : Treebank, optional
            Sentences with trees that are not trained on, for a trainer that has choices to make.
        seed : int, default=0
            Of everything that is random.
        jobs : Jobs, optional
            For a trainer whose work falls into parts; told as the training advances.
        """
        ...


class Family(NamedTuple):
    """A family of parsers, such as all transition-based ones: what `treevote.ensemble.members` registers.

    Attributes
    ----------
    kind : str
        Its name in records and configurations.
    trainer : type
        A frozen dataclass of hyper-parameters, a `Trainer`, whose fields are plain TOML values.
    parser : type
        A frozen dataclass, a `Parser`, with the ``trainer`` that it was trained by and a class method ``from_record``,
        which makes it of what ``record`` returned. It raises `treevote.errors.ModelError` for a record that does not
        fit together: a record may come from anybody.
    members : mapping of str to Trainer
        Members of the family by name.
    """

    kind: str
    trainer: Any
    parser: Any
    members: Mapping[str, Trainer]
