"""The pipeline parser of Chang, Do & Roth (2006) as trainer and parser: heads first, then labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from treevote.config import to_mapping
from treevote.corpus.pseudo_projective import Encoding, deprojectivize, projectivize
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted, require_labelled_trees
from treevote.errors import ConfigError, unknown
from treevote.models.features.lexicon import Lexicon
from treevote.models.features.linear_guide import LinearGuide, is_linear
from treevote.models.features.rows import check_frequent, check_thresholds, fit
from treevote.models.features.templates import TemplateTable, compile_templates
from treevote.models.features.word_memo import WordMemo
from treevote.models.labelling.labeller import Labeller, train_labeller
from treevote.models.learners.registry import make_learner
from treevote.models.pipeline.configuration import POLICIES, Policy
from treevote.models.pipeline.look_ahead import MAX_DEPTH, Model, parse
from treevote.models.pipeline.rows import rows_of
from treevote.models.pipeline.template_sets import GRAMMAR, templates_of
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Family
from treevote.store.manifest import JSON
from treevote.store.record import Record
from treevote.store.validation import rebuild, trainer_of

KIND = "pipeline-parser"

MAX_ROUNDS = 1_000

Confidence: TypeAlias = Literal["probability", "log-probability"]


@dataclass(frozen=True)
class PipelineTrainer:
    """Hyper-parameters of a pipeline parser.

    Attributes
    ----------
    policy : {"step-back", "stay", "start-over"}
        Where the focus point goes after an arc, see `treevote.models.pipeline.configuration`. Start Over takes a time
        that grows with the square of the length of a sentence.
    wait_left, wait_right : bool
        Whether there are these actions. With Step Back and projective trees WaitRight is never right (Lemma 4).
    depth : int
        Actions that are looked ahead, 1..4; 1 takes the best action as it comes.
    confidence : {"probability", "log-probability"}
        What the look ahead sums: the paper's softmax, or its logarithm, so that the product counts.
    rounds : int
        The most rounds over a sentence.
    learner : str
        ``perceptron``, the paper's, or any that is linear: ``maxent``, ``svm``, the dotted name of a scikit-learn
        classifier. A learner should have probabilities for a look ahead.
    options : dict
        Parameters of the learner.
    templates : str or tuple of str
        A named set of `treevote.models.pipeline.template_sets`, or the templates themselves.
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
    depth: int = 4
    confidence: Confidence = "log-probability"
    rounds: int = 10
    learner: str = "perceptron"
    options: dict[str, Any] = field(default_factory=dict)
    templates: str | tuple[str, ...] = "rich"
    cutoff: int = 3
    encoding: Encoding = "path"
    prune: float = 0.01

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise unknown("policy", self.policy, POLICIES)
        if self.confidence not in get_args(Confidence):
            raise unknown("confidence", self.confidence, get_args(Confidence))
        for name, number, most in (("depth", self.depth, MAX_DEPTH), ("rounds", self.rounds, MAX_ROUNDS)):
            if not 1 <= number <= most:
                raise ConfigError(f"{name} should be in 1..{most}, found {number}")
        check_thresholds(self.cutoff, self.prune)

    @property
    def n_actions(self) -> int:
        """Number of actions: the classes of the learner."""
        return 5 if self.wait_right else 4 if self.wait_left else 3

    def train(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int = 0,
        jobs: Jobs = ONE_JOB,
    ) -> PipelineParser:
        """Learn from trees.

        Parameters
        ----------
        treebank : Treebank
            Every sentence has a tree.
        dev
            Not used: there is nothing to choose.
        seed : int, default=0
            Seed of the learners.
        jobs : Jobs, optional
            Told as the learners advance; the work does not fall into parts.

        Raises
        ------
        InputError
            If there is nothing to learn from, or heads are no trees.
        ConfigError
            If there is no such learner or template, or the learner cannot learn to parse.
        """
        learner: Any = make_learner(self.learner, self.options, seed)
        table = compile_templates(templates_of(self.templates), GRAMMAR)
        require_labelled_trees(treebank)
        projective = projectivize(treebank, self.encoding)
        lexicon = Lexicon.of(treebank)
        words = lexicon.columns(projective.words)
        waits = np.array([self.wait_left, self.wait_right])
        rows = rows_of(projective, words, table, POLICIES.index(self.policy), waits, self.cutoff)
        if len(np.unique(rows.classes)) < 2:
            guide = LinearGuide.constant(rows.classes[:1], self.n_actions)
        else:
            check_frequent(rows, self.cutoff, treebank.name)
            fit(learner, rows, jobs.progress, "heads")
            if not is_linear(learner):
                raise ConfigError(f"a pipeline parser needs a linear learner, {self.learner} is not; choose another")
            guide = LinearGuide.trained(learner, rows.keys, self.n_actions, self.prune)
        labeller = train_labeller(projective, words, seed=seed, progress=jobs.progress)
        return PipelineParser(self, WordMemo(lexicon), is_single_rooted(treebank), table, guide, labeller)


@dataclass(frozen=True, eq=False)
class PipelineParser:
    """A trained pipeline parser. Safe to use from several threads.

    Attributes
    ----------
    trainer : PipelineTrainer
        What it was trained with.
    memo : WordMemo
        The lexicon, and words met lately.
    single_root : bool
        Whether every tree has exactly one root.
    table : TemplateTable
    guide : LinearGuide
        The weights of the actions.
    labeller : Labeller
        The second stage.
    """

    trainer: PipelineTrainer
    memo: WordMemo
    single_root: bool
    table: TemplateTable
    guide: LinearGuide
    labeller: Labeller

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with this parser's trees."""
        return self.parse_counted(treebank)[0]

    def parse_counted(self, treebank: Treebank) -> tuple[Treebank, int]:
        """Parse, and count the sentences that should have one root and were left in parts after the last round.

        Their parts are joined by the arcs that are most probable.
        """
        own = self.trainer
        rows, words = self.memo.encode(treebank.words)
        tokens = rows[treebank.tokens]
        certain = 1.0 if own.confidence == "probability" else 0.0
        policy = POLICIES.index(own.policy)
        model = Model(self.guide.weights, self.table, words, policy, own.rounds, own.depth, certain)
        heads = np.empty(len(tokens), np.int32)
        unfinished = parse(model, tokens, treebank.offsets, self.single_root, heads)
        deprels = self.labeller.label(words, tokens, treebank.offsets, heads)
        restored = deprojectivize(treebank.with_trees(heads, deprels, self.labeller.labels), own.encoding)
        return restored, unfinished

    def record(self) -> Record:
        """Return the whole parser as data."""
        facts: dict[str, JSON] = {"trainer": to_mapping(self.trainer), "single_root": self.single_root}
        texts = self.memo.lexicon.texts() | {"templates": templates_of(self.trainer.templates)}
        return Record(
            KIND, facts | self.guide.facts(), self.guide.arrays(), texts, parts={"labeller": self.labeller.record()}
        )

    @classmethod
    def from_record(cls, record: Record) -> PipelineParser:
        """Make the parser of a record.

        Raises
        ------
        ModelError
            If the parts of the record do not fit together.
        """
        return rebuild(record, KIND, cls._checked)

    @classmethod
    def _checked(cls, record: Record) -> PipelineParser:
        trainer = trainer_of(record, PipelineTrainer)
        guide = LinearGuide.from_record(record, trainer.n_actions)
        memo = WordMemo(Lexicon.from_texts(record.texts))
        table = compile_templates(record.texts["templates"], GRAMMAR)
        labeller = Labeller.from_record(record.parts["labeller"])
        return cls(trainer, memo, bool(record.facts["single_root"]), table, guide, labeller)


FAMILY = Family(
    KIND,
    PipelineTrainer,
    PipelineParser,
    {
        "pipeline": PipelineTrainer(),
    },
)
