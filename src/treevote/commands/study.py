"""``treevote study``: a table of a founding paper, repeated on a treebank; or what the parts of the ensemble give."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from treevote.commands.treebanks import part_of
from treevote.conll.reader import read
from treevote.corpus.treebank import Format
from treevote.corpus.trees import require_labelled_trees
from treevote.ensemble.members import members_of
from treevote.errors import ConfigError, InputError, require_known, warn
from treevote.evaluation.counts import convention_of
from treevote.evaluation.development import learned_sentences
from treevote.evaluation.results import CONVENTIONS
from treevote.files.streams import path_of, require_writable, writing
from treevote.parallel import Jobs
from treevote.store.folder import check_folder
from treevote.store.manifest import JSON
from treevote.studies import adaptation, chang_do_roth, corston_oliver, ensemble, sagae_tsujii, yuret
from treevote.studies.ensemble import EnsembleStudy
from treevote.studies.report import as_json, as_latex, as_markdown
from treevote.studies.study import Context, Study, hold_out
from treevote.terminal import duration
from treevote.version import __version__

STUDIES: dict[str, Study | EnsembleStudy] = {
    "members": sagae_tsujii.members,
    "agreement": sagae_tsujii.agreement,
    "direction": sagae_tsujii.direction,
    "adaptation": adaptation.adaptation,
    "tags": chang_do_roth.tags,
    "learning-curve": corston_oliver.learning_curve,
    "sentence-length": chang_do_roth.sentence_length,
    "bpm": corston_oliver.bpm,
    "policies": chang_do_roth.policies,
    "waits": chang_do_roth.waits,
    "look-ahead": chang_do_roth.look_ahead,
    "decision-list": yuret.decision_list,
    "ensemble": ensemble.ensemble,
}
"""The studies by name."""

JOBS = "jobs"
"""Folder of the cached jobs, within the output folder."""

PARTS = {
    "test": "the test sets; votes are learned from the development sets",
    "dev": "every second sentence of the development sets; votes are learned from the others",
}
"""Parts of the treebanks that the study of the ensemble may measure on, and what is said of them."""


@dataclass(frozen=True)
class StudyResult:
    """The report of a study in Markdown, the paths of its three files, and the wall-clock time."""

    markdown: str
    paths: tuple[Path, ...]
    seconds: float

    def __str__(self) -> str:
        """Return the closing message."""
        return f"{', '.join(map(str, self.paths))} written in {duration(self.seconds)}"


def study(
    name: str,
    treebank: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    test: str | Path | None,
    text: str | Path | None,
    members: Sequence[str],
    settings: Literal["default", "paper"],
    seed: int,
    format: Format | Literal["auto"],
    jobs: Jobs,
) -> StudyResult:
    """Repeat a table of a paper, and write it beside the paper's figures: ``NAME.md``, ``NAME.json``, ``NAME.tex``.

    The bytes of these files depend on treebanks, members, seed and version of treevote alone. The folder also keeps
    cached jobs, from which a study that was interrupted goes on. Without a test set every tenth sentence of the
    treebank is held out. The study of the ensemble takes folders with train, dev and test files, and as ``test`` the
    part of each that is measured on; see ``PARTS``. ``text`` is unlabelled, for a study of adaptation. ``settings`` are
    those of treevote, or learner, features and search of the paper. A warning tells where many sentences to measure on
    are among the training data.
    """
    start = time.monotonic()
    require_known("study", name, STUDIES)
    chosen = STUDIES[name]
    if members and not chosen.members:
        raise ConfigError(f"the study '{name}' has parsers of its own; leave out --members")
    members_of(members)  # an unknown name is an error at once
    names = tuple(dict.fromkeys(members)) or chosen.members
    if len(names) < chosen.fewest and chosen.members:
        needed = f"{chosen.fewest} members or more, found {len(names)}"
        raise ConfigError(f"the study '{name}' needs {needed}; name more with --members")
    if chosen.needs_text and (text is None or test is None):
        needed = "unlabelled text and a test set of the new domain; give them with --text and --test"
        raise ConfigError(f"the study '{name}' needs {needed}")
    if text is not None and not chosen.needs_text:
        raise ConfigError(f"the study '{name}' takes no unlabelled text; leave out --text")
    if settings == "paper" and not chosen.paper_settings:
        raise ConfigError(f"the study '{name}' has no other settings than those of its table; leave out --settings")
    check_folder(output := path_of(output))
    folder = Path(output)
    files = folder / f"{name}.md", folder / f"{name}.json", folder / f"{name}.tex"
    if folder.is_dir():  # else it is made
        require_writable(files)
    paths = [treebank] if isinstance(treebank, str | os.PathLike) else list(treebank)
    of_data = partial(Context, folder=folder / JOBS, members=names, seed=seed, jobs=jobs)
    if isinstance(chosen, EnsembleStudy):
        measured = "test" if test is None else str(test)
        contexts = _of_folders(paths, measured, format, of_data)
        report, convention = chosen.run(contexts), contexts[0].convention
        facts: dict[str, JSON] = {"measured on": PARTS[measured], "systems": chosen.described()}
    else:
        if len(paths) != 1:
            raise ConfigError(f"the study '{name}' takes one treebank, found {len(paths)}; leave out the others")
        whole = read(paths[0], format=format)
        training, testing = hold_out(whole) if test is None else (whole, read(test, format=format))
        if not testing.n_sentences:
            problem = f"expected at least 10 sentences, of which every tenth is held out, found {whole.n_sentences}"
            raise InputError(problem, path=whole.name, remedy="give a test set with --test, or a larger treebank")
        require_labelled_trees(training)
        require_labelled_trees(testing)
        for warning in learned_sentences(testing, training):
            warn(warning)
        unlabelled = None if text is None else read(text, format=format, trees="ignored")
        changes = chosen.paper_settings if settings == "paper" else {}
        context = of_data(training, testing, convention=convention_of(whole), text=unlabelled, changes=changes)
        report, convention = chosen.run(context), context.convention
        data = {"training": training, "test": testing} | ({} if unlabelled is None else {"text": unlabelled})
        facts = {
            role: {"name": part.name, "sentences": part.n_sentences, "tokens": part.n_tokens}
            for role, part in data.items()
        }
        facts["settings"] = "learners, features and search of the paper" if settings == "paper" else "treevote's own"
        facts["systems"] = chosen.described(context)
    facts |= {"convention": CONVENTIONS[convention], "seed": seed, "treevote": __version__}
    markdown = as_markdown(name, chosen.summary, facts, report)
    contents = markdown, as_json(name, chosen.summary, facts, report), as_latex(report)
    for path, content in zip(files, contents, strict=True):
        with writing(path) as stream:
            stream.write(content.encode("utf-8", "replace"))
    return StudyResult(markdown, files, time.monotonic() - start)


def listing() -> str:
    """Return the studies, one a line."""
    width = max(map(len, STUDIES))
    return "\n".join(f"{name.ljust(width)}  {study.summary}" for name, study in STUDIES.items())


def _of_folders(
    folders: Iterable[str | Path], part: str, format: Format | Literal["auto"], of_data: Callable[..., Context]
) -> list[Context]:
    """Read folders, each once; refuse those whose rows or scores do not go together."""
    contexts = [_of_folder(folder, part, format, of_data) for folder in dict.fromkeys(folders)]
    rows = [context.test.name for context in contexts]
    for row in rows:
        if rows.count(row) > 1:
            raise ConfigError(f"several folders are called '{row}', the name of a row; give them other names")
    if len({context.convention for context in contexts}) > 1:
        raise ConfigError("LAS is measured in another way in CoNLL-X than in CoNLL-U; make a study of each format")
    return contexts


def _of_folder(
    folder: str | Path, part: str, format: Format | Literal["auto"], of_data: Callable[..., Context]
) -> Context:
    """Read the train, dev and test files of a folder; to measure on ``"dev"``, halve the development set."""
    if part not in PARTS:
        raise ConfigError(
            f"the study measures on the part {' or '.join(PARTS)} of each folder, found {part!r}; name one"
        )
    read_part = {name: read(part_of(folder, name), format=format) for name in dict.fromkeys(("train", "dev", part))}
    convention = convention_of(read_part["train"])
    for treebank in read_part.values():
        require_labelled_trees(treebank)
    training, dev, test = (dataclasses.replace(read_part[name], source=None) for name in ("train", "dev", part))
    if part == "dev":
        dev, test = dev.select(range(0, dev.n_sentences, 2)), dev.select(range(1, dev.n_sentences, 2))
    for treebank in (training, dev, test):
        if not treebank.n_tokens:
            raise InputError("expected sentences, found none", path=str(folder), remedy="give larger files")
    for name in dict.fromkeys(("dev", part)):
        for warning in learned_sentences(read_part[name], training):
            warn(warning)
    test = dataclasses.replace(test, name=Path(folder).resolve().name)
    return of_data(training, test, convention=convention, dev=dev)
