"""The graph-based parser (McDonald et al. 2005; Corston-Oliver et al. 2006) as trainer and parser.

The heads are those of the tree whose parts have the highest sum of scores. Labels are predicted in a second stage
(`treevote.models.labelling`).
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from treevote.config import to_mapping
from treevote.corpus.pseudo_projective import Encoding, deprojectivize, projectivize
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted, non_projective, require_labelled_trees
from treevote.errors import ConfigError, unknown
from treevote.evaluation.counts import evaluate
from treevote.models.features.lexicon import ATTRIBUTES, Lexicon
from treevote.models.features.word_memo import WordMemo
from treevote.models.graph import koo_collins
from treevote.models.graph.features import MAX_BITS, MIN_BITS
from treevote.models.graph.first_order import FirstOrderModel
from treevote.models.graph.hashed_weights import HashedWeights, round_weights
from treevote.models.graph.long_sentences import LONGEST, cut, join
from treevote.models.graph.second_order import SecondOrderModel
from treevote.models.graph.template_sets import ARCS, GRANDPARENTS, PRUNER, SIBLINGS
from treevote.models.graph.templates import attributes_of
from treevote.models.graph.training import (
    Corpus,
    FirstOrderTask,
    SecondOrderTask,
    folds,
    masks_of,
    mean_weights,
    prune_fold,
    train_pruner,
)
from treevote.models.graph.update import PERCEPTRON, UpdateRule
from treevote.models.labelling.labeller import Labeller, train_labeller
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Family
from treevote.store.manifest import JSON
from treevote.store.record import Record
from treevote.store.validation import rebuild, trainer_of

KIND = "graph-parser"

GraphLearner: TypeAlias = Literal["perceptron", "mira", "bpm"]
Decoder: TypeAlias = Literal["auto", "projective", "non-projective"]

SOME_CROSSING, MANY_CROSSING = 0.02, 0.05
"""Shares of non-projective arcs from which the decoder "auto" is chosen on development data, and from which it is the
non-projective one if there are none."""


@dataclass(frozen=True)
class GraphTrainer:
    """Hyper-parameters of a graph-based parser.

    Attributes
    ----------
    learner : {"perceptron", "mira", "bpm"}
        Averaged perceptron, MIRA, or a Bayes Point Machine: the mean of averaged perceptrons.
    order : {1, 2}
        First order: scores of single arcs. Second order: also of siblings and grandparents.
    decoder : {"auto", "projective", "non-projective"}
        Projective: Eisner's algorithm, for second order with siblings and grandparents; non-projective trees are
        encoded in labels. Non-projective: Chu-Liu-Edmonds, for second order hill climbing from the best projective
        tree. "auto": projective if less than 2 % of the training arcs are non-projective; otherwise both are trained,
        and the better one on the development data is kept (the projective one in a tie). Without development data:
        projective below 5 %.
    epochs : int
        Passes over the training sentences.
    n_perceptrons : int
        Number of perceptrons of a Bayes Point Machine.
    C : float
        Maximum step size of MIRA (aggressiveness).
    attributes : tuple of str
        Attributes of words in templates; templates with others are left out. Prefixes are the back-off of
        long words: five characters (for Chinese ``prefix1`` is better).
    bits : int
        Binary logarithm of the number of weights.
    max_heads : int
        For second order: maximum number of heads of a word after pruning.
    pruning_margin : float
        For second order: heads are pruned whose log-probability is lower than that of the best head by more than this.
    encoding : {"path", "head", "head+path", "none"}
        How the projective decoder encodes non-projective trees in labels (Nivre & Nilsson 2005).
    weight_threshold : float
        Weights below this share of the largest, in absolute value, are dropped.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])] * 5)
    >>> parser = GraphTrainer(bits=16, epochs=2).train(toy)
    >>> parser.parse(toy).sentence(0).heads.tolist()
    [-1, 2, 3, 0]
    """

    learner: GraphLearner = "mira"
    order: Literal[1, 2] = 2
    decoder: Decoder = "auto"
    epochs: int = 8
    n_perceptrons: int = 6
    C: float = 0.003
    attributes: tuple[str, ...] = (
        "lower", "lemma", "upos", "xpos", "feats", "feat", "prefix5", "suffix2", "suffix3",
    )  # fmt: skip
    bits: int = 24
    max_heads: int = 16
    pruning_margin: float = 7.0
    encoding: Encoding = "path"
    weight_threshold: float = 0.003

    def __post_init__(self) -> None:
        for kind, value, known in (("learner", self.learner, GraphLearner), ("decoder", self.decoder, Decoder)):
            if value not in get_args(known):
                raise unknown(kind, value, get_args(known))
        if self.order not in (1, 2):
            raise ConfigError(f"order should be 1 or 2, found {self.order}")
        for name, number, least, most in (
            ("epochs", self.epochs, 1, 1_000),
            ("n_perceptrons", self.n_perceptrons, 1, 1_000),
            ("bits", self.bits, MIN_BITS, MAX_BITS),
            ("max_heads", self.max_heads, 1, 100),
        ):
            if not least <= number <= most:
                raise ConfigError(f"{name} should be in {least}..{most}, found {number}")
        if not 0 < self.C < math.inf:
            raise ConfigError(f"C should be positive, found {self.C}")
        if not 0 <= self.pruning_margin <= 100:
            raise ConfigError(f"pruning_margin should be in 0..100, found {self.pruning_margin}")
        if not 0 <= self.weight_threshold < 1:
            raise ConfigError(f"weight_threshold should be in [0, 1), found {self.weight_threshold}")
        for name in self.attributes:
            if name not in (*ATTRIBUTES, "feat"):
                raise unknown("attribute", name, (*ATTRIBUTES, "feat"))

    def train(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int = 0,
        jobs: Jobs = ONE_JOB,
    ) -> GraphParser:
        """Learn from trees.

        Parameters
        ----------
        treebank : Treebank
            Every sentence has a tree. Sentences too long to be parsed at once are left out.
        dev : Treebank, optional
            Sentences with trees, on which the decoder "auto" is chosen.
        seed : int, default=0
            Of the orders of the sentences.
        jobs : Jobs, optional
            For the perceptrons of a Bayes Point Machine, and for what is trained before them.

        Raises
        ------
        InputError
            If there is nothing to learn from, or heads are no trees.
        ConfigError
            If no template looks at the attributes alone.
        """
        require_labelled_trees(treebank)
        if self.decoder == "auto" and dev is not None and _crossing(treebank) >= SOME_CROSSING:
            parsers = (
                dataclasses.replace(self, decoder=decoder).train(treebank, seed=seed, jobs=jobs)
                for decoder in ("projective", "non-projective")
            )
            return max(parsers, key=lambda parser: evaluate(dev, parser.parse(dev)).las)
        untrained, task = self._prepare(treebank, seed, jobs)
        n_learners = self.n_perceptrons if self.learner == "bpm" else 1
        weights = mean_weights(task, n_learners, seed, jobs)
        return untrained.with_weights(round_weights(weights, self.weight_threshold))

    def _prepare(
        self, treebank: Treebank, seed: int, jobs: Jobs
    ) -> tuple[GraphParser, FirstOrderTask | SecondOrderTask]:
        """Return a parser without the weights of its model of the highest order, and the task to learn them."""
        require_labelled_trees(treebank)
        single_root = is_single_rooted(treebank)
        projective = self._projective(treebank)
        trees = projectivize(treebank, self.encoding) if projective else treebank
        lexicon = Lexicon.of(treebank)
        words = lexicon.columns(trees.words)
        arcs = FirstOrderModel.untrained(self._templates(ARCS, lexicon))
        longest = LONGEST if self.order == 1 else koo_collins.LONGEST
        short = np.flatnonzero(np.diff(trees.offsets) <= longest)
        corpus = Corpus(words, trees.tokens, trees.heads, trees.offsets, projective, single_root)
        corpus = corpus.select(short) if len(short) < trees.n_sentences else corpus
        rule = UpdateRule(1.0, self.C) if self.learner == "mira" else PERCEPTRON
        steps: list[Callable[..., Any]] = [functools.partial(train_labeller, trees, words, seed=seed)]
        pruner = FirstOrderModel.untrained(self._templates(PRUNER, lexicon)) if self.order == 2 else None
        if pruner is not None:
            pruning = corpus, pruner.table, self.max_heads, self.pruning_margin, seed
            steps.append(functools.partial(train_pruner, corpus, pruner.table, seed))
            steps += (functools.partial(prune_fold, *pruning, fold) for fold in folds(len(corpus.offsets) - 1))
        trained: Iterator[Any] = jobs.map(operator.call, steps, prefer="threads")
        labeller, *pruned = trained
        untrained = GraphParser(self, WordMemo(lexicon), single_root, projective, arcs, None, labeller)
        if pruner is None:
            return untrained, FirstOrderTask(corpus, arcs.table, rule, self.bits, self.epochs)
        weights, *folded = pruned
        pruner, masks = pruner._replace(weights=weights), masks_of(corpus, folded)
        siblings, grandparents = self._templates(SIBLINGS, lexicon), self._templates(GRANDPARENTS, lexicon)
        second = SecondOrderModel.untrained(arcs.templates, siblings, grandparents)
        task = SecondOrderTask(corpus, second.tables, masks, rule, self.bits, self.epochs)
        return dataclasses.replace(untrained, first_order=pruner, second_order=second), task

    def _projective(self, treebank: Treebank) -> bool:
        if self.decoder != "auto":
            return self.decoder == "projective"
        return _crossing(treebank) < MANY_CROSSING

    def _templates(self, templates: str, lexicon: Lexicon) -> tuple[str, ...]:
        """Return the templates whose attributes are all in ``attributes`` and occur in the lexicon."""
        there = {name for name, strings in zip(ATTRIBUTES, lexicon.values, strict=True) if strings}
        usable = (there | ({"feat"} if lexicon.feats else set())) & set(self.attributes)
        return tuple(line for line in templates.split() if attributes_of(line) <= usable)


def _crossing(treebank: Treebank) -> float:
    """Return the share of non-projective arcs."""
    return float(non_projective(treebank).sum() / max(1, treebank.n_tokens))


@dataclass(frozen=True, eq=False)
class GraphParser:
    """A trained graph-based parser. Safe to use from several threads.

    Attributes
    ----------
    trainer : GraphTrainer
        Its hyper-parameters.
    memo : WordMemo
        The lexicon, and recent words.
    single_root : bool
        Whether every tree has exactly one root.
    projective : bool
        Whether trees are projective before lifted arcs are restored.
    first_order : FirstOrderModel
        The model of a first-order parser, or the pruner of a second-order parser.
    second_order : SecondOrderModel, optional
        The model of a second-order parser.
    labeller : Labeller
    """

    trainer: GraphTrainer
    memo: WordMemo
    single_root: bool
    projective: bool
    first_order: FirstOrderModel
    second_order: SecondOrderModel | None
    labeller: Labeller

    def with_weights(self, weights: HashedWeights) -> GraphParser:
        """Return the same parser with other weights in its model of the highest order."""
        if self.second_order is None:
            return dataclasses.replace(self, first_order=self.first_order._replace(weights=weights))
        return dataclasses.replace(self, second_order=self.second_order._replace(weights=weights))

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with this parser's trees."""
        return self.parse_counted(treebank)[0]

    def parse_counted(self, treebank: Treebank) -> tuple[Treebank, int]:
        """Parse, and count the sentences that were too long for the search.

        Those of more than `treevote.models.graph.long_sentences.LONGEST` tokens are parsed in pieces, those of
        `treevote.models.graph.koo_collins.LONGEST` or more with the first-order model.
        """
        rows, words = self.memo.encode(treebank.words)
        pieces = cut(rows[treebank.tokens], treebank.offsets)
        heads = np.empty(len(pieces.tokens), np.int32)
        too_long = np.zeros(len(pieces.sentence), np.bool_)
        if self.second_order is None:
            self.first_order.parse(words, pieces.tokens, pieces.offsets, self.projective, self.single_root, heads)
        else:
            trainer = self.trainer
            task = words, pieces.tokens, pieces.offsets, self.projective, self.single_root, heads
            self.second_order.parse(self.first_order, trainer.max_heads, trainer.pruning_margin, *task)
            too_long = np.diff(pieces.offsets) > koo_collins.LONGEST
        fallbacks = len(np.unique(np.concatenate([pieces.sentence[too_long], pieces.cut])))
        heads = join(pieces, heads, treebank.offsets, self.single_root)
        deprels = self.labeller.label(words, rows[treebank.tokens], treebank.offsets, heads)
        parsed = treebank.with_trees(heads, deprels, self.labeller.labels)
        return deprojectivize(parsed, self.trainer.encoding if self.projective else "none"), fallbacks

    def record(self) -> Record:
        """Return the whole parser as data."""
        facts: dict[str, JSON] = {
            "trainer": to_mapping(self.trainer), "single_root": self.single_root, "projective": self.projective,
        }  # fmt: skip
        parts = {"first-order": self.first_order.record(), "labels": self.labeller.record()}
        if self.second_order is not None:
            parts["second-order"] = self.second_order.record()
        return Record(KIND, facts, texts=self.memo.lexicon.texts(), parts=parts)

    @classmethod
    def from_record(cls, record: Record) -> GraphParser:
        """Make the parser of a record.

        Raises
        ------
        ModelError
            If the parts of the record do not fit together.
        """
        return rebuild(record, KIND, cls._checked)

    @classmethod
    def _checked(cls, record: Record) -> GraphParser:
        parts, single_root, projective = record.parts, record.facts["single_root"], record.facts["projective"]
        if not isinstance(single_root, bool) or not isinstance(projective, bool):
            raise TypeError("its configuration")
        return cls(
            trainer_of(record, GraphTrainer),
            WordMemo(Lexicon.from_texts(record.texts)),
            single_root,
            projective,
            FirstOrderModel.from_record(parts["first-order"]),
            SecondOrderModel.from_record(parts["second-order"]) if "second-order" in parts else None,
            Labeller.from_record(parts["labels"]),
        )


FAMILY = Family(
    KIND,
    GraphTrainer,
    GraphParser,
    {
        "graph-perceptron": GraphTrainer(learner="perceptron"),
        "graph-mira": GraphTrainer(learner="mira"),
        "graph-bpm": GraphTrainer(learner="bpm", epochs=5),
    },
)
