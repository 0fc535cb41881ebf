"""Damaged and forged models of every family: a ModelError, or a parse that is well formed."""

from __future__ import annotations

import io
import shutil
import unicodedata
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from tests.campaigns.bench import RANGES, TOY, Bench, model_names
from tests.campaigns.campaign import SETTINGS, Fault, Material, settings, with_settings
from tests.campaigns.forging import damage, forge
from treevote.commands.inspect import facts_read, inspect
from treevote.conll.plain_text import text_of
from treevote.conll.reader import read
from treevote.conll.writer import dumps
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees
from treevote.ensemble.parser import load
from treevote.errors import ModelError
from treevote.report.model import as_json, as_text

MEMORY = 2 << 30
RAW = "Dogs can't bark. DOGS CAN'T\x00 \t bárk...\n\n12,5 http://a.b/c 中文。\n".encode()


class Models:
    """Loads, inspects and parses with models that somebody changed; run it in a process that may die."""

    limit = 60.0
    memory: int | None = MEMORY

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.names = model_names()
        self.text = read(io.BytesIO(TOY.read_bytes()[:1200].rpartition(b"\n\n")[0] + b"\n\n" + RANGES), format="conllu")

    @cache  # noqa: B019  # as long as the campaign
    def files(self, name: str) -> dict[str, bytes]:
        """Return the files of a model."""
        return {path.name: path.read_bytes() for path in sorted(self.bench.model(name).iterdir())}

    def make(self, rng: Random) -> Material:
        name = rng.choice(self.names)
        files = self.files(name)
        if rng.random() < 0.1:
            file = rng.choice(list(files))
            changed = {file: damage(files[file], rng)}
            forged = False
        else:
            changed = forge(files, rng)
            forged = True
        return with_settings(changed, model=name, forged=forged)

    def check(self, material: Material) -> list[Fault]:
        asked = settings(material)
        folder = self.bench.scratch / asked["model"]
        if not folder.exists():
            shutil.copytree(self.bench.model(asked["model"]), folder)
        changed = [name for name in material if name != SETTINGS]
        try:
            for name in changed:
                (folder / name).write_bytes(material[name])
            return self.judge(folder, asked["model"], asked["forged"])
        finally:
            for name in changed:
                (folder / name).unlink()
                (folder / name).write_bytes(self.files(asked["model"])[name])

    def judge(self, folder: Path, model: str, forged: bool) -> list[Fault]:
        """Use a model in every way."""
        try:
            parser = load(folder)
            parse = parser.parse(self.text)
            with facts_read(str(folder)):
                facts = inspect(folder)
                as_json(facts)
                as_text(facts)
            reader = parser.annotator
            text = None if reader.tokenizer is None else reader.read(RAW)
            tagged = None if reader.tagger is None else reader.tagged(self.text, "predict")
        except ModelError as error:
            return [] if str(error).strip() else [Fault("difference", "an error says something", "")]
        if not forged and dumps(parse) != dumps(load(self.bench.model(model)).parse(self.text)):
            return [Fault("difference", "a damaged model parses as before", "")]
        if text is not None and text.source is not None and rebuilt("\n".join(text.source.lines)) != RAW:
            return [Fault("lost", "a text can be rebuilt whatever the tokenizer", "")]
        if tagged is not None and not can_be_read_back(tagged):
            return [Fault("difference", "tags can be read back", "")]
        return ill_formed(parse)


def can_be_read_back(treebank: Treebank) -> bool:
    """Tell whether the text of a treebank has its words."""
    again = read(io.BytesIO(dumps(treebank).encode()), format="conllu", trees="ignored")
    return [sentence.words for sentence in again.sentences()] == [sentence.words for sentence in treebank.sentences()]


def rebuilt(conllu: str) -> bytes:
    """Return the text of a treebank."""
    return b"".join(text_of(io.BytesIO(conllu.encode())))


def ill_formed(parse: Treebank) -> list[Fault]:
    """Return the faults of form of a parse."""
    faults: list[Fault] = []
    for name, column in parse.marks.items():
        if not (np.isfinite(column).all() and (column >= 0).all() and (column <= 1).all()):
            faults.append(Fault("difference", f"{name} is finite and in 0..1", repr(column)[:500]))
    if not are_trees(parse).all():
        faults.append(Fault("difference", "every parse is a tree", repr(parse.heads)[:500]))
    used = {parse.labels[i] for i in parse.deprels[parse.is_token].tolist()}
    for label in used:
        if not label or any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in label):
            faults.append(Fault("difference", "labels are not empty and can be printed", repr(label)[:200]))
            return faults
    back = read(io.BytesIO(dumps(parse).encode()), format="conllu")
    if back.heads.tolist() != parse.heads.tolist():
        faults.append(Fault("difference", "a parse can be read back", ""))
    return faults
