"""Familiarity of a text to a model: words and tags that the training data had, and agreement of the members.

A parser that was trained with tags parses text without tags at a tenth of its accuracy, without an error; so does a
parser of another language. The vocabulary of the model reveals both in the first sentences. Of a whole text, the share
of tokens on which all members agree tells how far LAS falls (`treevote.ensemble.estimate`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treevote.corpus.given import FREE_LABEL, Keep
from treevote.corpus.pseudo_projective import plain_labels
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.ensemble.estimate import Estimate, SourceScores, all_agree, estimate, log_odds, standard_error
from treevote.ensemble.foreign_tags import COLUMNS, foreign, known_values, usual_shares
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.unknown_words import memos_of, unknown_words
from treevote.models.learning.features.lexicon import ATTRIBUTES
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.text.text_annotator import without_tags
from treevote.protocols import Parser
from treevote.store.manifest import JSON

ENOUGH_TOKENS = 20  # minimum number of tokens for a judgement by shares
ENOUGH_WORDS = 2_000  # minimum number of forms in the vocabulary of a model for a judgement by forms

# Share of tokens with unknown forms from which a text is doubtful. On 22 UD treebanks: at most 0.40 on the test set of
# a model's own treebank, 0.70 or more on 383 of the 462 test sets of the others.
STRANGE_WORDS = 0.7

MOST_NAMED = 5  # labels in a message

ENOUGH_VOTES = 500  # minimum number of tokens for a judgement by agreement

# A text is doubtful if the agreement of the members on it, as log-odds, is lower than on the development data by more
# than FAR_OFF, and by more than twice the standard error of the difference. Tokens of a document are not independent:
# the variance of a share is CLUSTERED times that of as many independent ones.
FAR_OFF, CLUSTERED = 0.35, 8.0


class Expectation(NamedTuple):
    """Unknown words of a text and of the development data in percent; LAS to expect, and on the development data.

    The range is for given tokens; ``is_raw`` tells that a tokenizer found those of the text, ``source`` names the
    development data, or the folds in their place.
    """

    unknown: float
    usual: float
    las: Estimate | None
    measured: float
    is_raw: bool
    source: str

    def __str__(self) -> str:
        here, there = f"{self.unknown:.0f}% of the words are unknown", f"{self.usual:.0f}%"
        if self.las is None:
            return f"{here} ({there} in the {self.source})"
        low, high = round(self.las.low), round(self.las.high)
        range_ = f"{low} to {high}" + (" where words and sentences are cut right" if self.is_raw else "")
        return f"{here}, expect LAS {range_} ({self.source}: {there} unknown, LAS {self.measured:.0f})"

    def as_dict(self) -> dict[str, JSON]:
        """Return it as data for JSON."""
        range_ = None if self.las is None else list(self.las[:2])
        facts = {"unknown": self.unknown, "usual_unknown": self.usual, "las": range_, "measured_las": self.measured}
        return {**facts, "raw_text": self.is_raw}


class TextCounts(NamedTuple):
    """Counts of a text: of tokens, but for the sentences; ``tokenized`` are those that a tokenizer found."""

    tokens: int = 0
    unknown: int = 0  # with a form that no member knows
    voted: int = 0
    agreed: int = 0  # of those with votes, the same arc from all members
    sentences: int = 0
    tokenized: int = 0

    def plus(self, other: TextCounts) -> TextCounts:
        """Return the counts of two texts together."""
        return TextCounts(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def unknown_percent(self) -> float:
        """The share of unknown words in percent."""
        return round(100 * self.unknown / max(1, self.tokens), 2)

    def expected(self, parser: EnsembleParser) -> Estimate | None:
        """Return the range of LAS to expect; None if the text is short, or the members were not measured."""
        if self.voted < ENOUGH_VOTES:
            return None
        return estimate(SourceScores.of(parser), 100 * self.agreed / self.voted, None, self.voted, self.sentences)

    def expectation(self, parser: EnsembleParser) -> Expectation | None:
        """Return what to expect of the parse; None without tokens, or if nothing was measured."""
        source, usual = SourceScores.of(parser), parser.familiarity.get("unknown")
        if source is None or not isinstance(usual, float) or not self.tokens:
            return None
        expected, is_raw = self.expected(parser), self.tokenized > 0
        return Expectation(self.unknown_percent, usual, expected, source.las, is_raw, parser.measured_on)

    def doubt(self, parser: EnsembleParser) -> str | None:
        """Return the reason why a text is far from what a model was measured on; None if it is not."""
        source, expected = SourceScores.of(parser), self.expected(parser)
        if source is None or source.agreement is None or expected is None:
            return None
        here, there = self.agreed / self.voted, source.agreement / 100
        fall = log_odds(source.agreement) - log_odds(100 * here)
        shares = (here, self.voted), (there, source.tokens)
        error = math.hypot(*(standard_error(share, tokens / CLUSTERED) for share, tokens in shares))
        if fall <= max(FAR_OFF, 2 * error):
            return None
        return (
            f"its members agree on {here:.0%} of the tokens ({there:.0%} on the {parser.measured_on}), and "
            f"{self.unknown_percent:.0f}% of the words are unknown: expect a LAS of {expected.low:.0f} to "
            f"{expected.high:.0f}, not {source.las:.0f}; adapt the model to such text (treevote adapt)"
        )


def text_counts(
    parser: EnsembleParser, parse: Treebank, bounds: Sequence[int], keep: Keep | None = None
) -> list[TextCounts]:
    """Return the counts of each text in a parse: sentences ``bounds[i]:bounds[i + 1]`` are text i.

    Where arcs of the text are kept no votes are counted: all members have a given arc.
    """
    slots = parse.offsets[list(bounds)]
    unknown, agreed = unknown_words(parser.members.values(), parse), None if keep else all_agree(parse)
    tokens = np.diff(slots) - np.diff(bounds)
    columns = [tokens]
    columns.append(np.zeros_like(tokens) if unknown is None else per_sentence(unknown, slots))
    columns += [np.zeros_like(tokens)] * 2 if agreed is None else [tokens, per_sentence(agreed, slots)]
    return [TextCounts(*row) for row in np.stack([*columns, np.diff(bounds)], 1).tolist()]


def doubt(parser: EnsembleParser, treebank: Treebank) -> str | None:
    """Return a sentence with the reason why a text is unfit for a model, None if it seems to be fit."""
    return doubts(parser, treebank, [0, treebank.n_sentences])[0]


def doubts(parser: EnsembleParser, treebank: Treebank, bounds: Sequence[int]) -> list[str | None]:
    """Return the reason of each text in a treebank, see `doubt`: sentences ``bounds[i]:bounds[i + 1]`` are text i."""
    ends = treebank.offsets[list(bounds)] - list(bounds)
    sizes = np.diff(ends)
    reasons: list[str | None] = [None] * len(sizes)
    small = np.flatnonzero((sizes > 0) & (sizes < ENOUGH_TOKENS)).tolist()
    if small and expects_tags(parser):
        bare = without_tags(treebank)
        for i in small:
            if bare[bounds[i] : bounds[i + 1]].all():
                reasons[i] = "no token has a part of speech; tag the text as the training data are tagged"
    if not (sizes >= ENOUGH_TOKENS).any():
        return reasons
    for memo in memos_of(parser.members.values()):
        usual = usual_shares(memo, parser.facts.get("training"))
        values = known_values(memo, treebank, [*COLUMNS, "lower"])
        sums = np.concatenate([np.zeros_like(values[:1], np.int64), np.cumsum(values, 0)])[ends]
        has_words = _size(memo, "lower") >= ENOUGH_WORDS
        for i in (i for i, size in enumerate(sizes.tolist()) if size >= ENOUGH_TOKENS and reasons[i] is None):
            *columns, words = (sums[i + 1] - sums[i]) / sizes[i]
            if has_words and words <= 1 - STRANGE_WORDS:  # then the model's own tags are strange as well
                reasons[i] = f"{1 - words:.0%} of the words are unknown to the model; take a model of their language"
            elif tags := foreign(np.array(columns), usual, int(sizes[i])):
                reasons[i] = f"{tags}; tag the text as the training data are tagged, or take a model of its language"
    return reasons


def strange_labels(parser: Parser, treebank: Treebank, keep: Keep | None) -> str | None:
    """Return a sentence that names the kept labels which a parser does not know; None if there are none."""
    if keep is None or keep == "heads" or (known := known_labels(parser)) is None:
        return None
    used = np.unique(treebank.deprels[treebank.deprels >= 0]).tolist()
    strange = [label for label in map(treebank.labels.__getitem__, used) if label not in {*known, FREE_LABEL}]
    if not strange:
        return None
    more = f" and {len(strange) - MOST_NAMED} more" if len(strange) > MOST_NAMED else ""
    named = ", ".join(sorted(strange)[:MOST_NAMED])
    return f"labels that the model does not know are kept as they are: {named}{more}"


def known_labels(parser: Parser) -> set[str] | None:
    """Return the labels that a member of a model knows, or a member alone; None if a plug-in does not tell its own."""
    known: set[str] = set()
    for member in parser.members.values() if isinstance(parser, EnsembleParser) else (parser,):
        labels = getattr(getattr(member, "labeller", member), "labels", None)
        if labels is None:
            return None
        known.update(plain_labels(labels, "path")[0])
    return known


def expects_tags(parser: EnsembleParser) -> bool:
    """Tell whether the training data of a model had parts of speech."""
    return any(max(_size(memo, "upos"), _size(memo, "xpos")) > 1 for memo in memos_of(parser.members.values()))


def _size(memo: WordMemo, attribute: str) -> int:
    """Return the number of values of an attribute that the model knows."""
    return len(memo.lexicon.values[ATTRIBUTES.index(attribute)])
