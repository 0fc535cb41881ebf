"""The plan of an adaptation: the members to train, and the committee that judges the text, checked before the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treevote.adaptation.annotation import require_parses
from treevote.adaptation.data import Data, has_tagger
from treevote.adaptation.scheme import Scheme
from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import DEFAULT_MEMBERS, clusters_of, expanded, member_of, with_clusters
from treevote.ensemble.parser import EnsembleParser
from treevote.errors import ConfigError
from treevote.parallel import ONE_JOB, Jobs
from treevote.protocols import Parser, Trainer


class Plan(NamedTuple):
    """Trainers of an adaptation by name."""

    parsers: bool  # whether they are trained anew
    taggers: bool
    members: dict[str, Trainer]  # of the new model
    committee: dict[str, Trainer]  # judges the text; empty if no parser learns from it


@dataclass(frozen=True)
class FrozenTrainer:
    """A trainer that returns an existing parser, so that weights and confidence are fitted again, on other tags."""

    member: Parser

    def train(self, treebank: Treebank, dev: Treebank | None = None, *, seed: int = 0, jobs: Jobs = ONE_JOB) -> Parser:
        """Return the parser."""
        return self.member


def plan_of(model: EnsembleParser, data: Data, scheme: Scheme) -> Plan:
    """Return the plan of an adaptation of a model.

    ConfigError if there is nothing to adapt to or to retrain, a member is unknown, or the committee has fewer than two
    parsers or cannot have the confidence that is asked for; InputError if external parses are not those of the text.
    """
    parsers = scheme.retrained != "taggers"
    taggers = scheme.retrained != "parsers" and has_tagger(model)
    if not parsers and not taggers:
        raise ConfigError("the model has no tagger to retrain; train it with --from-text, or retrain its parsers")
    if not data.unlabelled and data.target_train is None:
        raise ConfigError("there is nothing to adapt to; give text of the new domain, or labelled sentences of it")
    judged = parsers and bool(data.unlabelled)
    alone = len(model.members) + len(data.external) < 2
    committee = _trainers(model, data, scheme.committee or (DEFAULT_MEMBERS if alone else ())) if judged else {}
    if judged and len(committee) + len(data.external) < 2:
        raise ConfigError(f"expected a committee of two or more, found only {', '.join(committee)}; name others")
    if judged and scheme.selection.min_confidence > 0 and (data.source_dev is None or data.external):
        raise ConfigError(
            "a committee has confidence only with a development set, and without external parses; give --dev and "
            "no --external, or leave out --min-confidence"
        )
    members = _trainers(model, data, scheme.members)
    if judged and data.external:
        require_parses(data)
    if not parsers:
        members = {name: FrozenTrainer(member) for name, member in model.members.items()}
    return Plan(parsers, taggers, members, committee)


def _trainers(model: EnsembleParser, data: Data, names: Sequence[str]) -> dict[str, Trainer]:
    """Return trainers by name, those of the model where it has them; without names all of the model."""
    own = {name: member.trainer for name, member in model.members.items()}
    found = {name: own[name] if name in own else member_of(name, {}) for name in expanded(names) or own}
    return with_clusters(found, clusters_of(own) if data.clusters is None else data.clusters)
