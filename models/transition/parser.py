"""The LR parser of Sagae & Tsujii (2007) as trainer and parser."""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from treevote.config import to_mapping
from treevote.corpus.pseudo_projective import Encoding, deprojectivize, projectivize
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted, require_labelled_trees, reverse
from treevote.errors import ConfigError, unknown
from treevote.models.features.lexicon import Lexicon
from treevote.models.features.linear_guide import LinearGuide
from treevote.models.features.rows import check_thresholds
from treevote.models.features.stack_and_queue import GRAMMAR
from treevote.models.features.templates import TemplateTable, compile_templates
from treevote.models.features.word_memo import WordMemo
from treevote.models.learners.classifier_record import check_admitted, write_classifier
from treevote.models.learners.registry import make_learner
from treevote.models.transition.arc_standard import Actions, actions_of
from treevote.models.transition.guides import ClassifierGuide, parse_in_lock_step
from treevote.models.transition.search import parse_beam, parse_best_first, parse_greedy
from treevote.models.transition.template_sets import templates_of
from treevote.models.transition.training import Task, held_out_temperature, train_guide
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Family
from treevote.store.manifest import JSON
from treevote.store.record import Record
from treevote.store.validation import column, labels_of, rebuild, trainer_of

KIND = "lr-parser"

Direction: TypeAlias = Literal["forward", "backward"]
Search: TypeAlias = Literal["greedy", "beam", "best-first"]

MAX_WIDTH = 1_000


@dataclass(frozen=True)
class TransitionTrainer:
    """Hyper-parameters of an LR parser.

    Attributes
    ----------
    direction : {"forward", "backward"}
        Whether sentences are read from the left or from the right.
    learner : str
        ``maxent``, ``inequality-maxent``, ``svm``, ``pairs-svm``, or the dotted name of a scikit-learn classifier
        that is linear or admitted by `treevote.models.learners.classifier_record`.
    options : dict
        Parameters of the learner.
    templates : str or tuple of str
        A named set of `treevote.models.transition.template_sets`, or the templates themselves.
    cutoff : int
        Features seen fewer times in training are left out.
    encoding : {"path", "head", "head+path", "none"}
        How non-projective trees are encoded in labels (Nivre & Nilsson 2005).
    search : {"greedy", "beam", "best-first"}
        Beam and best-first search need probabilities: those of the learner, or for a max-margin learner a softmax of
        its scores with a temperature fitted on held-out sentences (after Platt 1999). A learner that is not linear
        is asked in lock step, and parses greedily whatever stands here.
    width : int
        Beam size; for best-first search the number of successors of a configuration.
    margin : float
        In beam search a derivation is not followed further if its log-probability is so much below that of the best.
    prune : float
        Weights of linear models nearer to zero than this share of the largest are dropped.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])] * 5)
    >>> parser = TransitionTrainer(direction="backward").train(toy)
    >>> parser.parse(toy).sentence(0).heads.tolist()
    [-1, 2, 3, 0]
    """

    direction: Direction = "forward"
    learner: str = "maxent"
    options: dict[str, Any] = field(default_factory=dict)
    templates: str | tuple[str, ...] = "rich"
    cutoff: int = 3
    encoding: Encoding = "path"
    search: Search = "beam"
    width: int = 8
    margin: float = 3.0
    prune: float = 0.01

    def __post_init__(self) -> None:
        for kind, value, known in (("direction", self.direction, Direction), ("search", self.search, Search)):
            if value not in get_args(known):
                raise unknown(kind, value, get_args(known))
        check_thresholds(self.cutoff, self.prune)
        if not 1 <= self.width <= MAX_WIDTH:
            raise ConfigError(f"width should be in 1..{MAX_WIDTH}, found {self.width}")
        if not 0 <= self.margin < math.inf:
            raise ConfigError(f"margin should not be negative or infinite, found {self.margin}")

    def train(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int = 0,
        jobs: Jobs = ONE_JOB,
    ) -> TransitionParser:
        """Learn from trees.

        Parameters
        ----------
        treebank : Treebank
            Every sentence has a tree.
        dev
            Not used: there is nothing to choose.
        seed : int, default=0
            Seed of the learner.
        jobs : Jobs, optional
            Told as the learner advances, if it is one of treevote's own; the work does not fall into parts.

        Raises
        ------
        InputError
            If there is nothing to learn from, or heads are no trees.
        ConfigError
            If there is no such learner or template, or the learner cannot learn to parse.
        """
        new_learner = functools.partial(make_learner, self.learner, self.options, seed)
        untrained = new_learner()  # a learner that does not exist, or that no model can hold, is told at once
        check_admitted(untrained)
        has_probabilities = hasattr(untrained, "predict_proba")
        table = compile_templates(templates_of(self.templates), GRAMMAR)
        require_labelled_trees(treebank)
        single_root = is_single_rooted(treebank)
        projective = projectivize(treebank, self.encoding)
        if self.direction == "backward":
            projective = reverse(projective)
        actions = actions_of(projective, single_root)
        lexicon = Lexicon.of(treebank)
        words = lexicon.columns(projective.words)
        task = Task(new_learner, words, actions, table, self.cutoff, self.prune, jobs.progress)
        guide = train_guide(projective, task)
        if isinstance(guide, LinearGuide) and self.search != "greedy" and not has_probabilities:
            guide = guide.cooled(held_out_temperature(projective, task))
        return TransitionParser(self, WordMemo(lexicon), projective.labels, actions, table, guide)


@dataclass(frozen=True, eq=False)
class TransitionParser:
    """A trained LR parser. Safe to use from several threads.

    Attributes
    ----------
    trainer : TransitionTrainer
        What it was trained with.
    memo : WordMemo
        The lexicon, and words met lately.
    labels : tuple of str
        Labels of its actions, with the marks of the encoding.
    actions : Actions
    table : TemplateTable
    guide : LinearGuide or ClassifierGuide
    """

    trainer: TransitionTrainer
    memo: WordMemo
    labels: tuple[str, ...]
    actions: Actions
    table: TemplateTable
    guide: LinearGuide | ClassifierGuide

    @property
    def single_root(self) -> bool:
        """Whether every tree has exactly one root."""
        return self.actions.single_root

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with this parser's trees."""
        return self.parse_counted(treebank)[0]

    def parse_counted(self, treebank: Treebank) -> tuple[Treebank, int]:
        """Parse, and count the sentences on which best-first search fell back to greedy completion."""
        backward = self.trainer.direction == "backward"
        read = reverse(treebank) if backward else treebank
        heads, deprels = np.empty(len(read.tokens), np.int32), np.empty(len(read.tokens), np.int32)
        rows, words = self.memo.encode(read.words)
        tokens = rows[read.tokens]
        fallbacks = 0
        if isinstance(self.guide, ClassifierGuide):
            parse_in_lock_step(self.actions, self.table, self.guide, words, tokens, read.offsets, heads, deprels)
        else:
            task = self.actions, self.table, self.guide.weights, words, tokens, read.offsets, heads, deprels
            if self.trainer.search == "greedy" or self.trainer.width == 1:
                parse_greedy(*task)
            elif self.trainer.search == "beam":
                parse_beam(*task, self.trainer.width, float(self.trainer.margin))
            else:
                fallbacks = parse_best_first(*task, self.trainer.width)
        parsed = read.with_trees(heads, deprels, self.labels)
        restored = deprojectivize(reverse(parsed) if backward else parsed, self.trainer.encoding)
        return treebank.with_trees(restored.heads, restored.deprels, restored.labels), fallbacks

    def with_search(self, search: Search, width: int) -> TransitionParser:
        """Return the same parser with another search.

        A max-margin parser has a temperature only if it was trained for beam or best-first search; without one these
        know nothing of probabilities and do harm.
        """
        return dataclasses.replace(self, trainer=dataclasses.replace(self.trainer, search=search, width=width))

    def record(self) -> Record:
        """Return the whole parser as data."""
        facts: dict[str, JSON] = {"trainer": to_mapping(self.trainer), "single_root": self.single_root}
        arrays = {
            "action_kind": self.actions.kind,
            "action_label": self.actions.label,
            "to_root": self.actions.to_root,
            "to_token": self.actions.to_token,
        }
        texts = self.memo.lexicon.texts() | {"labels": self.labels, "templates": templates_of(self.trainer.templates)}
        if isinstance(self.guide, LinearGuide):
            return Record(KIND, facts | self.guide.facts(), arrays | self.guide.arrays(), texts)
        parts = {"classifier": write_classifier(self.guide.classifier)}
        return Record(KIND, facts, arrays | {"keys": self.guide.keys}, texts, parts=parts)

    @classmethod
    def from_record(cls, record: Record) -> TransitionParser:
        """Make the parser of a record.

        Raises
        ------
        ModelError
            If the parts of the record do not fit together.
        """
        return rebuild(record, KIND, cls._checked)

    @classmethod
    def _checked(cls, record: Record) -> TransitionParser:
        trainer = trainer_of(record, TransitionTrainer)
        labels = labels_of(record)
        kind, label = column(record, "action_kind", np.int32), column(record, "action_label", np.int32)
        n_actions = len(kind)
        to_root, to_token = column(record, "to_root", np.bool_), column(record, "to_token", np.bool_)
        if not (
            n_actions > 1
            and len(label) == len(to_root) == len(to_token) == n_actions
            and kind[0] == 0
            and ((kind[1:] == 1) | (kind[1:] == 2)).all()
            and (label[1:] >= 0).all()
            and (label < len(labels)).all()
            and (to_root[1:] & (kind[1:] == 1)).any()
            and to_token[1:].any()
        ):
            raise ValueError("its actions")
        guide: LinearGuide | ClassifierGuide
        if "classifier" in record.parts:
            guide = ClassifierGuide.from_record(
                record.parts["classifier"], column(record, "keys", np.uint64), n_actions
            )
        else:
            guide = LinearGuide.from_record(record, n_actions)
        memo = WordMemo(Lexicon.from_texts(record.texts))
        actions = Actions(kind, label, to_root, to_token, bool(record.facts["single_root"]))
        table = compile_templates(record.texts["templates"], GRAMMAR)
        return cls(trainer, memo, labels, actions, table, guide)


FAMILY = Family(
    KIND,
    TransitionTrainer,
    TransitionParser,
    {
        "lr-maxent-forward": TransitionTrainer(direction="forward", learner="maxent"),
        "lr-maxent-backward": TransitionTrainer(direction="backward", learner="maxent"),
        "lr-svm-forward": TransitionTrainer(direction="forward", learner="svm", search="greedy"),
        "lr-svm-backward": TransitionTrainer(direction="backward", learner="svm", search="greedy"),
    },
)
