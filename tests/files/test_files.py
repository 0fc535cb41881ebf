"""Opening, cutting and writing files."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import pickle
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from treevote.conll.chunks import chunks
from treevote.conll.reader import read
from treevote.conll.writer import dumps, write
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.files.streams import opened, require_apart, writing

TEXT = b"# sent_id = 1\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
TOY = Treebank.of([(["a"], [0], ["root"])])


class Dripping(io.RawIOBase):
    """A pipe that gives one byte at a time and cannot be wound back."""

    def __init__(self, text: bytes) -> None:
        self._rest = text

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        byte, self._rest = self._rest[:1], self._rest[1:]
        return byte


@pytest.mark.parametrize(
    "stored",
    [TEXT, lzma.compress(TEXT), gzip.compress(TEXT), gzip.compress(TEXT[:50]) + gzip.compress(TEXT[50:])],
    ids=["plain", "xz", "gz", "gz in two members"],
)
def test_compression_is_told_by_the_first_bytes(stored: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.conllu"
    path.write_bytes(stored)
    with open(path, "rb") as file:
        for source in (path, str(path), file, Dripping(stored)):
            assert dumps(read(source)).encode() == TEXT  # type: ignore[arg-type]
    assert read(path).name == "file.conllu"
    assert read(path, name="toy").name == "toy"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stored)))
    parts = list(chunks("-", n_bytes=10))
    assert b"".join(part.text for part in parts) == TEXT
    assert [(part.path, part.first_line, part.first_sentence) for part in parts] == [
        ("<stdin>", 1, 1),
        ("<stdin>", 4, 2),
    ]
    assert pickle.loads(pickle.dumps(parts)) == parts
    ends = [part.bytes_read for part in parts]
    assert ends == sorted(ends)
    assert ends[-1] == len(stored)


@pytest.mark.parametrize("stored", [lzma.compress(TEXT), gzip.compress(TEXT)], ids=["xz", "gz"])
def test_damaged_compression_is_an_input_error(stored: bytes) -> None:
    middle = len(stored) // 2
    for damaged in (stored[:-9], stored[:middle] + bytes([stored[middle] ^ 255]) + stored[middle + 1 :]):
        with pytest.raises(InputError, match="damaged or cut off"):
            read(io.BytesIO(damaged))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.conllu: cannot read: No such file"):
        read(tmp_path / "absent.conllu")
    with pytest.raises(InputError, match="expected a file, found a folder; name the files in it"):
        list(chunks(tmp_path))


def test_a_text_without_blank_lines_is_refused_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treevote.conll.chunks.MAX_SENTENCE_BYTES", 100)
    with pytest.raises(
        InputError, match=r"line 6: expected a blank line after each sentence, found none in 10\d bytes"
    ):
        list(chunks(io.BytesIO(TEXT + b"x\n" * 200), n_bytes=5))


def test_the_format_is_told_once_for_all_chunks() -> None:
    second = b"1\tb\t_\tN\t_\t_\t0\troot\t_\t_\n\n"
    assert [part.format for part in chunks(io.BytesIO(b"\n" + TEXT + second), n_bytes=1)] == ["conllu"] * 4
    assert [part.format for part in chunks(io.BytesIO(second + TEXT), n_bytes=1)] == ["conllu"] * 3
    assert [part.format for part in chunks(io.BytesIO(second + second), n_bytes=1)] == ["conllx"] * 2
    assert [part.format for part in chunks(io.BytesIO(second), format="conllu")] == ["conllu"]


@pytest.mark.parametrize("suffix", ["", ".xz", ".gz"])
def test_same_content_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.conllu{suffix}" for name in ("one", "two")]
    for path in paths:
        write([TOY, TOY], path)
        assert dumps(read(path)) == 2 * dumps(TOY)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted(paths)


@pytest.mark.parametrize(("suffix", "magic"), [(".XZ", b"\xfd7zXZ"), (".Gz", b"\x1f\x8b"), (".GZ.conllu", b"1\ta")])
def test_a_suffix_in_capitals_compresses_as_one_in_small_letters(suffix: str, magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"out{suffix}"
    write(TOY, path)
    assert path.read_bytes().startswith(magic)
    assert dumps(read(path)) == dumps(TOY)


@pytest.mark.parametrize("suffix", ["", ".xz", ".gz"])
def test_a_failure_leaves_the_old_file_and_nothing_else(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.conllu{suffix}"
    path.write_bytes(b"old")

    def failing() -> Iterator[Treebank]:
        yield TOY
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(failing(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", ["", ".xz", ".gz"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.conllu{suffix}"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    noise = os.urandom(200_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot write: File too large"), writing(path) as stream:
            stream.write(noise)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", ["", ".xz", ".gz"])
def test_a_file_is_on_the_disk_before_it_is_renamed(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    rename = os.replace

    def sync(descriptor: int) -> None:
        done.append("folder" if os.path.isdir(descriptor) else f"file of {os.stat(descriptor).st_size} bytes")

    def replace(old: str, new: str) -> None:
        done.append("rename")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    path = tmp_path / f"out{suffix}"
    write(TOY, path)
    assert done == [f"file of {path.stat().st_size} bytes", "rename", "folder"]


def test_names_of_any_legal_length_will_do(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write(TOY, path)
    assert dumps(read(path)) == dumps(TOY)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
def test_devices_are_written_to_as_they_are() -> None:
    with pytest.raises(InputError, match="/dev/full: cannot write: No space left"):
        write(TOY, "/dev/full")
    write(TOY, "/dev/null")
    assert not os.path.isfile("/dev/null")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no names for descriptors")
@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_an_open_file_is_written_to_where_it_stands(folder: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"before\n")
    with open(tmp_path / "log", "r+b", buffering=0) as log:
        log.seek(0, os.SEEK_END)
        write(TOY, f"{folder}/{log.fileno()}")
        log.write(b"after\n")
    assert (tmp_path / "log").read_text() == f"before\n{dumps(TOY)}after\n"
    with pytest.raises(InputError, match="/dev/fd/999999999: cannot write: Bad file descriptor"):
        write(TOY, "/dev/fd/999999999")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no paths of descriptors")
def test_a_descriptor_is_the_file_that_it_was_opened_on(tmp_path: Path) -> None:
    path, other = tmp_path / "file.conllu", tmp_path / "other.conllu"
    path.write_bytes(TEXT)
    os.link(path, other)
    with open(path, "ab") as file:
        descriptor = f"/dev/fd/{file.fileno()}"
        for read_too in (path, other, descriptor):
            with pytest.raises(ConfigError, match=f"{read_too} is both read and written; name another output"):
                require_apart([descriptor], ["missing", read_too])
        require_apart([descriptor], [tmp_path, "missing", os.devnull])
    with open(os.devnull, "ab") as file:
        require_apart([f"/dev/fd/{file.fileno()}"], [path, os.devnull])
    read_end, write_end = os.pipe()
    require_apart([f"/dev/fd/{write_end}"], [path, f"/dev/fd/{read_end}"])
    os.close(read_end)
    os.close(write_end)
    require_apart([f"/dev/fd/{write_end}"], [path])


@pytest.mark.parametrize("file", [opened, writing])
def test_an_empty_name_is_no_path(file: Any) -> None:
    with pytest.raises(InputError, match="expected a path, found ''; name a file or folder"), file(""):
        pass


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"out\.conllu: cannot write: no folder .*absent' that can be written to"):
        write(TOY, tmp_path / "absent" / "out.conllu")
    with pytest.raises(InputError, match="expected a file to write, found a folder; name a file in it"):
        write(TOY, tmp_path)
    (tmp_path / "link.conllu").symlink_to(tmp_path / "absent" / "out.conllu")
    with pytest.raises(InputError, match=r"link\.conllu: cannot write: no folder .*absent' that can be written to"):
        write(TOY, tmp_path / "link.conllu")
    for suffix in (".bz2", ".zip", ".zst"):
        with pytest.raises(InputError, match=rf"expected no compression, or that of \.gz or \.xz, found \{suffix};"):
            write(TOY, tmp_path / f"out.conllu{suffix}")
    assert [path.name for path in tmp_path.iterdir()] == ["link.conllu"]


def test_a_file_that_is_read_only_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text("gold")
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != gold and may(path, mode))  # root may write all
    with pytest.raises(InputError, match=r"gold\.conllu: cannot write: the file is read-only; change its permissions"):
        write(TOY, gold)
    assert gold.read_text() == "gold"


def test_errors_of_other_files_are_not_blamed_on_the_output(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), writing(tmp_path / "out"):
        (tmp_path / "other").read_bytes()
    assert not list(tmp_path.iterdir())


def test_links_and_modes_stay(tmp_path: Path) -> None:
    (tmp_path / "real.conllu").write_bytes(b"old")
    (tmp_path / "real.conllu").chmod(0o640)
    (tmp_path / "link.conllu").symlink_to("real.conllu")
    write(TOY, tmp_path / "link.conllu")
    assert (tmp_path / "link.conllu").is_symlink()
    assert (tmp_path / "real.conllu").read_text() == dumps(TOY)
    assert (tmp_path / "real.conllu").stat().st_mode & 0o777 == 0o640


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write(TOY, "-")
    assert capsysbinary.readouterr().out == dumps(TOY).encode()
