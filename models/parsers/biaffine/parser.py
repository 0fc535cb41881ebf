"""The neural parser (Kiperwasser & Goldberg 2016; Dozat & Manning 2017) as trainer and parser.

Bidirectional LSTMs read the words of a sentence, and a biaffine form scores each arc by what they say of its two
words. The decoder of first-order parsers finds the tree with the highest sum of scores; then each arc gets the label
with the highest score.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from treevote.config import DATA
from treevote.corpus.given import Given
from treevote.corpus.pseudo_projective import Encoding
from treevote.corpus.treebank import Treebank
from treevote.errors import require_known
from treevote.kernels import Bools, Ints
from treevote.models.learning.features.lexicon import ATTRIBUTES, Lexicon, WordColumns
from treevote.models.learning.features.word_memo import WordMemo
from treevote.models.learning.network.encoder import encodings
from treevote.models.learning.network.parameters import Arrays, Shapes, Sizes, encoder_shapes, size_of, views
from treevote.models.learning.network.training import Dropout, Schedule, Sentences, train
from treevote.models.learning.network.words import END, Words, attributes_of, letters_of, words_of
from treevote.models.learning.vectors.vectors import NO_VECTORS, Halves, WordVectors
from treevote.models.parsers.biaffine.scorer import Representations, Trees, arc_dependents, score_arcs, score_labels
from treevote.models.parsers.decoding.best_tree import SOME_CROSSING, crossing, decode, restrict
from treevote.models.parsers.decoding.long_sentences import LONGEST, Pieces, cut, cut_heads, join
from treevote.models.parsers.given_arcs import GivenArcs
from treevote.models.parsers.parser import BaseParser, BaseTrainer, Parsed, training_data, usual_labels
from treevote.parallel import Jobs
from treevote.protocols import Family
from treevote.settings import Interval, Share
from treevote.store.record import Record
from treevote.store.validation import column, labels_of, truth_of

Size = Annotated[int, Interval(1, 1_000)]


@dataclass(frozen=True)
class BiaffineTrainer(BaseTrainer["BiaffineParser"]):
    """Hyper-parameters of a biaffine parser.

    Attributes
    ----------
    attributes : tuple of str
        Attributes of words that have vectors, beside FEATS and the letters of the form.
    passes : int
        Passes over the training sentences; more on a small treebank.
    batch : int
        Maximum number of tokens of a batch, those for ROOT included.
    rate : float
        Learning rate of the first step; it falls to zero.
    dropout : float
        Share of the inputs of layers, recurrent units and representations of words that is dropped in training.
    word_dropout : float
        A form or lemma that occurs n times is dropped with probability a / (a + n).
    word_size, tag_size, letter_size : int
        Sizes of the vectors of forms and lemmas, of other attributes and FEATS, and of letters.
    filters : int
        Number of filters of the convolution over letters.
    layers, units : int
        Number of LSTM layers, and of the units of each in either direction.
    arc_size, label_size : int
        Sizes of the representations of words for the scores of arcs and labels.
    decoder : {"auto", "projective", "non-projective"}
        Projective: Eisner's algorithm; non-projective trees are encoded in labels. Non-projective: Chu-Liu-Edmonds.
        "auto": projective if less than 2 % of the training arcs are non-projective.
    encoding : {"path", "head", "head+path", "none"}
        How the projective decoder encodes non-projective trees in labels (Nivre & Nilsson 2005).
    """

    attributes: tuple[str, ...] = ("lower", "lemma", "upos", "xpos")
    passes: Annotated[int, Interval(1, 1_000)] = 25
    batch: Annotated[int, Interval(1, 100_000)] = 250
    rate: Annotated[float, Interval(0, closed="neither")] = 0.004
    dropout: Share = 0.33
    word_dropout: Annotated[float, Interval(0, 1_000)] = 0.25
    word_size: Size = 80
    tag_size: Size = 32
    letter_size: Size = 32
    filters: Size = 64
    layers: Annotated[int, Interval(1, 10)] = 2
    units: Size = 128
    arc_size: Size = 128
    label_size: Size = 40
    decoder: Literal["auto", "projective", "non-projective"] = "auto"
    vectors: WordVectors = field(default=NO_VECTORS, repr=False, metadata=DATA)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.attributes:
            require_known("attribute", name, ATTRIBUTES)

    def _train(self, treebank: Treebank, dev: Treebank | None, seed: int, jobs: Jobs) -> BiaffineParser:
        """Learn from trees; sentences too long to be parsed at once are left out."""
        treebank = treebank.compact()
        projective = self.decoder == "projective" or (self.decoder == "auto" and crossing(treebank) < SOME_CROSSING)
        encoding = self.encoding if projective else None
        trees, lexicon, columns, single_root = training_data(treebank, encoding, self.clusters)
        letters, names = letters_of(trees.words), tuple(attributes_of(self.attributes, lexicon))
        rows = np.arange(len(trees.words), dtype=np.int32)
        words = words_of(trees.words, rows, columns, names, letters, self.vectors)
        short = trees.select((trees.lengths > 0) & (trees.lengths <= LONGEST))
        sentences = Sentences(words, short.tokens.astype(np.int64), short.offsets)
        dropout = Dropout.of(sentences, names, self.dropout, self.word_dropout)
        shapes = self.shapes(lexicon, len(letters), len(trees.labels))
        schedule = Schedule(self.passes, self.batch, self.rate)
        loss = Trees(short.heads, short.deprels).loss
        weights = train(shapes, sentences, loss, dropout, schedule, seed, jobs)
        memo, usual = WordMemo(lexicon), usual_labels(trees)
        return BiaffineParser(self, memo, single_root, projective, *usual, trees.labels, letters, weights)

    def shapes(self, lexicon: Lexicon, n_letters: int, n_labels: int) -> Shapes:
        """Return the shapes of the parameters."""
        sizes = Sizes(self.word_size, self.tag_size, self.letter_size, self.filters, self.units, self.layers)
        counts = len(lexicon.feats) + 1, END + 1 + n_letters
        shapes = encoder_shapes(sizes, attributes_of(self.attributes, lexicon), *counts, self.vectors.size)
        n_hidden, n_arcs, n_rows = 2 * (self.arc_size + self.label_size), self.arc_size, self.label_size + 1
        shapes |= {"hidden": (2 * self.units, n_hidden), "hidden-bias": (n_hidden,)}
        return shapes | {"arcs": (n_arcs + 1, n_arcs), "labels": (n_rows, n_rows * n_labels)}


@dataclass(frozen=True, eq=False)
class BiaffineParser(BaseParser[BiaffineTrainer]):
    """A trained biaffine parser. Safe to use from several threads.

    ``to_root`` and ``to_token``, shape (n_labels,), are the labels that arcs from ROOT, and other arcs, may have.
    ``weights`` are all parameters, in half precision; parsing computes in single precision.
    """

    KIND: ClassVar = "biaffine-parser"
    _TRAINER: ClassVar = BiaffineTrainer

    projective: bool
    to_root: Bools
    to_token: Bools
    labels: tuple[str, ...]
    letters: tuple[str, ...]
    weights: Halves

    @functools.cached_property
    def _parameters(self) -> Arrays:
        shapes = self.trainer.shapes(self.memo.lexicon, len(self.letters), len(self.labels))
        return views(self.weights.astype(np.float32), shapes)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def _encoding(self) -> Encoding:
        return self.trainer.encoding if self.projective else "none"

    def _find_trees(self, treebank: Treebank, rows: Ints, words: WordColumns, given: Given | None) -> Parsed:
        """Find trees; sentences of more than `LONGEST` tokens fall back: they are parsed in pieces."""
        own, names = self.trainer, tuple(attributes_of(self.trainer.attributes, self.memo.lexicon))
        used = np.unique(np.append(0, treebank.tokens))  # the first one is ROOT
        places, distinct = np.searchsorted(used, treebank.tokens), [treebank.words[i] for i in used.tolist()]
        spelled = words_of(distinct, rows[used], words, names, self.letters, own.vectors)
        pieces = cut(places.astype(np.int32), treebank.offsets)
        rooted = (pieces.before == 0) | (not self.single_root)
        wanted, lifted = np.full(len(pieces.tokens), -1, np.int32), np.zeros(len(self.labels), np.bool_)
        if given is not None:
            arcs = GivenArcs.of(given, treebank.offsets, self.labels, self._encoding)
            lifted = arcs.lifted
            wanted = cut_heads(pieces, arcs.heads if self.projective else given.heads, treebank.offsets)
        heads, labels = self._best(spelled, pieces, rooted, wanted, lifted)
        deprels = np.full(len(treebank.tokens), -1, np.int32)
        deprels[treebank.is_token] = np.delete(labels, pieces.offsets[:-1])
        joined = join(pieces, heads, treebank.offsets, self.single_root)
        return treebank.with_trees(joined, deprels, self.labels), pieces.n_cut

    def _best(self, words: Words, pieces: Pieces, rooted: Bools, given: Ints, lifted: Bools) -> tuple[Ints, Ints]:
        """Return heads, as positions in the piece, and numbers of labels; both -1 for ROOT.

        ``given`` heads are kept, and their arcs have no ``lifted`` label; -1 where they are free. The tokens of pieces
        are rows in ``words``. Where a piece is not ``rooted``, shape (n_pieces,), the arcs from ROOT get the labels of
        others. Ties of labels go to the first one.
        """
        p, tokens, offsets = self._parameters, pieces.tokens.astype(np.int64), pieces.offsets
        heads, labels = given.copy(), np.full(len(tokens), -1, np.int32)
        for batch, h in encodings(p, words, tokens, offsets):
            found = Representations.of(p, h[batch.rows], None)
            dependents = arc_dependents(p, found)
            for i, piece in enumerate(batch.sentences.tolist()):
                first, last = batch.offsets[i : i + 2].tolist()
                own = slice(int(offsets[piece]), int(offsets[piece + 1]))
                scores = score_arcs(dependents[first:last], found.arc_heads[first:last])
                restrict(scores, heads[own])
                decode(scores, self.projective, self.single_root, heads[own])
                to = heads[own][1:]
                of_labels, _ = score_labels(p, found.label_dependents[first + 1 : last], found.label_heads[first + to])
                allowed = np.where(((to == 0) & rooted[piece])[:, None], self.to_root, self.to_token)
                allowed &= ~(lifted & (given[own][1:] >= 0)[:, None])
                labels[own][1:] = np.where(allowed, of_labels, -np.inf).argmax(1)
        return heads, labels

    def _content(self) -> Record:
        vectors, labels = self.trainer.vectors, {"to_root": self.to_root, "to_token": self.to_token}
        texts = {"labels": self.labels, "letters": self.letters, **vectors.texts()}
        arrays = {"weights": self.weights, **labels, **vectors.arrays()}
        return Record(self.KIND, {"projective": self.projective}, arrays, texts)

    @classmethod
    def _from_content(cls, record: Record, trainer: BiaffineTrainer, memo: WordMemo, single_root: bool) -> Self:
        trainer = dataclasses.replace(trainer, vectors=WordVectors.from_record(record))
        labels, letters = labels_of(record), tuple(record.texts["letters"])
        weights = column(record, "weights", np.float16)
        n_weights = size_of(trainer.shapes(memo.lexicon, len(letters), len(labels)))
        if len(weights) != n_weights or not np.isfinite(weights).all():
            raise ValueError(f"array weights should have {n_weights} finite numbers")
        to_root, to_token = (column(record, name, np.bool_) for name in ("to_root", "to_token"))
        for allowed in (to_root, to_token):
            if len(allowed) != len(labels) or not allowed.any():
                raise ValueError(f"arrays to_root and to_token should allow some of {len(labels)} labels")
        projective = truth_of(record, "projective")
        return cls(trainer, memo, single_root, projective, to_root, to_token, labels, letters, weights)


FAMILY = Family(BiaffineParser.KIND, BiaffineTrainer, BiaffineParser, {"biaffine": BiaffineTrainer()})
