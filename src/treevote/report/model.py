"""The facts of a model as text and JSON, its card as text and Markdown, and the rules behind its arcs as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treevote.config import from_mapping, to_toml
from treevote.ensemble.configuration import Configuration
from treevote.ensemble.parser import score_tags
from treevote.models.parsers.decision_list.explanation import Explanation
from treevote.report import adaptation
from treevote.report.answer import answer
from treevote.report.scores import attachment, attachments, scores
from treevote.store.packages import InstalledModel
from treevote.terminal import plural, size, table
from treevote.visibility import printable, visible

_READS = {
    (): "",
    ("tagger",): "reads CoNLL-U with or without tags\n",
    ("tokenizer",): "reads raw text, without tags\n",
    ("tokenizer", "tagger"): "reads raw text, and CoNLL-U with or without tags\n",
}


def as_json(facts: Mapping[str, Any], command: str = "") -> str:
    """Return the facts as JSON."""
    return answer("model", {**facts, "score_tags": score_tags(facts)}, command)


def installed_json(models: Sequence[InstalledModel], command: str = "") -> str:
    """Return the installed models as JSON."""
    listed = [{**dataclasses.asdict(model), "folder": str(model.folder)} for model in models]
    return answer("models", {"models": listed}, command)


def installed_text(models: Sequence[InstalledModel]) -> str:
    """Return a table of the installed models."""
    if not models:
        return "no model is installed; to make a package of a model: treevote package"
    return table(["model", "version", "licence"], [[model.name, model.version, model.licence] for model in models])


def as_text(facts: Mapping[str, Any], *, full: bool = False) -> str:
    """Return the facts for a person to read: a summary, or in full."""
    details = (scores(facts, facts["members"]), _configuration(facts), _files(facts)) if full else _summary(facts)
    adapted = [f"adapted to a new domain\n{adaptation.as_text(of)}"] if (of := facts.get("adaptation")) else []
    return printable("\n\n".join([_what(facts), _data(facts, full), *adapted, *details]))


def _what(facts: Mapping[str, Any]) -> str:
    votes, members = facts["votes"], facts["members"]
    roots = "one root in each sentence" if facts["single_root"] else "one root or several in a sentence"
    by_pos = f", of their own for {plural(len(votes['pos']), 'UPOS tag')}" if votes["pos"] else ""
    return (
        f"ensemble of {plural(len(members), 'member')}, {roots}\n"
        f"weights of the votes: {votes['kind']}{by_pos}\n"
        f"{_READS[tuple(facts['annotator'])]}"
        f"treevote {facts['treevote']}, model format {facts['format']}"
    )


def _data(facts: Mapping[str, Any], full: bool) -> str:
    lines = [
        f"{role} data: {_size(data)}" + (f", sha256 {data['sha256']}" if full else "")
        for role in ("training", "development")
        if (data := facts.get(role)) is not None
    ]
    lines += [f"{what} of {plural(words, 'word')}" for what in ("clusters", "vectors") if (words := facts.get(what))]
    return "\n".join(lines)


def _summary(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield kind, weight and scores of the members, and the size."""
    measured = facts.get("scores", {})
    rows = [
        [name, member["kind"], "-" if weight is None else f"{weight:.4g}", *attachment(measured.get(name))]
        for (name, member), weight in zip(facts["members"].items(), facts["votes"]["overall"], strict=True)
    ]
    if measured:
        yield f"scores with {score_tags(facts)} tags:"
    if len(rows) > 1:
        rows.append(["vote", "", "", *attachment(measured.get("vote"))])
    yield table(["member", "kind", "weight", "LAS", "UAS"], rows)
    sizes = facts["files"]
    yield f"{len(sizes)} files, {size(sum(sizes.values()))}; configuration and files: treevote inspect --full"


def _configuration(facts: Mapping[str, Any]) -> str:
    """Return the configuration as a file that trains such a model again."""
    file = {
        "weights": facts["weights"],
        "select": "selection" in facts,
        "folds": facts.get("folds", 0),
        "seed": facts["seed"],
        "members": facts["diversity"]["names"] if "selection" in facts else list(facts["members"]),
        "member": facts["members"],
    }
    return "configuration:\n" + to_toml(from_mapping(Configuration, file)).rstrip()


def _files(facts: Mapping[str, Any]) -> str:
    sizes = facts["files"]
    rows = [[name, size(n_bytes)] for name, n_bytes in sizes.items()]
    return table(["files", ""], [*rows, [f"{len(sizes)} in all", size(sum(sizes.values()))]])


def card_text(facts: Mapping[str, Any]) -> str:
    """Return a card for a person to read."""
    lines, rows = [visible(facts["name"] or "model card"), ""], list(_rows(facts))
    width = max(len(key) for key, _ in rows) + 2
    lines += [f"{key:<{width}}{visible(value)}" for key, value in rows]
    if facts["scores"]:
        scored = attachments(facts["scores"], facts["members"])
        lines += ["", table([f"on {facts['measured_on']}, {facts['score_tags']} tags", "LAS", "UAS"], scored)]
    lines += ["", "should not be used for", *(f"- {visible(each)}" for each in facts["not_for"])]
    return "\n".join(lines)


def card_markdown(facts: Mapping[str, Any]) -> str:
    """Return a card as Markdown."""
    lines = [f"# {_escaped(facts['name'] or 'Model card')}", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {_escaped(value)} |" for key, value in _rows(facts)]
    if facts["scores"]:
        title = f"## Scores on {facts['measured_on']}, {facts['score_tags']} tags"
        lines += ["", title, "", "| | LAS | UAS |", "|---|---:|---:|"]
        rows = attachments(facts["scores"], facts["members"])
        lines += [f"| {' | '.join(map(_escaped, row))} |" for row in rows]
    lines += ["", "## Should not be used for", "", *(f"- {_escaped(each)}" for each in facts["not_for"])]
    return "\n".join(lines)


def _rows(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the rows of a card that have something in them."""
    data = facts["training_data"]
    development = facts["development_data"]
    members = ", ".join(facts["members"])
    rounds = facts["adaptation_rounds"]
    adapted = [plural(rounds, "round")] if rounds else []
    adapted += [plural(few, "labelled sentence")] if (few := facts["labelled_target_sentences"]) else []
    adapted += ["taggers"] if facts["adapted_taggers"] else []
    rows = (
        ("description", facts["description"]),
        ("language", facts["language"]),
        ("use", facts["use"]),
        ("kind", f"dependency parser, {'vote of ' if len(facts['members']) > 1 else ''}{members}"),
        ("input", facts["input"]),
        ("output", facts["output"]),
        ("training data", _size(data)),
        ("source", data["source"]),
        ("licence of data", data["licence"] or "not stated"),
        ("checksum of data", data["sha256"]),
        ("measured on", _size(development) if development else facts["measured_on"] or "nothing"),
        ("test", facts["test"]),
        ("size", f"{size(facts['bytes'])} in {facts['files']} files"),
        ("speed", facts["speed"]),
        ("adaptation", ", ".join(adapted)),
        ("treevote", facts["treevote"]),
        ("citation", facts["citation"]),
        ("contact", facts["contact"]),
    )
    yield from ((key, value) for key, value in rows if value)


def _size(data: Mapping[str, Any]) -> str:
    counts = (plural(data[f"{thing}s"], thing) for thing in ("sentence", "token", "label"))
    return ", ".join([data["name"], *counts])


def _escaped(text: str) -> str:
    """Return a text as Markdown shows it."""
    for character in "\\`*_[]|#":
        text = text.replace(character, "\\" + character)
    return visible(text).replace("&", "&amp;").replace("<", "&lt;")


def explained_text(number: int, words: Sequence[Explanation]) -> str:
    """Return the table of a sentence: every word, its head and label, and the rule of a decision list that set them."""
    steps = [f"{word.run}.{word.pass_number}" if word.run else "end" for word in words]
    rows = [
        [str(word.position), word.form, str(word.head), word.deprel, step]
        for word, step in zip(words, steps, strict=True)
    ]
    aligned = table(["", "form", "head", "deprel", "step"], rows).split("\n")
    rules = ["rule", *(word.text for word in words)]
    lines = [f"{line}  {text}" for line, text in zip(aligned, rules, strict=True)]
    return "\n".join([f"sentence {number}", *lines, ""])
