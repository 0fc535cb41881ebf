"""One pure function for every engine: texts in, texts with trees out, and a fault is a value."""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from treevote.batch.joint import ChunkParse, ParseJob
from treevote.batch.parsing import stored_parser
from treevote.batch.reading import TASK_BYTES, Piece, parse_task, tasks
from treevote.conll.reader import OnError
from treevote.conll.text_chunks import TextFormat, any_chunks
from treevote.corpus.given import Keep
from treevote.corpus.treebank import Format
from treevote.ensemble.stored import StoredParser
from treevote.errors import ConfigError, InputError
from treevote.files.encodings import utf8_of
from treevote.models.text.text_annotator import Tags

Model: TypeAlias = "str | os.PathLike[str] | StoredParser"


class ParsedString(NamedTuple):
    """Result of `parse_strings` for a text.

    Attributes
    ----------
    text : str
        The text with trees; empty if there is none because of a fault.
    error : str
        The first fault in one sentence, with line and sentence; empty if there is none. With ``on_error`` other than
        ``"stop"`` there are both.
    sentences, tokens : int
        Numbers of parsed sentences and tokens.
    doubt : str
        The reason why the text is probably unfit for the model, of which `parse` warns; empty if there is none.
    """

    text: str
    error: str = ""
    sentences: int = 0
    tokens: int = 0
    doubt: str = ""


def parse_strings(
    model: Model,
    texts: Iterable[object],
    *,
    member: str | None = None,
    support: bool = False,
    confidence: bool = False,
    lights: bool = False,
    on_error: OnError = "stop",
    tags: Tags = "auto",
    keep: Keep | None = None,
    format: Format | TextFormat = "conllu",
) -> list[ParsedString]:
    r"""Parse texts; the result of each is what ``treevote parse`` would write, or an error as a value.

    The function is made for workers of any engine: it depends on its arguments alone, loads a model once a process,
    parses many short texts as fast as a long one, and may be called by several threads.

    Parameters
    ----------
    model : path or StoredParser
        A model folder. A `StoredParser` makes sure that all machines have the same model and version.
    texts : iterable of str
        Each is one or several sentences, or a whole file.
    member, support, confidence, lights, on_error, tags, keep
        As for `parse_files`.
    format : {"conllu", "conllx", "text", "lines"}, default="conllu"
        Format of the texts; ``"text"`` and ``"lines"`` are running text, see `parse_files`.

    Returns
    -------
    list of ParsedString
        One for each text, in order. No text is a reason for an exception: one that is no string, is empty, or has a
        fault gives a result with an error.

    Raises
    ------
    ModelError
        If the model is missing or damaged here, is another one, or treevote has another version.
    ConfigError
        If there is no such member, or the options do not go together.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import treevote
    >>> toy = treevote.Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
    >>> with TemporaryDirectory() as folder:
    ...     treevote.save(treevote.EnsembleTrainer().train(toy), folder + "/model")
    ...     one, two = parse_strings(folder + "/model", ["1\tdogs" + "\t_" * 8 + "\n\n", "dogs bark"])
    >>> one.text
    '1\tdogs\t_\t_\t_\t_\t0\troot\t_\t_\n\n'
    >>> two.error.partition(" (")[0]
    'line 1, sentence 1: expected 10 columns separated by tabs, found 1'
    """
    work = ParseJob(stored_parser(model, member), support, confidence, on_error, tags, keep, lights)
    work.check()
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise ConfigError(f"expected texts, found {type(texts).__name__}; give a list of texts")
    found: list[list[ChunkParse]] = []
    for task in tasks(_pieces(texts, found, format), TASK_BYTES):
        for file, result, _ in parse_task(work, task):
            if isinstance(result, ChunkParse):
                found[file].append(result)
    return [_result(chunks) for chunks in found]


def _result(chunks: Sequence[ChunkParse]) -> ParsedString:
    whole = functools.reduce(ChunkParse.plus, chunks, ChunkParse())
    error = "" if whole.first_fault is None else str(whole.first_fault)
    if not whole.sentences and not error:
        error = str(InputError("expected sentences, found none", remedy="give a text with sentences"))
    if whole.stopped or not (whole.sentences or whole.faults):
        return ParsedString("", error)
    text = b"".join(chunk.text for chunk in chunks).decode("utf-8", "surrogateescape")
    return ParsedString(text, error, whole.sentences, whole.tokens, whole.doubt or "")


def _pieces(texts: Iterable[object], found: list[list[ChunkParse]], format: Format | TextFormat) -> Iterator[Piece]:
    """Yield the chunks of texts, each text a file; add a list for the results of each, with the fault of its bytes."""
    for number, text in enumerate(texts):
        found.append([])
        try:
            for chunk in any_chunks(io.BytesIO(utf8_of(text)), format=format, n_bytes=TASK_BYTES):
                yield Piece(number, chunk)
        except InputError as fault:
            found[number].append(ChunkParse(first_fault=fault, stopped=True))
