"""Models as a hostile author would change them: numbers, facts, words and blobs, with right checksums."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import math
import zipfile
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaigns.campaign import Material

MANIFEST = "manifest.json"

STRINGS: tuple[str, ...] = (
    "",
    " ",
    "_",
    "\t",
    "\n",
    "a\nb",
    "\x00",
    "\x1b[31m",
    "\ud800",
    "\u202e",
    "x" * 10_000,
    "root",
    "nsubj",
    "\r",
)
STRINGS += ("<b>", "=1+1", "\x85", "\u2028", "\ufeff", "é", "e\u0301", "a|b", "#")
NUMBERS: tuple[float, ...] = (
    0,
    -1,
    1,
    2,
    255,
    10**4,
    2**31 - 1,
    2**31,
    -(2**31),
    2**63,
    10**400,
    0.0,
    -0.5,
    1e308,
    5e-324,
    math.nan,
)
NUMBERS += (math.inf, -math.inf, 1e-9, 0.5, True)


def damage(raw: bytes, rng: Random) -> bytes:
    """Flip bits, cut off or add."""
    match rng.randrange(3):
        case 0 if raw:
            at = rng.randrange(len(raw))
            return raw[:at] + bytes([raw[at] ^ (1 << rng.randrange(8))]) + raw[at + 1 :]
        case 1:
            return raw[: rng.randrange(len(raw) + 1)]
        case _:
            return raw + rng.randbytes(rng.choice((1, 8, 4096)))


def forge(files: dict[str, bytes], rng: Random) -> Material:
    """Change the content of a few files, and state sizes and checksums that are right."""
    manifest = json.loads(files[MANIFEST])
    changed: Material = {}
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        blobs = [name for name in files if name.endswith(".bin")]
        name = rng.choice([*files, MANIFEST, *blobs * 20])
        if name == MANIFEST:
            mutate_json(manifest["record"], rng)
        elif name.endswith(".npy"):
            changed[name] = mutate_npy(changed.get(name, files[name]), rng)
        elif name.endswith(".json"):
            words = json.loads(changed.get(name, files[name]))
            changed[name] = json.dumps(mutate_texts(words, rng)).encode()
        else:
            changed[name] = mutate_blob(changed.get(name, files[name]), rng)
    for name, raw in changed.items():
        manifest["files"][name] = {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    manifest.pop("checksum", None)
    manifest["checksum"] = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    return {**changed, MANIFEST: json.dumps(manifest).encode()}


def mutate_npy(raw: bytes, rng: Random) -> bytes:
    """Change the numbers of an array, its shape, or its type."""
    array = np.load(io.BytesIO(raw), allow_pickle=False).copy()
    out = io.BytesIO()
    np.save(out, _other(array, rng), allow_pickle=False)
    return out.getvalue()


def _other(array: NDArray[Any], rng: Random) -> NDArray[Any]:
    flat = array.reshape(-1)
    numbers = np.random.default_rng(rng.randrange(2**32))
    match rng.randrange(8):
        case 0 | 1 | 2 if flat.size and not array.dtype.names:
            extremes = _extremes(array.dtype)
            for at in numbers.integers(flat.size, size=rng.choice((1, 1, 3, flat.size))):
                flat[at] = rng.choice(extremes)
        case 3 if flat.size:
            numbers.shuffle(flat)
        case 4:
            return flat[: rng.randrange(flat.size + 1)]
        case 5 if flat.size:
            return np.concatenate([array, array[: rng.randrange(1, 4)]]) if array.ndim else array
        case 6 if not array.dtype.names:
            return array.astype(rng.choice(["<i4", "<i8", "<f4", "<f8", "|u1", "<u8"]))
        case _ if flat.size:
            flat.view(np.uint8)[:] = numbers.integers(256, size=flat.view(np.uint8).size)
    return array


def _extremes(dtype: np.dtype[Any]) -> list[Any]:
    if dtype.kind == "f":
        facts = np.finfo(dtype)
        return [math.nan, math.inf, -math.inf, facts.max, facts.min, 0.0, -1.0, 1e9]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return [n for n in (limits.max, limits.min, 0, 1, -1, 2, 7, 1000, 2**31 - 1) if limits.min <= n <= limits.max]
    return [True, False]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Return every place in a JSON value, as the container and the key or index in it."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def mutate_json(value: Any, rng: Random) -> None:
    """Put another value somewhere, take one out, or name it otherwise."""
    container, key = rng.choice(list(places(value)))
    inside, place = rng.choice(list(places(value)))
    nested: Any = []
    for _ in range(rng.choice((3, 50, 500))):
        nested = [nested]
    others = [rng.choice(STRINGS), rng.choice(NUMBERS), copy.deepcopy(inside[place]), None, [], {}, nested]
    match rng.randrange(6):
        case 0 if isinstance(container, dict):
            del container[key]
        case 1 if isinstance(container, dict):
            container[rng.choice(STRINGS)] = container.pop(key)
        case 2 if isinstance(container[key], int | float):
            container[key] = rng.choice(NUMBERS)
        case 3 if isinstance(container[key], str):
            container[key] = rng.choice(STRINGS)
        case _:
            container[key] = rng.choice(others)


def mutate_texts(words: list[Any], rng: Random) -> list[Any]:
    """Change a vocabulary."""
    if not words or not isinstance(words, list):
        return [rng.choice(STRINGS)]
    at = rng.randrange(len(words))
    match rng.randrange(6):
        case 0 | 1:
            words[at] = rng.choice(STRINGS)
        case 2:
            words[at] = rng.choice(words)
        case 3:
            rng.shuffle(words)
        case 4:
            del words[at:]
        case _:
            words += [rng.choice((*STRINGS, *NUMBERS, None))] * rng.choice((1, 3))
    return words


def mutate_blob(raw: bytes, rng: Random) -> bytes:
    """Change a dump of skops: its arrays or its schema."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as before, zipfile.ZipFile(out, "w") as after:
        names = before.namelist()
        chosen = rng.choice([*names, "schema.json"])
        for name in names:
            content = before.read(name)
            if name == chosen and name.endswith(".json"):
                schema = json.loads(content)
                for _ in range(rng.choice((1, 1, 3))):
                    mutate_json(schema, rng)
                content = json.dumps(schema).encode()
            elif name == chosen:
                content = mutate_npy(content, rng) if name.endswith(".npy") else damage(content, rng)
            after.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()
