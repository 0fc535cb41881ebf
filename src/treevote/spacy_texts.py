"""Texts of spaCy as treebanks, and treebanks as texts of spaCy."""

# pyright: reportMissingImports=false

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from treevote.conll.chunks import Chunk
from treevote.conll.guidelines import TAGS
from treevote.conll.reader import parse_chunk
from treevote.conll.validation import MAX_TOKENS
from treevote.corpus.source import new_document
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, extra

with extra("spacy", "texts of spaCy need spaCy"):
    from spacy.attrs import DEP, HEAD
    from spacy.tokens import Doc, Token
    from spacy.vocab import Vocab

EXTENSIONS = {"dep_support": "support", "dep_confidence": "confidence", "label_confidence": "label_confidence"}
"""Extensions of tokens, and the field of `Treebank` in each."""

UPOS = TAGS | {"CONJ", "SPACE"}
"""Tags that ``token.pos_`` may be."""


def add_extensions() -> None:
    """Make the extensions of tokens known to spaCy."""
    for name in EXTENSIONS:
        if not Token.has_extension(name):
            Token.set_extension(name, default=None)


def to_treebank(docs: Iterable[Doc], name: str = "") -> Treebank:
    """Return the sentences of texts as a treebank, whose text is CoNLL-U.

    Whitespace is in MISC (``SpaceAfter``, ``SpaceTokens``, ``SpaceTokensBefore``), so `to_docs` gives the same tokens.
    Heads are those of spaCy, in sentences in which each word has one. A text without words has no sentence; InputError
    if one has no boundaries of sentences.
    """
    treebank, _ = read_docs(list(docs), trees=True, name=name)
    return treebank


def to_docs(treebank: Treebank, vocab: Vocab) -> list[Doc]:
    """Return the texts of a treebank: one for each ``# newdoc``, or one of all sentences if there is none.

    With a source, MISC tells the whitespace; without one, there is a space behind every token.

    spaCy has no label without a head, and finds sentences by their roots. So a sentence in which a head is missing
    comes without its tree: ``token.has_head()`` is False for its words, but for the first one, a root with label ``_``.
    """
    starts = [i for i in range(len(treebank)) if not i or new_document(treebank.comments(i)) is not None]
    source = treebank.source
    spaces = None if source is None or source.format == "conllx" else surface_words(treebank)[1]
    return [_doc_of(treebank, span, spaces, vocab) for span in itertools.pairwise([*starts, len(treebank)])]


def surface_words(treebank: Treebank) -> tuple[list[str], list[bool], list[bool]]:
    """Return the words of a treebank with a source, whether a space follows each, and whether each begins a sentence.

    No space stands between the words of a multiword token if together they are the token; else one does.
    """
    words: list[str] = []
    spaces: list[bool] = []
    starts: list[bool] = []
    source = treebank.source
    assert source is not None
    for i, sentence in enumerate(treebank):
        starts += [True, *[False] * (len(sentence.words) - 2)]
        span = source.line_of[int(treebank.offsets[i]) : int(treebank.offsets[i + 1])].tolist()
        end, inner, last = 0, False, False
        for line in source.lines[span[0] : span[-1] + 1]:
            if line.startswith("#"):
                continue
            number, *columns = line.rstrip("\r").split("\t")
            if "-" in number:
                first, end = map(int, number.split("-"))
                inner = "".join(word.form for word in sentence.words[first : end + 1]) != columns[0]
                last = _is_followed_by_space(columns[-1])
            elif number.isdecimal():
                words.append(columns[0])
                at = int(number)
                spaces.append(inner if at < end else last if at == end else _is_followed_by_space(columns[-1]))
    return words, spaces, starts


def with_whitespace(words: Iterable[str], text: str) -> tuple[list[str], list[bool]]:
    """Return the words of a text with the whitespace tokens between them, and whether a space follows each."""
    tokens: list[tuple[str, bool]] = []
    end = 0
    for word in words:
        start = text.index(word, end)
        tokens += [(text[end:start], False)] if start > end else []
        end = start + len(word)
        space = text.startswith(" ", end)
        tokens.append((word, space))
        end += space
    tokens += [(text[end:], False)] if end < len(text) else []
    return [token for token, _ in tokens], [space for _, space in tokens]


def _is_followed_by_space(misc: str) -> bool:
    return "SpaceAfter=No" not in misc.split("|")


def read_docs(docs: Sequence[Doc], *, trees: bool = False, name: str = "") -> tuple[Treebank, list[Token]]:
    """Return texts as a treebank, and its tokens."""
    tokens: list[Token] = []
    lines: list[str] = []
    for number, doc in enumerate(docs):
        if all(token.is_space for token in doc):
            continue
        if not doc.has_annotation("SENT_START"):
            raise InputError(
                f"expected boundaries of sentences, found none in text {number + 1}",
                remedy='add a component that finds them in front of treevote, such as nlp.add_pipe("sentencizer")',
            )
        with_trees = trees and doc.has_annotation("DEP")
        misc = _whitespace(doc)
        lines.append("# newdoc")
        for sentence in doc.sents:
            words = [token for token in sentence if not token.is_space]
            if not words:
                continue
            if len(words) > MAX_TOKENS:
                raise InputError(
                    f"text {number + 1}: expected at most {MAX_TOKENS:,} tokens in a sentence, found {len(words):,}",
                    remedy="cut the sentence in parts, or add a component that finds boundaries",
                )
            is_whole = with_trees and all(token.has_head() for token in words)
            lines += [f"# text = {' '.join(sentence.text.split())}", *_lines_of(words, misc, is_whole), ""]
            tokens += words
    text = "\n".join([*lines, ""]) if lines else ""
    treebank, _ = parse_chunk(Chunk(name, 1, 1, text.encode(), "conllu"), trees="optional" if trees else "ignored")
    return treebank, tokens


def _lines_of(words: Sequence[Token], misc: list[str], is_whole: bool) -> Iterator[str]:
    """Yield the line of each word of a sentence, with its head and label if the tree is whole."""
    position = {token.i: i for i, token in enumerate(words, 1)}
    for i, token in enumerate(words, 1):
        head, deprel = "_", "_"
        if is_whole:
            head = str(0 if token.head.i == token.i else position.get(token.head.i, 0))
            deprel = _column(token.dep_)
        columns = (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph))
        yield "\t".join([str(i), *map(_column, columns), head, deprel, "_", misc[token.i]])


def _column(text: str) -> str:
    """Return a column of CoNLL-U: not empty, and without tabs or ends of lines."""
    return re.sub(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]", " ", text).strip() or "_"


def _whitespace(doc: Doc) -> list[str]:
    """Return MISC for each token: whether a space follows, and the whitespace tokens around."""
    sides: dict[str, dict[int, list[str]]] = {"SpaceTokens": {}, "SpaceTokensBefore": {}}
    for i, word in _neighbours(doc).items():
        text = "".join(map(_escaped, doc[i].text)) + ("." if doc[i].whitespace_ else "")
        sides["SpaceTokens" if word < i else "SpaceTokensBefore"].setdefault(word, []).append(text)
    columns = []
    for token in doc:
        items = [] if token.whitespace_ else ["SpaceAfter=No"]
        items += [f"{side}={','.join(texts[token.i])}" for side, texts in sides.items() if token.i in texts]
        columns.append("|".join(items) or "_")
    return columns


def _neighbours(doc: Doc) -> dict[int, int]:
    """Return the word that each whitespace token depends on.

    It is the last word before it in its sentence, else the next one in it; if the sentence has no words, that of the
    text.
    """
    neighbours = {}
    words = [token.i for token in doc if not token.is_space]
    for sentence in doc.sents:
        inside = [token.i for token in sentence if not token.is_space] or words
        for token in sentence:
            if token.is_space:
                neighbours[token.i] = inside[max(bisect.bisect(inside, token.i) - 1, 0)]
    return neighbours


def _escaped(character: str) -> str:
    return r"\s" if character == " " else f"\\u{ord(character):04x}"


def _unescaped(text: str) -> str:
    return re.sub(r"\\s|\\u([0-9a-f]{4,5})", lambda found: chr(int(found[1], 16)) if found[1] else " ", text)


def attach(doc: Doc, found: dict[int, tuple[int, str]]) -> None:
    """Give a text its trees; whitespace depends on the word before it in its sentence, else on the one behind."""
    heads, labels = np.zeros(len(doc), np.int64), np.zeros(len(doc), np.uint64)
    strings = doc.vocab.strings
    whitespace = {token: (word, "dep") for token, word in _neighbours(doc).items()}
    for token, (head, label) in (found | whitespace).items():
        heads[token], labels[token] = head - token, strings.add(label)
    doc.from_array([HEAD, DEP], np.stack([heads.astype(np.uint64), labels], axis=1))


def _doc_of(treebank: Treebank, span: tuple[int, int], spaces: Sequence[bool] | None, vocab: Vocab) -> Doc:
    """Return sentences as a text; ``spaces`` tell for each word of the treebank whether a space follows."""
    names = ("words", "lemmas", "pos", "tags", "morphs", "spaces", "heads", "deps", "sent_starts")
    rows: list[list[Any]] = []
    place: dict[int, int] = {}  # in the text, of the token in each slot
    above: dict[int, int] = {}  # slot of the head of each
    has_trees = False

    def add_whitespace(listed: str, head: int) -> None:
        for text in filter(None, listed.split(",")):
            form = _unescaped(text.removesuffix("."))
            rows.append([form, "", "SPACE", "", "", text.endswith("."), head, "dep", False])

    for i in range(*span):
        sentence, first, root = treebank.sentence(i), len(rows), int(treebank.offsets[i])
        heads, deprels = sentence.heads[1:].tolist(), sentence.deprels[1:]
        is_whole = min(heads, default=0) >= 0
        if not is_whole:
            heads, deprels = [0] * len(heads), ("_", *[""] * (len(heads) - 1))
        has_trees |= is_whole
        tokens = zip(sentence.words[1:], heads, deprels, _miscs(treebank, i), strict=True)
        for slot, (word, head, deprel, misc) in enumerate(tokens, root + 1):
            if before := misc.get("SpaceTokensBefore"):
                add_whitespace(before, len(rows) + len(before.split(",")))
            place[slot], above[slot] = len(rows), root + head
            lemma, upos, xpos, feats = ("" if field == "_" else field for field in word[1:])
            space = spaces is None or spaces[slot - i - 1]
            rows.append([word.form, lemma, upos if upos in UPOS else "", xpos, feats, space, None, deprel, False])
            add_whitespace(misc.get("SpaceTokens", ""), place[slot])
        rows[first][-1] = True
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    for slot, index in place.items():
        columns["heads"][index] = place.get(above[slot], index)
    left_out = ("sent_starts",) if has_trees else ("heads", "deps")
    doc = Doc(vocab, **{name: column for name, column in columns.items() if name not in left_out})
    add_extensions()
    for name, field in EXTENSIONS.items():
        if (mark := treebank.marks.get(field)) is not None:
            for slot, index in place.items():
                doc[index]._.set(name, float(mark[slot]))
    return doc


def _miscs(treebank: Treebank, i: int) -> list[dict[str, str]]:
    """Return the items of MISC of each token of a sentence."""
    slots = np.arange(treebank.offsets[i] + 1, treebank.offsets[i + 1])
    miscs = ["_"] * len(slots) if treebank.source is None else treebank.source.misc(slots)
    items = ([item.partition("=") for item in misc.split("|")] for misc in miscs)
    return [{key: value for key, _, value in own} for own in items]
