"""The whole evaluation of systems against a gold file, one system at a time.

Each system is read, aligned with the gold words and counted; its counts by sentence and its trees over the gold words
are kept. Then the same sentences are drawn for all systems, for intervals and tests, and the systems are compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.alignment import align, identity, project
from treevote.evaluation.breakdowns import Tally, breakdown, confusions, tally
from treevote.evaluation.comparison import compare
from treevote.evaluation.counts import Convention, require_same_sentences
from treevote.evaluation.factors import Factor, Values, factors
from treevote.evaluation.ill_formed import ill_formed
from treevote.evaluation.intervals import f1, moments, share
from treevote.evaluation.paired import PERMUTATIONS, SAMPLES, enough
from treevote.evaluation.parses import Parses
from treevote.evaluation.results import Evaluation, Metric, SentenceScore, System
from treevote.evaluation.scores import Scores, count_scores, scored_words
from treevote.evaluation.significance import bootstrap_sums, rates, swapped_sums
from treevote.kernels import Bools, Longs

WORST = 20  # number of sentences with most wrong arcs that are named for each system

METRICS = (
    Metric("LAS", "Labelled attachment score: words with the right head and label.", tested=True),
    Metric("UAS", "Unlabelled attachment score: words with the right head.", tested=True),
    Metric("CLAS", "Content words with the right head and label.", tested=True),
    Metric("MLAS", "Content words with the right head, label, UPOS, features and function words.", tested=True),
    Metric("BLEX", "Content words with the right head, label and lemma.", tested=True),
    Metric("LA", "Label accuracy: words with the right label, whatever their head.", tested=True),
    Metric("dependency", "Words with the right head, among those that do not hang on ROOT.", tested=False),
    Metric("root", "Words rightly on ROOT.", tested=False),
    Metric("leaf", "Words with the right head, among those without dependents.", tested=False),
    Metric("complete", "Sentences with all heads right.", tested=False),
    Metric("complete labelled", "Sentences with all heads and labels right.", tested=False),
    Metric("Tokens", "Tokens of the text that were found.", tested=False),
    Metric("Sentences", "Sentences that were found.", tested=False),
    Metric("Words", "Words that were found.", tested=False),
    Metric("UPOS", "Words with the right universal part of speech.", tested=False),
    Metric("XPOS", "Words with the right tag of the treebank.", tested=False),
    Metric("UFeats", "Words with the right universal features.", tested=False),
    Metric("AllTags", "Words with UPOS, XPOS and universal features right.", tested=False),
    Metric("Lemmas", "Words with the right lemma.", tested=False),
)
"""All metrics, main ones first. CLAS, MLAS, BLEX and those from Tokens on are of the convention ud alone."""


def evaluate_systems(
    gold: Treebank,
    systems: Mapping[str, Treebank | Callable[[], Treebank]],
    *,
    convention: Convention = "ud",
    punctuation: bool = True,
    seed: int = 0,
    training: Treebank | None = None,
    samples: int | None = None,
    permutations: int | None = None,
) -> Evaluation:
    """Evaluate systems against gold trees, and compare them.

    A system is a parse of the same sentences, or a function that reads it, which is called when it is its turn. Trees
    may be missing or have cycles: they are scored as they are, and reported. With the convention ``"ud"``, sentences
    and words may differ and are aligned as in the CoNLL 2018 shared task; with ``"conllx"`` they must be the same.
    ``training`` data tell known words from unknown ones. Without ``samples`` and ``permutations`` their number is at
    least ``SAMPLES`` and ``PERMUTATIONS``, and more if there are many pairs of systems.

    InputError if there is no gold sentence, a gold word has no head, or the text of a system (with ``"conllx"``, its
    words) is another; ConfigError if the convention is not known, or if there is no system, sample or permutation.

    >>> gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> parse = Treebank.of([(["a", "dog", "barks"], [3, 3, 0], ["det", "nsubj", "root"])])
    >>> evaluation = evaluate_systems(gold, {"ours": gold, "theirs": parse})
    >>> [round(system.rates["LAS"].value, 2) for system in evaluation.systems]
    [100.0, 66.67]
    """
    if not gold.n_tokens:
        raise InputError("expected gold trees, found no sentence", path=gold.title, remedy="give a treebank")
    samples = enough(SAMPLES, len(systems)) if samples is None else samples
    permutations = enough(PERMUTATIONS, len(systems)) if permutations is None else permutations
    if not systems or samples < 1 or permutations < 1:
        raise ConfigError("expected at least one system, one bootstrap sample and one permutation, found less")
    found, scored = factors(gold, convention=convention, training=training), scored_words(gold, punctuation=punctuation)
    values = [(factor, factor.values(gold)) for factor in found]
    task = _Task(gold, convention, punctuation, scored, values)
    parses, columns = Parses(gold, scored, convention), dict[bytes, int]()
    results = []
    for name, readable in systems.items():
        result, projected = _evaluate(name, readable() if callable(readable) else readable, task, columns)
        results.append(result)
        parses.add(projected)
    metrics = [metric for metric in METRICS if metric.name in results[0].system.rates]
    tested = [metric.name for metric in metrics if metric.tested]
    table = np.stack([np.frombuffer(column, np.int64) for column in columns], axis=1)
    drawn, swapped = bootstrap_sums(table, samples, seed), swapped_sums(table, permutations, seed)
    places = np.array([[result.places[name] for name in tested] for result in results])
    return Evaluation(
        convention,
        punctuation,
        seed,
        gold.title,
        gold.n_sentences,
        gold.n_tokens,
        int(np.count_nonzero(scored)),
        tuple(metrics),
        tuple(_with_intervals(result, drawn) for result in results),
        tuple(breakdown(factor, [result.tallies[i] for result in results]) for i, factor in enumerate(found)),
        compare(parses, tested, table.sum(axis=0)[places], drawn[:, places], swapped[:, places]),
        parses,
    )


class _Task(NamedTuple):
    """Gold trees and settings, the same for all systems."""

    gold: Treebank
    convention: Convention
    punctuation: bool
    scored: Bools
    values: list[tuple[Factor, Values]]


class _Result(NamedTuple):
    """One system without intervals from samples, its tallies, and the two columns of each metric that needs samples.

    The ratio of the columns is an F1: twice the right items, and gold and system items together.
    """

    system: System
    tallies: list[Tally]
    places: dict[str, list[int]]


def _evaluate(name: str, system: Treebank, task: _Task, columns: dict[bytes, int]) -> tuple[_Result, Treebank]:
    """Evaluate one system, and return also the gold sentences with its trees.

    New columns of counts by sentence are added; equal ones, such as the number of gold words, are there once.
    """
    gold, convention, punctuation = task.gold, task.convention, task.punctuation
    if convention == "ud":
        alignment = align(gold, system)
    else:
        require_same_sentences(gold, system)
        alignment = identity(gold)
    projected = project(gold, system, alignment)
    scores = count_scores(gold, system, alignment, projected, convention=convention, punctuation=punctuation)
    heads, arcs = right_arcs(gold, projected, convention=convention)
    scores = {metric.name: scores[metric.name] for metric in METRICS if metric.name in scores}
    shares = {name for name, score in scores.items() if np.array_equal(score[:, 1], score[:, 2])}
    found = {
        name: share(moments(score[:, 0], score[:, 1])) if name in shares else f1(*score.sum(axis=0).tolist())
        for name, score in scores.items()
    }
    places = {}
    for metric in METRICS:
        if metric.name in scores and (metric.tested or metric.name not in shares):
            correct, in_gold, in_system = scores[metric.name].T
            pair = (2 * correct).tobytes(), (in_gold + in_system).tobytes()
            places[metric.name] = [columns.setdefault(column, len(columns)) for column in pair]
    trees = ill_formed(system, single_root=is_single_rooted(gold))
    confused = confusions(gold, projected, task.scored, heads, convention=convention)
    sizes = system.n_sentences, system.n_tokens, alignment.same_words
    result = System(name, *sizes, found, trees, confused, _worst(scores))
    has_head = np.append(system.heads, np.int32(-1))[alignment.system_slot] >= 0
    tallies = [tally(factor, values, projected, task.scored, has_head, heads, arcs) for factor, values in task.values]
    return _Result(result, tallies, places), projected


def _with_intervals(result: _Result, drawn: Longs) -> System:
    """Return a system with the bootstrap intervals of its F1s; ``drawn`` has a row for each sample."""
    found = {
        name: rate
        if rate.interval == "wilson"
        else f1(rate.correct, rate.gold, rate.system, rates(drawn[:, result.places[name]]))
        for name, rate in result.system.rates.items()
    }
    return dataclasses.replace(result.system, rates=found)


def _worst(scores: Scores) -> tuple[SentenceScore, ...]:
    """Return the sentences with most wrong arcs, the first ones on ties."""
    right, tokens, _ = scores["LAS"].T
    order = np.argsort(right - tokens, kind="stable")[:WORST].tolist()
    return tuple(
        SentenceScore(i + 1, int(tokens[i]), int(scores["UAS"][i, 0]), int(right[i]))
        for i in order
        if right[i] < tokens[i]
    )
