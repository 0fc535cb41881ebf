"""Distance of two domains by their words, tags and lengths, without any parser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass

import numpy as np

from treevote.corpus.repeated_sentences import repeated
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode

_PRIOR = 10  # pseudo-count of a tag bigram, distributed by the frequency of its second tag


@dataclass(frozen=True, slots=True)
class Distance:
    """Differences of a text of a new domain from the source; rates are percentages of its tokens.

    Bigram information is the mean log2 p(tag | previous tag) / p(tag) under the bigram model of the source, as a
    percentage of its value on the source: up to 100 for text in the same language, below 0 for words in random order.
    """

    unknown_words: float  # whose form, in lower case, is not in the source
    unknown_tags: float  # whose part of speech (XPOS, or UPOS where there is none) is not in the source
    tag_divergence: float  # Jensen-Shannon, in bits: 0 for the same distribution, 1 for no tag in common
    source_length: float  # mean tokens of a sentence
    target_length: float
    tags: tuple[str, ...]  # parts of speech that the source does not have, the most frequent first
    repeated: float = 0.0  # percentage of the sentences that are in the source, word for word
    bigram_information: float = 100.0


@dataclass(slots=True)
class Profile:
    """Counts of words, tags, tag bigrams and sentences of a text, added up part by part."""

    words: Counter[str]
    tags: Counter[str]
    bigrams: Counter[tuple[str, str]]
    sentences: int = 0
    repeated: int = 0

    @staticmethod
    def of(parts: Iterable[Treebank], known: Container[tuple[str, ...]] = ()) -> Profile:
        """Count the words, tags, tag bigrams and sentences of treebanks, and the known sentences among them."""
        profile = Profile(Counter(), Counter(), Counter())
        for part in parts:
            counts = np.bincount(part.tokens[part.is_token], minlength=len(part.words))
            for word, count in zip(part.words, counts.tolist(), strict=True):
                if count:
                    profile.words[word.form.lower()] += count
                    profile.tags[_tag(word)] += count
            number: dict[str, int] = {}
            tags = encode(["", *map(_tag, part.words[1:])], number)[part.tokens].astype(np.int64)
            bigrams, counts = np.unique(len(number) * tags[:-1] + tags[1:], return_counts=True)
            tag_of = list(number)
            for bigram, count in zip(bigrams.tolist(), counts.tolist(), strict=True):
                if bigram % len(number):  # not from the end of a sentence to ROOT
                    profile.bigrams[tag_of[bigram // len(number)], tag_of[bigram % len(number)]] += count
            profile.sentences += part.n_sentences
            profile.repeated += repeated(part, known)
        return profile


def distance(source: Profile, target: Profile, gold_tags: Container[str] = ()) -> Distance:
    """Return the distance of a target from a source; its ``gold_tags`` are known, even if a tagger missed them."""
    n_source, n_target = max(1, source.words.total()), max(1, target.words.total())
    known = {tag for tag in target.tags if tag in source.tags or tag in gold_tags}
    strange = Counter({tag: count for tag, count in target.tags.items() if tag not in known})
    names = sorted(source.tags | target.tags)
    p = np.array([source.tags[name] / n_source for name in names])
    q = np.array([target.tags[name] / n_target for name in names])
    return Distance(
        unknown_words=_percent(sum(n for word, n in target.words.items() if word not in source.words), n_target),
        unknown_tags=_percent(strange.total(), n_target),
        tag_divergence=round(max(0.0, _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2), 4),
        source_length=round(n_source / max(1, source.sentences), 1),
        target_length=round(n_target / max(1, target.sentences), 1),
        tags=tuple(sorted(strange, key=lambda tag: (-strange[tag], tag))),
        repeated=_percent(target.repeated, max(1, target.sentences)),
        bigram_information=round(100 * _information(source, target) / max(_information(source, source), 1e-9), 1),
    )


def _tag(word: Word) -> str:
    return word.xpos if word.xpos != "_" else word.upos


def _information(source: Profile, text: Profile) -> float:
    """Return the mean pointwise information, in bits, of the tag bigrams of a text under the model of the source."""
    total, n_tags = source.tags.total(), len(source.tags) + 1
    after: Counter[str] = Counter()
    for (before, _), count in source.bigrams.items():
        after[before] += count
    bits = 0.0
    for (before, tag), count in text.bigrams.items():
        alone = (source.tags[tag] + 1) / (total + n_tags)
        given = (source.bigrams[before, tag] + _PRIOR * alone) / (after[before] + _PRIOR)
        bits += count * float(np.log2(given / alone))
    return bits / max(1, text.bigrams.total())


def _entropy(shares: np.ndarray) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log2(positive)).sum())


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2)
