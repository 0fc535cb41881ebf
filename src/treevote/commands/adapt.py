"""``treevote adapt``: from a model and unlabelled text to a model of the new domain, if that is better."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from treevote.adaptation.adapt import Adaptation, AdaptationResult
from treevote.adaptation.annotation import NothingKeptError
from treevote.adaptation.configuration import Configuration
from treevote.adaptation.data import Data
from treevote.adaptation.labelled import require_enough
from treevote.adaptation.scheme import Scheme
from treevote.commands.treebanks import read_development, read_training
from treevote.config import to_mapping
from treevote.conll.text_chunks import AnyFormat, text_chunks, text_format, utf8_checked
from treevote.conll.writer import write
from treevote.corpus.treebank import Format
from treevote.ensemble.members import expanded, find_member, kind_of, packages_of
from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.errors import ConfigError, InputError, TreevoteError, warn
from treevote.evaluation.development import learned_sentences
from treevote.files.streams import path_of, require_apart, writing
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.clusters.files import read_clusters
from treevote.parallel import Jobs
from treevote.store import folder as store
from treevote.store.checkpoints import Checkpoints, checkpoints, checksum
from treevote.store.manifest import digest
from treevote.store.packages import model_folder
from treevote.version import __version__


@dataclass(frozen=True)
class Outcome:
    """Result of `adapt`: the paths of the adapted model, and of the added sentences, are None if it was not promoted.

    ``work`` is the folder of the finished steps if they are kept: those of a model that was not promoted.
    """

    adapted: AdaptationResult
    model: Path | None
    silver: Path | None
    work: Path | None

    @property
    def promoted(self) -> bool:
        """Whether the adapted model was written."""
        return self.model is not None


def adapt(
    model: str | os.PathLike[str],
    unlabelled: Sequence[str | Path],
    output: str | Path,
    *,
    train: Sequence[str | Path],
    dev: str | Path | None,
    target_dev: str | Path | None,
    target_train: str | Path | None,
    clusters: str | os.PathLike[str] | Clusters | None,
    configuration: Configuration,
    force: bool,
    jobs: Jobs,
    external: Sequence[str | Path] = (),
    work: str | Path | None = None,
    format: AnyFormat = "auto",
) -> Outcome:
    """Adapt a model to unlabelled text, or to a few labelled sentences, and write it, if it is not worse.

    The adapted model becomes ``output``, and ``OUTPUT.silver.conllu`` the sentences that were added. The text is tagged
    as the training data are; for a model that reads raw text, it is any text. It may be empty if there are labelled
    sentences of the target, which are trained on and calibrate the confidence. ``external`` are parses of the text by
    other parsers, further members of the committee. ``format`` is that of all files; of the text alone if it is running
    text. The folder ``work``, by default ``OUTPUT.work``, is removed at the end, unless there is a model in it that was
    not promoted. ``force`` adapts, and writes the model, whatever the guard says.
    """
    output = Path(path_of(output))  # without a slash at its end
    folder, silver = Path(f"{output}.work" if work is None else path_of(work)), Path(f"{output}.silver.conllu")
    single = [path for path in (dev, target_dev, target_train, clusters) if path and not isinstance(path, Clusters)]
    model = model_folder(model)
    require_apart([output], [model])  # the same command goes on with the model that it began with
    _check(output, folder, silver, [*unlabelled, *external, *train, *single])
    clusters = clusters if clusters is None or isinstance(clusters, Clusters) else read_clusters(clusters)
    scheme = configuration.scheme
    before = load(model)
    of_trees: Format | Literal["auto"] = "auto" if format in ("text", "lines") else cast("Any", format)
    source, convention = read_training(train, of_trees)
    seed = int(cast("Any", before.facts.get("seed", 0))) if configuration.seed is None else configuration.seed
    labelled = {"development set": dev, "target development set": target_dev, "target training data": target_train}
    plan: dict[str, Any] = {
        "model": checksum(model),
        "unlabelled text": [checksum(path) for path in unlabelled],
        "training data": [checksum(path) for path in train],
        **{name: None if path is None else checksum(path) for name, path in labelled.items()},
        "external parses": [checksum(path) for path in external],
        "clusters": None if clusters is None else digest(clusters.texts()),
        "scheme": to_mapping(scheme),
        "seed": seed,
        "format": format,
        "version of treevote": __version__,
    }
    if packages := _plug_ins(before, scheme):
        plan["versions of plug-ins"] = packages
    old_dev, new_dev, new_train = (
        None if path is None else read_development(path, source, of_trees) for path in labelled.values()
    )
    if new_train is not None:
        for measured in filter(None, (old_dev, new_dev)):
            for warning in learned_sentences(measured, new_train):
                warn(warning)
        if scheme.target_folds:
            require_enough(new_train, scheme.target_folds)
    settings: dict[str, Any] = {"scheme": scheme, "guard": configuration.guard, "seed": seed, "convention": convention}
    with checkpoints(folder, plan) as steps:
        names, others = [os.fspath(path) for path in unlabelled], [os.fspath(path) for path in external]
        try:
            with _unchanged([*unlabelled, *external], [*plan["unlabelled text"], *plan["external parses"]]):
                texts = [*_split(before, names, steps, format)]
                data = Data(source, texts, old_dev, new_dev, others, of_trees, names, new_train, clusters)
                adapted = Adaptation(before, data, steps, **settings, force=force, jobs=jobs, warn=warn).run()
        except TreevoteError as error:
            began = any(step.is_dir() for step in steps.steps)  # a model or an annotation; a text is quickly made again
            if isinstance(error, NothingKeptError | _ChangedError) or not began:
                steps.clear()
            raise
        promoted = force or not adapted.reasons
        if promoted:
            _write(adapted, output, silver)
        kept = adapted.parser is not before and not promoted
        if not kept:
            steps.clear()
    added_to = silver if promoted and adapted.silver is not None else None
    return Outcome(adapted, output if promoted else None, added_to, folder if kept else None)


def _plug_ins(model: EnsembleParser, scheme: Scheme) -> dict[str, str]:
    """Return the packages of the plug-ins that are trained or judge, and their versions."""
    named = filter(None, map(find_member, expanded([*scheme.committee, *scheme.members])))  # others are refused later
    return packages_of(map(kind_of, [*(member.trainer for member in model.members.values()), *named]))


def _write(adapted: AdaptationResult, output: Path, silver: Path) -> None:
    """Write the model, and the sentences that were added."""
    save(adapted.parser, output)
    if adapted.silver is None:
        silver.unlink(missing_ok=True)  # that of an older model
    else:
        with writing(silver) as stream, adapted.silver.open("rb") as added:
            shutil.copyfileobj(added, stream)


class _ChangedError(InputError):
    """A file was changed while it was read several times."""


@contextmanager
def _unchanged(paths: Sequence[str | Path], checksums: Sequence[str]) -> Iterator[None]:
    """Raise the `_ChangedError` at the end of the block, or for its fault, if a file is not that of its checksum."""
    fault: Exception | None = None
    try:
        yield
    except Exception as error:  # steps of different texts do not fit together
        fault = error
    for path, known in zip(paths, checksums, strict=True):
        if checksum(path) != known:
            problem = "expected the same text until the end of the adaptation, found it changed"
            raise _ChangedError(problem, path=os.fspath(path), remedy="give the same command again") from fault
    if fault is not None:
        raise fault


def _check(output: str | Path, folder: Path, silver: Path, inputs: Sequence[str | os.PathLike[str]]) -> None:
    """Fail before the work if an input cannot be read again, or an output would replace another's file."""
    store.check_target(output)
    store.check_apart(output, folder)
    for path in inputs:
        if not os.path.exists(path) and path != "-":
            raise InputError("cannot read: no such file", path=os.fspath(path), remedy="check the path")
        if not os.path.isfile(path):
            found = "a folder" if os.path.isdir(path) else "a stream"
            problem = f"expected a file, which adapt reads several times, found {found}"
            raise InputError(problem, path=os.fspath(path), remedy="name the files")
    require_apart([silver], inputs)
    if silver.exists():
        with suppress(OSError), silver.open("rb") as file:
            if file.read(len(_OURS)) in (_OURS, b""):
                return
        raise ConfigError(f"{silver} is in the way and was not written by adapt; move it, or name another output")


_OURS = b"# round = "


def _split(model: EnsembleParser, paths: Sequence[str], steps: Checkpoints, format: AnyFormat) -> Iterator[str]:
    """Yield the paths of texts; for a running text that of its tokens, which are a step, without tags."""
    for number, path in enumerate(paths, start=1):
        text = text_format(path, format)
        if text is not None:
            tokenized = map(model.annotator.tokenized, utf8_checked(text_chunks(path, format=text), warn))
            path = str(steps.file(f"text-{number}.conllu", functools.partial(write, tokenized)))
        yield path
