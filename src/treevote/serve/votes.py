"""``POST /parse``: the vote with its confidence, the tree of each member, and given arcs kept; for the page.

The request is ``{"data": text, "model": name, "keep": "heads" | "labels" | "all"}``; the last two may be missing.
``data`` is CoNLL-U if it has a tab, else running text. The answer is ``{"model", "doubt", "members", "labels",
"sentences"}``; a sentence has ``id``, ``conllu`` (its lines with the vote), ``words`` (a list of values for each column
of ``COLUMNS``), and ``members`` (for each the heads and the labels). Heads are positions from 1, 0 for the root.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from treevote.batch.parsing import trees_of
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk
from treevote.conll.text_chunks import any_chunks
from treevote.conll.writer import encoded
from treevote.corpus.given import Given, Keep
from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Treebank
from treevote.ensemble.familiarity import doubt, known_labels, strange_labels
from treevote.ensemble.stored import StoredParser
from treevote.errors import TreevoteError
from treevote.serve.answers import RequestError
from treevote.serve.catalogue import Catalogue
from treevote.serve.queue import Queue, Task
from treevote.serve.texts import CHUNK_BYTES
from treevote.serve.udpipe import KEEP

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


async def parsed(catalogue: Catalogue, queue: Queue, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request."""
    data, name, keep = request.get("data"), request.get("model", ""), request.get("keep")
    if not isinstance(data, str) or not isinstance(name, str) or keep not in (None, *KEEP):
        raise RequestError(400, "Expected strings 'data' and 'model', and as 'keep' heads, labels, all or nothing.")
    model = catalogue.find(name)
    try:
        work = VoteWork(model.stored, cast("Keep | None", keep), is_text="\t" not in data)
        answer = await queue.run(work, data.encode())
    except UnicodeEncodeError:
        raise RequestError(400, "Expected a text that can be UTF-8, found half of a character.") from None
    return {"model": model.name, "members": list(model.parser.members), **answer}


@dataclass(frozen=True)
class VoteWork:
    """Work that gives the vote and the trees of all members."""

    stored: StoredParser
    keep: Keep | None
    is_text: bool

    def __call__(self, tasks: Sequence[Task]) -> list[dict[str, Any] | Exception]:
        """Return the answer for each text."""
        answers: list[dict[str, Any] | Exception] = []
        for task in tasks:
            try:
                answers.append(self._answer(task))
            except TreevoteError as fault:
                answers.append(fault)
        return answers

    def _answer(self, task: Task) -> dict[str, Any]:
        ensemble = self.stored()
        sentences: list[dict[str, Any]] = []
        reason = None
        format: Literal["text", "conllu"] = "text" if self.is_text else "conllu"
        for chunk in any_chunks(io.BytesIO(task.data), format=format, n_bytes=CHUNK_BYTES):
            if not task.is_wanted:
                break
            if isinstance(chunk, Chunk):
                treebank = parse_chunk(chunk, trees=trees_of(ensemble, self.keep))[0]
            else:
                treebank = ensemble.annotator.tokenized(chunk)
            if not treebank.n_sentences:
                continue
            treebank = ensemble.annotator.tagged(treebank)
            given = Given.of(treebank, self.keep, single_root=ensemble.single_root)
            parses = ensemble.parse_members(treebank, given)
            reason = reason or doubt(ensemble, treebank) or strange_labels(ensemble, treebank, self.keep)
            sentences += _sentences(ensemble.combine(parses, given), parses, len(sentences))
        labels = sorted(known_labels(ensemble) or ())
        return {"doubt": reason, "labels": labels, "sentences": sentences}


def _sentences(vote: Treebank, parses: Mapping[str, Treebank], before: int) -> Iterator[dict[str, Any]]:
    sure = vote.label_confidence
    for i in range(vote.n_sentences):
        tree, first = vote.sentence(i), int(vote.offsets[i])
        words = list(zip(*tree.words[1:], strict=True))
        n = len(tree.words) - 1
        confidence = [None] * n if sure is None else [round(float(sure[first + at]), 4) for at in range(1, n + 1)]
        columns = [*words, tree.heads[1:].tolist(), tree.deprels[1:], confidence]
        others = {name: parse.sentence(i) for name, parse in parses.items()}
        yield {
            "id": sent_id(vote.comments(i)) or str(before + i + 1),
            "conllu": encoded(vote[i : i + 1].only()).decode("utf-8", "replace"),
            "words": dict(zip(COLUMNS, columns, strict=True)),
            "members": {
                name: {"head": other.heads[1:].tolist(), "deprel": other.deprels[1:]} for name, other in others.items()
            },
        }
