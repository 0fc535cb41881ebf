"""The tagging job of the study of tags: UPOS, XPOS and FEATS by the tagger of treevote; lemmas stay."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from treevote.corpus.sentence import ROOT
from treevote.corpus.treebank import Treebank
from treevote.kernels import Ints
from treevote.models.text.tagging.tagger import Tagger
from treevote.parallel import Progress
from treevote.store.manifest import JSON
from treevote.studies.jobs import Job, token_column

COLUMNS = ("upos", "xpos", "feats")
"""The tags, by the names of the fields of `treevote.corpus.sentence.Word`."""


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
