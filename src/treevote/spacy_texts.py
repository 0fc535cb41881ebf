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
from treevote.conll.reader import parse_chunk
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.extras import extra

with extra("spacy", "texts of spaCy need spaCy"):
    from spacy.attrs import DEP, HEAD
    from spacy.tokens import Doc, Token
    from spacy.vocab import Vocab

EXTENSIONS = {"dep_support": "support", "dep_confidence": "confidence", "label_confidence": "label_confidence"}
"""Extensions of tokens, and the field of `Treebank` in each."""

UPOS = frozenset(
    "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X SPACE".split()  # noqa: SIM905
)
"""Tags that ``token.pos_`` may be."""


def add_extensions() -> None:
    """Make the extensions of tokens known to spaCy."""
    for name in EXTENSIONS:
        if not Token.has_extension(name):
            Token.set_extension(name, default=None)


def to_treebank(docs: Iterable[Doc], name: str = "") -> Treebank:
    """Return the sentences of texts as a treebank, whose text is CoNLL-U.

    Whitespace is in MISC (``SpaceAfter``, ``SpaceTokens``, ``SpaceTokensBefore``), so `to_docs` gives the same tokens.
    Heads are those of spaCy if the text has any. A text without words has no sentence; InputError if one has no
    boundaries of sentences.
    """
    treebank, _ = read_docs(list(docs), trees=True, name=name)
    return treebank


def to_docs(treebank: Treebank, vocab: Vocab) -> list[Doc]:
    """Return the texts of a treebank: one for each ``# newdoc``, or one of all sentences if there is none.

    With a source, MISC tells the whitespace; without one, there is a space behind every token.
    """
    starts = [
        i
        for i in range(len(treebank))
        if not i or any(re.match(r"#\s*newdoc\b", line) for line in treebank.comments(i))
    ]
    return [doc_of(treebank, span, vocab) for span in itertools.pairwise([*starts, len(treebank)])]


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


def _is_followed_by_space(misc: str) -> bool:
    return "SpaceAfter=No" not in misc.split("|")


def read_docs(docs: Sequence[Doc], *, trees: bool = False, name: str = "") -> tuple[Treebank, list[Token]]:
    """Return texts as a treebank, and its tokens."""
    tokens: list[Token] = []
    lines: list[str] = []
    for number, doc in enumerate(docs):
        words = [token for token in doc if not token.is_space]
        if not words:
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
            own = [token for token in sentence if not token.is_space]
            if not own:
                continue
            position = {token.i: i for i, token in enumerate(own, 1)}
            lines.append(f"# text = {' '.join(sentence.text.split())}")
            for i, token in enumerate(own, 1):
                head, deprel = "_", "_"
                if with_trees:
                    head = str(0 if token.head.i == token.i else position.get(token.head.i, 0))
                    deprel = _column(token.dep_)
                columns = (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph))
                tail = head, deprel, "_", misc[token.i]
                lines.append("\t".join([str(i), *map(_column, columns), *tail]))
            lines.append("")
            tokens += own
    text = "\n".join([*lines, ""]) if lines else ""
    treebank, _ = parse_chunk(Chunk(name, 1, 1, text.encode(), "conllu"), trees="optional" if trees else "ignored")
    return treebank, tokens


def _column(text: str) -> str:
    """Return a column of CoNLL-U: not empty, and without tabs or ends of lines."""
    return re.sub(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]", " ", text).strip() or "_"


def _whitespace(doc: Doc) -> list[str]:
    """Return MISC for each token: whether a space follows, and the whitespace tokens around."""
    after: dict[int, list[str]] = {}
    before: dict[int, list[str]] = {}
    place = {token: other for other, token in _neighbours(doc)}
    for token in doc:
        if token.is_space:
            text = "".join(map(_escaped, token.text)) + ("." if token.whitespace_ else "")
            side = after if place[token.i] < token.i else before
            side.setdefault(place[token.i], []).append(text)
    found = []
    for token in doc:
        items = [] if token.whitespace_ else ["SpaceAfter=No"]
        items += [f"SpaceTokens={','.join(after[token.i])}"] if token.i in after else []
        items += [f"SpaceTokensBefore={','.join(before[token.i])}"] if token.i in before else []
        found.append("|".join(items) or "_")
    return found


def _neighbours(doc: Doc) -> Iterator[tuple[int, int]]:
    """Yield for each whitespace token the word that it depends on, and the token.

    It is the last word before it in its sentence, else the next one in it; if the sentence has no words, that of the
    text.
    """
    words = [token.i for token in doc if not token.is_space]
    for sentence in doc.sents:
        own = [token.i for token in sentence if not token.is_space] or words
        for token in sentence:
            if token.is_space:
                at = bisect.bisect(own, token.i)
                yield own[max(at - 1, 0)], token.i


def _escaped(character: str) -> str:
    return r"\s" if character == " " else f"\\u{ord(character):04x}"


def _unescaped(text: str) -> str:
    return re.sub(r"\\s|\\u([0-9a-f]{4,5})", lambda found: chr(int(found[1], 16)) if found[1] else " ", text)


def attach(doc: Doc, found: dict[int, tuple[int, str]]) -> None:
    """Give a text its trees; whitespace depends on the word before it in its sentence, else on the one behind."""
    heads, labels = np.zeros(len(doc), np.int64), np.zeros(len(doc), np.uint64)
    strings = doc.vocab.strings
    whitespace = {token: (other, "dep") for other, token in _neighbours(doc)}
    for token, (head, label) in (found | whitespace).items():
        heads[token], labels[token] = head - token, strings.add(label)
    doc.from_array([HEAD, DEP], np.stack([heads.astype(np.uint64), labels], axis=1))


def doc_of(treebank: Treebank, span: tuple[int, int], vocab: Vocab) -> Doc:
    """Return sentences as a text."""
    columns: dict[str, list[Any]] = {name: [] for name in ("words", "spaces", "tags", "pos", "lemmas", "morphs")}
    heads: list[int | None] = []
    deps: list[str] = []
    starts: list[bool] = []
    marks: list[dict[str, float]] = []

    def add(word: Sequence[str], space: bool, head: int | None, dep: str, start: bool, mark: dict[str, float]) -> None:
        for name, value in zip(("words", "lemmas", "pos", "tags", "morphs"), word, strict=True):
            columns[name].append(value)
        columns["spaces"].append(space)
        heads.append(head)
        deps.append(dep)
        starts.append(start)
        marks.append(mark)

    def add_whitespace(listed: str, head: int | None) -> None:
        for text in filter(None, listed.split(",")):
            here = len(heads)
            add(
                (_unescaped(text.removesuffix(".")), "", "SPACE", "", ""),
                text.endswith("."),
                here if head is None else head,
                "dep",
                False,
                {},
            )

    for i in range(*span):
        sentence, root = treebank.sentence(i), int(treebank.offsets[i])
        miscs = _miscs(treebank, i)
        place: dict[int, int] = {}
        first = len(heads)
        pending: list[tuple[int, int]] = []
        for position in range(1, len(sentence.words)):
            word, misc = sentence.words[position], miscs[position - 1]
            if before := misc.get("SpaceTokensBefore"):
                add_whitespace(before, len(heads) + len(before.split(",")))
            place[position] = len(heads)
            pending.append((len(heads), int(sentence.heads[position])))
            lemma, upos, xpos, feats = ("" if field == "_" else field for field in word[1:])
            own = {name: treebank.marks[field] for name, field in EXTENSIONS.items() if field in treebank.marks}
            mark = {name: float(column[root + position]) for name, column in own.items()}
            fields = word.form, lemma, upos if upos in UPOS else "", xpos, feats
            add(fields, misc.get("SpaceAfter") != "No", None, sentence.deprels[position], False, mark)
            add_whitespace(misc.get("SpaceTokens", ""), place[position])
        for index, head in pending:
            heads[index] = None if head < 0 else place.get(head, index)
        starts[first] = True
    trees: dict[str, Any] = {"heads": heads, "deps": deps} if None not in heads else {"sent_starts": starts}
    doc = Doc(vocab, **columns, **trees)
    add_extensions()
    for token, mark in zip(doc, marks, strict=True):
        for name, value in mark.items():
            token._.set(name, value)
    return doc


def _miscs(treebank: Treebank, i: int) -> list[dict[str, str]]:
    """Return the items of MISC of each token of a sentence."""
    slots = np.arange(treebank.offsets[i] + 1, treebank.offsets[i + 1])
    source = treebank.source
    if source is None or source.format == "conllx":
        return [{} for _ in slots]
    items = ([item.partition("=") for item in misc.split("|")] for misc in source.misc(slots))
    return [{key: value for key, _, value in own} for own in items]
