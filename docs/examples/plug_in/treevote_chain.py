"""A member for treevote: each word depends on the next one, with the usual label of its part of speech."""

import dataclasses
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from treevote import Family, ModelError, Record

KIND = "chain-parser"


@dataclass(frozen=True)
class ChainTrainer:
    root_label: str = "root"

    def train(self, treebank, dev=None, *, seed=0, jobs=None):
        counts = defaultdict(Counter)
        for token, label in zip(treebank.tokens[treebank.is_token], treebank.deprels[treebank.is_token], strict=True):
            counts[treebank.words[token].upos][treebank.labels[label]] += 1
        usual = {upos: min(found, key=lambda label: (-found[label], label)) for upos, found in counts.items()}
        return ChainParser(self, usual)


@dataclass(frozen=True)
class ChainParser:
    trainer: ChainTrainer
    usual: dict
    single_root = True

    def parse(self, treebank):
        ends = (treebank.offsets[1:] - 1)[np.diff(treebank.offsets) > 1]  # of sentences with tokens
        heads = np.where(treebank.is_token, treebank.positions + 1, -1).astype(np.int32)
        heads[ends] = 0
        labels = sorted({self.trainer.root_label, "dep", *self.usual.values()})
        number = [labels.index(self.usual.get(word.upos, "dep")) for word in treebank.words]
        deprels = np.where(treebank.is_token, np.array(number)[treebank.tokens], -1).astype(np.int32)
        deprels[ends] = labels.index(self.trainer.root_label)
        return treebank.with_trees(heads, deprels, tuple(labels))

    def record(self):
        return Record(KIND, {"trainer": dataclasses.asdict(self.trainer), "usual": self.usual})

    @classmethod
    def from_record(cls, record):
        match record.kind, record.facts:
            case "chain-parser", {"trainer": {"root_label": str(label)}, "usual": dict(usual)} if all(
                isinstance(value, str) and value.isprintable() and value for value in (label, *usual.values())
            ):
                return cls(ChainTrainer(label), usual)
        raise ModelError("the record of a chain parser does not fit together; train it again")


FAMILY = Family(KIND, ChainTrainer, ChainParser, {"chain": ChainTrainer()})
