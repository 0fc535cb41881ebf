"""``treevote inspect``: what a model is and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treevote import visibility
from treevote.config import from_mapping, to_toml
from treevote.ensemble.configuration import Configuration
from treevote.ensemble.parser import configuration, load
from treevote.errors import ConfigError, ModelError
from treevote.report.scores import scores
from treevote.store import folder as store
from treevote.store.manifest import FORMAT_VERSION
from treevote.terminal import size, table


def inspect(model: str | Path) -> dict[str, Any]:
    """Return the facts of a model: what it is, what it was trained on and how, its scores and files.

    Raises
    ------
    ModelError
        If it is not a model, of another version, or damaged.
    """
    parser = load(model)
    return {
        "kind": "ensemble",
        "format": FORMAT_VERSION,
        **parser.facts,
        "single_root": parser.single_root,
        "votes": parser.weights.to_json(),
        "members": configuration(parser),
        "files": store.sizes(model),
    }


def as_json(facts: Mapping[str, Any]) -> str:
    """Return the facts as JSON."""
    return visibility.as_json(facts)


def as_text(facts: Mapping[str, Any]) -> str:
    """Return the facts for a person to read.

    Raises
    ------
    ModelError
        If they are not what a training leaves.
    """
    try:
        parts = [_what(facts), _data(facts), scores(facts, facts["members"]), _configuration(facts)]
        return _printable("\n\n".join([*parts, _files(facts)]))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, ConfigError) as error:
        raise ModelError(f"the facts of the model are damaged ({error}); train it again") from error


def _printable(text: str) -> str:
    """Return a text with escapes for bytes of file names that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def _what(facts: Mapping[str, Any]) -> str:
    votes, members = facts["votes"], facts["members"]
    roots = "one root in each sentence" if facts["single_root"] else "one root or several in a sentence"
    weights = ", ".join(f"{name} {weight:.4g}" for name, weight in zip(members, votes["overall"], strict=True))
    by_pos = f"; {len(votes['pos'])} parts of speech have weights of their own" if votes["pos"] else ""
    return (
        f"ensemble of {len(members)} members, {roots}\n"
        f"votes: {votes['kind']} ({weights}){by_pos}\n"
        f"treevote {facts['treevote']}, model format {facts['format']}"
    )


def _data(facts: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{role} data: {data['name']}, {data['sentences']:,} sentences, {data['tokens']:,} tokens, "
        f"{data['labels']} labels, sha256 {data['sha256']}"
        for role in ("training", "development")
        if (data := facts.get(role)) is not None
    )


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
