"""The report of a vote over files: who voted with which weight, what it gained, and what was no tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from treevote.evaluation.verdict import Probability
from treevote.terminal import plural, table, wrapped

LEGENDS = {
    "LAS": "LAS, UAS: % of the tokens with the right head, with and without the right label",
    "weight": "weight: of its votes",
    "ablation": "ablation: LAS that the vote loses without a system, or would gain with one that was left out",
    "place": "place: among the voters; the first decides ties, and its text is kept",
}


def as_text(facts: Mapping[str, Any]) -> str:
    """Return the report: ``facts`` are those of `treevote.commands.vote.Voted`."""
    return "\n\n".join(_parts(facts))


def _parts(facts: Mapping[str, Any]) -> Iterator[str]:
    systems, development = facts["systems"], facts.get("development")
    if development:
        yield _table(facts)
        gain = development["gain"]
        if gain["las"] is not None:
            p = Probability(gain["p"], gain["p_is_bound"])
            sign = "above" if gain["las"] >= 0 else "below"
            chance = "" if p.significant else "; the difference is not significant"
            yield wrapped(
                f"the vote has {development['las']:.2f} LAS on the development set, {abs(gain['las']):.2f} {sign} "
                f"{gain['over']}, the best system (95 % interval "
                f"{gain['low']:+.2f} to {gain['high']:+.2f}, {p}){chance}"
                + (
                    "; systems and weights were chosen on the same sentences, so it is rather too good"
                    * facts["selected"]
                )
            )
        left_out = [own["name"] for own in systems if own["place"] is None]
        if left_out:
            yield f"left out, since the vote is no better with them: {', '.join(left_out)}"
    broken = [
        f"{own['name']}: {plural(finding['sentences'], 'sentence')} with {finding['name']} "
        f"({', '.join(map(str, finding['first']))}{', ...' * (finding['sentences'] > len(finding['first']))})"
        for own in systems
        if own["place"] is not None
        for finding in own["ill_formed"]
    ]
    if broken:
        yield "\n".join(["no trees, for which the vote has trees:", *broken])
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
        cells = {"LAS": f"{own['las']:.2f}", "UAS": f"{own['uas']:.2f}"}
        cells["weight"] = "-" if own["weight"] is None else f"{own['weight']:.3f}"
        ablation = own.get("ablation")
        cells["ablation"] = "" if ablation is None else f"{ablation:+.2f}"
        cells["place"] = str(own["place"] or "left out")
        rows.append([own["name"], *(cells[name] for name in columns)])
    vote = {"LAS": f"{development['las']:.2f}", "UAS": f"{development['uas']:.2f}"}
    rows.append(["vote", *(vote.get(name, "") for name in columns)])
    legend = "; ".join(LEGENDS[name] for name in columns if name in LEGENDS)
    title = f"development, {plural(development['sentences'], 'sentence')}"
    return f"{table([title, *columns], rows)}\n{wrapped(legend)}"
