"""Random weights for a treebank, the same for the kernels and for the twin."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from tests.reference import arc_standard as twin
from tests.reference import features as plain
from tests.reference import search
from tests.reference.walks import random_chooser, twin_actions, walk
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.kernels import Keys, Longs
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon, WordColumns
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.partial_scores import ScoreCache, divide, empty_cache
from treevote.models.learning.features.rich_templates import JOINT, OTHERS
from treevote.models.learning.features.rows import Trees
from treevote.models.learning.features.stack_and_queue import GRAMMAR
from treevote.models.learning.features.templates import TemplateTable, compile_templates
from treevote.models.learning.features.weights import Weights
from treevote.models.parsers.given_arcs import NOTHING, GivenArcs
from treevote.models.parsers.transition.arc_standard import Actions, actions_of
from treevote.models.parsers.transition.features import Model as Linear
from treevote.models.parsers.transition.features import fire

TEMPLATES = ("s0.upos", "s1.form", "q0.upos", "s0.upos+s1.upos", "s0.lval", "action", "s0.feat", "distance")
OUTLINE = ("s0.upos", "s1.form", "q0.upos", "s0.upos+s1.upos", "s0.l.form", "s1.r.upos+s0.upos", "s0.feat", "distance")
"""Templates of what a beam compares."""


Task: TypeAlias = tuple[Linear, ScoreCache, GivenArcs, Trees]


class Model(NamedTuple):
    """The same weights for the kernels and for the twin.

    ``keys`` are the features of the kernels that have weights; ``rows`` has the weights of each feature of the twin, in
    units of ``weights.scale``; ``known`` are the values of attributes.
    """

    treebank: Treebank
    words: WordColumns
    table: TemplateTable
    actions: Actions
    weights: Weights
    systems: list[search.System[twin.Configuration]]
    keys: Keys
    rows: dict[plain.Feature, Longs]
    known: plain.Known

    @property
    def linear(self) -> Linear:
        """The model of actions for a search kernel."""
        return Linear(self.actions, divide(self.table, OTHERS, JOINT), self.weights, self.words)

    def task(self) -> Task:
        """Return the arguments of a search kernel, with new arrays for the trees."""
        size = len(self.treebank.tokens)
        heads, deprels = np.full(size, -9, np.int32), np.full(size, -9, np.int32)
        bank = self.treebank
        trees = Trees(bank.tokens, heads, deprels, bank.offsets)
        return self.linear, empty_cache(self.linear.parts, len(self.actions.kind)), NOTHING, trees


def model_of(
    treebank: Treebank,
    seed: int,
    magnitude: int,
    scale: float,
    single_root: bool,
    templates: Sequence[str] = TEMPLATES,
) -> Model:
    """Give random weights to all features that a few random walks meet.

    Features are known by the configurations in which they are: the kernel's keys and the twin's features that are in
    the same ones get the same weights.
    """
    rng = np.random.default_rng(seed)
    lexicon, table = Lexicon.of(treebank), compile_templates(templates, GRAMMAR)
    words = lexicon.columns(treebank.words)
    known = plain.known_of(treebank.words, ATTRIBUTES)
    actions = actions_of(treebank, single_root)
    key_places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    feature_places: defaultdict[plain.Feature, list[tuple[int, int]]] = defaultdict(list)
    visited = 0
    room = np.zeros(MAX_FEATURES, np.uint64)
    for i, sentence in enumerate(treebank.sentences()):
        tokens = treebank.tokens[treebank.offsets[i] : treebank.offsets[i + 1]]
        n = len(tokens) - 1
        for _ in range(4):
            picks = rng.integers(0, 99, 2 * n).tolist()
            for space, here, mirror in walk(n, actions, random_chooser(actions, n, picks)):
                count = fire(space, here, tokens, words, table, scratch(table), room)
                for key, times in Counter((room[:count] | np.uint64(1)).tolist()).items():
                    key_places[key].append((visited, times))
                for feature, times in plain.features(mirror, sentence.words, templates, known).items():
                    feature_places[feature].append((visited, times))
                visited += 1
    n_classes = len(actions.kind)
    rows = {
        places: rng.integers(-magnitude, magnitude + 1, n_classes) * (rng.random(n_classes) < 0.5)
        for places in sorted({tuple(places) for places in key_places.values()})
    }
    bias = rng.integers(-magnitude, magnitude + 1, n_classes).astype(np.int32)
    keys = sorted(key_places)
    packed: list[int] = []
    for k, key in enumerate(keys):
        row = rows[tuple(key_places[key])]
        pairs = [int(number) for action in np.flatnonzero(row) for number in (action, row[action])]
        packed += [-1, *row.tolist()] if k % 2 else [len(pairs) // 2, *pairs]
    guide = LinearGuide.of(np.array(keys, np.uint64), np.array(packed, np.int16), bias, scale)
    row_of = {feature: rows[tuple(places)] for feature, places in feature_places.items()}

    def scores(words: Sequence[Word], here: twin.Configuration) -> list[int]:
        total = bias.astype(np.int64)
        for feature, times in plain.features(here, words, templates, known).items():
            total = total + times * row_of.get(feature, 0)
        return [int(value) for value in total]

    own = twin_actions(actions)
    systems = [
        search.System(
            twin.initial(len(sentence.words) - 1),
            2 * len(sentence.words) - 2,
            functools.partial(twin.legal, actions=own, single_root=single_root),
            functools.partial(twin.advance, actions=own),
            twin.is_final,
            functools.partial(scores, sentence.words),
            twin.outline,
        )
        for sentence in treebank.sentences()
    ]
    return Model(treebank, words, table, actions, guide.weights, systems, guide.keys, row_of, known)
