"""A model as a package: the same bytes, installed, found by its name, removed; what is refused, and why."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packaging.metadata import Metadata

import treevote
from tests.command_line import content, fails, run
from tests.paths import ROOT, TOY
from tests.reference.toy_grammar import toy_treebank
from treevote import ModelError
from treevote.ensemble.stored import StoredParser
from treevote.errors import TreevoteWarning
from treevote.store.manifest import MANIFEST, digest
from treevote.store.packages import installed_models, model_folder

WHEEL, SDIST = "treevote_en_toy-1.0-py3-none-any.whl", "treevote_en_toy-1.0.tar.gz"
OWN, INFO = "treevote_en_toy", "treevote_en_toy-1.0.dist-info"
WORDS = "--name", "en-toy", "--licence", "CC-BY-SA-4.0"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model folder."""
    path = tmp_path_factory.mktemp("package") / "model"
    treevote.train(toy_treebank(30, seed=1), toy_treebank(20, seed=2), members=["lr-svm-forward"], output=path)
    return path


@pytest.fixture(scope="module")
def built(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a wheel and an sdist of the model."""
    folder = tmp_path_factory.mktemp("dist")
    run("package", model, *WORDS, "-o", folder)
    return folder


@pytest.fixture
def site(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder of installed packages that holds the content of the wheel; the current folder is an empty one."""
    with zipfile.ZipFile(built / WHEEL) as wheel:
        wheel.extractall(tmp_path / "site")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield tmp_path / "site"
    for name in [name for name in sys.modules if name.startswith(OWN)]:
        pytest.fail(f"{name} was imported")


def test_the_same_model_gives_the_same_bytes(model: Path, built: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "copy")
    said = run("package", tmp_path / "copy", *WORDS, "-o", tmp_path / "again" / "dist")
    assert content(tmp_path / "again" / "dist") == content(built)
    assert [line.split("  ")[0] for line in said.splitlines()] == [
        str(tmp_path / "again" / "dist" / name) for name in (WHEEL, SDIST)
    ]


def test_a_wheel_lists_its_files_and_holds_the_model_as_it_is(model: Path, built: Path) -> None:
    with zipfile.ZipFile(built / WHEEL) as wheel:
        names = wheel.namelist()
        files = {name: wheel.read(name) for name in names}
        assert {entry.date_time[0] for entry in wheel.infolist()} == {1980}
    own = [name for name in names if name.startswith(f"{OWN}/")]
    assert names == [*sorted(own), *(f"{INFO}/{name}" for name in ("METADATA", "WHEEL", "entry_points.txt", "RECORD"))]
    assert {name.removeprefix(f"{OWN}/"): files[name] for name in own} == content(model)
    *rows, last = csv.reader(files[f"{INFO}/RECORD"].decode().splitlines())
    assert last == [f"{INFO}/RECORD", "", ""]
    assert [row[0] for row in rows] == names[:-1]
    for name, checksum, size in rows:
        expected = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        assert (checksum, int(size)) == (f"sha256={expected}", len(files[name]))
    metadata = Metadata.from_email(files[f"{INFO}/METADATA"], validate=True)
    assert (metadata.name, str(metadata.version), metadata.license_expression) == (
        "treevote-en-toy",
        "1.0",
        "CC-BY-SA-4.0",
    )
    assert [str(need) for need in metadata.requires_dist or ()] == [f"treevote<1,>={treevote.__version__}"]
    assert "scores on development data" in str(metadata.description).lower()


def test_an_sdist_tells_a_build_backend_the_same(model: Path, built: Path) -> None:
    with tarfile.open(built / SDIST) as archive:
        files = {entry.name.partition("/")[2]: archive.extractfile(entry) for entry in archive}
        read = {name: file.read() for name, file in files.items() if file is not None}
        assert {(entry.mtime, entry.mode, entry.uid, entry.uname) for entry in archive} == {(315532800, 0o644, 0, "")}
    with zipfile.ZipFile(built / WHEEL) as wheel:
        assert read["PKG-INFO"] == wheel.read(f"{INFO}/METADATA")
    assert {Path(name).name: data for name, data in read.items() if name.startswith(f"{OWN}/")} == content(model)
    project = tomllib.loads(read["pyproject.toml"].decode())["project"]
    assert read["PKG-INFO"].decode().partition("\n\n")[2] == read[project["readme"]].decode()
    assert project["entry-points"] == {"treevote.models": {"en-toy": OWN}}
    assert (project["license"], project["version"]) == ("CC-BY-SA-4.0", "1.0")


def test_a_card_goes_into_the_package(model: Path, tmp_path: Path) -> None:
    (tmp_path / "card.toml").write_text(
        'licence = "free"\ndata = "web"\ntest = "LAS 9"\nspeed = "fast"\ncitation = "C"\n'
    )
    run("package", model, *WORDS, "--source", "toys", "--card", tmp_path / "card.toml", "-o", tmp_path)
    with zipfile.ZipFile(tmp_path / WHEEL) as wheel:
        text = wheel.read(f"{INFO}/METADATA").decode()
    for row in ("# en-toy", "| source | toys |", "| licence of data | free |", "| test | LAS 9 |", "| speed | fast |"):
        assert f"\n{row}\n" in text
    assert "License-Expression: CC-BY-SA-4.0\n" in text


def test_every_command_and_function_takes_the_name(model: Path, site: Path) -> None:
    treevote.write(toy_treebank(5, seed=3), "text.conllu")
    folder = site / OWN
    assert model_folder("en-toy") == folder
    assert run("parse", "en-toy", "text.conllu") == run("parse", model, "text.conllu")
    assert run("inspect", "en-toy", "--full") == run("inspect", model, "--full")
    assert fails("cascade", "en-toy", "text.conllu") == fails("cascade", model, "text.conllu")
    run("next", "en-toy", "text.conllu", "-k", "2", "-o", "next.conllu")
    run("parse", "en-toy", "text.conllu", "--output-dir", "out")
    given = treevote.read("text.conllu")
    expected = treevote.dumps(treevote.load(model).parse(given))
    assert treevote.dumps(treevote.load("en-toy").parse(given)) == expected
    assert treevote.dumps(treevote.parse("en-toy", given)) == expected
    assert StoredParser.of("en-toy").path == str(folder)
    treevote.write(toy_treebank(30, seed=1), "train.conllu")
    treevote.adapt("en-toy", "text.conllu", "adapted", train="train.conllu", force=True)
    assert treevote.load("adapted").facts["adaptation"]


def test_installed_models_are_listed(site: Path) -> None:
    assert run("inspect").splitlines()[1].split() == ["en-toy", "1.0", "CC-BY-SA-4.0"]
    (listed,) = json.loads(run("inspect", "--json"))["models"]
    assert "there is no model to describe" in run("inspect", "--markdown", code=1)
    assert listed == {"name": "en-toy", "version": "1.0", "licence": "CC-BY-SA-4.0", "folder": str(site / OWN)}


def test_a_name_that_is_unknown_is_told_with_those_installed(site: Path) -> None:
    for name in ("en-toi", "EN-TOY", "en_toy", "..x", "en toy", "treevote-en-toy"):
        sentence = fails("parse", name, TOY)
        assert "no such model folder, and no such installed model" in sentence
        assert "installed models: en-toy" in sentence
        with pytest.raises(ModelError, match="installed models: en-toy"):
            treevote.load(name)
    for path in ("./en-toy", "en-toy/", str(Path("en-toy").absolute())):
        assert "no such model folder" in fails("inspect", path)
    shutil.rmtree(site / INFO)
    assert "installed models: none" in fails("inspect", "en-toy")
    assert run("inspect").startswith("no model is installed")


def _point(text: str) -> Callable[[Path], object]:
    return lambda site: (site / INFO / "entry_points.txt").write_text(f"[treevote.models]\n{text}\n")


def _unlisted(site: Path) -> None:
    record = site / INFO / "RECORD"
    record.write_text(record.read_text().replace(f"{OWN}/{MANIFEST}", f"{OWN}/../{MANIFEST}"))


def _link(site: Path) -> None:
    (site / OWN).rename(site / "elsewhere")
    (site / OWN).symlink_to("elsewhere")


@pytest.mark.parametrize(
    "change",
    [
        _point("en-toy = .."),
        _point("en-toy = ../other"),
        _point("en-toy = os:system"),
        _point(f"en-toy = {OWN}.inner"),
        _point(f"en-toy = {OWN}\nde-toy = {OWN}"),
        _point(f"de-toy = {OWN}"),
        _unlisted,
        _link,
        lambda site: shutil.rmtree(site / OWN),
    ],
)
def test_a_package_that_points_elsewhere_is_refused(site: Path, change: Callable[[Path], object]) -> None:
    (site / OWN / "__init__.py").write_text("raise SystemExit('imported')")
    change(site)
    assert "the package treevote-en-toy: expected" in fails("parse", "en-toy", TOY)
    with pytest.warns(TreevoteWarning, match="toy"):
        assert installed_models() == []


def test_a_name_in_another_package_is_no_model(site: Path) -> None:
    other = site / "other-1.0.dist-info"
    shutil.copytree(site / INFO, other)
    (other / "METADATA").write_text("Metadata-Version: 2.4\nName: other\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text(f"[treevote.models]\nde-toy = {OWN}\n")
    assert "no such installed model" in run("parse", "de-toy", TOY, code=1)
    with pytest.warns(TreevoteWarning, match="'de-toy' is not in a package 'treevote-de-toy'"):
        assert [model.name for model in installed_models()] == ["en-toy"]
    plug_in = site / "treevote_chain-1.0.dist-info"
    other.rename(plug_in)
    (plug_in / "METADATA").write_text("Metadata-Version: 2.4\nName: treevote-chain\nVersion: 1.0\n")
    (plug_in / "entry_points.txt").write_text("[treevote.members]\nchain = treevote_chain:FAMILY\n")
    assert "no such installed model" in run("parse", "chain", TOY, code=1)


def test_an_installed_model_is_checked_like_any_other(site: Path) -> None:
    with (site / OWN / "lr-svm-forward.keys.npy").open("ab") as file:
        file.write(b"x")
    assert "the model is damaged" in fails("parse", "en-toy", TOY)
    _change_manifest(site / OWN, version=4)
    assert "found version 4" in fails("parse", "en-toy", TOY)


def _change_manifest(folder: Path, **changes: object) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest |= changes
    (folder / MANIFEST).write_text(json.dumps({**manifest, "checksum": digest(manifest)}))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--name", "en-toy"), "--licence: expected one, found none: the licence of the training data may forbid"),
        (("--name", "en-toy", "--licence", "CC BY-SA 4.0"), "expected an SPDX expression"),
        (("--name", "en-toy", "--licence", ""), "expected an SPDX expression"),
        ((*WORDS, "--version", "one"), "--version: expected a version, found 'one'"),
        ((*WORDS, "--version", "1.0\nName: x"), "--version: expected a version"),
        (("--name", "En_Toy", "--licence", "MIT"), "did you mean 'en-toy'?"),
        (("--name", "../toy", "--licence", "MIT"), "--name: expected small letters"),
        (("--name", "", "--licence", "MIT"), "--name: expected small letters"),
        (("--name", "toy\n", "--licence", "MIT"), "--name: expected small letters"),
        (("--name", "τοι", "--licence", "MIT"), "--name: expected small letters"),
        (("--name", "x" * 300, "--licence", "MIT"), "cannot write"),
    ],
)
def test_words_that_no_package_can_have_are_refused(
    model: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    assert said in fails("package", model, *words, "-o", tmp_path / "dist")
    assert not list(tmp_path.rglob("*.whl"))


def test_a_model_that_is_missing_damaged_or_holds_code_is_refused(model: Path, tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    assert "no such model folder" in fails("package", tmp_path / "none", *WORDS, "-o", dist)
    shutil.copytree(model, tmp_path / "model")
    code = tmp_path / "model" / "__init__.py"
    code.write_bytes(b"print('code')")
    files = json.loads((model / MANIFEST).read_text())["files"]
    facts = {"bytes": 13, "sha256": hashlib.sha256(code.read_bytes()).hexdigest()}
    _change_manifest(tmp_path / "model", files={**files, "__init__.py": facts})
    assert "expected files of data (.bin, .json, .npy), found '__init__.py'" in fails(
        "package", tmp_path / "model", *WORDS, "-o", dist
    )
    _change_manifest(tmp_path / "model", files={**files, "more.npy": {"bytes": 1, "sha256": "none"}})
    (tmp_path / "model" / "more.npy").write_bytes(b"x")
    assert "more.npy: its content does not have" in fails("package", tmp_path / "model", *WORDS, "-o", dist)
    next((tmp_path / "model").glob("*.npy")).write_bytes(b"")
    assert "the model is damaged" in fails("package", tmp_path / "model", *WORDS, "-o", dist)
    assert not list(tmp_path.glob("dist/*"))


def test_a_folder_that_cannot_be_written_to_is_told(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "cannot write" in fails("package", model, *WORDS, "-o", tmp_path / "file")
    for folder in (model, model / "dist"):
        assert "is a model, and holds nothing else" in fails("package", model, *WORDS, "-o", folder)
    assert not list(model.rglob("*.whl"))


@pytest.mark.slow
def test_pip_installs_and_removes_a_package(model: Path, built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True, symlinks=os.name != "nt")
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    paths = os.pathsep.join([str(ROOT / "src"), sysconfig.get_path("purelib")])

    def call(*words: object, path: str = paths) -> bytes:
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [str(python), "-m", *map(str, words)]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def files() -> set[Path]:
        return {path for path in (tmp_path / "env").rglob("*") if "__pycache__" not in path.parts}

    before, expected = files(), call("treevote", "parse", model, TOY)
    for file in (WHEEL, SDIST):
        call("pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", built / file)
        assert any(OWN in path.parts for path in files())
        assert call("treevote", "parse", "en-toy", TOY) == expected
        assert b"CC-BY-SA-4.0" in call("treevote", "inspect")
        call("pip", "uninstall", "--quiet", "--yes", "treevote-en-toy", path="")
        assert files() == before
