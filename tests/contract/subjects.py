"""The parsers for the tests of the contract: each family, with settings for a fast training."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from tests.paths import ROOT
from tests.reference.quick_tagger import SMALL as SMALL_TAGGER
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import SMALL, TEST
from tests.reference.toy_text import toy_tokenizer
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.models.learning.clusters.clusters import Clusters
from treevote.models.learning.vectors.vectors import WordVectors
from treevote.models.parsers.biaffine.parser import BiaffineParser, BiaffineTrainer
from treevote.models.parsers.decision_list.explanation import explain, rules_text
from treevote.models.parsers.decision_list.parser import DecisionListParser, DecisionListTrainer
from treevote.models.parsers.graph.parser import GraphParser, GraphTrainer
from treevote.models.parsers.pipeline.parser import PipelineParser, PipelineTrainer
from treevote.models.parsers.transition.parser import TransitionParser
from treevote.models.text.text_annotator import TextAnnotator
from treevote.protocols import Parser

BACKWARD = dataclasses.replace(SMALL, learner="svm", direction="backward", search="best-first")
STRUCTURED = dataclasses.replace(SMALL, structured_epochs=100)
CLUSTERS = Clusters(("the", "dog", "dogs", "saw", "cat"), ("0000", "010011", "0101", "10", "11"))
CLUSTERED = dataclasses.replace(SMALL, clusters=CLUSTERS)
PAIRS = dataclasses.replace(SMALL, learner="pairs-svm")
PIPELINE = PipelineTrainer(templates="paper", cutoff=1)
GRAPH = GraphTrainer(bits=14, epochs=2, n_perceptrons=2, attributes=("upos", "lower", "feat"))
VECTORS = WordVectors(("the", "dog", "cat"), np.array([[1, -2], [0.5, 1], [0.5, 1]], np.float16))
NETWORK = BiaffineTrainer(
    passes=12, batch=40, rate=0.01, dropout=0.1, word_size=8, tag_size=8, letter_size=6, filters=8,
    layers=1, units=12, arc_size=12, label_size=8,
)  # fmt: skip
RULES = DecisionListTrainer(attributes=("upos", "form", "feats"), weights=(1, 2), repeats=2, min_gain=2)


def searches(parser: TransitionParser) -> list[Parser]:
    return [parser.with_search("greedy", 1), parser.with_search("beam", 3), parser.with_search("best-first", 3)]


def depths(parser: PipelineParser) -> list[Parser]:
    return [
        dataclasses.replace(parser, trainer=dataclasses.replace(parser.trainer, depth=depth)) for depth in (1, 2, 4)
    ]


def explained(parser: DecisionListParser) -> list[Parser]:
    list(rules_text(parser))
    explain(parser, TEST, 0)
    return [parser]


def alone(parser: Any) -> list[Parser]:
    return [parser]


ENSEMBLE = (
    "candidates",
    "development",
    "diversity",
    "familiarity",
    "lights",
    "reliability",
    "scores",
    "seed",
    "training",
    "treevote",
    "weights",
)
"""Items that may be missing in the record of an ensemble."""


class Subject(NamedTuple):
    """A trainer, the class of its parsers, and their peculiarities.

    Attributes
    ----------
    trainer, parser : Trainer, type
    stages : tuple of str
        Names under which progress is reported.
    uses : callable
        A parser to all parsers that differ from it in their search only.
    seeded : bool
        Whether training is random.
    baseline : bool
        Whether it learns labels only, and trusts that all sentences have trees.
    spare : tuple of str
        Items of its record that may be missing, or arrays that may have another length.
    """

    trainer: Any
    parser: Any
    stages: tuple[str, ...] = ()
    uses: Callable[[Any], Iterable[Any]] = alone
    seeded: bool = True
    baseline: bool = False
    spare: tuple[str, ...] = ()

    def train(self, treebank: Treebank, **options: Any) -> Any:
        """Train; an ensemble gets sentences to measure its confidence on."""
        dev = toy_treebank(20, 3) if self.parser is EnsembleParser else None
        return self.trainer.train(treebank, dev, **options)


@dataclasses.dataclass(frozen=True)
class ReadingTrainer:
    """Trains an ensemble that has a tokenizer and a tagger."""

    ensemble: EnsembleTrainer

    def train(self, treebank: Treebank, dev: Treebank | None = None, **options: Any) -> EnsembleParser:
        parser = self.ensemble.train(treebank, dev, **options)
        tagger = dataclasses.replace(SMALL_TAGGER, clusters=CLUSTERS)
        return dataclasses.replace(parser, annotator=TextAnnotator(toy_tokenizer(), tagger.train(treebank)))


def plug_in() -> Subject:
    """Return the family of ``docs/examples/plug_in``, which need not be installed."""
    path = ROOT / "docs" / "examples" / "plug_in" / "treevote_chain.py"
    spec = importlib.util.spec_from_file_location("treevote_chain", path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Subject(module.ChainTrainer(), module.ChainParser, seeded=False, baseline=True)


SUBJECTS = {
    "transition": Subject(SMALL, TransitionParser, ("training",), searches),
    "transition-svm": Subject(BACKWARD, TransitionParser, ("training", "calibrating"), searches),
    "transition-structured": Subject(STRUCTURED, TransitionParser, ("training", "structured"), searches),
    "transition-clusters": Subject(CLUSTERED, TransitionParser, ("training",), searches),
    "transition-pairs": Subject(PAIRS, TransitionParser, ("training",)),
    "pipeline": Subject(PIPELINE, PipelineParser, ("heads", "labels"), depths),
    "graph-1": Subject(
        dataclasses.replace(GRAPH, order=1, decoder="non-projective"), GraphParser, ("labels", "graph 1")
    ),
    "graph-2": Subject(
        dataclasses.replace(GRAPH, learner="bpm"),
        GraphParser,
        ("labels", "pruner", "graph 1", "graph 2"),
        spare=("second-order",),
    ),
    "biaffine": Subject(dataclasses.replace(NETWORK, vectors=VECTORS), BiaffineParser, ("training",)),
    "decision-list": Subject(RULES, DecisionListParser, ("passes",), explained, seeded=False),
    "ensemble": Subject(
        EnsembleTrainer({"forward": SMALL, "backward": BACKWARD}),
        EnsembleParser,
        ("forward", "backward"),
        spare=ENSEMBLE,
    ),
    "ensemble-with-annotator": Subject(
        ReadingTrainer(EnsembleTrainer({"forward": SMALL})),
        EnsembleParser,
        ("forward",),
        spare=(*ENSEMBLE, "annotator", "tokenizer", "tagger", "0", "1"),
    ),
    "plug-in": plug_in(),
}
OWN = {name: subject for name, subject in SUBJECTS.items() if not subject.baseline}
"""All but the plug-in."""
