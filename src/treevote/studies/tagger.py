"""The tagger of the study of tags: a maximum entropy model tags each token from left to right (Ratnaparkhi 1996).

UPOS, XPOS and FEATS have a model each; FEATS are one label. The features of a token are its form, the forms around it
and the tags to its left. A template is a conjunction, such as ``-1.tag+0.suffix3``: the tag of the token before and the
last three characters of the token itself. The lemma and the tags of the input are never read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from treevote.corpus.sentence import ROOT
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.kernels import Ints, Keys, Longs, kernel
from treevote.models.features.lexicon import Lexicon, WordColumns
from treevote.models.features.linear_guide import LinearGuide
from treevote.models.features.rows import BATCH_KEYS, Batch, check_thresholds, fit, rows_of
from treevote.models.features.templates import COLUMN, LEXICON, Grammar, read_templates
from treevote.models.features.trie import key_at, mix
from treevote.models.features.weights import Weights, score
from treevote.models.features.word_memo import WordMemo
from treevote.models.learners.sgd_maxent import SGDMaxEnt
from treevote.parallel import ONE_JOB, Jobs, Progress
from treevote.store.manifest import JSON
from treevote.studies.jobs import Job, token_column

COLUMNS = ("upos", "xpos", "feats")
"""The tags, by the names of the fields of `treevote.corpus.sentence.Word`."""

TEMPLATES = """
0.form 0.lower 0.prefix1 0.prefix2 0.prefix3 0.suffix1 0.suffix2 0.suffix3 0.suffix4 0.shape
-2.lower -1.lower 1.lower 2.lower -1.suffix2 1.suffix2 -1.suffix3 1.suffix3 1.shape
-1.lower+0.lower 0.lower+1.lower -1.lower+1.lower 0.suffix3+1.suffix3 0.suffix2+0.shape
-1.tag -2.tag+-1.tag -1.tag+0.lower -1.tag+0.suffix3 -1.tag+1.lower -1.tag+1.suffix3 -1.tag+0.shape
"""
"""Separated by white space; positions are relative to the token, which is 0."""

MOST_ATOMS = 3

_TAG, _NONE = -1, -2  # columns that are not of the lexicon

GRAMMAR = Grammar(
    places={str(position): (0, position) for position in range(-2, 3)},
    steps={},
    attributes=LEXICON | {"tag": (COLUMN, _TAG)},
    globals={},
)
_NOWHERE = np.zeros(0, np.uint64)


@dataclass(frozen=True)
class TaggerTrainer:
    """Hyper-parameters of a tagger: those of `treevote.models.learners.sgd_maxent.SGDMaxEnt`, and thresholds.

    Features with fewer than ``cutoff`` occurrences in training are left out, and weights below ``prune`` times the
    largest are dropped.

    Examples
    --------
    >>> from treevote.corpus.sentence import Word
    >>> words = [Word("dogs", "dog", "NOUN", "NNS", "Number=Plur"), Word("bark", "bark", "VERB", "VBP", "_")]
    >>> toy = Treebank.of([(words, [2, 0], ["nsubj", "root"])] * 5)
    >>> bare = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
    >>> TaggerTrainer().train(toy).tag(bare).sentence(0).words[1]
    Word(form='dogs', lemma='_', upos='NOUN', xpos='NNS', feats='Number=Plur')
    """

    epochs: int = 8
    rate: float = 0.2
    cutoff: int = 2
    prune: float = 0.01

    def __post_init__(self) -> None:
        check_thresholds(self.cutoff, self.prune)

    def train(self, treebank: Treebank, *, seed: int = 0, jobs: Jobs = ONE_JOB) -> Tagger:
        """Learn from tags; the same treebank and seed give the same tagger.

        Raises
        ------
        InputError
            If there is no token.
        ConfigError
            If epochs or rate are not positive.
        """
        if not treebank.n_tokens:
            raise InputError("expected tags to learn from, found no token", path=treebank.name)
        lexicon = Lexicon.of(treebank)
        words, templates = lexicon.columns(treebank.words), compile_templates(TEMPLATES.split())
        models = {}
        for column in COLUMNS:
            numbers: dict[str, int] = {}
            of_word = [numbers.setdefault(getattr(word, column), len(numbers)) for word in treebank.words[1:]]
            tags = np.array([-1, *of_word], np.int32)[treebank.tokens]
            rows = rows_of(partial(_batches, treebank, tags, words, templates), self.cutoff, treebank.name)
            if len(np.unique(rows.classes)) < 2 or not len(rows.keys):
                guide = LinearGuide.constant(rows.classes[:1], len(numbers))
            else:
                learner = SGDMaxEnt(epochs=self.epochs, rate=self.rate, random_state=seed)
                fit(learner, rows, jobs.progress, column)
                guide = LinearGuide.trained(learner, rows.keys, len(numbers), self.prune)
            models[column] = tuple(numbers), guide
        return Tagger(WordMemo(lexicon), templates, models)


@dataclass(frozen=True, eq=False)
class Tagger:
    """A trained tagger: for each of ``COLUMNS`` the tags and their weights. Safe to use from several threads."""

    memo: WordMemo
    templates: Ints
    models: Mapping[str, tuple[tuple[str, ...], LinearGuide]]

    def tag(self, treebank: Treebank) -> Treebank:
        """Return the same sentences and trees with this tagger's tags; forms and lemmas stay, tags are never read."""
        rows, words = self.memo.encode(treebank.words)
        tokens = rows[treebank.tokens]
        columns = {}
        for column, (names, guide) in self.models.items():
            tags = np.full(len(tokens), -1, np.int32)
            tag_greedily(tokens, treebank.offsets, words, self.templates, guide.weights, tags)
            columns[column] = names, tags
        return retagged(treebank, columns)


def retagged(treebank: Treebank, columns: Mapping[str, tuple[tuple[str, ...], Ints]]) -> Treebank:
    """Return the same sentences and trees with other tags: by column, the names, and the number of each slot.

    Examples
    --------
    >>> toy = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
    >>> tags = ("NOUN", "VERB"), np.array([-1, 0, 1], np.int32)
    >>> [word.upos for word in retagged(toy, {"upos": tags}).sentence(0).words[1:]]
    ['NOUN', 'VERB']
    """
    slots = np.stack([treebank.tokens, *(tags for _, tags in columns.values())])[:, treebank.is_token]
    distinct, number = np.unique(slots, axis=1, return_inverse=True)
    words = {ROOT: 0}
    of_distinct = []
    for word, *tags in distinct.T.tolist():
        own = {column: names[tag] for (column, (names, _)), tag in zip(columns.items(), tags, strict=True)}
        of_distinct.append(words.setdefault(treebank.words[word]._replace(**own), len(words)))
    tokens = np.zeros(len(treebank.tokens), np.int32)
    tokens[treebank.is_token] = np.array(of_distinct, np.int32)[number.ravel()]
    return dataclasses.replace(treebank, words=tuple(words), tokens=tokens, source=None)


class Tagging(Job[Treebank]):
    """Training of a tagger, and its tags of other sentences."""

    def compute(self, progress: Progress | None) -> JSON:
        """Return the tags of all tokens of the test set."""
        tagger: Tagger = self.trainer.train(self.training, seed=self.seed, jobs=self.jobs(progress))
        tagged = tagger.tag(self.test)
        tokens = tagged.tokens[tagged.is_token]
        result: dict[str, JSON] = {}
        for column in COLUMNS:
            strings = np.array([str(getattr(word, column)) for word in tagged.words], object)
            names, numbers = np.unique(strings[tokens], return_inverse=True)
            result[column] = {"names": names.tolist(), "tags": numbers.tolist()}
        return result

    def decode(self, result: Any) -> Treebank:
        """Return the test set with the tagger's tags."""
        columns = {}
        for column in COLUMNS:
            names = tuple(str(name) for name in result[column]["names"])
            columns[column] = names, token_column(self.test, result[column]["tags"], len(names))
        return retagged(self.test, columns)


def compile_templates(templates: Sequence[str]) -> Ints:
    """Return templates as numbers, shape (n_templates, MOST_ATOMS, 2): for each atom its position and column.

    Errors are those of `treevote.models.features.templates.read_templates`.

    Examples
    --------
    >>> compile_templates(["-1.tag+0.form"])[0].tolist()
    [[-1, -1], [0, 0], [0, -2]]
    """
    table = np.full((len(templates), MOST_ATOMS, 2), (0, _NONE), np.int32)
    for row, template in zip(table, read_templates(templates, GRAMMAR), strict=True):
        row[: len(template)] = [(int(place), GRAMMAR.attributes[attribute][1]) for place, _, attribute in template]
    return table


def _batches(treebank: Treebank, tags: Ints, words: WordColumns, templates: Ints) -> Iterator[Batch]:
    """Extract the features of all tokens; classes are tags."""
    longest = int(treebank.lengths.max(initial=0)) + 1
    first, size = 0, max(1, BATCH_KEYS // (longest * len(templates)))
    while first < treebank.n_sentences:
        offsets = treebank.offsets[first : first + size + 1]
        keys = np.empty((offsets[-1] - offsets[0]) * len(templates), np.uint64)
        lengths = np.empty(offsets[-1] - offsets[0] - len(offsets) + 1, np.int32)
        n_keys = fire_all(treebank.tokens, tags, offsets, words, templates, keys, lengths)
        own = slice(offsets[0], offsets[-1])
        yield keys[:n_keys], lengths, tags[own][treebank.is_token[own]]
        first += size


@kernel
def fire(position: int, tokens: Ints, tags: Ints, words: WordColumns, templates: Ints, keys: Keys) -> int:
    """Write the features of the token at a position, from 1, into ``keys``; return their number.

    ``tokens`` are rows in ``words``; of ``tags``, -1 at ROOT, only those to the left are read.
    """
    count = 0
    for t in range(len(templates)):
        key, fires = key_at(-1, _NOWHERE), True
        for a in range(MOST_ATOMS):
            at, column = position + templates[t, a, 0], templates[t, a, 1]
            if column == _NONE:
                break
            value = 0
            if 0 <= at < len(tokens):
                value = int(tags[at]) + 2 if column == _TAG else int(words.values[tokens[at], column])
            if value == 0:
                fires = False
                break
            key = mix(key, MOST_ATOMS * t + a, value)
        if fires:
            keys[count] = key
            count += 1
    return count


@kernel
def fire_all(
    tokens: Ints, tags: Ints, offsets: Longs, words: WordColumns, templates: Ints, keys: Keys, lengths: Ints
) -> int:
    """Write the features of all tokens, one after the other, and the number of each; return the total."""
    count, token = 0, 0
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        for position in range(1, last - first):
            found = fire(position, tokens[first:last], tags[first:last], words, templates, keys[count:])
            lengths[token] = found
            count += found
            token += 1
    return count


@kernel
def tag_greedily(
    tokens: Ints, offsets: Longs, words: WordColumns, templates: Ints, weights: Weights, tags: Ints
) -> None:
    """Write the best tag of each token, from left to right; on ties the one with the lowest number."""
    keys, rows = np.empty(len(templates), np.uint64), np.empty(len(templates), np.int64)
    scores = np.empty(len(weights.bias), np.int32)
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        for position in range(1, last - first):
            n = fire(position, tokens[first:last], tags[first:last], words, templates, keys)
            score(weights, keys, n, rows, scores)
            tags[first + position] = scores.argmax()
