"""The external recommender of INCEpTION: dependency relations between the tokens of a document, as suggestions.

``POST /MODEL/predict`` gives each token without a relation in the layer one with a score (the confidence of the vote,
or the share of the votes for arc and label) and an explanation (the votes); relations that are there are kept as given
arcs, but for those of a sentence that no tree has together. The root is a relation from a token to itself, as in DKPro
Core. ``POST /MODEL/train`` changes nothing: ``treevote train`` makes models.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treevote.annotation.selection import doubts
from treevote.corpus.given import Given, first_conflict
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.ensemble.stored import StoredParser
from treevote.errors import extra
from treevote.serve.answers import RequestError, as_json
from treevote.serve.queue import Run, Task, separately
from treevote.serve.texts import ParsedText
from treevote.serve.votes import asked

DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
SENTENCE, TOKEN = f"{DKPRO}.segmentation.type.Sentence", f"{DKPRO}.segmentation.type.Token"
POS = f"{DKPRO}.lexmorph.type.pos.POS"
ANNOTATION, STRING = "uima.tcas.Annotation", "uima.cas.String"
GOVERNOR, DEPENDENT, PREDICTED = "Governor", "Dependent", "inception_internal_predicted"

_DOCTYPE = re.compile(r"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
_ENCODING = re.compile(r"\s*<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-?8[\"'])", re.IGNORECASE)
"""XML that could name files, or hide that it does, by its first tag; no document of UIMA has such."""


@dataclass(frozen=True)
class RelationWork:
    """Work that adds suggestions to documents."""

    stored: StoredParser

    def __call__(self, tasks: Sequence[Task], run: Run) -> list[ParsedText | Exception]:
        """Return the answer to each request."""
        return separately(lambda task: run(self._answer, task.data), tasks)

    def _answer(self, request: bytes) -> ParsedText:
        cas, layer, feature = _document(asked(request))
        ranges = {GOVERNOR: ANNOTATION, DEPENDENT: ANNOTATION, feature: STRING}
        features = {name: layer.get_feature(name) for name in ranges}
        if not all(one and cas.typesystem.subsumes(ranges[name], one.rangeType) for name, one in features.items()):
            raise RequestError(400, f"Expected a layer of relations with the feature '{feature[:80]}', a string.")
        endpoint = features[GOVERNOR].rangeType.name
        kind = TOKEN if endpoint == ANNOTATION else endpoint
        spans = [spans for sentence in cas.select(SENTENCE) if (spans := cas.select_covered(kind, sentence))]
        if spans:
            self._add(cas, layer, feature, spans)
        return ParsedText(as_json({"document": cas.to_xmi()}).body, len(spans), sum(map(len, spans)))

    def _add(self, cas: Any, layer: Any, feature: str, spans: Sequence[Sequence[Any]]) -> None:
        """Parse sentences around the relations that are there, and add one for each other token."""
        ensemble = self.stored()
        there = {one[DEPENDENT].xmiID: one for one in cas.select(layer.name) if not _is_prediction(one)}
        tags = {(one.begin, one.end): one for one in cas.select(POS)} if cas.typesystem.contains_type(POS) else {}
        kept = [_given(sentence, there, feature, single_root=ensemble.single_root) for sentence in spans]
        treebank = ensemble.annotator.tagged(
            Treebank.of([([*_words(sentence, tags)], *own) for sentence, own in zip(spans, kept, strict=True)])
        )
        given = Given.of(treebank, "all", single_root=ensemble.single_root)
        parses = ensemble.parse_members(treebank, given)
        vote = ensemble.combine(parses, given)
        sure = 1 - doubts(vote)
        known = {one.name for one in layer.all_features}
        for i, sentence in enumerate(spans):
            first, tree = int(vote.offsets[i]), vote.sentence(i)
            others = {name: parse.sentence(i) for name, parse in parses.items()}
            for word, token in enumerate(sentence, start=1):
                if token.xmiID in there:
                    continue
                head, label = int(tree.heads[word]), tree.deprels[word]
                votes = [name for name, one in others.items() if (one.heads[word], one.deprels[word]) == (head, label)]
                reason = f"{len(votes)} of {len(others)} members: {', '.join(votes) or 'none'}"
                values = {
                    PREDICTED: True,
                    feature: label,
                    f"{feature}_score": float(sure[first + word]),
                    f"{feature}_score_explanation": reason,
                }
                ends = {"begin": token.begin, "end": token.end, GOVERNOR: sentence[head - 1] if head else token}
                values = {name: value for name, value in values.items() if name in known}
                cas.add(layer(**ends, **{DEPENDENT: token}, **values))


def _document(request: Mapping[str, Any]) -> tuple[Any, Any, str]:
    """Return the document of a request with its text, the type of the relations, and the name of their label."""
    with extra("inception", "INCEpTION's documents need dkpro-cassis"):
        from cassis import load_cas_from_xmi, load_typesystem
    try:
        xmi, types = request["document"]["xmi"], request["typeSystem"]
        layer, feature = request["metadata"]["layer"], request["metadata"]["feature"]
        if any(_DOCTYPE.search(xml) or _ENCODING.match(xml) for xml in (xmi, types)):
            raise ValueError
        cas = load_cas_from_xmi(xmi, load_typesystem(types))
        if not cas.typesystem.contains_type(SENTENCE) or cas.sofa_string is None:
            raise ValueError
        return cas, cas.typesystem.get_type(layer), str(feature)
    except Exception:  # of the libraries for XML and UIMA, which have no common class
        raise RequestError(
            400, "Cannot read the document: expected a request of INCEpTION with a text and sentences."
        ) from None


def _is_prediction(relation: Any) -> bool:
    return bool(getattr(relation, PREDICTED, False)) or relation[DEPENDENT] is None or relation[GOVERNOR] is None


def _words(sentence: Sequence[Any], tags: Mapping[tuple[int, int], Any]) -> Iterator[Word]:
    """Yield the tokens with their tags, if there are any; a form has no spaces at its ends."""
    for token in sentence:
        tag = tags.get((token.begin, token.end))
        xpos = getattr(tag, "PosValue", None) or "_"
        form = " ".join(token.get_covered_text().split()) or "_"
        yield Word(form, "_", getattr(tag, "coarseValue", None) or xpos, xpos, "_")


def _given(
    sentence: Sequence[Any], there: Mapping[int, Any], feature: str, *, single_root: bool
) -> tuple[list[int], list[str]]:
    """Return the heads and labels of the relations of a sentence; -1 where there is none, or if no tree has them all.

    An annotator at work may leave a second root or a cycle for a while.
    """
    places = {token.xmiID: place for place, token in enumerate(sentence, start=1)}
    heads, labels = [], []
    for token in sentence:
        relation = there.get(token.xmiID)
        governor = None if relation is None else relation[GOVERNOR]
        head = -1 if governor is None else 0 if governor is token else places.get(governor.xmiID, -1)
        heads.append(head)
        labels.append("" if relation is None or head < 0 else relation[feature] or "_")
    if first_conflict(np.array([-1, *heads], np.int32), np.array([0, len(heads) + 1]), single_root) >= 0:
        return [-1] * len(heads), [""] * len(heads)
    return heads, labels
