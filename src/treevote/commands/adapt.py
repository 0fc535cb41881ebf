"""``treevote adapt``: from a model and unlabelled text to a model of the new domain, if that is better."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treevote import store
from treevote.adaptation.adapt import Adapted, Data, Jobs, adapt
from treevote.adaptation.agreement import alike
from treevote.adaptation.guard import Guard
from treevote.adaptation.scheme import Scheme
from treevote.adaptation.workbench import checksum, workbench
from treevote.commands.evaluate import convention_of
from treevote.config import to_mapping
from treevote.conll import read
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import load, save
from treevote.errors import InputError
from treevote.protocols import Progress
from treevote.terminal import table
from treevote.treebank import Treebank


@dataclass(frozen=True)
class Outcome:
    """What `run` did.

    Attributes
    ----------
    adapted : Adapted
    promoted : bool
        Whether the adapted model was written.
    warnings : list of str
        What a person should know before trusting it.
    silver : Path, optional
        Where the sentences that were added stand.
    """

    adapted: Adapted
    promoted: bool
    warnings: list[str]
    silver: Path | None


def run(
    model: str | Path,
    unlabelled: Sequence[str | Path],
    output: str | Path,
    *,
    train: Sequence[str | Path],
    dev: str | Path | None = None,
    target_dev: str | Path | None = None,
    external: Sequence[str | Path] = (),
    scheme: Scheme,
    guard: Guard,
    force: bool = False,
    work: str | Path | None = None,
    seed: int | None = None,
    n_jobs: int = 1,
    backend: str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Adapt a model to unlabelled text and write it, if it is not worse.

    Parameters
    ----------
    model : path
        The model to start from.
    unlabelled : sequence of path
        Text of the new domain, tagged as the training data are.
    output : path
        The adapted model; beside it, as ``OUTPUT.silver.conllu``, the sentences that were added.
    train : sequence of path
        The treebanks that the model was trained on.
    dev, target_dev : path, optional
        Development sets of the old and of the new domain.
    external : sequence of path
        Parses of ``unlabelled`` by other parsers, as further judges.
    scheme, guard
        See `treevote.adaptation`.
    force : bool, default=False
        Write the adapted model whatever the guard says.
    work : path, optional
        Folder for the steps; by default ``OUTPUT.work``. It is removed at the end.
    seed : int, optional
        By default that of the model.
    n_jobs, backend, progress
        See `treevote.parallel.map_parallel`.

    Raises
    ------
    InputError, ConfigError, ModelError
        If a file, the scheme or the model cannot be used.
    """
    store.check_target(output)
    before = load(model)
    treebanks = [dataclasses.replace(read(path), source=None) for path in train]
    source = treebanks[0] if len(treebanks) == 1 else Treebank.concatenate(treebanks, " + ".join(map(str, train)))
    convention = convention_of(read(train[0]))
    facts: Any = before.facts
    seed = int(facts.get("seed", 0)) if seed is None else seed
    for path in (*unlabelled, *external):
        if not os.path.isfile(path):
            raise InputError("expected a file", path=os.fspath(path), remedy="adapt reads the text several times")
    plan = {
        "model": checksum(model),
        "unlabelled text": [checksum(path) for path in unlabelled],
        "training data": [checksum(path) for path in train],
        "development set": None if dev is None else checksum(dev),
        "target development set": None if target_dev is None else checksum(target_dev),
        "external parses": [checksum(path) for path in external],
        "scheme": to_mapping(scheme),
        "guard": to_mapping(guard),
        "seed": seed,
    }
    bench = workbench(Path(work) if work is not None else Path(f"{output}.work"), plan)
    data = Data(
        source,
        [os.fspath(path) for path in unlabelled],
        None if dev is None else read(dev),
        None if target_dev is None else read(target_dev),
        [os.fspath(path) for path in external],
    )
    jobs = Jobs(n_jobs, backend, progress)
    adapted = adapt(before, data, bench, scheme=scheme, guard=guard, seed=seed, convention=convention, jobs=jobs)
    promoted = not adapted.reasons or (force and bool(adapted.report.get("rounds")))
    silver = None
    if promoted:
        silver = Path(f"{output}.silver.conllu")
        shutil.copyfile(adapted.silver, silver)
        save(adapted.parser, output)
    bench.clear()
    return Outcome(adapted, promoted, _warnings(scheme, adapted, len(external)), silver)


def _warnings(scheme: Scheme, adapted: Adapted, n_external: int) -> list[str]:
    """Return what a person should know of the judges and the text."""
    found = []
    like = alike(members_of(scheme.judges)) if scheme.judges and not n_external else None
    if like:
        found.append(f"the judges are much alike: {like}; their agreement says little")
    distance: Any = adapted.report["distance"]
    if distance["unknown_tags"] > 1:
        found.append(
            f"{distance['unknown_tags']:.1f} % of the text has tags that the training data do not have "
            f"({', '.join(distance['tags'][:5])}); tag it as they are tagged"
        )
    return found


def report(outcome: Outcome, output: str | Path) -> str:
    """Return what a person wants to know."""
    facts: Any = outcome.adapted.report
    distance = facts["distance"]
    parts = [
        f"the text: {distance['unknown_words']:.1f} % of its words and {distance['unknown_tags']:.1f} % of its tags "
        f"are not in the training data; its sentences have {distance['target_length']:.1f} tokens on average, those of "
        f"the training data {distance['source_length']:.1f}"
    ]
    if facts.get("rounds"):
        header = ["round", "agreed %", "kept sentences", "% of tokens", "mean length", "new %"]
        rows = [
            [
                str(i),
                f"{each['identical']:.1f}",
                f"{each['sentences']:,}",
                f"{each['share_of_tokens']:.1f}",
                f"{each['length']:.1f}",
                f"{each['new']:.1f}",
            ]
            for i, each in enumerate(facts["rounds"], start=1)
        ]
        parts.append(table(header, rows))
        rows = [
            [title, *("-" if facts[side][key] is None else f"{facts[side][key]:.2f}" for side in ("before", "after"))]
            for title, key in (
                ("source, LAS", "source"),
                ("target, LAS", "target"),
                ("target, an estimate from confidence", "estimate"),
            )
        ]
        parts.append(table(["", "before", "after"], rows))
    parts += [f"warning: {warning}" for warning in outcome.warnings]
    if outcome.promoted:
        parts.append(f"wrote {output} and the sentences that were added, {outcome.silver}")
    parts += [f"{'against it' if outcome.promoted else 'not promoted'}: {reason}" for reason in outcome.adapted.reasons]
    return "\n\n".join(parts)
