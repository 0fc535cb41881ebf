"""Studies of Sagae & Tsujii (2007): transition-based members and their vote, agreement, and direction."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from decimal import Decimal

from treevote.adaptation.annotation import agreement as agreement_by_sentence
from treevote.ensemble.members import members_of
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import Counts
from treevote.evaluation.factors import direction as sides_of
from treevote.evaluation.verdict import signed
from treevote.studies.report import Outcome, Table, Value, outcome, percent, printed, printed_by_name, rate
from treevote.studies.study import Claim, Results, Study, better, score_table

PAPER = "Sagae & Tsujii 2007"

FOUR = ("lr-maxent-forward", "lr-maxent-backward", "lr-svm-forward", "lr-svm-backward")
THREE = FOUR[:3]  # the voters of the shared task

VOTE_OF_THREE, VOTE_OF_ALL = "vote of the paper's three", "vote of all"

TURKISH: Mapping[str, Decimal] = dict(
    zip((*FOUR, VOTE_OF_THREE, VOTE_OF_ALL), printed("72.3 75.0 73.1 75.7 75.8 77.9"), strict=True)
)
HUNGARIAN: Mapping[str, Decimal] = dict(zip((*THREE, VOTE_OF_THREE), printed("77.3 77.3 76.1 79.3"), strict=True))
"""LAS on development data; that of the two Hungarian MaxEnt models is said to be "about 77.3"."""

LANGUAGES = printed_by_name(
    "paper: Arabic 74.71 84.04, paper: Basque 74.64 81.19, paper: Catalan 88.16 93.34, paper: Chinese 84.69 88.94, "
    "paper: Czech 74.83 81.27, paper: English 89.01 89.87, paper: Greek 73.58 80.37, paper: Hungarian 79.53 83.51, "
    "paper: Italian 83.91 87.68, paper: Turkish 75.91 82.72, paper: mean of the ten 79.90 85.29"
)
"""LAS and UAS of the ensemble on the test data of CoNLL 2007 (Table 2)."""

PAIR, PAIRS = (FOUR[0], FOUR[3]), {"MaxEnt": FOUR[:2], "SVM": FOUR[2:]}
"""The pair whose agreement chooses sentences in the paper; forward and backward member with the same learner."""

HEAD_FINAL = 80  # percent of heads to the right in the language in which the paper found backward to be better


def _members(results: Results) -> list[Table]:
    systems = results.systems
    rows = tuple((name, *results.scores(name), TURKISH.get(name), HUNGARIAN.get(name)) for name in systems)
    columns = ("", "LAS", "UAS", "paper: Turkish (CoNLL 2007 dev) LAS", "paper: Hungarian (CoNLL 2007 dev) LAS")
    vote = VOTE_OF_THREE if VOTE_OF_THREE in systems else VOTE_OF_ALL
    title, names = "The vote beside the languages of the paper", {f"{results.context.test.name}, {vote}": vote}
    return [
        Table("Members and votes", columns, rows, "section 5, development data of CoNLL 2007"),
        score_table(results, title, names, LANGUAGES, "Table 2, test data of CoNLL 2007"),
    ]


_three_are_better = better("las", VOTE_OF_THREE, *THREE)


def _fourth_helps(results: Results) -> tuple[Outcome, str] | None:
    return better("las", VOTE_OF_ALL, VOTE_OF_THREE)(results) if results.context.members == FOUR else None


MAXENT = {"learner": "inequality-maxent", "templates": "paper", "search": "best-first"}
SVM = {"learner": "pairs-svm", "templates": "paper", "search": "greedy"}
PAPER_SETTINGS = {name: SVM if "svm" in name else MAXENT for name in FOUR}
"""Learners, features and search of sections 2 and 3."""

members = Study(
    "LR members and their vote (Sagae & Tsujii 2007, Table 2)",
    PAPER,
    _members,
    (
        Claim("The vote of the paper's three is better than each of them", "section 5", _three_are_better),
        Claim("The vote of all is better than each of its members", "section 5", better("las", VOTE_OF_ALL)),
        Claim("A backward SVM beside the three improves the vote", "section 5", _fourth_helps),
    ),
    members=FOUR,
    paper_settings=PAPER_SETTINGS,
    fewest=2,
    votes={VOTE_OF_THREE: THREE, VOTE_OF_ALL: ()},
)


def agreed(results: Results, names: Sequence[str]) -> tuple[int, Counts]:
    """Return the number of test sentences on which systems agree wholly, and the counts of the first system there."""
    same = agreement_by_sentence([results.systems[name] for name in names]) == 1
    return int(same.sum()), results.context.counts(results.systems[names[0]], same)


def _where_agreed(results: Results, names: Sequence[str]) -> tuple[float | None, ...]:
    """Return the shares of sentences and tokens on which systems agree wholly, and LAS and UAS there, in percent."""
    (n_agreed, there), test = agreed(results, names), results.context.test
    shares = percent(n_agreed, test.n_sentences), percent(there.tokens, test.n_tokens)
    return *shares, rate(there.las), rate(there.uas)


def _agreement(results: Results) -> list[Table]:
    names = tuple(results.systems)
    rows: list[tuple[Value, ...]] = [
        (" + ".join(pair), *_where_agreed(results, pair), *(rate(results.score(name)) for name in pair))
        for pair in itertools.combinations(names, 2)
    ]
    if len(names) > 2:
        rows.append(("all", *_where_agreed(results, names), None, None))
    rows.append(("paper: " + " + ".join(PAIR), None, None, "just above 90", None, "78 to 79", "78 to 79"))
    legends = {
        "sentences %": "percent of the sentences to which the members give the same heads and labels",
        "tokens %": "percent of the tokens, those of these sentences",
        "LAS where they agree": "LAS on these sentences",
        "UAS where they agree": "UAS on these sentences",
        "LAS first": "LAS of the member named first, on all sentences",
        "LAS second": "LAS of the member named second, on all sentences",
    }
    source = "sections 4 and 5, English in another domain"
    return [Table("Sentences on which members agree wholly", ("", *legends), tuple(rows), source, legends=legends)]


def _agreement_is_correct(results: Results) -> tuple[Outcome, str]:
    las = {name: results.score(name) for name in results.systems}
    found = {pair: agreed(results, pair) for pair in itertools.combinations(las, 2)}
    one, other = pair = PAIR if PAIR in found else next(iter(found))
    holds = all(there.las > max(las[name] for name in own) for own, (_, there) in found.items())  # nan is not above
    n_agreed, there = found[pair]
    if not n_agreed:
        return outcome(holds), f"{one} and {other} agree on no sentence"
    return outcome(holds), (
        f"{one} and {other} agree on {100 * n_agreed / results.context.test.n_sentences:.2f} % of the sentences, with "
        f"{there.las:.2f} LAS there against {las[one]:.2f} and {las[other]:.2f} overall"
    )


agreement = Study(
    "how right members are where two of them agree (Sagae & Tsujii 2007)",
    PAPER,
    _agreement,
    (Claim("Agreement of two models is an indication of correctness", "section 5", _agreement_is_correct),),
    members=FOUR,
    paper_settings=PAPER_SETTINGS,
    fewest=2,
)


def _gains(results: Results) -> Mapping[str, float]:
    score = results.score
    return {learner: score(backward) - score(forward) for learner, (forward, backward) in PAIRS.items()}


def _shares(results: Results) -> list[float | None]:
    """Return the percentages of heads to the left and to the right in the training set."""
    training = results.context.training
    return [percent((sides_of(training).column == side).sum(), training.n_tokens) for side in (0, 1)]


def _direction(results: Results) -> list[Table]:
    context, test = results.context, results.context.test
    hits = {name: right_arcs(test, parse, convention=context.convention)[1] for name, parse in results.systems.items()}
    names, column = sides_of(test)
    rows: list[tuple[Value, ...]] = []
    for title, mask in (*((names[side], column == side) for side in (0, 1)), ("all", test.is_token)):
        rows.append((title, int(mask.sum()), *(percent((own & mask).sum(), mask.sum()) for own in hits.values())))
    gains: list[tuple[Value, ...]] = [
        (context.training.name, *_shares(results), *map(rate, _gains(results).values())),
        ("paper: Turkish", "less than 4", "over 80", *printed("2.7 2.6")),
        ("paper: Hungarian", None, None, *printed("0.0"), None),
        ("paper: eight other languages", None, None, "just below 0", None),
    ]
    source = "section 5, development data of CoNLL 2007"
    note = "Shares are of all tokens of the training set; the rest to 100 hangs on ROOT."
    legends = {
        "heads to the left %": "percent of the tokens whose head stands before them",
        "heads to the right %": "percent of the tokens whose head stands after them",
        "gain MaxEnt (LAS)": "LAS of lr-maxent-backward less that of lr-maxent-forward",
        "gain SVM (LAS)": "LAS of lr-svm-backward less that of lr-svm-forward",
    }
    by_side = {"a column for each parser": "its LAS on the tokens of the test set whose gold head is on that side"}
    return [
        Table("Heads and the gain of backward over forward", ("", *legends), tuple(gains), source, note, legends),
        Table("LAS by the side of the head", ("", "tokens", *hits), tuple(rows), legends=by_side),
    ]


def _backward_helps(results: Results) -> tuple[Outcome, str]:
    gains, (_, right), systems = _gains(results), _shares(results), results.systems
    p_value = results.context.p_value
    chance = {name: p_value(systems[forward], systems[backward], "las") for name, (forward, backward) in PAIRS.items()}
    shown = " and ".join(f"backward {name} {signed(gains[name])} LAS ({chance[name]})" for name in PAIRS)
    gain = gains["MaxEnt"]
    holds = gain > 0 if right is not None and right > HEAD_FINAL else gain < 0
    return outcome(holds, chance["MaxEnt"].p), f"{right} % of the heads are to the right; {shown}"


direction = Study(
    "sides of the heads, and the gain of reading backward (Sagae & Tsujii 2007)",
    PAPER,
    _direction,
    (
        Claim(
            f"Backward is better where over {HEAD_FINAL} % of the heads are to the right, elsewhere worse than forward",
            "section 5",
            _backward_helps,
        ),
    ),
    systems=members_of(FOUR),
)
