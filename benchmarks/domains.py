"""Confidence and expected LAS on text of other domains: what `parse` says of it, and how far that is right.

Models of genres of English parse texts of other genres, with predicted tags. Its factors and limits
(`treevote.ensemble.unknown_words`, `familiarity` and `estimate`) were fitted to models of further genres, and chosen in
sight of the results of those that are ``SEEN``.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import treevote
from benchmarks.systems import System
from benchmarks.tables import Table
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.ensemble.familiarity import text_counts
from treevote.ensemble.parser import EnsembleParser
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.calibration import calibration_error, reliability

SEEN = (
    *("english-web/email", "english-web/reviews"),
    *("gum-genres/conversation", "gum-genres/interview", "gum-genres/speech", "gum-genres/whow"),
)
UNSEEN = ("gum-genres/bio", "gum-genres/vlog")
SOURCES = SEEN + UNSEEN
"""Genres of which models are trained."""

TARGETS = ("english-web", "gum-genres", "gentle")
"""Folders of the genres that are parsed."""

TRAINED, HELD_OUT, PARSED = 1000, 150, 250
"""Sentences to train on, for development (and twice as many for a test in the domain), and of each other domain."""

PART_TOKENS = 600
"""Tokens of a part of the test in the domain; `parse` says nothing of a shorter text."""

FROM_TOKENS = System("from tokens", ("--from-tokens",))


class Judgement(NamedTuple):
    """What is said of a text, and how far it is right: calibration errors of labelled arcs, a range of LAS, a doubt."""

    plain_error: float
    error: float
    holds: bool
    width: float
    doubtful: bool


def domains(data: Path, work: Path) -> Mapping[str, Table]:
    """Measure what is said of texts of other domains and of the own one."""
    root = next(data.rglob(TARGETS[0])).parent
    genres = {f"{name}/{path.name}": _corpus(path) for name in TARGETS for path in sorted((root / name).iterdir())}
    rows = []
    for kind, sources in {"seen": SEEN, "unseen": UNSEEN}.items():
        own, others = [], []
        for source in sources:
            folder = work / source.replace("/", "-")
            train, dev, test = _parts(genres[source])
            folder.mkdir(parents=True, exist_ok=True)
            write(train, folder / "train.conllu")
            write(dev, folder / "dev.conllu")
            parser = treevote.load(FROM_TOKENS.trained(folder)[0])
            own += [_judged(parser, part) for part in _divided(test)]
            others += [_judged(parser, text[:PARSED]) for name, text in genres.items() if name != source]
        for title, several in (("other", others), ("own", own)):
            rows.append([f"{kind} genres, {title} domain, {len(several)} texts", *_means(several)])
    columns = {"": 0, "error before": 3, "error": 3, "range holds, %": 1, "its points": 1, "doubtful, %": 1}
    return {"domains": {"columns": columns, "rows": rows}}


def _judged(parser: EnsembleParser, gold: Treebank) -> Judgement:
    """Return what a model says of a text, without its tags and trees."""
    plain = dataclasses.replace(parser, facts={**parser.facts, "familiarity": {}})
    errors = []
    for one in (plain, parser):
        with warnings.catch_warnings(action="ignore"):  # its doubt is counted below
            parse = treevote.parse(one, gold, tags="predict", progress=False)
        tokens, right = parse.is_token, right_arcs(gold, parse).arcs
        assert parse.label_confidence is not None
        errors.append(calibration_error(reliability(parse.label_confidence[tokens], right[tokens])))
    (counts,) = text_counts(parser, parse, [0, len(parse)])
    expected = counts.expected(parser)
    assert expected is not None
    las = 100 * float(right[tokens].mean())
    doubtful = counts.doubt(parser) is not None
    before, after = errors
    return Judgement(before, after, expected.low <= las <= expected.high, expected.high - expected.low, doubtful)


def _means(several: Sequence[Judgement]) -> list[float]:
    plain_error, error, holds, width, doubtful = np.mean(np.array(several, np.float64), axis=0).tolist()
    return [plain_error, error, 100 * holds, width, 100 * doubtful]


def _corpus(folder: Path) -> Treebank:
    """Return the sentences of a genre, those for development and tests first."""
    files = (next(folder.glob(f"{name}.conllu*"), None) for name in ("dev", "test", "train"))
    return treevote.read([str(file) for file in files if file])


def _parts(genre: Treebank) -> tuple[Treebank, Treebank, Treebank]:
    """Return sentences to train on, for development and for a test; no document has sentences in two of them."""
    documents = np.array(genre.documents)
    names = list(dict.fromkeys(documents.tolist()))
    sizes = np.cumsum([np.count_nonzero(documents == name) for name in names])
    first, second = (int(np.searchsorted(sizes, n * HELD_OUT)) + 1 for n in (1, 3))
    train, dev, test = (
        np.flatnonzero(np.isin(documents, part)) for part in (names[second:], names[:first], names[first:second])
    )
    return genre.select(train[:TRAINED]), genre.select(dev), genre.select(test)


def _divided(text: Treebank) -> list[Treebank]:
    """Return parts of a text with so many tokens each, in order."""
    ends = np.cumsum(text.lengths) // PART_TOKENS
    return [text.select(np.flatnonzero(ends == part)) for part in range(int(ends[-1]))]
