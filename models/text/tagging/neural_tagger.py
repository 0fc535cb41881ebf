"""A neural tagger: a bidirectional LSTM over forms and letters scores the parts of all classes of each token.

It is one more expert in the product of a tagger (`treevote.models.text.tagging.task`): it sees the whole sentence and
no tags, the linear taggers see neighbours and their tags. The tasks have one network (multi-task learning, Plank,
Søgaard & Goldberg 2016): the loss is the sum of those of the tasks, each that of a softmax over the classes of the gold
group. Lemmas are not among them: they have too many classes for what they gain.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np

from treevote.config import DATA, to_mapping
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.errors import require_known
from treevote.kernels import Bools, Floats, Ints, kernel
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon
from treevote.models.learning.network.activations import rectify, slope_of, softmax
from treevote.models.learning.network.batches import Batch
from treevote.models.learning.network.encoder import encodings
from treevote.models.learning.network.parameters import Arrays, Shapes, Sizes, encoder_shapes, size_of, views
from treevote.models.learning.network.products import affine, affine_back
from treevote.models.learning.network.training import Dropout, Schedule, Sentences, train
from treevote.models.learning.network.words import END, attributes_of, letters_of, words_of
from treevote.models.learning.vectors.vectors import NO_VECTORS, Halves, WordVectors
from treevote.models.text.tagging.learning import add_parts, scatter_gradient
from treevote.models.text.tagging.tagset import Parts, Tagset
from treevote.models.text.tagging.templates import TAGS
from treevote.parallel import Jobs, Progress
from treevote.settings import Interval, Settings
from treevote.store.record import Record
from treevote.store.validation import column, trainer_of

KIND = "neural-tagger"

OF_FORMS = tuple(name for name in ATTRIBUTES if name not in ("lemma", "upos", "xpos", "feats"))  # they need no tags

Size = Annotated[int, Interval(1, 1_000)]


class GoldTags(NamedTuple):
    """The tags of a task to learn from: number and group of each slot's class, -1 and 0 in ROOT slots; the tagset."""

    classes: Ints
    groups: Ints
    tagset: Tagset


@dataclass(frozen=True)
class NeuralTaggerTrainer(Settings):
    """Settings of a neural tagger."""

    attributes: tuple[str, ...] = ("lower", "suffix2", "suffix3", "suffix4", "prefix2", "prefix3", "shape")
    passes: Annotated[int, Interval(1, 1_000)] = 40  # over the sentences; more on a small treebank
    layers: Annotated[int, Interval(1, 10)] = 2
    units: Size = 128  # of a layer and direction
    hidden: Size = 128  # size of the layer behind them
    vectors: WordVectors = field(default=NO_VECTORS, repr=False, metadata=DATA)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.attributes:
            require_known("attribute of a form", name, OF_FORMS)

    def train(
        self,
        treebank: Treebank,
        gold: Mapping[str, GoldTags],
        forms: tuple[str, ...],
        clusters: Clusters,
        *,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> NeuralTagger:
        """Learn the gold tags of each of ``TAGS``; ``forms`` are the distinct ones of the treebank, in its order."""
        tagsets = tuple(gold[task].tagset for task in TAGS)
        untrained = NeuralTagger(self, forms, clusters, tagsets, np.zeros(0, np.float16))
        sentences = untrained.sentences(treebank)
        dropout, loss = Dropout.of(sentences, untrained.attributes), functools.partial(untrained.loss, gold)
        jobs = Jobs(progress=progress).renamed(lambda _: "neural tagger")
        weights = train(untrained.shapes, sentences, loss, dropout, Schedule(self.passes), seed, jobs)
        return NeuralTagger(self, forms, clusters, tagsets, weights)


@dataclass(frozen=True, eq=False)
class NeuralTagger:
    """A trained neural tagger; ``tagsets`` are those of ``TAGS``. Safe to use from several threads."""

    trainer: NeuralTaggerTrainer
    forms: tuple[str, ...]  # of the training data
    clusters: Clusters
    tagsets: tuple[Tagset, ...]
    weights: Halves

    @functools.cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon.of_words(_words(self.forms), self.clusters)

    @functools.cached_property
    def _letters(self) -> tuple[str, ...]:
        return letters_of(_words(self.forms))

    @functools.cached_property
    def attributes(self) -> Mapping[str, int]:
        """The attributes of words that have vectors, with the number of their values."""
        return attributes_of(self.trainer.attributes, self._lexicon)

    @functools.cached_property
    def shapes(self) -> Shapes:
        """The shapes of the parameters."""
        sizes = Sizes(units=self.trainer.units, layers=self.trainer.layers)
        counts = len(self._lexicon.feats) + 1, END + 1 + len(self._letters)
        shapes, n = encoder_shapes(sizes, self.attributes, *counts, self.trainer.vectors.size), self.trainer.hidden
        shapes |= {"hidden": (2 * sizes.units, n), "hidden-bias": (n,)}
        for task, tagset in zip(TAGS, self.tagsets, strict=True):
            n_parts = int(tagset.parts.bases[-1])
            shapes |= {task: (n, n_parts), f"{task}-bias": (n_parts,)}
        return shapes

    @functools.cached_property
    def _parameters(self) -> Arrays:
        return views(self.weights.astype(np.float32), self.shapes)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def sentences(self, treebank: Treebank) -> Sentences:
        """Return sentences as numbers; of words only the forms are read."""
        numbers = {"": 0}  # that of ROOT
        rows = np.array([0, *(numbers.setdefault(word.form, len(numbers)) for word in treebank.words[1:])])
        words = _words([form for form in numbers if form])
        columns, own = self._lexicon.columns(words), np.arange(len(words), dtype=np.int32)
        found = words_of(words, own, columns, tuple(self.attributes), self._letters, self.trainer.vectors)
        return Sentences(found, rows[treebank.tokens].astype(np.int64), treebank.offsets)

    def scores(self, sentences: Sentences) -> dict[str, Floats]:
        """Return the scores of the parts of each task, shape (n_slots, n_parts)."""
        words, tokens, offsets = sentences
        found = {
            task: np.empty((len(tokens), int(tagset.parts.bases[-1])), np.float32)
            for task, tagset in zip(TAGS, self.tagsets, strict=True)
        }
        for batch, h in encodings(self._parameters, words, tokens, offsets):
            _, _, scores = self.scored(self._parameters, h, None)
            for task, part in zip(TAGS, scores, strict=True):
                found[task][batch.slots] = part
        return found

    def scored(self, p: Arrays, h: Floats, mask: Floats | None) -> tuple[Floats, Floats, list[Floats]]:
        """Return the hidden layer without and with a mask, and the scores of the parts of each task."""
        hidden = rectify(affine(h, p["hidden"], p["hidden-bias"]))
        kept, scores = hidden if mask is None else hidden * mask, []
        for task, tagset in zip(TAGS, self.tagsets, strict=True):
            scores.append(affine(kept, p[task], p[f"{task}-bias"]))
            scores[-1][:, unused_parts(tagset.parts)] = 0
        return hidden, kept, scores

    def loss(
        self, gold: Mapping[str, GoldTags], p: Arrays, d: Arrays, h: Floats, batch: Batch, mask: Floats | None
    ) -> tuple[float, Floats]:
        """Return the loss of a batch, see `treevote.models.learning.network.training.Loss`."""
        slots, total = batch.in_order, 0.0
        hidden, kept, scores = self.scored(p, h, mask)
        d_hidden = np.zeros_like(kept)
        for task, own in zip(TAGS, scores, strict=True):
            classes, groups = gold[task].classes[slots], gold[task].groups[slots]
            d_own, n = np.zeros_like(own), max(1, int(np.count_nonzero(classes >= 0)))
            total += class_loss(gold[task].tagset.parts, groups, classes, own, d_own) / n
            d_own /= np.float32(n)
            d_hidden += affine_back(p, d, task, kept, d_own)
        d_hidden *= slope_of(hidden)
        if mask is not None:
            d_hidden *= mask
        return total, affine_back(p, d, "hidden", h, d_hidden)

    def record(self) -> Record:
        """Return the network as data."""
        vectors, facts = self.trainer.vectors, {"trainer": to_mapping(self.trainer)}
        return Record(KIND, facts, {"weights": self.weights, **vectors.arrays()}, vectors.texts())

    @classmethod
    def from_record(
        cls, record: Record, forms: tuple[str, ...], clusters: Clusters, tagsets: Sequence[Tagset]
    ) -> NeuralTagger:
        """Return the network of a record; raises as `treevote.store.validation.rebuild` expects."""
        trainer = dataclasses.replace(trainer_of(record, NeuralTaggerTrainer), vectors=WordVectors.from_record(record))
        found = cls(trainer, forms, clusters, tuple(tagsets), column(record, "weights", np.float16))
        n_weights = size_of(found.shapes)
        if len(found.weights) != n_weights or not np.isfinite(found.weights).all():
            raise ValueError(f"array weights should have {n_weights} finite numbers")
        return found


def _words(forms: Sequence[str]) -> tuple[Word, ...]:
    return ROOT, *(Word(form, "_", "_", "_", "_") for form in forms)


def unused_parts(parts: Parts) -> Bools:
    """Tell which parts stand for a class as a whole that has no weight, shape (n_parts,)."""
    unused = np.zeros(parts.bases[-1], np.bool_)
    unused[parts.kinds < 0] = ~parts.own
    return unused


@kernel
def class_loss(parts: Parts, groups: Ints, gold: Ints, scores: Floats, d_scores: Floats) -> float:
    """Return the sum of the losses of tokens: - log of the probability of the gold class in its group (softmax).

    ``scores``, shape (n, n_parts), are those of parts; ``d_scores``, which are zero, receive the derivatives. A token
    without a class, -1, has no loss.
    """
    classes, loss = np.empty(np.diff(parts.starts).max(), np.float32), np.float64(0.0)
    for row in range(len(gold)):
        if gold[row] < 0:
            continue
        group = groups[row]
        n, right = parts.starts[group + 1] - parts.starts[group], gold[row] - parts.starts[group]
        add_parts(parts, group, scores[row, parts.bases[group] :], classes)
        softmax(classes[:n])
        loss -= np.log(classes[right])
        classes[right] -= np.float32(1.0)
        scatter_gradient(parts, group, classes, d_scores[row, parts.bases[group] :])
    return loss
