"""The decision-list parser of Yuret (2006) as trainer and parser.

Rules classify pairs of potentially adjacent words: no link, or a link with direction and label. The first pass sees
neighbouring words. Its links bring other words into contact for the next pass. The passes run ``repeats`` times.
Completion joins the words that have no head after them (`treevote.models.parsers.decision_list.completion`).

The parser of the paper is ``DecisionListTrainer(weights=(1, 1, 1), repeats=2, links="gold", min_gain=1)``, with
attributes chosen for each treebank (``attributes="auto"``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self, TypeAlias

import numpy as np

from treevote.corpus.given import Given
from treevote.corpus.pseudo_projective import projectivize
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import require_labelled_trees
from treevote.corpus.vocabulary import encode
from treevote.errors import ConfigError
from treevote.kernels import Ints
from treevote.models.learning.features.lexicon import WordColumns
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.learning.learners.decision_list.induction import ListOptions
from treevote.models.learning.learners.decision_list.rules import (
    CompiledRules,
    DecisionList,
    check_rules,
    compile_rules,
)
from treevote.models.parsers.decision_list.attributes import (
    ATTRIBUTES,
    AttributeTable,
    Text,
    check_attributes,
    compile_attributes,
)
from treevote.models.parsers.decision_list.completion import complete, link_given, usual_classes
from treevote.models.parsers.decision_list.linkage import Linkage, unlinked
from treevote.models.parsers.decision_list.passes import apply_pass
from treevote.models.parsers.decision_list.training import learn_passes, select_attributes
from treevote.models.parsers.given_arcs import NOTHING, GivenArcs
from treevote.models.parsers.parser import BaseParser, BaseTrainer, Parsed, training_data
from treevote.parallel import Jobs
from treevote.protocols import Family
from treevote.settings import Interval
from treevote.store.record import Record
from treevote.store.validation import column, labels_of

Whole: TypeAlias = Annotated[int, Interval(1, 2**31 - 1)]

MAX_PASSES = 100


@dataclass(frozen=True)
class DecisionListTrainer(BaseTrainer["DecisionListParser"]):
    """Hyper-parameters of a decision-list parser.

    Attributes
    ----------
    attributes : tuple of str, or "auto"
        Attributes of words in rules, from ``form lemma upos xpos feats suffix shape``; with ``"auto"`` they are
        selected on development data, or without such data on the last tenth of the sentences.
    suffixes : int
        The longest suffix, in characters.
    context : int
        Number of neighbours in rules, on either side of each word.
    weights : tuple of int
        Weight of a link in the training of each pass; the weight of a pair without a link is 1. A higher weight raises
        the recall of links and lowers their precision.
    repeats : int
        Number of rounds over all passes.
    links : {"gold", "found"}
        Links of the previous passes in the training of a list: all gold links that these can find, as in the paper, or
        the links that they find.
    folds : int
        Number of parts of the treebank. Links in each part are found by lists learnt from the others: on their own
        training sentences, lists make too few mistakes for the next list to learn from. With 1, lists learnt from all
        parts find them.
    min_gain, max_rules, max_length, free_length : int
        As in `treevote.models.learning.learners.decision_list.induction.ListOptions`, for each list.
    encoding : {"none", "head", "path", "head+path"}
        How non-projective trees are encoded in labels (Nivre & Nilsson 2005).
    """

    attributes: tuple[str, ...] | Literal["auto"] = ("form", "lemma", "upos", "xpos", "feats")
    suffixes: Annotated[int, Interval(1, 4)] = 3
    context: Annotated[int, Interval(0, 9)] = 1
    weights: tuple[Annotated[int, Interval(1, 100)], ...] = (1, 1, 2, 4, 8)
    repeats: Annotated[int, Interval(1, MAX_PASSES)] = 1
    links: Literal["gold", "found"] = "found"
    folds: Annotated[int, Interval(1, 100)] = 4
    min_gain: Whole = 3
    max_rules: Whole = 100_000
    max_length: Whole = 8
    free_length: Annotated[int, Interval(1, 2)] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attributes != "auto":
            check_attributes(self.attributes)
        if not 1 <= len(self.weights) <= MAX_PASSES:
            raise ConfigError(f"weights should be of 1 to {MAX_PASSES} passes, found {len(self.weights)}")

    def _train(self, treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs) -> DecisionListParser:
        """Learn from trees; ``dev`` is for the selection of attributes. Nothing is random."""
        trees, lexicon, _, single_root = training_data(treebank, self.encoding, self.clusters)
        options = ListOptions(self.min_gain, self.max_rules, self.max_length, self.free_length)

        def text(sentences: Treebank, table: AttributeTable) -> Text:
            return Text(sentences.tokens, sentences.offsets, lexicon.columns(sentences.words), table, single_root)

        def compiled(attributes: tuple[str, ...]) -> AttributeTable:
            return compile_attributes(attributes, self.suffixes, self.context, lexicon, len(trees.labels))

        attributes = self.attributes
        if attributes == "auto":
            learnt, held_out = self._halves(trees, dev)
            table = compiled(ATTRIBUTES)
            attributes = select_attributes(learnt, text(learnt, table), held_out, text(held_out, table), options)
        table = compiled(attributes)
        follow_gold = self.repeats if self.links == "gold" else 0
        lists = learn_passes(trees, text(trees, table), self.weights, follow_gold, self.folds, options, jobs.progress)
        return DecisionListParser(self, WordMemo(lexicon), single_root, trees.labels, attributes, lists)

    def _halves(self, projective: Treebank, dev: Treebank | None) -> tuple[Treebank, Treebank]:
        """Return a training part and a held-out part; new labels come after those of the first."""
        n = projective.n_sentences
        if dev is None or not dev.n_tokens:
            cut = max(1, n - max(1, n // 10))
            return projective.select(range(cut)), projective.select(range(min(cut, n - 1), n))
        require_labelled_trees(dev)
        held_out = projectivize(dev, self.encoding)
        labels = {label: number for number, label in enumerate(projective.labels)}
        deprels = encode(held_out.labels, labels)[held_out.deprels]
        return projective, held_out.with_trees(held_out.heads, deprels, tuple(labels))


@dataclass(frozen=True, eq=False)
class DecisionListParser(BaseParser[DecisionListTrainer]):
    """A trained decision-list parser, with a list for each pass. Safe to use from several threads.

    ``labels`` have the marks of the encoding. Classes are those of `treevote.models.parsers.decision_list.linkage`.
    """

    KIND: ClassVar = "decision-list"
    _TRAINER: ClassVar = DecisionListTrainer

    labels: tuple[str, ...]
    attributes: tuple[str, ...]
    lists: tuple[DecisionList, ...]

    @cached_property
    def table(self) -> AttributeTable:
        """The meaning of the features of the rules."""
        own = self.trainer
        return compile_attributes(self.attributes, own.suffixes, own.context, self.memo.lexicon, len(self.labels))

    @cached_property
    def compiled(self) -> tuple[CompiledRules, ...]:
        """The lists with their indices."""
        return tuple(compile_rules(rules, self.table.n_features) for rules in self.lists)

    def _find_trees(self, treebank: Treebank, rows: Ints, words: WordColumns, given: Given | None) -> Parsed:
        arcs = GivenArcs.of(given, treebank.offsets, self.labels, self._encoding)
        linkage = self._link(treebank, rows, words, arcs)
        deprels = np.where(linkage.heads >= 0, (linkage.classes - 1) // 2, -1)
        if given is not None:  # the mark of a lifted arc would move it: the same label without one, where there is one
            unlifted = (arcs.plain[:, None] == arcs.plain) & ~arcs.lifted
            stays = np.where(unlifted.any(1), unlifted.argmax(1), np.arange(len(self.labels)))
            deprels = np.where(arcs.heads >= 0, stays[deprels], deprels)
        return treebank.with_trees(linkage.heads, deprels.astype(np.int32), self.labels), 0

    def link(self, treebank: Treebank) -> Linkage:
        """Return the links of all words: step ``run * n_passes + pass``, from 0, and in the end those of completion."""
        return self._link(treebank, *self.memo.encode(treebank.words), NOTHING)

    def _link(self, treebank: Treebank, rows: Ints, words: WordColumns, given: GivenArcs) -> Linkage:
        text = Text(rows[treebank.tokens], treebank.offsets, words, self.table, self.single_root, given)
        linkage, last = unlinked(len(treebank.tokens)), (self.compiled[-1], usual_classes(self.lists[-1]))
        for step in range(self.n_steps):
            apply_pass(linkage, text, self.compiled[step % len(self.lists)], step)
            if len(given.heads):  # after the pass: its list has learned from words that only earlier passes have linked
                link_given(linkage, text, *last, step)
        complete(linkage, text, *last, self.n_steps)
        return linkage

    @property
    def n_steps(self) -> int:
        """Number of passes before completion, over all rounds."""
        return self.trainer.repeats * len(self.lists)

    def _content(self) -> Record:
        lists = [rules._asdict() for rules in self.lists]
        arrays = {f"{name}_{number}": own[name] for number, own in enumerate(lists, 1) for name in own}
        return Record(self.KIND, arrays=arrays, texts={"labels": self.labels, "attributes": self.attributes})

    @classmethod
    def _from_content(cls, record: Record, trainer: DecisionListTrainer, memo: WordMemo, single_root: bool) -> Self:
        labels, attributes = labels_of(record), tuple(record.texts["attributes"])
        check_attributes(attributes)
        lists = tuple(
            DecisionList(*(column(record, f"{name}_{number}", np.int32) for name in DecisionList._fields))
            for number in range(1, len(trainer.weights) + 1)
        )
        parser = cls(trainer, memo, single_root, labels, attributes, lists)
        for rules in lists:
            check_rules(rules, parser.table.n_features, 1 + 2 * len(labels))
        return parser


FAMILY = Family(
    DecisionListParser.KIND, DecisionListTrainer, DecisionListParser, {"decision-list": DecisionListTrainer()}
)
