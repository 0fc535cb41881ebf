"""Features of a pair: the kernel sees what a person sees; named sets; training rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import features as plain
from tests.reference import pipeline as twin
from tests.reference.pipeline_features import features
from tests.reference.pipeline_walks import focus_of, table_of, walk
from tests.reference.walks import WORDS, rich_treebanks
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.kernels import Ints
from treevote.models.learning.features.firing import MAX_FEATURES, scratch
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon, WordColumns
from treevote.models.learning.features.templates import TemplateTable, compile_templates
from treevote.models.learning.features.trie import START, mix
from treevote.models.parsers.pipeline.configuration import ACTIONS, POLICIES
from treevote.models.parsers.pipeline.features import fire
from treevote.models.parsers.pipeline.oracle import rows_of
from treevote.models.parsers.pipeline.template_sets import GRAMMAR, TEMPLATE_SETS, templates_of

# Every kind of atom and place, alone and together, though the named sets may change.
TEMPLATES = (
    *(f"s0.{name}" for name in (*ATTRIBUTES, "feat", "lval", "rval")),
    *(f"{place}.form" for place in ("s1", "s2", "s3", "q0", "q1", "q2", "q3", "q4", "q5")),
    *("s1.lval", "q0.lval", "q1.rval", "s1.rval", "q0.rval", "s0.next.lval", "q1.prev.rval", "s1.prev.form"),
    *("s0.l.form", "s0.l2.form", "s0.r.form", "s0.r2.form", "q0.l.form", "q0.l2.upos", "q0.r2.upos", "q1.l.l.form"),
    *("s0.l.l.form", "q0.r.r.upos", "s1.r.l2.prev.form", "q0.l.next.form", "s0.prev.l.form", "q4.next.form"),
    *("distance", "action", "action2", "action+action2", "s0.upos+distance", "s0.upos+q0.upos"),
    *("s0.feat+q0.feat", "q0.feat+q1.feat+s0.upos", "s0.upos+s0.feat", "s0.form+q0.form+q1.form", "s1.prev.feat"),
    *("s0.agree+q0.agree", "s0.agree+q1.agree+q1.upos"),
)  # fmt: skip

policies = st.sampled_from(POLICIES)


def fired(state: twin.State, tokens: Ints, words: WordColumns, table: TemplateTable) -> Counter[Hashable]:
    keys = np.zeros(MAX_FEATURES, np.uint64)
    T = table_of(state, len(tokens) - 1)
    count = fire(T, focus_of(state), tokens, words, table, scratch(table), keys)
    return Counter(keys[:count].tolist())


@settings(max_examples=40)
@given(rich_treebanks(2, 7), rich_treebanks(2, 4), policies, st.lists(st.integers(0, 4), min_size=30, max_size=30))
def test_the_kernel_sees_what_a_person_sees(
    treebank: Treebank, training: Treebank, policy: str, picks: list[int]
) -> None:
    lexicon, table = Lexicon.of(training), compile_templates(TEMPLATES, GRAMMAR)
    words, known = lexicon.columns(treebank.words), plain.known_of(training.words, ATTRIBUTES)
    keys: list[Counter[Hashable]] = []
    seen: list[Counter[Hashable]] = []
    for i, sentence in enumerate(treebank.sentences()):
        tokens = treebank.tokens[treebank.offsets[i] : treebank.offsets[i + 1]]
        for state in walk(len(tokens) - 1, policy, 3, picks):
            keys.append(fired(state, tokens, words, table))
            seen.append(Counter[Hashable](features(state, sentence.words, TEMPLATES, known)))
    assert plain.occurrences(keys) == plain.occurrences(seen)


def test_the_numbers_of_values_are_in_the_files_of_models() -> None:
    treebank = Treebank.of([([*WORDS], [0] * 6, ["x"] * 6)])
    words, state = Lexicon.of(treebank).columns(treebank.words), twin.begin(6)
    for action in ("wait-left", "left", "left"):
        state = twin.take(state, action, "stay", 9)
    numbers = {"distance": 3, "action": 2, "action2": 2, "s0.rval": 3, "s0.lval": 1, "q0.upos": 5, "s1.form": 2}
    for template, number in numbers.items():
        found = fired(state, treebank.tokens, words, compile_templates([template], GRAMMAR))
        assert found == Counter([int(mix(START, 0, number))]), template


@settings(max_examples=30)
@given(rich_treebanks(3, 7), policies, st.tuples(st.booleans(), st.booleans()), st.integers(1, 4))
def test_rows_are_the_pairs_on_the_way_to_the_trees(
    treebank: Treebank, policy: str, waits: tuple[bool, bool], cutoff: int
) -> None:
    lexicon, table = Lexicon.of(treebank), compile_templates(TEMPLATES, GRAMMAR)
    words = lexicon.columns(treebank.words)
    names = [name for name, there in zip(("wait-left", "wait-right"), waits, strict=True) if there]
    bags: list[Counter[Hashable]] = []
    actions: list[int] = []
    for i, sentence in enumerate(treebank.sentences()):
        tokens = treebank.tokens[treebank.offsets[i] : treebank.offsets[i + 1]]
        for state, action in twin.derive(sentence.heads.tolist(), policy, names):
            bags.append(fired(state, tokens, words, table))
            actions.append(ACTIONS.index(action))
    found = rows_of(treebank, words, table, POLICIES.index(policy), np.array(waits), cutoff)
    assert found.classes.tolist() == actions
    counts = Counter[Hashable]()
    for bag in bags:
        counts += Counter({int(key) | 1: times for key, times in bag.items()})  # type: ignore[call-overload]
    kept = {key for key, count in counts.items() if count >= cutoff}
    assert set(found.keys.tolist()) == kept
    for i, bag in enumerate(bags):
        columns = found.indices[found.indptr[i] : found.indptr[i + 1]]
        own = Counter({int(key) | 1: times for key, times in bag.items() if int(key) | 1 in kept})  # type: ignore[call-overload]
        assert Counter(found.keys[columns].tolist()) == own


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_named_sets_compile(name: str) -> None:
    templates = templates_of(name)
    assert len(compile_templates(templates, GRAMMAR).nodes) >= len([t for t in templates if ".feat" not in t])


@pytest.mark.parametrize(
    ("templates", "problem"),
    [
        (("s0.form", "s0.upos+q0.l.deprel"), r"template 's0.upos\+q0.l.deprel': labels are not known while heads"),
        (("q0.r.deprel",), "template 'q0.r.deprel': labels are not known"),
        (("a.form",), "atom 'a.form' should be a place"),
        ((), "expected 1 to 1000 templates, found 0"),
    ],
)
def test_templates_that_make_no_sense_are_refused(templates: tuple[str, ...], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        compile_templates(templates, GRAMMAR)


def test_a_list_of_templates_extends_a_set() -> None:
    assert templates_of(("paper", "s0.upos+q1.shape")) == (*templates_of("paper"), "s0.upos+q1.shape")
    with pytest.raises(ConfigError, match="it occurs twice"):
        compile_templates(templates_of(("paper", "paper")), GRAMMAR)


def test_a_set_that_does_not_exist_is_told() -> None:
    with pytest.raises(ConfigError, match="unknown template set 'papre'; did you mean 'paper'"):
        templates_of("papre")
