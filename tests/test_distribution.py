"""The sdist holds all files, the wheel the package alone; each is built from the one before, without warnings."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from tests.paths import ROOT
from tests.test_architecture import LINKS

BUILD = "from setuptools import build_meta; print(build_meta.build_{}({!r}))"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links in an archive need rights")


def build(kind: str, source: Path, folder: Path) -> Path:
    """Build a distribution with the setuptools at hand; fail if it warns."""
    code = BUILD.format(kind, str(folder))
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "warning: no files found" not in done.stdout + done.stderr  # of a line of MANIFEST.in
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def tracked() -> set[str]:
    """Return the files of the checkout, without links and workflows."""
    if not (ROOT / ".git").exists():
        pytest.skip("the files of the project are those that git tracks")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    links = {f"src/treevote/{link}" for link in LINKS}
    return {name for name in names.split("\0") if name and name not in links and not name.startswith(".github/")}


@pytest.fixture(scope="module")
def sdist(tracked: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked sdist of these files."""
    folder = tmp_path_factory.mktemp("distribution")
    for name in tracked:
        (folder / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "clone" / name)
    for link in LINKS:
        (folder / "clone" / "src" / "treevote" / link).symlink_to(f"../../{link}")
    with tarfile.open(build("sdist", folder / "clone", folder)) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (root,) = (folder / "unpacked").iterdir()
    return root


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> zipfile.ZipFile:
    """Return the wheel of the sdist."""
    return zipfile.ZipFile(build("wheel", sdist, sdist.parent))


def test_the_sdist_holds_all_files(sdist: Path, tracked: set[str]) -> None:
    found = {path.relative_to(sdist).as_posix(): path for path in sdist.rglob("*") if path.is_file()}
    assert tracked <= found.keys()
    assert all(found[name].read_bytes() == (ROOT / name).read_bytes() for name in tracked)
    made = {name for name in found.keys() - tracked if ".egg-info/" not in name and not name.startswith("build/")}
    assert made <= {"PKG-INFO", "setup.cfg"}


def test_the_links_of_the_sdist_lead_to_its_folders(sdist: Path) -> None:
    for link in LINKS:
        assert (sdist / "src" / "treevote" / link).readlink() == Path(f"../../{link}")
        assert (sdist / "src" / "treevote" / link / "__init__.py").is_file()


def test_the_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile, tracked: set[str]) -> None:
    package = {
        name.removeprefix("src/") if name.startswith("src/") else f"treevote/{name}"
        for name in tracked
        if PurePosixPath(name).parts[0] in ("src", *LINKS)
    }
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == package
    assert "treevote/py.typed" in package


def test_the_page_of_an_index_has_no_link_to_a_file(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(wheel.read(name))
    page = str(metadata.get_payload())
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "docs/tutorial.md" in page
    assert "](" not in page.replace("](http", "")
    assert metadata["License-Expression"] == "Apache-2.0"
