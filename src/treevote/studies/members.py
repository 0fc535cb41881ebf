"""LR members and their vote (Sagae & Tsujii 2007, Table 2, and the development figures of section 5)."""

from __future__ import annotations

from decimal import Decimal

from treevote.studies.tables import Finding, Report, Table, Value, printed
from treevote.studies.workbench import Workbench

PAPER = "Sagae & Tsujii 2007"

FOUR = ("lr-maxent-forward", "lr-maxent-backward", "lr-svm-forward", "lr-svm-backward")

THREE = FOUR[:3]
"""Those of the vote in the shared task."""

VOTE_OF_THREE, VOTE_OF_ALL = "vote of the paper's three", "vote of all"

_ROWS = (*FOUR, VOTE_OF_THREE, VOTE_OF_ALL)
TURKISH: dict[str, Decimal] = dict(zip(_ROWS, printed("72.3 75.0 73.1 75.7 75.8 77.9"), strict=True))
HUNGARIAN: dict[str, Decimal] = dict(zip((*THREE, VOTE_OF_THREE), printed("77.3 77.3 76.1 79.3"), strict=True))
"""LAS on development data; that of the two Hungarian MaxEnt models is said to be "about 77.3"."""

LANGUAGES = {
    language: printed(figures)
    for language, figures in {
        "Arabic": "74.71 84.04",
        "Basque": "74.64 81.19",
        "Catalan": "88.16 93.34",
        "Chinese": "84.69 88.94",
        "Czech": "74.83 81.27",
        "English": "89.01 89.87",
        "Greek": "73.58 80.37",
        "Hungarian": "79.53 83.51",
        "Italian": "83.91 87.68",
        "Turkish": "75.91 82.72",
        "mean of the paper": "79.90 85.29",
    }.items()
}
"""LAS and UAS of the ensemble on the test data of CoNLL 2007 (Table 2)."""


def members(bench: Workbench) -> Report:
    """Score each member, the vote of the paper's three, and the vote of all."""
    parses = bench.parses(bench.trainers)
    systems = dict(parses)
    if set(THREE) <= set(parses):
        systems[VOTE_OF_THREE] = bench.vote(parses[name] for name in THREE)
    systems[VOTE_OF_ALL] = bench.vote(parses.values())
    las = {name: bench.counts(parse).las for name, parse in systems.items()}
    best = max(parses, key=lambda name: las[name])
    rows = tuple(
        (name, *bench.scores(parse), TURKISH.get(name), HUNGARIAN.get(name)) for name, parse in systems.items()
    )
    p = bench.p_value(systems[VOTE_OF_ALL], systems[best], "arcs")
    findings = [
        Finding(
            f"The vote is better than each of its members ({PAPER}, section 5).",
            las[VOTE_OF_ALL] > las[best],
            f"vote of all {las[VOTE_OF_ALL]:.2f} LAS, best member {best} {las[best]:.2f} (p = {p:.4f})",
        )
    ]
    if tuple(parses) == FOUR:
        p = bench.p_value(systems[VOTE_OF_ALL], systems[VOTE_OF_THREE], "arcs")
        findings.append(
            Finding(
                f"A backward SVM beside the three improves the vote ({PAPER}, section 5).",
                las[VOTE_OF_ALL] > las[VOTE_OF_THREE],
                f"three {las[VOTE_OF_THREE]:.2f} LAS, four {las[VOTE_OF_ALL]:.2f} (p = {p:.4f})",
            )
        )
    vote = VOTE_OF_THREE if VOTE_OF_THREE in systems else VOTE_OF_ALL
    return Report(
        (
            Table(
                "Members and votes",
                ("", "LAS", "UAS", "paper: Turkish LAS", "paper: Hungarian LAS"),
                rows,
                f"{PAPER}, section 5, development data of CoNLL 2007",
            ),
            Table(
                "The vote beside the languages of the paper",
                ("", "LAS", "UAS"),
                ((f"{bench.test.name}, {vote}", *bench.scores(systems[vote])), *_languages()),
                f"{PAPER}, Table 2, test data of CoNLL 2007",
            ),
        ),
        tuple(findings),
    )


def _languages() -> tuple[tuple[Value, ...], ...]:
    return tuple((language, *figures) for language, figures in LANGUAGES.items())
