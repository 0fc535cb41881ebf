"""``treevote inspect`` and ``explain``: facts of a model, the one that a new one would replace, rules behind arcs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from treevote.commands.model_card import NOTHING, CardMetadata, card
from treevote.conll.reader import read
from treevote.ensemble.familiarity import doubt
from treevote.ensemble.members import RESERVED
from treevote.ensemble.parser import EnsembleParser, configuration, load
from treevote.errors import ConfigError, InputError, ModelError, require_known, warn
from treevote.models.parsers.decision_list.explanation import Explanation, rules_text
from treevote.models.parsers.decision_list.explanation import explain as explain_sentence
from treevote.models.parsers.decision_list.parser import DecisionListParser
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


def rules(model: str | Path) -> Iterator[str]:
    """Yield the rules of the decision lists of a model, each of several below its name; ConfigError if it has none."""
    lists = _decision_lists(model, load(model))
    for name, parser in lists.items():
        if len(lists) > 1:
            yield f"{name}:"
        yield from rules_text(parser)


def explain(
    model: str | Path, path: str | Path, sentence: int | None, member: str | None = None
) -> Iterator[tuple[int, list[Explanation]]]:
    """Yield the number of each sentence, and of every word its head and label, and the rule that set them.

    Sentences are numbered from 1; one of them alone if it is given; InputError if there is no such sentence. Those
    without tags are tagged as for a parse. ConfigError if several members are decision lists, and none is named.
    """
    ensemble = load(model)
    lists = _decision_lists(model, ensemble)
    if member is not None:
        require_known("decision list", member, lists)
    elif len(lists) > 1:
        raise ConfigError(f"{model} has several decision lists ({', '.join(lists)}); name one of them by --member")
    parser = lists[member or next(iter(lists))]
    treebank = ensemble.annotator.tagged(read(path, trees="ignored"))
    if reason := doubt(ensemble, treebank):
        warn(f"{treebank.title}: {reason}")
    numbers = range(1, treebank.n_sentences + 1)
    if sentence is not None and sentence not in numbers:
        problem = f"expected a sentence from 1 to {len(numbers):,}, found {sentence}"
        raise InputError(problem, path=str(path), remedy="choose among these")
    for number in numbers if sentence is None else [sentence]:
        yield number, list(explain_sentence(parser, treebank, number - 1))


def _decision_lists(model: str | Path, ensemble: EnsembleParser) -> dict[str, DecisionListParser]:
    """Return the decision lists among the members of a model; ConfigError if there are none."""
    found = {name: own for name, own in ensemble.members.items() if isinstance(own, DecisionListParser)}
    if not found:
        raise ConfigError(
            f"{model} has no decision list among its members ({', '.join(ensemble.members)}); "
            "train one with --members decision-list"
        )
    return found
