"""One linear tagger: its settings, its training, and its scores of every part of a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, TypeAlias

import numpy as np

from treevote.kernels import Doubles, Floats, Ints, Longs, kernel
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.rows import rows_of
from treevote.models.learning.features.weights import Weights, score
from treevote.models.text.tagging.dictionary import N_CELLS, Dictionary, find_cells, most_classes
from treevote.models.text.tagging.features import Text, batches, fire, of_context
from treevote.models.text.tagging.learning import Examples, LearnerState, add_parts, learn, pack
from treevote.models.text.tagging.tagset import Parts, Tagset
from treevote.models.text.tagging.templates import compile_templates, mirrored
from treevote.parallel import Progress
from treevote.settings import Count, Interval, Settings, Share
from treevote.store.record import Record
from treevote.store.validation import column

Loss: TypeAlias = Literal["maxent", "margin"]
Direction: TypeAlias = Literal["forward", "backward"]


@dataclass(frozen=True, kw_only=True)
class ClassifierTrainer(Settings):
    """Settings of a linear tagger."""

    templates: tuple[str, ...]  # from left to right, see `treevote.models.text.tagging.templates`
    loss: Loss = "maxent"
    direction: Direction = "forward"  # backward: from right to left, with mirrored templates
    context: Annotated[float, Interval(0, 1)] = 0.5  # value of the features that read a neighbour; of the others: 1
    epochs: Annotated[int, Interval(1, 1000)] = 6
    rate: Annotated[float, Interval(0, 100, "neither")] = 0.15  # at the start; it falls linearly to 0
    cutoff: Count = 2  # features seen fewer times are left out
    prune: Share = 0.005  # weights below this share of the largest are dropped

    def train(
        self,
        text: Text,
        classes: Ints,
        tagset: Tagset,
        dictionary: Dictionary,
        *,
        seed: int = 0,
        name: str = "",
        progress: Progress | None = None,
    ) -> Classifier:
        """Learn the class of each token, shape (n_slots,), -1 for one that is outside the tagset; ROOT slots too."""
        templates = self.templates if self.direction == "forward" else mirrored(self.templates)
        table, parts = compile_templates(templates), tagset.parts
        rows = rows_of(partial(batches, text, classes, table), self.cutoff, name)
        is_token = text.is_token
        groups = text.groups[is_token]
        column_groups = np.zeros(len(rows.keys), np.int32)
        column_groups[rows.indices] = np.repeat(groups, np.diff(rows.indptr))
        widths = np.diff(parts.bases)[column_groups]
        examples = Examples(
            rows.indptr,
            rows.indices,
            groups,
            rows.classes,
            text.known[text.tokens[is_token]],
            column_groups,
            np.cumsum(widths, dtype=np.int64) - widths,
            np.where(of_context(rows.keys), self.context, 1).astype(np.float32),
        )
        state = LearnerState.zeros(int(widths.sum()), int(parts.bases[-1]), N_CELLS)
        generator, most = np.random.default_rng(seed), most_classes(dictionary)
        for epoch in range(self.epochs):
            rate = np.float32(self.rate * (1 - epoch / self.epochs))
            order = generator.permutation(len(groups))
            learn(examples, parts, dictionary, most, order, rate, self.loss == "margin", state)
            if progress is not None:
                progress(name, epoch + 1, self.epochs)
        guide = LinearGuide.of(*pack(rows.keys, examples, state, parts, self.prune))
        return Classifier(templates, table, self.direction == "backward", guide, state.evidence)


@dataclass(frozen=True, eq=False)
class Classifier:
    """A trained linear tagger."""

    templates: tuple[str, ...]
    table: Ints  # the compiled templates
    backward: bool
    guide: LinearGuide  # its classes are the parts of the tagset
    evidence: Doubles  # shape (N_CELLS,): weights of the dictionary

    def record(self) -> Record:
        """Return the tagger as data."""
        facts = {"backward": self.backward, **self.guide.facts()}
        arrays = {"evidence": self.evidence, **self.guide.arrays()}
        return Record("linear-tagger", facts, arrays, {"templates": self.templates})

    @classmethod
    def from_record(cls, record: Record, n_parts: int) -> Classifier:
        """Return the tagger of a record; raises as `treevote.store.validation.rebuild` expects."""
        templates, backward = tuple(record.texts["templates"]), record.facts["backward"]
        if not isinstance(backward, bool):
            raise TypeError("its direction")
        guide, evidence = LinearGuide.from_record(record, n_parts), column(record, "evidence", np.float64)
        if len(evidence) != N_CELLS or not np.isfinite(evidence).all():
            raise ValueError("the weights of its dictionary")
        return cls(templates, compile_templates(templates), backward, guide, evidence)


@kernel
def add_scores(
    text: Text,
    parts: Parts,
    dictionary: Dictionary,
    most: int,
    templates: Ints,
    weights: Weights,
    evidence: Doubles,
    backward: bool,
    column: int,
    codes: Ints,
    places: Longs,
    total: Floats,
) -> None:
    """Tag sentences by one tagger, and add its scores of all parts of the groups of their tokens to ``total``.

    Nothing is added where a group has one class only.

    Unless the column is -1, ``text.tags[:, column]`` is overwritten by ``codes[c]`` for the class ``c`` with the
    highest score, of equal ones the first. ``places``, shape (n_slots,), is the first score of each token, ``most`` the
    largest number of classes of a form.
    """
    keys, rows = np.empty(len(templates), np.uint64), np.empty(len(templates), np.int64)
    n_parts = len(weights.bias)
    scores, own, classes = np.empty(n_parts, np.int32), np.empty(n_parts, np.float32), np.empty(n_parts, np.float32)
    found, cells = np.empty(most, np.int64), np.empty(most, np.int64)
    scale = np.float32(weights.scale)
    for sentence in range(len(text.offsets) - 1):
        start, length = text.offsets[sentence], text.offsets[sentence + 1] - text.offsets[sentence]
        for step in range(1, length):
            position = length - step if backward else step
            token = start + position
            group = int(text.groups[token])
            first, last = int(parts.starts[group]), int(parts.starts[group + 1])
            if last - first == 1:  # nothing to choose
                if column >= 0:
                    text.tags[token, column] = codes[first]
                continue
            base, width = parts.bases[group], parts.bases[group + 1] - parts.bases[group]
            # scores of the parts of the group: the weights of the features, and the evidence of the dictionary
            score(weights, keys, fire(text, sentence, position, templates, keys), rows, scores)
            for k in range(width):
                own[k] = scale * np.float32(scores[base + k])
            for i in range(find_cells(dictionary, int(text.known[text.tokens[token]]), first, last, -1, found, cells)):
                own[found[i] - first] += np.float32(evidence[cells[i]])
            # the choice of this tagger, which later templates read
            add_parts(parts, group, own, classes)
            best = 0
            for c in range(1, last - first):
                if classes[c] > classes[best]:
                    best = c
            if column >= 0:
                text.tags[token, column] = codes[first + best]
            pooled = total[places[token] :]
            for k in range(width):
                pooled[k] += own[k]
