"""The graph-based parser (McDonald et al. 2005; Corston-Oliver et al. 2006) as trainer and parser.

The heads are those of the tree whose parts have the highest sum of scores. Labels are predicted in a second stage
(`treevote.models.parsers.labelling`).
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.pseudo_projective import Encoding
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError, require_known
from treevote.evaluation.counts import evaluate
from treevote.kernels import Ints
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon, WordColumns
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.parsers.decoding.best_tree import MANY_CROSSING, SOME_CROSSING, crossing
from treevote.models.parsers.decoding.long_sentences import LONGEST, cut, cut_heads, join
from treevote.models.parsers.given_arcs import GivenArcs
from treevote.models.parsers.graph import first_order
from treevote.models.parsers.graph.arc_labels import train_arc_labeller
from treevote.models.parsers.graph.features import MAX_BITS, MIN_BITS
from treevote.models.parsers.graph.first_order import FirstOrderModel
from treevote.models.parsers.graph.hashed_weights import HashedWeights, round_weights
from treevote.models.parsers.graph.pruning import Pruner
from treevote.models.parsers.graph.second_order import SecondOrderModel
from treevote.models.parsers.graph.sentences import Sentences
from treevote.models.parsers.graph.template_sets import ARCS, GRANDPARENTS, PRUNER, SIBLINGS
from treevote.models.parsers.graph.templates import SPLIT, attributes_of
from treevote.models.parsers.graph.training import (
    Examples,
    Task,
    folds,
    masks_of,
    mean_weights,
    prune_fold,
    train_epoch,
    train_pruner,
)
from treevote.models.parsers.graph.update import PERCEPTRON, UpdateRule
from treevote.models.parsers.labelling.labeller import Labeller, train_labeller
from treevote.models.parsers.parser import BaseParser, BaseTrainer, Parsed, training_data
from treevote.parallel import Jobs
from treevote.protocols import Family
from treevote.settings import Interval, Share
from treevote.store.record import Record
from treevote.store.validation import truth_of

TRAINING_SLACK = 1.0
"""Addition to the margin of the pruning in training: there, more wrong heads teach more, and time matters less."""


@dataclass(frozen=True)
class GraphTrainer(BaseTrainer["GraphParser"]):
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
        long words: five characters (for Chinese ``prefix1`` is better). ``labels``, for second order: the likely labels
        of the arcs of siblings and grandparents.
    bits : int
        Binary logarithm of the number of weights.
    max_heads : int
        For second order: maximum number of heads of a word after pruning.
    pruning_margin : float
        For second order: heads are pruned whose log-probability is lower than that of the best head by more than this;
        in training, by one more.
    proposal_margin : float
        For second order: the same in a vote, where the heads of the other members are not pruned; not in training. If
        it is not the smaller of both margins, the parser does without the trees of the others.
    encoding : {"path", "head", "head+path", "none"}
        How the projective decoder encodes non-projective trees in labels (Nivre & Nilsson 2005).
    weight_threshold : float
        Weights below this share of the largest, in absolute value, are dropped.
    """

    learner: Literal["perceptron", "mira", "bpm"] = "mira"
    order: Literal[1, 2] = 2
    decoder: Literal["auto", "projective", "non-projective"] = "auto"
    epochs: Annotated[int, Interval(1, 1_000)] = 8
    n_perceptrons: Annotated[int, Interval(1, 1_000)] = 6
    C: Annotated[float, Interval(0, closed="neither")] = 0.003
    attributes: tuple[str, ...] = (
        "lower", "lemma", "upos", "xpos", "feats", "feat", "agree", "prefix5", "suffix2", "suffix3", "labels",
    )  # fmt: skip
    bits: Annotated[int, Interval(MIN_BITS, MAX_BITS)] = 24
    max_heads: Annotated[int, Interval(1, 100)] = 16
    pruning_margin: Annotated[float, Interval(0, 100)] = 5.0
    proposal_margin: Annotated[float, Interval(0, 100)] = 2.5
    weight_threshold: Share = 0.003

    @property
    def chooses(self) -> bool:
        """Whether its parsers choose among heads that others propose."""
        return self.order == 2 and self.proposal_margin < self.pruning_margin

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.attributes:
            require_known("attribute", name, (*ATTRIBUTES, *SPLIT, "labels"))

    def _train(self, treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs) -> GraphParser:
        """Learn from trees; sentences too long to be parsed at once are left out."""
        if self.decoder == "auto" and dev is not None and crossing(treebank) >= SOME_CROSSING:
            parsers = (
                dataclasses.replace(self, decoder=decoder).train(treebank, seed=seed, jobs=jobs)
                for decoder in ("projective", "non-projective")
            )
            return max(parsers, key=lambda parser: evaluate(dev, parser.parse(dev)).las)
        untrained, task = self._prepare(treebank, seed, jobs)
        n_learners = self.n_perceptrons if self.learner == "bpm" else 1
        weights = mean_weights(task, n_learners, seed, jobs)
        return untrained.with_weights(round_weights(weights, self.weight_threshold))

    def _prepare(self, treebank: Treebank, seed: int, jobs: Jobs) -> tuple[GraphParser, Task]:
        """Return a parser without the weights of its model of the highest order, and the task to learn them."""
        projective = self.decoder == "projective" or (self.decoder == "auto" and crossing(treebank) < MANY_CROSSING)
        encoding = self.encoding if projective else None
        trees, lexicon, words, single_root = training_data(treebank, encoding, self.clusters)
        arcs = FirstOrderModel.untrained(self._templates(ARCS, lexicon))
        short = trees.select(trees.lengths <= LONGEST)
        sentences = Sentences(words, short.tokens, short.heads, short.offsets, projective, single_root)
        rule = UpdateRule(1.0, self.C) if self.learner == "mira" else PERCEPTRON
        steps: list[Callable[..., Any]] = [functools.partial(train_labeller, trees, words, seed=seed)]
        pruner = FirstOrderModel.untrained(self._templates(PRUNER, lexicon)) if self.order == 2 else None
        if pruner is not None:
            labelled = short if "labels" in self.attributes else None
            untrained = Pruner(pruner.weights, pruner.table, self.max_heads, self.pruning_margin + TRAINING_SLACK)
            prune = functools.partial(prune_fold, sentences, untrained, seed, labelled)
            steps.append(functools.partial(train_pruner, sentences, pruner.table, seed))
            steps += (functools.partial(prune, fold) for fold in folds(len(short)))
            if labelled is not None:
                steps.append(functools.partial(train_arc_labeller, trees, words, seed))
        trained: Iterator[Any] = jobs.map(operator.call, steps, prefer="threads")
        labeller, *pruned = trained
        parser = functools.partial(GraphParser, self, WordMemo(lexicon), single_root, projective)
        learn = functools.partial(first_order.train_epoch, rule, arcs.table, sentences)
        task = Task(learn, len(short), rule, self.bits, self.epochs)
        if pruner is None:
            return parser(arcs, None, labeller), task
        arc_labeller = pruned.pop() if "labels" in self.attributes else None
        weights, *folded = pruned
        siblings, grandparents = self._templates(SIBLINGS, lexicon), self._templates(GRANDPARENTS, lexicon)
        second = SecondOrderModel.untrained(arcs.templates, siblings, grandparents)
        examples = Examples(sentences, masks_of(sentences, folded), second.tables, rule)
        task = task._replace(learn=functools.partial(train_epoch, examples))
        return parser(pruner._replace(weights=weights), second, labeller, arc_labeller), task

    def _templates(self, templates: str, lexicon: Lexicon) -> tuple[str, ...]:
        """Return the templates whose attributes are all in ``attributes`` and occur in the lexicon, at least one."""
        there = [name for name, strings in zip(ATTRIBUTES, lexicon.values, strict=True) if strings]
        usable = {*there, *(SPLIT if lexicon.feats else ()), "labels"} & set(self.attributes)
        lines = tuple(line for line in templates.split() if attributes_of(line) <= usable)
        if not lines:
            found = f"expected attributes of the words, which have {', '.join(there)}, found {list(self.attributes)}"
            raise ConfigError(f"{found}: they leave no template; add some")
        return lines


@dataclass(frozen=True, eq=False)
class GraphParser(BaseParser[GraphTrainer]):
    """A trained graph-based parser. Safe to use from several threads.

    Its trees are ``projective`` before lifted arcs are restored. ``first_order`` is the model of a first-order parser,
    or the pruner of a second-order one; ``arc_labeller`` has the labels of arcs that the second-order model asks for.
    """

    KIND: ClassVar = "graph-parser"
    _TRAINER: ClassVar = GraphTrainer

    projective: bool
    first_order: FirstOrderModel
    second_order: SecondOrderModel | None
    labeller: Labeller
    arc_labeller: Labeller | None = None
    proposals: tuple[Treebank, ...] = ()

    def with_proposals(self, parses: Sequence[Treebank]) -> GraphParser:
        """Return the second-order parser for the sentences of some parses, whose heads it chooses among as well.

        So it can leave out more of the other heads (``proposal_margin``), and takes less time.
        """
        return dataclasses.replace(self, proposals=tuple(parses))

    @property
    def _encoding(self) -> Encoding:
        return self.trainer.encoding if self.projective else "none"

    def with_weights(self, weights: HashedWeights) -> GraphParser:
        """Return the same parser with other weights in its model of the highest order."""
        if self.second_order is None:
            return dataclasses.replace(self, first_order=self.first_order._replace(weights=weights))
        return dataclasses.replace(self, second_order=self.second_order._replace(weights=weights))

    def _find_trees(self, treebank: Treebank, rows: Ints, words: WordColumns, given: Given | None) -> Parsed:
        """Find trees; sentences of more than `LONGEST` tokens fall back: they are parsed in pieces."""
        tokens = rows[treebank.tokens]
        pieces = cut(tokens, treebank.offsets)
        arcs = GivenArcs.of(given, treebank.offsets, self.labeller.labels, self._encoding)
        own, model, heads = self.trainer, self.first_order, np.full(len(pieces.tokens), -1, np.int32)
        if given is not None:
            any_tree = self.second_order is None and not self.projective
            heads = cut_heads(pieces, given.heads if any_tree else arcs.heads, treebank.offsets)
        sentences = Sentences(words, pieces.tokens, heads, pieces.offsets, self.projective, self.single_root)
        if self.second_order is None:
            first_order.parse_sentences(model.weights, model.table, sentences)
        else:
            if any(not np.array_equal(parse.offsets, treebank.offsets) for parse in self.proposals):
                remedy = "propose heads for the sentences that are parsed"
                raise InputError("expected proposals for the same sentences, found others", remedy=remedy)
            proposals = [cut_heads(pieces, parse.heads, treebank.offsets) for parse in self.proposals]
            margin = min(own.pruning_margin, own.proposal_margin if proposals else np.inf)
            pruner = Pruner(model.weights, model.table, own.max_heads, margin)
            self.second_order.parse(pruner, self.arc_labeller, sentences, proposals)
        heads = join(pieces, heads, treebank.offsets, self.single_root)
        deprels = self.labeller.label(words, tokens, treebank.offsets, heads, arcs)
        return treebank.with_trees(heads, deprels, self.labeller.labels), pieces.n_cut

    def _content(self) -> Record:
        parts = {"first-order": self.first_order.record(), "labels": self.labeller.record()}
        if self.second_order is not None:
            parts["second-order"] = self.second_order.record()
        if self.arc_labeller is not None:
            parts["arc-labels"] = self.arc_labeller.record()
        return Record(self.KIND, {"projective": self.projective}, parts=parts)

    @classmethod
    def _from_content(cls, record: Record, trainer: GraphTrainer, memo: WordMemo, single_root: bool) -> Self:
        parts, projective = record.parts, truth_of(record, "projective")
        first = FirstOrderModel.from_record(parts["first-order"])
        second = SecondOrderModel.from_record(parts["second-order"]) if "second-order" in parts else None
        labeller = Labeller.from_record(parts["labels"])
        arc_labeller = Labeller.from_record(parts["arc-labels"]) if "arc-labels" in parts else None
        return cls(trainer, memo, single_root, projective, first, second, labeller, arc_labeller)


MEMBERS = {
    "graph-perceptron": GraphTrainer(learner="perceptron"),
    "graph-mira": GraphTrainer(learner="mira"),
    "graph-bpm": GraphTrainer(learner="bpm", epochs=5),
}
FAMILY = Family(GraphParser.KIND, GraphTrainer, GraphParser, MEMBERS)
