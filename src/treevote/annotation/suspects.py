"""Suspects: tokens whose arc or label is probably wrong, from three witnesses in one ranking.

The parsers give the probability that a head or label is wrong (`treevote.annotation.verdicts`). A variation nucleus
(`treevote.annotation.variation`) and a break of a habit of the treebank (`treevote.annotation.habits`) are further
evidence, which multiplies the odds. They also find what the parsers have learned from the treebank as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from treevote.annotation.acknowledged import Case, digest
from treevote.annotation.habits import Habits
from treevote.annotation.variation import Variation
from treevote.annotation.verdicts import Verdicts
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_partial
from treevote.kernels import Doubles

Kind: TypeAlias = Literal["head", "label", "variation", "habit"]

KINDS: dict[Kind, str] = {
    "head": "Another head, by the parsers",
    "label": "Another label, by the parsers",
    "variation": "Another analysis of the same words elsewhere",
    "habit": "Breaks of a habit of the treebank",
}
"""What speaks against an analysis, for a reader."""

VARIES, TWIN = 3.0, 10.0
"""Factors of the odds of a token in a nucleus whose other analysis is as frequent or more, and of one of two dependents
with a label that heads hardly ever have twice: as measured on errors planted into Greek-GDT."""

LEAST = 0.2  # least probability of a suspect by default
SMALLEST = 1e-6  # probability below which nothing is a suspect
CLEAR = 0.5  # probability by the parsers from which on they name the kind of a suspect that is also in another list


class Arc(NamedTuple):
    """Head and label of a token, with the form of the head; position 0 is ROOT."""

    head: int
    deprel: str
    form: str


@dataclass(frozen=True, slots=True)
class Suspect:
    """A token whose analysis is doubtful."""

    sentence: int  # from 0, in the treebank
    sent_id: str  # name of the sentence
    token: int  # its ID
    form: str
    given: Arc
    suggested: Arc | None  # None for a variation that is no link
    probability: float  # that head or label is wrong
    kind: Kind
    kinds: tuple[Kind, ...]  # all lists that it is in
    reason: str
    digest: str

    @property
    def case(self) -> Case:
        """What an annotator acknowledges."""
        return self.sent_id, self.token, self.digest


@dataclass(frozen=True)
class Diagnosis:
    """The treebank as it was read, and its suspects, whose sentences are those of the treebank."""

    treebank: Treebank
    suspects: list[Suspect]
    files: tuple[str, ...]
    members: tuple[str, ...]
    folds: int
    least: float
    acknowledged: int  # number of cases that are not shown

    def __repr__(self) -> str:
        """Return one line about the diagnosis."""
        return f"<Diagnosis of {self.treebank.name!r}: {len(self.suspects)} suspects>"

    @property
    def probable(self) -> int:
        """Number of the suspects with the least probability that was asked for; others are in a list beside parsers."""
        return sum(one.probability >= self.least for one in self.suspects)

    @property
    def judged(self) -> tuple[int, int]:
        """Numbers of the sentences with whole trees, which alone are looked at, and of their tokens."""
        whole = ~are_partial(self.treebank)
        return int(whole.sum()), int(self.treebank.lengths[whole].sum())

    def slot(self, suspect: Suspect) -> int:
        """Return the slot of a suspect in the treebank."""
        return int(self.treebank.offsets[suspect.sentence]) + suspect.token


class Evidence(NamedTuple):
    """What the witnesses say of each token of a treebank."""

    verdicts: Verdicts
    variation: Variation
    habits: Habits

    @classmethod
    def of(cls, treebank: Treebank, parses: Sequence[Treebank]) -> Evidence:
        """Hear the witnesses; ``parses`` are those of parsers that were not trained on the sentences."""
        habits = Habits.of(treebank, np.stack([parse.heads for parse in parses]))
        return cls(Verdicts.of(treebank, parses, habits), Variation.of(treebank), habits)

    @property
    def probability(self) -> Doubles:
        """Probability that head or label is wrong, shape (n_slots,)."""
        by_parsers = self.verdicts.wrong_head + self.verdicts.wrong_label
        factor = np.where(self.variation.other > 0, VARIES, 1.0) * np.where(self.habits.is_twin, TWIN, 1.0)
        return factor * by_parsers / (1 + (factor - 1) * by_parsers)

    def suggestion(self, slot: int, kind: Kind, given: int) -> tuple[int, str] | None:
        """Return head and label of the best other analysis of a token, given its head; None if nobody has one."""
        verdicts, variation = self.verdicts, self.variation
        if kind == "variation":
            head, deprel = int(variation.head[slot]), int(variation.deprel[slot])
        elif self._by_parsers(slot) == "label":
            head, deprel = given, int(verdicts.other_deprel[slot])
        else:
            head, deprel = int(verdicts.rival[slot]), int(verdicts.rival_deprel[slot])
        return (head, verdicts.labels[deprel]) if head >= 0 else None

    def kinds(self, slot: int, least: float) -> tuple[Kind, ...]:
        """Return the lists that a token is in, given the least probability of those of the parsers; the first names it.

        The parsers come first if they are clear, or if nothing else speaks against the analysis.
        """
        head, label = float(self.verdicts.wrong_head[slot]), float(self.verdicts.wrong_label[slot])
        others: list[Kind] = ["variation"] if self.variation.other[slot] else []
        if self.habits.is_new[slot] or self.habits.is_twin[slot]:
            others.append("habit")
        kind = self._by_parsers(slot)
        if head + label >= CLEAR or not others:
            return (kind, *others)
        return (*others, kind) if head + label >= least else tuple(others)

    def _by_parsers(self, slot: int) -> Kind:
        """Return what the parsers doubt more; the head as well where none of them has another label for it."""
        is_label = self.verdicts.wrong_label[slot] > self.verdicts.wrong_head[slot]
        return "label" if is_label and self.verdicts.other_deprel[slot] >= 0 else "head"


def suspects_of(treebank: Treebank, names: Sequence[str], evidence: Evidence, least: float = LEAST) -> list[Suspect]:
    """Return the tokens with at least a probability, and all variations and breaks of habits, most probable first.

    ``names`` are those of the sentences. Ties are in the order of the treebank.
    """
    probability = evidence.probability
    order = np.argsort(-probability, kind="stable")
    beside_parsers = (evidence.variation.other > 0) | evidence.habits.is_new | evidence.habits.is_twin
    chosen = (probability >= max(least, SMALLEST)) | beside_parsers

    def word_at(slot: int) -> str:
        return treebank.words[int(treebank.tokens[slot])].form

    def arc(root: int, head: int, deprel: str) -> Arc:
        return Arc(head, deprel, word_at(root + head) if head else "ROOT")

    suspects = []
    for slot in order[chosen[order]].tolist():
        sentence, token = _place(treebank, slot)
        root, form, name = slot - token, word_at(slot), names[sentence]
        kinds, value = evidence.kinds(slot, least), float(probability[slot])
        given = arc(root, int(treebank.heads[slot]), treebank.labels[treebank.deprels[slot]])
        found = evidence.suggestion(slot, kinds[0], given.head)
        suggested = arc(root, *found) if found else None
        reason, key = _reason(treebank, names, evidence, slot), digest(form, *given)
        suspects.append(Suspect(sentence, name, token, form, given, suggested, value, kinds[0], kinds, reason, key))
    return suspects


def _reason(treebank: Treebank, names: Sequence[str], evidence: Evidence, slot: int) -> str:
    """Say what the witnesses beside the parsers have seen."""
    reasons, (_, variation, habits) = [], evidence
    if variation.other[slot]:
        sentence, token = _place(treebank, int(variation.example[slot]))
        counts = f"{variation.same[slot]:,} so and {variation.other[slot]:,} otherwise"
        reasons.append(f"of the same words {counts}, as {names[sentence]}, token {token}")
    if habits.is_new[slot]:
        reasons.append("no other arc between these parts of speech has this label")
    if habits.is_twin[slot]:
        reasons.append("the head has another dependent with this label")
    return "; ".join(reasons)


def _place(treebank: Treebank, slot: int) -> tuple[int, int]:
    """Return the sentence of a slot, from 0, and its position there."""
    sentence = int(np.searchsorted(treebank.offsets, slot, "right")) - 1
    return sentence, slot - int(treebank.offsets[sentence])
