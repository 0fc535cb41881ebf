"""Confidence and expected LAS on text of other domains: what `parse` says of it, and how far that is right.

Models of genres parse texts of other genres of their language, with predicted tags. The factors and limits of
`treevote.ensemble.unknown_words`, `familiarity` and `estimate` were fitted to pairs of the ``FITTED`` English genres.
``NEW`` genres, models of whole ``TREEBANKS`` and genres of ``OTHER_LANGUAGES`` had no part in the fit of the
confidence; the ranges of LAS were chosen in sight of them. Each check was chosen before it was looked at. After the
first the ends of the range were moved, after the second the weight of a usual lead, after the third the slope and the
ends; after the fourth the length of sentences came in, by least squares over the ``FITTED`` genres alone; after the
fifth nothing.
"""

from __future__ import annotations

import dataclasses
import re
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

FITTED = (
    *(f"english-web/{genre}" for genre in ("answers", "email", "newsgroup", "reviews", "weblog")),
    *(f"gum-genres/{genre}" for genre in ("bio", "conversation", "fiction", "interview", "news")),
    *(f"gum-genres/{genre}" for genre in ("speech", "vlog", "voyage", "whow")),
)
NEW = (
    *(f"gum-genres/{genre}" for genre in ("academic", "court", "essay", "letter", "podcast", "textbook")),
    *(f"gentle/{genre}" for genre in ("dictionary", "esports", "legal", "medical")),
    *(f"gentle/{genre}" for genre in ("poetry", "proof", "syllabus", "threat")),
)
"""Folders of genres of English."""

TREEBANKS = {
    "UD_English-EWT": NEW,
    "UD_English-GUM": [name for name in NEW if name.startswith("gentle")],
}
"""Folders of treebanks of many genres, and the genres that are parsed by their models."""

OTHER_LANGUAGES = {
    "UD_Dutch-LassySmall_resplit": r"sent_id = (wiki|WR)[^.]*",
    "UD_Greek-GDT": r"sent_id = gdt-\w+-([a-z]+).*(?=-\d+$)",
    "UD_Portuguese-Bosque": r"sent_id = (CF|CP)\d+",
}
"""Folders of treebanks, and patterns of their comments: the whole match is the document, its group the genre."""

CHECKS = {
    "first check": {
        "UD_Finnish-TDT_resplit": r"sent_id = ([a-z]+)[A-Z]?\d+",
        "UD_Japanese-GSD-PUD_resplit": r"sent_id = (n|w|dev-s)\d+",
    },
    "second check": {
        "UD_Arabic-PADT_v1.3_resplit": r"orig_file_sentence ([A-Z]+)_ARB_[\d.]+",
        "UD_Gothic-PROIEL": r"source = The Gothic Bible, (\D+|\d \D+) \d+",
    },
    "third check": {"UD_Slovenian-SSJ_resplit": r"sent_id = ssj\d+(?=(?s:.)*document_genre = (\w+))"},
    "fourth check": {"UD_Swedish-LinES": r"text (\d) of the part, tens \d+"},
    "fifth check": {"UD_Czech-FicTree_resplit": r"sent_id = [a-z]+-([a-z_]+)\w*"},
}
"""The same for the checks; newspapers of Arabic, books of the Bible, texts of LinES and works of FicTree are genres.

Each part of LinES has a piece of the same seven texts in the same order: help pages, speeches and five novels.
"""

NEWSPAPER, TARGETS = "wsj-to-bio/source", ("wsj-to-bio/target", "wsj-to-craft/target")
"""Files of a newspaper, and of abstracts and articles of biomedicine: the rest of the fifth check."""

TRAINED, OF_TREEBANK, PARSED = 1000, 3000, 250
"""Largest number of sentences of a genre to train on, of a treebank, and of a genre that are parsed."""

LARGE, HELD_OUT = 750, {True: 150, False: 60}
"""Sentences of a large genre; those for development of large and other genres, and half of those for a test.

A model of a small genre is trained on those for development, too, and measured on folds.
"""

SMALLEST_SOURCE, FEWEST_SENTENCES, SMALLEST_TEXT = 5000, 200, 1000
"""Tokens and sentences of a genre of which a model is trained, and tokens of one that is parsed, at least."""

PART_TOKENS = 600  # tokens of a part of the test in the domain; parse says nothing of a shorter text

FROM_TOKENS = System("from tokens", ("--from-tokens",))


class Genre(NamedTuple):
    """Sentences of a genre, those for development and tests first, and the document of each."""

    text: Treebank
    documents: list[str]


class Source(NamedTuple):
    """A domain with its sentences to train on, for development (none: on folds) and for a test, and other texts."""

    name: str
    parts: tuple[Treebank, Treebank, Treebank]
    others: list[Treebank]

    def trained(self, work: Path) -> EnsembleParser:
        """Return its model."""
        folder = work / self.name.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        train, dev, _ = self.parts
        write(train, folder / "train.conllu")
        if len(dev):
            write(dev, folder / "dev.conllu")
        return treevote.load(FROM_TOKENS.trained(folder)[0])


def domains(data: Path, work: Path) -> Mapping[str, Table]:
    """Measure what is said of texts of other domains and of the own one."""
    texts = {name: _corpus(data, name) for name in (*FITTED, *NEW)}
    english = {name: Genre(text, list(text.documents)) for name, text in texts.items()}
    groups = {
        "genres of the fit": _sources({name: english[name] for name in FITTED}),
        "new genres": _sources({name: english[name] for name in NEW}),
        "treebanks": [
            Source(name, _parts_of_treebank(data, name), [english[other].text for other in others])
            for name, others in TREEBANKS.items()
        ],
    }
    for title, treebanks in ({"other languages": OTHER_LANGUAGES} | CHECKS).items():
        groups[title] = [source for name in treebanks for source in _sources(_genres(data, name, treebanks[name]))]
    newspaper, *targets = (_read(data, f"{name}.dev") for name in (NEWSPAPER, *TARGETS))
    parts = _read(data, f"{NEWSPAPER}.train")[:OF_TREEBANK], newspaper, newspaper[:0]
    groups["fifth check"].append(Source("wsj", parts, targets))
    rows = []
    for title, sources in groups.items():
        own, others = [], []
        for source in sources:
            parser = source.trained(work)
            own += [_judged(parser, part) for part in _divided(source.parts[2])]
            others += [_judged(parser, text[:PARSED]) for text in source.others]
        for kind, several in (("other", others), ("own", own)):
            rows.append([f"{title}, {kind} domain, {len(several)} texts", *np.mean(several, axis=0).tolist()])
    columns = {"": 0, "error before": 3, "error": 3, "range holds, %": 1, "its points": 1, "doubtful, %": 1}
    return {"domains": {"columns": columns, "rows": rows}}


def _sources(genres: Mapping[str, Genre]) -> list[Source]:
    """Return the large genres of a language as sources, each with the texts of the others."""
    return [
        Source(name, _parts(genre), [other.text for key, other in genres.items() if key != name])
        for name, genre in genres.items()
        if genre.text.n_tokens >= SMALLEST_SOURCE and len(genre.text) >= FEWEST_SENTENCES
    ]


def _judged(parser: EnsembleParser, gold: Treebank) -> list[float]:
    """Return how far it is right what a model says of a text, without its tags and trees.

    Calibration errors of labelled arcs, before and after; 100 if the range of LAS holds, its width; 100 for a doubt.
    """
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
    holds = expected.low <= 100 * float(right[tokens].mean()) <= expected.high
    return [*errors, 100 * holds, expected.high - expected.low, 100 * (counts.doubt(parser) is not None)]


def _corpus(data: Path, name: str) -> Treebank:
    folder = next(data.rglob(name))
    files = (next(folder.glob(f"{part}.conllu*"), None) for part in ("dev", "test", "train"))
    return treevote.read([str(file) for file in files if file])


def _read(data: Path, name: str) -> Treebank:
    return treevote.read(next(data.rglob(f"{name}.conll*")))


def _genres(data: Path, name: str, pattern: str) -> dict[str, Genre]:
    """Return the genres of a treebank with enough text, by the names of treebank and genre."""
    whole = _corpus(data, name)
    comments = list(map(whole.comments, range(len(whole))))
    comments = _numbered(comments) if name in CHECKS["fourth check"] else comments
    found = [re.search(pattern, "\n".join(lines), re.MULTILINE) for lines in comments]
    names = np.array([one[1] if one else "" for one in found])
    genres = {}
    for genre in sorted(set(names.tolist()) - {""}):
        own = np.flatnonzero(names == genre)
        if (text := whole.select(own)).n_tokens >= SMALLEST_TEXT:
            genres[f"{name}/{genre}"] = Genre(text, [one[0] for i in own.tolist() if (one := found[i])])
    return genres


def _numbered(comments: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return comments with the number of the text in its part, of seven, and that of ten sentences within it."""
    numbered, text, sentence = list[Sequence[str]](), -1, 0
    for lines in comments:
        if "# newdoc" in lines:
            text, sentence = text + 1, 0
        numbered.append([*lines, f"text {text % 7} of the part, tens {text // 7}{sentence // 10:03}"])
        sentence += 1
    return numbered


def _parts(genre: Genre) -> tuple[Treebank, Treebank, Treebank]:
    """Return sentences to train on, for development and for a test; no document has sentences in two of them."""
    documents = np.array(genre.documents)
    names = list(dict.fromkeys(documents.tolist()))
    sizes = np.cumsum([np.count_nonzero(documents == name) for name in names])
    is_large = len(genre.text) > LARGE
    first, second = (int(np.searchsorted(sizes, n * HELD_OUT[is_large])) + 1 for n in (1, 3))
    dev, test, train = (
        np.flatnonzero(np.isin(documents, part)) for part in (names[:first], names[first:second], names[second:])
    )
    if not is_large:
        dev, train = dev[:0], np.sort(np.append(dev, train))
    return genre.text.select(train[:TRAINED]), genre.text.select(dev), genre.text.select(test)


def _parts_of_treebank(data: Path, name: str) -> tuple[Treebank, Treebank, Treebank]:
    """Return the parts of a treebank: of those to train on, documents at equal distances."""
    train, dev, test = (treevote.read(next(data.rglob(f"{name}/*{part}.conllu*"))) for part in ("train", "dev", "test"))
    names = list(dict.fromkeys(train.documents))
    kept = set(names[:: -(-len(train) // OF_TREEBANK)])
    return train.select(np.flatnonzero([document in kept for document in train.documents])), dev, test


def _divided(text: Treebank) -> list[Treebank]:
    """Return parts of a text with so many tokens each, in order."""
    ends = np.cumsum(text.lengths) // PART_TOKENS
    return [text.select(np.flatnonzero(ends == part)) for part in range(int(ends.max(initial=0)))]
