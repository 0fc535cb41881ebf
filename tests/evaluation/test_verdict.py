"""The verdict: its sentence, its p-values, and whether it is right on simulated systems whose truth is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from treevote.corpus.treebank import Treebank
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.results import Evaluation
from treevote.evaluation.verdict import LEVEL, Probability, Verdict, bounded, p_of, verdict

SETS = 20


def simulated(accuracies: Sequence[float], seed: int, n_sentences: int = 250) -> Evaluation:
    """Evaluate systems that are right with the given probabilities, more often in easy sentences than in hard ones."""
    random = np.random.default_rng(seed)
    gold, parses = [], [[] for _ in accuracies]  # type: ignore[var-annotated]
    for _ in range(n_sentences):
        n = int(random.integers(4, 20))
        words, labels = [f"w{i}" for i in range(n)], ["dep"] * n
        heads = np.arange(n)  # a chain: each word on the one before
        ease = random.uniform(-0.08, 0.08)  # shared: the words of a sentence are right or wrong together
        gold.append((words, heads.tolist(), labels))
        for parse, accuracy in zip(parses, accuracies, strict=True):
            wrong = random.random(n) >= accuracy + ease
            parse.append((words, np.where(wrong, -1, heads).tolist(), labels))
    systems = {name: Treebank.of(parse) for name, parse in zip("abc", parses, strict=False)}
    return evaluate_systems(Treebank.of(gold), systems, seed=seed, samples=499, permutations=499)


@cache
def sets(accuracies: tuple[float, ...]) -> list[Evaluation]:
    return [simulated(accuracies, seed) for seed in range(SETS)]


def is_decided(found: Verdict) -> bool:
    return all(lead.p.significant for lead in found.leads)


def test_equal_systems_are_seldom_told_apart() -> None:
    found = [verdict(evaluation) for evaluation in sets((0.85, 0.85, 0.85))]
    claimed = sum(len(one.open) < 3 for one in found)
    assert claimed <= 4  # 1 of 20 is to be expected, for all pairs of a set together
    for one in found:
        assert one.correction == "Holm’s correction for 3 pairs"
        assert ("is best" in one.sentences[0]) == is_decided(one)


def test_the_best_system_is_named_and_the_equal_ones_are_left_open() -> None:
    found = [verdict(evaluation) for evaluation in sets((0.80, 0.85, 0.80))]
    right = [one for one in found if is_decided(one) and one.sentences[0].startswith("b is best: ")]
    assert len(right) >= 19
    for one in right:
        assert one.ranking[0][0] == "b"
        assert [lead.worse for lead in one.leads] == [name for name, _ in one.ranking[1:]]
        assert "its lead over every system is significant" in one.sentences[0]
        (open_pair,) = one.open or (None,)
        told = "Not significant: " if open_pair else "All differences are significant."
        assert one.sentences[1].startswith(told)
        if open_pair:
            assert {open_pair.better, open_pair.worse} == {"a", "c"}
            assert str(open_pair.p) in one.sentences[1]
    assert sum(not one.open for one in right) <= 4  # 1 of 20 is to be expected; 5 would be a chance of 0.3 %


def test_a_lead_that_is_no_lead_is_called_so() -> None:
    found = [verdict(evaluation) for evaluation in sets((0.85, 0.85, 0.70))]
    for one in found:
        assert one.ranking[-1][0] == "c"
        assert all(pair.worse != "c" for pair in one.open)
        (first, second) = one.leads
        assert second.p.significant
        if first.p.significant:
            assert "is best" in one.sentences[0]
        elif first.points == 0:
            assert one.sentences[0].startswith(f"{first.better} and {first.worse} have the highest LAS, ")
            assert f" above c ({second.interval}" in one.sentences[0]
            assert one.sentences[1] == "All other differences are significant."
        else:
            assert f"but its lead over {first.worse} is not significant" in one.sentences[0]
            assert one.sentences[1] == "All other differences are significant."
    assert sum(is_decided(one) for one in found) <= 4


def test_intervals_cover_the_true_difference() -> None:
    covered = 0
    for one in map(verdict, sets((0.80, 0.85, 0.80))):
        truth = {"a": 80.0, "b": 85.0, "c": 80.0}
        for lead in one.leads:
            assert lead.low is not None
            assert lead.high is not None
            covered += lead.low <= truth[lead.better] - truth[lead.worse] <= lead.high
    assert covered >= 34  # of 40; 38 are to be expected


def test_p_is_the_larger_of_the_two_tests_and_corrected() -> None:
    for evaluation in sets((0.80, 0.85, 0.80))[:5]:
        tests = [test for test in evaluation.comparison.tests if test.metric == "LAS"]
        for kind in "bootstrap", "randomization":
            raw = sorted(getattr(test, kind) for test in tests)
            expected = [max(min((3 - j) * raw[j], 1.0) for j in range(i + 1)) for i in range(3)]
            assert sorted(getattr(test, f"{kind}_holm") for test in tests) == pytest.approx(expected)
        for test in tests:
            p = p_of(test, evaluation)
            assert p.p == max(test.bootstrap_holm, test.randomization_holm)
            assert p.significant == (p.p < LEVEL)
            assert p.bound == (p.p <= 3.001 / 500 and test.bootstrap == test.randomization == pytest.approx(1 / 500))


def test_p_is_never_below_its_resolution() -> None:
    assert str(bounded(1 / 1001, 1 / 1001, 1000)) == "p ≤ 0.0010"
    assert str(bounded(2 / 1001, 2 / 1001, 1000)) == "p = 0.0020"
    assert str(Probability(0.0496)) == "p = 0.0496"
    assert str(Probability(0.04999999)) == "p = 0.04999999"
    assert str(Probability(0.05)) == "p = 0.050"
    assert str(Probability(1.0)) == "p = 1.00"
    assert Probability(0.00004).number == "4e-05"
    for evaluation in sets((0.85, 0.85, 0.70)):
        for lead in verdict(evaluation).leads:
            assert lead.p.p >= 1 / 500
            assert lead.p.number.strip("0.") != ""


def test_a_lead_is_significant_among_however_many_systems() -> None:
    sentences, (right, wrong) = range(40), ([2, 0], [-1, -1])
    best, *others = ([(["a", "b"], heads, ["x", "root"]) for _ in sentences] for heads in (right, *[wrong] * 11))
    systems = {f"s{number}": Treebank.of(parse) for number, parse in enumerate((best, *others))}
    found = verdict(evaluate_systems(Treebank.of(best), systems))
    assert found.correction == "Holm’s correction for 66 pairs"
    assert is_decided(found)


def test_one_system_two_equal_ones_and_none_that_is_scored() -> None:
    gold = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
    run = {"samples": 9, "permutations": 9}
    (alone,) = verdict(evaluate_systems(gold, {"a": gold}, **run)).sentences  # type: ignore[arg-type]
    assert alone.startswith("a has 100.00 LAS (95 % interval ")
    same = verdict(evaluate_systems(gold, {"a": gold, "b": gold}, **run))  # type: ignore[arg-type]
    assert same.sentences == ("a and b have the same LAS, 100.00.",)
    assert same.correction == "one pair, no correction"
    three = verdict(evaluate_systems(gold, {"a": gold, "b": gold, "c": gold}, **run))  # type: ignore[arg-type]
    assert three.sentences == ("a, b and c have the same LAS, 100.00.",)
    evaluation = evaluate_systems(gold, {"a": gold}, **run)  # type: ignore[arg-type]
    nothing = dataclasses.replace(evaluation.systems[0].rates["LAS"], value=None)
    system = dataclasses.replace(evaluation.systems[0], rates={"LAS": nothing})
    assert verdict(dataclasses.replace(evaluation, systems=(system,))).sentences == ("No word was scored.",)


def test_a_probability_is_a_value() -> None:
    assert len({Probability(0.5), Probability(0.5), Probability(0.5, bound=True)}) == 2


def test_a_lead_that_is_shown_as_none_is_told_in_words() -> None:
    chain = (["w"] * 1000, list(range(1000)), ["x"] * 1000)
    one_wrong = (chain[0], [*range(999), 1], chain[2])
    gold = Treebank.of([chain] * 21)
    systems = {"a": gold, "b": Treebank.of([chain] * 20 + [one_wrong])}
    (sentence,) = verdict(evaluate_systems(gold, systems, samples=99, permutations=99)).sentences
    assert sentence.startswith("a has the highest LAS, 100.00, less than 0.01 above b (")
