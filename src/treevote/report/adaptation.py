"""The report of an adaptation as text: settings, text, selected sentences, scores before and after, and the verdict.

It is made from the facts that an adapted model keeps, so it can be read again later from the model.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treevote.adaptation.measuring import BY_FOLDS
from treevote.adaptation.scheme import SCHEMES
from treevote.commands.adapt import Outcome
from treevote.config import to_mapping
from treevote.evaluation.verdict import Probability, interval, signed
from treevote.report.answer import answer
from treevote.report.scores import attachment, percentage
from treevote.terminal import WIDTH, plural, table, wrapped

DOMAINS = {"source": "old domain", "target": "new domain", BY_FOLDS: "new domain by folds"}
"""Names of the domains of scores."""

COLUMNS = {
    "identical": ("identical %", ".1f"),
    "agreed_tokens": ("agreed %", ".1f"),
    "sentences": ("selected", ","),
    "tokens": ("tokens", ","),
    "share_of_tokens": ("% of tokens", ".1f"),
    "length": ("length", ".1f"),
    "length_of_all": ("length of all", ".1f"),
    "new": ("new %", ".1f"),
}
"""Title and format of each figure of a selection of sentences; the taggers do not have the last one."""

LEGENDS = {
    "rounds": "identical: sentences on which the whole committee agrees. agreed: tokens with the same head and label "
    "by all. selected: sentences that join the training data. tokens, % of tokens, length: those of these sentences, "
    "their share of the text, and tokens a sentence. length of all: tokens a sentence of the text. new: tokens of the "
    "text that were not selected before.",
    "taggers": "agreed: tokens whose UPOS, FEATS and XPOS each tagger by itself chose as their vote did. identical: "
    "sentences of such tokens alone. selected: sentences that join the taggers' training data, with their tags; the "
    "text is then tagged again.",
    "tags": "% of the tokens with the right tag or lemma, before retraining; AllTags: UPOS, XPOS and FEATS.",
    "target": "Each parser of the committee by itself, and their vote. selected: labelled sentences that the same "
    "criteria select, with the scores of the vote there: how right the added sentences are. LAS, UAS: % of the tokens "
    "with the right head and label, and with the right head.",
    "calibration": "Mean difference of confidence and accuracy of arcs with labels (0: none), on the labelled "
    "sentences of the new domain, parsed by folds; the recalibration is cross-validated, too.",
    "folds": "new domain by folds: the labelled sentences that are trained on, each parsed by parsers that were "
    "trained on the others and not on the text.",
    "AllTags": "UPOS, AllTags: % of the tokens with the right tags.",
    "scores": "difference: after minus before, in points, with the 95 % interval of the paired bootstrap. p: the "
    "larger of its p-value and that of the randomization test.",
    "estimates": "A range, no measurement. From agreement: as much lower than on the old domain as the members agree "
    "less (treevote parse tells the same range); it held for nine of ten texts of treebanks and other languages, for "
    "five of six of small genres. From changes: the range before, and a guess at the gain of the changed arcs, since "
    "an adapted model is too sure of itself. From labels: the 95 % interval on the labelled sentences.",
}
"""An explanation below each table."""


def as_text(facts: Mapping[str, Any]) -> str:
    """Return the report of the facts of `treevote.adaptation.adapt.AdaptationResult.report`."""
    return "\n\n".join(_parts(facts))


def _parts(facts: Mapping[str, Any]) -> Iterator[str]:
    if "scheme" in facts:
        yield _settings(facts)
    if "distance" in facts:
        of = facts["distance"]
        yield wrapped(
            f"the text: {of['unknown_words']:.1f} % of its words and {of['unknown_tags']:.1f} % of its tags are not in "
            f"the training data; mean length of a sentence: {of['target_length']:.1f} tokens, in the training data "
            f"{of['source_length']:.1f}"
        )
    if "taggers" in facts:
        yield _told(_selections("taggers", {"on the text": facts["taggers"]}, list(COLUMNS)[:-1]), "taggers")
        if "on_target_dev" in facts["taggers"]:
            yield _told(_tags_on_target(facts["taggers"]["on_target_dev"]), "tags")
    if "added" in facts or "target_train" in facts:
        yield _data(facts)
    if "rounds" in facts:
        rounds = {str(number): each for number, each in enumerate(facts["rounds"], start=1)}
        yield _told(_selections("round", rounds, list(COLUMNS)), "rounds")
        if any("on_target_dev" in each for each in facts["rounds"]):
            yield _told(_on_target(facts["rounds"]), "target")
    if facts.get("labels"):
        rows = [[each["label"], f"{each['source']:.1f}", f"{each['added']:.1f}"] for each in facts["labels"]]
        yield table(["labels that differ most", "% of the training data", "% of the added sentences"], rows)
    if scores := facts.get("scores"):
        legends = ["folds"] if any(each["domain"] == BY_FOLDS for each in scores) else []
        legends += ["AllTags"] if any(each["metric"] == "AllTags" for each in scores) else []
        yield _told(_scores(scores), *legends, "scores")
    if errors := facts.get("target_train", {}).get("calibration_error"):
        names = {"before": "as on the old domain", "after": "recalibrated"}
        rows = [[title, f"{errors[key]:.3f}"] for key, title in names.items() if key in errors]
        yield _told(table(["confidence on the new domain", "calibration error"], rows), "calibration")
    if any("low" in each for each in facts.get("estimates", ())):  # an older model has none
        yield _told(_estimates(facts["estimates"]), "estimates")


def _told(rows: str, *legends: str) -> str:
    """Return a table with explanations below it."""
    return f"{rows}\n{wrapped(' '.join(LEGENDS[name] for name in legends))}"


def _settings(facts: Mapping[str, Any]) -> str:
    scheme = facts["scheme"]
    name = next((name for name, known in SCHEMES.items() if to_mapping(known) == scheme), "with settings of its own")
    source = " (Sagae & Tsujii 2007, section 4)" if name == "paper" else ""
    selection = scheme["selection"]
    least = selection["min_agreement"]
    agree = "identical parses" if least >= 1 else f"agreement on {100 * least:g} % of the tokens or more"
    number = "as many sentences as have " if selection["balanced"] else ""  # of long sentences some with less agreement
    limits = [f"{number}{agree}" if least > 0 else "all sentences"]
    limits += [f"confidence of {selection['min_confidence']:g} or more"] if selection["min_confidence"] else []
    limits += ["the same proportion of each length"] if selection["balanced"] else []
    lines = [("scheme", f"{name}{source}")]
    if facts.get("committee"):
        others = [f"parses by {plural(facts['external'], 'other parser')}"] if facts.get("external") else []
        lines.append(("committee", ", ".join([*sorted(facts["committee"]), *others])))
        lines.append(("selected", f"{', '.join(limits)}; at most {plural(scheme['rounds'], 'round')}"))
    if "taggers" in facts:
        share = scheme["tag_agreement"]
        learned = facts["taggers"].get("retrained", facts["taggers"]["sentences"])  # an older model has no such fact
        all_agree = "agreement on the tags of " + ("all tokens" if share >= 1 else f"{100 * share:g} % of the tokens")
        lines.append(("taggers", f"{all_agree}; retrained once" if learned else "as they were"))
    if "members" in facts:
        lines.append(("adapted", ", ".join(facts["members"])))
    return "\n".join(
        f"{title:<10} " + wrapped(text, WIDTH - 11).replace("\n", "\n" + 11 * " ") for title, text in lines
    )


def _data(facts: Mapping[str, Any]) -> str:
    taggers = facts.get("taggers", {})  # what is added to their training data, if parsers stay
    training, added, few = facts["training"], facts.get("added", taggers), facts.get("target_train")
    copies, last = facts["scheme"]["source_copies"], facts.get("rounds", [taggers])[-1]
    rows, parts = [("training data before", training)], [(copies, training)]
    copied = [f"{copies} copies of the first"] if copies > 1 else []
    if few:
        rows.append(("labelled sentences of the new domain", few))
        parts.append((few["copies"], few))
        copied += [f"{few['copies']} of the new domain"] if few["copies"] > 1 else []
    if "text_tokens" in last:
        rows.append(("unlabelled text", {"sentences": last["text_sentences"], "tokens": last["text_tokens"]}))
    if added:
        rows.append(("added from it", added))
        parts.append((1, added))
    after = {key: sum(n * part[key] for n, part in parts) for key in ("sentences", "tokens")}
    rows.append((", ".join(["training data after", *copied]), after))
    return table(["", "sentences", "tokens"], [[title, f"{n['sentences']:,}", f"{n['tokens']:,}"] for title, n in rows])


def _selections(title: str, selections: Mapping[str, Mapping[str, float]], columns: Sequence[str]) -> str:
    """Return the table of the sentences that a committee selected, by rounds, or the taggers."""
    rows = [[name, *(format(each[key], COLUMNS[key][1]) for key in columns)] for name, each in selections.items()]
    return table([title, *(COLUMNS[key][0] for key in columns)], rows)


def _tags_on_target(facts: Mapping[str, Mapping[str, Any]]) -> str:
    names = {"all": "all", "agreed": "agreed tokens", "selected": "selected sentences"}
    metrics = [metric for metric in facts["all"] if metric != "tokens"]
    rows = [
        [name, f"{facts[key]['tokens']:,}", *(percentage(facts[key][metric]) for metric in metrics)]
        for key, name in names.items()
    ]
    return table(["taggers on the new domain", "tokens", *metrics], rows)


def _on_target(rounds: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for number, each in enumerate(rounds, start=1):
        if not (found := each.get("on_target_dev")):
            continue
        before = f"round {number}, " if len(rounds) > 1 else ""
        voters, chosen = {**found["members"], "vote of the committee": found["vote"]}, found["selected"]
        rows += [[f"{before}{name}", "", "", *attachment(of)] for name, of in voters.items()]
        counts = f"{chosen['sentences']:,}", f"{chosen['tokens']:,}"
        rows.append([f"{before}selected sentences", *counts, *attachment(chosen)])
    return table(["committee on the new domain", "sentences", "tokens", "LAS", "UAS"], rows)


def _scores(scores: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for each in sorted(scores, key=lambda each: each["domain"] == "source"):
        ends = "-" if each["low"] is None else f"{signed(each['low'])} to {signed(each['high'])}"
        points = "-" if each["difference"] is None else signed(each["difference"])
        figures = percentage(each["before"]), percentage(each["after"]), points, ends
        rows.append([f"{DOMAINS[each['domain']]}, {each['metric']}", *figures, _p(each).entry])
    return table(["", "before", "after", "difference", "95 % interval", "p"], rows)


def _estimates(rows: Sequence[Mapping[str, Any]]) -> str:
    told = []
    for each in rows:
        if each["holds"] is None:
            holds = "-"
        elif each["holds"]:
            holds = "yes"
        else:
            truth = each["las"] - each["error"]
            is_high = truth < each["low"]
            holds = f"no, {each['low'] - truth:.2f} too high" if is_high else f"no, {truth - each['high']:.2f} too low"
        told.append([each["model"], f"{each['low']:.1f} to {each['high']:.1f}", each["basis"], holds])
    measured = any(each["holds"] is not None for each in rows)
    header = ["LAS on the new domain, an estimate", "range", "from", "holds"]
    return table(header, told) if measured else table(header[:-1], [row[:-1] for row in told])


def closing(facts: Mapping[str, Any], *, promoted: bool) -> str:
    """Return the last sentence: whether the adapted model is promoted, and why."""
    reasons = "; ".join(facts.get("reasons", ()))
    if not promoted:
        return f"The adapted model is not promoted: {reasons}. The old model stays as it is."
    told, scores = [], facts.get("scores", ())
    for domain in ("target", BY_FOLDS, "source"):
        for each in scores:
            if each["domain"] == domain and each["metric"] == "LAS" and each["difference"] is not None:
                p = _p(each)
                sign = "more" if each["difference"] >= 0 else "less"
                change = f"{abs(each['difference']):.2f} {sign} than the old model"
                known = interval(each["low"], each["high"], p) + ("" if p.significant else ", not significant")
                told.append(f"on the {DOMAINS[domain]} it has {each['after']:.2f} LAS, {change} ({known})")
    if all(each["domain"] == "source" for each in scores):
        ranges = [each for each in facts.get("estimates", ()) if "low" in each]
        found = {each["model"]: f"{each['low']:.1f} to {each['high']:.1f}" for each in ranges}
        if found.keys() >= {"before", "after"}:
            estimate = f"it is estimated to have {found['after']} LAS, the old model {found['before']}"
            told.append(f"on the new domain nothing was measured; {estimate}")
    why = "; ".join(told)
    if reasons:
        more = f" {why[0].upper()}{why[1:]}." if why else ""
        return f"The adapted model is promoted by force, in spite of this: {reasons}.{more}"
    return f"The adapted model is promoted{': ' if why else ''}{why}."


def outcome_json(outcome: Outcome, command: str = "") -> str:
    """Return the result of ``treevote adapt`` as JSON, with all its facts."""
    paths = {"model": outcome.model, "silver": outcome.silver, "work": outcome.work}
    facts: dict[str, Any] = {
        "promoted": outcome.promoted,
        "reasons": outcome.adapted.reasons,
        "sentence": closing(outcome.adapted.report, promoted=outcome.promoted),
        **{name: None if path is None else os.fspath(path) for name, path in paths.items()},
    }
    return answer("adaptation", facts | outcome.adapted.report, command)


def outcome_text(outcome: Outcome) -> str:
    """Return the result of ``treevote adapt`` for a person to read."""
    facts = outcome.adapted.report
    parts = [as_text(facts)]
    if outcome.promoted:
        parts.append(f"model   {outcome.model}" + (f"\nadded   {outcome.silver}" if outcome.silver else ""))
    parts.append(wrapped(closing(facts, promoted=outcome.promoted)))
    if outcome.work is not None:
        kept = f"the adapted model is kept in {outcome.work}; the same command with --force writes it"
        parts.append(f"{kept}; for another command, remove the folder first")
    elif not outcome.promoted:
        parts.append("nothing was trained; the same command with --force adapts all the same")
    return "\n\n".join(parts)


def _p(each: Mapping[str, Any]) -> Probability:
    return Probability(each["p"], each["p_is_bound"])
