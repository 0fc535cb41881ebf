"""The ensemble as trainer and parser: members trained side by side, their votes combined."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import treevote
from treevote import store
from treevote.config import to_mapping
from treevote.ensemble.members import DEFAULT_MEMBERS, members_of
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, ModelError, unknown
from treevote.metrics import Convention, evaluate
from treevote.models.features.word_memo import WordMemo
from treevote.models.transition.parser import KIND as LR_PARSER
from treevote.models.transition.parser import TransitionParser, TransitionTrainer
from treevote.parallel import map_parallel
from treevote.protocols import Progress
from treevote.store import JSON, Record
from treevote.treebank import Treebank

KIND = "ensemble"


@dataclass(frozen=True)
class EnsembleTrainer:
    """Hyper-parameters of an ensemble.

    Attributes
    ----------
    members : mapping of str to TransitionTrainer
        By name, in the order in which ties are decided: the best first.
    weights : {"equal", "accuracy", "pos"}
        How much the vote of each counts, see `treevote.ensemble.weights`; all but ``"equal"`` need a development set.

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])] * 5)
    >>> EnsembleTrainer().train(toy).parse(toy).sentence(0).heads.tolist()
    [-1, 2, 3, 0]
    """

    members: Mapping[str, TransitionTrainer] = dataclasses.field(default_factory=lambda: members_of(DEFAULT_MEMBERS))
    weights: Literal["equal", "accuracy", "pos"] = "equal"

    def __post_init__(self) -> None:
        if self.weights not in ("equal", "accuracy", "pos"):
            raise unknown("weights", self.weights, ("equal", "accuracy", "pos"))

    def train(
        self,
        treebank: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int = 0,
        n_jobs: int = 1,
        backend: str | None = None,
        convention: Convention = "ud",
        progress: Progress | None = None,
    ) -> EnsembleParser:
        """Train the members, then weigh and score them on a development set if there is one.

        Parameters
        ----------
        treebank : Treebank
            Every sentence has a tree.
        dev : Treebank, optional
            Sentences with trees that are not trained on.
        seed : int, default=0
            Each member draws from it and its name: it is the same alone and beside others.
        n_jobs, backend
            As in `treevote.parallel.map_parallel`; the result does not depend on them.
        convention : {"ud", "conllx"}, default="ud"
            Of the scores.
        progress : callable, optional
            Called as members advance.

        Raises
        ------
        ConfigError
            If there is no member, weights are asked for without a development set, or the seed is negative.
        """
        if not self.members:
            raise ConfigError("an ensemble needs at least one member; name one")
        if seed < 0:
            raise ConfigError(f"the seed should not be negative, found {seed}")
        if self.weights != "equal" and dev is None:
            raise ConfigError(
                f"weights by {self.weights} are measured on a development set; give one, or choose equal weights"
            )
        bare = dataclasses.replace(treebank, source=None)
        work = functools.partial(_train_member, bare, seed)
        trained = map_parallel(work, self.members.items(), n_jobs=n_jobs, backend=backend, progress=progress)
        members = dict(zip(self.members, trained, strict=True))
        facts: dict[str, JSON] = {
            "treevote": treevote.__version__,
            "seed": seed,
            "training": _facts_of(treebank),
            "weights": self.weights,
        }
        parser = EnsembleParser(members, Weights.equal(len(members)), facts)
        if dev is None:
            return parser
        parses = parser.parse_members(dev)
        if self.weights != "equal":
            by = Weights.by_accuracy if self.weights == "accuracy" else Weights.by_pos
            parser = dataclasses.replace(parser, weights=by(dev, list(parses.values())))
        parses["vote"] = parser.combine(parses)
        facts["development"] = _facts_of(dev)
        facts["scores"] = {name: _scores(dev, parse, convention) for name, parse in parses.items()}
        return dataclasses.replace(parser, facts=facts)


def _train_member(
    treebank: Treebank, seed: int, member: tuple[str, TransitionTrainer], progress: Progress | None = None
) -> TransitionParser:
    name, trainer = member
    own_seed = int(np.random.default_rng([seed, zlib.crc32(name.encode())]).integers(2**31))
    named = None if progress is None else lambda _, done, total: progress(name, done, total)
    return trainer.train(treebank, seed=own_seed, progress=named)


def _facts_of(treebank: Treebank) -> dict[str, JSON]:
    """Return name, sizes and a checksum of words and trees."""
    digest = hashlib.sha256()
    for column in (treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets):
        digest.update(column.tobytes())
    for string in (*("\t".join(word) for word in treebank.words), *treebank.labels):
        digest.update(string.encode("utf-8", "surrogatepass") + b"\n")
    return {
        "name": treebank.name,
        "sentences": treebank.n_sentences,
        "tokens": treebank.n_tokens,
        "labels": len(treebank.labels),
        "sha256": digest.hexdigest(),
    }


def _scores(gold: Treebank, parse: Treebank, convention: Convention) -> dict[str, JSON]:
    counts = evaluate(gold, parse, convention=convention)
    return {"las": round(counts.las, 2), "uas": round(counts.uas, 2)}


@dataclass(frozen=True, eq=False)
class EnsembleParser:
    """Parsers and the weight of their votes.

    Attributes
    ----------
    members : dict of str to TransitionParser
    weights : Weights
    facts : dict
        What it was trained on, and its scores on the development set.
    """

    members: dict[str, TransitionParser]
    weights: Weights
    facts: Mapping[str, JSON]

    def __post_init__(self) -> None:
        """Let members with the same lexicon, as those of one training are, share the words that they met."""
        memos: list[WordMemo] = []
        shared = {}
        for name, member in self.members.items():
            memo = next((memo for memo in memos if memo.lexicon == member.memo.lexicon), member.memo)
            memos.append(memo)
            shared[name] = dataclasses.replace(member, memo=memo)
        object.__setattr__(self, "members", shared)

    @property
    def single_root(self) -> bool:
        """Whether every tree has exactly one root."""
        return all(member.single_root for member in self.members.values())

    def parse_members(self, treebank: Treebank) -> dict[str, Treebank]:
        """Return the parse of each member."""
        return {name: member.parse(treebank) for name, member in self.members.items()}

    def combine(self, parses: Mapping[str, Treebank]) -> Treebank:
        """Return the vote over the parses of all members."""
        return vote([parses[name] for name in self.members], self.weights, single_root=self.single_root)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with the trees that have most votes, and their support."""
        return self.parse_counted(treebank)[0]

    def parse_counted(self, treebank: Treebank) -> tuple[Treebank, int]:
        """Parse, and count how often the best-first search of a member fell back to greedy completion."""
        counted = {name: member.parse_counted(treebank) for name, member in self.members.items()}
        parse = self.combine({name: parse for name, (parse, _) in counted.items()})
        return parse, sum(fallbacks for _, fallbacks in counted.values())

    def record(self) -> Record:
        """Return the whole ensemble as data."""
        return Record(
            KIND,
            {**self.facts, "votes": self.weights.to_json()},
            parts={name: member.record() for name, member in self.members.items()},
        )

    @classmethod
    def from_record(cls, record: Record) -> EnsembleParser:
        """Make the ensemble of a record.

        Raises
        ------
        ModelError
            If the record is of another kind, or its parts do not fit together.
        """
        if record.kind != KIND or any(part.kind != LR_PARSER for part in record.parts.values()):
            raise ModelError(f"expected a model of kind '{KIND}', found '{record.kind}'; train it again")
        members = {name: TransitionParser.from_record(part) for name, part in record.parts.items()}
        facts = dict(record.facts)
        votes: Any = facts.pop("votes", None)
        if not isinstance(votes, Mapping):
            raise ModelError("the model does not say how its members vote; train it again or copy it again")
        weights = Weights.from_json(votes)
        if not members or len(weights.overall) != len(members):
            raise ModelError("the model has weights for other members; train it again or copy it again")
        return cls(members, weights, facts)


def save(parser: EnsembleParser, path: str | Path) -> None:
    """Write a parser into a model folder, whole or not at all; see `treevote.store.save`."""
    store.save(parser.record(), path)


def load(path: str | Path) -> EnsembleParser:
    """Read a parser from a model folder.

    Raises
    ------
    ModelError
        If it is not a model, of another version, or damaged.
    """
    return EnsembleParser.from_record(store.load(path))


def configuration(parser: EnsembleParser) -> dict[str, dict[str, Any]]:
    """Return the configuration of every member, as `treevote train --config` reads it."""
    return {name: to_mapping(member.trainer) for name, member in parser.members.items()}
