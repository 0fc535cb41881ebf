"""The report of a vote over systems: who voted with which weight, what it gained, and what was no tree."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from treevote.ensemble.system_vote import SystemVote
from treevote.evaluation.verdict import Probability, interval, signed
from treevote.report import scores
from treevote.report.answer import answer
from treevote.terminal import plural, table, wrapped

LEGENDS = {
    "LAS": scores.LEGENDS["LAS"],
    "weight": "weight: of its votes",
    "ablation": "ablation: LAS that the vote loses without a system, or would gain with one that was left out",
    "place": "place: among the voters; the first decides ties, and its text is kept",
}


def as_json(voted: SystemVote, output: str | os.PathLike[str], command: str = "") -> str:
    """Return the report as JSON."""
    return answer("vote", {"output": os.fspath(output), "voters": voted.voters, **voted.facts}, command)


def as_text(voted: SystemVote) -> str:
    """Return the report for a person to read."""
    return "\n\n".join(_parts(voted.facts))


def _parts(facts: Mapping[str, Any]) -> Iterator[str]:
    systems, development = facts["systems"], facts.get("development")
    if development:
        yield _table(facts)
        gain = development["gain"]
        if gain["las"] is not None:
            p = Probability(gain["p"], gain["p_is_bound"])
            sign = "above" if gain["las"] >= 0 else "below"
            parts = [
                f"the vote has {development['las']:.2f} LAS on the development set, {abs(gain['las']):.2f} {sign} "
                f"{gain['over']}, the best system ({interval(gain['low'], gain['high'], p)})"
            ]
            parts += [] if p.significant else ["the difference is not significant"]
            chosen = "systems and weights were chosen on the same sentences, so it is rather too good"
            yield wrapped("; ".join([*parts, *([chosen] if facts["selected"] else [])]))
        gains = {own["name"]: own["ablation"] for own in systems if own["place"] is None}
        yield from scores.left_out(gains)
    broken = [
        f"{own['name']}: {plural(finding['sentences'], 'sentence')} with {finding['name']} "
        f"({', '.join(map(str, finding['first']))}{', ...' * (finding['sentences'] > len(finding['first']))})"
        for own in systems
        if own["place"] is not None
        for finding in own["ill_formed"]
    ]
    if broken:
        yield "\n".join(["no tree in these sentences; the vote has one wherever a system has heads:", *broken])
    n = sum(own["place"] is not None for own in systems)
    by_pos = f" by {plural(facts['parts_of_speech'], 'part')} of speech" if facts["parts_of_speech"] else ""
    roots = "one root each" if facts["single_root"] else "one root or several"
    sentences = plural(facts["sentences"], "sentence")
    yield f"{plural(n, 'system')} voted on {sentences} with {roots}; weights: {facts['weights']}{by_pos}"


def _table(facts: Mapping[str, Any]) -> str:
    """Return the table of development scores, weights and places, with a legend."""
    systems, development = facts["systems"], facts["development"]
    ranked = sorted(systems, key=lambda own: (own["place"] is None, own["place"] or 0, -own["las"]))
    columns = ["LAS", "UAS", "weight", *(["ablation"] if facts["selected"] else []), "place"]
    rows = []
    for own in ranked:
        weight = "-" if own["weight"] is None else f"{own['weight']:.3f}"
        gives = ["" if own.get("ablation") is None else signed(own["ablation"])] if facts["selected"] else []
        rows.append([own["name"], *scores.attachment(own), weight, *gives, str(own["place"] or "left out")])
    rows.append(["vote", *scores.attachment(development), *[""] * (len(columns) - 2)])
    legend = "; ".join(LEGENDS[name] for name in columns if name in LEGENDS)
    title = f"development, {plural(development['sentences'], 'sentence')}"
    return f"{table([title, *columns], rows)}\n{wrapped(legend)}"
