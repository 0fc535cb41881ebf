"""Predicted or gold parts of speech, in training and in testing (Chang, Do & Roth 2006, Table 5).

The tags of the test set come from a tagger that was trained on the whole training set, those of the training set from
*jack-knifing*: each fold is tagged by a tagger that was trained on the others, so that its tags are as wrong as those
that the parser will meet. UPOS, XPOS and FEATS are predicted; lemmas stay.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from treevote.config import to_mapping
from treevote.errors import InputError
from treevote.models.tagging.tagger import COLUMNS, TaggerTrainer, retagged
from treevote.protocols import Progress
from treevote.store import JSON
from treevote.studies.cells import Parsing, alone, checksum, column_of
from treevote.studies.chang import NOTE, PAPER, SYSTEM, rows_of
from treevote.studies.tables import Finding, Report, Table, Value, percent, printed
from treevote.studies.workbench import Workbench
from treevote.treebank import Treebank

FOLDS = 10

SETTINGS = ("gold-predicted", "predicted-predicted", "gold-gold", "predicted-gold")
"""Tags in training, tags in testing; the paper has the first three."""

FIGURES = {
    "Dependencies": printed("90.7 90.8 92.0"),
    "Root": printed("92.0 92.3 93.9"),
    "Sentence": printed("40.8 40.7 43.6"),
    "Leaf": printed("93.8 94.0 95.0"),
}

TAGGER = printed("97.2")[0]
"""Accuracy of the paper's tagger on its test set."""


@dataclass(frozen=True, eq=False)
class Tagging:
    """Train a tagger, and tag other sentences with it.

    Attributes
    ----------
    title : str
    trainer : TaggerTrainer
    training, test : Treebank
        As `alone` returns them.
    seed : int
    """

    title: str
    trainer: TaggerTrainer
    training: Treebank
    test: Treebank
    seed: int

    def facts(self) -> dict[str, JSON]:
        """Return what the tags depend on."""
        return {
            "trainer": {"kind": type(self.trainer).__name__, **to_mapping(self.trainer)},
            "training": checksum(self.training),
            "test": checksum(self.test),
            "seed": self.seed,
        }

    def work(self, progress: Progress | None) -> JSON:
        """Return the tags of all tokens of the test set."""
        told = None if progress is None else lambda _, done, total: progress(self.title, done, total)
        tagged = self.trainer.train(self.training, seed=self.seed, progress=told).tag(self.test)
        result: dict[str, JSON] = {}
        for column in COLUMNS:
            strings = [str(getattr(word, column)) for word in tagged.words]
            names, numbers = np.unique(np.array(strings, object)[tagged.tokens[tagged.is_token]], return_inverse=True)
            result[column] = {"names": names.tolist(), "tags": numbers.tolist()}
        return result

    def outcome(self, result: Any) -> Treebank:
        """Return the test set with the tagger's tags."""
        columns = {}
        for column in COLUMNS:
            names = tuple(str(name) for name in result[column]["names"])
            columns[column] = names, column_of(self.test, result[column]["tags"], len(names))
        return retagged(self.test, columns)

    def reduced(self) -> Tagging:
        """Return the same for two sentences."""
        few = self.training.select(range(min(2, self.training.n_sentences)))
        return dataclasses.replace(self, training=few, test=few)


def tags(bench: Workbench) -> Report:
    """Train and test the paper's parser, and each member, with gold and with predicted tags."""
    trainers = SYSTEM | bench.trainers
    training, test, tagger = predicted(bench)
    cells = [
        Parsing(
            f"{name} {setting}",
            trainer,
            alone(training if setting.startswith("predicted") else bench.training),
            alone(test if setting.endswith("predicted") else bench.test),
            bench.seed,
        )
        for name, trainer in trainers.items()
        for setting in SETTINGS
    ]
    parses = iter(bench.run(cells))
    tables = [tagger]
    las: dict[str, dict[str, float]] = {}
    chance = {}
    for name in trainers:
        systems = {setting: next(parses) for setting in SETTINGS}
        las[name] = {setting: bench.counts(parse).las for setting, parse in systems.items()}
        chance[name] = bench.p_value(systems["predicted-predicted"], systems["gold-predicted"], "arcs")
        rows = rows_of(bench, list(systems.values()), FIGURES)
        tables.append(Table(name, ("training tags-test tags", *SETTINGS), rows, f"{PAPER}, Table 5", NOTE))
    return Report(
        tuple(tables),
        (
            Finding(
                f"If tags are predicted in testing, it is better to train on predicted tags ({PAPER}, Table 5).",
                all(own["predicted-predicted"] > own["gold-predicted"] for own in las.values()),
                "; ".join(
                    f"{name}: {own['gold-predicted']:.2f} LAS trained on gold tags, "
                    f"{own['predicted-predicted']:.2f} on predicted tags (p = {chance[name]:.4f}); "
                    f"{own['gold-gold']:.2f} with gold tags throughout"
                    for name, own in las.items()
                ),
            ),
        ),
    )


def predicted(bench: Workbench) -> tuple[Treebank, Treebank, Table]:
    """Return training and test set with predicted tags, and how many of them are right.

    Raises
    ------
    InputError
        If there are fewer sentences than folds.
    """
    gold = bench.training
    if gold.n_sentences < FOLDS:
        raise InputError(
            f"expected at least {FOLDS} sentences to train on, one for each fold, found {gold.n_sentences}",
            path=gold.name,
            remedy="give a larger treebank",
        )
    fold_of = np.arange(gold.n_sentences) % FOLDS
    folds = [np.flatnonzero(fold_of == fold) for fold in range(FOLDS)]
    trainer = TaggerTrainer()
    cells = [
        Tagging(
            f"tagging {number}/{FOLDS}",
            trainer,
            alone(gold.select(np.setdiff1d(np.arange(gold.n_sentences), fold))),
            alone(gold.select(fold)),
            bench.seed,
        )
        for number, fold in enumerate(folds, start=1)
    ]
    *parts, test = bench.run([*cells, Tagging("tagging", trainer, alone(gold), alone(bench.test), bench.seed)])
    joined = Treebank.concatenate(parts).select(np.argsort(np.concatenate(folds)))
    training = dataclasses.replace(joined, name=gold.name)
    rows = tuple(
        (name, *_accuracies(*pair))
        for name, pair in {"training, jack-knifed": (gold, training), "test": (bench.test, test)}.items()
    )
    paper = ("paper: test", TAGGER, None, None, None)
    names = ("", "UPOS %", "XPOS %", "FEATS %", "all %")
    return training, test, Table("The tagger", names, (*rows, paper), f"{PAPER}, section 3")


def _accuracies(gold: Treebank, tagged: Treebank) -> tuple[Value, ...]:
    """Return the shares of tokens with the right UPOS, XPOS, FEATS, and all three."""
    columns = [
        [[getattr(word, column) for word in treebank.words] for column in COLUMNS] for treebank in (gold, tagged)
    ]
    tokens = gold.is_token
    right = np.stack(
        [
            np.array(own, object)[gold.tokens[tokens]] == np.array(other, object)[tagged.tokens[tokens]]
            for own, other in zip(*columns, strict=True)
        ]
    )
    return tuple(percent(int(row.sum()), gold.n_tokens) for row in (*right, right.all(0)))
