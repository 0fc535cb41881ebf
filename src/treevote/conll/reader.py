"""CoNLL-U and CoNLL-X treebanks: reading.

The bytes of many sentences are taken apart at once (`treevote.conll.scanner`); only sentences that were not cleared
there are checked line by line (`treevote.conll.validation`). The lines are kept, so that `treevote.conll.writer` writes
everything back unchanged, except the predictions.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import itertools
import math
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from treevote.conll.chunks import Chunk
from treevote.conll.corpora import files_of, joined
from treevote.conll.scanner import Blocks, Tokens, find_blocks, find_tokens
from treevote.conll.stretches import numbered
from treevote.conll.tokenlists import serialize
from treevote.conll.validation import Trees, format_of, require_standard_columns, require_utf8, sentence_faults
from treevote.corpus.given import FREE_LABEL
from treevote.corpus.sentence import ROOT, Word, sent_id
from treevote.corpus.source import Source
from treevote.corpus.treebank import MARKS, Format, Treebank
from treevote.errors import InputError, require_known, shortened
from treevote.files.encodings import UTF8, utf8_of
from treevote.files.streams import Readable, opened
from treevote.kernels import Bools, Ints, Longs

if TYPE_CHECKING:
    from conllu import TokenList

OnError: TypeAlias = Literal["stop", "skip", "keep"]


def read(
    source: Readable | Sequence[str | os.PathLike[str]] | Sequence[TokenList],
    *,
    format: Format | Literal["auto"] = "auto",
    trees: Trees = "required",
    on_error: OnError = "stop",
    name: str | None = None,
    marks: bool = False,
    encoding: str = UTF8,
) -> Treebank:
    r"""Read a file, or several as one corpus.

    Parameters
    ----------
    source : path, "-", binary file, sequence of paths, or sequence of conllu.TokenList
        A string is a path, never a text (see `loads`). ``-`` is standard input; xz and gzip are decompressed. The files
        of a list, or those of a folder and its sub-folders with the suffixes ``.conllu``, ``.conllx``, ``.conll``, are
        one treebank, each a document; if their formats differ, a `TreevoteWarning` tells that comments, ranges, DEPS
        and MISC are left out.
    format : {"auto", "conllu", "conllx"}, default="auto"
        ``"auto"``: determined by `treevote.conll.validation.format_of` from name and content; a TokenList is CoNLL-U.
    trees : {"required", "some", "partial", "partial-rooted", "labels", "optional", "ignored"}, default="required"
        Treatment of HEAD and DEPREL, see `parse_chunk`.
    on_error : {"stop", "skip", "keep"}, default="stop"
        Treatment of a faulty sentence, see `parse_chunk`, which also returns the faults.
    name : str, optional
        Name of the treebank; by default that of the file, without its folder.
    marks : bool, default=False
        Whether support and confidence are read from MISC, see `with_marks`.
    encoding : str, default="utf-8"
        Encoding of the file.

    Returns
    -------
    Treebank
        With its source.

    Raises
    ------
    InputError
        For the first fault if ``on_error`` is ``"stop"``; if no sentence is left; if the file cannot be read, or
        is UTF-16 or UTF-32.

    Examples
    --------
    >>> import io
    >>> treebank = read(io.BytesIO(b"1\tdogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n"))
    >>> treebank.sentence(0).words[1].lemma
    'dog'
    """
    if isinstance(source, str | os.PathLike) and source != "-" and os.path.isdir(source):
        source = files_of(source)
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        if source and all(isinstance(each, str | os.PathLike) for each in source):
            paths: Any = list(source)
            parts = [read(path, format=format, trees=trees, on_error=on_error, encoding=encoding) for path in paths]
            treebank = joined(parts, paths) if len(parts) > 1 else parts[0]
            treebank = with_marks(treebank) if marks else treebank
            return treebank if name is None else dataclasses.replace(treebank, name=name)
        tokenlists: Any = source
        path, text, format = "", serialize(tokenlists), "conllu"
    else:
        if isinstance(source, str) and ("\n" in source or "\t" in source) and not os.path.exists(source):
            problem = f"expected the path of a file, found the text {shortened(source)!r}"
            raise InputError(problem, remedy="read a text with treevote.loads")
        if not isinstance(source, str | os.PathLike) and not hasattr(source, "read"):
            problem = f"expected a path, found {type(source).__name__}"
            raise InputError(problem, remedy="give a path, a list of paths, or a binary file; a text to treevote.loads")
        with opened(source, encoding) as (stream, path, _):
            text = stream.read()
    require_utf8(text, path)
    require_standard_columns(text, path)
    require_known("format", format, ["auto", *get_args(Format)])
    if format == "auto":
        format = format_of(path, text)
    treebank, faults = parse_chunk(Chunk(path, 1, 1, text, format), trees=trees, on_error=on_error)
    if not treebank.n_sentences:
        nothing = InputError("expected sentences, found none", path=path, remedy="give a file with a treebank")
        raise faults[0] if faults else nothing
    treebank = with_marks(treebank) if marks else treebank
    return treebank if name is None else dataclasses.replace(treebank, name=name)


def loads(text: str, *, format: Format | Literal["auto"] = "auto", trees: Trees = "required") -> Treebank:
    r"""Read a text in CoNLL-U or CoNLL-X.

    Parameters
    ----------
    text : str
    format, trees
        As for `read`.

    Returns
    -------
    Treebank

    Raises
    ------
    InputError
        As for `read`, and if the text is the name of a file.

    Examples
    --------
    >>> loads("1\tdogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n").n_tokens
    1
    """
    require_text(text, "treevote.read({})")
    return read(io.BytesIO(utf8_of(text)), format=format, trees=trees)


def require_text(text: str, call: str) -> None:
    """Raise an InputError for the name of a file where a text is expected; ``call`` is the call for a file."""
    if not isinstance(text, str):
        problem = f"expected a text, found {type(text).__name__}"
        raise InputError(problem, remedy=f"decode it first; for a file use {call.format('Path(...)')}")
    if "\n" not in text and os.path.exists(text):
        problem = f"expected a text, and {shortened(text)!r} is the name of a file"
        raise InputError(problem, remedy=f"give {call.format(f'Path({text!r})')}, or its content")


def with_marks(treebank: Treebank) -> Treebank:
    """Return a treebank with the numbers that `treevote.conll.writer` wrote into MISC; InputError for one not in 0..1.

    A field of ``MARKS`` is filled if every token with a head has its number; ``tag_confidence``, of predicted tags, if
    one has. Without a source, or of CoNLL-X, the treebank stays as it is.
    """
    source, slots = treebank.source, np.flatnonzero(treebank.heads >= 0)
    if source is None or not len(slots):
        return treebank
    fields = {mark.partition("=")[0]: field for field, mark in MARKS.items()}
    missing = np.where(treebank.heads >= 0, np.nan, 0).astype(np.float32)
    columns = {field: missing.copy() for field in MARKS}
    for slot, misc in zip(slots.tolist(), source.misc(slots), strict=True):
        for item in misc.split("|"):
            key, _, text = item.partition("=")
            if (field := fields.get(key)) is None:
                continue
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if not 0 <= number <= 1:
                raise treebank.fault(slot, f"expected {key}=NUMBER from 0 to 1 in MISC, found {item}", "correct it")
            columns[field][slot] = number
    absent = {field: np.isnan(column[slots]) for field, column in columns.items()}
    found: dict[str, Any] = {
        field: columns[field]
        for field, gone in absent.items()  # predicted tags may be beside given ones, which have no confidence
        if not (gone.all() if field == "tag_confidence" else gone.any())
    }
    return dataclasses.replace(treebank, **found)


def read_parse(path: str | os.PathLike[str], format: Format | Literal["auto"]) -> Treebank:
    """Read the parse of a system; some sentences may be unparsed, but not all (InputError)."""
    parse = read(path, format=format, trees="optional")
    if not (parse.heads >= 0).any():
        raise InputError("expected parses, found no heads at all", path=str(path), remedy="parse the file first")
    return parse


def parse_chunk(
    chunk: Chunk, *, trees: Trees = "optional", on_error: OnError = "stop"
) -> tuple[Treebank, list[InputError]]:
    """Read the sentences of a chunk; return them with their source, and the first fault of each faulty sentence.

    ``trees`` is the treatment of HEAD and DEPREL. ``"ignored"``: they are skipped, and all heads are unknown.
    ``"optional"``: a head is ``_`` (unknown) or in 0..n. ``"required"``: every sentence has a tree, with one root or
    several. ``"some"``: it has one, or all its heads are unknown. ``"partial"``: each head is unknown or in 0..n, and
    some tree has all that are known; ``"partial-rooted"``: one with a single root. ``"labels"``: as ``"optional"``.
    With these three a token without a head has its label, if that is not ``_``. ``on_error`` is the treatment of a
    faulty sentence. ``"stop"``: raise its fault. ``"skip"``: leave it out, and its lines out of the source. ``"keep"``:
    keep its lines in the source though it is no sentence of the treebank.
    """
    require_known("treatment of trees", trees, get_args(Trees))
    require_known("treatment of a fault", on_error, get_args(OnError))
    text, blocks, tokens = _scan(chunk, trees)
    faults: list[InputError] = []
    bad = np.zeros_like(tokens.suspect)
    for i, found in _faults(chunk, text, blocks, tokens, trees):
        if fault := next(found, None):
            if on_error == "stop":
                raise fault
            bad[i] = True
            faults.append(fault)
    treebank, line_of = _columns(text, blocks, tokens, ~bad, trees)
    numbers = _numbers(chunk, blocks)[~bad & (tokens.n_tokens > 0)]
    source = Source(chunk.path, chunk.text, line_of, numbers, chunk.format, ((0, chunk.path, chunk.first_line),))
    if on_error == "skip" and bad.any():
        source = _without(source, blocks, bad)
    return dataclasses.replace(treebank, name=os.path.basename(chunk.path), source=source), faults


def chunk_faults(chunk: Chunk, *, trees: Trees = "optional") -> Iterator[InputError]:
    """Yield all faults of a chunk, where `parse_chunk` names the first of each sentence."""
    for _, found in _faults(chunk, *_scan(chunk, trees), trees):
        yield from found


def _scan(chunk: Chunk, trees: Trees) -> tuple[bytes, Blocks, Tokens]:
    """Return the text without byte order mark, and its blocks and tokens; without UTF-8 all blocks are suspect."""
    text = chunk.bare_text
    blocks = find_blocks(text) if chunk.blocks is None else chunk.blocks
    tokens = find_tokens(text, blocks, chunk.format, trees)
    try:
        text.decode()
    except UnicodeDecodeError:
        tokens.suspect[:] = True
    return text, blocks, tokens


def _without(source: Source, blocks: Blocks, bad: Bools) -> Source:
    """Return the lines without those of bad blocks."""
    lines = source.text.split(b"\n")
    stays = np.ones(len(lines), np.bool_)
    for i in np.flatnonzero(bad).tolist():
        stays[blocks.first[i] : blocks.last[i] + 1] = False
    kept, ((_, path, number),) = np.flatnonzero(stays), source.files
    begins = np.flatnonzero(np.diff(kept, prepend=-2) > 1).tolist()  # of runs of lines that stay
    files = tuple((i, path, number + int(kept[i])) for i in begins)
    line_of = (np.cumsum(stays, dtype=np.int32) - 1)[source.line_of]
    text = b"\n".join(itertools.compress(lines, stays.tolist()))
    return dataclasses.replace(source, text=text, line_of=line_of, files=files)


def _numbers(chunk: Chunk, blocks: Blocks) -> Longs:
    """Return the number in the file of the sentence in each block."""
    return chunk.first_sentence + np.cumsum(blocks.is_sentence) - blocks.is_sentence


def _faults(
    chunk: Chunk, text: bytes, blocks: Blocks, tokens: Tokens, trees: Trees
) -> Iterator[tuple[int, Iterator[InputError]]]:
    """Yield the number of each suspect block, and its faults, if it has any."""
    lines = text.decode("utf-8", "surrogateescape").split("\n") if tokens.suspect.any() else []
    numbers = _numbers(chunk, blocks)
    unlabelled = trees in ("required", "some") and all(
        text[i - 3 : i - 1] == b"\t_" for i in tokens.deprel_start.tolist()
    )
    for i in np.flatnonzero(tokens.suspect).tolist():
        sentence = lines[blocks.first[i] : blocks.last[i]]
        name = shortened(sent_id(sentence).partition("\r")[0]) or str(numbers[i])
        line = chunk.first_line + int(blocks.first[i])
        yield (
            i,
            (
                InputError(fault.problem, path=chunk.path, line=line + fault.line, sentence=name, remedy=fault.remedy)
                for fault in sentence_faults(sentence, chunk.format, trees, unlabelled=unlabelled)
            ),
        )


@functools.lru_cache(1 << 16)
def _word(columns: bytes) -> Word:
    """Return a word, the same one for the same columns: the words of a text recur in all of its chunks."""
    return Word._make(columns.decode().split("\t"))


def _columns(text: bytes, blocks: Blocks, tokens: Tokens, good: Bools, trees: Trees) -> tuple[Treebank, Ints]:
    """Put the sentences in the ``good`` blocks into columns; return also the line of each slot."""
    good = good & (tokens.n_tokens > 0)
    here = good[tokens.block]
    labelled = here & (tokens.head >= 0)
    if trees in ("partial", "partial-rooted", "labels"):
        first, size = tokens.deprel_start[here], (tokens.deprel_end - tokens.deprel_start)[here]
        labelled[here] |= (size != 1) | (np.frombuffer(text, np.uint8)[first] != ord(FREE_LABEL))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(tokens.n_tokens[good] + 1)])
    is_token = np.ones(int(offsets[-1]), np.bool_)
    is_token[offsets[:-1]] = False

    columns = np.full((4, len(is_token)), -1, np.int32)
    numbers, heads, deprels, line_of = columns
    root = "\t".join(ROOT).encode()  # in front of the text
    start, end = (np.append(0, column[here] + len(root)) for column in (tokens.word_start, tokens.word_end))
    end[0] = len(root)
    words, of_tokens = numbered(root + text, start, end)
    numbers[~is_token], numbers[is_token] = 0, of_tokens[1:]
    heads[is_token] = tokens.head[here]
    labels, own = numbered(text, tokens.deprel_start[labelled], tokens.deprel_end[labelled])
    deprels[np.flatnonzero(is_token)[labelled[here]]] = own
    line_of[~is_token] = blocks.first[good]
    line_of[is_token] = tokens.line[here]
    distinct = tuple(map(_word, words))
    return Treebank(distinct, numbers, heads, tuple(map(bytes.decode, labels)), deprels, offsets), line_of
