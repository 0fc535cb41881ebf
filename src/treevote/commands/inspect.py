"""``treevote inspect``: members, training data, scores and size of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from treevote.commands.model_card import card, read_card_metadata, size_of
from treevote.config import from_mapping, to_toml
from treevote.ensemble.configuration import Configuration
from treevote.ensemble.members import RESERVED
from treevote.ensemble.parser import configuration, load
from treevote.errors import ConfigError, ModelError
from treevote.report import adaptation
from treevote.report.answer import answer
from treevote.report.scores import attachment, score_tags, scores
from treevote.store import folder as store
from treevote.store.manifest import MANIFEST
from treevote.terminal import size, table


def inspect(model: str | Path, metadata: str | Path | None = None) -> dict[str, Any]:
    """Return the facts of a model: members, training data, configuration, scores, files, and its card."""
    parser, stated = load(model), read_card_metadata(metadata)
    judge, weights = parser.judge, parser.judge.weights
    no_weights = {"kind": judge.kind, "overall": [None] * judge.n_members, "pos": [], "rows": []}
    facts: dict[str, Any] = {
        "kind": "ensemble",
        "format": store.version(model),
        **parser.facts,
        "single_root": parser.single_root,
        "votes": no_weights if weights is None else weights.to_json(),
        "members": configuration(parser),
        "reader": [] if parser.reader is None else parser.reader.parts,
        "files": store.sizes(model),
    }
    try:
        return facts | {"card": card(facts, parser, stated)}
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(f"the facts of the model are damaged ({error}); train it again") from error


def as_json(facts: Mapping[str, Any], command: str = "") -> str:
    """Return the facts as JSON."""
    return answer("model", {**facts, "score_tags": score_tags(facts)}, command)


def model_at(model: str | Path) -> str:
    """Describe in a few words the model that a new one would replace; return an empty string if there is none.

    ModelError if no model can be written there, see `treevote.store.folder.check_target`.
    """
    store.check_target(model)
    try:
        written = datetime.fromtimestamp(Path(model, MANIFEST).stat().st_mtime)
    except OSError:
        return ""
    try:
        record = store.load(model, verify=False)
        data: Any = record.facts["training"]
        members = ", ".join(name for name in record.parts if name not in RESERVED)
        what = f"{members}, trained on {data['name']} ({data['sentences']:,} sentences)"
    except (ModelError, LookupError, TypeError, ValueError):
        what = "damaged, or of another version of treevote"
    return _printable(f"{model}, a model of {written:%Y-%m-%d %H:%M}: {what}")


def as_text(facts: Mapping[str, Any], *, full: bool = False) -> str:
    """Return the facts for a person to read: a summary, or in full; ModelError if they are none of a training."""
    try:
        details = (scores(facts, facts["members"]), _configuration(facts), _files(facts)) if full else _summary(facts)
        adapted = [f"adapted to a new domain\n{adaptation.as_text(of)}"] if (of := facts.get("adaptation")) else []
        return _printable("\n\n".join([_what(facts), _data(facts, full), *adapted, *details]))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, ConfigError) as error:
        raise ModelError(f"the facts of the model are damaged ({error}); train it again") from error


def _printable(text: str) -> str:
    """Return a text with escapes for bytes of file names that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


_READS = {
    (): "",
    ("tagger",): "reads CoNLL-U with or without tags\n",
    ("tokenizer",): "reads raw text, without tags\n",
    ("tokenizer", "tagger"): "reads raw text, and CoNLL-U with or without tags\n",
}


def _what(facts: Mapping[str, Any]) -> str:
    votes, members = facts["votes"], facts["members"]
    roots = "one root in each sentence" if facts["single_root"] else "one root or several in a sentence"
    by_pos = f", of their own for {len(votes['pos'])} parts of speech" if votes["pos"] else ""
    return (
        f"ensemble of {len(members)} members, {roots}\n"
        f"weights of the votes: {votes['kind']}{by_pos}\n"
        f"{_READS[tuple(facts['reader'])]}"
        f"treevote {facts['treevote']}, model format {facts['format']}"
    )


def _data(facts: Mapping[str, Any], full: bool) -> str:
    lines = [
        f"{role} data: {size_of(data)}" + (f", sha256 {data['sha256']}" if full else "")
        for role in ("training", "development")
        if (data := facts.get(role)) is not None
    ]
    if words := facts.get("clusters"):
        lines.append(f"clusters of {words:,} words")
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
    yield table(
        ["member", "kind", "weight", "LAS", "UAS"], [*rows, ["vote", "", "", *attachment(measured.get("vote"))]]
    )
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
