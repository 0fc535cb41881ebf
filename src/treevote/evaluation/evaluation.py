"""The whole evaluation of systems against a gold file, one system at a time.

Each system is read, aligned with the gold words, counted and let go; what is kept of it are counts by sentence, its
trees over the gold words, and its rates in bootstrap samples. Then the systems are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from treevote.errors import ConfigError, InputError
from treevote.evaluation.alignment import align, carry_over, identity
from treevote.evaluation.attachment import Scores, count_attachment, scored_words
from treevote.evaluation.breakdowns import Tally, breakdown, tally
from treevote.evaluation.comparison import compare
from treevote.evaluation.confusion import confusions
from treevote.evaluation.conll18 import count_conll18
from treevote.evaluation.ill_formed import ill_formed
from treevote.evaluation.intervals import f1, moments, share
from treevote.evaluation.parses import Parses
from treevote.evaluation.properties import Property, Values, properties
from treevote.evaluation.resampling import bootstrap_sums
from treevote.evaluation.results import Evaluation, Metric, Rate, SentenceScore, System
from treevote.evaluation.significance import rates
from treevote.kernels import Bools, Doubles, Longs
from treevote.metrics import Convention, path_of, require_same_sentences, right_arcs
from treevote.treebank import Treebank
from treevote.trees import is_single_rooted

Readable: TypeAlias = Treebank | Callable[[], Treebank]

SAMPLES, PERMUTATIONS = 1_000, 10_000
"""Of the bootstrap, and of the randomization test."""

WORST = 20
"""So many sentences with most wrong arcs are named for each system."""

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
    systems: Mapping[str, Readable],
    *,
    convention: Convention = "ud",
    punctuation: bool = True,
    seed: int = 0,
    training: Treebank | None = None,
    samples: int = SAMPLES,
    permutations: int = PERMUTATIONS,
) -> Evaluation:
    """Evaluate systems against gold trees, and compare them.

    Parameters
    ----------
    gold : Treebank
        Sentences with trees.
    systems : mapping of str to Treebank or callable
        By name: the same sentences as each system parsed them, or a function that reads them, which is called when
        it is their turn. Trees may be missing or have cycles: what is wrong is wrong, and reported.
    convention : {"ud", "conllx"}, default="ud"
        With ``"ud"``, sentences and words may be cut differently and are aligned as in the CoNLL 2018 shared task;
        with ``"conllx"`` they must be the same. See also `treevote.metrics`.
    punctuation : bool, default=True
        Whether punctuation is scored.
    seed : int, default=0
        Of the bootstrap and the randomization test.
    training : Treebank, optional
        What the systems were trained on, to tell known words from unknown ones.
    samples, permutations : int
        Number of bootstrap samples, and of permutations.

    Raises
    ------
    InputError
        If there is no gold sentence or a gold word has no head; if the text of a system is another, or, with
        ``"conllx"``, its words; the first difference is shown.
    ConfigError
        If the convention is not known; if there is no system, or no sample or permutation.

    Examples
    --------
    >>> gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> parse = Treebank.of([(["a", "dog", "barks"], [3, 3, 0], ["det", "nsubj", "root"])])
    >>> evaluation = evaluate_systems(gold, {"ours": gold, "theirs": parse})
    >>> [round(system.rates["LAS"].value, 2) for system in evaluation.systems]
    [100.0, 66.67]
    """
    if not gold.n_tokens:
        raise InputError("expected gold trees, found no sentence", path=path_of(gold), remedy="give a treebank")
    if not systems or samples < 1 or permutations < 1:
        raise ConfigError("expected at least one system, one bootstrap sample and one permutation, found less")
    task = _Task.of(gold, convention, punctuation, training, samples, seed)
    parses = Parses(gold, task.scored, convention)
    results = []
    for name, readable in systems.items():
        result, carried = _evaluate(name, readable() if callable(readable) else readable, task)
        results.append(result)
        parses.add(carried)
    metrics = [metric for metric in METRICS if metric.name in results[0].system.rates]
    return Evaluation(
        convention,
        punctuation,
        seed,
        path_of(gold),
        gold.n_sentences,
        gold.n_tokens,
        int(np.count_nonzero(task.scored)),
        tuple(metrics),
        tuple(result.system for result in results),
        tuple(breakdown(what, [result.tallies[i] for result in results]) for i, what in enumerate(task.properties)),
        compare(
            parses,
            [metric.name for metric in metrics if metric.tested],
            [result.counts for result in results],
            [result.samples for result in results],
            permutations=permutations,
            seed=seed,
        ),
        parses,
    )


class _Task(NamedTuple):
    """What is the same for all systems."""

    gold: Treebank
    convention: Convention
    punctuation: bool
    scored: Bools
    single_root: bool
    properties: list[Property]
    values: list[Values]
    samples: int
    seed: int

    @staticmethod
    def of(
        gold: Treebank, convention: Convention, punctuation: bool, training: Treebank | None, samples: int, seed: int
    ) -> _Task:
        found = properties(gold, convention=convention, training=training)
        return _Task(
            gold,
            convention,
            punctuation,
            scored_words(gold, punctuation=punctuation),
            is_single_rooted(gold),
            found,
            [one.values(gold) for one in found],
            samples,
            seed,
        )


class _Result(NamedTuple):
    """What is kept of one system, besides its trees; counts and samples as `treevote.evaluation.comparison` wants."""

    system: System
    tallies: list[Tally]
    counts: Longs
    samples: Doubles


def _evaluate(name: str, system: Treebank, task: _Task) -> tuple[_Result, Treebank]:
    """Evaluate one system, and return also the gold sentences with its trees."""
    gold, convention, punctuation = task.gold, task.convention, task.punctuation
    if convention == "ud":
        alignment = align(gold, system)
    else:
        require_same_sentences(gold, system)
        alignment = identity(gold)
    carried = carry_over(gold, system, alignment)
    scores = count_attachment(gold, system, alignment, carried, convention=convention, punctuation=punctuation)
    if convention == "ud":
        scores |= count_conll18(gold, system, alignment, carried, punctuation=punctuation)
    heads, arcs = right_arcs(gold, carried, convention=convention)
    tested = [metric.name for metric in METRICS if metric.tested and metric.name in scores]
    unequal = [name for name, score in scores.items() if not np.array_equal(score[:, 1], score[:, 2])]
    ratios = {name: _ratio(scores[name]) for name in (*tested, *unequal)}
    samples = _bootstrap(ratios, task.samples, task.seed)
    found = System(
        name,
        system.n_sentences,
        system.n_tokens,
        alignment.same_words,
        {
            metric.name: _rate(scores[metric.name], samples[metric.name] if metric.name in unequal else None)
            for metric in METRICS
            if metric.name in scores
        },
        ill_formed(system, single_root=task.single_root),
        confusions(gold, carried, task.scored, heads, convention=convention),
        _worst(scores),
    )
    tallies = [
        tally(what, values, carried, task.scored, heads, arcs)
        for what, values in zip(task.properties, task.values, strict=True)
    ]
    counts = np.stack([ratios[metric] for metric in tested], axis=1)
    return _Result(found, tallies, counts, np.stack([samples[metric] for metric in tested], axis=1)), carried


def _ratio(score: Longs) -> Longs:
    """Return for each sentence what an F1 is the ratio of: twice what is right, and both wholes together."""
    return np.stack([2 * score[:, 0], score[:, 1] + score[:, 2]], axis=1)


def _bootstrap(ratios: Mapping[str, Longs], samples: int, seed: int) -> dict[str, Doubles]:
    """Return the rate of each metric in every sample; what several metrics share is summed up once."""
    columns: dict[bytes, int] = {}
    distinct: list[Longs] = []
    places = {}
    for name, ratio in ratios.items():
        for column in ratio.T:
            if columns.setdefault(column.tobytes(), len(columns)) == len(distinct):
                distinct.append(column)
        places[name] = [columns[column.tobytes()] for column in ratio.T]
    sums = bootstrap_sums(np.stack(distinct, axis=1), samples, seed)
    return {name: rates(sums[:, place]) for name, place in places.items()}


def _rate(score: Longs, samples: Doubles | None) -> Rate:
    """Return a rate: of equal wholes a share, else, with samples, an F1."""
    if samples is None:
        return share(moments(score[:, 0], score[:, 1]))
    correct, gold, system = score.sum(axis=0).tolist()
    return f1(correct, gold, system, samples)


def _worst(scores: Scores) -> tuple[SentenceScore, ...]:
    """Return the sentences with most wrong arcs; of equals the first."""
    right, tokens, _ = scores["LAS"].T
    order = np.argsort(right - tokens, kind="stable")[:WORST].tolist()
    return tuple(
        SentenceScore(i + 1, int(tokens[i]), int(scores["UAS"][i, 0]), int(right[i]))
        for i in order
        if right[i] < tokens[i]
    )
