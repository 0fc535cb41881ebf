"""The study of Yuret (2006): decision lists by context and attribute, for links of adjacent words and as a parser.

An instance is a pair of adjacent words. Its class is ``NONE``, ``L:deprel`` if the left word depends on the right one,
or ``R:deprel`` if it is the other way round. Features are the values of an attribute at the two words and at their
neighbours within the context.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from treevote.corpus.treebank import Treebank
from treevote.models.learning.features.lexicon import ATTRIBUTES as COLUMNS
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.learners.decision_list.induction import ListOptions, induce
from treevote.models.learning.learners.decision_list.rules import decide
from treevote.models.parsers.decision_list.attributes import COLUMN, FEATS, Text, compile_attributes, places_of
from treevote.models.parsers.decision_list.linkage import class_name, unlinked
from treevote.models.parsers.decision_list.parser import DecisionListTrainer
from treevote.models.parsers.decision_list.training import instances as pairs_of
from treevote.parallel import Progress
from treevote.store.manifest import JSON
from treevote.studies.jobs import Job, compact
from treevote.studies.report import Outcome, Table, outcome, percent, printed, printed_by_name
from treevote.studies.study import Claim, Context, Results, Study, score_table

PAPER = "Yuret 2006"

ATTRIBUTES = {"postag": "xpos", "cpostag": "upos", "suffix[3]": "suffix"}
ATTRIBUTES |= {"lemma": "lemma", "form": "form", "feats": "feats", "ctype": "shape"}
"""Attributes of the paper, and those of `treevote.models.parsers.decision_list.attributes`."""

CONTEXTS = dict(enumerate(zip((161, 254, 264, 137), printed("83.17 87.31 87.05 87.14"), strict=True)))
"""Rules and accuracy for Spanish, with postag, by context (Table 3)."""

_RULES, _ACCURACY = (254, 154, 328, 394, 621, 66, 47), printed("87.31 85.72 77.15 76.78 75.06 71.95 53.40")
FIGURES = dict(zip(ATTRIBUTES, zip(_RULES, _ACCURACY, strict=True), strict=True))
"""Rules and accuracy for Spanish, with context 1, by attribute (Table 4)."""

LANGUAGES = printed_by_name(
    "paper: Arabic 52.42 68.82, paper: Chinese 72.72 78.37, paper: Czech 51.86 66.36, paper: Danish 71.56 78.16, "
    "paper: Dutch 62.75 66.17, paper: German 63.82 67.71, paper: Japanese 84.35 87.31, paper: Portuguese 70.35 79.46, "
    "paper: Slovene 55.06 70.60, paper: Spanish 69.63 73.89, paper: Swedish 65.23 73.25, paper: Turkish 60.31 71.54"
)
"""LAS and UAS of the parser on the test data of CoNLL-X (Table 7)."""

PARSERS = {
    "the paper's parser": DecisionListTrainer(weights=(1, 1, 1), repeats=2, links="gold", min_gain=1),
    "treevote's": DecisionListTrainer(),
}
"""The paper's three passes, gone through twice, but with all attributes; and the defaults."""

INSTANCES = 10_000  # pairs of adjacent words that are learned from, and tested on, at the most

Linked: TypeAlias = tuple[int, float | None]
"""The number of rules of a decision list, and its accuracy on the test instances in percent."""


@dataclass(frozen=True)
class LinkOptions:
    """Features of a decision list for links: an attribute of the paper, and the number of neighbours."""

    attribute: str
    context: int


class Linking(Job[Linked]):
    """Training of a decision list for the links of adjacent words, and its test."""

    def compute(self, progress: Progress | None) -> JSON:
        """Return the number of rules, and of right instances."""
        lexicon = Lexicon.of(self.training)
        X, y = instances(self.training, lexicon, self.trainer)
        tested, gold = instances(self.test, lexicon, self.trainer)
        if len(set(y.tolist())) < 2 or not X.shape[1]:
            names, counts = np.unique(y, return_counts=True)
            return {"rules": 1, "right": int((gold == names[counts.argmax()]).sum()) if len(y) else 0, "of": len(gold)}
        names, labels = np.unique(y, return_inverse=True)
        rules = induce(X, labels.astype(np.int32), np.ones(len(y), np.int32), ListOptions())
        right = int((names[rules.classes[decide(rules, tested)]] == gold).sum())
        return {"rules": len(rules.classes), "right": right, "of": len(gold)}

    def decode(self, result: Any) -> Linked:
        """Return rules and accuracy."""
        return int(result["rules"]), percent(int(result["right"]), int(result["of"]))


def instances(treebank: Treebank, lexicon: Lexicon, options: LinkOptions) -> tuple[csr_matrix, NDArray[np.str_]]:
    """Return features and classes of the first pairs of adjacent words; the features do not depend on the treebank.

    X is a CSR matrix of shape (n_pairs, n_features), y has the shape (n_pairs,).
    """
    n_pairs = np.maximum(treebank.lengths - 1, 0)
    enough = int(np.searchsorted(np.cumsum(n_pairs), INSTANCES)) + 1
    treebank = treebank.select(range(min(enough, treebank.n_sentences)))
    attributes, n_labels = (ATTRIBUTES[options.attribute],), len(treebank.labels)
    table = compile_attributes(attributes, 3, options.context, lexicon, n_labels)
    text = Text(treebank.tokens, treebank.offsets, lexicon.columns(treebank.words), table, single_root=False)
    X, classes = pairs_of(unlinked(len(treebank.tokens)), text, treebank)
    # Without links the neighbours of the two words are those outside, and all other places say nothing new.
    names, reach = places_of(options.context), range(1, options.context + 1)
    places = [*(f"left-{k}" for k in reversed(reach)), "left", "right", *(f"right+{k}" for k in reach)]
    ends = [*table.rows[1:, 3].tolist(), table.n_features]
    columns = [
        np.arange(first, end)
        for name in places
        for (place, kind, _, first), end in zip(table.rows.tolist(), ends, strict=True)
        if names[place] == name and kind in (COLUMN, FEATS)
    ]
    follows = np.ones(len(classes), np.bool_)  # a sentence begins with the pair of ROOT and the first word
    tokens = treebank.lengths
    follows[(np.cumsum(tokens) - tokens)[tokens > 0]] = False
    rows = np.flatnonzero(follows)[:INSTANCES]
    y = np.array([class_name(label_class, treebank.labels) for label_class in classes[rows].tolist()], np.str_)
    return X[rows][:, np.concatenate(columns)], y


def _known_attributes(training: Treebank) -> tuple[str, list[str]]:
    """Return the attribute of the part of speech, and all that some word of the sentences has; ROOT lacks FEATS."""
    lexicon = Lexicon.of(compact(training))
    sizes = dict(zip(COLUMNS, map(len, lexicon.values), strict=True))
    sizes |= {"suffix": sizes["suffix1"], "feats": 1 + len(lexicon.feats)}
    attributes = [name for name, attribute in ATTRIBUTES.items() if sizes[attribute] > 1]
    return "postag" if "postag" in attributes else "cpostag", attributes


def _lists(context: Context) -> Mapping[Hashable, Job[Linked]]:
    training, test = compact(context.training), compact(context.test)
    tag, attributes = _known_attributes(training)
    settings = dict.fromkeys([*((tag, k) for k in CONTEXTS), *((name, 1) for name in attributes)])
    return {(name, k): Linking(f"{name}, context {k}", LinkOptions(name, k), training, test) for name, k in settings}


def _found(results: Results) -> tuple[str, dict[int, Linked], dict[str, Linked]]:
    """Return the attribute of the part of speech, and the decision lists by context, and by attribute."""
    (tag, attributes), found = _known_attributes(results.context.training), results.others
    return tag, {k: found[tag, k] for k in CONTEXTS}, {name: found[name, 1] for name in attributes}


def _decision_list(results: Results) -> list[Table]:
    training, test = results.context.training, results.context.test
    tag, of_context, of_attribute = _found(results)
    _, classes = instances(training, Lexicon.of(training), LinkOptions(tag, 0))
    columns = ("rules", "accuracy", "paper: rules", "paper: accuracy")
    right = {
        "accuracy": f"percent of the pairs of adjacent tokens, the first {INSTANCES:,} of the test set at the most, "
        "whose link (none, left or right, and its label) is right"
    }
    by_context = {"context": "number of neighbours on each side whose attributes are features", **right}
    by_attribute = {"attribute": "attribute whose values are features, as the paper names it", **right}
    spanish, pairs = ("paper: Spanish", printed("51.28")[0]), f"Of the first {INSTANCES:,} pairs of the training set."
    linked = {"%": "percent of the pairs of adjacent tokens that are linked"}
    adjacent = (training.name, percent(int((classes != "NONE").sum()), len(classes)))
    contexts = tuple((str(k), *of_context[k], *paper) for k, paper in CONTEXTS.items())
    kinds = tuple((name, *of_attribute.get(name, (None, None)), *paper) for name, paper in FIGURES.items())
    return [
        Table("Adjacent tokens linked", ("", "%"), (adjacent, spanish), "Table 2", pairs, linked),
        Table(f"Context, with {tag}", ("context", *columns), contexts, "Table 3, Spanish", legends=by_context),
        Table("Attribute, with context 1", ("attribute", *columns), kinds, "Table 4, Spanish", legends=by_attribute),
        score_table(
            results,
            "Parsers beside the languages of the paper",
            {f"{test.name}, {name}": name for name in PARSERS},
            LANGUAGES,
            "Table 7, test data of CoNLL-X",
            "The paper chose attributes for each language; here rules may ask for all of them.",
        ),
    ]


def _context_of_1(results: Results) -> tuple[Outcome, str]:
    accuracy = [own or 0.0 for _, own in _found(results)[1].values()]
    gain = accuracy[1] - accuracy[0]
    holds = gain > 0 and max(abs(accuracy[more] - accuracy[1]) for more in (2, 3)) < gain
    return outcome(holds), "accuracy by context: " + ", ".join(f"{own:.2f}" for own in accuracy)


def _tags_tell_most(results: Results) -> tuple[Outcome, str]:
    accuracy = {name: own or 0.0 for name, (_, own) in _found(results)[2].items()}
    best = max(accuracy.values())
    holds = all(name in ("postag", "cpostag") for name, own in accuracy.items() if own == best)
    return outcome(holds), ", ".join(f"{name} {own:.2f}" for name, own in accuracy.items())


decision_list = Study(
    "decision lists by context and attribute (Yuret 2006, Tables 3, 4 and 7)",
    PAPER,
    _decision_list,
    (
        Claim(
            "A context of 1 is better than none, and more of it has no significant effect", "section 3.1", _context_of_1
        ),
        Claim("The part of speech is the most informative single attribute", "section 3.1", _tags_tell_most),
    ),
    systems=PARSERS,
    others=_lists,
)
