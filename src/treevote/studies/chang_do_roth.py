"""Studies of Chang, Do & Roth (2006): the pipeline parser, its actions, its look ahead, and tags."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

import numpy as np

from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import DEFAULT_MEMBERS
from treevote.evaluation.counts import Counts
from treevote.evaluation.factors import TENS
from treevote.models.parsers.pipeline.configuration import Policy
from treevote.models.parsers.pipeline.oracle import count_actions
from treevote.models.parsers.pipeline.parser import PipelineTrainer
from treevote.models.text.tagging.tagger import TaggerTrainer
from treevote.studies.jobs import COLUMNS, Tagging, compact
from treevote.studies.report import SCORES, Outcome, Table, Value, outcome, percent, printed, rate
from treevote.studies.study import Claim, Conditions, Context, Results, Study, better, not_worse, worse

PAPER = "Chang, Do & Roth, A pipeline model for bottom-up dependency parsing"
"""The longer version of "A pipeline framework for dependency parsing" (2006), which has the same tables."""

SYSTEM = {"pipeline, depth 4": PipelineTrainer(depth=4)}  # the parser of Tables 4 and 5

METRICS = {
    "Dependencies": (
        "dependency_accuracy",
        "dependency accuracy, percent of the tokens that do not hang on ROOT with the right head",
    ),
    "Root": ("root_accuracy", "root accuracy, F1 of the tokens on ROOT"),
    "Sentence": ("complete", "complete match, percent of the sentences with all heads right"),
    "Leaf": ("leaf_accuracy", "leaf accuracy, percent of the tokens without dependents with the right head"),
}
"""Metrics of section 3.3, the properties of `treevote.evaluation.counts.Counts`, and their legends."""

LEGENDS = {metric: legend for metric, (_, legend) in METRICS.items()} | SCORES

PUNCTUATION = "Tokens whose characters are all of the Unicode categories P are punctuation"


def _figures(*rows: str) -> dict[str, tuple[Decimal, ...]]:
    return dict(zip(METRICS, map(printed, rows), strict=True))


WAITS = _figures("90.27 90.53", "90.73 90.76", "39.28 39.74", "93.87 93.94")
DEPTHS = _figures(
    "90.53 90.67 90.69 90.79", "90.76 91.51 92.05 92.26", "39.74 40.23 40.52 40.68", "93.94 93.96 93.94 93.95"
)
LENGTHS = _figures(
    "93.4 92.4 90.4 90.4 89.7", "96.7 93.7 91.8 89.8 87.9", "85.2 56.1 32.5 16.8 8.7", "94.6 94.7 93.4 94.0 93.3"
)
TAGS = _figures("90.7 90.8 92.0", "92.0 92.3 93.9", "40.8 40.7 43.6", "93.8 94.0 95.0")
"""Tables 2 to 5: figures by metric."""

SWEDISH_WAITS = (*printed("81.48 81.82"), None), (*printed("87.95 88.47"), None)
SWEDISH_DEPTHS = (*printed("81.82"), None, *printed("82.31"), None), (*printed("88.47"), None, *printed("89.07"), None)
"""LAS and UAS of Table 8, which counts all tokens: without WaitLeft and with it; with depth 1 and 3."""


def _metric_rows(columns: Sequence[Counts], figures: Mapping[str, Sequence[Decimal]]) -> Iterator[tuple[Value, ...]]:
    """Yield a row for each metric, each with the figures of the paper below, which may be fewer than the columns."""
    for metric, (attribute, _) in METRICS.items():
        yield metric, *(rate(getattr(counts, attribute)) for counts in columns)
        if own := figures.get(metric):
            yield f"paper: {metric}", *own, *[None] * (len(columns) - len(own))


def _metric_table(
    results: Results,
    title: str,
    figures: Mapping[str, Sequence[Decimal]],
    source: str = "",
    swedish: Sequence[Sequence[Value]] = (),
    parses: Mapping[str, Treebank] | None = None,
) -> Table:
    """Return all metrics of parses with the figures of the paper, then LAS and UAS, and those of Swedish."""
    context, parses = results.context, parses or results.systems
    rows = [*_metric_rows([context.counts(parse, punctuation=False) for parse in parses.values()], figures)]
    counts = [context.counts(parse) for parse in parses.values()]
    rows += [("LAS", *(rate(own.las) for own in counts)), ("UAS", *(rate(own.uas) for own in counts))]
    rows += [(f"paper: Swedish {name}", *own) for name, own in zip(("LAS", "UAS"), swedish, strict=False)]
    legends, note = {"a column for each parser": "its figures", **LEGENDS}, "which is scored in LAS and UAS only"
    return Table(title, ("", *parses), tuple(rows), source, f"{PUNCTUATION}, {note}.", legends)


waits = Study(
    "with and without the action WaitLeft (Chang, Do & Roth 2006, Table 2)",
    PAPER,
    lambda own: [_metric_table(own, "Actions to wait, depth 1", WAITS, "Tables 2 and 8", SWEDISH_WAITS)],
    (
        Claim("WaitLeft increases the accuracy", "section 3.4", better("uas", "with WaitLeft", "without WaitLeft")),
        Claim("WaitRight is not needed", "Lemma 4", not_worse("uas", "with WaitLeft", "with both waits")),
    ),
    {
        "without WaitLeft": PipelineTrainer(wait_left=False, wait_right=False, depth=1),
        "with WaitLeft": PipelineTrainer(wait_left=True, wait_right=False, depth=1),
        "with both waits": PipelineTrainer(wait_left=True, wait_right=True, depth=1),
    },
)

DEPTH = tuple(f"depth {depth}" for depth in (1, 2, 3, 4))


def _deeper_is_better(results: Results) -> tuple[Outcome, str]:
    uas = [results.score(name, "uas") for name in DEPTH]
    p = results.context.p_value(results.systems[DEPTH[0]], results.systems[DEPTH[-1]], "uas")
    shown, grows = ", ".join(f"{score:.2f}" for score in uas), sorted(uas) == uas and uas[0] < uas[-1]
    return outcome(grows, p.p), f"UAS by depth: {shown} ({p} from the first to the last)"


look_ahead = Study(
    "depth of the look ahead (Chang, Do & Roth 2006, Table 3)",
    PAPER,
    lambda own: [_metric_table(own, "Depth of the look ahead", DEPTHS, "Tables 3 and 8", SWEDISH_DEPTHS)],
    (
        Claim("Looking ahead improves the accuracy", "section 3.4", worse("uas", *DEPTH)),
        Claim("Increasing the depth usually improves the accuracy", "Table 3", _deeper_is_better),
    ),
    {name: PipelineTrainer(depth=depth) for depth, name in enumerate(DEPTH, start=1)},
)

POLICIES: dict[Policy, int] = {"start-over": 156_545, "stay": 117_819, "step-back": 43_374}
LEFT, RIGHT = 26_351, 27_918
"""Policies of the focus point, with the Shifts of the paper; every policy takes a Left or a Right for each arc."""


def _actions(results: Results) -> dict[Policy, dict[str, int]]:
    return {policy: count_actions(results.context.test, policy, wait_left=False) for policy in POLICIES}


def _policies(results: Results) -> list[Table]:
    rows: list[tuple[Value, ...]] = []
    for policy, actions in _actions(results).items():
        shift, left, right, rounds = (actions[name] for name in ("shift", "left", "right", "rounds"))
        paper = POLICIES[policy], LEFT, RIGHT, round(POLICIES[policy] / (LEFT + RIGHT), 2)
        rows.append((policy, shift, left, right, rounds, round(shift / max(1, left + right), 2), *paper))
    source = "Table 1, section 23 of the Penn Treebank"
    note = "Without WaitLeft, as in the paper. Trees of the test set that are not projective are lifted first."
    legends = {
        "Shift": "number of actions that move the focus on",
        "Left": "number of actions that attach the right word of a pair to the left one",
        "Right": "number of actions that attach the left word of a pair to the right one",
        "rounds": "number of passes over all sentences",
        "Shifts for an arc": "Shifts divided by the number of arcs",
    }
    columns = ("", *legends, *(f"paper: {name}" for name in legends if name != "rounds"))
    return [
        Table("Actions of the gold action predictor", columns, tuple(rows), source, note, legends),
        _metric_table(results, "Parsers, depth 1", {}),
    ]


def _fewest_actions(results: Results) -> tuple[Outcome, str]:
    shifts = {policy: actions["shift"] for policy, actions in _actions(results).items()}
    holds = shifts["step-back"] < min(shifts["stay"], shifts["start-over"])
    return outcome(holds), ", ".join(f"{policy} {number:,} Shifts" for policy, number in shifts.items())


policies = Study(
    "actions and accuracy by policy of the focus point (Chang, Do & Roth 2006, Table 1)",
    PAPER,
    _policies,
    (
        Claim("Step Back needs the fewest actions", "section 2.1", _fewest_actions),
        Claim("Step Back also gives the best dependency accuracy", "section 2.1", better("uas", *list(POLICIES)[::-1])),
    ),
    {policy: PipelineTrainer(policy=policy, depth=1) for policy in POLICIES},
)

BINS = ("<11", "11-20", "21-30", "31-40", ">40")
"""Lengths of sentences with punctuation; see `treevote.evaluation.factors.TENS`."""

LOSS = 3.7  # the loss of dependency accuracy of the paper's system from its shortest to its longest sentences


def _by_length(results: Results, system: str) -> list[Counts]:
    bins, parse = np.searchsorted(TENS, results.context.test.lengths), results.systems[system]
    return [results.context.counts(parse, bins == number, punctuation=False) for number in range(len(BINS))]


def _sentence_length(results: Results) -> Iterator[Table]:
    test = results.context.test
    sizes = np.bincount(np.searchsorted(TENS, test.lengths), minlength=len(BINS)).tolist()
    note = f"{PUNCTUATION}, which is not scored, but is counted for the length."
    legends = {"a column for each length": "sentences of so many tokens", "sentences": "number of sentences"}
    legends |= {name: line for name, line in LEGENDS.items() if name != "UAS"}
    for name in results.systems:
        bins = _by_length(results, name)
        counts = [*bins, sum(bins, Counts())]
        las = ("LAS", *(rate(own.las) for own in counts))
        rows = (("sentences", *sizes, test.n_sentences), *_metric_rows(counts, LENGTHS), las)
        yield Table(name, ("", *BINS, "all"), rows, "Table 4", note, legends)


def _loss(results: Results) -> tuple[Outcome, str] | None:
    losses = {}
    for name in results.systems:
        shortest, _, _, *longest = _by_length(results, name)
        losses[name] = shortest.dependency_accuracy - sum(longest, Counts()).dependency_accuracy
    known = {name: loss for name, loss in losses.items() if not math.isnan(loss)}
    shown = ", ".join(f"{loss:.2f} ({name})" for name, loss in known.items())
    evidence = f"from <11 to >30 words the dependency accuracy falls by {shown}"
    return (outcome(all(loss <= LOSS for loss in known.values())), evidence) if known else None


sentence_length = Study(
    "accuracy by length of the sentence (Chang, Do & Roth 2006, Table 4)",
    PAPER,
    _sentence_length,
    (Claim("Long sentences are parsed nearly as well as short ones", f"Table 4: {LOSS} lost at the most", _loss),),
    SYSTEM,
    members=DEFAULT_MEMBERS,
    votes={"vote": ()},
)

FOLDS = 10

CONDITIONS = ("gold-predicted", "predicted-predicted", "gold-gold", "predicted-gold")
"""Tags in training, tags in testing; the paper has the first three."""


def _tag_conditions(context: Context) -> Conditions:
    """Predict the tags of the training set by jack-knifing, those of the test set by a tagger of all training data.

    Each fold is tagged by a tagger of the other folds: its tags have the errors that the parser meets in the test set.
    """
    gold = context.training
    parts = [tuple(map(gold.select, part)) for part in folds_of(gold.n_sentences, FOLDS)]
    jobs = [
        Tagging(f"tagging {number}/{FOLDS + 1}", TaggerTrainer(), compact(training), compact(own), context.seed)
        for number, (training, own) in enumerate([*parts, (gold, context.test)], start=1)
    ]
    *tagged, test = context.run(jobs)
    trainings = {"gold": gold, "predicted": rejoined(tagged, gold.name)}
    tests = {"gold": context.test, "predicted": test}
    return {name: (trainings[one], tests[other]) for name in CONDITIONS for one, other in [name.split("-")]}


def _tag_accuracy(gold: Treebank, tagged: Treebank) -> list[Value]:
    """Return the percentages of tokens with the right UPOS, XPOS, FEATS, and all three."""
    of_gold, of_tagged = (
        np.array([[getattr(word, column) for column in COLUMNS] for word in it.words], object) for it in (gold, tagged)
    )
    right = of_gold[gold.tokens[gold.is_token]] == of_tagged[tagged.tokens[tagged.is_token]]
    return [percent(int(own.sum()), gold.n_tokens) for own in (*right.T, right.all(1))]


def _tags(results: Results) -> Iterator[Table]:
    context = results.context
    training, test = results.conditions["predicted-predicted"]
    rows: list[tuple[Value, ...]] = [
        ("training, jack-knifed", *_tag_accuracy(context.training, training)),
        ("test", *_tag_accuracy(context.test, test)),
        ("paper: test", *printed("97.2"), None, None, None),
    ]
    legends = {f"{name} %": f"percent of the tokens with the right {name}" for name in ("UPOS", "XPOS", "FEATS")}
    legends["all %"] = "percent of the tokens with all three right"
    yield Table("The tagger", ("", *legends), tuple(rows), "section 3", legends=legends)
    for name in results.systems:
        parses = {condition: results.parses[condition][name] for condition in CONDITIONS}
        table = _metric_table(results, name, TAGS, "Table 5", parses=parses)
        legends = {"a column for each pair": "tags in training, and in testing: gold or predicted", **LEGENDS}
        yield dataclasses.replace(table, columns=("training tags-test tags", *CONDITIONS), legends=legends)


def _gain(results: Results) -> tuple[Outcome, str]:
    holds, worst, shown = True, 0.0, []
    for name in results.systems:
        gold, predicted, best = (results.score(name, "las", condition) for condition in CONDITIONS[:3])
        one, other = (results.parses[condition][name] for condition in CONDITIONS[:2])
        p = results.context.p_value(other, one, "las")
        holds, worst = holds and predicted > gold, max(worst, p.p)
        scores = f"{name}: {gold:.2f} LAS trained on gold tags, {predicted:.2f} on predicted tags ({p})"
        shown.append(f"{scores}; {best:.2f} with gold tags throughout")
    return outcome(holds, worst), "; ".join(shown)


tags = Study(
    "gold or predicted tags in training and test (Chang, Do & Roth 2006, Table 5)",
    PAPER,
    _tags,
    (Claim("If tags are predicted in testing, it is better to train on predicted tags", "Table 5", _gain),),
    SYSTEM,
    members=("lr-maxent-forward",),
    conditions=_tag_conditions,
    fewest_sentences=FOLDS,
)
