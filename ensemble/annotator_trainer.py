"""Training of a text annotator, and of parsers on its predicted tags in place of gold ones.

A parser that was trained on gold tags trusts them, and meets tags with mistakes. So the training data are tagged by
jack-knifing: every sentence by a tagger that has not seen it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np

from treevote.conll.guidelines import columns_apart
from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.kernels import Bools
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.vectors.vectors import WordVectors
from treevote.models.text.tag_confidence import TagConfidence, cross_fitted
from treevote.models.text.tagging.tagger import Tagger, TaggerTrainer
from treevote.models.text.text_annotator import TextAnnotator
from treevote.models.text.tokenization.tokenizer import TokenizerTrainer
from treevote.parallel import ONE_JOB, Jobs
from treevote.settings import Settings
from treevote.store.manifest import JSON

TrainingTags: TypeAlias = Literal["predicted", "gold"]  # of the sentences that parsers are trained on
From: TypeAlias = Literal["text", "tokens"]  # what a model reads besides tagged treebanks

# Number of folds of the jack-knifing. On the development sets of Hungarian-Szeged and Greek-GDT, with predicted tags,
# the vote of graph-mira, lr-maxent-forward, pipeline and lr-svm-backward has 74.68 and 85.16 LAS when trained on gold
# tags, 75.44 and 85.90 with two folds.
TAG_FOLDS = 2

METRICS = ("UPOS", "XPOS", "FEATS", "AllTags", "Lemmas")  # of a tagger; AllTags are UPOS, XPOS and FEATS


class TrainedAnnotator(NamedTuple):
    """Result of `AnnotatorTrainer.train`: the annotator, the data for the parsers, and facts."""

    annotator: TextAnnotator
    treebank: Treebank
    dev: Treebank | None
    facts: dict[str, JSON]

    def of(self, parser: EnsembleParser) -> EnsembleParser:
        """Return a parser that was trained on these data, with the annotator."""
        return dataclasses.replace(parser, annotator=self.annotator, facts={**parser.facts, "reading": self.facts})


@dataclass(frozen=True)
class AnnotatorTrainer(Settings):
    """Settings of a text annotator."""

    reads: From = "text"  # whether it has a tokenizer
    tags: TrainingTags = "predicted"
    tokenizer: TokenizerTrainer = dataclasses.field(default_factory=TokenizerTrainer)
    tagger: TaggerTrainer = dataclasses.field(default_factory=TaggerTrainer)

    def train(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        texts: tuple[Treebank, Treebank | None] | None = None,
        seed: int = 0,
        jobs: Jobs = ONE_JOB,
    ) -> TrainedAnnotator:
        """Train an annotator, and tag the data of the parsers; the result does not depend on the jobs.

        ``texts`` are the treebanks with their source, for spaces and paragraphs. InputError if that does not tell where
        spaces are, or there are too few sentences; ConfigError if ufal.udpipe is needed and cannot be imported.
        """
        none = nullcontext(lambda _: None)
        with self.tokenizer.training(*(texts or (treebank, dev))) if self.reads == "text" else none as finish:
            tokenizer = finish(jobs) if jobs.n_jobs == 1 else None
            bare = dataclasses.replace(treebank, source=None)
            tagger = self.tagger.train(bare, seed=seed, jobs=jobs)
            facts: dict[str, JSON] = {"reads": self.reads, "tags": self.tags}
            tagged_dev = sure = None
            if dev is not None:
                tagged_dev, sure, own = evaluate_tagger(tagger, dev)
                facts |= own
            tagged = self.tagged(bare, seed=seed, jobs=jobs)
            annotator = TextAnnotator(finish(jobs) if tokenizer is None else tokenizer, tagger, sure)
        return TrainedAnnotator(annotator, tagged, tagged_dev, facts)

    def with_clusters(self, clusters: Clusters) -> Self:
        """Return the trainer of a text annotator whose taggers know these clusters of words."""
        return dataclasses.replace(self, tagger=dataclasses.replace(self.tagger, clusters=clusters))

    def with_vectors(self, vectors: WordVectors) -> Self:
        """Return the trainer of a text annotator whose neural tagger, if it has one, begins with these word vectors."""
        if self.tagger.neural is None:
            return self
        neural = dataclasses.replace(self.tagger.neural, vectors=vectors)
        return dataclasses.replace(self, tagger=dataclasses.replace(self.tagger, neural=neural))

    def tagged(self, treebank: Treebank, *, seed: int = 0, jobs: Jobs = ONE_JOB) -> Treebank:
        """Return the training data of the parsers; the same treebank and seed give the same tags."""
        if self.tags == "gold" or treebank.n_sentences < TAG_FOLDS:
            return treebank
        return cross_tagged(self.tagger, treebank, TAG_FOLDS, seed=seed, jobs=jobs)


def cross_tagged(
    trainer: TaggerTrainer, treebank: Treebank, n_folds: int, *, seed: int = 0, jobs: Jobs = ONE_JOB
) -> Treebank:
    """Return the same sentences and trees with predicted lemmas and tags, without source text.

    A sentence is tagged by a tagger of all folds but its own; there are at least two, and at most as many as sentences.
    The result does not depend on the jobs.
    """
    tagged = []
    for number, (others, held_out) in enumerate(folds_of(treebank.n_sentences, n_folds), 1):
        named = jobs.renamed(f"{{}} {number}/{n_folds}".format)
        tagger = trainer.train(treebank.select(others), seed=seed, jobs=named)
        tagged.append(tagger.tag(treebank.select(held_out)))
    return rejoined(tagged, treebank.name)


def evaluate_tagger(tagger: Tagger, dev: Treebank) -> tuple[Treebank, TagConfidence | None, dict[str, JSON]]:
    """Return development data with predicted tags, the confidence of tags, and its measures.

    There is no confidence without tokens, or if only one of both has a column of tags (`columns_apart`), so that hardly
    a token would be right.
    """
    found, agreed, margins = tagger.tag_with_margins(dev)
    facts, tokens = tagger_scores(dev, found, agreed), dev.is_token
    if not tokens.any() or any(name != "LEMMA" for name, _, _ in columns_apart(dev, found)):
        return found, None, facts
    right = right_tags(dev, found)["AllTags"]
    if reliability := cross_fitted(dev, margins, right):
        facts["reliability"] = reliability
    return found, TagConfidence.fit(margins[tokens], right[tokens]), facts


def right_tags(gold: Treebank, predicted: Treebank) -> dict[str, Bools]:
    """Return the slots with the gold tag for each of ``METRICS``, shape (n_slots,); false in ROOT slots."""
    columns = [  # an empty one is `_`, as for the tagger
        np.array([[field or "_" for field in word[1:]] for word in own.words], np.object_)[own.tokens]
        for own in (gold, predicted)
    ]
    lemma, upos, xpos, feats = np.equal(*columns).astype(np.bool_).T & gold.is_token
    return dict(zip(METRICS, (upos, xpos, feats, upos & xpos & feats, lemma), strict=True))


def tagger_scores(gold: Treebank, predicted: Treebank, agreed: Bools) -> dict[str, JSON]:
    """Return the accuracy of a tagger in percent by metric, and the same where its taggers agree, and elsewhere.

    It is None where there is no token. ``agreed``, shape (n_slots,), is that of
    `treevote.models.text.tagging.tagger.Tagger.tag_with_margins`.
    """
    right, tokens = right_tags(gold, predicted), gold.is_token
    agreement: dict[str, JSON] = {**_percentages({"tokens": agreed}, tokens)}
    for name, mask in ("agreed", tokens & agreed), ("others", tokens & ~agreed):
        agreement[name] = dict(_percentages(right, mask))
    return {"accuracy": dict(_percentages(right, tokens)), "agreement": agreement}


def _percentages(right: Mapping[str, Bools], mask: Bools) -> dict[str, float | None]:
    n = int(mask.sum())
    return {name: round(100 * (int(own[mask].sum()) / n), 2) if n else None for name, own in right.items()}
