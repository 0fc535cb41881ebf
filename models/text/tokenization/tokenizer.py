"""The tokenizer: raw text to sentences of words, from whose source the text can be rebuilt byte for byte.

References
----------
M. Straka and J. Straková, Tokenizing, POS tagging, lemmatizing and parsing UD 2.0 with UDPipe, CoNLL 2017 shared task.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from treevote.config import to_mapping
from treevote.conll.plain_text import SPACES, escape, form_of, plain
from treevote.conll.text_chunks import TextChunk, TextSpan
from treevote.conll.validation import MAX_TOKENS
from treevote.corpus.sentence import ROOT, Word, sent_id
from treevote.corpus.source import Source
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, ModelError
from treevote.kernels import Bytes
from treevote.models.text.tokenization.splitter import Splitter, Token
from treevote.models.text.tokenization.training import training
from treevote.parallel import Jobs
from treevote.settings import Interval, Settings
from treevote.store.record import Record

KIND = "tokenizer"
MAX_WORDS = 2_000  # of a sentence where each line is one

Row: TypeAlias = tuple[str, str, str]  # ID, FORM and MISC of a word or of a multiword token
Block: TypeAlias = tuple[list[str], list[Row]]  # the comments of a sentence, and its rows


@dataclass(frozen=True)
class TokenizerTrainer(Settings):
    """Settings of a tokenizer."""

    epochs: Annotated[int, Interval(1, 1000)] = 15  # passes of 10,000 stretches of 50 characters each, for any treebank
    dimension: Literal[16, 24, 64] = 24  # size of the network
    batch_size: Annotated[int, Interval(1, 1000)] = 10  # stretches for each step
    learning_rate: Annotated[float, Interval(0, 1, "neither")] = 0.005  # the same in all passes

    @contextmanager
    def training(self, train: Treebank, dev: Treebank | None = None) -> Iterator[Callable[[Jobs], Tokenizer]]:
        """Start the training in another process; yield a function that waits for the tokenizer.

        Spaces, paragraphs and multiword tokens are taken from the source of the treebank; the same treebanks give the
        same bytes. Raises as `treevote.models.text.tokenization.training.training`, which chooses the pass by ``dev``.
        """
        with training(train, dev, to_mapping(self)) as finish:
            yield lambda jobs: Tokenizer._of(finish(jobs))


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """A tokenizer: raw text to sentences, tokens and words; ``data`` are the bytes of a model of UDPipe 1."""

    data: Bytes

    def read(self, chunk: TextChunk) -> Treebank:
        """Return the sentences of a running text without tags and trees; there may be none.

        The source is CoNLL-U from which the text can be rebuilt, see `treevote.conll.plain_text`. InputError if a
        sentence is too long.
        """
        lines: list[str] = []
        number_of: dict[str, int] = {}
        tokens, line_of, offsets = list[int](), list[int](), [0]
        for comments, rows in itertools.chain.from_iterable(self._blocks(s, chunk) for s in chunk.stretches):
            if rows:
                tokens.append(0)
                line_of.append(len(lines))
            lines += comments
            for number, form, misc in rows:
                if "-" not in number:
                    tokens.append(number_of.setdefault(form, len(number_of) + 1))
                    line_of.append(len(lines))
                lines.append(f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}")
            lines.append("")
            if rows:
                offsets.append(len(tokens))
                if offsets[-1] - offsets[-2] - 1 > MAX_TOKENS:
                    problem = f"expected at most {MAX_TOKENS:,} tokens in a sentence, found more"
                    remedy = "cut the sentence in parts"
                    raise InputError(problem, path=chunk.path, sentence=sent_id(comments), remedy=remedy)
        conllu, files = "\n".join([*lines, ""]).encode(), ((0, chunk.path, 1),)
        source = Source(chunk.path, conllu, np.array(line_of, np.int32), np.arange(1, len(offsets)), "conllu", files)
        words = (ROOT, *(Word(form, "_", "_", "_", "_") for form in number_of))
        unknown = np.full(len(tokens), -1, np.int32)
        columns = np.array(tokens, np.int32), unknown, (), unknown, np.array(offsets, np.int64)
        return Treebank(words, *columns, name=os.path.basename(chunk.path), source=source)

    def _blocks(self, stretch: TextSpan, chunk: TextChunk) -> Iterator[Block]:
        """Yield the sentences of a stretch; a stretch of spaces alone is a comment."""
        text = stretch.text.decode("utf-8", "surrogateescape")
        sentences = self._splitter.sentences(plain(text)) if stretch.name else []
        if chunk.format == "lines":
            sentences = _joined(sentences)
        return _written(text, sentences, stretch, chunk) if sentences else iter([([SPACES + escape(text)], [])])

    @classmethod
    def _of(cls, data: bytes) -> Tokenizer:
        """Return the tokenizer of the bytes of a model; ModelError if its trainer could not have written them."""
        found = cls(np.frombuffer(data, np.uint8))
        _ = found._splitter  # it checks the bytes
        return found

    @functools.cached_property
    def _splitter(self) -> Splitter:
        return Splitter.from_bytes(self.data.tobytes())

    def __getstate__(self) -> dict[str, Any]:
        return {"data": np.array(self.data)}

    def record(self) -> Record:
        """Return the whole tokenizer as data."""
        return Record(KIND, arrays={"udpipe": self.data})

    @classmethod
    def from_record(cls, record: Record) -> Tokenizer:
        """Return the tokenizer of a record; ModelError if it has something else."""
        if record.kind != KIND:
            raise ModelError(f"expected a model of kind '{KIND}', found '{record.kind}'; train it again")
        data = record.arrays.get("udpipe")
        if data is None or data.dtype != np.uint8 or data.ndim != 1:
            raise ModelError("expected the bytes of a tokenizer, found none; the model is damaged: train it again")
        return cls._of(data.tobytes())


def _joined(sentences: Sequence[Sequence[Token]]) -> list[list[Token]]:
    """Return the tokens as one sentence, or as several with at most ``MAX_WORDS`` words each, about."""
    joined: list[list[Token]] = []
    size = MAX_WORDS
    for token in (token for sentence in sentences for token in sentence):
        if size >= MAX_WORDS:
            joined.append([])
            size = 0
        joined[-1].append(token)
        size += len(token.words) or 1
    return joined


def _written(text: str, sentences: Sequence[Sequence[Token]], stretch: TextSpan, chunk: TextChunk) -> Iterator[Block]:
    """Yield the sentences of a stretch of a chunk."""
    starts = itertools.chain((token.start for sentence in sentences for token in sentence), [len(text)])
    before = text[: next(starts)]
    for number, sentence in enumerate(sentences, 1):
        rows: list[Row] = []
        forms, word = [], 1
        for token in sentence:
            following = next(starts)
            written, after = text[token.start : token.end], text[token.end : following]
            form = form_of(written)
            items = [f"SpacesBefore={escape(before)}"] if before else []
            before = ""
            if form != written:
                items.append(f"SpacesInToken={escape(written)}")
            if not after:
                items.append("SpaceAfter=No")
            elif after != " " or following == len(text):
                items.append(f"SpacesAfter={escape(after)}")
            misc = "|".join(items) or "_"
            if token.words:
                rows.append((f"{word}-{word + len(token.words) - 1}", form, misc))
                rows += [(str(i), form_of(each), "_") for i, each in enumerate(token.words, word)]
            else:
                rows.append((str(word), form, misc))
            word += len(token.words) or 1
            forms.append(form + (" " if after else ""))
        comments = []
        if number == 1:
            newdoc = f"# newdoc id = {chunk.document}" if chunk.document else "# newdoc"
            comments += [newdoc] * (stretch.opens == "text")
            comments += ["# newpar"] * (stretch.opens != "nothing" and chunk.format == "text")
        name = f"{stretch.name}s{number}" if chunk.format == "text" else stretch.name + f"-{number}" * (number > 1)
        yield [*comments, f"# sent_id = {name}", f"# text = {''.join(forms).rstrip(' ')}"], rows
