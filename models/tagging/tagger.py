"""A greedy tagger: from left to right, a maximum entropy model says the tag of each token (Ratnaparkhi 1996).

UPOS, XPOS and FEATS are each tagged by a model of its own, FEATS as one label.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from treevote.errors import InputError
from treevote.kernels import Ints, Longs, kernel
from treevote.models.features.lexicon import Lexicon, WordColumns
from treevote.models.features.linear_guide import LinearGuide
from treevote.models.features.rows import BATCH_KEYS, Batch, check_thresholds, fit, rows_of
from treevote.models.features.weights import Weights, score
from treevote.models.features.word_memo import WordMemo
from treevote.models.learners.sgd_maxent import SGDMaxEnt
from treevote.models.tagging.features import TEMPLATES, compile_templates, fire, fire_all
from treevote.protocols import Progress
from treevote.sentence import ROOT
from treevote.treebank import Treebank

COLUMNS = ("upos", "xpos", "feats")
"""What is tagged, by the names that `treevote.sentence.Word` has for them."""


@dataclass(frozen=True)
class TaggerTrainer:
    """Hyper-parameters of a tagger.

    Attributes
    ----------
    epochs, rate
        As for `treevote.models.learners.sgd_maxent.SGDMaxEnt`.
    cutoff : int
        Features seen fewer times in training are left out.
    prune : float
        Weights nearer to zero than this share of the largest are dropped.

    Examples
    --------
    >>> from treevote.sentence import Word
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

    def train(self, treebank: Treebank, *, seed: int = 0, progress: Progress | None = None) -> Tagger:
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
                fit(learner, rows, progress, column)
                guide = LinearGuide.trained(learner, rows.keys, len(numbers), self.prune)
            models[column] = tuple(numbers), guide
        return Tagger(WordMemo(lexicon), templates, models)


@dataclass(frozen=True, eq=False)
class Tagger:
    """A trained tagger. Safe to use from several threads.

    Attributes
    ----------
    memo : WordMemo
    templates : ndarray of int32
    models : mapping
        For each of ``COLUMNS`` the tags, and the weights that choose among them.
    """

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
    """Return the same sentences and trees with other tags.

    Parameters
    ----------
    treebank : Treebank
    columns : mapping
        For columns named in ``COLUMNS`` the tags, and for each slot the number of its tag; -1 in ROOT slots.

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


def _batches(treebank: Treebank, tags: Ints, words: WordColumns, templates: Ints) -> Iterator[Batch]:
    """Extract the features of all tokens; classes are tags."""
    longest = int(np.diff(treebank.offsets).max(initial=1))
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
def tag_greedily(
    tokens: Ints, offsets: Longs, words: WordColumns, templates: Ints, weights: Weights, tags: Ints
) -> None:
    """Write the best tag of each token, from left to right; of equals the one with the lowest number."""
    keys, rows = np.empty(len(templates), np.uint64), np.empty(len(templates), np.int64)
    scores = np.empty(len(weights.bias), np.int32)
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        for position in range(1, last - first):
            n = fire(position, tokens[first:last], tags[first:last], words, templates, keys)
            score(weights, keys, n, rows, scores)
            tags[first + position] = scores.argmax()
