"""Scores of parts of the templates: their sum is the score of all features, whatever was scored before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.learning.features.test_features import TEMPLATES
from tests.reference.walks import random_chooser, rich_treebanks, walk
from treevote.corpus.treebank import Treebank
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.partial_scores import KEYS, NODES, SETS, divide, empty_cache
from treevote.models.learning.features.rich_templates import JOINT, OTHERS
from treevote.models.learning.features.stack_and_queue import GRAMMAR, WORD
from treevote.models.learning.features.templates import COLUMN, compile_templates
from treevote.models.learning.features.weights import score
from treevote.models.parsers.transition.arc_standard import actions_of
from treevote.models.parsers.transition.features import Model, fire, score_configuration
from treevote.models.parsers.transition.template_sets import TEMPLATE_SETS, templates_of

N_CLASSES = 5
TABLE = compile_templates(TEMPLATES, GRAMMAR)

# Among them are places and atoms that no template has, and parts that leave nothing to the last one, or all.
DIVISIONS = (
    (),
    OTHERS,
    JOINT,
    ("s0 s1 s2 q0", "distance action action2", "q9 s0.next.l"),
    ("s0.upos s1.upos q0.upos", "s0 s1", "s0.l.deprel q0.upos q1.upos", "s1.lval s0.rval s0.xpos"),
)
divisions = st.sampled_from(DIVISIONS)


@settings(max_examples=30)
@given(rich_treebanks(max_sentences=2, max_tokens=6), divisions, divisions, st.integers(0, 10_000))
def test_the_sum_of_the_parts_is_the_whole(
    treebank: Treebank, division: Sequence[str], joint: Sequence[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    words, actions = Lexicon.of(treebank).columns(treebank.words), actions_of(treebank, False)
    met = []
    for first, last in zip(treebank.offsets, treebank.offsets[1:], strict=False):
        n, tokens = int(last - first - 1), treebank.tokens[first:last]
        for _ in range(2):
            for space, here, _ in walk(n, actions, random_chooser(actions, n, rng.integers(0, 99, 2 * n).tolist())):
                keys = np.zeros(MAX_FEATURES, np.uint64)
                count = fire(space, here, tokens, words, TABLE, scratch(TABLE), keys)
                met.append((space, here, tokens, keys, count))
    known = np.unique(np.concatenate([keys[:count] | np.uint64(1) for *_, keys, count in met]))
    packed = rng.integers(-9, 10, (len(known), 1 + N_CLASSES)).astype(np.int16)
    packed[:, 0] = -1
    guide = LinearGuide.of(known, packed.ravel(), np.arange(N_CLASSES, dtype=np.int32), 1.0)
    model = Model(actions, divide(TABLE, division, joint), guide.weights, words)
    cache = empty_cache(model.parts, N_CLASSES)
    found, expected = np.zeros(N_CLASSES, np.int32), np.zeros(N_CLASSES, np.int32)
    for space, here, tokens, keys, count in [*met, *met]:
        score(guide.weights, keys, count, np.zeros(MAX_FEATURES, np.int64), expected)
        score_configuration(model, cache, space, here, tokens, found)
        assert found.tolist() == expected.tolist()


def test_every_template_is_in_one_part() -> None:
    for name in TEMPLATE_SETS:
        table = compile_templates(templates_of(name), GRAMMAR)
        parts = divide(table, OTHERS, JOINT)
        assert parts.nodes[:, 2].sum() == table.nodes[:, 2].sum()
        assert len(parts.sets) == len(table.sets)
        assert parts.bounds[-1, NODES] == len(parts.nodes)
        assert parts.bounds[-1, SETS] == len(parts.sets)


@pytest.mark.parametrize("joint", DIVISIONS)
def test_the_joint_key_has_what_its_parts_have_and_of_a_whole_word_nothing_twice(joint: Sequence[str]) -> None:
    parts = divide(TABLE, (), joint)
    kinds = {number: (kind, place) for kind, place, _, number in parts.atoms.tolist()}
    own = set(parts.keys[: parts.bounds[parts.n_joint, KEYS]].tolist())
    words = {place for kind, place in map(kinds.__getitem__, own) if kind == WORD}
    found = parts.keys[parts.bounds[-1, KEYS] :].tolist()
    assert sorted(found) == sorted(n for n in own if kinds[n][0] != COLUMN or kinds[n][1] not in words)
