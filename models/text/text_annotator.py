"""The part of a model that reads raw text: tokens and sentences, then lemmas and tags, as the members expect them."""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from treevote.conll.plain_text import encoded
from treevote.conll.text_chunks import TextChunk, text_chunk
from treevote.conll.writer import with_words
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.errors import ConfigError, InputError, ModelError
from treevote.kernels import Bools
from treevote.store.record import Record

if TYPE_CHECKING:
    from treevote.models.text.tag_confidence import TagConfidence
    from treevote.models.text.tagging.tagger import Tagger
    from treevote.models.text.tokenization.tokenizer import Tokenizer

KIND = "annotator"

# Lemmas and tags: predicted where a sentence has no tag at all and the model has a tagger; those of the text; predicted
# everywhere.
Tags: TypeAlias = Literal["auto", "keep", "predict"]


@dataclass(frozen=True, eq=False)
class TextAnnotator:
    """A tokenizer and a tagger, each of which may be missing, and the confidence of the tags."""

    tokenizer: Tokenizer | None = None
    tagger: Tagger | None = None
    confidence: TagConfidence | None = None

    @property
    def parts(self) -> list[str]:
        """Names of the parts that it has, of ``tokenizer`` and ``tagger``."""
        return [name for name in ("tokenizer", "tagger") if getattr(self, name) is not None]

    def tagged(self, treebank: Treebank, tags: Tags = "auto") -> Treebank:
        """Return the same sentences with lemmas and tags; the same treebank if nothing is to be predicted.

        Tokens that get tags have ``tag_confidence``, if that is known. ConfigError if all tags are to be
        predicted and there is no tagger.
        """
        if tags == "predict" and self.tagger is None:
            raise no_tagger()
        if tags == "keep" or self.tagger is None or not treebank.n_tokens:
            return treebank
        chosen = np.ones(len(treebank), np.bool_) if tags == "predict" else without_tags(treebank)
        if chosen.all():
            return self._tagged(treebank, self.tagger)
        if not chosen.any():
            return treebank
        return _with_words(treebank, chosen, self._tagged(treebank.select(np.flatnonzero(chosen)), self.tagger))

    def _tagged(self, treebank: Treebank, tagger: Tagger) -> Treebank:
        found, _, margins = tagger.tag_with_margins(treebank)
        if self.confidence is None:
            return found
        return dataclasses.replace(found, tag_confidence=self.confidence.of(margins) * found.is_token)

    def read(self, text: str | bytes, *, tags: Tags = "auto") -> Treebank:
        """Return the sentences of a running text, with lemmas and tags if there is a tagger; there may be none.

        The text can be rebuilt from their source. InputError if there is no tokenizer; ConfigError if tags are
        to be predicted and there is no tagger.
        """
        chunk = text_chunk(text if isinstance(text, bytes) else encoded(text))
        return self.tagged(self.tokenized(chunk), tags)

    def tokenized(self, chunk: TextChunk) -> Treebank:
        """Return the sentences of a part of a running text without tags; raises as `read`."""
        if self.tokenizer is None:
            raise InputError(
                "expected sentences in CoNLL-U, found running text, and the model has no tokenizer",
                path=chunk.path,
                remedy="train it with --from-text, or split the text into sentences and "
                f"{'tagged ' if self.tagger is None else ''}tokens first, as UDPipe does",
            )
        return self.tokenizer.read(chunk)

    def record(self) -> Record:
        """Return the annotator as data."""
        parts = {name: part.record() for name in _PARTS if (part := getattr(self, name)) is not None}
        return Record(KIND, parts=parts)

    @classmethod
    def from_record(cls, record: Record) -> TextAnnotator:
        """Return the annotator of a record; ModelError if it is of another kind, or its parts do not fit together."""
        if record.kind != KIND:
            raise ModelError(f"expected a model of kind '{KIND}', found '{record.kind}'; train it again")
        if unknown := record.parts.keys() - _PARTS.keys():
            raise ModelError(f"the model reads text with an unknown {min(unknown)!r}; take a newer treevote")
        parts: dict[str, Any] = {}
        for name, (module, of) in _PARTS.items():
            if name in record.parts:
                parts[name] = getattr(importlib.import_module(module), of).from_record(record.parts[name])
        return cls(**parts)


_PARTS = {  # module and class of each part; loaded if a model has it
    "tokenizer": ("treevote.models.text.tokenization.tokenizer", "Tokenizer"),
    "tagger": ("treevote.models.text.tagging.tagger", "Tagger"),
    "confidence": ("treevote.models.text.tag_confidence", "TagConfidence"),
}


def no_tagger() -> ConfigError:
    """Return the error for a model without a tagger."""
    return ConfigError(
        "the model has no tagger; tag the text as its training data are tagged, or train it with --from-text"
    )


def without_tags(treebank: Treebank) -> Bools:
    """Tell which sentences have neither UPOS nor XPOS nor FEATS on any token, shape (n_sentences,)."""
    bare = np.array([word.upos == word.xpos == word.feats == "_" for word in treebank.words], np.bool_)
    bare[0] = True
    return np.logical_and.reduceat(bare[treebank.tokens], treebank.offsets[:-1])


def _with_words(treebank: Treebank, chosen: Bools, part: Treebank) -> Treebank:
    """Return a treebank in which the chosen sentences have the words and the confidence of tags of ``part``."""
    vocabulary = {word: number for number, word in enumerate(treebank.words)}
    slots = np.flatnonzero(chosen[treebank.sentence_of])
    tokens = treebank.tokens.copy()
    tokens[slots] = encode(part.words, vocabulary)[part.tokens]
    whole = with_words(treebank, tuple(vocabulary), tokens)
    if part.tag_confidence is None:
        return whole
    sure = np.full(len(tokens), np.nan, np.float32)
    sure[slots] = part.tag_confidence
    return dataclasses.replace(whole, tag_confidence=sure)
