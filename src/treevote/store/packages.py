"""Models that pip installed: their names, and the folders of their files.

The package of the model ``el-gdt`` is ``treevote-el-gdt``. It holds the files of the model, in ``treevote_el_gdt``, and
an entry point of the group ``treevote.models``::

    el-gdt = treevote_el_gdt

A package whose entry point names anything else is refused. Nothing of it is imported: a model is data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import TYPE_CHECKING

from treevote.errors import ModelError, warn
from treevote.files.exchange import standing
from treevote.files.streams import NO_PATH
from treevote.store.manifest import MANIFEST

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "treevote.models"

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that pip installed: its name, version and licence as its package states them, and its folder."""

    name: str
    version: str
    licence: str
    folder: Path


def package_name(model: str) -> str:
    """Return the name of the package of a model.

    >>> package_name("el-gdt"), folder_name("el-gdt")
    ('treevote-el-gdt', 'treevote_el_gdt')
    """
    return f"treevote-{model}"


def folder_name(model: str) -> str:
    """Return the name of the folder in the package of a model."""
    return package_name(model).replace("-", "_")


def is_model_name(name: str) -> bool:
    """Tell whether a model can be installed under a name: small letters, digits, single hyphens between them."""
    return _NAME.fullmatch(name) is not None


def model_folder(model: str | os.PathLike[str]) -> Path:
    """Return the folder of a model that is named by its path or by the name of its package.

    A `Path` is a path, and so is a string with a separator. Any other string is a path if something of that name
    exists, else the name of an installed model. ModelError if there is neither, or its package is refused.
    """
    name = os.fspath(model) if isinstance(model, str | os.PathLike) else None
    if not isinstance(name, str) or not name or NO_PATH.search(name):
        problem = f"expected the folder of a model or the name of an installed one, found {short(model)}"
        raise ModelError(f"{problem}; a parser in memory is written with treevote.save")
    path = Path(model)
    if not isinstance(model, str) or model != path.name or os.path.exists(standing(Path(os.path.realpath(path)))):
        return path
    found = installed_model(model)
    if found is None:
        names = ", ".join(known.name for known in installed_models()) or "none"
        problem = f"{model}: there is no such model folder, and no such installed model"
        raise ModelError(f"{problem}; check the name, or train a model first; installed models: {names}")
    return found.folder


def installed_model(name: str) -> InstalledModel | None:
    """Return an installed model, None if there is none of that name; ModelError if its package is refused."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import, and few runs need it

    if not is_model_name(name):
        return None
    try:
        package = distribution(package_name(name))
    except PackageNotFoundError:
        return None
    with _facts_read(f"the package {package_name(name)}"):
        points = [(point.name, point.value) for point in package.entry_points if point.group == GROUP]
        return _model(name, package, points) if points else None


def installed_models() -> list[InstalledModel]:
    """Return the installed models in the order of their names; a `TreevoteWarning` names each package refused."""
    from importlib.metadata import entry_points

    found = []
    with _facts_read("the entry points of an installed package"):
        points = entry_points(group=GROUP)
    for name in sorted({point.name for point in points}):
        try:
            model = installed_model(name)
            if model is None:
                raise ModelError(f"the model {name!r} is not in a package {package_name(name)!r}; uninstall it")
            found.append(model)
        except ModelError as error:
            warn(str(error))
    return found


@contextmanager
def _facts_read(what: str) -> Iterator[None]:
    """Raise a ModelError for damaged facts of a package: the library checks nothing of what it reads."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:  # of several kinds, and others with other versions of Python
        raise ModelError(f"{what}: cannot be read ({error}); uninstall it, or install it again") from error


def _model(name: str, package: Distribution, points: list[tuple[str, str]]) -> InstalledModel:
    """Return the model of a package; ModelError if it is not in the folder of its name."""
    own = folder_name(name)
    folder = Path(str(package.locate_file(own)))
    named = ", ".join(f"{point} = {value}" for point, value in points)
    problem = ""
    if points != [(name, own)]:
        problem = f"expected the entry point {name} = {own}, found {named}"
    elif f"{own}/{MANIFEST}" not in map(str, package.files or ()) or folder.is_symlink() or not folder.is_dir():
        problem = f"expected the file {own}/{MANIFEST} in it, found none"
    elif "Version" not in package.metadata:
        problem = "expected its version in METADATA, found none"
    if problem:
        raise ModelError(f"the package {package_name(name)}: {problem}; uninstall it, or install it again")
    licence, *_ = package.metadata.get_all("License-Expression") or ["not stated"]
    return InstalledModel(name, package.version, licence, folder)
