"""The folder of finished steps: of one plan and one run, and nothing in it is removed that was not made there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from treevote.errors import ConfigError, ModelError
from treevote.files.temporaries import temporary
from treevote.store.checkpoints import PLAN, checkpoints
from treevote.store.folder import load, save
from treevote.store.manifest import FORMAT_VERSION, MANIFEST
from treevote.store.record import Record


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(folder: Path, message: str, plan: dict[str, int] | None = None) -> None:
    """Assert that a folder is refused, and untouched."""
    before = files(folder)
    with pytest.raises(ConfigError, match=message), checkpoints(folder, plan or {}):
        pass
    assert files(folder) == before


def test_steps_belong_to_one_plan(tmp_path: Path) -> None:
    with checkpoints(tmp_path / "work", {"seed": 0}) as steps:
        assert not steps.has_steps
    with checkpoints(tmp_path / "work", {"seed": 1}) as steps:  # without a step the plan may change
        steps.chunks("round-1")
        assert steps.has_steps
    with checkpoints(tmp_path / "work", {"seed": 1}):
        pass
    refused(tmp_path / "work", "differs in seed; give the same command, name another folder,", {"seed": 2})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("letter", "dear"),
        (".git", "hidden"),
        (PLAN, '{"seed": 1}'),
        (PLAN, '{"format": "treevote adaptation", "plan": 1, "made": true}'),
        (PLAN, "[" * 10_000),
        (PLAN, ""),
        (PLAN, '{"format": "another program", "plan": {}, "made": true}'),
    ],
)
def test_a_folder_with_something_else_in_it_is_refused(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    refused(tmp_path, "something else than an adaptation" if name != PLAN else "is not the plan of an adaptation")


def test_a_plan_that_is_a_link_is_refused(tmp_path: Path) -> None:
    with checkpoints(tmp_path / "work", {}):
        pass
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / PLAN).symlink_to(tmp_path / "work" / PLAN)
    refused(tmp_path / "other", "is not the plan of an adaptation")


def test_only_what_was_made_is_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "chunk-000001.conllu").write_text("mine")
    with checkpoints(tmp_path / "work", {}) as steps:
        chunks = steps.chunks("round-1")
        (chunks / "chunk-000000.conllu").write_text("made")
        (chunks / "chunk-000000.npy").write_text("made")
        (chunks / "thesis.txt").write_text("mine")
        (chunks / "chunk-000001.conllu").symlink_to(precious / "chunk-000001.conllu")
        steps.file("round-1.silver.conllu", lambda path: path.touch())
        steps.chunks("round-2").rmdir()
        (steps.folder / "round-2").symlink_to(precious)
        (steps.folder / "notes").mkdir()
        (steps.folder / ".ssh").write_text("mine")
        steps.clear()
    assert files(precious) == {"chunk-000001.conllu": b"mine"}
    left = sorted(str(path.relative_to(tmp_path / "work")) for path in (tmp_path / "work").rglob("*"))
    assert left == [".ssh", "notes", "round-1", "round-1/chunk-000001.conllu", "round-1/thesis.txt", "round-2"]


@pytest.mark.parametrize("damage", [None, b"", b"who", b"holes"])
def test_a_damaged_file_is_written_again(damage: bytes | None, tmp_path: Path) -> None:
    written = []

    def write(path: Path) -> None:
        written.append(path)
        path.write_bytes(b"whole")

    with checkpoints(tmp_path / "work", {}) as steps:
        for _ in range(2):
            path = steps.file("text-1.conllu", write)
    assert len(written) == 1
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    with checkpoints(tmp_path / "work", {}) as steps:
        assert steps.file("text-1.conllu", write).read_bytes() == b"whole"
    assert len(written) == 2


def test_a_model_of_another_version_is_removed_whole(tmp_path: Path) -> None:
    with checkpoints(tmp_path / "work", {}) as steps:
        model = steps.step("member")
        save(Record("test", arrays={"numbers": np.arange(3)}), model)
        manifest = model / MANIFEST
        manifest.write_text(manifest.read_text().replace(f'"version": {FORMAT_VERSION}', '"version": 99'))
        with pytest.raises(ModelError, match="found version 99"):
            load(model)
        steps.clear()
    assert not (tmp_path / "work").exists()


def test_a_folder_goes_only_if_it_was_made(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    for name in "own", "made":
        for _ in range(2):  # a resumed run knows it too
            with checkpoints(tmp_path / name, {}) as steps:
                steps.chunks("round-1")
        with checkpoints(tmp_path / name, {}) as steps:
            steps.chunks("round-1")
            steps.clear()
    assert os.listdir(tmp_path) == ["own"]
    assert os.listdir(tmp_path / "own") == []


def test_a_step_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    with checkpoints(tmp_path / "work", {}) as steps:
        (steps.folder / "round-1").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(ConfigError, match="is a link"):
            steps.chunks("round-1")


def test_a_checksum_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with checkpoints(tmp_path / "work", {}) as steps:
        (steps.folder / "text-1.conllu.sha256").symlink_to(tmp_path / "precious")
        with pytest.raises(ConfigError, match="is a link"):
            steps.file("text-1.conllu", lambda path: path.touch())
        steps.clear()
    assert (tmp_path / "precious").read_text() == "mine"


def test_two_runs_at_once_do_not_meet(tmp_path: Path) -> None:
    with checkpoints(tmp_path / "work", {}):
        refused(tmp_path / "work", "another adaptation is at work in .*work; wait for its end")
    with checkpoints(tmp_path / "work", {}):
        pass


def test_what_a_killed_run_left_of_its_plan_is_no_obstacle(tmp_path: Path) -> None:
    with temporary(tmp_path / PLAN) as path:
        left = Path(path).name
    (tmp_path / left).write_text("{")
    with checkpoints(tmp_path, {}):
        assert os.listdir(tmp_path) == [PLAN]
