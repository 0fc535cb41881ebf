"""The page of all settings, made from the dataclasses and learners: ``<!-- settings -->`` in a page is replaced."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from numpydoc.docscrape import NumpyDocString

from treevote.adaptation import configuration as adaptation
from treevote.adaptation.scheme import SCHEMES, Scheme
from treevote.config import to_mapping
from treevote.ensemble.configuration import Configuration
from treevote.ensemble.members import families
from treevote.models.learning.learners.registry import LEARNERS, make_learner

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def settings() -> str:
    """Return tables in Markdown: the settings of a configuration, of its members and learners, of an adaptation."""
    top = ("## Configuration file", "", "The top level of the TOML file of `treevote train --config`.", "")
    return "\n".join([*top, *_table(Configuration(), "Attributes"), *_members(), *_learners(), *_adaptation()])


def _members() -> Iterator[str]:
    for kind, family in families().items():
        yield from (f'## Members of kind "{kind}"', "")
        yield from _table(family.trainer(), "Attributes")
        yield from _differences("member", family.members, family.trainer())


def _learners() -> Iterator[str]:
    yield from ("## Learners", "", "The keys of a member's `options`, by its `learner`.", "")
    for name in LEARNERS:
        learner: Any = make_learner(name, {}, seed=0)
        yield from (f"### {name}", "", " ".join(NumpyDocString(learner.__doc__)["Summary"]), "")
        yield from _table(learner, "Parameters")


def _adaptation() -> Iterator[str]:
    yield from ("## Adaptation", "", "The keys of the TOML file of `treevote adapt --config`.", "")
    yield from _table(adaptation.Configuration(), "Attributes")
    yield from ("`scheme.like` names the scheme that gives the defaults of the other keys of `scheme`.", "")
    yield from _differences("scheme", SCHEMES, Scheme())


def _table(defaults: Any, section: str) -> Iterator[str]:
    """Yield a row for each setting: name, type, default, and the words of the docstring."""
    yield from ("| setting | type | default | meaning |", "|---|---|---|---|", *_rows(defaults, section), "")


def _rows(defaults: Any, section: str, prefix: str = "") -> Iterator[str]:
    parameters = NumpyDocString(defaults.__doc__)[section]
    named = [name for parameter in parameters for name in parameter.name.split(", ")]
    is_dataclass = dataclasses.is_dataclass(type(defaults))
    own = to_mapping(defaults) if is_dataclass else inspect.signature(type(defaults)).parameters
    missing = own.keys() - named
    if missing:
        raise ValueError(f"the docstring of {type(defaults).__name__} does not name {', '.join(missing)}")
    for parameter in parameters:
        kind = parameter.type.partition(", default=")[0]
        words = re.sub("`+", "`", " ".join(parameter.desc))
        for name in parameter.name.split(", "):
            default = getattr(defaults, name)
            if dataclasses.is_dataclass(default):
                yield from _rows(default, section, f"{prefix}{name}.")
            else:
                yield f"| `{prefix}{name}` | {kind} | `{json.dumps(default)}` | {words} |"


def _differences(what: str, named: Mapping[str, Any], defaults: Any) -> Iterator[str]:
    """Yield a row for each named combination of settings: those that are not the defaults."""
    usual = dict(_flat(to_mapping(defaults)))
    yield from (f"| {what} | settings in place of the defaults |", "|---|---|")
    for name, own in named.items():
        changed = [f"`{key} = {json.dumps(value)}`" for key, value in _flat(to_mapping(own)) if value != usual.get(key)]
        yield f"| `{name}` | {', '.join(changed) or 'none'} |"
    yield ""


def _flat(mapping: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in mapping.items():
        yield from _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]


def _fill(app: Sphinx, page: str, source: list[str]) -> None:
    if page == "settings":
        source[0] = source[0].replace("<!-- settings -->", settings())


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
