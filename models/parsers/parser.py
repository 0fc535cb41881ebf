"""Base classes of the parsers of all families: training on lifted trees, words as numbers, parsing, records.

A family is a trainer (`BaseTrainer`: hyper-parameters and training) and a parser (`BaseParser`: the trained model and
its search), in one file that ends with its `treevote.protocols.Family`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import numpy as np

from treevote.config import DATA, converted, to_mapping
from treevote.corpus.given import Given
from treevote.corpus.pseudo_projective import Encoding, deprojectivize, projectivize
from treevote.corpus.treebank import Treebank, require_treebank
from treevote.corpus.trees import is_single_rooted, require_labelled_trees
from treevote.kernels import Bools, Ints
from treevote.models.learning.clusters.clusters import NONE, Clusters
from treevote.models.learning.features.lexicon import Lexicon, WordColumns
from treevote.models.learning.features.word_memo import WordMemo
from treevote.parallel import ONE_JOB, Jobs
from treevote.settings import Seed, Settings
from treevote.store.record import Record
from treevote.store.validation import rebuild, trainer_of, truth_of

Parsed: TypeAlias = tuple[Treebank, int]
"""Sentences with trees, before lifted arcs are restored, and the number of those on which a search fell back."""

_Parser = TypeVar("_Parser", bound="BaseParser[Any]")
_Trainer = TypeVar("_Trainer", bound="BaseTrainer[Any]")


def training_data(
    treebank: Treebank, encoding: Encoding | None, clusters: Clusters
) -> tuple[Treebank, Lexicon, WordColumns, bool]:
    """Return projective trees, their lexicon, the numbers of their words, and whether every tree has exactly one root.

    Lifted arcs are encoded in labels; None keeps the trees.
    """
    trees = treebank if encoding is None else projectivize(treebank, encoding)
    lexicon = Lexicon.of(treebank, clusters)
    return trees, lexicon, lexicon.columns(trees.words), is_single_rooted(treebank)


@dataclass(frozen=True, kw_only=True)
class BaseTrainer(Settings, Generic[_Parser]):
    """Hyper-parameters of a parser: a subclass adds its fields and defines ``_train``."""

    encoding: Encoding = "path"  # of non-projective trees in labels (Nivre & Nilsson 2005)
    clusters: Clusters = field(default=NONE, repr=False, metadata=DATA)

    def train(
        self, treebank: Treebank, dev: Treebank | None = None, *, seed: int = 0, jobs: int | Jobs = ONE_JOB
    ) -> _Parser:
        """Learn from trees; the same treebanks and seed give the same bytes, whatever the jobs.

        Parameters
        ----------
        treebank : Treebank
            Every sentence has a tree.
        dev : Treebank, optional
            Sentences with trees, for choices of the trainer.
        seed : int, default=0
            Seed of all random choices.
        jobs : int or Jobs, default=1
            For independent parts of the training; their progress is called as the training advances.

        Raises
        ------
        InputError
            If there is nothing to learn from, or heads are no trees.
        ConfigError
            If there is no such learner or template, the learner cannot learn to parse, or the seed is negative.
        """
        require_labelled_trees(require_treebank(treebank))
        return self._train(treebank, dev, converted(Seed, seed, "seed"), Jobs.of(jobs))

    def _train(self, treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs) -> _Parser:
        """Learn from checked trees."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class BaseParser(Generic[_Trainer]):
    """A trained parser. Safe to use from several threads.

    A subclass names its ``KIND`` and its ``_TRAINER``, adds the fields of its model, and defines ``_find_trees``,
    ``_content`` and ``_from_content``.
    """

    KIND: ClassVar[str]
    _TRAINER: ClassVar[type[BaseTrainer[Any]]]

    trainer: _Trainer
    memo: WordMemo
    single_root: bool

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with this parser's trees; trees of the input are ignored."""
        return self.parse_counted(treebank)[0]

    def parse_counted(self, treebank: Treebank, given: Given | None = None) -> tuple[Treebank, int]:
        """Parse, and count the sentences on which a bounded search fell back on a simpler one.

        The trees hold those ``given`` arcs that its search can, see `treevote.models.parsers.given_arcs`.
        """
        rows, words = self.memo.encode(require_treebank(treebank).words)
        parsed, fallbacks = self._find_trees(treebank, rows, words, given)
        return deprojectivize(parsed, self._encoding), fallbacks

    def record(self) -> Record:
        """Return the whole parser as data, for `treevote.store`."""
        own = self._content()
        facts = {"trainer": to_mapping(self.trainer), "single_root": self.single_root, **own.facts}
        return dataclasses.replace(own, facts=facts, texts={**self.memo.lexicon.texts(), **own.texts})

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Make the parser of a record; ModelError if its parts do not fit together."""
        return rebuild(record, cls.KIND, cls._checked)

    @classmethod
    def _checked(cls, record: Record) -> Self:
        trainer: Any = trainer_of(record, cls._TRAINER)
        lexicon = Lexicon.from_texts(record.texts)
        trainer = dataclasses.replace(trainer, clusters=lexicon.clusters)
        return cls._from_content(record, trainer, WordMemo(lexicon), truth_of(record, "single_root"))

    @property
    def _encoding(self) -> Encoding:
        """Encoding of lifted arcs in labels."""
        return self.trainer.encoding

    def _find_trees(self, treebank: Treebank, rows: Ints, words: WordColumns, given: Given | None) -> Parsed:
        """Find trees; ``rows`` has the row of each of ``treebank.words`` in ``words``."""
        raise NotImplementedError

    def _content(self) -> Record:
        """Return the record without the trainer and the lexicon."""
        raise NotImplementedError

    @classmethod
    def _from_content(cls, record: Record, trainer: _Trainer, memo: WordMemo, single_root: bool) -> Self:
        """Make the parser of a record and its decoded parts; raises as `treevote.store.validation.rebuild` expects."""
        raise NotImplementedError


def usual_labels(treebank: Treebank) -> tuple[Bools, Bools]:
    """Return the labels that arcs from ROOT, and other arcs, have in training, as masks, shape (n_labels,)."""
    to_root, to_token = np.zeros((2, len(treebank.labels)), np.bool_)
    to_root[treebank.deprels[treebank.heads == 0]] = True
    to_token[treebank.deprels[treebank.heads > 0]] = True
    return to_root, to_token if to_token.any() else to_root  # if not, all sentences have one word
