"""Linear taggers with the same features: settings, training, and the scores of every part of a class.

Taggers that differ in their loss alone look up each feature once: its row has the weights of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, TypeAlias

import numpy as np

from treevote.errors import ConfigError
from treevote.kernels import Doubles, Floats, Ints, Longs, kernel, leaf
from treevote.models.learning.features.feature_index import look_up
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.rows import rows_of
from treevote.models.learning.features.weights import Weights, add_rows
from treevote.models.text.tagging.dictionary import N_CELLS, Dictionary, find_cells
from treevote.models.text.tagging.features import Text, batches, fire, of_context
from treevote.models.text.tagging.learning import Examples, LearnerState, LearnerWeights, add_parts, learn, pack
from treevote.models.text.tagging.tagset import Parts, Tagset
from treevote.models.text.tagging.templates import FURTHEST, compile_templates, mirrored
from treevote.parallel import Progress
from treevote.settings import Count, Interval, Settings, Share
from treevote.store.record import Record
from treevote.store.validation import column, truth_of

Loss: TypeAlias = Literal["maxent", "margin"]
Direction: TypeAlias = Literal["forward", "backward"]

MAX_TAGGERS = 2  # with the same features: packed weights have 15 bits for their parts, see `tagset`


@dataclass(frozen=True, kw_only=True)
class ClassifierTrainer(Settings):
    """Settings of linear taggers with the same features, one for each loss."""

    templates: tuple[str, ...]  # from left to right, see `treevote.models.text.tagging.templates`
    losses: tuple[Loss, ...] = ("maxent",)
    direction: Direction = "forward"  # backward: from right to left, with mirrored templates
    context: Annotated[float, Interval(0, 1)] = 0.5  # value of the features that read a neighbour; of the others: 1
    epochs: Annotated[int, Interval(1, 1000)] = 6
    rate: Annotated[float, Interval(0, 100, "neither")] = 0.15  # at the start; it falls linearly to 0
    cutoff: Count = 2  # features seen fewer times are left out
    prune: Share = 0.005  # weights below this share of the largest are dropped

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < len(self.losses) <= MAX_TAGGERS:
            raise ConfigError(f"losses: expected one to {MAX_TAGGERS}, found {len(self.losses)}")

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
        generator = np.random.default_rng(seed)
        learnt = LearnerWeights.zeros(len(self.losses), int(widths.sum()), int(parts.bases[-1]), N_CELLS)
        for number, loss in enumerate(self.losses):
            state = LearnerState.of(learnt, number)
            for epoch in range(self.epochs):
                rate = np.float32(self.rate * (1 - epoch / self.epochs))
                order = generator.permutation(len(groups))
                learn(examples, parts, dictionary, order, rate, loss == "margin", state)
                if progress is not None:
                    progress(f"{name} {loss} {self.direction}", epoch + 1, self.epochs)
            del state  # its sums of squares are as large as the weights
        guide = LinearGuide.of(*pack(rows.keys, examples, learnt, parts, self.prune))
        return Classifier(templates, table, self.direction == "backward", guide, learnt.evidence)


@dataclass(frozen=True, eq=False)
class Classifier:
    """Trained linear taggers with the same features."""

    templates: tuple[str, ...]
    table: Ints  # the compiled templates
    backward: bool
    guide: LinearGuide  # its classes are, for each group, its parts for the first tagger, then those for the next
    evidence: Doubles  # shape (n_taggers, N_CELLS): weights of the dictionary

    def record(self) -> Record:
        """Return the taggers as data."""
        facts = {"backward": self.backward, **self.guide.facts()}
        arrays = {"evidence": self.evidence.ravel(), **self.guide.arrays()}
        return Record("linear-tagger", facts, arrays, {"templates": self.templates})

    @classmethod
    def from_record(cls, record: Record, n_parts: int) -> Classifier:
        """Return the taggers of a record; raises as `treevote.store.validation.rebuild` expects."""
        templates, backward = tuple(record.texts["templates"]), truth_of(record, "backward")
        evidence = column(record, "evidence", np.float64)
        n_taggers = len(evidence) // N_CELLS
        if len(evidence) % N_CELLS or not 0 < n_taggers <= MAX_TAGGERS or not np.isfinite(evidence).all():
            raise ValueError("the weights of its dictionary")
        guide = LinearGuide.from_record(record, n_taggers * n_parts)
        return cls(templates, compile_templates(templates), backward, guide, evidence.reshape(n_taggers, N_CELLS))


@kernel
def add_scores(
    text: Text,
    tags: Ints,
    parts: Parts,
    dictionary: Dictionary,
    templates: Ints,
    weights: Weights,
    evidence: Doubles,
    backward: bool,
    column: int,
    codes: Ints,
    places: Longs,
    total: Floats,
) -> None:
    """Tag sentences by each of several taggers with the same features, and add up their scores in ``total``.

    Scores are those of all parts of the groups of the tokens; nothing is added where a group has one class only.

    ``tags``, shape (n_taggers, n_slots, len(TAGS)), are the tags of the text as each tagger sees them. Unless the
    column is -1, ``tags[t, :, column]`` is overwritten by ``codes[c]`` for the class ``c`` to which tagger ``t`` gives
    the highest score, of equal ones the first. ``places``, shape (n_slots,), is the first score of each token.
    """
    keys, rows = np.empty(len(templates), np.uint64), np.empty(len(templates), np.int64)
    scores, n_parts = np.zeros(len(weights.bias), np.int32), parts.bases[-1]
    own, classes = np.empty(n_parts, np.float32), np.empty(n_parts, np.float32)
    found, cells = np.empty(n_parts, np.int64), np.empty(n_parts, np.int64)
    scale = np.float32(weights.scale)
    for sentence in range(len(text.offsets) - 1):
        start, length = text.offsets[sentence], text.offsets[sentence + 1] - text.offsets[sentence]
        for step in range(1, length):
            position = length - step if backward else step
            token = start + position
            group = int(text.groups[token])
            first, last = int(parts.starts[group]), int(parts.starts[group + 1])
            if last - first == 1:  # nothing to choose
                for t in range(len(tags) if column >= 0 else 0):
                    tags[t, token, column] = codes[first]
                continue
            width = parts.bases[group + 1] - parts.bases[group]
            base = len(tags) * parts.bases[group]
            pooled = total[places[token] :]
            n_found = find_cells(dictionary, int(text.known[text.tokens[token]]), first, last, -1, found, cells)
            scored = -1  # the tagger whose features were looked up last
            for t in range(len(tags)):
                # scores of the parts of the group: the weights of the features, and the evidence of the dictionary
                if scored < 0 or (column >= 0 and differ(tags, scored, t, start, position, length, column)):
                    seen = Text(text.tokens, text.offsets, text.values, text.known, text.groups, tags[t])
                    n = fire(seen, sentence, position, templates, keys)
                    look_up(keys, n, weights.slots, weights.packed, rows)
                    for k in range(base, base + len(tags) * width):
                        scores[k] = weights.bias[k]
                    add_rows(weights, rows, 0, n, scores)
                    scored = t
                for k in range(width):
                    own[k] = scale * np.float32(scores[base + t * width + k])
                for i in range(n_found):
                    own[found[i] - first] += np.float32(evidence[t, cells[i]])
                # the choice of this tagger, which later templates read
                add_parts(parts, group, own, classes)
                best = 0
                for c in range(1, last - first):
                    if classes[c] > classes[best]:
                        best = c
                if column >= 0:
                    tags[t, token, column] = codes[first + best]
                for k in range(width):
                    pooled[k] += own[k]


@leaf
def differ(tags: Ints, one: int, other: int, start: int, position: int, length: int, column: int) -> bool:
    """Tell whether two taggers see different tags around a token; its own is not there yet when features are found."""
    for at in range(max(1, position - FURTHEST), min(length, position + FURTHEST + 1)):
        if at != position and tags[one, start + at, column] != tags[other, start + at, column]:
            return True
    return False
