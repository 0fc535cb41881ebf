"""treevote: several dependency parsers, one vote, and a new domain.

>>> import treevote
>>> toy = treevote.Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
>>> treevote.evaluate(toy, toy).las
100.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from treevote.notebook import draw_with as _draw_with
from treevote.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treevote.api import adapt, parse, train
    from treevote.batch.strings import ParsedString, parse_strings
    from treevote.commands.doctor import doctor
    from treevote.commands.folder_outputs import FolderSummary
    from treevote.commands.parse import parse_files
    from treevote.commands.parse_folder import parse_folder
    from treevote.commands.vote import vote_files
    from treevote.conll.reader import loads, read
    from treevote.conll.tokenlists import to_tokenlists
    from treevote.conll.writer import dumps, write
    from treevote.corpus.sentence import Sentence, Token, Word
    from treevote.corpus.treebank import Treebank
    from treevote.ensemble.parser import EnsembleParser, load, save
    from treevote.ensemble.stored import StoredParser
    from treevote.ensemble.trainer import EnsembleTrainer
    from treevote.ensemble.vote import vote
    from treevote.ensemble.weights import Weights
    from treevote.errors import ConfigError, InputError, ModelError, TreevoteError, TreevoteWarning
    from treevote.evaluation.counts import Counts, evaluate
    from treevote.models.parsers.transition.parser import TransitionParser, TransitionTrainer
    from treevote.parallel import Jobs
    from treevote.protocols import Family
    from treevote.store.record import Record

__all__ = [
    "ConfigError", "Counts", "EnsembleParser", "EnsembleTrainer", "Family", "FolderSummary", "InputError", "Jobs",
    "ModelError", "ParsedString", "Record", "Sentence", "StoredParser", "Token", "TransitionParser",
    "TransitionTrainer", "Treebank", "TreevoteError", "TreevoteWarning", "Weights", "Word", "__version__", "adapt",
    "doctor", "dumps", "evaluate", "load", "loads", "parse", "parse_files", "parse_folder", "parse_strings", "read",
    "save", "to_tokenlists", "train", "vote", "vote_files", "write",
]  # fmt: skip

_MODULES = {
    "treevote.api": ("adapt", "parse", "train"),
    "treevote.batch.strings": ("ParsedString", "parse_strings"),
    "treevote.commands.doctor": ("doctor",),
    "treevote.commands.folder_outputs": ("FolderSummary",),
    "treevote.commands.parse": ("parse_files",),
    "treevote.commands.parse_folder": ("parse_folder",),
    "treevote.commands.vote": ("vote_files",),
    "treevote.conll.reader": ("loads", "read"),
    "treevote.conll.tokenlists": ("to_tokenlists",),
    "treevote.conll.writer": ("dumps", "write"),
    "treevote.corpus.sentence": ("Sentence", "Token", "Word"),
    "treevote.corpus.treebank": ("Treebank",),
    "treevote.ensemble.parser": ("EnsembleParser", "load", "save"),
    "treevote.ensemble.stored": ("StoredParser",),
    "treevote.ensemble.trainer": ("EnsembleTrainer",),
    "treevote.ensemble.vote": ("vote",),
    "treevote.ensemble.weights": ("Weights",),
    "treevote.errors": ("ConfigError", "InputError", "ModelError", "TreevoteError", "TreevoteWarning"),
    "treevote.evaluation.counts": ("Counts", "evaluate"),
    "treevote.models.parsers.transition.parser": ("TransitionParser", "TransitionTrainer"),
    "treevote.parallel": ("Jobs",),
    "treevote.protocols": ("Family",),
    "treevote.store.record": ("Record",),
}


def __getattr__(name: str) -> object:
    """Import a name at its first use: importing treevote itself stays cheap."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'treevote' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return list(__all__)


def _drawing(sentences: Iterable[Sentence]) -> str:
    """Draw trees in a notebook; the module is imported at the first drawing."""
    from treevote.drawing.svg import draw_first

    return draw_first(sentences)


_draw_with(_drawing)
