"""Saved content is loaded unchanged, a failed save harms nothing, and only models are replaced."""

from __future__ import annotations

import errno
import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from tests.reference.toy_model import content, json_values, toy
from tests.values import comparing_arrays, settable
from treevote.errors import ModelError
from treevote.files import exchange
from treevote.store import folder as store
from treevote.store import manifest, record
from treevote.store.folder import check_target, load, save, sizes
from treevote.store.record import Record

names = st.text(max_size=8) | st.sampled_from(["manifest", "a.b", "a", "A", "../x", ".", "con", "weights" * 30])
arrays = hnp.arrays(st.sampled_from(record.DTYPES), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))


def records(parts: st.SearchStrategy[Record] | None = None) -> st.SearchStrategy[Record]:
    return st.builds(
        Record,
        st.text(max_size=5),
        st.dictionaries(st.text(max_size=5), json_values, max_size=3),
        st.dictionaries(names, arrays, max_size=3),
        st.dictionaries(names, st.lists(st.text(max_size=4), max_size=4), max_size=2),
        st.dictionaries(names, st.binary(max_size=9), max_size=2),
        st.dictionaries(names, parts, max_size=2) if parts is not None else st.just({}),
    )


@pytest.fixture
def model(tmp_path: Path) -> Path:
    save(toy(), tmp_path / "model")
    return tmp_path / "model"


def as_version_7(model: Path) -> None:
    written = (model / manifest.MANIFEST).read_text("utf-8")
    changed = re.sub(r'"version": ?\d+', '"version": 7', written)
    assert changed != written
    (model / manifest.MANIFEST).write_text(changed, "utf-8")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@given(records(records()))
@settings(max_examples=25)
def test_what_was_saved_is_loaded_and_saved_again_alike(model: Record) -> None:
    with TemporaryDirectory() as room:
        save(model, Path(room, "one"))
        loaded = load(Path(room, "one"))
        assert content(loaded) == content(model)
        save(loaded, Path(room, "two"))
        assert tree(Path(room, "one")) == tree(Path(room, "two"))
        assert sizes(Path(room, "one")) == {name: len(raw) for name, raw in tree(Path(room, "one")).items()}
        assert content(load(Path(room, "two"), verify=False)) == content(model)


def test_order_of_insertion_does_not_show_except_that_of_parts(tmp_path: Path) -> None:
    one, two = np.zeros(1), np.ones(2)
    save(Record("parser", {"a": 1, "b": 2}, {"x y": one, "x-y": two}), tmp_path / "one")
    save(Record("parser", {"b": 2, "a": 1}, {"x-y": two, "x y": one}), tmp_path / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    save(Record("ensemble", parts={"z": Record("p"), "a": Record("p")}), tmp_path / "three")
    assert list(load(tmp_path / "three").parts) == ["z", "a"]


def several(*vocabularies: list[str]) -> Record:
    """Return an ensemble whose parts have these vocabularies."""
    parts = {f"p{i}": Record("p", texts={"form": words}) for i, words in enumerate(vocabularies)}
    return Record("ensemble", parts=parts)


def test_a_vocabulary_of_several_parts_is_one_file_and_one_list(tmp_path: Path) -> None:
    save(several(["a"], ["b"], ["a"], ["a"]), tmp_path / "model")
    assert sorted(sizes(tmp_path / "model")) == ["form.json", "manifest.json", "p1.form.json"]
    texts = [part.texts["form"] for part in load(tmp_path / "model").parts.values()]
    assert texts == [["a"], ["b"], ["a"], ["a"]]
    assert texts[0] is texts[2] is texts[3]


def test_a_vocabulary_of_parts_of_parts_has_the_name_of_its_title(tmp_path: Path) -> None:
    save(Record("model", parts={"a": several(["x"], ["x"])}), tmp_path / "model")
    assert sorted(sizes(tmp_path / "model")) == ["form.json", "manifest.json"]


def test_vocabularies_with_the_same_words_and_other_titles_stay_apart(tmp_path: Path) -> None:
    save(Record("p", texts={"form": ["a"], "lemma": ["a"]}), tmp_path / "model")
    texts = load(tmp_path / "model").texts
    assert texts["form"] is not texts["lemma"]


def test_a_vocabulary_of_very_many_parts_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MAX_SHARES", 2)
    save(several(*[["a"]] * 5), tmp_path / "model")
    assert sorted(sizes(tmp_path / "model")) == ["form-2.json", "form-3.json", "form.json", "manifest.json"]
    assert [part.texts["form"] for part in load(tmp_path / "model").parts.values()] == [["a"]] * 5


def test_a_model_of_version_1_is_read_and_its_equal_vocabularies_are_one_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "FORMAT_VERSION", 1)
    with monkeypatch.context() as patch:
        patch.setattr(record, "MAX_SHARES", 1)  # each part has a file of its own
        save(several(["a"], ["a"]), tmp_path / "model")
    assert store.version(tmp_path / "model") == 1
    one, other = (part.texts["form"] for part in load(tmp_path / "model").parts.values())
    assert one is other


def test_a_part_that_is_taken_is_verified(tmp_path: Path) -> None:
    save(Record("test", parts={"p": Record("part", arrays={"numbers": np.arange(3)})}), tmp_path / "model")
    (path,) = (tmp_path / "model").glob("*.npy")
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ModelError, match="does not have the checksum that the manifest states"):
        store.build(tmp_path / "model", lambda record: record.parts["p"].arrays["numbers"].tolist())


def test_only_the_parts_that_are_taken_are_read(tmp_path: Path) -> None:
    save(several(["a"], ["b"], ["a"]), tmp_path / "model")
    (tmp_path / "model" / "p1.form.json").unlink()
    assert store.build(tmp_path / "model", lambda record: record.parts["p2"].texts["form"]) == ["a"]
    assert store.build(tmp_path / "model", lambda record: list(record.parts)) == ["p0", "p1", "p2"]
    with pytest.raises(ModelError, match=r"p1\.form\.json: expected a file"):
        load(tmp_path / "model")


def test_arrays_are_read_only_maps_in_c_order_and_little_endian(tmp_path: Path) -> None:
    given_arrays = {"f": np.asfortranarray(np.arange(6).reshape(2, 3)), "big": np.arange(3, dtype=">i4")}
    save(Record("parser", arrays=given_arrays), tmp_path / "model")
    for name, array in load(tmp_path / "model").arrays.items():
        assert isinstance(array, np.memmap)
        assert array.flags.c_contiguous
        assert array.dtype.byteorder in "=<|"
        assert np.array_equal(array, given_arrays[name])
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_what_is_no_model_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path, message in [
        ("missing", "no such model folder"),
        (".", "not a treevote"),
        ("file", "not a treevote"),
    ]:
        for ask in (load, sizes):
            with pytest.raises(ModelError, match=message):
                ask(tmp_path / path)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (Record("p", arrays={"w": np.array([None])}), "array 'w' of a model has type object"),
        (Record("p", arrays={"w": np.zeros(1, np.complex64)}), "complex64"),
        (Record("p", arrays={"w": np.zeros((1, 1, 1, 1, 1))}), "5 dimensions"),
        (Record("p", facts={"score": float("nan")}), "plain JSON"),
        (Record("p", facts={"score": np.zeros(1)}), "plain JSON"),  # type: ignore[dict-item]
        (Record("p", facts={"log": "x" * manifest.MAX_MANIFEST}), "must take at most"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_the_old_model_stays(model: Path, bad: Record, message: str) -> None:
    before = tree(model.parent)
    with pytest.raises(ModelError, match=message):
        save(bad, model)
    assert tree(model.parent) == before


def nested(depth: int) -> Record:
    return Record("p", parts={"part": nested(depth - 1)}) if depth else Record("p")


def test_depth_and_length_have_the_same_bound_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(nested(record.MAX_DEPTH), tmp_path / "model")
    assert content(load(tmp_path / "model")) == content(nested(record.MAX_DEPTH))
    with pytest.raises(ModelError, match="levels of parts"):
        save(nested(record.MAX_DEPTH + 1), tmp_path / "model")
    save(Record("p", blobs={"b": bytes(100)}), tmp_path / "model")
    monkeypatch.setattr(record, "MAX_WHOLE", 99)
    with pytest.raises(ModelError, match="at most 99"):
        load(tmp_path / "model")
    with pytest.raises(ModelError, match="at most 99"):
        save(Record("p", blobs={"b": bytes(100)}), tmp_path / "model")


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["array", "manifest", "exchange", "first rename", "second rename"])
def test_a_failed_save_leaves_the_old_model_and_nothing_else(
    model: Path, monkeypatch: pytest.MonkeyPatch, step: str, fault: BaseException
) -> None:
    before = tree(model.parent)
    rename, renames = os.rename, iter([1, 2, 3])

    def fail(*arguments: object, **options: object) -> None:
        raise fault

    def rename_or_fail(source: str, target: str) -> None:
        if next(renames) == (1 if step == "first rename" else 2):
            fail()
        rename(source, target)

    if step == "array":
        monkeypatch.setattr(np, "save", fail)
    elif step == "manifest":
        monkeypatch.setattr(store, "write_manifest", fail)
    elif step == "exchange":
        monkeypatch.setattr(exchange, "exchanged", fail)
    else:
        monkeypatch.setattr(exchange, "exchanged", lambda one, other: False)
        monkeypatch.setattr(os, "rename", rename_or_fail)
    with pytest.raises(ModelError if isinstance(fault, OSError) else KeyboardInterrupt) as caught:
        save(Record("p", arrays={"w": np.zeros(3)}), model)
    monkeypatch.undo()
    if isinstance(fault, OSError):
        assert "No space left on device" in str(caught.value)
    assert tree(model.parent) == before
    assert os.listdir(model.parent) == ["model"]


def test_a_model_is_replaced_and_its_maps_stay_valid(model: Path) -> None:
    old = load(model)
    save(Record("p"), model)
    assert load(model).kind == "p"
    assert content(old) == content(toy())
    assert os.listdir(model.parent) == ["model"]


def test_a_model_of_another_version_or_with_a_damaged_file_is_replaced(model: Path) -> None:
    as_version_7(model)
    (model / "forward.bias.npy").write_bytes(b"")
    save(Record("p"), model)
    assert load(model).kind == "p"


def test_a_link_to_a_model_stays_a_link(model: Path) -> None:
    link = model.parent / "link"
    link.symlink_to(model)
    save(Record("p"), link)
    assert link.is_symlink()
    assert load(model).kind == load(link).kind == "p"


def test_what_is_not_a_model_is_never_replaced(model: Path) -> None:
    around = model.parent
    (around / "file").write_text("mine")
    shutil.copytree(model, around / "with notes")
    (around / "with notes" / "notes.txt").write_text("mine")
    shutil.copytree(model, around / "no manifest")
    (around / "no manifest" / "manifest.json").unlink()
    before = tree(around)
    for name in ("file", "with notes", "no manifest", "file/model", "."):
        for attempt in (check_target, lambda path: save(Record("p"), path)):
            with pytest.raises(ModelError, match="name another folder"):
                attempt(around / name)
    assert tree(around) == before


def test_new_and_empty_folders_will_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "new/deep/model"):
        check_target(tmp_path / name)
        save(toy(), tmp_path / name)
        assert content(load(tmp_path / name)) == content(toy())


def test_the_working_folder_is_not_replaced(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (model, model.parent / "empty"):
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        for name in (".", folder):
            with pytest.raises(ModelError, match="found the working folder, which a model would replace"):
                save(toy(), name)


@given(hnp.arrays(np.float32, 3))
@settings(max_examples=5)
def test_saving_leaves_its_argument_alone(array: NDArray[np.float32]) -> None:
    before = array.tobytes()
    with TemporaryDirectory() as room:
        save(Record("p", arrays={"w": array}), Path(room, "model"))
    assert array.tobytes() == before
    assert array.flags.writeable


def test_a_model_of_another_version_holds_no_other_one_either(model: Path) -> None:
    as_version_7(model)
    with pytest.raises(ModelError, match="is a model, and holds nothing else"):
        check_target(model / "inner")


def test_what_is_known_of_a_folder_is_a_value() -> None:
    assert settable("treevote.store") == {"_Text"}  # which counts what was read
    assert not comparing_arrays("treevote.store")
