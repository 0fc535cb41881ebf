"""A component for spaCy: ``nlp.add_pipe("treevote", config={"model": "model"})``.

It parses the tokens of spaCy with the tags that earlier components gave them, within the sentences that earlier
components found. Heads and labels become those of the tokens; the label of a root is that of the treebank, ``root``.
``token._.dep_confidence`` is the probability of the arc, ``token._.label_confidence`` that of the arc with its label,
``token._.dep_support`` the share of the votes, each None where it is not known. Whitespace tokens are not parsed: each
depends, as ``dep``, on its neighbour.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import bisect
import itertools
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treevote.batch.joint import member_of
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk
from treevote.corpus.treebank import Treebank
from treevote.ensemble.stored import StoredParser
from treevote.errors import ConfigError, InputError
from treevote.extras import extra

with extra("spacy", "the component needs spaCy"):
    from spacy.attrs import DEP, HEAD
    from spacy.language import Language
    from spacy.tokens import Doc, Token
    from spacy.util import minibatch
    from spacy.vocab import Vocab

EXTENSIONS = {"dep_support": "support", "dep_confidence": "confidence", "label_confidence": "label_confidence"}
"""Extensions of tokens, and the field of `Treebank` in each."""

UPOS = frozenset(
    "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X SPACE".split()  # noqa: SIM905
)
"""Tags that ``token.pos_`` may be."""

_FOLDER = "model"


class TreevoteParser:
    """The component.

    Parameters
    ----------
    model : str
        A model folder; it is loaded at the first text.
    member : str, optional
        Parse with this member alone; by default all vote.
    """

    def __init__(self, model: str, member: str | None = None) -> None:
        self.model, self.member = model, member
        self._stored: StoredParser | None = None
        for name in EXTENSIONS:
            if not Token.has_extension(name):
                Token.set_extension(name, default=None)

    def __call__(self, doc: Doc) -> Doc:
        """Parse a text."""
        self._parse([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:
        """Parse many texts, several together."""
        for docs in minibatch(stream, size=batch_size):
            self._parse(docs)
            yield from docs

    def _parse(self, docs: Sequence[Doc]) -> None:
        if self._stored is None:
            self._stored = StoredParser.of(self.model, self.member)
        treebank, tokens = _read(docs)
        if not tokens:
            return
        parse = member_of(self._stored(), self.member).parse(treebank)
        slots = np.flatnonzero(parse.is_token)
        heads = (parse.heads + parse.starts)[slots]  # slot of the head; that of ROOT is a sentence's first
        token_of = np.full(len(parse.tokens), -1)
        token_of[slots] = np.arange(len(slots))
        labels = [parse.labels[deprel] for deprel in parse.deprels[slots].tolist()]
        columns = [(name, parse.marks[field][slots]) for name, field in EXTENSIONS.items() if field in parse.marks]
        found: dict[int, dict[int, tuple[int, str]]] = {id(doc): {} for doc in docs}
        for k, (token, head) in enumerate(zip(tokens, token_of[heads].tolist(), strict=True)):
            found[id(token.doc)][token.i] = (token.i if head < 0 else tokens[head].i), labels[k]
            for name, column in columns:
                token._.set(name, float(column[k]))
        for doc in docs:
            if found[id(doc)]:
                _attach(doc, found[id(doc)])

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Copy the model into the folder of the pipeline."""
        if _FOLDER not in exclude:
            target = Path(path, _FOLDER)
            if target.exists():
                shutil.rmtree(target)
            shutil.copytree(self.model, target)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> TreevoteParser:
        """Take the model from the folder of the pipeline."""
        if _FOLDER not in exclude:
            self.model, self._stored = os.path.abspath(Path(path, _FOLDER)), None
        return self


@Language.factory(  # type: ignore[untyped-decorator]
    "treevote",
    assigns=["token.head", "token.dep", "doc.sents", *(f"token._.{name}" for name in EXTENSIONS)],
    default_config={"model": "", "member": None},
)
def make(nlp: Language, name: str, model: str, member: str | None) -> TreevoteParser:
    """Return the component of a pipeline.

    Raises
    ------
    ConfigError
        If there is no model in the configuration.
    """
    if not model:
        raise ConfigError('the component treevote needs a model; give config={"model": "path"}')
    return TreevoteParser(model, member)


def to_treebank(docs: Iterable[Doc], name: str = "") -> Treebank:
    """Return the sentences of texts as a treebank, whose text is CoNLL-U.

    Whitespace is in MISC (``SpaceAfter``, ``SpaceTokens``, ``SpaceTokensBefore``), so `to_docs` gives the same tokens.
    Heads are those of spaCy if the text has any. A text without words has no sentence.

    Raises
    ------
    InputError
        If a text has no boundaries of sentences.
    """
    treebank, _ = _read(list(docs), trees=True, name=name)
    return treebank


def to_docs(treebank: Treebank, vocab: Vocab) -> list[Doc]:
    """Return the texts of a treebank: one for each ``# newdoc``, or one of all sentences if there is none.

    Parameters
    ----------
    treebank : Treebank
        With a source, MISC tells the whitespace; without one, there is a space behind every token.
    vocab : Vocab
        That of the pipeline.
    """
    starts = [
        i
        for i in range(len(treebank))
        if not i or any(re.match(r"#\s*newdoc\b", line) for line in treebank.comments(i))
    ]
    return [_doc(treebank, span, vocab) for span in itertools.pairwise([*starts, len(treebank)])]


def _read(docs: Sequence[Doc], *, trees: bool = False, name: str = "") -> tuple[Treebank, list[Token]]:
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


def _attach(doc: Doc, found: dict[int, tuple[int, str]]) -> None:
    """Give a text its trees; whitespace depends on the word before it in its sentence, else on the one behind."""
    heads, labels = np.zeros(len(doc), np.int64), np.zeros(len(doc), np.uint64)
    strings = doc.vocab.strings
    whitespace = {token: (other, "dep") for other, token in _neighbours(doc)}
    for token, (head, label) in (found | whitespace).items():
        heads[token], labels[token] = head - token, strings.add(label)
    doc.from_array([HEAD, DEP], np.stack([heads.astype(np.uint64), labels], axis=1))


def _doc(treebank: Treebank, span: tuple[int, int], vocab: Vocab) -> Doc:
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
    for token, mark in zip(doc, marks, strict=True):
        for name, value in mark.items():
            if not Token.has_extension(name):
                Token.set_extension(name, default=None)
            token._.set(name, value)
    return doc


def _miscs(treebank: Treebank, i: int) -> list[dict[str, str]]:
    """Return the items of MISC of each token of a sentence."""
    n = int(treebank.lengths[i])
    source = treebank.source
    if source is None or source.format == "conllx":
        return [{} for _ in range(n)]
    root = int(treebank.offsets[i])
    found = []
    for slot in range(root + 1, root + 1 + n):
        misc = source.lines[source.line_of[slot]].rstrip("\r").rpartition("\t")[2]
        found.append({key: value for key, _, value in (item.partition("=") for item in misc.split("|"))})
    return found
