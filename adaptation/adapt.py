"""Adaptation of an ensemble to unlabelled text of a new domain (Sagae & Tsujii 2007, section 4, and beyond)."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from treevote.adaptation.agreement import alike
from treevote.adaptation.distance import Distance, Profile, distance, sentences_of
from treevote.adaptation.guard import Guard, Measured, unfit, verdict
from treevote.adaptation.judging import annotate
from treevote.adaptation.measuring import (
    Scored,
    committee_scores,
    compared,
    estimates,
    held_out,
    measure,
    sample_of,
)
from treevote.adaptation.scheme import Scheme
from treevote.adaptation.silver import joined, label_profile, profile, read_silver, write_silver
from treevote.config import to_mapping
from treevote.conll.reader import parse_chunk
from treevote.corpus.treebank import Format, Treebank
from treevote.ensemble.members import DEFAULT_MEMBERS, members_of
from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.ensemble.streaming import CHUNK_BYTES, parts
from treevote.ensemble.trainer import EnsembleTrainer, facts_of
from treevote.errors import ConfigError, InputError
from treevote.evaluation.counts import Convention
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Trainer
from treevote.store.checkpoints import Checkpoints
from treevote.store.manifest import JSON


class NothingKeptError(InputError):
    """No sentence of the text was selected."""


@dataclass(frozen=True)
class Data:
    """Data of an adaptation.

    Attributes
    ----------
    source : Treebank
        Labelled sentences of the old domain; they always stay in the training data.
    unlabelled : sequence of path
        Text of the new domain.
    source_dev, target_dev : Treebank, optional
        Labelled sentences that are not trained on.
    external : sequence of path
        Parses of ``unlabelled`` by other parsers: members of the committee that are not retrained.
    format : {"auto", "conllu", "conllx"}
        Format of ``unlabelled`` and ``external``.
    chunk_bytes : int, default=512 KiB
        Approximate length of a chunk of ``unlabelled``; the result does not depend on it.
    """

    source: Treebank
    unlabelled: Sequence[str | os.PathLike[str]]
    source_dev: Treebank | None = None
    target_dev: Treebank | None = None
    external: Sequence[str | os.PathLike[str]] = ()
    format: Format | Literal["auto"] = "auto"
    chunk_bytes: int = CHUNK_BYTES


@dataclass(frozen=True, eq=False)
class Adapted:
    """Result of an adaptation: the adapted model, reasons against its promotion, a report, and the selected sentences.

    The report has the distance of the domains, rounds, labels of the silver data, and scores before and after.
    """

    parser: EnsembleParser
    reasons: list[str]
    report: dict[str, JSON] = field(default_factory=dict)
    silver: Path = Path()


def adapt(
    before: EnsembleParser,
    data: Data,
    steps: Checkpoints,
    *,
    scheme: Scheme,
    guard: Guard,
    seed: int,
    convention: Convention,
    force: bool = False,
    jobs: Jobs = ONE_JOB,
    warn: Callable[[str], None] | None = None,
) -> Adapted:
    """Adapt an ensemble to a new domain.

    Parameters
    ----------
    before : EnsembleParser
        Trained on ``data.source``.
    data, scheme, guard
        Data, settings and limits of the adaptation.
    steps : Checkpoints
        The finished steps.
    seed : int
        Seed of the trainings.
    convention : {"ud", "conllx"}
        Convention of the scores.
    force : bool, default=False
        Whether to adapt even if the guard finds the text unfit.
    jobs : Jobs, optional
        The result does not depend on it.
    warn : callable, optional
        Called with warnings about the committee and the text before the trainings.

    Raises
    ------
    InputError
        If data cannot be used; `NothingKeptError` if no sentence is kept in the first round.
    ConfigError
        If the scheme names members that do not exist.
    """
    return _Adaptation(before, data, steps, scheme, guard, seed, convention, force, jobs, warn).run()


@dataclass(frozen=True)
class _Adaptation:
    before: EnsembleParser
    data: Data
    steps: Checkpoints
    scheme: Scheme
    guard: Guard
    seed: int
    convention: Convention
    force: bool
    jobs: Jobs
    warn: Callable[[str], None] | None

    def run(self) -> Adapted:
        committee = self._committee()
        if len(committee) + len(self.data.external) < 2:
            raise ConfigError(f"expected a committee of two or more, found only {', '.join(committee)}; name others")
        self._members(self.scheme.members)  # an unknown name is an error before the work
        known = frozenset(sentences_of(self.data.source))
        apart = distance(Profile.of([self.data.source]), Profile.of(self._parts(), known))
        warnings = list(self._warnings(apart))
        if self.warn is not None:
            for warning in warnings:
                self.warn(warning)
        report: dict[str, JSON] = {
            "scheme": to_mapping(self.scheme),
            "committee": _settings(committee),
            "external": len(self.data.external),
            "training": {"sentences": self.data.source.n_sentences, "tokens": self.data.source.n_tokens},
            "distance": to_mapping(apart),
            "warnings": list(warnings),
        }
        sample = sample_of(self._parts())
        old, old_scores = self._measured(self.before, sample)
        reasons = unfit(apart, old, self.guard)
        if reasons and not self.force:
            return Adapted(self.before, reasons, {**report, "before": to_mapping(old), "reasons": list(reasons)})
        silver, rounds = self._rounds()
        adapted = self._trained("adapted", self._members(self.scheme.members), silver)
        new, new_scores = self._measured(adapted, sample)
        reasons += verdict(old, new, self.guard)
        added = read_silver(silver)
        report |= {
            "members": list(adapted.members),
            "added": {"sentences": added.n_sentences, "tokens": added.n_tokens},
            "rounds": list(rounds),
            "labels": label_profile(self.data.source, added),
            "before": to_mapping(old),
            "after": to_mapping(new),
            "scores": compared(old_scores, new_scores, self.seed),
            "estimates": estimates({"before": (old, old_scores), "after": (new, new_scores)}),
            "reasons": list(reasons),
        }
        adapted = dataclasses.replace(adapted, facts={**adapted.facts, "adaptation": report})
        return Adapted(adapted, reasons, report, silver)

    def _rounds(self) -> tuple[Path, list[dict[str, JSON]]]:
        """Annotate, select, retrain the committee; return the last silver file and a profile of each round."""
        rounds: list[dict[str, JSON]] = []
        entered: Any = None
        silver: Path | None = None
        for number in range(1, self.scheme.rounds + 1):
            name = f"round-{number}"
            committee = self._trained(f"{name}.committee", self._committee(), silver)
            annotation = annotate(
                self.steps.folder / f"{name}.committee",
                self.data.unlabelled,
                self.steps.chunks(name),
                external=self.data.external,
                format=self.data.format,
                chunk_bytes=self.data.chunk_bytes,
                jobs=self._jobs(name),
            )
            lengths, agreed, confidence, _ = annotation
            kept = self.scheme.selection.of(lengths, agreed, confidence) & ~held_out(np.arange(len(lengths)))
            entered = np.zeros(len(kept), np.int32) if entered is None else entered
            new = kept & (entered == 0)
            entered[new] = number
            share = 100 * float(lengths[new].sum() / max(1, lengths.sum()))
            about: dict[str, JSON] = {**profile(annotation, kept), "new": round(share, 2)}
            about |= {"text_sentences": len(lengths), "text_tokens": int(lengths.sum())}
            if self.data.target_dev is not None and not self.data.external:  # which have no parses of it
                about["on_target_dev"] = committee_scores(
                    committee, self.data.target_dev, self.scheme.selection, self.convention
                )
            rounds.append(about)
            if not kept.any() and silver is not None:  # the earlier selection is still good
                break
            if not kept.any():
                raise NothingKeptError(
                    "expected sentences on which the committee agrees and is sure enough, "
                    f"found none among {len(kept):,}",
                    path=" and ".join(os.fspath(path) for path in self.data.unlabelled),
                    remedy="lower --min-agreement, or check that the text is in the language of the model",
                )
            silver = self.steps.file(
                f"{name}.silver.conllu", functools.partial(write_silver, annotation, kept, entered.copy())
            )
            if number > 1 and share < self.scheme.stopping_threshold:
                break
        assert silver is not None
        return silver, rounds

    def _committee(self) -> dict[str, Trainer]:
        alone = len(self.before.members) + len(self.data.external) < 2
        return self._members(self.scheme.committee or (DEFAULT_MEMBERS if alone else ()))

    def _members(self, names: Sequence[str]) -> dict[str, Trainer]:
        """Return trainers by name: those of the model, else the default ones."""
        own = {name: member.trainer for name, member in self.before.members.items()}
        return {name: own[name] if name in own else members_of([name])[name] for name in names or own}

    def _trained(self, name: str, members: dict[str, Trainer], silver: Path | None) -> EnsembleParser:
        """Return an ensemble trained on the source and the silver data, or the finished step."""

        def make() -> EnsembleParser:
            source = self.data.source
            treebank = source if silver is None else joined(source, read_silver(silver), self.scheme.source_copies)
            weights = self.before.weights.kind if len(members) > 1 and self.data.source_dev is not None else "equal"
            return EnsembleTrainer(members, weights).train(
                treebank,
                self.data.source_dev,
                seed=self.seed,
                jobs=self._jobs(name),
                convention=self.convention,
            )

        return self.steps.model(name, make, load, save)

    def _jobs(self, step: str) -> Jobs:
        return self.jobs.renamed(lambda name: f"{step}: {name}")

    def _parts(self) -> Iterator[Treebank]:
        """Yield the unlabelled text part by part."""
        for part in parts(self.data.unlabelled, format=self.data.format, n_bytes=self.data.chunk_bytes):
            yield parse_chunk(part.chunk, trees="ignored")[0]

    def _warnings(self, distance: Distance) -> Iterator[str]:
        training: Any = self.before.facts.get("training", {})
        if training.get("sha256") != facts_of(self.data.source)["sha256"]:
            yield "the model was not trained on these training data; give its own training data"
        like = None if self.data.external else alike(self._committee())
        if like:
            yield f"the members of the committee are too similar: {like}; their agreement says little"
        if distance.tags == ("_",):
            yield "the text has no tags; tag it as the training data are tagged"
        elif distance.unknown_tags > 1:
            yield (
                f"{distance.unknown_tags:.1f} % of the text has tags that the training data do not have "
                f"({', '.join(distance.tags[:5])}); tag it as they are tagged"
            )

    def _measured(self, parser: EnsembleParser, sample: Treebank) -> tuple[Measured, dict[str, Scored]]:
        return measure(parser, self.data.source_dev, self.data.target_dev, sample, self.convention)


def _settings(trainers: Mapping[str, Any]) -> dict[str, JSON]:
    return {name: to_mapping(trainer) for name, trainer in trainers.items()}
