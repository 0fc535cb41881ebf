"""treevote: several dependency parsers, one vote, and a new domain.

>>> import treevote
>>> toy = treevote.Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
>>> treevote.evaluate(toy, toy).las
100.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treevote.batch import parse_files
    from treevote.conll import read, to_tokenlists
    from treevote.ensemble.parser import EnsembleParser, load, save
    from treevote.ensemble.trainer import EnsembleTrainer
    from treevote.ensemble.vote import vote
    from treevote.ensemble.weights import Weights
    from treevote.errors import ConfigError, InputError, ModelError, TreevoteError
    from treevote.metrics import Counts, evaluate
    from treevote.models.transition.parser import TransitionParser, TransitionTrainer
    from treevote.rendering import dumps, write
    from treevote.sentence import Sentence, Word
    from treevote.treebank import Treebank

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "Counts",
    "EnsembleParser",
    "EnsembleTrainer",
    "InputError",
    "ModelError",
    "Sentence",
    "TransitionParser",
    "TransitionTrainer",
    "Treebank",
    "TreevoteError",
    "Weights",
    "Word",
    "dumps",
    "evaluate",
    "load",
    "parse_files",
    "read",
    "save",
    "to_tokenlists",
    "vote",
    "write",
]

_MODULES = {
    "treevote.batch": ("parse_files",),
    "treevote.conll": ("read", "to_tokenlists"),
    "treevote.ensemble.parser": ("EnsembleParser", "load", "save"),
    "treevote.ensemble.trainer": ("EnsembleTrainer",),
    "treevote.ensemble.vote": ("vote",),
    "treevote.ensemble.weights": ("Weights",),
    "treevote.errors": ("ConfigError", "InputError", "ModelError", "TreevoteError"),
    "treevote.metrics": ("Counts", "evaluate"),
    "treevote.models.transition.parser": ("TransitionParser", "TransitionTrainer"),
    "treevote.rendering": ("dumps", "write"),
    "treevote.sentence": ("Sentence", "Word"),
    "treevote.treebank": ("Treebank",),
}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: importing treevote itself stays cheap."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'treevote' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*globals(), *__all__])
