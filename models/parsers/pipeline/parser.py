"""The pipeline parser of Chang, Do & Roth (2006) as trainer and parser: heads first, then labels."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.kernels import Ints
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.linear_guide import LinearGuide, coefficients_of
from treevote.models.learning.features.partial_scores import Parts, divide
from treevote.models.learning.features.rows import check_frequent, fit
from treevote.models.learning.features.templates import TemplateTable, compile_templates
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.parsers.given_arcs import GivenArcs
from treevote.models.parsers.labelling.labeller import Labeller, train_labeller
from treevote.models.parsers.parser import BaseParser, BaseTrainer, Parsed, training_data
from treevote.models.parsers.pipeline.configuration import POLICIES, Policy
from treevote.models.parsers.pipeline.look_ahead import Model, parse, workspace_for
from treevote.models.parsers.pipeline.oracle import rows_of
from treevote.models.parsers.pipeline.template_sets import GRAMMAR, PARTS, templates_of
from treevote.parallel import Jobs
from treevote.protocols import Family
from treevote.settings import Count, Interval, Share
from treevote.store.record import Record


@dataclass(frozen=True)
class PipelineTrainer(BaseTrainer["PipelineParser"]):
    """Hyper-parameters of a pipeline parser.

    Attributes
    ----------
    policy : {"step-back", "stay", "start-over"}
        Move of the focus point after an arc, see `pipeline.configuration`. The time of Start Over is
        quadratic in the length of a sentence.
    wait_left, wait_right : bool
        Whether these actions exist. With Step Back and projective trees WaitRight is never right (Lemma 4).
    depth : int
        Number of actions in a sequence of the look ahead, 1..4; 1 takes the best next action.
    confidence : {"probability", "log-probability"}
        Summands of the look ahead: probabilities (the paper's softmax), or their logarithms, which gives the product.
    rounds : int
        Maximum number of rounds over a sentence.
    learner : str
        ``perceptron``, the paper's, or another linear learner: ``maxent``, ``svm``, the dotted name of a scikit-learn
        classifier. A learner should have probabilities for a look ahead.
    options : dict
        Parameters of the learner.
    templates : str or tuple of str
        A named set of `treevote.models.parsers.pipeline.template_sets`, or templates and names of such sets.
    cutoff : int
        Features seen fewer times in training are left out.
    encoding : {"path", "head", "head+path", "none"}
        How non-projective trees are encoded in labels (Nivre & Nilsson 2005).
    prune : float
        Weights nearer to zero than this share of the largest are dropped.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])] * 5)
    >>> parse = PipelineTrainer().train(toy).parse(toy).sentence(0)
    >>> parse.heads.tolist(), parse.deprels[1:]
    ([-1, 2, 3, 0], ('det', 'nsubj', 'root'))
    """

    policy: Policy = "step-back"
    wait_left: bool = True
    wait_right: bool = False
    depth: Annotated[int, Interval(1, 4)] = 4
    confidence: Literal["probability", "log-probability"] = "log-probability"
    rounds: Annotated[int, Interval(1, 1_000)] = 10
    learner: str = "perceptron"
    options: dict[str, Any] = field(default_factory=dict)
    templates: str | tuple[str, ...] = "rich"
    cutoff: Count = 3
    prune: Share = 0.01

    @property
    def n_actions(self) -> int:
        """Number of actions: the classes of the learner."""
        return 5 if self.wait_right else 4 if self.wait_left else 3

    def _train(self, treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs) -> PipelineParser:
        from treevote.models.learning.learners.pairs import PairsSVM  # what parsing needs is loaded at once
        from treevote.models.learning.learners.registry import make_learner

        learner: Any = make_learner(self.learner, self.options, seed)
        if isinstance(learner, PairsSVM):
            raise ConfigError(f"a pipeline parser needs a linear learner, {self.learner} is not; choose another")
        templates = templates_of(self.templates)
        table = compile_templates(templates, GRAMMAR)
        trees, lexicon, words, single_root = training_data(treebank, self.encoding, self.clusters)
        waits = np.array([self.wait_left, self.wait_right])
        rows = rows_of(trees, words, table, POLICIES.index(self.policy), waits, self.cutoff)
        if len(np.unique(rows.classes)) < 2:
            guide = LinearGuide.constant(rows.classes[:1], self.n_actions)
        else:
            check_frequent(rows, self.cutoff, treebank.name)
            fit(learner, rows, jobs.progress, "heads")
            guide = LinearGuide.packing(coefficients_of(learner, self.n_actions), rows.keys, self.prune)
        labeller = train_labeller(trees, words, seed=seed, progress=jobs.progress)
        return PipelineParser(self, WordMemo(lexicon), single_root, templates, table, guide, labeller)


@dataclass(frozen=True, eq=False)
class PipelineParser(BaseParser[PipelineTrainer]):
    """A trained pipeline parser. Safe to use from several threads.

    ``templates`` are those of its weights; a named set may have changed since the training.
    """

    KIND: ClassVar = "pipeline-parser"
    _TRAINER: ClassVar = PipelineTrainer

    templates: tuple[str, ...]
    table: TemplateTable
    guide: LinearGuide
    labeller: Labeller

    @functools.cached_property
    def parts(self) -> Parts:
        """The templates, divided into parts."""
        return divide(self.table, PARTS)

    def _find_trees(self, treebank: Treebank, rows: Ints, words: WordColumns, given: Given | None) -> Parsed:
        """Find trees; if there must be one root, sentences that are in parts after the last round are joined."""
        own, tokens = self.trainer, rows[treebank.tokens]
        certain = 1.0 if own.confidence == "probability" else 0.0
        policy = POLICIES.index(own.policy)
        model = Model(self.guide.weights, self.parts, words, policy, own.rounds, own.depth, certain)
        heads = np.empty(len(tokens), np.int32)
        arcs = GivenArcs.of(given, treebank.offsets, self.labeller.labels, self._encoding)
        unfinished = parse(model, workspace_for(model), tokens, treebank.offsets, self.single_root, arcs, heads)
        deprels = self.labeller.label(words, tokens, treebank.offsets, heads, arcs)
        return treebank.with_trees(heads, deprels, self.labeller.labels), unfinished

    def _content(self) -> Record:
        texts = {"templates": self.templates}
        parts = {"labeller": self.labeller.record()}
        return Record(self.KIND, self.guide.facts(), self.guide.arrays(), texts, parts=parts)

    @classmethod
    def _from_content(cls, record: Record, trainer: PipelineTrainer, memo: WordMemo, single_root: bool) -> Self:
        guide = LinearGuide.from_record(record, trainer.n_actions)
        templates, labeller = tuple(record.texts["templates"]), Labeller.from_record(record.parts["labeller"])
        return cls(trainer, memo, single_root, templates, compile_templates(templates, GRAMMAR), guide, labeller)


FAMILY = Family(PipelineParser.KIND, PipelineTrainer, PipelineParser, {"pipeline": PipelineTrainer()})
