"""Training rows of all families: the same wherever a batch ends."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.reference.toy_parser import TRAINING
from treevote.corpus.pseudo_projective import projectivize
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.kernels import Bools
from treevote.models.learning.features import rows
from treevote.models.learning.features.lexicon import Lexicon, WordColumns
from treevote.models.learning.features.rows import Rows
from treevote.models.learning.features.stack_and_queue import GRAMMAR
from treevote.models.learning.features.templates import compile_templates
from treevote.models.parsers.labelling import features as arcs
from treevote.models.parsers.labelling import labeller as labelling
from treevote.models.parsers.pipeline import oracle as pipeline
from treevote.models.parsers.pipeline import template_sets
from treevote.models.parsers.pipeline.configuration import POLICIES
from treevote.models.parsers.transition import training as transition
from treevote.models.parsers.transition.arc_standard import actions_of
from treevote.models.parsers.transition.template_sets import templates_of

WAITS: Bools = np.array([True, False])


def of_transitions(treebank: Treebank, words: WordColumns) -> Rows:
    table = compile_templates(templates_of("paper"), GRAMMAR)
    return transition.rows_of(treebank, words, actions_of(treebank, True), table, 1)


def of_pairs(treebank: Treebank, words: WordColumns) -> Rows:
    table = compile_templates(template_sets.templates_of("paper"), template_sets.GRAMMAR)
    return pipeline.rows_of(treebank, words, table, POLICIES.index("start-over"), WAITS, 1)


def of_arcs(treebank: Treebank, words: WordColumns) -> Rows:
    return labelling.rows_of(treebank, words, compile_templates(arcs.TEMPLATES, arcs.GRAMMAR), 1)


@pytest.mark.parametrize(("n_keys", "cutoff"), [(9, 0), (9, 1), (99, 3), (30_000, 2)])
def test_rows_have_the_frequent_features_the_most_frequent_first(n_keys: int, cutoff: int) -> None:
    rng = np.random.default_rng(cutoff)
    lengths = rng.integers(0, 6, n_keys).astype(np.int32)
    classes, ends = rng.integers(0, 9, len(lengths)).astype(np.int32), np.append(0, np.cumsum(lengths))
    distinct = rng.integers(1 << 63, size=n_keys, dtype=np.uint64) | np.uint64(1)
    keys = distinct[rng.integers(0, n_keys, ends[-1])]
    cuts = [0, len(lengths) // 3, len(lengths) // 3, len(lengths)]
    parts = [(keys[ends[a] : ends[b]], lengths[a:b], classes[a:b]) for a, b in itertools.pairwise(cuts)]
    found = rows.rows_of(lambda: iter(parts), cutoff, "toy")
    counts = Counter(keys.tolist())
    expected = sorted((key for key in counts if counts[key] >= cutoff), key=lambda key: (-counts[key], key))
    number = {key: column for column, key in enumerate(expected)}
    own = [[number[key] for key in keys[a:b].tolist() if key in number] for a, b in itertools.pairwise(ends.tolist())]
    assert found.keys.tolist() == expected
    assert found.classes.tolist() == classes.tolist()
    assert [found.indices[a:b].tolist() for a, b in itertools.pairwise(found.indptr.tolist())] == own


def test_batches_may_have_more_features_than_the_first_table() -> None:
    keys = np.sort(np.random.default_rng(0).integers(1 << 63, size=80_000, dtype=np.uint64)) | np.uint64(1)
    parts = [(own, np.ones(len(own), np.int32), np.zeros(len(own), np.int32)) for own in np.split(keys, 4)]
    assert rows.rows_of(lambda: iter(parts), 1, "toy").indices.tolist() == list(range(80_000))


@pytest.mark.parametrize("rows_of", [of_transitions, of_pairs, of_arcs])
def test_rows_do_not_depend_on_where_a_batch_ends(
    rows_of: Callable[[Treebank, WordColumns], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    treebank = projectivize(TRAINING)
    words = Lexicon.of(treebank).columns(treebank.words)
    ends: list[int] = []
    batches = rows.batches

    def counted(*task: int) -> Iterator[rows.Batch]:
        for batch in batches(*task):  # type: ignore[arg-type]
            ends.append(len(batch[1]))
            yield batch

    monkeypatch.setattr(rows, "batches", counted)
    whole = rows_of(treebank, words)
    assert len(ends) == 2  # the rows are gone through twice
    monkeypatch.setattr(rows, "BATCH_KEYS", 1 << 10)
    parts = rows_of(treebank, words)
    assert len(ends) > 8
    assert [column.tolist() for column in whole] == [column.tolist() for column in parts]


@pytest.mark.parametrize(
    ("fault", "raised"), [(ValueError, ConfigError), (MemoryError, MemoryError), (BrokenPipeError, OSError)]
)
def test_want_of_memory_is_no_fault_of_a_learner(fault: type[Exception], raised: type[Exception]) -> None:
    class Learner:
        def fit(self, X: object, y: object) -> None:
            raise fault

    learner: Any = Learner()
    one = np.zeros(1, np.int32)
    with pytest.raises(raised):
        rows.fit(learner, Rows(one.astype(np.uint64), np.arange(2, dtype=np.int32), one, one), None, "training")
