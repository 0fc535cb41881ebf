"""Models that pip installed: what stands for a folder, and what for a name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.reference.toy_model import toy
from treevote.errors import ModelError, TreevoteWarning
from treevote.store.folder import save
from treevote.store.manifest import MANIFEST
from treevote.store.packages import InstalledModel, installed_models, model_folder


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of installed packages that holds the model en-toy; the current folder is an empty one."""
    save(toy(), tmp_path / "site" / "treevote_en_toy")
    info = tmp_path / "site" / "treevote_en_toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: treevote-en-toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[treevote.models]\nen-toy = treevote_en_toy\n")
    (info / "RECORD").write_text(f"treevote_en_toy/{MANIFEST},,\n")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def test_a_folder_wins_and_a_path_is_a_path(site: Path) -> None:
    for path in (Path("en-toy"), "./en-toy", "en-toy/", str(Path("en-toy").absolute())):
        assert model_folder(path) == Path(path)
    assert model_folder("en-toy") == site / "treevote_en_toy"
    Path("en-toy").mkdir()
    assert model_folder("en-toy") == Path("en-toy")
    shutil.rmtree("en-toy")
    assert model_folder("en-toy") == site / "treevote_en_toy"
    for name in ("de-toy", "x" * 5000):  # longer than a file can be called
        with pytest.raises(ModelError, match="installed models: en-toy"):
            model_folder(name)


def test_an_installed_model_has_the_facts_of_its_package(site: Path) -> None:
    assert installed_models() == [InstalledModel("en-toy", "1.0", "not stated", site / "treevote_en_toy")]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("METADATA", b"", "(expected its version|cannot be read)"),  # the library may say it first
        ("METADATA", b"\xff", "cannot be read"),
        ("RECORD", b"\xff", "cannot be read"),
        ("entry_points.txt", b"\xff", "cannot be read"),
        ("entry_points.txt", b"[treevote.models]\nen-toy\n", "cannot be read"),
    ],
)
def test_damaged_facts_of_a_package_are_a_fault_of_it(site: Path, name: str, content: bytes, reason: str) -> None:
    (site / "treevote_en_toy-1.0.dist-info" / name).write_bytes(content)
    with pytest.raises(ModelError, match=f"the package treevote-en-toy: {reason}"):
        model_folder("en-toy")
    if name == "entry_points.txt":  # nobody knows whose name is lost
        with pytest.raises(ModelError, match="the entry points of an installed package: cannot be read"):
            installed_models()
    else:
        with pytest.warns(TreevoteWarning, match=f"the package treevote-en-toy: {reason}"):
            assert installed_models() == []
