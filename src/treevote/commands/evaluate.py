"""``treevote evaluate``, ``reliability`` and ``cascade``: systems, confidence and a model against gold trees."""

from __future__ import annotations

import dataclasses
import functools
import os
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from reprlib import repr as short
from typing import Any, Literal

import numpy as np

from treevote.conll.guidelines import departures, no_labels, unknown_labels
from treevote.conll.plain_text import PlainText
from treevote.conll.reader import read, read_parse
from treevote.corpus.sentence import is_label
from treevote.corpus.treebank import Format, Treebank
from treevote.ensemble.familiarity import doubt
from treevote.ensemble.parser import load
from treevote.errors import ConfigError, InputError, TreevoteWarning, unknown, warn
from treevote.evaluation.calibration import has_confidence, measured
from treevote.evaluation.counts import Convention, convention_of
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.names import named
from treevote.evaluation.results import Evaluation, File
from treevote.models.text.text_annotator import without_tags
from treevote.store.checkpoints import checksum


def evaluate(
    gold: str | Path,
    systems: Sequence[str | Path],
    *,
    convention: Convention | None = None,
    punctuation: bool = True,
    format: Format | Literal["auto"] = "auto",
    training: str | Path | None = None,
    seed: int = 0,
) -> Evaluation:
    """Evaluate systems in full, and compare them: all figures with intervals, breakdowns, confusions and tests.

    Systems are paths or ``"NAME=FILE"``: the same text as each parsed it. Tokens without a head count as wrong. With
    the convention ``"ud"`` words and sentences may be cut differently; by default it is that of the format of the gold
    file. The training data tell known words and labels from others. One system is in memory at a time.
    """
    paths = named(systems)
    trees = read(gold, format=format)
    known = None if training is None else read(training, format=format, trees="optional")
    asked, reliability = convention or convention_of(trees), dict[str, Any]()

    def parse_of(name: str, path: str) -> Treebank:
        parse = read_parse(path, format)
        for warning in no_labels(parse):
            warn(warning)
        if has_confidence(parse):
            with suppress(InputError):  # other words, or not a confidence for each
                reliability[name] = measured(trees, parse, convention=asked, punctuation=punctuation)
        return parse

    evaluation = evaluate_systems(
        trees,
        {name: functools.partial(parse_of, name, path) for name, path in paths.items()},
        convention=asked,
        punctuation=punctuation,
        seed=seed,
        training=known,
    )
    for warning in (*departures(trees), *(() if known is None else unknown_labels(trees, known))):
        warn(warning)
    files = [_file("gold", "", gold), *(_file("system", name, path) for name, path in paths.items())]
    files += [] if training is None else [_file("training", "", training)]
    known_systems = (dataclasses.replace(one, reliability=reliability.get(one.name)) for one in evaluation.systems)
    return dataclasses.replace(evaluation, systems=tuple(known_systems), files=tuple(files))


def _file(role: Literal["gold", "system", "training"], name: str, path: str | Path) -> File:
    """Return a file with its checksum; standard input and other streams have none."""
    return File(role, name, os.fspath(path), checksum(path) if os.path.isfile(path) else None)


def reliability(gold: str | Path, system: str | Path) -> dict[str, Any]:
    """Compare the confidence of arcs and labels, of a file that was parsed with ``--confidence``, with gold trees.

    The result is that of `treevote.evaluation.calibration.measured`.
    """
    trees, parse = read(gold), read_parse(system, "auto")
    return measured(trees, parse, convention=convention_of(trees))


def cascade(model: str | Path, gold: str | Path, *, format: Format | Literal["auto"] = "auto") -> Evaluation:
    """Parse a treebank with its tags, with predicted tags, and from its text alone, and evaluate the three.

    The text is that of `treevote text`. A model without a tokenizer has no parse of it. A form with a control
    character, which no tokenizer keeps, is a warning, and leaves that parse out. A model without a tagger is an error,
    as is a treebank without tags. The convention is that of the treebank's format, or ``"ud"`` where the text is cut
    into words anew.
    """
    parser = load(model)
    with warnings.catch_warnings():  # of different formats: `_text` refuses them
        warnings.simplefilter("ignore", TreevoteWarning)
        trees = read(gold, format=format)
    if without_tags(trees).all():
        problem = "expected tags, found none in UPOS, XPOS and FEATS"
        raise InputError(problem, path=trees.title, remedy="give a treebank with tags")
    if reason := doubt(parser, trees):
        warn(f"{trees.title}: {reason}")
    text = None if parser.annotator.tokenizer is None else _text(trees, gold)
    controls = [i for i, word in enumerate(trees.words) if i and not is_label(word.form)]
    if text is not None and len(slots := np.flatnonzero(np.isin(trees.tokens, controls))):
        text, form = None, trees.words[trees.tokens[slots[0]]].form
        problem = f"expected a form without control characters, found {short(form)}"
        warn(f"no parse of the raw text: {trees.fault(int(slots[0]), problem, 'take them out')}")
    given = {"gold tags": trees, "gold tokens": parser.annotator.tagged(trees, "predict")}
    if text is not None:
        given["raw text"] = parser.annotator.read(text)
    stages = {name: parser.trees_alone.parse(treebank).only() for name, treebank in given.items()}
    return evaluate_systems(trees, stages, convention=convention_of(trees) if text is None else "ud")


def _text(trees: Treebank, path: str | Path) -> bytes:
    """Return the text of a treebank that was read; InputError for files of different formats."""
    if trees.source is None:
        problem = "expected files of one format, found CoNLL-U and CoNLL-X"
        raise InputError(problem, path=os.fspath(path), remedy="name those of one format")
    text = PlainText()
    return text.add(line.removeprefix("\ufeff") for line in trees.source.lines) + text.end()


def with_baseline(systems: Sequence[str], baseline: str) -> tuple[list[str], str]:
    """Return the systems with a baseline among them, and its name.

    The baseline is the name of a system, or a further file of parses, which becomes the last one; else ConfigError, as
    if there is no other system.
    """
    names, (given,) = named(systems), named([baseline]).values()
    for name, path in names.items():
        if baseline == name or os.path.realpath(given) == os.path.realpath(path):
            if len(names) == 1:
                raise ConfigError(f"the baseline {baseline} is the only system; name another one to compare with it")
            return list(systems), name
    *_, (name, path) = named([*systems, baseline]).items()
    if baseline != "-" and not os.path.exists(path):
        raise unknown("baseline", baseline, names)
    return [*systems, baseline], name
