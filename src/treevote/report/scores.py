"""A training as text and JSON: tables of its members, of selection, disagreement, and reliability of the confidence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from treevote.ensemble.parser import score_tags
from treevote.evaluation.lights import NAMES
from treevote.evaluation.verdict import signed
from treevote.report.answer import answer
from treevote.terminal import duration, size, table, wrapped

if TYPE_CHECKING:
    from treevote.commands.train import TrainingResult

LEGENDS = {
    "LAS": "LAS: % of the tokens with the right head and label; UAS: with the right head",
    "uniquely correct": "uniquely correct: % of the tokens that this member alone has right",
    "ablation": "ablation: LAS that the vote loses without a member, or would gain with one that was left out",
    "ms/1000 tokens": "ms/1000 tokens: CPU time of parsing",
    "votes": "votes: whether it is a member; for the vote its weights",
    "oracle": "oracle: any candidate has it right",
}
"""An explanation of each column, and of the last row, below the table."""

HALVES = (
    "vote: each half of the sentences is scored with weights learned on the other half; the model has weights learned "
    "on all of them, so treevote evaluate may print a higher LAS, the more so the fewer they are"
)
"""A line about the vote of a model whose weights were learned on the sentences that it was measured on."""

RELIABILITY = (
    "confidence: the mean of a range of ten points; right: the share of its arcs that are right; expected calibration "
    "error: the mean distance of the two over all arcs, 0 for a perfect one"
)
"""The same for the table of confidence."""


def as_text(trained: TrainingResult) -> str:
    """Return scores, time and size for a person to read."""
    last = f"trained in {duration(trained.seconds)}, {size(trained.n_bytes)} on disk"
    return f"{scores(trained.parser.facts, trained.parser.members, trained.milliseconds)}\n\n{last}"


def as_json(trained: TrainingResult, output: str | os.PathLike[str], command: str = "") -> str:
    """Return the facts of the model, with time and size, as JSON."""
    measured: dict[str, Any] = {"score_tags": score_tags(trained.parser.facts), "seconds": round(trained.seconds, 1)}
    measured |= {"bytes": trained.n_bytes, "milliseconds": trained.milliseconds}
    facts = {"model": os.fspath(output), "members": list(trained.parser.members), **trained.parser.facts}
    return answer("training", facts | measured, command)


def scores(facts: Mapping[str, Any], members: Iterable[str], milliseconds: Mapping[str, float] | None = None) -> str:
    """Return the scores of a model, with the CPU time of each member for 1,000 tokens if it was measured, as tables."""
    if "scores" not in facts:
        return "not measured: no scores and no confidence; add --dev FILE, or --folds 3"
    reading = facts.get("reading", {})
    parts = [_tags(reading)] if "accuracy" in reading else []
    if "selection" in facts:
        parts.append(_selection(facts, milliseconds or {}))
    else:
        rows = attachments(facts["scores"], members)
        parts.append(f"{table([_measured_on(facts), 'LAS', 'UAS'], rows)}\n{LEGENDS['LAS']}")
        if len(rows) > 1 and facts["weights"] != "equal":
            parts[-1] += f"\n{wrapped(HALVES)}"
    if len(facts["diversity"]["names"]) > 1:
        parts.append(_disagreement(facts["diversity"]))
    if facts.get("reliability"):
        parts.append(confidence(facts["reliability"]))
    if facts.get("lights"):
        parts.append(_lights(facts["lights"]))
    return "\n\n".join(parts)


def attachments(scored: Mapping[str, Any], members: Iterable[str]) -> list[list[str]]:
    """Return LAS and UAS of the members and of their vote, by name; those of a single member once."""
    names = list(members)
    return [[name, *attachment(scored[name])] for name in (names if len(names) == 1 else [*names, "vote"])]


def percentage(value: float | None) -> str:
    """Return a percentage with two decimals; ``-`` if there is none."""
    return "-" if value is None else f"{value:.2f}"


def attachment(score: Mapping[str, float] | None) -> tuple[str, str]:
    """Return LAS and UAS as `percentage` writes them."""
    return ("-", "-") if score is None else (percentage(score["las"]), percentage(score["uas"]))


def _tags(reading: Mapping[str, Any]) -> str:
    accuracy, agreement = reading["accuracy"], reading.get("agreement", {})
    rows: list[tuple[str, float, Mapping[str, float | None]]] = [("tagger", 100.0, accuracy)]
    if agreement:
        rows.append(("where its taggers agree", agreement["tokens"], agreement["agreed"]))
        rows.append(("elsewhere", 100 - agreement["tokens"], agreement["others"]))
    legend = (
        "% of the tokens with the right tag or lemma; AllTags: UPOS, XPOS and FEATS. These are whole columns; in "
        "treevote cascade only the universal features count, and no lemma where the gold one is _. The scores below "
        f"are of trees with the tags of this tagger; the members were trained on {reading['tags']} tags"
    )
    cells = [[name, f"{share:.2f}", *map(percentage, own.values())] for name, share, own in rows]
    lines = [table(["development", "% of tokens", *accuracy], cells), wrapped(legend)]
    if "reliability" in reading:
        lines.append(wrapped(_calibration("confidence that all tags of a token are right", reading["reliability"])))
    return "\n".join(lines)


def _selection(facts: Mapping[str, Any], milliseconds: Mapping[str, float]) -> str:
    """Return the table of all candidates, and a sentence about those that were left out."""
    selection, diversity = facts["selection"], facts["diversity"]
    chosen, las = selection["members"], selection["las"]
    figures = zip(diversity["las"], diversity["uas"], diversity["alone"], strict=True)
    of = dict(zip(diversity["names"], figures, strict=True))
    names = [*chosen, *sorted((name for name in of if name not in chosen), key=lambda name: -of[name][0])]
    rows = []
    for name in names:
        other = selection["without"].get(name) if name in chosen else selection["with_too"][name]
        gives = "" if other is None else signed(las - other if name in chosen else other - las)
        time = f"{milliseconds[name]:.1f}" if name in milliseconds else ""
        rows.append([name, *(f"{rate:.2f}" for rate in of[name]), gives, time, "yes" if name in chosen else "no"])
    time = f"{sum(milliseconds[name] for name in chosen):.1f}" if milliseconds else ""
    rows.append(["vote", *attachment(facts["scores"]["vote"]), "", "", time, selection["weights"]])
    rows.append(["oracle", f"{diversity['oracle_las']:.2f}", f"{diversity['oracle_uas']:.2f}", "", "", "", ""])
    header = [_measured_on(facts), "LAS", "UAS", "uniquely correct", "ablation", "ms/1000 tokens", "votes"]
    if not milliseconds:
        header, *rows = [[*row[:5], row[6]] for row in (header, *rows)]
    legend = "; ".join(LEGENDS[name] for name in (*header, "oracle") if name in LEGENDS)
    lines = [table(header, rows), wrapped(legend)]
    gains = {name: selection["with_too"][name] - las for name in names if name not in chosen}
    return "\n".join([*lines, *left_out(gains)])


def left_out(gains: Mapping[str, float]) -> Iterator[str]:
    """Yield sentences about those that were left out, by the LAS that the vote would gain with each."""
    reasons = {False: "since the vote is no better with them", True: "though the vote would be better with them"}
    for is_better, why in reasons.items():
        if names := [name for name, gain in gains.items() if (gain > 0) == is_better]:
            yield f"left out, {why}: {', '.join(names)}"


def _disagreement(diversity: Mapping[str, Any]) -> str:
    """Return the table of the shares of tokens to which two members give different arcs."""
    names = diversity["names"]
    rows = [
        [f"{i} {name}", *(f"{share:.1f}" if i - 1 != j else "" for j, share in enumerate(shares))]
        for i, (name, shares) in enumerate(zip(names, diversity["disagreement"], strict=True), start=1)
    ]
    return table(["% of tokens on which two differ", *(str(i) for i in range(1, len(names) + 1))], rows)


def confidence(reliability: Mapping[str, Any]) -> str:
    """Return the table of reliability of arcs, and a sentence on arcs and on labels."""
    rows = [[f"{mean:.3f}", f"{accuracy:.3f}", f"{arcs:,}"] for arcs, mean, accuracy in reliability["arc"]["bins"]]
    told = _calibration("arcs", reliability["arc"]), _calibration("arcs with their labels", reliability["label"])
    return "\n".join([table(["confidence of arcs", "right", "arcs"], rows), wrapped(RELIABILITY), *told])


def _lights(limits: Mapping[str, Any]) -> str:
    """Return the limits of the lights, and share and precision of each."""
    told = []
    for name in NAMES:
        of, precision = limits[f"{name}_arcs"], limits[f"{name}_arcs"]["precision"]
        told.append(f"{name} {of['share']:.1f} %" + ("" if precision is None else f", {precision:.1f} % right"))
    green = "none" if limits["green"] > 1 else f"a confidence in arc and label of {limits['green']:.3f} or more"
    limit = f"green: {green}; red: below {limits['red']:.3f}"
    return wrapped(f"lights of arcs: {'; '.join(told)} ({limit})")


def _calibration(what: str, of: Mapping[str, Any]) -> str:
    error = f"{what}: expected calibration error {of['error']:.3f}"
    if of["precision"] is None:
        return f"{error}; none has a confidence of 0.95 or more"
    known = f"{of['coverage']:.1f} % have a confidence of 0.95 or more, and {of['precision']:.1f} % of them are right"
    return wrapped(f"{error}; {known}")


def _measured_on(facts: Mapping[str, Any]) -> str:
    data = f"{facts['folds']} folds" if "folds" in facts else "development"
    return f"{data}, {score_tags(facts)} tags"
