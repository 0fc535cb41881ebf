"""The manifest of a folder of parses: by which outputs that are there already are recognised, never by their times.

It is a text file with one line of JSON for each output: checksums of the input and the output, and of the task, which
is the model with all options, and the id of a running text. A line is written before its output gets its name: an
output without a line is not of this command, and one that does not have the checksum of its line is made again. The
last run sorts it, so that it does not depend on interruptions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import IO, get_type_hints

from treevote.errors import ConfigError, InputError
from treevote.files.streams import writing
from treevote.store.checkpoints import checksum

NAME = "treevote-parses.jsonl"
FORMAT = "treevote parses 1"


@dataclass(frozen=True, slots=True)
class Entry:
    """An output, whose path below the folder has ``/``.

    ``task`` is the checksum of model, version, options and the id of a running text; the other two are those of the
    bytes on disk, compressed or not. ``faults`` is the number of sentences that were left out or kept unparsed.
    """

    output: str
    task: str
    input_sha256: str
    output_sha256: str
    sentences: int
    tokens: int
    faults: int


class Manifest:
    """The entries of a folder, by output; ConfigError if the file of that name is another program's, or damaged."""

    def __init__(self, folder: str) -> None:
        self.folder, self.path = folder, os.path.join(folder, NAME)
        self.entries = _read(self.path)

    def is_made(self, output: str, task: str, input_path: str) -> bool:
        """Tell whether the output of this task and input is there; not if either cannot be read."""
        entry = self.entries.get(_key(output))
        if entry is None or entry.task != task:
            return False
        with suppress(InputError):
            is_whole = checksum(os.path.join(self.folder, output)) == entry.output_sha256
            return is_whole and checksum(input_path) == entry.input_sha256
        return False

    def add(
        self, stream: IO[bytes], output: str, task: str, checksums: tuple[str, str], counts: tuple[int, int, int]
    ) -> None:
        """Note an output, with checksums of input and output, and numbers of sentences, tokens and faults."""
        entry = Entry(_key(output), task, *checksums, *counts)
        self.entries[entry.output] = entry
        stream.write(_line(asdict(entry)))
        stream.flush()

    def write(self) -> None:
        """Write all entries, sorted, whole or not at all."""
        with writing(self.path) as stream:
            stream.write(_line({"format": FORMAT}))
            for _, entry in sorted(self.entries.items()):
                stream.write(_line(asdict(entry)))

    def knows(self, output: str) -> bool:
        """Tell whether an output has an entry."""
        return _key(output) in self.entries


def _key(output: str) -> str:
    """Return the name of an output in the file, which is the same on all systems."""
    return output.replace(os.sep, "/")


def _line(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, sort_keys=True).encode() + b"\n"


def _read(path: str) -> dict[str, Entry]:
    """Return the entries of a file; of one output the last. A line that was cut off at the end is dropped."""
    try:
        with open(path, "rb") as file:
            first, *lines = file.read().split(b"\n")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: cannot read it ({error.strerror or error}); check the folder") from error
    if _content(first) != {"format": FORMAT}:
        raise ConfigError(
            f"{path} is not the list of parses of this version of treevote; name another folder, or move it"
        )
    entries = {}
    kinds = get_type_hints(Entry)
    for number, line in enumerate(lines[:-1], 2):
        content = _content(line)
        if not isinstance(content, dict) or {key: type(value) for key, value in content.items()} != kinds:
            raise ConfigError(
                f"{path}, line {number}: expected {', '.join(kinds)}, found something else; "
                "remove the line and the output that it names, or move the file and use --force"
            )
        entries[content["output"]] = Entry(**content)
    return entries


def _content(line: bytes) -> object:
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return None
