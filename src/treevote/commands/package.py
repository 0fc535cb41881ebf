"""``treevote package``: a model as a wheel and an sdist, which pip puts beside treevote.

The formats are those of the Python Packaging User Guide, section "Specifications": binary distribution format (a zip
with ``.dist-info``), source distribution format, core metadata 2.4, entry points. Both hold the files of the model as
they are, and no code. The same model and words give the same bytes: every file has the same date, mode and owner, and
names have a fixed order.
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from treevote.commands.inspect import facts_read
from treevote.ensemble.members import packages_of
from treevote.errors import ConfigError, InputError, shortened
from treevote.files.streams import path_of, writing
from treevote.store.folder import check_folder, read_whole
from treevote.store.manifest import MANIFEST, READ_BEFORE, FileFacts, damaged, read_manifest
from treevote.store.packages import GROUP, folder_name, is_model_name, package_name
from treevote.version import __version__

DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all files in a package: the first that a zip can state."""

SECONDS = 315_532_800
"""The same in seconds since 1970, UTC."""

DATA = (".bin", ".json", ".npy")
"""Suffixes of the files of a model: a package holds no code."""


@dataclass(frozen=True, slots=True)
class Release:
    """Name and version of a model, and its licence as an SPDX expression, in the form of packages."""

    name: str
    version: str
    licence: str

    @classmethod
    def of(cls, name: str, version: str, licence: str | None) -> Self:
        """Return a release; ConfigError for a name, version or licence that a package cannot have, or no licence."""
        if not is_model_name(name):
            expected = "expected small letters and digits with hyphens between them"
            near = canonicalize_name(name)
            hint = f"; did you mean '{near}'?" if is_model_name(near) else "; choose one such as el-gdt"
            raise ConfigError(f"--name: {expected}, found {shortened(name)!r}{hint}")
        try:
            number = str(Version(version))
        except InvalidVersion:
            problem = f"expected a version, found {shortened(version)!r}"
            raise ConfigError(f"--version: {problem}; choose one such as 1.0") from None
        if licence is None:
            reason = "the licence of the training data may forbid others to pass the package on, or set terms for it"
            raise ConfigError(f"--licence: expected one, found none: {reason}; look it up, and state it")
        try:
            return cls(name, number, canonicalize_license_expression(licence))
        except InvalidLicenseExpression:
            problem = f"expected an SPDX expression such as CC-BY-SA-4.0, found {shortened(licence)!r}"
            raise ConfigError(f"--licence: {problem}; one that is not in their list is LicenseRef-NAME") from None


class _File(NamedTuple):
    """A file of a package: its path in it, size and SHA-256, and how its content is opened."""

    path: str
    facts: FileFacts
    open: Callable[[], AbstractContextManager[IO[bytes]]]


def write_packages(
    model: str | Path, release: Release, facts: Mapping[str, Any], card: str, output: str | Path
) -> list[Path]:
    """Write a wheel and an sdist of a model into a folder, and return their paths.

    ``facts`` are those of `treevote.commands.inspect`, ``card`` is Markdown. What is written requires the packages of
    plug-ins among the members. ModelError if the model is damaged, or the folder is in a model; InputError if a file
    cannot be written, one that stood in its place is kept then.
    """
    check_folder(output := path_of(output))
    with facts_read(model):
        needs = [f"treevote>={Version(facts['treevote']).public},<{READ_BEFORE}"]
        plug_ins = packages_of(member["kind"] for member in facts["members"].values())
    needs += [_required(name, version) for name, version in plug_ins.items()]
    metadata, pyproject = _metadata(release, needs, card)
    stem = f"{folder_name(release.name)}-{release.version}"
    wheel, sdist = Path(output, f"{stem}-py3-none-any.whl"), Path(output, f"{stem}.tar.gz")
    point = f"[{GROUP}]\n{release.name} = {folder_name(release.name)}\n"
    tags = f"Wheel-Version: 1.0\nGenerator: treevote {__version__}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    about = {"METADATA": metadata, "WHEEL": tags, "entry_points.txt": point}
    sources = {"PKG-INFO": metadata, "README.md": card, "pyproject.toml": pyproject}

    def write(folder: Path) -> None:
        files = list(_model_files(folder, folder_name(release.name)))
        with writing(wheel) as stream:
            _write_wheel(stream, [*files, *(_text(f"{stem}.dist-info/{name}", about[name]) for name in about)], stem)
        with writing(sdist) as stream:
            _write_sdist(stream, [*(_text(name, sources[name]) for name in sources), *files], stem)

    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem, remedy = f"cannot write: {error.strerror or error}", "name another folder"
        raise InputError(problem, path=str(output), remedy=remedy) from error
    read_whole(model, write)
    return [wheel, sdist]


def _required(name: str, version: str) -> str:
    """Return the requirement of a package from a version on; of any version if Python packages have no such version."""
    try:
        return f"{name}>={Version(version).public}"
    except InvalidVersion:
        return name


def _metadata(release: Release, needs: Sequence[str], card: str) -> tuple[str, str]:
    """Return the core metadata, and the ``pyproject.toml`` that has a build backend make the same.

    ``needs`` are the packages that the model needs, with bounds of their versions.
    """
    name, folder = package_name(release.name), folder_name(release.name)
    required = "\n".join(f"Requires-Dist: {one}" for one in needs)
    dependencies = ", ".join(f'"{one}"' for one in needs)
    summary = f"The model {release.name} of treevote, a dependency parser"
    head = f"""\
Metadata-Version: 2.4
Name: {name}
Version: {release.version}
Summary: {summary}
License-Expression: {release.licence}
{required}
Description-Content-Type: text/markdown
"""
    pyproject = f"""\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "{release.version}"
description = "{summary}"
readme = "README.md"
license = "{release.licence}"
dependencies = [{dependencies}]

[project.entry-points."{GROUP}"]
{release.name} = "{folder}"

[tool.setuptools]
packages = ["{folder}"]

[tool.setuptools.package-data]
{folder} = ["*"]
"""
    return f"{head}\n{card}", pyproject


def _model_files(folder: Path, own: str) -> Iterator[_File]:
    """Yield the files of a model in the order of their names; their checksums are compared when they are opened."""
    manifest = read_manifest(folder)
    content = (folder / MANIFEST).read_bytes()
    for name in sorted([MANIFEST, *manifest.files]):
        if not name.endswith(DATA):
            raise damaged(folder / MANIFEST, f"expected files of data ({', '.join(DATA)}), found {name!r}")
        if name == MANIFEST:
            yield _File(f"{own}/{name}", _facts(content), partial(io.BytesIO, content))
        else:
            facts = manifest.files[name]
            yield _File(f"{own}/{name}", facts, partial(manifest.open, name, limit=facts.size, verify=True))


def _text(path: str, text: str) -> _File:
    content = text.encode("utf-8", "replace")
    return _File(path, _facts(content), partial(io.BytesIO, content))


def _facts(content: bytes) -> FileFacts:
    return FileFacts(len(content), hashlib.sha256(content).hexdigest())


def _write_wheel(stream: IO[bytes], files: list[_File], stem: str) -> None:
    """Write a wheel; its last file is the list of all of them with checksums."""
    record, lines = f"{stem}.dist-info/RECORD", ""
    with zipfile.ZipFile(stream, "w") as archive:
        for file in files:
            _add(archive, file)
            checksum = base64.urlsafe_b64encode(bytes.fromhex(file.facts.sha256)).decode().rstrip("=")
            lines += f"{file.path},sha256={checksum},{file.facts.size}\n"
        _add(archive, _text(record, f"{lines}{record},,\n"))


def _add(archive: zipfile.ZipFile, file: _File) -> None:
    entry = zipfile.ZipInfo(file.path, DATE)
    entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, file.facts.size
    entry.create_system, entry.external_attr = 3, 0o100644 << 16  # as on Linux, wherever it is made
    with file.open() as source, archive.open(entry, "w") as target:
        shutil.copyfileobj(source, target)


def _write_sdist(stream: IO[bytes], files: list[_File], stem: str) -> None:
    """Write an sdist into a stream that compresses."""
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in files:
            entry = tarfile.TarInfo(f"{stem}/{file.path}")
            entry.size, entry.mtime, entry.mode = file.facts.size, SECONDS, 0o644
            with file.open() as source:
                archive.addfile(entry, source)
