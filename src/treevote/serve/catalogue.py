"""The models of a server by their names, and by the shorter names that UDPipe gives them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from treevote.batch.joint import ParseJob
from treevote.conll.chunks import Chunk
from treevote.conll.text_chunks import text_chunk
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.stored import StoredParser
from treevote.errors import ConfigError
from treevote.serve.answers import RequestError
from treevote.store.manifest import require_manifest
from treevote.store.packages import installed_model, model_folder

_BARE = b"1\ta" + b"\t_" * 8 + b"\n\n"
_VERSION = re.compile(r"-[0-9]{6}")
_NAME = re.compile(r"[\w.+-]+")


@dataclass(frozen=True)
class ServedModel:
    """A model, its name, its version and licence if it is installed, and its steps."""

    name: str
    stored: StoredParser
    parser: EnsembleParser
    licence: str = ""

    @property
    def steps(self) -> list[str]:
        """The steps that the model has, of ``tokenizer``, ``tagger`` and ``parser``."""
        return [*self.parser.annotator.parts, "parser"]


class Catalogue:
    """The models of a server; the first one is the default.

    A model is also known by its name without a date of six digits, and by all parts of its name that end at a hyphen,
    as long as no earlier model has that name: ``english`` for ``english-gum-250101``.
    """

    def __init__(self, models: Sequence[ServedModel]) -> None:
        self.models = {model.name: model for model in models}
        if len(self.models) < len(models):
            names = ", ".join(model.name for model in models)
            raise ConfigError(f"two models have the same name ({names}); name them: NAME=MODEL")
        self._known = {**self.models}
        for model in models:
            for alias in _aliases(model.name):
                self._known.setdefault(alias, model)
        self.default = models[0]

    @classmethod
    def of(cls, models: Sequence[str]) -> Catalogue:
        """Load models, folders or installed ones, each as ``MODEL`` or ``NAME=MODEL``; ModelError if one is none."""
        named = [_named(model) for model in models]
        for _, path in named:
            require_manifest(model_folder(path))  # of all, before the first one is loaded
        return cls([_loaded(name, path) for name, path in named])

    def find(self, name: str) -> ServedModel:
        """Return a model by one of its names, or the default for an empty one."""
        found = self._known.get(name) if name else self.default
        if found is None:
            raise RequestError(400, f"Requested model '{name[:80]}' does not exist.")
        return found


def _named(model: str) -> tuple[str, str]:
    name, equals, path = model.partition("=")
    if not equals or os.path.exists(model):
        name, path = os.path.basename(os.path.abspath(model)), model
    if not _NAME.fullmatch(name):
        raise ConfigError(f"expected a name of letters, digits and .+-_, found {name!r}; name the model: NAME=MODEL")
    return name, path


def _loaded(name: str, path: str) -> ServedModel:
    stored = StoredParser.of(path)
    package = None if os.path.exists(path) else installed_model(path)
    licence = "" if package is None else f"{package.name} {package.version}, {package.licence}"
    return ServedModel(name, stored, stored.hold(), licence)


def warmed(stored: StoredParser) -> None:
    """Hold a model in this process, and parse with it: kernels are loaded before the first request comes."""
    parser = stored.hold()
    work = ParseJob(stored, confidence=parser.has_confidence)
    work([text_chunk(b"a b") if "tokenizer" in parser.annotator.parts else Chunk("", 1, 1, _BARE, "conllu")])


def _aliases(name: str) -> list[str]:
    dateless = [name[: date.start()] + name[date.end() :] for date in _VERSION.finditer(name)]
    return dateless + [name[: hyphen.start()] for hyphen in re.finditer("-", name)]
