"""``POST /parse``: the vote with its confidence, the tree of each member, and given arcs kept; for the page.

The request is ``{"data": text, "model": name, "keep": "heads" | "labels" | "all"}``; the last two may be missing.
``data`` is CoNLL-U if it has a tab, else running text. The answer is ``{"model", "doubt", "members", "labels",
"sentences"}``; a sentence has ``id``, ``conllu`` (its lines with the vote, up to the next sentence: those of all
sentences are the whole text), ``words`` (a list of values for each column of ``COLUMNS``), ``given`` (the heads and the
labels that were kept, null where there is none), and ``members`` (for each the heads and the labels). Heads are
positions from 1, 0 for the root.
"""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast, get_args

from treevote.batch.parsing import trees_of
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import TextChunk, any_chunks
from treevote.conll.writer import encoded
from treevote.corpus.given import Given, Keep
from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Treebank
from treevote.ensemble.familiarity import doubt, known_labels, strange_labels
from treevote.ensemble.stored import StoredParser
from treevote.serve.answers import Answer, RequestError
from treevote.serve.catalogue import Catalogue, ServedModel
from treevote.serve.queue import Run, Task, separately
from treevote.serve.texts import CHUNK_BYTES, Parse, ParsedText

MAX_LENGTH = 1 << 19
"""Maximum length of a text in bytes: a page with more would be of little use."""

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "confidence")
"""Columns of the words of a sentence; the confidence is that of the arc with its label, or null."""


def asked(body: bytes) -> Mapping[str, Any]:
    """Return a request in JSON; RequestError if it is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RequestError(400, "Cannot read the request: expected an object in JSON.")
    return found


async def parsed(catalogue: Catalogue, parse: Parse, nfc: bool, request: Mapping[str, Any]) -> Answer:
    """Return the answer to a request; with ``nfc`` its text is normalized."""
    data, name, keep = request.get("data"), request.get("model", ""), request.get("keep")
    if not isinstance(data, str) or not isinstance(name, str) or keep not in (None, *get_args(Keep)):
        raise RequestError(400, "Expected strings 'data' and 'model', and as 'keep' heads, labels, all or nothing.")
    text = (unicodedata.normalize("NFC", data) if nfc else data).encode()
    if len(text) > MAX_LENGTH:
        raise RequestError(
            413, f"The page takes texts of at most {MAX_LENGTH >> 10} KiB; send longer ones to /process."
        )
    work = VoteWork(catalogue.find(name), cast("Keep | None", keep), is_text="\t" not in data)
    return Answer((await parse(work, text)).json)


@dataclass(frozen=True)
class VoteWork:
    """Work that gives the vote and the trees of all members."""

    model: ServedModel
    keep: Keep | None
    is_text: bool

    def __call__(self, tasks: Sequence[Task], run: Run) -> list[ParsedText | Exception]:
        """Return the answer for each text."""
        return separately(partial(self._answer, run), tasks)

    def _answer(self, run: Run, task: Task) -> ParsedText:
        ensemble = self.model.parser
        sentences: list[dict[str, Any]] = []
        reason, rest = None, ""
        format: Literal["text", "conllu"] = "text" if self.is_text else "conllu"
        for chunk in any_chunks(io.BytesIO(task.data), format=format, n_bytes=CHUNK_BYTES):
            if not task.is_wanted:
                break
            found, doubt_of_chunk, text = run(_voted, self.model.stored, chunk, self.keep, len(sentences))
            sentences, reason, rest = sentences + found, reason or doubt_of_chunk, rest + text
            if found:
                found[0]["conllu"], rest = rest + found[0]["conllu"], ""
        if sentences:
            sentences[-1]["conllu"] += rest
        answer = {
            "model": self.model.name,
            "members": list(ensemble.members),
            "labels": sorted(known_labels(ensemble) or ()),
            "doubt": reason,
            "sentences": sentences,
        }
        tokens = sum(len(sentence["words"]["form"]) for sentence in sentences)
        return ParsedText(json.dumps(answer, ensure_ascii=False).encode(), len(sentences), tokens)


def _voted(
    stored: StoredParser, chunk: Chunk | TextChunk, keep: Keep | None, before: int
) -> tuple[list[dict[str, Any]], str | None, str]:
    """Return the sentences of a chunk, numbered after those before it, a reason to doubt them, and a text of none."""
    ensemble = stored()
    if isinstance(chunk, Chunk):
        treebank = parse_chunk(chunk, trees=trees_of(ensemble, keep))[0]
    else:
        treebank = ensemble.annotator.tokenized(chunk)
    if not treebank.n_sentences:
        return [], None, encoded(treebank).decode()
    treebank = ensemble.annotator.tagged(treebank)
    given = Given.of(treebank, keep, single_root=ensemble.single_root)
    parses = ensemble.parse_members(treebank, given)
    reason = doubt(ensemble, treebank) or strange_labels(ensemble, treebank, keep)
    return list(_sentences(ensemble.combine(parses, given), parses, given, before)), reason, ""


def _sentences(
    vote: Treebank, parses: Mapping[str, Treebank], given: Given | None, before: int
) -> Iterator[dict[str, Any]]:
    sure, source = vote.label_confidence, vote.source
    assert source is not None, "read from a text"
    lines = list(io.StringIO(encoded(vote.only()).decode(), newline="\n"))
    bounds = [0, *source.line_of[vote.offsets[1:-1]].tolist(), len(lines)]
    for i in range(vote.n_sentences):
        tree, first = vote.sentence(i), int(vote.offsets[i])
        words = list(zip(*tree.words[1:], strict=True))
        n = len(tree.words) - 1
        confidence = [None] * n if sure is None else [round(float(sure[first + at]), 4) for at in range(1, n + 1)]
        columns = [*words, tree.heads[1:].tolist(), tree.deprels[1:], confidence]
        others = {name: parse.sentence(i) for name, parse in parses.items()}
        yield {
            "id": sent_id(vote.comments(i)) or str(before + i + 1),
            "conllu": "".join(lines[bounds[i] : bounds[i + 1]]),
            "words": dict(zip(COLUMNS, columns, strict=True)),
            "given": _given(given, first + 1, first + 1 + n),
            "members": {
                name: {"head": other.heads[1:].tolist(), "deprel": other.deprels[1:]} for name, other in others.items()
            },
        }


def _given(given: Given | None, first: int, last: int) -> dict[str, list[Any]]:
    """Return the given heads and labels of the slots ``first:last``, None where there is none."""
    if given is None:
        return {"head": [None] * (last - first), "deprel": [None] * (last - first)}
    heads, deprels = given.heads[first:last].tolist(), given.deprels[first:last].tolist()
    return {
        "head": [None if head < 0 else head for head in heads],
        "deprel": [None if deprel < 0 else given.labels[deprel] for deprel in deprels],
    }
