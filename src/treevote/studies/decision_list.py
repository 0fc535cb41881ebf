"""Decision lists: contexts and attributes for links of adjacent words, and the parser (Yuret 2006, Tables 2-4 and 7).

An instance is a pair of adjacent words. Its class is ``NONE``, ``L:deprel`` if the left word depends on the right one,
or ``R:deprel`` if it is the other way round. Features are the values of an attribute at the two words and at their
neighbours, as far as the context goes.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from treevote.kernels import Longs
from treevote.models.decision_list.parser import DecisionListTrainer
from treevote.models.features.lexicon import ATTRIBUTES as COLUMNS
from treevote.models.features.lexicon import Lexicon
from treevote.models.learners.decision_list.greedy_prepend import GreedyPrepend
from treevote.protocols import Progress
from treevote.store import JSON
from treevote.studies.cells import alone, checksum
from treevote.studies.tables import Finding, Report, Table, Value, percent, printed
from treevote.studies.workbench import Workbench
from treevote.treebank import Treebank

PAPER = "Yuret 2006"

INSTANCES = 10_000
"""Pairs to train on, and to test on: the first ones."""

NONE = "NONE"

ATTRIBUTES = {
    "postag": ("xpos",),
    "cpostag": ("upos",),
    "suffix[3]": ("suffix1", "suffix2", "suffix3"),
    "lemma": ("lemma",),
    "form": ("form",),
    "feats": (),
    "ctype": ("shape",),
}
"""Attributes of the paper, and columns of the lexicon; FEATS are split into their values."""

CONTEXTS = dict(
    zip((0, 1, 2, 3), zip((161, 254, 264, 137), printed("83.17 87.31 87.05 87.14"), strict=True), strict=True)
)
FIGURES = dict(
    zip(
        ATTRIBUTES,
        zip((254, 154, 328, 394, 621, 66, 47), printed("87.31 85.72 77.15 76.78 75.06 71.95 53.40"), strict=True),
        strict=True,
    )
)
LINKED = printed("51.28")[0]
"""Rules and accuracy for Spanish, with postag by context, and by attribute with context 1; adjacent tokens linked."""


LANGUAGES = {
    language: printed(figures)
    for language, figures in {
        "Arabic": "52.42 68.82",
        "Chinese": "72.72 78.37",
        "Czech": "51.86 66.36",
        "Danish": "71.56 78.16",
        "Dutch": "62.75 66.17",
        "German": "63.82 67.71",
        "Japanese": "84.35 87.31",
        "Portuguese": "70.35 79.46",
        "Slovene": "55.06 70.60",
        "Spanish": "69.63 73.89",
        "Swedish": "65.23 73.25",
        "Turkish": "60.31 71.54",
    }.items()
}
"""LAS and UAS of the parser on the test data of CoNLL-X (Table 7)."""

PARSERS = {
    "the paper's parser": DecisionListTrainer(weights=(1, 1, 1), repeats=2, links="gold", min_gain=1),
    "treevote's": DecisionListTrainer(),
}
"""The paper's three passes, gone through twice, but with all attributes; and the defaults."""


class Linked(NamedTuple):
    """How many rules a decision list has, and the percentage of the test instances that it gets right."""

    rules: int
    accuracy: float | None


@dataclass(frozen=True, eq=False)
class Linking:
    """Learn a decision list for the links between adjacent words, and test it.

    Attributes
    ----------
    attribute : str
        A key of ``ATTRIBUTES``.
    context : int
        Neighbours on either side of the pair.
    training, test : Treebank
        As `treevote.studies.cells.alone` returns them.
    """

    attribute: str
    context: int
    training: Treebank
    test: Treebank

    @property
    def title(self) -> str:
        """What progress is told under."""
        return f"{self.attribute}, context {self.context}"

    @property
    def trainer(self) -> dict[str, Any]:
        """The parameters of the learner."""
        return dict(GreedyPrepend().get_params())

    def facts(self) -> dict[str, JSON]:
        """Return what the outcome depends on."""
        return {
            "trainer": {"kind": GreedyPrepend.__name__, **self.trainer},
            "instances": INSTANCES,
            "attribute": self.attribute,
            "context": self.context,
            "training": checksum(self.training),
            "test": checksum(self.test),
        }

    def work(self, progress: Progress | None) -> JSON:
        """Return the number of rules, and of instances that they get right."""
        lexicon = Lexicon.of(self.training)
        X, y = instances(self.training, lexicon, self.attribute, self.context)
        tested, gold = instances(self.test, lexicon, self.attribute, self.context)
        if len(set(y.tolist())) < 2 or not X.shape[1]:
            names, counts = np.unique(y, return_counts=True)
            return {"rules": 1, "right": int((gold == names[counts.argmax()]).sum()) if len(y) else 0, "of": len(gold)}
        learner = GreedyPrepend().fit(X, y)
        right = int((learner.predict(tested) == gold).sum()) if len(gold) else 0
        return {"rules": len(learner.rules_.classes), "right": right, "of": len(gold)}

    def outcome(self, result: Any) -> Linked:
        """Return rules and accuracy."""
        return Linked(int(result["rules"]), percent(int(result["right"]), int(result["of"])))

    def reduced(self) -> Linking:
        """Return the same for two sentences."""
        few = self.training.select(range(min(2, self.training.n_sentences)))
        return dataclasses.replace(self, training=few, test=few)


def decision_list(bench: Workbench) -> Report:
    """Learn decision lists with each context and each attribute."""
    training, test = alone(bench.training), alone(bench.test)
    there = Lexicon.of(training)
    tag = "postag" if _has(there, "postag") else "cpostag"
    attributes = [name for name in ATTRIBUTES if _has(there, name)]
    settings = list(dict.fromkeys([*((tag, context) for context in CONTEXTS), *((name, 1) for name in attributes)]))
    cells = [Linking(attribute, context, training, test) for attribute, context in settings]
    found = dict(zip(settings, bench.run(cells), strict=True))
    _, classes = instances(training, there, tag, 0)
    columns = ("rules", "accuracy", "paper: rules", "paper: accuracy")
    by_context: tuple[tuple[Value, ...], ...] = tuple(
        (str(context), *found[tag, context], *paper) for context, paper in CONTEXTS.items()
    )
    by_attribute: tuple[tuple[Value, ...], ...] = tuple(
        (name, *(found[name, 1] if name in attributes else (None, None)), *paper) for name, paper in FIGURES.items()
    )
    accuracy = {setting: own.accuracy or 0.0 for setting, own in found.items()}
    best = max(attributes, key=lambda name: accuracy[name, 1])
    note = f"Accuracy is that of the classes of adjacent pairs, the first {INSTANCES:,} of the test set at the most."
    parses = bench.parses(PARSERS)
    parsers: list[tuple[Value, ...]] = [
        (f"{test.name}, {name}", *bench.scores(parse)) for name, parse in parses.items()
    ]
    parsers += [(f"paper: {language}", *figures) for language, figures in LANGUAGES.items()]
    return Report(
        (
            Table(
                "Adjacent tokens linked",
                ("", "%"),
                (
                    (training.name, percent(int((classes != NONE).sum()), len(classes))),
                    ("paper: Spanish", LINKED),
                ),
                f"{PAPER}, Table 2",
                f"Of the first {INSTANCES:,} pairs of the training set.",
            ),
            Table(f"Context, with {tag}", ("context", *columns), by_context, f"{PAPER}, Table 3, Spanish", note),
            Table(
                "Attribute, with context 1", ("attribute", *columns), by_attribute, f"{PAPER}, Table 4, Spanish", note
            ),
            Table(
                "Parsers beside the languages of the paper",
                ("", "LAS", "UAS"),
                tuple(parsers),
                f"{PAPER}, Table 7, test data of CoNLL-X",
                "The paper chose attributes for each language; here rules may ask for all of them.",
            ),
        ),
        (
            Finding(
                f"A context of 1 is better than none, and more of it has no significant effect ({PAPER}, section 3.1).",
                accuracy[tag, 1] > accuracy[tag, 0]
                and max(abs(accuracy[tag, more] - accuracy[tag, 1]) for more in (2, 3))
                < accuracy[tag, 1] - accuracy[tag, 0],
                "accuracy by context: " + ", ".join(f"{accuracy[tag, context]:.2f}" for context in CONTEXTS),
            ),
            Finding(
                f"The part of speech is the most informative single attribute ({PAPER}, section 3.1).",
                best in ("postag", "cpostag"),
                ", ".join(f"{name} {accuracy[name, 1]:.2f}" for name in attributes),
            ),
        ),
    )


def instances(
    treebank: Treebank, lexicon: Lexicon, attribute: str, context: int
) -> tuple[csr_matrix, NDArray[np.str_]]:
    """Return features and classes of the first ``INSTANCES`` pairs of adjacent words.

    Returns
    -------
    X : CSR matrix of shape (n_pairs, n_features)
        1 where the word at a place has a value; the features do not depend on the treebank.
    y : ndarray of str, shape (n_pairs,)

    Examples
    --------
    >>> toy = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
    >>> X, y = instances(toy, Lexicon.of(toy), "form", 0)
    >>> y.tolist(), X.sum(axis=1).tolist()
    (['L:det', 'L:nsubj'], [[2.0], [2.0]])
    """
    is_token = treebank.is_token
    left = np.flatnonzero(is_token[:-1] & is_token[1:])[:INSTANCES]
    first = np.repeat(treebank.offsets[:-1], np.diff(treebank.offsets))
    words = lexicon.columns(treebank.words)
    rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    n_features = 0
    for place in range(-context, context + 2):
        slots = np.clip(left + place, 0, len(first) - 1)
        inside = np.flatnonzero((slots == left + place) & (first[slots] == first[left]))
        tokens = treebank.tokens[slots[inside]]
        for name in ATTRIBUTES[attribute]:
            column = COLUMNS.index(name)
            values = words.values[tokens, column]
            rows.append(inside[values > 0])
            columns.append(n_features + values[values > 0].astype(np.int64))
            n_features += len(lexicon.values[column]) + 1
        if attribute == "feats":
            begins, ends = words.feats_offsets[tokens], words.feats_offsets[tokens + 1]
            rows.append(np.repeat(inside, ends - begins))
            columns.append(
                n_features + words.feats[_ranges(begins.astype(np.int64), ends.astype(np.int64))].astype(np.int64)
            )
            n_features += len(lexicon.feats) + 1
    row, column_numbers = np.concatenate(rows), np.concatenate(columns)
    X = csr_matrix((np.ones(len(row), np.float32), (row, column_numbers)), shape=(len(left), n_features))
    return X, np.array([_class_of(treebank, int(slot), int(first[slot])) for slot in left], np.str_)


def _ranges(begins: Longs, ends: Longs) -> Longs:
    """Return the numbers of all ranges, one after the other."""
    sizes = ends - begins
    return np.repeat(ends - np.cumsum(sizes), sizes) + np.arange(int(sizes.sum()))


def _class_of(treebank: Treebank, slot: int, first: int) -> str:
    """Return the class of a pair by the slot of its left word, and that of ROOT of its sentence."""
    if treebank.heads[slot] == slot + 1 - first:
        return f"L:{treebank.labels[treebank.deprels[slot]]}"
    if treebank.heads[slot + 1] == slot - first:
        return f"R:{treebank.labels[treebank.deprels[slot + 1]]}"
    return NONE


def _has(lexicon: Lexicon, attribute: str) -> bool:
    """Tell whether words have an attribute at all; ROOT has all of them but FEATS."""
    if attribute == "feats":
        return bool(lexicon.feats)
    return any(len(lexicon.values[COLUMNS.index(name)]) > 1 for name in ATTRIBUTES[attribute])
