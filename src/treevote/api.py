"""The whole job from Python: training, parsing, adaptation, with data from files, texts or lists."""

from __future__ import annotations

import dataclasses
import io
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal, TextIO, TypeAlias, cast

import numpy as np

from treevote.adaptation.configuration import read_configuration as adaptation_configuration
from treevote.batch.joint import (
    member_of,
    not_utf8,
    parse_keeping,
    stored_parser,
    tagged,
    tokenized,
    trees_of,
)
from treevote.commands.adapt import Outcome
from treevote.commands.adapt import adapt as run_adaptation
from treevote.commands.train import train as run_training
from treevote.conll.document_ids import document_ids
from treevote.conll.plain_text import encoded
from treevote.conll.reader import read
from treevote.conll.text_chunks import TextChunk, text_chunks, text_format
from treevote.conll.validation import Trees
from treevote.conll.writer import write
from treevote.corpus.given import Keep
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.configuration import Preset
from treevote.ensemble.familiarity import doubt, expects_tags, strange_labels
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.stored import StoredParser
from treevote.errors import InputError
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.text.text_annotator import Tags, no_tagger
from treevote.notebook import OneLine, in_notebook
from treevote.parallel import Jobs
from treevote.terminal import progress_shown

Path_: TypeAlias = "str | os.PathLike[str]"

Data: TypeAlias = "Treebank | Path_ | Sequence[Any]"
"""A treebank; a path; CoNLL-U text, which has a tab or line end in it; sentences as lists of tokens."""


def train(
    data: Data,
    dev: Data | None = None,
    *,
    output: Path_ | None = None,
    preset: Preset = "default",
    members: Sequence[str] = (),
    config: Path_ | None = None,
    settings: Mapping[str, object] | None = None,
    weights: Literal["auto", "equal", "accuracy", "pos", "learned"] | None = None,
    select: bool = False,
    folds: int | None = None,
    seed: int | None = None,
    reader: AnnotatorTrainer | None = None,
    clusters: Path_ | Clusters | None = None,
    jobs: int | Jobs = 1,
    progress: bool | None = None,
) -> EnsembleParser:
    """Train an ensemble, as ``treevote train`` does.

    Parameters
    ----------
    data, dev : Treebank, path, text, or list of sentences
        Sentences with trees, to train on and to measure on; a list of paths of files is one treebank.
    output : path, optional
        Model folder to write, too.
    preset : {"default", "fast", "best"}, default="default"
        See `treevote.ensemble.configuration`.
    members, config, settings, weights, select, folds, seed
        As for the command; without them its default.
    reader : AnnotatorTrainer, optional
        Settings of the part that reads raw text; the spaces between tokens are known of files and texts only.
    clusters : path or Clusters, optional
        Clusters of words for parsers and taggers: a file as for ``--word-clusters``, or those of
        `treevote.models.learning.clusters.clusters`.
    jobs : int or Jobs, default=1
        Number of jobs at the same time; the model does not depend on it.
    progress : bool, optional
        Whether progress is shown; by default in a notebook.

    Returns
    -------
    EnsembleParser

    Raises
    ------
    InputError, ConfigError, ModelError
        If the data, the clusters, the configuration, or the folder cannot be used.

    Examples
    --------
    >>> import treevote
    >>> toy = treevote.Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])] * 4)
    >>> parser = train(toy, members=["lr-svm-forward"])
    >>> parse(parser, [["dogs", "bark"]])[0].deprels
    ('', 'nsubj', 'root')
    """
    items = data if isinstance(data, Sequence) and not isinstance(data, str) else ()
    files = items if items and all(isinstance(item, str | os.PathLike) for item in items) else [data]
    with _jobs(jobs, progress) as running:
        return run_training(
            [_treebank(file, "some") for file in files],
            _path(output),
            dev=None if dev is None else _treebank(dev, "some"),
            config=_path(config),
            preset=preset,
            members=members,
            settings=settings,
            weights=weights,
            select=select,
            folds=folds,
            seed=seed,
            reader=reader,
            clusters=clusters,
            jobs=running,
            warn=lambda sentence: warnings.warn(sentence, UserWarning, stacklevel=2),
        ).parser


def parse(
    model: EnsembleParser | StoredParser | Path_,
    data: Data,
    *,
    member: str | None = None,
    tags: Tags = "auto",
    keep: Keep | None = None,
    output: Path_ | None = None,
    chunk: int = 2000,
    progress: bool | None = None,
) -> Treebank:
    """Parse a treebank, a file, a text in CoNLL-U, lists of tokens, or running text if the model reads it.

    Parameters
    ----------
    model : EnsembleParser, StoredParser or path
    data : Treebank, path, text, or list of sentences
        Trees are ignored, but for ``keep``. A `Path` is a file. So is a string if there is a file of this name, or if
        it looks like the name of one: no spaces, and a suffix in ASCII or a separator of folders. Any other string is a
        text: in CoNLL-U if it has tabs, else running text, for a model with a tokenizer. A file is running text as for
        `parse_files`. A sentence of a list is a list of tokens: forms, pairs of form and UPOS, `Word`, or mappings with
        ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``.
    member : str, optional
        Parse with this member alone; by default all vote.
    tags : {"auto", "keep", "predict"}, default="auto"
        As for `parse_files`.
    keep : {"heads", "labels", "all"}, optional
        Keep given heads, given labels (on whatever head is found), or both, where there are any: the trees are the best
        of those that hold them.
    output : path, optional
        File to write, too.
    chunk : int, default=2000
        Number of sentences that are parsed at a time; the result does not depend on it.
    progress : bool, optional
        Whether progress is shown; by default in a notebook.

    Returns
    -------
    Treebank
        The same sentences with trees, with support, and with confidence if the model has it.

    Raises
    ------
    InputError
        If the data have a fault, no tree has the heads to keep, or the model needs parts of speech and there are none.
    ModelError, ConfigError
        If the model cannot be read, or has no such member.

    Warns
    -----
    UserWarning
        If the text is probably unfit for the model, or a file of running text is not UTF-8.
    """
    ensemble = model if isinstance(model, EnsembleParser) else stored_parser(model, member)()
    parser = member_of(ensemble, member)
    if tags == "predict" and (ensemble.reader is None or ensemble.reader.tagger is None):
        raise no_tagger()
    text = _running_text(ensemble, data)
    treebank = tagged(ensemble, _treebank(data, trees_of(keep, parser)) if text is None else text, tags)
    words = [treebank.words[word] for word in set(treebank.tokens[treebank.is_token].tolist())]
    if expects_tags(ensemble) and all(word.upos == "_" and word.xpos == "_" for word in words):
        raise InputError(
            "expected a part of speech for each token, found none",
            path=treebank.title,
            remedy="the model was trained with tags and has no tagger: tag the text first, and give (form, upos) "
            "pairs or CoNLL-U, or train the model with --from-text",
        )
    if reason := doubt(ensemble, treebank) or strange_labels(parser, treebank, keep):
        warnings.warn(reason, UserWarning, stacklevel=2)
    n = len(treebank)
    if n <= chunk:
        parsed, _ = parse_keeping(parser, treebank, keep)
    else:
        parts = []
        with _jobs(1, progress) as running:
            for start in range(0, n, chunk):
                parts.append(parse_keeping(parser, treebank[start : start + chunk], keep)[0])
                running.tell("parsing", min(start + chunk, n), n)
        joined = Treebank.concatenate(parts)
        parsed = treebank.with_trees(joined.heads, joined.deprels, joined.labels)
        marks: Any = {field: np.concatenate([part.marks[field] for part in parts]) for field in parts[0].marks}
        parsed = dataclasses.replace(parsed, **marks)
    if output is not None:
        write(parsed.only(), output)
    return parsed


def adapt(
    model: Path_,
    unlabelled: Path_ | Sequence[Path_],
    output: Path_,
    *,
    train: Path_ | Sequence[Path_],
    dev: Path_ | None = None,
    target_dev: Path_ | None = None,
    target_train: Path_ | None = None,
    clusters: Path_ | Clusters | None = None,
    scheme: str | None = None,
    config: Path_ | None = None,
    force: bool = False,
    jobs: int | Jobs = 1,
    progress: bool | None = None,
) -> Outcome:
    """Adapt a model to unlabelled text of a new domain, as ``treevote adapt`` does.

    Parameters
    ----------
    model, output : path
        The model to start from, and the one to write.
    unlabelled, train : path or sequence of path
        Files with text of the new domain, and those that the model was trained on.
    dev, target_dev : path, optional
        Files to measure on, of the old and of the new domain.
    target_train : path, optional
        A few labelled sentences of the new domain to train on; ``unlabelled`` may then be an empty list.
    clusters : path or Clusters, optional
        Clusters of words, in place of those of the model.
    scheme : {"default", "paper", "distil"}, optional
    config : path, optional
        See ``treevote config adapt``.
    force : bool, default=False
        Write the model even if it is judged worse.
    jobs : int or Jobs, default=1
    progress : bool, optional
        Whether progress is shown; by default in a notebook.

    Returns
    -------
    Outcome
        ``promoted`` tells whether the model was written.

    Raises
    ------
    InputError, ConfigError, ModelError
        If a file, the configuration or the model cannot be used.
    """
    configuration = adaptation_configuration(_path(config), scheme, {})
    with _jobs(jobs, progress) as running:
        return run_adaptation(
            os.fspath(model),
            _paths(unlabelled),
            os.fspath(output),
            train=_paths(train),
            dev=_path(dev),
            target_dev=_path(target_dev),
            target_train=_path(target_train),
            clusters=clusters,
            configuration=configuration,
            force=force,
            jobs=running,
            warn=lambda sentence: warnings.warn(sentence, UserWarning, stacklevel=2),
        )


@contextmanager
def _jobs(jobs: int | Jobs, progress: bool | None) -> Iterator[Jobs]:
    """Yield jobs, with a progress if it is wanted and they have none."""
    given = jobs if isinstance(jobs, Jobs) else Jobs(jobs)
    wanted = in_notebook() if progress is None else progress
    if given.progress is not None or not wanted:
        yield given
        return
    stream = cast("TextIO", OneLine(sys.stderr)) if in_notebook() else None
    with progress_shown(stream) as shown:
        yield dataclasses.replace(given, progress=shown)


def _path(path: Path_ | None) -> str | None:
    return None if path is None else os.fspath(path)


def _paths(paths: Path_ | Sequence[Path_]) -> list[str]:
    return [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]


def _is_path(data: str | os.PathLike[str]) -> bool:
    """Tell whether data are the name of a file, and not a text: it exists, or it looks like one.

    A name has no spaces, and a suffix in ASCII or a separator of folders, or it is ``-``.
    """
    if isinstance(data, os.PathLike) or data == "-":
        return True
    if any(space in data for space in "\n\t"):
        return False
    with suppress(OSError, ValueError):  # too long for a name, or with a zero byte
        if os.path.exists(data):
            return True
    suffix = os.path.splitext(data)[1]
    return " " not in data and (os.sep in data or "/" in data or (suffix[1:].isascii() and suffix[1:].isalnum()))


def _running_text(ensemble: EnsembleParser, data: Data) -> Treebank | None:
    """Return the sentences of data that are running text, or a file of it; None if they are something else."""
    if not isinstance(data, str | os.PathLike):
        return None
    is_path = _is_path(data)
    format = text_format(os.fspath(data), "auto") if is_path else None
    reads = ensemble.reader is not None and ensemble.reader.tokenizer is not None
    if format is None and (is_path or "\t" in os.fspath(data) or not reads):
        return None
    source = os.fspath(data) if is_path else io.BytesIO(encoded(os.fspath(data)))
    format = format or "text"
    path, document = (os.fspath(data), *document_ids([data])) if is_path else ("", "")
    chunks = text_chunks(source, format=format, document=document)
    stretches = tuple(stretch for chunk in chunks for stretch in chunk.stretches)
    chunk = TextChunk(path, stretches, format, document=document)
    if is_path and (reason := not_utf8(chunk)):
        warnings.warn(f"{path}: {reason}", UserWarning, stacklevel=3)
    treebank = tokenized(ensemble, chunk)
    if not treebank.n_sentences:
        raise InputError("expected sentences, found none", path=treebank.title, remedy="give a text with words")
    return treebank


def _treebank(data: Any, trees: Trees) -> Treebank:
    """Return data that are no running text as a treebank."""
    if isinstance(data, Treebank):
        return data
    if isinstance(data, os.PathLike) or (isinstance(data, str) and not ("\n" in data or "\t" in data)):
        if not _is_path(data):
            raise InputError(
                f"expected a path or a text in CoNLL-U, found {os.fspath(data)[:40]!r}",
                remedy="split a text into sentences and tagged tokens first, as UDPipe or Stanza do, or train with "
                "--from-text",
            )
        return read(data, trees=trees)
    if isinstance(data, str):
        return read(io.BytesIO(data.encode("utf-8", "surrogateescape")), format="conllu", trees=trees)
    items = list(data)
    if items and all(isinstance(item, str | os.PathLike) for item in items):
        parts = [read(item, trees=trees) for item in items]
        return parts[0] if len(parts) == 1 else Treebank.concatenate(parts, " + ".join(part.name for part in parts))
    if items and all(hasattr(item, "serialize") for item in items):
        return read(items, trees=trees)
    if trees == "some":
        raise InputError(
            "expected sentences with trees, found lists of tokens", remedy="give a path, a text, or Treebank.of(...)"
        )
    return from_tokens(items)


def from_tokens(sentences: Sequence[Sequence[Any]]) -> Treebank:
    """Return sentences of tokens as a treebank without trees; InputError if something is no token."""
    if not sentences:
        raise InputError("expected sentences, found none", remedy="give a list of lists of tokens")
    rows = []
    for number, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str) or not isinstance(sentence, Sequence) or not sentence:
            raise InputError(
                f"expected a list of tokens, found {sentence!r:.60}",
                sentence=str(number),
                remedy="give each sentence as a list of (form, upos) pairs",
            )
        words = [_word(token, number) for token in sentence]
        rows.append((words, [-1] * len(words), [""] * len(words)))
    return Treebank.of(rows)


def _word(token: object, sentence: int) -> Word:
    fields: Any = None
    if isinstance(token, Word):
        fields = tuple(token)
    elif isinstance(token, str):
        fields = (token, "_", "_", "_", "_")
    elif isinstance(token, Mapping) and "form" in token and token.keys() <= set(Word._fields):
        fields = tuple(token.get(field, "_") for field in Word._fields)
    elif isinstance(token, tuple | list) and len(token) == 2:
        fields = (token[0], "_", token[1], "_", "_")
    if fields is None or not all(isinstance(field, str) and field for field in fields):
        raise InputError(
            f"expected a token, found {token!r:.60}",
            sentence=str(sentence),
            remedy="give a form, a pair (form, upos), a Word, or a mapping with form, lemma, upos, xpos, feats",
        )
    return Word(*fields)
