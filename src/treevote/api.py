"""The whole job from Python: training, parsing, adaptation, with data from files, texts or lists."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, get_args

from treevote.adaptation.configuration import read_configuration as adaptation_configuration
from treevote.batch.data import Data, Path_, parsed_data, running_texts, training_data
from treevote.batch.parsing import SENTENCES, member_of, parse_sentences, require_tags, stored_parser, trees_of
from treevote.commands.adapt import Outcome
from treevote.commands.adapt import adapt as run_adaptation
from treevote.commands.train import train as run_training
from treevote.config import converted
from treevote.conll.corpora import joined
from treevote.conll.text_chunks import TextChunk
from treevote.conll.writer import write
from treevote.corpus.given import Keep
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.configuration import Preset
from treevote.ensemble.familiarity import doubt, strange_labels, text_counts
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.stored import StoredParser
from treevote.errors import InputError, require_known, warn
from treevote.files.encodings import not_utf8
from treevote.files.streams import path_of, paths_of
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.vectors.vectors import WordVectors
from treevote.models.text.text_annotator import Tags, TextAnnotator
from treevote.notebook import in_notebook
from treevote.parallel import Jobs
from treevote.settings import Count
from treevote.terminal import progress_shown


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
    annotator: AnnotatorTrainer | None = None,
    clusters: Path_ | Clusters | None = None,
    vectors: Path_ | WordVectors | None = None,
    jobs: int | Jobs = 1,
    progress: bool | None = None,
) -> EnsembleParser:
    """Train an ensemble, as ``treevote train`` does.

    Parameters
    ----------
    data, dev : Treebank, path, or list of paths
        Sentences with trees, to train on and to measure on. A string is a path; the files of a list or of a folder are
        one treebank.
    output : path, optional
        Model folder to write, too.
    preset : {"default", "fast", "best"}, default="default"
        The members, as by ``--fast`` and ``--best``.
    members, config, weights, select, folds, seed
        As for the command; without them its default.
    settings : mapping, optional
        Values of settings for all members that have them, such as ``{"search": "greedy"}``.
    annotator : AnnotatorTrainer, optional
        Settings of the part that reads raw text; the spaces between tokens are known of files and texts only.
    clusters : path or Clusters, optional
        Clusters of words for parsers and taggers: a file as for ``--word-clusters``, or those of
        `treevote.models.learning.clusters.clusters`.
    vectors : path or WordVectors, optional
        Word vectors for neural parsers and taggers: a file as for ``--vectors``, or those of
        `treevote.models.learning.vectors.vectors`.
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
        If the data, the clusters or vectors, the configuration, or the folder cannot be used.

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
            [training_data(file, "partial") for file in files],
            _path(output),
            dev=None if dev is None else training_data(dev, "some"),
            config=_path(config),
            preset=preset,
            members=members,
            settings=settings,
            weights=weights,
            select=select,
            folds=folds,
            seed=seed,
            annotator=annotator,
            clusters=clusters,
            vectors=vectors,
            jobs=running,
        ).parser


def parse(
    model: EnsembleParser | StoredParser | Path_,
    data: Data,
    *,
    member: str | None = None,
    tags: Tags = "auto",
    keep: Keep | None = None,
    output: Path_ | None = None,
    chunk: int = SENTENCES,
    progress: bool | None = None,
) -> Treebank:
    """Parse a treebank, a file, a text in CoNLL-U, lists of tokens, or running text if the model reads it.

    Parameters
    ----------
    model : EnsembleParser, StoredParser or path
    data : Treebank, Path, str, or list of sentences
        Trees are ignored, but for ``keep``. A `Path` is a file, running text as for `parse_files`; several are one
        corpus. A string is a text: in CoNLL-U if it has tabs, else running text, for a model with a tokenizer. A
        sentence of a list is a list of tokens: forms, pairs of form and UPOS, `Word`, or mappings with ``form``,
        ``lemma``, ``upos``, ``xpos``, ``feats``.
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
        If the model cannot be read, or has no such member; if ``tags``, ``keep`` or ``chunk`` is something else.

    Warns
    -----
    TreevoteWarning
        If the text is far from the training data of the model, or a file of running text is not UTF-8.
    """
    require_known("tags", tags, get_args(Tags))
    chunk = converted(Count, chunk, "chunk")
    ensemble = model if isinstance(model, EnsembleParser) else stored_parser(model, member)()
    parser = member_of(ensemble, member)
    texts = running_texts(data, has_tokenizer=ensemble.annotator.tokenizer is not None)
    treebank = _tokenized(ensemble.annotator, texts) if texts else parsed_data(data, trees_of(parser, keep))
    treebank = ensemble.annotator.tagged(treebank, tags)
    remedy = "tag the text first, and give (form, upos) pairs or CoNLL-U, or train the model with --from-text"
    require_tags(ensemble, treebank, remedy)
    reason = doubt(ensemble, treebank) or strange_labels(parser, treebank, keep)
    with _jobs(1, progress) as running:
        parsed, _ = parse_sentences(parser, treebank, keep=keep, n=chunk, jobs=running)
    if reason := reason or text_counts(ensemble, parsed, [0, parsed.n_sentences], keep)[0].doubt(ensemble):
        warn(reason)
    if output is not None:
        write(parsed.only(), output)
    return parsed


def _tokenized(annotator: TextAnnotator, texts: Sequence[TextChunk]) -> Treebank:
    """Return the sentences of running texts; InputError if one has none."""
    parts = []
    for text in texts:
        if text.path and (reason := not_utf8(text.text)):
            warn(f"{text.path}: {reason}")
        parts.append(annotator.tokenized(text))
        if not parts[-1].n_sentences:
            raise InputError("expected sentences, found none", path=parts[-1].title, remedy="give a text with words")
    return joined(parts, [text.path for text in texts]) if len(parts) > 1 else parts[0]


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
            model,
            paths_of(unlabelled),
            path_of(output),
            train=paths_of(train),
            dev=_path(dev),
            target_dev=_path(target_dev),
            target_train=_path(target_train),
            clusters=clusters if isinstance(clusters, Clusters) else _path(clusters),
            configuration=configuration,
            force=force,
            jobs=running,
        )


@contextmanager
def _jobs(jobs: int | Jobs, progress: bool | None) -> Iterator[Jobs]:
    """Yield jobs, with a progress if it is wanted and they have none."""
    given = Jobs.of(jobs)
    wanted = in_notebook() if progress is None else progress
    if given.progress is not None or not wanted:
        yield given
        return
    with progress_shown(one_line=in_notebook()) as shown:
        yield dataclasses.replace(given, progress=shown)


def _path(path: Path_ | None) -> str | None:
    return None if path is None else path_of(path)
