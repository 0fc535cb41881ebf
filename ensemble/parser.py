"""The ensemble as a parser: the vote of its members, with confidence."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treevote.config import to_mapping
from treevote.corpus.treebank import Treebank
from treevote.ensemble.confidence import Confidence
from treevote.ensemble.learned_vote import LearnedVote
from treevote.ensemble.members import Member, kind_of, member_from_record
from treevote.ensemble.reader import Reader
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ModelError, unknown
from treevote.models.features.lexicon import strings_shared
from treevote.models.features.word_memo import WordMemo
from treevote.protocols import Parser
from treevote.store import folder as store
from treevote.store.manifest import JSON
from treevote.store.record import Record

KIND = "ensemble"

_CONFIDENCE, _READER, _VOTE = "confidence", "reader", "vote"  # the parts of a record that are no members


@dataclass(frozen=True, eq=False)
class EnsembleParser:
    """Parsers and the vote over their trees.

    Attributes
    ----------
    members : dict of str to Member
        In the order in which ties are decided.
    weights : Weights or LearnedVote
        The weights of their votes, or what was learned of them.
    facts : dict
        Training data, and scores on the development set.
    confidence : Confidence, optional
        None without development data in training, and with a learned vote, which has confidence of its own.
    reader : Reader, optional
        Tokenizer and tagger of a model that reads raw text; `parse` takes sentences as they are.
    """

    members: dict[str, Member]
    weights: Weights | LearnedVote
    facts: Mapping[str, JSON]
    confidence: Confidence | None = None
    reader: Reader | None = None

    def __post_init__(self) -> None:
        """Share one cache of words among members with the same lexicon, such as those of one training."""
        memos: list[WordMemo] = []
        shared: dict[str, Any] = dict(self.members)
        for name, member in shared.items():
            if not isinstance(own := getattr(member, "memo", None), WordMemo):  # a plug-in may have none
                continue
            memo = next((memo for memo in memos if memo.lexicon == own.lexicon), own)
            memos.append(memo)
            if memo is not own:
                shared[name] = dataclasses.replace(member, memo=memo)
        object.__setattr__(self, "members", shared)

    @property
    def has_confidence(self) -> bool:
        """Whether the vote knows the probability that an arc is right."""
        return self.confidence is not None or isinstance(self.weights, LearnedVote)

    @property
    def single_root(self) -> bool:
        """Whether every tree has exactly one root."""
        return all(member.single_root for member in self.members.values())

    def parse_members(self, treebank: Treebank) -> dict[str, Treebank]:
        """Return the parse of each member."""
        return {name: member.parse(treebank) for name, member in self.members.items()}

    def combine(self, parses: Mapping[str, Treebank]) -> Treebank:
        """Return the vote over the parses of all members, with support, and with confidence if possible."""
        systems = [parses[name] for name in self.members]
        if isinstance(self.weights, LearnedVote):
            return self.weights.vote(systems, single_root=self.single_root)
        voted = vote(systems, self.weights, single_root=self.single_root)
        if self.confidence is None:
            return voted
        arc, label = self.confidence.of(systems, voted)
        return dataclasses.replace(voted, confidence=arc, label_confidence=label)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with the trees that have most votes, and their support."""
        return self.parse_counted(treebank)[0]

    def parse_counted(self, treebank: Treebank) -> tuple[Treebank, int]:
        """Parse, and return the number of fallbacks to a simpler search, summed over members."""
        counted = {name: parse_counted(member, treebank) for name, member in self.members.items()}
        parse = self.combine({name: parse for name, (parse, _) in counted.items()})
        return parse, sum(fallbacks for _, fallbacks in counted.values())

    def record(self) -> Record:
        """Return the whole ensemble as data."""
        parts = {name: member.record() for name, member in self.members.items()}
        if self.confidence is not None:
            parts[_CONFIDENCE] = self.confidence.record()
        if self.reader is not None:
            parts[_READER] = self.reader.record()
        facts = dict(self.facts)
        if isinstance(self.weights, LearnedVote):
            parts[_VOTE] = self.weights.record()
        else:
            facts["votes"] = self.weights.to_json()
        return Record(KIND, facts, parts=parts)

    @classmethod
    def from_record(cls, record: Record) -> EnsembleParser:
        """Return the ensemble of a record.

        Raises
        ------
        ModelError
            If the record is of another kind, or its parts do not fit together.
        """
        if record.kind != KIND:
            raise ModelError(f"expected a model of kind '{KIND}', found '{record.kind}'; train it again")
        parts = record.parts
        sure = Confidence.from_record(parts[_CONFIDENCE]) if _CONFIDENCE in parts else None
        with strings_shared():  # no part is held longer than it is needed: some take memory twice
            members = {name: member_from_record(parts[name]) for name in _members(record)}
            reader = Reader.from_record(parts[_READER]) if _READER in parts else None
        facts = dict(record.facts)
        votes: Any = facts.pop("votes", None)
        weights: Weights | LearnedVote
        if _VOTE in parts:
            weights = LearnedVote.from_record(parts[_VOTE])
        elif isinstance(votes, Mapping):
            weights = Weights.from_json(votes)
        else:
            raise ModelError("the model has no weights for the vote of its members; train it again or copy it again")
        if not members or weights.n_members != len(members) or (sure and sure.n_members != len(members)):
            raise ModelError("the model has weights for other members; train it again or copy it again")
        return cls(members, weights, facts, sure, reader)


def _members(record: Record) -> list[str]:
    """Return the names of the members in the record of an ensemble."""
    return [name for name in record.parts if name not in (_CONFIDENCE, _READER, _VOTE)]


def parse_counted(parser: Parser, treebank: Treebank) -> tuple[Treebank, int]:
    """Return the parse, and the number of sentences on which a bounded search fell back on a simpler one."""
    own: Callable[[Treebank], tuple[Treebank, int]] | None = getattr(parser, "parse_counted", None)
    return (parser.parse(treebank), 0) if own is None else own(treebank)


def save(parser: EnsembleParser, path: str | Path) -> None:
    """Write a parser into a model folder, whole or not at all; see `treevote.store.folder.save`."""
    store.save(parser.record(), path)


def load(path: str | Path) -> EnsembleParser:
    """Read a parser from a model folder.

    Raises
    ------
    ModelError
        If it is not a model, of another version, or damaged.
    """
    return store.build(path, EnsembleParser.from_record)


def load_member(path: str | Path, name: str) -> EnsembleParser:
    """Read a member alone, as an ensemble without confidence, with the reader; the other members are not read.

    Raises
    ------
    ModelError
        As `load`.
    ConfigError
        If there is no member of the name; the nearest is named.
    """

    def alone(record: Record) -> EnsembleParser:
        known = _members(record)
        if name not in known:
            raise unknown("member", name, known)
        parts = {part: record.parts[part] for part in (name, _READER) if part in record.parts}
        facts = {**record.facts, "votes": Weights.equal(1).to_json()}
        return EnsembleParser.from_record(dataclasses.replace(record, facts=facts, parts=parts))

    return store.build(path, alone)


def configuration(parser: EnsembleParser) -> dict[str, dict[str, Any]]:
    """Return the configuration of every member, as `treevote train --config` reads it."""
    return {
        name: {"kind": kind_of(member.trainer), **to_mapping(member.trainer)} for name, member in parser.members.items()
    }
