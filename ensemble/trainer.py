"""The ensemble as a trainer: members trained in parallel, selected and weighted on held-out sentences."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Annotated, Literal, TypeAlias

import numpy as np

from treevote.config import converted, to_mapping
from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank, checksum, require_treebank
from treevote.corpus.trees import are_partial, is_single_rooted
from treevote.ensemble import member_training as training
from treevote.ensemble.candidates import MAX_SYSTEMS
from treevote.ensemble.foreign_tags import filled
from treevote.ensemble.judge import Judge, calibration, learn
from treevote.ensemble.members import DEFAULT_MEMBERS, Member, clusters_of, members_of, require_free, vectors_of
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.partial_trees import completed, require_whole_trees
from treevote.ensemble.proposals import in_turn, parse_in_turn
from treevote.ensemble.selection import LARGEST, VoteKind, diversity, select
from treevote.ensemble.unknown_words import tempered, unknown_in_folds, unknown_words, usual_share
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError
from treevote.evaluation import lights
from treevote.evaluation.agreement import unanimous
from treevote.evaluation.counts import Convention, evaluate, require_heads
from treevote.kernels import Bools
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Trainer
from treevote.settings import Interval, Seed
from treevote.store.manifest import JSON
from treevote.version import __version__

MAX_FOLDS = 100

OnFolds: TypeAlias = Callable[[Treebank, Mapping[str, Treebank]], object]
"""Called with the trees of the folds and with their parses by the members."""


@dataclass(frozen=True)
class EnsembleTrainer:
    """Hyper-parameters of an ensemble.

    Attributes
    ----------
    members : mapping of str to Trainer
        By name, in the order in which ties are decided: the best first.
    weights : {"auto", "equal", "accuracy", "pos", "learned"}
        Kind of the weights of the votes, see `treevote.ensemble.weights`; or ``"learned"``: arcs are weighted by their
        probability, see `treevote.ensemble.candidates`. All but ``"equal"`` are measured. ``"auto"`` is learned if
        that votes better, see `treevote.ensemble.judge.learn`; else equal, and so where nothing is measured.
    select : bool
        Whether members, their order and the kind of weights are selected, see `treevote.ensemble.selection`;
        ``weights`` is then ignored.
    folds : int
        For measurements without a development set: number of folds of the training data, each parsed by members that
        were trained on the others (sentence ``i`` is in fold ``i % folds``); 0 for none.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])] * 5)
    >>> EnsembleTrainer().train(toy).parse(toy).sentence(0).heads.tolist()
    [-1, 2, 3, 0]
    """

    members: Mapping[str, Trainer] = dataclasses.field(default_factory=lambda: members_of(DEFAULT_MEMBERS))
    weights: VoteKind | Literal["auto"] = "auto"
    select: bool = False
    folds: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.members, Mapping) or not all(map(_is_trainer, self.members.values())):
            problem = f"members: expected trainers by name, found {short(self.members)}"
            raise ConfigError(f"{problem}; give them as in {{'forward': treevote.TransitionTrainer()}}")
        require_free(self.members)
        converted(VoteKind | Literal["auto"], self.weights, "weights")
        converted(bool, self.select, "select")
        converted(Annotated[int, Interval(0, MAX_FOLDS)], self.folds, "folds")
        if self.folds == 1:
            raise ConfigError(f"folds should be in 2..{MAX_FOLDS}, or 0 for none, found 1")
        if self.select and len(self.members) > LARGEST:
            raise ConfigError(f"a selection has {LARGEST} members at most, found {len(self.members)}; name fewer")
        if self.weights == "learned" and len(self.members) > MAX_SYSTEMS:
            raise ConfigError(
                f"a learned vote has {MAX_SYSTEMS} members at most, found {len(self.members)}; name fewer"
            )

    def train(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int = 0,
        jobs: int | Jobs = ONE_JOB,
        convention: Convention = "ud",
    ) -> EnsembleParser:
        """Train the members; select, weight and score them on held-out sentences, if there are any.

        Parameters
        ----------
        treebank, dev : Treebank
            Sentences with trees, to train on and to measure on. Trees to train on may be partial, see
            `treevote.ensemble.partial_trees`; nothing is measured on these.
        seed : int, default=0
            The seed of a member follows from it and its name: trained on whole trees, it is the same alone and beside
            others.
        jobs : int or Jobs, optional
            Their progress is that of the members; the result does not depend on them.
        convention : {"ud", "conllx"}, default="ud"
            Convention of the scores.

        Raises
        ------
        InputError
            If there is nothing to learn from, or less than a sentence for each fold.
        ConfigError
            If there is no member, something is to be measured and there is nothing to measure it on, or the seed is
            negative.
        """
        return self.train_measured(treebank, dev, seed=seed, jobs=jobs, convention=convention)[0]

    def train_measured(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int = 0,
        jobs: int | Jobs = ONE_JOB,
        convention: Convention = "ud",
        on_folds: OnFolds | None = None,
    ) -> tuple[EnsembleParser, dict[str, float]]:
        """Train as `train` does; return also the milliseconds of CPU of each member for 1,000 tokens, if measured.

        ``on_folds`` is called if there are folds.
        """
        self._require_plan(is_measured=dev is not None or self.folds > 0)
        seed, jobs = converted(Seed, seed, "seed"), Jobs.of(jobs)
        whole = require_whole_trees(require_treebank(treebank))
        if dev is not None and not require_heads(require_treebank(dev)).any():
            raise InputError("expected sentences to measure on, found none", path=dev.name, remedy="give a larger file")
        bare = dataclasses.replace(treebank, source=None)
        facts: dict[str, JSON] = {"treevote": __version__, "seed": seed}
        facts["training"] = facts_of(treebank) | {"columns": filled(treebank)}
        names, kind = tuple(self.members), self.weights
        gold, parsed, trained = dev, dict[str, tuple[Treebank, float]](), dict[str, Member]()
        if dev is not None:
            trained = self._trained(names, bare, dev, seed, jobs)
            for name, member in trained.items():
                training.warm(name, member, dev)
            parsed = parse_in_turn(trained, dev, training.timed_parse)
            facts["development"] = facts_of(dev)
        elif self.folds:
            gold, parsed = dataclasses.replace(whole, source=None), self._cross_parsed(bare, seed, jobs)
            facts["folds"] = self.folds
            if on_folds is not None:
                on_folds(gold, {name: parse for name, (parse, _) in parsed.items()})
        parses = {name: parse for name, (parse, _) in parsed.items()}
        single_root = is_single_rooted(whole)
        if gold is not None:
            facts["diversity"] = diversity(gold, parses, convention=convention)
            if self.select:
                choice = select(gold, parses, single_root=single_root, convention=convention)
                names, kind = choice.members, choice.weights
                facts["selection"] = to_mapping(choice)
                selected = dataclasses.replace(self, members={name: self.members[name] for name in names})
                again = parsed
                if dev is not None:  # those that choose have other proposals now
                    again = parse_in_turn({name: trained[name] for name in names}, dev, training.timed_parse)
                elif in_turn(selected.members)[1] and {*in_turn(self.members)[0]} - {*names}:
                    again = selected._cross_parsed(bare, seed, jobs, parses)
                parses = {name: again[name][0] for name in names}
        if dev is None:
            trained = self._trained(names, bare, None, seed, jobs)
        members = {name: trained[name] for name in names}
        trainers = {name: member.trainer for name, member in members.items()}
        if clusters := clusters_of(trainers):
            facts["clusters"] = len(clusters.words)
        if vectors := vectors_of(trainers):
            facts["vectors"] = len(vectors.words)
        if gold is None:
            facts["weights"] = "equal"
            return EnsembleParser(members, Judge(Weights.equal(len(members))), facts), {}
        chosen = {name: parses[name] for name in names}
        judge, voted = learn(kind, gold, list(chosen.values()), single_root=single_root, convention=convention)
        facts["weights"] = judge.kind
        if dev is None:
            unknown: Bools | None = unknown_in_folds(gold, self.folds, bare.select(are_partial(bare)))
        else:
            unknown = unknown_words(members.values(), gold)
        facts |= _measured(gold, chosen, voted, unknown, convention)
        thousands = max(1, gold.n_tokens) / 1000
        return EnsembleParser(members, judge, facts), {
            name: 1000 * seconds / thousands for name, (_, seconds) in parsed.items()
        }

    def require_sentences(self, n_whole: int) -> None:
        """Raise the ConfigError if there are too few sentences with whole trees for the folds."""
        if n_whole < 2 * self.folds:
            needed = f"{2 * self.folds} sentences with whole trees, found {n_whole}"
            raise ConfigError(f"{self.folds} folds need {needed}; give more, or choose fewer folds (0: none)")

    def _require_plan(self, *, is_measured: bool) -> None:
        """Raise the ConfigError if there is no member, or nothing to measure on what is chosen by measurements."""
        if not self.members:
            raise ConfigError("an ensemble needs at least one member; name one")
        if (self.weights not in ("auto", "equal") or self.select) and not is_measured:
            what = "members are chosen" if self.select else f"weights by {self.weights} are measured"
            raise ConfigError(f"{what} on development data or folds; give one of them")

    def _trained(
        self, names: Sequence[str], treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs
    ) -> dict[str, Member]:
        """Train members side by side; a single one gets all the jobs for itself."""
        own = self._completed(names, treebank, dev, seed, jobs)
        tasks = [training.Task(name, name, self.members[name], own[name], dev) for name in names]
        if len(tasks) == 1:
            return {names[0]: training.train_member(tasks[0], seed, jobs)}
        trained = jobs.map(functools.partial(training.train_alone, seed=seed), tasks)
        return dict(zip(names, trained, strict=True))

    def _completed(
        self, names: Sequence[str], treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs
    ) -> dict[str, Treebank]:
        """Return the treebank for each member; members that learned from its whole trees complete the partial ones."""
        whole = require_whole_trees(treebank)
        if whole is treebank:
            return dict.fromkeys(names, treebank)
        return completed(treebank, self._trained(names, whole, dev, seed, jobs))

    def _cross_parsed(
        self, treebank: Treebank, seed: int, jobs: Jobs, parses: Mapping[str, Treebank] | None = None
    ) -> dict[str, tuple[Treebank, float]]:
        """Parse each whole tree by members that were trained on the other folds; return the seconds, too.

        Partial trees are in no fold: all members learn from them. Of members that propose, ``parses`` are those from
        before.
        """
        partial = are_partial(treebank)
        whole, always = np.flatnonzero(~partial), np.flatnonzero(partial)
        self.require_sentences(len(whole))
        folds: list[tuple[dict[str, Treebank], Treebank]] = []
        for others, held_out in folds_of(len(whole), self.folds):
            part = treebank.select(np.sort(np.append(whole[others], always)))
            own = self._completed(list(self.members), part, None, seed, jobs)
            folds.append((own, treebank.select(whole[held_out])))
        found: dict[str, list[tuple[Treebank, float]]] = {}
        first, last = in_turn(self.members)
        if parses is not None:
            parts = [held_out for _, held_out in folds_of(len(whole), self.folds)]
            found = {name: [(parses[name].select(part), 0.0) for part in parts] for name in first}
        for names in (first, last) if parses is None else (last,):
            tasks = [
                (
                    training.Task(f"{name} {number + 1}/{self.folds}", name, self.members[name], own[name]),
                    held_out,
                    [found[other][number][0] for other in first] if names is last else (),
                )
                for number, (own, held_out) in enumerate(folds)
                for name in names
            ]
            done = list(jobs.map(functools.partial(training.train_and_parse, seed=seed), tasks))
            found |= {name: done[i :: len(names)] for i, name in enumerate(names)}
        return {
            name: (rejoined([parse for parse, _ in found[name]]), sum(seconds for _, seconds in found[name]))
            for name in self.members
        }


def _measured(
    gold: Treebank, parses: Mapping[str, Treebank], voted: Treebank, unknown: Bools | None, convention: Convention
) -> dict[str, JSON]:
    """Return what held-out sentences say of a model: facts of its familiarity, confidence, lights and scores.

    ``parses`` are those of the members, ``voted`` is their vote; ``unknown`` is None if no member has a vocabulary.
    """
    familiarity, voted = _familiarity(list(parses.values()), voted, unknown)
    facts: dict[str, JSON] = {"familiarity": familiarity}
    if gold.n_sentences > 1:
        facts["reliability"] = calibration(gold, voted, convention=convention)
        facts["lights"] = lights.measured(gold, voted, convention=convention)
    facts["scores"] = {
        name: dict(evaluate(gold, parse, convention=convention).attachment)
        for name, parse in {**parses, "vote": voted}.items()
    }
    return facts


def _familiarity(
    parses: Sequence[Treebank], voted: Treebank, unknown: Bools | None
) -> tuple[dict[str, JSON], Treebank]:
    """Return what held-out sentences are to a model, in percent and as a share, and their vote with the confidence."""
    tokens = voted.is_token
    agreed = 100 * float(unanimous(parses)[tokens].mean())
    found: dict[str, JSON] = {
        "tokens": int(tokens.sum()),
        "sentences": voted.n_sentences,
        "agreement": round(agreed, 2),
    }
    if unknown is None:
        return found, voted
    usual = round(usual_share(unknown, voted), 4)
    found |= {"unknown": round(100 * float(unknown[tokens].mean()), 2), "usual": usual}
    return found, tempered(voted, unknown, usual)


def facts_of(treebank: Treebank) -> dict[str, JSON]:
    """Return name, sizes and a checksum of forms and trees: predicted tags do not make other data of them."""
    words = ROOT, *(Word(word.form, "_", "_", "_", "_") for word in treebank.words[1:])
    bare = Treebank.concatenate([dataclasses.replace(treebank, words=words)]).compact()
    return {
        "name": treebank.name,
        "sentences": treebank.n_sentences,
        "tokens": treebank.n_tokens,
        "labels": len(treebank.labels),
        "sha256": checksum(bare),
    }


def _is_trainer(each: object) -> bool:
    """Tell whether something can be the trainer of a member; the class of one cannot, nor can an ensemble."""
    return hasattr(each, "train") and not isinstance(each, type | EnsembleTrainer)
