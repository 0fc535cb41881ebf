"""The ensemble as a parser: the vote of its members, with confidence."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from treevote.config import to_mapping
from treevote.corpus.given import Given, Keep
from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidate_model import CandidateModel
from treevote.ensemble.judge import Judge
from treevote.ensemble.members import Member, kind_of, member_from_record
from treevote.ensemble.plug_in_faults import faults_named
from treevote.ensemble.proposals import parse_in_turn
from treevote.ensemble.unknown_words import tempered, unknown_words
from treevote.ensemble.vote import vote
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError, ModelError, require_known
from treevote.files.streams import AnyPath
from treevote.models.learning.features.lexicon import strings_shared
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.text.text_annotator import TextAnnotator
from treevote.protocols import Parser
from treevote.store import folder as store
from treevote.store.manifest import JSON
from treevote.store.record import Record

KIND = "ensemble"
_CANDIDATES, _ANNOTATOR = "candidates", "annotator"  # the parts of a record that are no members
_LEARNED = {"kind": "learned"}  # instead of weights
NO_ANNOTATOR = TextAnnotator()  # of a model that takes sentences as they are


@dataclass(frozen=True, eq=False)
class EnsembleParser:
    """Parsers and the vote over their trees.

    Attributes
    ----------
    members : dict of str to Member
        In the order in which ties are decided.
    judge : Judge
        The vote over their trees; it has confidence after training with development data or folds.
    facts : dict
        Training data, and scores on the development set.
    annotator : TextAnnotator, optional
        Tokenizer and tagger of a model that reads raw text; `parse` takes sentences as they are.
    """

    members: dict[str, Member]
    judge: Judge
    facts: Mapping[str, JSON]
    annotator: TextAnnotator = NO_ANNOTATOR

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

    def __repr__(self) -> str:
        """Return one line: a model has millions of numbers."""
        return f"<EnsembleParser: {', '.join(self.members)}>"

    @property
    def has_confidence(self) -> bool:
        """Whether the vote knows the probability that an arc is right."""
        return self.judge.model is not None

    @property
    def measured_on(self) -> str:
        """Name of the sentences on which it was measured: development data or folds; empty if it was not."""
        if "development" in self.facts:
            return "development data"
        return f"{self.facts['folds']} folds" if "folds" in self.facts else ""

    @property
    def familiarity(self) -> Mapping[str, JSON]:
        """Facts of the development data: tokens, agreement of the members, unknown words; empty without such data."""
        found = self.facts.get("familiarity")
        return found if isinstance(found, Mapping) else {}

    @property
    def usual_share(self) -> float | None:
        """The usual share of unknown words, see `treevote.ensemble.unknown_words`; None if it was not measured."""
        usual = self.familiarity.get("usual")
        return usual if isinstance(usual, float) else None

    @functools.cached_property
    def trees_alone(self) -> EnsembleParser:
        """The same without the confidence that its trees do not need."""
        annotator = dataclasses.replace(self.annotator, confidence=None)
        return dataclasses.replace(self, judge=self.judge.trees_alone, annotator=annotator)

    @property
    def single_root(self) -> bool:
        """Whether every tree has exactly one root."""
        return all(member.single_root for member in self.members.values())

    def parse_members(self, treebank: Treebank, given: Given | None = None) -> dict[str, Treebank]:
        """Return the parse of each member, with the given arcs that its search can hold."""
        return {name: parse for name, (parse, _) in self._parses(treebank, given).items()}

    def _parses(self, treebank: Treebank, given: Given | None) -> dict[str, tuple[Treebank, int]]:
        """Return the parse of each member, and its number of fallbacks to a simpler search."""
        return parse_in_turn(self.members, treebank, lambda member, own: _counted(member, own, given))

    def combine(self, parses: Mapping[str, Treebank], given: Given | None = None) -> Treebank:
        """Return the vote over the parses of all members, with support, and with confidence if possible.

        InputError if the parse of a member is missing.
        """
        if missing := self.members.keys() - parses.keys():
            raise InputError(f"expected a parse of each member, found none of {min(missing)}", remedy="give all")
        voted = self.judge.vote([parses[name] for name in self.members], single_root=self.single_root, given=given)
        usual = self.usual_share
        if voted.confidence is None or usual is None:
            return voted
        unknown = unknown_words(self.members.values(), voted)
        return voted if unknown is None else tempered(voted, unknown, usual)

    def parse(self, treebank: Treebank, *, keep: Keep | None = None) -> Treebank:
        """Return the same sentences with the trees that have most votes, and their support.

        Trees of the input are ignored, but for the heads and labels to ``keep``: the result is the heaviest tree that
        holds them. InputError if there is none.
        """
        return self.parse_counted(treebank, Given.of(treebank, keep, single_root=self.single_root))[0]

    def parse_counted(self, treebank: Treebank, given: Given | None = None) -> tuple[Treebank, int]:
        """Parse, and return the number of fallbacks to a simpler search, summed over members."""
        if not isinstance(treebank, Treebank):
            problem = f"expected a treebank, found {type(treebank).__name__}"
            raise InputError(problem, remedy="read it with treevote.read or treevote.loads, or call treevote.parse")
        counted = self._parses(treebank, given)
        parse = self.combine({name: parse for name, (parse, _) in counted.items()}, given)
        return parse, sum(fallbacks for _, fallbacks in counted.values())

    def record(self) -> Record:
        """Return the whole ensemble as data."""
        parts = {}
        for name, member in self.members.items():
            with faults_named(name, member):
                parts[name] = member.record()
                if not isinstance(parts[name], Record):
                    raise TypeError(f"expected a Record, found {type(parts[name]).__name__}")
        if self.judge.model is not None:
            parts[_CANDIDATES] = self.judge.model.record()
        if self.annotator.parts:
            parts[_ANNOTATOR] = self.annotator.record()
        weights = self.judge.weights
        votes: JSON = dict(_LEARNED) if weights is None else weights.to_json()
        return Record(KIND, {**self.facts, "votes": votes}, parts=parts)

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
        model = CandidateModel.from_record(parts[_CANDIDATES]) if _CANDIDATES in parts else None
        with strings_shared():  # no part is held longer than it is needed: some take memory twice
            members = {name: member_from_record(name, parts[name]) for name in _members(record)}
            annotator = TextAnnotator.from_record(parts[_ANNOTATOR]) if _ANNOTATOR in parts else NO_ANNOTATOR
        facts = dict(record.facts)
        seed, about = facts.get("seed", 0), [facts.get(name, {}) for name in ("training", "reading")]
        if not (isinstance(seed, int) and seed >= 0 and all(isinstance(own, Mapping) for own in about)):
            raise ModelError("the facts of the model are damaged (training, reading or seed); train it again")
        votes: Any = facts.pop("votes", None)
        if not isinstance(votes, Mapping) or (votes == _LEARNED and model is None):
            raise ModelError("the model has no weights for the vote of its members; train it again or copy it again")
        weights = None if votes == _LEARNED else Weights.from_json(votes)
        if not members or any(part.n_members != len(members) for part in (weights, model) if part is not None):
            raise ModelError("the model has weights for other members; train it again or copy it again")
        return cls(members, Judge(weights, model), facts, annotator)


def _members(record: Record) -> list[str]:
    """Return the names of the members in the record of an ensemble."""
    return [name for name in record.parts if name not in (_CANDIDATES, _ANNOTATOR)]


def parse_counted(parser: Parser, treebank: Treebank, given: Given | None = None) -> tuple[Treebank, int]:
    """Return the parse, and the number of sentences on which a bounded search fell back on a simpler one.

    It holds all ``given`` arcs: where the parser leaves some out, it is the tree with them that has most of its arcs.
    """
    parse, fallbacks = _counted(parser, treebank, given)
    if given is not None and not isinstance(parser, EnsembleParser):
        voted = vote([parse], single_root=parser.single_root, given=given)
        parse = parse.with_trees(voted.heads, voted.deprels, voted.labels)
    return parse, fallbacks


def _counted(parser: Parser, treebank: Treebank, given: Given | None) -> tuple[Treebank, int]:
    """Return the parse with the given arcs that the search of the parser can hold, and the number of fallbacks."""
    own: Callable[..., tuple[Treebank, int]] | None = getattr(parser, "parse_counted", None)
    if own is None:
        return parser.parse(treebank), 0
    return own(treebank) if given is None else own(treebank, given)


def save(parser: EnsembleParser, path: AnyPath) -> None:
    """Write a parser into a model folder, whole or not at all; see `treevote.store.folder.save`.

    ConfigError for a member alone, which is no model.
    """
    if not isinstance(parser, EnsembleParser):
        raise ConfigError(f"expected an ensemble to save, found {type(parser).__name__}; make an EnsembleParser of it")
    store.save(parser.record(), path)


def load(path: AnyPath) -> EnsembleParser:
    """Read a parser from a model folder, or from an installed model by its name.

    Raises
    ------
    ModelError
        If it is not a model, of another version, or damaged.
    """
    return store.build(path, EnsembleParser.from_record)


def load_member(path: AnyPath, name: str) -> EnsembleParser:
    """Read a member alone, as an ensemble without confidence, with the annotator; the other members are not read.

    ModelError as `load`; ConfigError, with the nearest name, if there is no such member.
    """

    def alone(record: Record) -> EnsembleParser:
        known = _members(record)
        require_known("member", name, known)
        parts = {part: record.parts[part] for part in (name, _ANNOTATOR) if part in record.parts}
        facts = {**record.facts, "votes": Weights.equal(1).to_json()}
        return EnsembleParser.from_record(dataclasses.replace(record, facts=facts, parts=parts))

    return store.build(path, alone)


def configuration(parser: EnsembleParser) -> dict[str, dict[str, Any]]:
    """Return the configuration of every member, as `treevote train --config` reads it."""
    trainers = {name: member.trainer for name, member in parser.members.items()}
    return {name: {"kind": kind_of(trainer), **to_mapping(trainer)} for name, trainer in trainers.items()}


def score_tags(facts: Mapping[str, Any]) -> str | None:
    """Return the tags with which the trees of the scores were found, ``gold`` or ``predicted``; None without scores.

    Development data get the tags that the model predicts; folds have the tags of the training data of the parsers.
    """
    if "scores" not in facts:
        return None
    reading = facts.get("reading")
    return "predicted" if reading and ("development" in facts or reading.get("tags") == "predicted") else "gold"
