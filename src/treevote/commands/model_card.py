"""The model card: training data, scores, licence, and when a model should not be used.

What a model knows of itself comes from its facts; what it cannot know, such as the licence of the data, is in a file
(``--card card.toml``)::

    name = "Greek newspaper parser"
    language = "el"
    licence = "CC-BY-NC-SA-3.0"
    data = "UD Greek-GDT 2.14, train"
    not_for = ["tweets", "Greek before 1976"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treevote.config import from_mapping, in_file, load_toml
from treevote.ensemble.familiarity import expects_tags
from treevote.ensemble.parser import EnsembleParser, score_tags


@dataclass(frozen=True)
class CardMetadata:
    """What a person states of a model: ``licence`` and ``data`` of the training data, ``test`` scores, and others."""

    name: str = ""
    description: str = ""
    language: str = ""
    licence: str = ""
    data: str = ""
    use: str = ""
    not_for: tuple[str, ...] = ()
    test: str = ""
    speed: str = ""
    citation: str = ""
    contact: str = ""


NOTHING = CardMetadata()

STATED = ("name", "description", "language", "use", "test", "speed", "citation", "contact")
"""The statements at the head of a card; the others stand with the facts that they belong to."""


def read_card_metadata(path: str | Path | None) -> CardMetadata:
    """Read the file of a card; without a path it is empty."""
    if path is None:
        return NOTHING
    content = load_toml(path)
    with in_file(path):
        return from_mapping(CardMetadata, content)


def card(facts: Mapping[str, Any], parser: EnsembleParser, metadata: CardMetadata) -> dict[str, Any]:
    """Return a card as data for JSON; for the facts see `treevote.commands.inspect.inspect`."""
    training: Mapping[str, Any] = facts["training"]
    adaptation: Mapping[str, Any] = facts.get("adaptation", {})
    taggers: Mapping[str, Any] = adaptation.get("taggers", {"sentences": 0})
    tags = expects_tags(parser)
    reads = parser.annotator.parts
    tagged = ", with the tags of the training data" if tags and "tagger" not in reads else ""
    stated = {key: getattr(metadata, key) for key in STATED}
    return {
        **stated,
        "members": {name: each["kind"] for name, each in facts["members"].items()},
        "treevote": facts["treevote"],
        "training_data": {**training, "source": metadata.data, "licence": metadata.licence or None},
        "development_data": facts.get("development"),
        "files": len(facts["files"]),
        "bytes": sum(facts["files"].values()),
        "adaptation_rounds": len(adaptation.get("rounds", ())),
        "labelled_target_sentences": adaptation.get("target_train", {}).get("sentences", 0),
        "adapted_taggers": taggers.get("retrained", taggers["sentences"] > 0),  # an older model has no such fact
        "input": f"{'raw text, or ' if 'tokenizer' in reads else ''}sentences of words{tagged}; CoNLL-U or CoNLL-X",
        "output": f"trees, {'support and confidence' if parser.has_confidence else 'support'} of each arc",
        "measured_on": parser.measured_on or None,
        "score_tags": score_tags(facts),
        "scores": facts.get("scores"),
        "not_for": [*_not_for(facts, parser, metadata, tags), *metadata.not_for],
    }


def _not_for(facts: Mapping[str, Any], parser: EnsembleParser, metadata: CardMetadata, tags: bool) -> Iterator[str]:
    """Yield what follows from the facts of a model."""
    if parser.annotator.tokenizer is None:
        tagged = ", and tagged, first" if tags else " first"
        yield f"running text: it has to be split into sentences and words{tagged}"
    if tags:
        yield "text that was tagged in another way than the training data: treevote parse warns, --strict refuses it"
    yield "another language or annotation than that of the training data"
    if "scores" not in facts:
        yield "any use that needs to know its accuracy: it was not measured; train with --dev or --folds"
    else:
        yield "another domain than that of the data it was measured on, unless it is measured there"
    if not parser.has_confidence:
        yield "a choice of arcs by their confidence: it has none"
    if not metadata.licence:
        yield "passing it on: the licence of the training data is not stated"
