"""A damaged or hostile model folder gives one ModelError, or the saved content; never another exception."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.toy_model import content, json_values, toy
from treevote.errors import ModelError
from treevote.store import manifest, record
from treevote.store.folder import check_target, load, save
from treevote.store.record import Record


@pytest.fixture
def model(tmp_path: Path) -> Path:
    save(toy(), tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture(scope="module")
def shared_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model for laws with many examples; each of them undoes its change."""
    path = tmp_path_factory.mktemp("shared") / "model"
    save(toy(), path)
    return path


@contextmanager
def changed(file: Path, edit: Callable[[bytes], bytes] = bytes) -> Iterator[None]:
    """Edit a file for a while, and restore it afterwards."""
    before = file.read_bytes()
    try:
        file.write_bytes(edit(before))
        yield
    finally:
        file.write_bytes(before)


def outcome(folder: Path, *, verify: bool = True) -> Record | ModelError:
    try:
        return load(folder, verify=verify)
    except ModelError as fault:
        return fault


def forge(folder: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    """Edit the manifest and state the right sizes and checksums of everything, as a hostile author would."""
    entries = json.loads((folder / "manifest.json").read_text())
    for name, facts in entries["files"].items():
        raw = (folder / name).read_bytes()
        facts.update(bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest())
    edit(entries)
    entries.pop("checksum", None)
    entries["checksum"] = hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(entries))


@given(st.data())
@settings(max_examples=150)
def test_a_changed_byte_is_an_error_or_changes_nothing(shared_model: Path, data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(shared_model.iterdir())))
    at = data.draw(st.integers(0, file.stat().st_size - 1))
    flip = data.draw(st.integers(1, 255))
    with changed(file, lambda raw: raw[:at] + bytes([raw[at] ^ flip]) + raw[at + 1 :]):
        found = outcome(shared_model)
    assert isinstance(found, ModelError) or content(found) == content(toy())


@given(st.data())
@settings(max_examples=60)
def test_a_truncated_or_longer_file_is_an_error(shared_model: Path, data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(shared_model.iterdir())))
    size = file.stat().st_size
    harmless = {size, size - 1} if file.name == "manifest.json" else {size}  # it ends with a line feed
    length = data.draw(st.integers(0, size + 1).filter(lambda length: length not in harmless))
    with changed(file, lambda raw: (raw + b"\x00")[:length]):
        found = outcome(shared_model, verify=False)
    assert isinstance(found, ModelError)


@given(st.data())
@settings(max_examples=150)
def test_a_forged_file_is_an_error_or_a_record(shared_model: Path, data: st.DataObject) -> None:
    file = data.draw(st.sampled_from([f for f in sorted(shared_model.iterdir()) if f.name != "manifest.json"]))
    size = file.stat().st_size
    at = data.draw(st.integers(0, size))
    instead = data.draw(st.binary(max_size=4) | st.sampled_from([b"(" * 500, b"9" * 30, b"'O'", b"-1", b"[" * 99]))
    cut = data.draw(st.integers(0, 4))
    manifest_file = shared_model / "manifest.json"
    with changed(manifest_file), changed(file, lambda raw: raw[:at] + instead + raw[at + cut :]):
        forge(shared_model, lambda entries: None)
        found = outcome(shared_model)
    assert isinstance(found, Record) or "\n" not in str(found)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value, as the container and the key or index in it."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


@given(st.data())
@settings(max_examples=150)
def test_a_forged_manifest_is_an_error_or_a_record(shared_model: Path, data: st.DataObject) -> None:
    def edit(entries: dict[str, Any]) -> None:
        container, key = data.draw(st.sampled_from(list(places(entries))))
        others = [inside[inner] for inside, inner in places(entries)]
        container[key] = copy.deepcopy(data.draw(json_values | st.sampled_from(others)))

    with changed(shared_model / "manifest.json"):
        forge(shared_model, edit)
        found = outcome(shared_model)
    assert isinstance(found, Record) or "\n" not in str(found)


def header(descr: str, shape: tuple[int, ...], fortran: bool = False) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": descr, "fortran_order": fortran, "shape": shape})
    return out.getvalue()


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(header("<f4", (10**12,)) + bytes(16), id="10^12 elements"),
        pytest.param(header("<f4", (2**62, 2**62)) + bytes(16), id="product beyond 64 bits"),
        pytest.param(header("<f4", (0, 10**30)), id="nothing in an impossible shape"),
        pytest.param(header("<f4", (-2, -2)) + bytes(16), id="negative"),
        pytest.param(header("<f4", (2, 2), fortran=True) + bytes(16), id="Fortran order"),
        pytest.param(header("<f4", (1,) * 5) + bytes(4), id="five dimensions"),
        pytest.param(header("|O", (2,)) + bytes(16), id="objects"),
        pytest.param(header("<U4", (1,)) + bytes(16), id="strings"),
        pytest.param(header("<f4", (4,)) + bytes(15), id="a byte short"),
        pytest.param(header("<f4", (4,)) + bytes(17), id="a byte more"),
        pytest.param(b"\x93NUMPY\x03\x00" + header("<f4", (4,))[8:] + bytes(16), id="format 3.0"),
        pytest.param(b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, id="nested header"),
        pytest.param(b"", id="empty"),
    ],
)
@pytest.mark.parametrize("verify", [True, False])
def test_a_hostile_array_is_refused(model: Path, raw: bytes, verify: bool) -> None:
    (model / "forward.bias.npy").write_bytes(raw)
    forge(model, lambda entries: None)
    with pytest.raises(ModelError, match=r"forward\.bias\.npy: expected|forward\.bias\.npy: its header"):
        load(model, verify=verify)


def rename_file(name: str) -> Callable[[dict[str, Any]], None]:
    def edit(entries: dict[str, Any]) -> None:
        entries["files"][name] = entries["files"].pop("forward.bias.npy")
        entries["record"]["parts"][0]["arrays"]["bias"] = name

    return edit


def nest(entries: dict[str, Any]) -> None:
    for _ in range(record.MAX_DEPTH):
        entries["record"] = {**entries["record"], "arrays": {}, "parts": [{**entries["record"], "name": "p"}]}


def name_twice(entries: dict[str, Any]) -> None:
    entries["record"]["parts"][0]["arrays"]["again"] = "forward.bias.npy"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (rename_file("../bias.npy"), "plain file names"),
        (rename_file("/bias.npy"), "plain file names"),
        (rename_file(".."), "plain file names"),
        (rename_file("a\nb"), "plain file names"),
        (rename_file("missing.npy"), "expected a file, found none"),
        (lambda entries: entries["files"].pop("forward.bias.npy"), "name of a listed file"),
        (lambda entries: entries.update(version=4), "format version 1, 2 or 3, found version 4"),
        (lambda entries: entries.update(format="other"), "another program's"),
        (lambda entries: entries.update(record=[]), "expected 'record' of type dict, found list"),
        (nest, "levels of parts"),
        (name_twice, "not named before"),
        (lambda entries: text_of(entries).update(labels=-1), "expected the name of a listed file, found -1"),
    ],
)
def test_a_hostile_manifest_is_refused(model: Path, edit: Callable[[dict[str, Any]], None], message: str) -> None:
    (model.parent / "bias.npy").write_bytes((model / "forward.bias.npy").read_bytes())
    forge(model, edit)
    with pytest.raises(ModelError, match=message):
        load(model)


def text_of(entries: dict[str, Any]) -> dict[str, Any]:
    texts: dict[str, Any] = entries["record"]["parts"][0]["texts"]
    return texts


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda entries: text_of(entries).update(other="forward.labels.json"), id="another title"),
        pytest.param(lambda entries: text_of(entries).update(labels="forward.bias.npy"), id="an array"),
        pytest.param(lambda entries: text_of(entries).update(labels=["forward.labels.json"]), id="a list"),
        pytest.param(lambda entries: text_of(entries).update(labels="missing.json"), id="no file"),
        pytest.param(
            lambda entries: entries["record"]["parts"].extend(
                {**entries["record"]["parts"][0], "name": f"{i}", "arrays": {}} for i in range(record.MAX_SHARES)
            ),
            id="too many parts",
        ),
    ],
)
def test_a_forged_reference_to_a_vocabulary_is_refused(model: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    forge(model, edit)
    with pytest.raises(ModelError, match=r"not named before|name of a listed file|JSON list of strings"):
        load(model)


@pytest.mark.parametrize(
    "raw", [b"[" * 100_000, b"[]", b"1", b"{", b"\xff", b'{"a": NaN}', b'{"a": 1e999}', b"9" * 9999]
)
def test_a_manifest_that_is_no_object_is_refused(model: Path, raw: bytes) -> None:
    (model / "manifest.json").write_bytes(raw)
    with pytest.raises(ModelError, match="expected a JSON object"):
        load(model)


def test_large_manifest_links_and_devices_are_refused(model: Path) -> None:
    labels = model / "forward.labels.json"
    labels.rename(model.parent / "elsewhere")
    labels.symlink_to(model.parent / "elsewhere")
    with pytest.raises(ModelError, match="regular file"):
        load(model)
    labels.unlink()
    os.mkfifo(labels)
    with pytest.raises(ModelError, match="regular file"):
        load(model)
    with (model / "manifest.json").open("r+b") as file:
        file.truncate(manifest.MAX_MANIFEST + 1)
    with pytest.raises(ModelError, match="expected at most"):
        load(model)


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("9" * 301, "a number of 301 digits"),
        ("9" * 5000, "a number of 5000 digits"),
        ("[" * 60 + "]" * 60, "more than 50 levels of nesting"),
        ("[" * 900 + "]" * 900, "more than 50 levels of nesting"),
        ("1e999", "not JSON compliant"),
    ],
)
def test_a_fact_beyond_the_limits_is_refused(model: Path, fact: str, message: str) -> None:
    path = model / "manifest.json"
    path.write_text(path.read_text().replace('"n": 1', f'"n": {fact}'))
    with pytest.raises(ModelError, match=message):
        load(model)


@pytest.mark.parametrize("fact", [10**301, -(10**301), json.loads("[" * 60 + "]" * 60)])
def test_a_fact_that_could_not_be_read_is_not_written(tmp_path: Path, fact: Any) -> None:
    with pytest.raises(ModelError, match="the facts of a model must be plain JSON"):
        save(Record("p", {"fact": fact}), tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_the_longest_number_can_become_a_float(tmp_path: Path) -> None:
    save(Record("p", {"number": 10**300 - 1}), tmp_path / "model")
    number: Any = load(tmp_path / "model").facts["number"]
    assert float(number) == 1e300


@pytest.mark.parametrize("word", ["\ud800", "a\udc80", "\udfff\ud800"])
def test_half_a_surrogate_pair_is_neither_saved_nor_loaded(model: Path, word: str) -> None:
    with pytest.raises(ModelError, match="which is no valid Unicode"):
        save(Record("p", texts={"labels": ["x", word]}), model)
    labels = model / "forward.labels.json"
    for raw in (json.dumps([word]).encode(), json.dumps([word], ensure_ascii=False).encode("utf-8", "surrogatepass")):
        labels.write_bytes(raw)
        forge(model, lambda entries: None)
        with pytest.raises(ModelError, match=r"labels\.json: expected"):
            load(model)


def test_words_that_only_look_like_halves_of_pairs_are_words(tmp_path: Path) -> None:
    words = ["\\ud800", "\U0001f600", "\\\\uD800"]
    save(Record("p", texts={"labels": words}), tmp_path / "model")
    assert load(tmp_path / "model").texts["labels"] == words


def test_the_name_of_a_part_is_valid_unicode(model: Path) -> None:
    forge(model, lambda entries: entries["record"]["parts"][0].update(name="\ud800"))
    with pytest.raises(ModelError, match="the name of a part in valid Unicode"):
        load(model)


@pytest.mark.parametrize("use", [load, check_target])
def test_a_name_that_no_disk_can_have_is_a_model_error(tmp_path: Path, use: Callable[[Path], object]) -> None:
    with pytest.raises(ModelError, match="File name too long"):
        use(tmp_path / ("n" * 300))
