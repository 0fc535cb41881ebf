"""scikit-learn estimators as bytes and back, through skops: data that is never executed, the same bytes each time."""

from __future__ import annotations

import importlib
import io
import itertools
import json
import zipfile
from typing import Any

from treevote.errors import ModelError

_SCHEMA = "schema.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def dumps(estimator: Any) -> bytes:
    """Return an estimator as bytes, in the format of skops.

    Raises
    ------
    ModelError
        If skops cannot write it.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> dumps(tree) == dumps(tree), loads(dumps(tree)).predict([[1]]).tolist()
    (True, [1])
    """
    import skops.io

    try:
        data = bytes(skops.io.dumps(estimator))
    except Exception as error:  # skops raises whatever its writers meet
        raise ModelError(f"{type(estimator).__name__} cannot be stored ({error}); choose another") from error
    return canonical(data)


def loads(data: bytes) -> Any:
    """Read an estimator back.

    Raises
    ------
    ModelError
        If the bytes are damaged, or hold types that are not of scikit-learn, numpy, scipy or treevote.
    """
    import skops.io

    try:
        untrusted = skops.io.get_untrusted_types(data=data)
        strange = [name for name in untrusted if not is_own_class(name)]
        if not strange:
            return skops.io.loads(data, trusted=untrusted)
    except Exception as error:  # skops raises whatever its readers meet in damaged bytes
        raise ModelError(f"the classifier of a model cannot be read ({error}); train it again") from error
    raise ModelError(f"the classifier of a model holds types that are not trusted: {', '.join(strange)}; do not use it")


def is_own_class(name: str) -> bool:
    """Tell whether a dotted name is that of a class which scikit-learn, scipy or treevote's learners define.

    Functions are not, nor what a module merely imports: it could be anything.

    Examples
    --------
    >>> is_own_class("sklearn.tree._tree.Tree"), is_own_class("sklearn.utils._testing.check_output")
    (True, False)
    """
    module, _, attribute = name.rpartition(".")
    if not module.startswith(("sklearn.", "scipy.sparse.", "treevote.models.learners.")):
        return False
    kind = getattr(importlib.import_module(module), attribute, None)
    return isinstance(kind, type) and kind.__module__ == module


def canonical(data: bytes) -> bytes:
    """Return a dump with objects and files numbered in order, in place of addresses in memory, and no dates."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        schema = json.loads(archive.read(_SCHEMA))
        files = {name: archive.read(name) for name in archive.namelist() if name != _SCHEMA}
    counter = itertools.count(1)
    numbers: dict[str, int] = {}
    names: dict[str, str] = {}
    objects = [schema]
    while objects:
        item = objects.pop()
        if isinstance(item, list):
            objects += reversed(item)
        elif isinstance(item, dict):
            if "__id__" in item:
                key = str(item["__id__"])
                numbers[key] = numbers.get(key) or next(counter)
                item["__id__"] = numbers[key]
            if item.get("file") in files:
                stem, dot, suffix = item["file"].rpartition(".")
                numbers[stem] = numbers.get(stem) or next(counter)
                names[item["file"]] = f"{numbers[stem]}{dot}{suffix}"
                item["file"] = names[item["file"]]
            objects += reversed(list(item.values()))
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w") as archive:
        content = {names.get(name, name): text for name, text in files.items()}
        content[_SCHEMA] = json.dumps(schema, indent=2).encode()
        for name in sorted(content):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content[name])
    return result.getvalue()
