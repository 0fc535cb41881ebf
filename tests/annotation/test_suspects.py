"""Suspects: kernels equal slow twins, planted errors come first, a case that was acknowledged stays away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ensemble.test_selection import noisy
from tests.reference import habits as slow
from tests.reference.toy_grammar import toy_treebank
from tests.strategies import treebanks
from treevote.annotation.acknowledged import digest, read_acknowledged
from treevote.annotation.habits import Habits
from treevote.annotation.suspects import CLEAR, Evidence, suspects_of
from treevote.annotation.variation import MAX_DISTANCE, Variation
from treevote.annotation.verdicts import slips
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.kernels import Bools

GOLD = toy_treebank(300, 1)


def planted(gold: Treebank, n: int, seed: int) -> tuple[Treebank, Bools]:
    """Return a treebank with n wrong labels, and the mask of them."""
    random, deprels = np.random.default_rng(seed), gold.deprels.copy()
    slots = random.choice(np.flatnonzero(gold.is_token), n, replace=False)
    deprels[slots] = (deprels[slots] + random.integers(1, len(gold.labels), n)) % len(gold.labels)
    return gold.with_trees(gold.heads, deprels, gold.labels), gold.deprels != deprels


@pytest.fixture(scope="module")
def evidence() -> tuple[Treebank, Bools, Evidence]:
    treebank, wrong = planted(GOLD, 30, 3)
    return treebank, wrong, Evidence.of(treebank, [noisy(GOLD, noise, i) for i, noise in enumerate((0.2, 0.1, 0.2))])


def names_of(treebank: Treebank) -> list[str]:
    return [str(number) for number in range(1, len(treebank) + 1)]


@given(treebanks(), st.data())
def test_habits_of_heads_equal_their_slow_twin(treebank: Treebank, data: st.DataObject) -> None:
    widths = np.repeat(treebank.lengths, treebank.lengths + 1).tolist()
    proposed = []
    for _ in range(2):
        heads = [
            data.draw(st.sampled_from([h for h in range(-1, n + 1) if h != p])) if p else -1
            for n, p in zip(widths, treebank.positions.tolist(), strict=True)
        ]
        proposed.append(heads)
    habits = Habits.of(treebank, np.array(proposed, np.int32).reshape(2, -1))
    expected = np.array(slow.head_habits(treebank, proposed)).reshape(-1, 2)
    np.testing.assert_allclose(np.stack([habits.heads, habits.rivals], axis=1), expected)
    np.testing.assert_allclose(habits.frequency, slow.frequencies(treebank))


@given(treebanks(max_sentences=8))
def test_nuclei_beside_the_same_neighbours_are_found(treebank: Treebank) -> None:
    found = Variation.of(treebank)
    for slot, (_, other) in slow.nuclei_with_neighbours(treebank, MAX_DISTANCE).items():
        assert found.other[slot] >= other


@given(treebanks(max_sentences=8))
def test_an_analysis_in_the_majority_is_no_variation_and_every_example_differs(treebank: Treebank) -> None:
    found = Variation.of(treebank)
    noted = found.other > 0
    assert (found.same <= found.other).all()
    assert (noted == (found.example >= 0)).all()
    assert not noted[treebank.offsets[:-1]].any()
    for slot in np.flatnonzero(noted & (found.head >= 0)).tolist():
        example = int(found.example[slot])
        assert treebank.deprels[example] == found.deprel[slot]
        assert treebank.heads[example] - treebank.positions[example] == found.head[slot] - treebank.positions[slot]
        arc = treebank.heads[slot], treebank.deprels[slot]
        assert arc != (found.head[slot], found.deprel[slot])


def test_two_equal_sentences_with_different_labels_are_both_variations() -> None:
    words = ["dogs", "bark", "loudly"]
    two = Treebank.of([(words, [2, 0, 2], ["nsubj", "root", label]) for label in ("advmod", "obl")])
    found = Variation.of(two)
    assert np.flatnonzero(found.other).tolist() == [3, 7]
    assert [two.labels[found.deprel[slot]] for slot in (3, 7)] == ["obl", "advmod"]


def test_planted_errors_come_first(evidence: tuple[Treebank, Bools, Evidence]) -> None:
    treebank, wrong, found = evidence
    order = np.argsort(-found.probability, kind="stable")
    assert wrong[order[:20]].mean() >= 0.9
    assert wrong[order[: treebank.n_tokens // 20]].sum() >= 0.9 * wrong.sum()


def test_probabilities_are_probabilities_and_without_parsers_that_object_they_are_small(
    evidence: tuple[Treebank, Bools, Evidence],
) -> None:
    treebank, _, found = evidence
    assert ((found.probability >= 0) & (found.probability <= 1)).all()
    assert (found.probability[~treebank.is_token] == 0).all()
    agreed = Evidence.of(GOLD, [GOLD, GOLD])
    assert agreed.probability.max() < CLEAR


def test_a_label_is_the_more_suspect_the_more_slips_lead_to_it() -> None:
    own, no = np.full(3, 0.1), np.zeros(3, np.bool_)
    found = slips(own, no, np.zeros(3), np.array([0.3, 0.01, 0.0]), ~no)
    assert (np.diff(found) < 0).all()
    assert found[-1] == 0


def test_suspects_are_in_order_and_name_what_is_there(evidence: tuple[Treebank, Bools, Evidence]) -> None:
    treebank, _, found = evidence
    suspects = suspects_of(treebank, names_of(treebank), found)
    assert [one.probability for one in suspects] == sorted((one.probability for one in suspects), reverse=True)
    for one in suspects:
        sentence = treebank[one.sentence]
        assert (one.given.head, one.given.deprel) == (sentence.heads[one.token], sentence.deprels[one.token])
        assert one.kind in one.kinds
        assert one.suggested is None or one.suggested[:2] != one.given[:2]
        if one.kind in ("head", "label") and one.suggested is not None:
            assert (one.suggested.head == one.given.head) == (one.kind == "label")
        assert one.digest == digest(one.form, *one.given)


def test_a_label_is_no_suspect_where_the_parsers_have_other_heads_alone() -> None:
    labels = ["nsubj", "root", "obj"]
    rows = [(["a", "sees", "b"], [2, 0, 2], labels)] * 100
    treebank = Treebank.of([*rows, (["x", "hears", "y"], [2, 0, 2], ["nsubj", "root", "obl"])])
    parse = Treebank.of([*rows, (["x", "hears", "y"], [2, 0, 1], labels)])
    found = Evidence.of(treebank, [parse, parse])
    suspect = suspects_of(treebank, names_of(treebank), found)[0]
    assert found.verdicts.wrong_label[-1] > found.verdicts.wrong_head[-1]
    assert (suspect.form, suspect.kinds) == ("y", ("habit", "head"))
    assert suspect.suggested == (1, "obj", "x")


def test_a_second_subject_is_a_break() -> None:
    rows = [(["a", "sees", "b"], [2, 0, 2], ["nsubj", "root", "obj"])] * 100
    rows.append((["a", "sees", "b"], [2, 0, 2], ["nsubj:pass", "root", "nsubj"]))
    treebank = Treebank.of(rows)
    habits = Habits.of(treebank, treebank.heads[None])
    assert np.flatnonzero(habits.is_twin).tolist() == [401, 403]


def test_a_file_of_cases_is_read_with_remarks(tmp_path: Path) -> None:
    path = tmp_path / "cases.tsv"
    path.write_text("# meant so\n\na b\t3\t7ba38a9e3d71\t0.9\tremark\n")
    assert read_acknowledged(path) == {("a b", 3, "7ba38a9e3d71")}
    path.write_text("a b 3 7ba38a9e3d71\n")
    with pytest.raises(InputError, match=r"cases.tsv, line 1: expected sent_id, token and digest"):
        read_acknowledged(path)
