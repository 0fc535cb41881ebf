"""Several texts parsed as one: a parser works on many sentences at a time, and small files have few.

Texts are joined before reading and taken apart, line by line, behind the parser. The result of each is that of parsing
it alone: a sentence is parsed independently of its neighbours, and a text with a fault leaves the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, get_args

import numpy as np

from treevote.batch.parsing import member_of, parse_sentences, trees_of
from treevote.conll.chunks import Chunk
from treevote.conll.reader import OnError, parse_chunk
from treevote.conll.text_chunks import TextChunk
from treevote.conll.validation import Trees
from treevote.conll.writer import encoded, require_misc, with_items
from treevote.corpus.given import Keep
from treevote.corpus.source import BOM, Source, missing_end
from treevote.corpus.treebank import LIGHT, Format, Treebank
from treevote.ensemble.familiarity import TextCounts, doubts, strange_labels, text_counts
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.stored import StoredParser
from treevote.errors import ConfigError, InputError, require_known
from treevote.evaluation.lights import Lights
from treevote.files.encodings import not_utf8
from treevote.models.text.text_annotator import Tags, no_tagger
from treevote.protocols import Parser


class ChunkParse(NamedTuple):
    """The text of a chunk with trees, empty after a fault that ends the file; counts and findings.

    ``faults`` is the number of sentences that were left out or kept unparsed, ``fallbacks`` that of searches that were
    cut short, ``doubt`` the reason why the text may be unfit for the model, ``text_counts`` what is familiar in it.
    """

    text: bytes = b""
    sentences: int = 0
    tokens: int = 0
    faults: int = 0
    first_fault: InputError | None = None
    fallbacks: int = 0
    doubt: str | None = None
    text_counts: TextCounts = TextCounts()
    stopped: bool = False

    def plus(self, later: ChunkParse) -> ChunkParse:
        """Return the counts of two chunks together, the first fault and the first doubt, and no text."""
        return ChunkParse(
            b"",
            self.sentences + later.sentences,
            self.tokens + later.tokens,
            self.faults + later.faults,
            self.first_fault or later.first_fault,
            self.fallbacks + later.fallbacks,
            self.doubt or later.doubt,
            self.text_counts.plus(later.text_counts),
            self.stopped or later.stopped,
        )


@dataclass(frozen=True)
class ParseJob:
    """A parse job: a stored parser (an ensemble, or one member of it) and the options of the parse; cheap to pickle.

    A faulty sentence is left out or kept unparsed; with ``"stop"`` its file has no output. Lemmas and tags are
    predicted as `treevote.models.text.text_annotator` says. Heads or labels of the input may be kept, see
    `treevote.corpus.given`. Unless ``compare`` is false, texts are compared with the training data.
    """

    stored: StoredParser
    support: bool = False
    confidence: bool = False
    on_error: OnError = "stop"
    tags: Tags = "auto"
    keep: Keep | None = None
    lights: bool = False
    compare: bool = True

    def check(self) -> None:
        """Load the model, and raise the ModelError or ConfigError that its use would raise."""
        for kind, name, known in (("tags", self.tags, Tags), ("treatment of a fault", self.on_error, OnError)):
            require_known(kind, name, get_args(known))
        if self.keep is not None:
            require_known("keep", self.keep, get_args(Keep))
        if self.stored.member is not None and (self.support or self.confidence or self.lights):
            raise ConfigError(
                f"support, confidence and lights belong to a vote, not to {self.stored.member} alone; "
                "leave out the member, or these options"
            )
        ensemble = self.stored()
        if self.confidence and not ensemble.has_confidence:
            raise ConfigError("the model has no confidence; train it with a development set (--dev), or with --folds")
        if self.lights and Lights.from_facts(ensemble.facts) is None:
            raise ConfigError("the model has no lights; train it with a development set (--dev), or with --folds")
        if self.tags == "predict" and ensemble.annotator.tagger is None:
            raise no_tagger()

    def __call__(self, inputs: Sequence[Chunk | TextChunk]) -> list[ChunkParse]:
        """Parse chunks of treebanks or of running text; return the result of each."""
        return [
            _of_raw_text(result, chunk) if isinstance(chunk, TextChunk) else result
            for result, chunk in zip(self._parsed(inputs), inputs, strict=True)
        ]

    def _parsed(self, inputs: Sequence[Chunk | TextChunk]) -> list[ChunkParse]:
        ensemble = self.stored()
        if not (self.confidence or self.lights):
            ensemble = ensemble.trees_alone  # nobody asked for confidence
        parser = member_of(ensemble, self.stored.member)
        if len(inputs) == 1:
            return [self._alone(ensemble, parser, inputs[0])]
        results, chunks, tokenized = dict[int, ChunkParse](), dict[int, Chunk](), dict[int, Treebank]()
        for i, each in enumerate(inputs):
            if isinstance(each, Chunk):
                chunks[i] = each
                continue
            try:
                tokenized[i] = ensemble.annotator.tokenized(each)
            except InputError as fault:
                results[i] = ChunkParse(first_fault=fault, stopped=True)
        if tokenized:
            parts = [*tokenized.values()]
            sources = [part.source for part in parts if part.source is not None]  # all: they were read from texts
            joined = replace(Treebank.concatenate(parts), source=Source.concatenate(sources))
            texts = [Chunk(source.path, 1, 1, source.text, "conllu") for source in sources]
            results |= dict(zip(tokenized, self._parse(ensemble, parser, texts, joined), strict=True))
        formats: tuple[Format, ...] = ("conllu", "conllx")
        for format in formats:
            numbers = [i for i, chunk in chunks.items() if chunk.format == format]
            good, treebank = _read(chunks, numbers, format, trees_of(parser, self.keep))
            for i in sorted({*numbers} - {*good}):
                results[i] = self._alone(ensemble, parser, chunks[i])
            if good and format == "conllx" and (self._marks or self.lights):  # no column for them: an error for each
                results |= {i: self._alone(ensemble, parser, chunks[i]) for i in good}
            elif good:
                texts = [chunks[i] for i in good]
                results |= dict(zip(good, self._parse(ensemble, parser, texts, treebank), strict=True))
        return [results[i] for i in range(len(inputs))]

    @property
    def _marks(self) -> list[str]:
        """Fields of a parse that are written into MISC."""
        marks = ["support", "label_support"] if self.support else []
        return marks + (["confidence", "label_confidence", "tag_confidence"] if self.confidence else [])

    def _alone(self, ensemble: EnsembleParser, parser: Parser, chunk: Chunk | TextChunk) -> ChunkParse:
        """Parse a chunk that has faults, or no others beside it."""
        faults: list[InputError] = []
        try:
            if isinstance(chunk, Chunk):
                treebank, faults = parse_chunk(chunk, trees=trees_of(parser, self.keep), on_error=self.on_error)
            else:
                treebank = ensemble.annotator.tokenized(chunk)
            treebank = ensemble.annotator.tagged(treebank, self.tags)
            parse, fallbacks = parse_sentences(parser, treebank, keep=self.keep)
            text = self._text(ensemble, parse)
        except InputError as fault:
            return ChunkParse(first_fault=fault, stopped=True)
        ((reason, counts),) = self._familiarity(ensemble, parse, [0, parse.n_sentences])
        reason = reason or strange_labels(parser, treebank, self.keep)
        size = parse.n_sentences, parse.n_tokens
        return ChunkParse(text, *size, len(faults), next(iter(faults), None), fallbacks, reason, counts)

    def _parse(
        self, ensemble: EnsembleParser, parser: Parser, chunks: Sequence[Chunk], treebank: Treebank
    ) -> Iterator[ChunkParse]:
        """Tag and parse chunks without faults, and yield the result of each."""
        treebank = ensemble.annotator.tagged(treebank, self.tags)
        parse, fallbacks = parse_sentences(parser, treebank, keep=self.keep)
        lines = self._text(ensemble, parse).split(b"\n")
        ends = [0, *itertools.accumulate(_ended(chunk).count(b"\n") for chunk in chunks)]
        assert treebank.source is not None, "read from a text"
        starts = treebank.source.line_of[treebank.offsets[:-1]]  # first line of each sentence
        bounds = np.searchsorted(starts, ends).tolist()
        tokens = (treebank.offsets[bounds] - bounds).tolist()
        familiarity = self._familiarity(ensemble, parse, bounds)
        for i, (chunk, (reason, counts)) in enumerate(zip(chunks, familiarity, strict=True)):
            text = b"\n".join([*lines[ends[i] : ends[i + 1]], b""])
            front = BOM if chunk.first_line == 1 and chunk.text.startswith(BOM) else b""
            text = front + text[: len(text) - len(missing_end(chunk.text.removeprefix(front)))]
            size = bounds[i + 1] - bounds[i], tokens[i + 1] - tokens[i]
            own = treebank[bounds[i] : bounds[i + 1]] if self.keep else treebank
            reason = reason or strange_labels(parser, own, self.keep)
            yield ChunkParse(text, *size, fallbacks=0 if i else fallbacks, doubt=reason, text_counts=counts)

    def _familiarity(
        self, ensemble: EnsembleParser, parse: Treebank, bounds: Sequence[int]
    ) -> list[tuple[str | None, TextCounts]]:
        """Return the doubt and the counts of each text in a parse: sentences ``bounds[i]:bounds[i + 1]`` are text i."""
        if not self.compare:
            return [(None, TextCounts())] * (len(bounds) - 1)
        counts = text_counts(ensemble, parse, bounds, self.keep)
        return list(zip(doubts(ensemble, parse, bounds), counts, strict=True))

    def _text(self, ensemble: EnsembleParser, parse: Treebank) -> bytes:
        """Return the text of a parse with its marks, and with the lights of its arcs."""
        text, limits = encoded(parse.only(*self._marks)), Lights.from_facts(ensemble.facts) if self.lights else None
        if limits is None or parse.label_confidence is None:
            return text
        require_misc(parse)
        assert parse.source is not None, "read from a text"
        marked = replace(parse.only(), source=replace(parse.source, text=text))
        slots = np.flatnonzero(parse.heads >= 0)
        lights = map(limits.of, parse.label_confidence[slots].tolist())
        return with_items(marked, LIGHT, dict(zip(slots.tolist(), lights, strict=True)))


def _of_raw_text(result: ChunkParse, chunk: TextChunk) -> ChunkParse:
    """Return the parse of a running text with the doubt about its encoding, and the number of tokens found in it."""
    doubt = not_utf8(chunk.text, chunk.first_line) or result.doubt
    counts = result.text_counts
    return result._replace(doubt=doubt, text_counts=counts._replace(tokenized=counts.tokens))


def _ended(chunk: Chunk) -> bytes:
    """Return the text of a chunk without byte order mark and with a blank line at its end."""
    return chunk.bare_text + missing_end(chunk.bare_text)


def _read(
    chunks: Mapping[int, Chunk], numbers: Sequence[int], format: Format, trees: Trees
) -> tuple[list[int], Treebank]:
    """Read the numbered chunks as one treebank; return also the numbers of those without a fault, which are in it."""
    good = list(numbers)
    while True:
        texts = [_ended(chunks[i]) for i in good]
        joint = Chunk("", 1, 1, b"".join(texts), format)
        treebank, faults = parse_chunk(joint, trees=trees, on_error="keep")
        if not faults:
            return good, treebank
        ends = list(itertools.accumulate(text.count(b"\n") for text in texts))
        lines = [(fault.line or 1) - 1 for fault in faults]
        bad = {good[int(i)] for i in np.searchsorted(ends, lines, side="right")}
        good = [i for i in good if i not in bad]
