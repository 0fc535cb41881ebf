"""The LR parser of Sagae & Tsujii (2007) as trainer and parser."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import reverse
from treevote.errors import ConfigError
from treevote.kernels import Ints
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.partial_scores import Parts, divide, empty_cache
from treevote.models.learning.features.rich_templates import JOINT, OTHERS, PARTS
from treevote.models.learning.features.rows import Trees
from treevote.models.learning.features.stack_and_queue import GRAMMAR
from treevote.models.learning.features.templates import TemplateTable, compile_templates
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.parsers.given_arcs import GivenArcs
from treevote.models.parsers.parser import BaseParser, BaseTrainer, Parsed, training_data
from treevote.models.parsers.transition.arc_standard import Actions, actions_of
from treevote.models.parsers.transition.features import Model
from treevote.models.parsers.transition.pair_guide import PairGuide, parse_with_pairs
from treevote.models.parsers.transition.search import parse_beam, parse_best_first, parse_greedily
from treevote.models.parsers.transition.template_sets import templates_of
from treevote.parallel import Jobs
from treevote.protocols import Family
from treevote.settings import Count, Interval, Share
from treevote.store.record import Record
from treevote.store.validation import column, labels_of

Direction: TypeAlias = Literal["forward", "backward"]
Search: TypeAlias = Literal["greedy", "beam", "best-first"]


@dataclass(frozen=True)
class TransitionTrainer(BaseTrainer["TransitionParser"]):
    """Hyper-parameters of an LR parser.

    Attributes
    ----------
    direction : {"forward", "backward"}
        Whether sentences are read from the left or from the right.
    learner : str
        ``maxent``, ``inequality-maxent``, ``svm``, ``pairs-svm``, ``perceptron``, or the dotted name of a linear
        classifier of scikit-learn.
    options : dict
        Parameters of the learner.
    templates : str or tuple of str
        A named set of `treevote.models.parsers.transition.template_sets`, or templates and names of such sets.
    cutoff : int
        Features seen fewer times in training are left out.
    encoding : {"path", "head", "head+path", "none"}
        How non-projective trees are encoded in labels (Nivre & Nilsson 2005).
    search : {"greedy", "beam", "best-first"}
        Beam and best-first search need probabilities: the softmax of the learner's scores. For a max-margin learner,
        or one against the rest, it has a temperature fitted on held-out sentences (after Platt 1999). With
        ``pairs-svm`` the search is always greedy.
    width : int
        Beam size; for best-first search the number of successors of a configuration. Of the derivations with the same
        words on the stack and in the queue, each with the same outermost dependents, a beam keeps the best.
    margin : float
        Beam search drops derivations whose log-probability is lower than that of the best by more than this.
    structured_epochs : int
        Passes of structured training over the sentences, after that of the learner; 0 for none. It is for all learners
        but ``pairs-svm``, and makes their scores logarithms of probabilities. Its beam is at least as wide as
        `treevote.models.parsers.transition.structured_training.WIDTH` unless ``width`` is 1 or the search greedy.
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
    cutoff: Count = 3
    search: Search = "beam"
    width: Annotated[int, Interval(1, 1_000)] = 6
    margin: Annotated[float, Interval(0, closed="left")] = 2.0
    structured_epochs: Annotated[int, Interval(0, 1_000)] = 0
    prune: Share = 0.01

    def _train(self, treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs) -> TransitionParser:
        # What parsing needs is loaded at once, and no more.
        from treevote.models.learning.learners.pairs import PairsSVM
        from treevote.models.learning.learners.registry import has_softmax, make_learner
        from treevote.models.parsers.transition.calibration import held_out_temperature
        from treevote.models.parsers.transition.structured_training import WIDTH, Passes
        from treevote.models.parsers.transition.training import Task, train_guide

        new_learner = functools.partial(make_learner, self.learner, self.options, seed)
        untrained = new_learner()  # raises at once for an unknown learner
        if self.structured_epochs and isinstance(untrained, PairsSVM):
            raise ConfigError(f"structured training needs a linear learner, {self.learner} is not; choose another")
        templates = templates_of(self.templates)
        table = compile_templates(templates, GRAMMAR)
        trees, lexicon, words, single_root = training_data(treebank, self.encoding, self.clusters)
        if self.direction == "backward":
            trees = reverse(trees)
        actions = actions_of(trees, single_root)
        passes = None
        if self.structured_epochs:
            greedy = self.search == "greedy" or self.width == 1
            passes = Passes(self.structured_epochs, 1 if greedy else max(self.width, WIDTH), seed)
        task = Task(new_learner, words, actions, table, self.cutoff, self.prune, jobs.progress, passes)
        guide = train_guide(trees, task)
        probabilities = has_softmax(self.learner, untrained) or passes is not None
        if isinstance(guide, LinearGuide) and self.search != "greedy" and not probabilities:
            guide = guide.cooled(held_out_temperature(trees, task))
        return TransitionParser(self, WordMemo(lexicon), single_root, trees.labels, actions, templates, table, guide)


@dataclass(frozen=True, eq=False)
class TransitionParser(BaseParser[TransitionTrainer]):
    """A trained LR parser. Safe to use from several threads.

    Attributes
    ----------
    trainer : TransitionTrainer
        Hyper-parameters of the parser.
    memo : WordMemo
        The lexicon, with a cache of words.
    single_root : bool
        Whether every tree has exactly one root.
    labels : tuple of str
        Labels of its actions, with the marks of the encoding.
    actions : Actions
    templates : tuple of str
        Templates of its weights; a named set may have changed since the training.
    table : TemplateTable
        The same, compiled.
    guide : LinearGuide or PairGuide
    """

    KIND: ClassVar = "lr-parser"
    _TRAINER: ClassVar = TransitionTrainer

    labels: tuple[str, ...]
    actions: Actions
    templates: tuple[str, ...]
    table: TemplateTable
    guide: LinearGuide | PairGuide

    @functools.cached_property
    def parts(self) -> Parts:
        """The templates, divided into parts."""
        return divide(self.table, PARTS) if self.trainer.search == "greedy" else divide(self.table, OTHERS, JOINT)

    def _find_trees(self, treebank: Treebank, rows: Ints, words: WordColumns, given: Given | None) -> Parsed:
        """Find trees; best-first search falls back on greedy completion."""
        backward, own = self.trainer.direction == "backward", self.trainer
        read = reverse(treebank) if backward else treebank
        given = given.mirrored(treebank) if given and backward else given
        arcs = GivenArcs.of(given, read.offsets, self.labels, self._encoding)
        heads, deprels = np.empty(len(read.tokens), np.int32), np.empty(len(read.tokens), np.int32)
        trees, fallbacks = Trees(rows[read.tokens], heads, deprels, read.offsets), 0
        if isinstance(self.guide, PairGuide):
            parse_with_pairs(self.actions, self.table, self.guide.weights, words, arcs, trees)
        else:
            model = Model(self.actions, self.parts, self.guide.weights, words)
            cache = empty_cache(self.parts, len(self.actions.kind))
            if own.search == "best-first" and own.width > 1:
                fallbacks = parse_best_first(model, cache, arcs, trees, own.width)
            elif own.search == "beam" and own.width > 1:
                parse_beam(model, cache, arcs, trees, own.width, float(own.margin))
            else:
                parse_greedily(model, cache, arcs, trees)
        if backward:
            mirrored = reverse(read.with_trees(heads, deprels, self.labels))
            heads, deprels = mirrored.heads, mirrored.deprels
        return treebank.with_trees(heads, deprels, self.labels), fallbacks

    def with_search(self, search: Search, width: int) -> TransitionParser:
        """Return the same parser with another search.

        A max-margin parser has a temperature only if it was trained for beam or best-first search. Without a
        temperature its scores do not give probabilities, and these searches lower its accuracy.
        """
        return dataclasses.replace(self, trainer=dataclasses.replace(self.trainer, search=search, width=width))

    def _content(self) -> Record:
        kind, label, to_root, to_token, _ = self.actions
        arrays = {"action_kind": kind, "action_label": label, "to_root": to_root, "to_token": to_token}
        texts = {"labels": self.labels, "templates": self.templates}
        return Record(self.KIND, self.guide.facts(), arrays | self.guide.arrays(), texts)

    @classmethod
    def _from_content(cls, record: Record, trainer: TransitionTrainer, memo: WordMemo, single_root: bool) -> Self:
        labels = labels_of(record)
        kind, label = column(record, "action_kind", np.int32), column(record, "action_label", np.int32)
        to_root, to_token = column(record, "to_root", np.bool_), column(record, "to_token", np.bool_)
        if not (
            len(kind) == len(label) == len(to_root) == len(to_token) > 1
            and kind[0] == 0
            and np.isin(kind[1:], (1, 2)).all()
            and (label[1:] >= 0).all()
            and (label < len(labels)).all()
            and (to_root[1:] & (kind[1:] == 1)).any()
            and to_token[1:].any()
        ):
            raise ValueError("its actions")
        guide_class = PairGuide if "pair_weights" in record.arrays else LinearGuide
        guide, templates = guide_class.from_record(record, len(kind)), tuple(record.texts["templates"])
        actions, table = Actions(kind, label, to_root, to_token, single_root), compile_templates(templates, GRAMMAR)
        return cls(trainer, memo, single_root, labels, actions, templates, table, guide)


MEMBERS = {
    "lr-maxent-forward": TransitionTrainer(direction="forward", learner="maxent"),
    "lr-maxent-backward": TransitionTrainer(direction="backward", learner="maxent"),
    "lr-structured-forward": TransitionTrainer(direction="forward", options={"epochs": 4}, structured_epochs=8),
    "lr-structured-backward": TransitionTrainer(direction="backward", options={"epochs": 4}, structured_epochs=8),
    "lr-svm-forward": TransitionTrainer(direction="forward", learner="svm", search="greedy"),
    "lr-svm-backward": TransitionTrainer(direction="backward", learner="svm", search="greedy"),
}
FAMILY = Family(TransitionParser.KIND, TransitionTrainer, TransitionParser, MEMBERS)
