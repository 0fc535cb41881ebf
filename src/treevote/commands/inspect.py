"""``treevote inspect``: the facts of a model, and the model that a new one would replace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from treevote.commands.model_card import NOTHING, CardMetadata, card
from treevote.ensemble.members import RESERVED
from treevote.ensemble.parser import configuration, load
from treevote.errors import ConfigError, ModelError
from treevote.store import folder as store
from treevote.store.manifest import MANIFEST
from treevote.terminal import plural
from treevote.visibility import printable


def inspect(model: str | Path, stated: CardMetadata = NOTHING) -> dict[str, Any]:
    """Return the facts of a model: members, training data, configuration, scores, files, and its card."""
    parser = load(model)
    judge, weights = parser.judge, parser.judge.weights
    no_weights = {"kind": judge.kind, "overall": [None] * len(parser.members), "pos": [], "rows": []}
    facts: dict[str, Any] = {
        "kind": "ensemble",
        "format": store.version(model),
        **parser.facts,
        "single_root": parser.single_root,
        "votes": no_weights if weights is None else weights.to_json(),
        "members": configuration(parser),
        "annotator": parser.annotator.parts,
        "files": store.sizes(model),
    }
    with facts_read(model):
        return facts | {"card": card(facts, parser, stated)}


@contextmanager
def facts_read(model: str | Path) -> Iterator[None]:
    """Raise a ModelError if facts that are read in the block are not those of a training: a record holds any JSON."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, ConfigError) as error:
        raise ModelError(f"{model}: the facts of the model are damaged ({error}); train it again") from error


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
        what = f"{members}, trained on {data['name']} ({plural(data['sentences'], 'sentence')})"
    except (ModelError, LookupError, TypeError, ValueError):
        what = "damaged, or of another version of treevote"
    return printable(f"{model}, a model of {written:%Y-%m-%d %H:%M}: {what}")
