"""Adaptation of an ensemble to unlabelled text of a new domain (Sagae & Tsujii 2007, section 4, and beyond)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from treevote.adaptation import measuring
from treevote.adaptation.annotation import NothingKeptError, annotate
from treevote.adaptation.data import Data, training_data, with_predicted_tags
from treevote.adaptation.distance import Distance, Profile, distance
from treevote.adaptation.guard import Guard, unfit, verdict
from treevote.adaptation.labelled import calibration_errors, copies_of, labelled, parsed_by_folds, recalibrated
from treevote.adaptation.plan import Plan, plan_of
from treevote.adaptation.scheme import Scheme, homogeneity_warning
from treevote.adaptation.silver import joined, label_profile, profile, read_silver, write_silver
from treevote.adaptation.tagging import retagged
from treevote.config import to_mapping
from treevote.corpus.repeated_sentences import sentence_forms
from treevote.corpus.treebank import Treebank
from treevote.ensemble.familiarity import ENOUGH_WORDS, STRANGE_WORDS
from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.ensemble.trainer import EnsembleTrainer, facts_of
from treevote.evaluation.counts import Convention
from treevote.kernels import Longs
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Trainer
from treevote.store.checkpoints import Checkpoints
from treevote.store.manifest import JSON


@dataclass(frozen=True, eq=False)
class AdaptationResult:
    """The adapted model, reasons against its promotion, a report, and the selected sentences."""

    parser: EnsembleParser
    reasons: list[str]
    report: dict[str, JSON] = field(default_factory=dict, repr=False)  # distance of the domains, rounds, labels, scores
    silver: Path | None = None  # None if there was no text to select from


@dataclass(frozen=True)
class Adaptation:
    """The adaptation of an ensemble that was trained on ``data.source`` to a new domain.

    If it has a tagger, the treebanks have gold tags, and are tagged by it. Finished steps are not done again. The
    result does not depend on the jobs.
    """

    before: EnsembleParser
    data: Data
    steps: Checkpoints
    scheme: Scheme
    guard: Guard
    seed: int
    convention: Convention
    force: bool = False  # whether it is adapted even if the guard finds the text unfit
    jobs: Jobs = ONE_JOB
    warn: Callable[[str], None] = lambda sentence: None  # told of committee and text before the trainings

    def run(self) -> AdaptationResult:
        """Adapt the ensemble.

        InputError if data cannot be used; `NothingKeptError` if no sentence is kept in the first round; ConfigError if
        the scheme names unknown members, or only the taggers of a model without any are to be retrained.
        """
        plan = plan_of(self.before, self.data, self.scheme)
        own = self.data if plan.taggers else dataclasses.replace(self.data, clusters=None)  # old taggers have theirs
        source = training_data(self.before, own, self._jobs("tags of the training data"))
        given = with_predicted_tags(self.before, self.data, source, self.steps, "tagged", self.jobs)
        domain_distance = self._distance(source, given)
        warnings = list(self._warnings(source, domain_distance, plan))
        self._warn_before_work(warnings)
        report: dict[str, JSON] = {
            "scheme": to_mapping(self.scheme),
            "committee": {name: to_mapping(trainer) for name, trainer in cast("Any", plan.committee).items()},
            "external": len(self.data.external),
            "training": {"sentences": source.n_sentences, "tokens": source.n_tokens},
            "distance": to_mapping(domain_distance),
            "warnings": warnings,
        }
        if (target := given.target_train) is not None:
            report["target_train"] = self._of_target(target)
        folded = target if self.scheme.target_folds else None  # parsed by folds
        by_folds = self.before.parse(folded) if folded is not None and plan.parsers else None
        old = measuring.measure(self.before, self.data, given, by_folds, self.convention)
        expected = measuring.expected(self.before, given.text)
        reasons = unfit(domain_distance, old.las, self.guard)
        if reasons and not self.force:
            return AdaptationResult(self.before, reasons, {**report, "before": old.las.shown, "reasons": reasons})
        adapted, silver = self.before, None
        if plan.taggers:
            adapted, silver, about = self._retagged(plan)
            report |= about
        if adapted is not self.before:
            given = with_predicted_tags(adapted, self.data, source, self.steps, "tagged-again", self.jobs)
            given = dataclasses.replace(given, target_train=target)  # the new tagger was trained on them
        if plan.parsers:
            report["members"] = list(plan.members)
        if plan.committee:
            silver, about = self._selected(plan, source, given)
            report |= about
        adapted = self._retrained(plan, adapted, given, silver if plan.committee else None)
        if folded is not None:
            adapted, by_folds, errors = self._recalibrated(plan, adapted, folded, given)
            report["target_train"] = {**self._of_target(folded), "calibration_error": errors}
        new = measuring.measure(adapted, self.data, given, by_folds, self.convention)
        reasons += verdict(old.las, new.las, self.guard)
        report |= {
            "before": old.las.shown,
            "after": new.las.shown,
            "scores": measuring.compared(old.scores, new.scores, self.seed),
            "estimates": measuring.estimates(expected, old, new),
            "reasons": reasons,
        }
        adapted = dataclasses.replace(adapted, facts={**adapted.facts, "adaptation": report})
        return AdaptationResult(adapted, reasons, report, silver)

    def _distance(self, source: Treebank, given: Data) -> Distance:
        """Return the distance of the domains; `NothingKeptError` if there is no sentence of the new one."""
        few = [] if given.unlabelled or given.target_train is None else [given.target_train]
        profile = Profile.of(few or given.text(), frozenset(sentence_forms(source)))
        if not profile.sentences:
            remedy = "give a file with sentences in it"
            raise NothingKeptError("expected sentences, found none", path=self.data.titles[0], remedy=remedy)
        return distance(Profile.of([source]), profile, Profile.of([self.data.source]).tags)

    def _warn_before_work(self, warnings: Sequence[str]) -> None:
        """Give the warnings before the trainings, and one more if nothing measures the new model."""
        for warning in warnings:
            self.warn(warning)
        measures = self.data.source_dev, self.data.target_dev, self.data.target_train
        if not self.force and all(treebank is None for treebank in measures):
            remedy = "give --dev, --target-dev or --target-train"
            self.warn(f"nothing measures the new model, so it is not written; {remedy}")

    def _of_target(self, target: Treebank) -> dict[str, JSON]:
        """Return the facts of the labelled sentences of the new domain that are trained on."""
        n_source = self.scheme.source_copies * self.data.source.n_tokens
        copies = copies_of(n_source, target.n_tokens, self.scheme.target_share)
        sizes = {"sentences": target.n_sentences, "tokens": target.n_tokens}
        return {**sizes, "copies": copies, "folds": self.scheme.target_folds}

    def _retagged(self, plan: Plan) -> tuple[EnsembleParser, Path | None, dict[str, JSON]]:
        """Return the model with a new tagger, the file of the sentences that were added, and facts of them."""
        adapted, silver, about = retagged(self.before, self.data, self.steps, self.scheme, self.seed, self.jobs)
        if adapted is self.before and not plan.parsers:
            remedy = "lower tag_agreement, or give more text without tags"
            raise self._nothing_kept("sentences without tags on which the taggers agree", remedy)
        return adapted, silver, {"taggers": {**about, "retrained": adapted is not self.before}} if about else {}

    def _selected(self, plan: Plan, source: Treebank, data: Data) -> tuple[Path, dict[str, JSON]]:
        """Return the file of the sentences that the committee selected, and facts of them."""
        silver, rounds = self._rounds(plan.committee, data)
        added = read_silver(silver)
        sizes: dict[str, JSON] = {"sentences": added.n_sentences, "tokens": added.n_tokens}
        return silver, {"added": sizes, "rounds": list(rounds), "labels": label_profile(source, added)}

    def _retrained(self, plan: Plan, tagged: EnsembleParser, data: Data, silver: Path | None) -> EnsembleParser:
        """Return a model with new parsers, or with its old ones, which are measured again on its tags."""
        if not plan.parsers and data.source_dev is None:
            return tagged
        learned = data if plan.parsers else dataclasses.replace(data, target_train=None)
        trained = self._trained("adapted", plan.members, learned, silver)
        reading = {"reading": tagged.facts["reading"]} if "reading" in tagged.facts else {}
        return dataclasses.replace(trained, annotator=tagged.annotator, facts={**trained.facts, **reading})

    def _recalibrated(
        self, plan: Plan, parser: EnsembleParser, gold: Treebank, data: Data
    ) -> tuple[EnsembleParser, Treebank | None, dict[str, JSON]]:
        """Return a model whose confidence is right on labelled sentences, their vote by folds, and calibration errors.

        There is no vote by folds if the parsers stay: they were not trained on these sentences.
        """

        def train(number: int, chosen: Longs) -> EnsembleParser:  # not on the text: its trees tell of all sentences
            return self._trained(f"fold-{number}", plan.members, data, None, chosen)

        parses = parsed_by_folds(gold, self.scheme.target_folds, train)
        errors = calibration_errors(parser, gold, parses, convention=self.convention)
        parser = recalibrated(parser, gold, parses, convention=self.convention)
        return parser, parser.combine(parses) if plan.parsers else None, errors

    def _rounds(self, judges: Mapping[str, Trainer], data: Data) -> tuple[Path, list[dict[str, JSON]]]:
        """Annotate, select, retrain the committee; return the last silver file and a profile of each round."""
        rounds: list[dict[str, JSON]] = []
        entered: Any = None
        silver: Path | None = None
        for number in range(1, self.scheme.rounds + 1):
            name = f"round-{number}"
            committee = self._committee(f"{name}.committee", judges, data, silver)
            model = self.steps.folder / f"{name}.committee"
            annotation = annotate(model, data, self.steps.chunks(name), jobs=self._jobs(name))
            lengths, agreed, confidence, _ = annotation
            kept = self.scheme.selection.of(lengths, agreed, confidence) & ~measuring.held_out(np.arange(len(lengths)))
            entered = np.zeros(len(kept), np.int32) if entered is None else entered
            new = kept & (entered == 0)
            entered[new] = number
            share = 100 * float(lengths[new].sum() / max(1, lengths.sum()))
            about: dict[str, JSON] = {**profile(annotation, kept), "new": round(share, 2)}
            about |= {"text_sentences": len(lengths), "text_tokens": int(lengths.sum())}
            if data.target_dev is not None and not data.external:  # which have no parses of it
                criteria = self.scheme.selection, self.convention
                about["on_target_dev"] = measuring.committee_scores(committee, data.target_dev, *criteria)
            rounds.append(about)
            if not kept.any() and silver is not None:  # the earlier selection is still good
                break
            if not kept.any():
                remedy = (
                    "lower --min-agreement or --min-confidence, or look whether the text is in the model's language"
                )
                raise self._nothing_kept("sentences on which the committee agrees and is sure enough", remedy)
            write = functools.partial(write_silver, annotation, kept, entered.copy())
            silver = self.steps.file(f"{name}.silver.conllu", write)
            if number > 1 and share < self.scheme.stopping_threshold:
                break
        assert silver is not None
        return silver, rounds

    def _committee(self, name: str, judges: Mapping[str, Trainer], data: Data, silver: Path | None) -> EnsembleParser:
        """Return the committee of a round: the model itself in the first one, where training would give its members."""
        own = self.before
        nothing_new = silver is None and data.target_train is None and data.clusters is None
        has_same_members = list(judges) == list(own.members) and self._was_trained_on(data.source)
        has_confidence = own.has_confidence or data.source_dev is None
        if not (nothing_new and has_same_members and has_confidence):
            return self._trained(name, judges, data, silver)
        return self.steps.model(name, lambda: EnsembleParser(own.members, own.judge, own.facts), load, save)

    def _was_trained_on(self, source: Treebank) -> bool:
        training: Any = self.before.facts.get("training", {})
        return bool(training.get("sha256") == facts_of(source)["sha256"])

    def _nothing_kept(self, expected: str, remedy: str) -> NothingKeptError:
        n_sentences = sum(part.n_sentences for part in self.data.text())
        path = " and ".join(self.data.titles)
        return NothingKeptError(f"expected {expected}, found none among {n_sentences:,}", path=path, remedy=remedy)

    def _trained(
        self, name: str, members: Mapping[str, Trainer], data: Data, silver: Path | None, chosen: Longs | None = None
    ) -> EnsembleParser:
        """Return an ensemble trained on the labelled data (of the new domain those chosen) and the silver ones."""

        def make() -> EnsembleParser:
            # a first committee on the source alone would see it once
            copies = 1 if silver is None and data.target_train is None else self.scheme.source_copies
            gold = labelled(data, self.scheme.target_share, copies, chosen)
            kind = self.before.judge.kind
            if kind == "agreement" or len(members) < 2 or data.source_dev is None:
                kind = "equal"
            return EnsembleTrainer(members, kind).train(
                joined(gold, silver), data.source_dev, seed=self.seed, jobs=self._jobs(name), convention=self.convention
            )

        return self.steps.model(name, make, load, save)

    def _jobs(self, step: str) -> Jobs:
        return self.jobs.renamed(lambda name: f"{step}: {name}")

    def _warnings(self, source: Treebank, distance: Distance, plan: Plan) -> Iterator[str]:
        if not self._was_trained_on(source):
            yield "the model was not trained on these training data; give its own training data"
        measured = self.before.judge.kind not in ("equal", "agreement")
        if measured and plan.parsers and self.data.source_dev is None and len(plan.members) > 1:
            yield "the votes of the old model have measured weights, those of the new one will be equal; give --dev"
        if not self.data.external and (like := homogeneity_warning(plan.committee)):
            yield f"the members of the committee are too similar: {like}; their agreement says little"
        if distance.unknown_words >= 100 * STRANGE_WORDS and len(source.words) >= ENOUGH_WORDS:
            words = f"{distance.unknown_words:.0f} % of the words of the text are not in the training data"
            yield f"{words}; if it is in another language, take a model of that"
        if distance.tags == ("_",):
            yield "the text has no tags; tag it as the training data are tagged"
        elif distance.unknown_tags > 1:
            yield (
                f"{distance.unknown_tags:.1f} % of the text has tags that the training data do not have "
                f"({', '.join(distance.tags[:5])}); tag it as they are tagged"
            )
