"""Tags of the training data as a parser will meet them: each sentence is tagged by a tagger that has not seen it."""

from __future__ import annotations

from collections.abc import Callable

from treevote.corpus.folds import folds_of, rejoined
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.models.tagging.tagger import TaggerTrainer
from treevote.parallel import ONE_JOB, Jobs


def cross_tagged(
    trainer: TaggerTrainer, treebank: Treebank, n_folds: int, *, seed: int = 0, jobs: Jobs = ONE_JOB
) -> Treebank:
    """Return the same sentences and trees with predicted lemmas and tags, without source text.

    A sentence is tagged by a tagger of all folds but its own; ConfigError if there are fewer than two, or more than
    sentences. The result does not depend on the jobs.
    """
    if not 2 <= n_folds <= treebank.n_sentences:
        raise ConfigError(f"the folds of tags should be in 2..{treebank.n_sentences}, found {n_folds}")
    tagged = []
    for number, (others, held_out) in enumerate(folds_of(treebank.n_sentences, n_folds), 1):
        named = jobs.renamed(_numbered(number, n_folds))
        tagger = trainer.train(treebank.select(others), seed=seed, jobs=named)
        tagged.append(tagger.tag(treebank.select(held_out)))
    return rejoined(tagged, treebank.name)


def _numbered(fold: int, n_folds: int) -> Callable[[str], str]:
    return lambda name: f"{name} {fold}/{n_folds}"
