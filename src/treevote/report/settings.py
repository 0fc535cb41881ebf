"""The settings of a parser in a few words, as tables and studies name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMED = (
    *("learner", "direction", "order", "policy", "depth", "wait_left", "wait_right", "links", "search"),
    *("encoding", "templates", "attributes"),
)
"""Settings that are told, in this order, of those that a parser has."""


def described(settings: Mapping[str, Any]) -> str:
    """Return the main settings of a trainer, as `treevote.config.to_mapping` gives them."""
    told = []
    for name in NAMED:
        if name not in settings:
            continue
        value = settings[name]
        if name == "search" and value == "beam":
            value = f"beam of {settings['width']}"
        elif isinstance(value, (list, tuple)) and len(value) > 2:
            told.append(f"{len(value)} {name}")
            continue
        elif isinstance(value, (list, tuple)):
            value = ", ".join(map(str, value))
        if isinstance(value, bool):
            told.append(f"{'with' if value else 'without'} {name.replace('_', ' ')}")
            continue
        told.append(f"{name} {value}")
    return ", ".join(told)
