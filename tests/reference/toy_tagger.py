"""A tagger that knows nothing: lemma and tags are made of the form, in words and source as a real one does."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.errors import ModelError
from treevote.kernels import Bools, Floats
from treevote.store.record import Record


@dataclasses.dataclass(frozen=True)
class _ToyTagger:
    """Lemmas are forms in lower case, and all words get one part of speech."""

    upos: str = "NOUN"
    calls: list[int] = dataclasses.field(default_factory=list)

    def tag(self, treebank: Treebank) -> Treebank:
        self.calls.append(len(treebank))
        vocabulary = {ROOT: 0}
        forms = [word.form for word in treebank.words[1:]]
        words = [ROOT, *(Word(form, form.lower(), self.upos, "X", f"Len={len(form)}") for form in forms)]
        tokens = encode(words, vocabulary)[treebank.tokens]
        distinct, source = tuple(vocabulary), treebank.source
        if source is not None:
            lines = list(source.lines)
            slots = np.flatnonzero(treebank.is_token)
            for line, token in zip(source.line_of[slots].tolist(), tokens[slots].tolist(), strict=True):
                columns = lines[line].split("\t")
                lines[line] = "\t".join([columns[0], *distinct[token], *columns[6:]])
            source = dataclasses.replace(source, text="\n".join(lines).encode("utf-8", "surrogateescape"))
        return dataclasses.replace(treebank, words=distinct, tokens=tokens, source=source)

    def tag_with_margins(self, treebank: Treebank) -> tuple[Treebank, Bools, Floats]:
        return self.tag(treebank), treebank.is_token, np.zeros((len(treebank.tokens), 3), np.float32)

    def record(self) -> Record:
        return Record("toy-tagger", {"upos": self.upos})

    @classmethod
    def from_record(cls, record: Record) -> _ToyTagger:
        if record.kind != "toy-tagger":
            raise ModelError(f"expected a toy tagger, found {record.kind}")
        return cls(str(record.facts["upos"]))


ToyTagger: Any = _ToyTagger  # for type checkers: it may take the place of a real one
