"""``treevote parse --output-dir``: one output for each of many files, in a run that can be killed and goes on."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from treevote.batch.joint import ParseJob
from treevote.batch.manifest import Manifest
from treevote.batch.outputs import Pair, folders_of, pairs
from treevote.batch.parsing import stored_parser
from treevote.batch.reading import TASK_BYTES, Piece, parse_task, pieces, tasks
from treevote.commands.folder_outputs import FolderSummary, Outputs
from treevote.config import converted
from treevote.conll.corpora import document_ids
from treevote.conll.reader import OnError
from treevote.conll.text_chunks import AnyFormat, text_format
from treevote.corpus.given import Keep
from treevote.ensemble.streaming import size
from treevote.errors import ConfigError, InputError
from treevote.files.encodings import UTF8, is_utf8
from treevote.files.streams import path_of, paths_of
from treevote.files.temporaries import is_temporary, lock, temporary
from treevote.models.text.text_annotator import Tags
from treevote.parallel import ONE_JOB, Jobs
from treevote.settings import Count
from treevote.store.folder import check_folder
from treevote.store.manifest import digest
from treevote.terminal import plural


def parse_folder(
    model: str | os.PathLike[str],
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    suffix: str = "",
    force: bool = False,
    member: str | None = None,
    support: bool = False,
    confidence: bool = False,
    lights: bool = False,
    on_error: OnError = "stop",
    tags: Tags = "auto",
    keep: Keep | None = None,
    strict: bool = False,
    format: AnyFormat = "auto",
    encoding: str = UTF8,
    id_prefix: str = "",
    jobs: int | Jobs = ONE_JOB,
    task_bytes: int = TASK_BYTES,
) -> FolderSummary:
    """Parse each of many files into a file of its own; outputs that exist are kept.

    Parameters
    ----------
    model : path
        A model folder.
    inputs : path, or sequence of path
        Files, folders and patterns, see `treevote.batch.outputs.pairs`.
    folder : path
        The output folder; it is made if it does not exist, and locked during the run. Each file appears whole or not
        at all. The manifest in it, see `treevote.batch.manifest`, tells which outputs belong to the same model,
        version, options and input.
    suffix : str, default=""
        Suffix of the outputs, in place of that of the inputs; it decides on compression.
    force : bool, default=False
        Make all outputs again, and replace files that are not in the manifest.
    member, support, confidence, lights, on_error, tags, keep, format, encoding, id_prefix
        As for `treevote.commands.parse.parse_files`. A fault that would stop it is a fault of its file here.
    strict : bool, default=False
        Whether a text that is probably unfit for the model is a fault of its file.
    jobs : int or Jobs, default=1
        The bytes do not depend on them. Their progress is called with the number of finished input bytes and the total.
    task_bytes : int, default=512 KiB
        Approximate size of the text of a task; the bytes do not depend on it.

    Raises
    ------
    ModelError
        If the model cannot be read, here or by a worker, or the output folder is in a model.
    ConfigError
        If inputs and outputs collide, a file is in the way, another run uses the folder, or options do not go together;
        if ``task_bytes`` is less than 1.
    InputError
        If a folder cannot be read, a folder or pattern has no file, or an output cannot be written, as on a full disk:
        finished files stay.
    """
    start, jobs, task_bytes = time.monotonic(), Jobs.of(jobs), converted(Count, task_bytes, "task_bytes")
    folder, inputs = path_of(folder), paths_of(inputs)
    suffix, id_prefix = converted(str, suffix, "suffix"), converted(str, id_prefix, "id_prefix")
    if not inputs:
        raise InputError("expected files to parse, found none", remedy="name one or more files or folders")
    check_folder(folder)
    files, links = pairs(inputs, folder, suffix, format)
    work = ParseJob(stored_parser(model, member), support, confidence, on_error, tags, keep, lights)
    is_utf8(encoding)
    work.check()
    options: dict[str, Any] = {**vars(work), "stored": work.stored.sha256, "treevote": work.stored.version}
    options |= {"member": member, "strict": strict, "format": format, "encoding": encoding, "id_prefix": id_prefix}
    if packages := work.stored.packages:
        options |= {"packages": packages}
    task = digest(options)
    with _sentence(folder):
        os.makedirs(folder, exist_ok=True)
    with _sentence(folder), lock(folder) as free:
        if not free:
            raise ConfigError(f"another run writes into {folder}; wait for its end, or name another folder")
        manifest = Manifest(folder)
        _require_free(folder, files, manifest, force)
        summary = FolderSummary(folder, links=links)
        with temporary(os.path.join(folder, "parses"), folder=True) as scratch:
            manifest.write()  # without lines that were cut off
            title, total = f"parsing {plural(len(files), 'file')}", size([path for path, _ in files])
            documents = document_ids([name for _, name in files], id_prefix)
            own_tasks = [
                task if text_format(path, format, encoding) is None else digest({"task": task, "document": document})
                for (path, _), document in zip(files, documents, strict=True)
            ]
            with closing(Outputs(scratch, files, manifest, own_tasks, summary, strict, work.stored)) as run:
                cut = functools.partial(pieces, format=format, encoding=encoding, n_bytes=task_bytes)
                source = _source(run, force, documents, cut)
                for results in jobs.silent.map(functools.partial(parse_task, work), tasks(source, task_bytes)):
                    for done in results:
                        run.take(*done)
                    jobs.tell(title, run.n_bytes, total)
                summary.sentences, summary.tokens = run.counts.sentences, run.counts.tokens
                summary.faults, summary.fallbacks = run.counts.faults, run.counts.fallbacks
                summary.expectation = run.counts.text_counts.expectation(work.stored())
            if hasattr(os, "sync"):  # not on Windows
                os.sync()
            manifest.write()
    summary.seconds = time.monotonic() - start
    return summary


def _require_free(folder: str, files: Sequence[Pair], manifest: Manifest, force: bool) -> None:
    """Refuse to replace folders, to write into files, and to replace files that no earlier run of the command wrote."""
    for inner in dict.fromkeys(os.path.join(folder, each) for _, name in files for each in folders_of(name)):
        if os.path.lexists(inner) and not os.path.isdir(inner):
            raise ConfigError(f"{inner} is a file and in the way of a folder; move it, or name another folder")
    for _, name in files:
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            raise ConfigError(f"{path} is a folder and in the way of a file; move it, or name another folder")
        if not force and os.path.lexists(path) and not manifest.knows(name):
            raise ConfigError(
                f"{path} is in the way and was not written by this command; move it, name another folder, "
                "or replace it with --force"
            )


def _source(
    run: Outputs, force: bool, documents: Sequence[str], cut: Callable[..., Iterator[Piece]]
) -> Iterator[Piece]:
    """Yield the pieces of all files whose outputs are not there, given the ids of their texts."""
    for number, (path, name) in enumerate(run.files):
        if not force and run.manifest.is_made(name, run.tasks[number], path):
            run.keep(number)
        else:
            yield from cut(path, number, document=documents[number], stopped=run.stopped)


@contextmanager
def _sentence(folder: str) -> Iterator[None]:
    """Turn an error of the system while writing into one sentence."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        path = os.fspath(error.filename2 or error.filename or folder)
        raise InputError(
            f"cannot write: {error.strerror or error}",
            path=folder if any(map(is_temporary, Path(path).parts)) else path,
            remedy="check the folder, its permissions and the space on the disk; finished files stay",
        ) from error
