"""CoNLL-U and CoNLL-X: detection of the format, faults of a sentence.

Both formats have one line a token, ten columns separated by tabs, and a blank line after each sentence:

========  ==  ====  =====  =======  ======  =====  ====  ======  =====  =======
CoNLL-U   ID  FORM  LEMMA  UPOS     XPOS    FEATS  HEAD  DEPREL  DEPS   MISC
CoNLL-X   ID  FORM  LEMMA  CPOSTAG  POSTAG  FEATS  HEAD  DEPREL  PHEAD  PDEPREL
========  ==  ====  =====  =======  ======  =====  ====  ======  =====  =======

CoNLL-U also has ranges of tokens written as one word (``1-2``) and empty nodes (``3.1``). Comments (``#``)
are its own too, but pass in both formats, anywhere. ``_`` is a label like any other where the head is known.

References
----------
S. Buchholz and E. Marsi, CoNLL-X shared task on multilingual dependency parsing, CoNLL 2006, section 3.
Universal Dependencies, CoNLL-U format, version 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from reprlib import repr as short
from typing import Literal, NamedTuple, TypeAlias, cast

from treevote.conll.guidelines import TAGS
from treevote.corpus.source import BLANK, BOM
from treevote.corpus.treebank import Format
from treevote.corpus.trees import cycles
from treevote.errors import InputError, shortened
from treevote.files.streams import uncompressed

Trees: TypeAlias = Literal["required", "some", "partial", "partial-rooted", "labels", "optional", "ignored"]

MAX_TOKENS = 10_000  # a sentence with more is a fault
MAX_DIGITS = len(str(MAX_TOKENS))  # no id and no head has more

_BYTE_ORDER_MARKS = dict.fromkeys([b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"], "UTF-32")
_BYTE_ORDER_MARKS |= dict.fromkeys([b"\xff\xfe", b"\xfe\xff"], "UTF-16")
_COMPRESSED = re.compile(rb"(?P<zstd>\x28\xb5\x2f\xfd)|(?P<bzip2>BZh[1-9]1AY&SY)|(?P<zip>PK\x03\x04)")
_DETECTION_LINES = 2000
DETECTION_BYTES = 1 << 20
_ENCODING_BYTES = 4096
_LEAST_BYTES = 64  # of running text, of which fewer may be anything
_FEWEST_WORDS = 8  # of a line with spaces between its columns
_MARK = "expected no byte order mark within a file, found one", "remove it"
COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
_GLOBAL_COLUMNS = re.compile(rb"(?:#[^\n]*\n)*?# *global\.columns *= *([^\r\n]*)\r?\n")
_UD_FEATURE = re.compile(
    r"\b(Abbr|Animacy|Aspect|Case|Definite|Degree|Evident|ExtPos|Foreign|Gender|Mood|Number|NumType|Person|Polarity"
    r"|Poss|PronType|Reflex|Tense|VerbForm|Voice)(\[[a-z]+\])?=[A-Z][a-z]"
)
_NUMBER = re.compile(r"0|[1-9][0-9]*")
_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]*)\.[1-9][0-9]*")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_ID = re.compile(r"[0-9]+([-.][0-9]+)?")


class Fault(NamedTuple):
    """A fault of a sentence: its line (from 0), the problem, the remedy."""

    line: int
    problem: str
    remedy: str


def detect(text: str) -> Format:
    """Determine the format, CoNLL-U or CoNLL-X, by the first 2,000 lines of a file.

    It is CoNLL-U if one line is a comment, a range (``1-2``) or an empty node (``3.1``), or has
    ``head:deprel`` in column 9, ``Key=Value`` in column 10, or a feature of Universal Dependencies such as
    ``Number=Sing`` (but not ``Num=S`` or ``num=sing``); failing that, if there are tokens and all have a UPOS
    of Universal Dependencies. Everything else is CoNLL-X.
    """
    tags: set[str] = set()
    for line in text.removeprefix("\ufeff").split("\n", _DETECTION_LINES)[:_DETECTION_LINES]:
        if line.startswith("#"):
            return "conllu"
        columns = line.rstrip("\r").split("\t")
        if len(columns) != 10:
            continue
        token, _, _, upos, _, feats, _, _, ninth, tenth = columns
        is_conllu = _RANGE.fullmatch(token) or _EMPTY_NODE.fullmatch(token) or _UD_FEATURE.search(feats)
        if is_conllu or ":" in ninth or "=" in tenth:
            return "conllu"
        tags.add(upos)
    return "conllu" if tags and tags <= TAGS | {"CONJ"} else "conllx"


def format_of(path: str, text: bytes) -> Format:
    """Determine the format of a file by its suffix, ``.conllu`` or ``.conllx`` (``.xz``, ``.gz``), else `detect`."""
    name = uncompressed(path).lower()
    if name.endswith((".conllu", ".conllx")):
        return cast("Format", name[-6:])
    return detect(text[:DETECTION_BYTES].decode("utf-8", "replace"))


def require_utf8(text: bytes, path: str, *, columns: bool = True) -> None:
    """Refuse a text in UTF-16 or UTF-32 (InputError), known by its byte order mark or by its zero bytes.

    A text with columns begins as CoNLL text does; any other is mostly Latin letters. Content that is still compressed,
    as with zstd, is refused, too.
    """
    if packed := _COMPRESSED.match(text):
        remedy = "decompress it; only gzip and xz are read as they are"
        raise InputError(f"expected UTF-8, the file is compressed with {packed.lastgroup}", path=path, remedy=remedy)
    mark = next((mark for mark in _BYTE_ORDER_MARKS if text.startswith(mark)), None)
    encoding = _wide_encoding(text[:_ENCODING_BYTES], columns) if mark is None else _BYTE_ORDER_MARKS[mark]
    if encoding:
        remedy = f"convert it: iconv -f {encoding} -t UTF-8; treevote parse reads it with --encoding {encoding}"
        raise InputError(f"expected UTF-8, the file is {encoding}", path=path, remedy=remedy)


def require_standard_columns(text: bytes, path: str) -> None:
    """Refuse a file of CoNLL-U Plus whose first comments name other columns than those of CoNLL-U (InputError)."""
    found = _GLOBAL_COLUMNS.match(text[:DETECTION_BYTES].removeprefix(BOM))
    if found and found[1].split() != COLUMNS.encode().split():
        problem = f"expected the columns {COLUMNS}, found {shortened(found[1].decode('utf-8', 'replace'))}"
        raise InputError(problem, path=path, remedy="convert the file to CoNLL-U, which has these columns alone")


def _wide_encoding(text: bytes, columns: bool) -> str:
    """Return the encoding in which a text with many zero bytes is one; empty if there is none."""
    if text.count(0) * 8 < len(text) or (not columns and len(text) < _LEAST_BYTES):
        return ""
    for encoding in "UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE":
        decoded = text.decode(encoding, "ignore")
        whole = len(text) - len(decoded.encode(encoding)) < 4 and "\0" not in decoded
        begins = columns and "\t" in decoded and decoded[0] in f"01#\n{BLANK}"
        if whole and (begins or (not columns and 2 * sum(c < "\u0250" for c in decoded) > len(decoded))):
            return encoding
    return ""


def sentence_faults(lines: Sequence[str], format: Format, trees: Trees, *, unlabelled: bool = False) -> Iterator[Fault]:
    r"""Yield the faults of a sentence: the definition of the readable sentences.

    The reader asks for them only where its own quick look has not cleared a sentence. A fault that may be the
    consequence of another is left out: nothing is said of the tree of a sentence whose ids are wrong.

    ``lines`` are all between two blank lines, decoded with ``surrogateescape``. For ``trees`` see `parse_chunk` of
    `treevote.conll.reader`. If the file has no heads at all, ``unlabelled``, one message is about the file.

    >>> lines = ["1\ta\t_\t_\t_\t_\t9\tx\t_\t_", "2\tb\t_\t_\t_\t_\t0\t\t_\t_"]
    >>> [(fault.line, fault.problem) for fault in sentence_faults(lines, "conllu", "required")]
    [(0, "expected a HEAD in 0..2, found '9'"), (1, 'expected a DEPREL, found an empty column')]
    """
    for i, line in enumerate(lines):
        if found := _NOT_UTF8.search(line):
            byte = len(line[: found.start()].encode("utf-8", "surrogateescape")) + 1
            problem = f"expected UTF-8, found the byte 0x{ord(found[0]) - 0xDC00:02X} as byte {byte} of the line"
            yield Fault(i, problem, "convert the file to UTF-8; treevote parse reads other encodings with --encoding")
    for i, line in enumerate(lines):
        if "\r" in line and _holds_lines(line):
            problem = "expected lines that end in line feeds, found carriage returns alone between the lines of tokens"
            yield Fault(i, problem, "convert the line ends to line feeds")
            return
    if all(line.startswith("#") for line in lines):
        return
    tokens: list[tuple[int, list[str]]] = []
    fault = None
    for fault in _token_faults(lines, format, tokens):
        yield fault
    if fault is not None:
        return
    for i, columns in tokens:
        if not columns[1]:
            yield Fault(i, "expected a FORM, found an empty column", "write the form, or _")
    if trees != "ignored":
        yield from _tree_faults(tokens, trees, unlabelled)


def _holds_lines(line: str) -> bool:
    """Tell whether lines of tokens, with carriage returns alone between them, pass for this one line.

    A comment, or a column, may hold carriage returns of its own.
    """
    if not line.startswith("#") and line.count("\t") == 9:
        return False
    rows = (row.split("\t") for row in line.split("\r")[1:])
    return any(len(row) == 10 and _ID.fullmatch(row[0]) for row in rows)


def _token_faults(lines: Sequence[str], format: Format, tokens: list[tuple[int, list[str]]]) -> Iterator[Fault]:
    """Yield the faults of columns, and the first one of ids; fill in line and columns of each token."""
    faulty = False
    span_end, span_line, span_found = 0, 0, ""
    for i, line in enumerate(lines):
        if line.startswith("#"):
            continue
        columns, expected = line.split("\t"), len(tokens) + 1
        if len(columns) != 10:
            yield _column_fault(i, line, is_first=not tokens)
            faulty, words = True, line.split()
            columns = words if len(columns) == 1 and len(words) >= _FEWEST_WORDS else columns
            if columns[0] == str(expected):
                tokens.append((i, columns))
            continue
        token = columns[0]
        if token == str(expected):
            if expected > MAX_TOKENS:
                problem = f"expected at most {MAX_TOKENS:,} tokens in a sentence, found more"
                yield Fault(i, problem, "cut the sentence in parts")
                return
            tokens.append((i, columns))
        elif fault := _id_fault(i, token, expected, span_end, format):
            yield fault
            return
        elif span := _RANGE.fullmatch(token):
            span_end, span_line, span_found = _last(span), i, span[2]
    if not tokens and not faulty:
        first = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        yield Fault(first, "expected a token, found a sentence without one", "remove the sentence")
    elif span_end > len(tokens) and not faulty:
        found = _number(span_found)
        problem = f"expected a range that ends in a token of the sentence (1..{len(tokens)}), found {found}"
        yield Fault(span_line, problem, "correct the range")


def _column_fault(i: int, line: str, *, is_first: bool) -> Fault:
    """Return the fault of a line without ten columns; the first one of a sentence may be running text."""
    n = line.count("\t") + 1
    found = f"expected 10 columns separated by tabs, found {n}"
    if line.startswith("\ufeff"):
        return Fault(i, *_MARK)
    if line.lstrip().startswith("#"):
        return Fault(i, f"{found} (a comment behind spaces)", "remove the spaces before #")
    if not line.strip():
        return Fault(i, f"{found} (spaces alone)", "remove the spaces if a sentence ends there, else the line")
    if n > 1 and is_first:
        return Fault(i, found, "correct the line; convert a file in another format to CoNLL-U")
    if n > 1:
        return Fault(i, found, "correct the line, or end the sentence before it with a blank line")
    if is_first and not line[:1].isdigit():
        ways = "parse --format text, format='text' in Python, tokenizer in a request"
        return Fault(i, f"{found} (running text)", f"parse it as text ({ways}), or split it into tokens first")
    if len(line.split()) >= _FEWEST_WORDS:
        found = f"{found} (the columns are separated by spaces)"
    return Fault(i, found, "put tabs between the columns, or remove the line")


def _id_fault(i: int, token: str, expected: int, span_end: int, format: Format) -> Fault | None:
    """Return the fault of an id other than the ``expected`` one, if it has one; ``span_end`` ends the last range."""
    if token.startswith("\ufeff"):
        return Fault(i, *_MARK)
    span, empty = _RANGE.fullmatch(token), _EMPTY_NODE.fullmatch(token)
    found = f"expected id {expected}, found {short(token)}"
    if (span or empty) and format == "conllx":
        return Fault(i, f"{found}, which exists in CoNLL-U only", "read the file as CoNLL-U")
    if span:
        if span[1] == str(expected) and span_end < expected <= _last(span):
            return None
        first = max(expected, span_end + 1)
        return Fault(i, f"expected id {expected} or a range from {first}, found {short(token)}", "correct the range")
    if empty:
        if empty[1] == str(expected - 1):
            return None
        problem = f"expected id {expected} or an empty node {expected - 1}.1, found {short(token)}"
        return Fault(i, problem, "correct the id")
    if _NUMBER.fullmatch(token):
        remedy = "number the tokens of a sentence 1, 2, 3, ..., with a blank line after the last"
        return Fault(i, f"expected id {expected}, found {_number(token)}", remedy)
    quoted = token.startswith('"')
    remedy = "remove the quotes around columns" if quoted else "correct the first column, or remove the line"
    return Fault(i, f"{found}, which is no id", remedy)


def _last(span: re.Match[str]) -> int:
    """Return the last id of a range; no id has more digits than are read, and Python limits them to some thousand."""
    return int(span[2][: MAX_DIGITS + 1])


def _number(digits: str) -> str:
    """Return a number as a message shows it."""
    return short(digits).strip("'")


def _tree_faults(tokens: Sequence[tuple[int, list[str]]], trees: Trees, unlabelled: bool) -> Iterator[Fault]:
    """Yield the faults in columns 7 and 8."""
    n = len(tokens)
    heads = [-1]
    if trees == "some" and not unlabelled and all(columns[6] == "_" for _, columns in tokens):
        return
    for i, columns in tokens:
        head, deprel = columns[6:8]
        if head == "_" and trees in ("required", "some"):
            if unlabelled:
                yield Fault(i, "expected trees, found a file without: every HEAD is '_'", "give a labelled treebank")
                return
            yield Fault(i, f"expected a HEAD in 0..{n}, found '_' (unknown)", "give every token a head")
        elif not head:
            remedy = "write the head" if trees == "required" else "write the head, or _"
            yield Fault(i, f"expected a HEAD in 0..{n}, found an empty column", remedy)
        elif head != "_" and not (_NUMBER.fullmatch(head) and len(head) <= MAX_DIGITS and int(head) <= n):
            yield Fault(i, f"expected a HEAD in 0..{n}, found {short(head)}", "correct the head")
        elif not deprel:
            yield Fault(i, "expected a DEPREL, found an empty column", "write the label, or _")
        else:
            heads.append(-1 if head == "_" else int(head))
    if trees in ("optional", "labels") or len(heads) <= n:
        return
    remedy = "correct the heads"
    itself = [token for token in range(1, n + 1) if heads[token] == token]
    for token in itself:
        problem = f"expected another token or 0 as HEAD of token {token}, found itself"
        yield Fault(tokens[token - 1][0], problem, remedy)
    if itself:
        return
    if trees == "partial-rooted" and heads.count(0) > 1:
        second = heads.index(0, heads.index(0) + 1)
        problem = "expected one root, as all trees have here, found a second one"
        yield Fault(tokens[second - 1][0], problem, f"{remedy}, or leave some open as _")
        return
    if 0 not in heads and -1 not in heads[1:]:
        yield Fault(tokens[0][0], "expected a token with HEAD 0, found a sentence without a root", remedy)
        return
    for cycle in cycles(heads):
        problem = f"expected a tree, found the cycle {' -> '.join(map(str, [*cycle, cycle[0]]))}"
        yield Fault(tokens[cycle[0] - 1][0], problem, remedy)
