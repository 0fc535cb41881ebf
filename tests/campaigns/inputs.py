"""Mutated texts: what can be read, what is kept and skipped, chunks, wrappings, and parses."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from tests.campaigns.bench import Bench, model_names
from tests.campaigns.campaign import Fault, Material, settings, with_settings
from tests.campaigns.mutations import mutate, wrap
from treevote.commands.parse import parse_files
from treevote.conll.chunks import Chunk, chunks
from treevote.conll.reader import OnError, parse_chunk, read
from treevote.conll.validation import Trees, format_of
from treevote.conll.writer import dumps
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import are_trees
from treevote.ensemble.parser import EnsembleParser, load
from treevote.errors import InputError

_MARK = re.compile(rb"\|?(?:Label)?(?:Support|Confidence)=[^|]*")


class Inputs:
    """Reads in all modes; parses in some of the cases."""

    limit = 60.0
    memory: int | None = None

    def __init__(self, bench: Bench, parsing: float = 0.03) -> None:
        self.bench, self.parsing = bench, parsing
        self.models = model_names()
        self.parsers: dict[str, EnsembleParser] = {}

    def make(self, rng: Random) -> Material:
        text = mutate(rng.choice(self.bench.texts), rng, self.bench.texts)
        material = {"text": text}
        wrapped = whole = None
        if rng.random() < 0.15:
            material["wrapped"], whole = wrap(text, rng)
            wrapped = True
        return with_settings(
            material,
            format=rng.choice(("auto", "auto", "conllu", "conllx")),
            trees=rng.choice(("required", "optional", "ignored")),
            sizes=[rng.choice((1, 7)) if rng.random() < 0.02 else rng.randrange(1, 4000) + len(text) // 20],
            wrapped=wrapped,
            whole=whole,
            model=rng.choice(self.models) if rng.random() < self.parsing else None,
            mark=rng.choice(("", "support", "confidence")),
            on_error=rng.choice(("skip", "keep", "stop")),
        )

    def check(self, material: Material) -> list[Fault]:
        text, asked = material["text"], settings(material)
        format: Format = format_of("", text) if asked["format"] == "auto" else asked["format"]
        faults = [*reading(text, format, asked["trees"]), *cutting(text, asked["sizes"])]
        if asked["wrapped"]:
            faults += wrapping(text, material["wrapped"], format, asked["whole"])
        if asked["model"]:
            faults += self.parsed(text, format, asked["model"], asked["mark"], asked["on_error"], asked["sizes"])
        return faults

    def parsed(
        self, text: bytes, format: Format, model: str, mark: str, on_error: OnError, sizes: Sequence[int]
    ) -> list[Fault]:
        """Parse to a file: only HEAD, DEPREL and marks of good sentences change, and chunks make no difference."""
        path, folder = self.bench.scratch / "text", self.bench.model(model)
        path.write_bytes(text)
        if model not in self.parsers:
            self.parsers[model] = load(folder)
        known = mark == "support" or (mark and self.parsers[model].has_confidence)
        marked: dict[str, Any] = {mark: True} if known else {}
        if format == "conllx":
            marked = {}
        runs: list[bytes | str] = []
        for size in (1 << 20, *sizes):
            output = self.bench.scratch / "parsed"
            output.unlink(missing_ok=True)
            try:
                parse_files(folder, [path], output, on_error=on_error, format=format, chunk_bytes=size, **marked)
                runs.append(output.read_bytes())
            except InputError as error:
                runs.append(str(error))
                if output.exists():
                    return [Fault("lost", "a fault leaves no output", str(error))]
        if any(run != runs[0] for run in runs):
            return [Fault("difference", "chunks make no difference to a parse", repr([run[:300] for run in runs]))]
        whole = runs[0]
        if isinstance(whole, str):
            return []
        before, _ = parse_chunk(Chunk("", 1, 1, text, format), trees="ignored", on_error=on_error)
        after, _ = parse_chunk(Chunk("", 1, 1, whole, format), trees="optional", on_error=on_error)
        if not same_words(before, after):
            return [Fault("lost", "a parse has the sentences that were read", "")]
        if not are_trees(after).all():
            return [Fault("difference", "every parse is a tree", whole.decode("utf-8", "replace")[:2000])]
        tokens = token_lines(before)
        kept = dumps(before).encode("utf-8", "surrogateescape")
        if bare(kept, tokens) != bare(whole, tokens):
            return [Fault("lost", "all but HEAD, DEPREL and marks comes back", "")]
        return []


def reading(text: bytes, format: Format, trees: Trees) -> list[Fault]:
    """Read in every way: no exception but InputError; what is kept is whole, what is skipped is gone."""
    faults: list[Fault] = []
    outcomes: dict[str, tuple[Treebank, list[InputError]] | InputError] = {}
    modes: tuple[OnError, ...] = ("stop", "skip", "keep")
    for on_error in modes:
        try:
            outcomes[on_error] = parse_chunk(Chunk("", 1, 1, text, format), trees=trees, on_error=on_error)
        except InputError as error:
            outcomes[on_error] = error
        try:
            read(io.BytesIO(text), format=format, trees=trees, on_error=on_error)
        except InputError as error:
            if "\n" in str(error):
                faults.append(Fault("difference", "an error is one line", str(error)))
    stopped, skipped, kept = (outcomes[mode] for mode in modes)
    if isinstance(skipped, InputError) or isinstance(kept, InputError):
        return [*faults, Fault("difference", "skip and keep do not raise", f"{skipped!r} {kept!r}")]
    if isinstance(stopped, InputError) != bool(kept[1]):
        faults.append(Fault("difference", "stop raises exactly if there is a fault", f"{stopped!r} {kept[1]!r}"))
    if list(map(str, kept[1])) != list(map(str, skipped[1])) or (kept[1] and str(kept[1][0]) != str(stopped)):
        faults.append(Fault("difference", "the faults are the same in every mode", f"{kept[1]} {skipped[1]}"))
    if not same_words(kept[0], skipped[0]):
        faults.append(Fault("lost", "keep and skip read the same sentences", ""))
    back = dumps(kept[0]).encode("utf-8", "surrogateescape")
    if back != text:
        faults.append(Fault("lost", "what is kept is written back byte for byte", repr(differing(text, back))))
    rest = dumps(skipped[0]).encode("utf-8", "surrogateescape")
    if not subsequence(rest.split(b"\n"), text.split(b"\n")):
        faults.append(Fault("lost", "what is not skipped is a part of the text", ""))
    again, more = parse_chunk(Chunk("", 1, 1, rest, format), trees=trees, on_error="keep")
    if more or not same_words(again, skipped[0]):
        faults.append(Fault("difference", "what is not skipped has no fault", "; ".join(map(str, more))[:2000]))
    return faults


def cutting(text: bytes, sizes: Sequence[int]) -> list[Fault]:
    """Cut into chunks: together they are the text."""
    for size in sizes:
        if b"".join(chunk.text for chunk in chunks(io.BytesIO(text), n_bytes=size)) != text:
            return [Fault("lost", "chunks are the text", f"size {size}")]
    return []


def wrapping(text: bytes, wrapped: bytes, format: Format, whole: bool) -> list[Fault]:
    """Read a compressed text: as the plain one, or, if it is damaged, an InputError."""

    def outcome(data: bytes) -> Treebank | InputError:
        try:
            return read(io.BytesIO(data), format=format, trees="ignored", on_error="keep")
        except InputError as error:
            return error

    plain, found = outcome(text), outcome(wrapped)
    if isinstance(found, Treebank):
        if isinstance(plain, Treebank) and dumps(plain) == dumps(found):
            return []
        return [Fault("lost", "a compressed text is read as the plain one", repr(plain)[:500])]
    if whole and isinstance(plain, Treebank):
        return [Fault("difference", "a whole compressed text can be read", str(found))]
    return []


def same_words(one: Treebank, other: Treebank) -> bool:
    """Tell whether two treebanks have the same sentences, trees aside."""
    return bool(
        np.array_equal(one.offsets, other.offsets)
        and [one.words[i] for i in one.tokens.tolist()] == [other.words[i] for i in other.tokens.tolist()]
    )


def token_lines(treebank: Treebank) -> set[int]:
    """Return the lines of a source that hold tokens."""
    source = treebank.source
    return set() if source is None else set(source.line_of[treebank.is_token].tolist())


def bare(text: bytes, tokens: set[int]) -> list[bytes]:
    """Return the lines, those of tokens without HEAD, DEPREL and marks."""
    rows = text.rstrip(b"\r\n").split(b"\n")
    for i in tokens:
        columns = rows[i].split(b"\t")
        misc = columns[9].rstrip(b"\r")
        end = columns[9][len(misc) :]
        rows[i] = b"\t".join([*columns[:6], columns[8], _MARK.sub(b"", misc).strip(b"|") or b"_", end])
    return rows


def subsequence(part: Sequence[bytes], whole: Sequence[bytes]) -> bool:
    """Tell whether the lines of a part occur in the whole text in this order, each no more often than there."""
    rest = iter(whole)
    return not Counter(part) - Counter([*whole, b""]) and all(line in rest for line in part if line)


def differing(one: bytes, other: bytes) -> tuple[int, bytes, bytes]:
    """Return the first difference of two texts: its place and both contents."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((i for i, (ours, theirs) in pairs if ours != theirs), min(len(one), len(other)))
    return at, one[at : at + 60], other[at : at + 60]
