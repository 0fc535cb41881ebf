"""Tags of the training data as a parser will meet them: each sentence is tagged by a tagger that has not seen it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.models.tagging.tagger import TaggerTrainer
from treevote.parallel import ONE_JOB, Jobs


def cross_tagged(
    trainer: TaggerTrainer, treebank: Treebank, n_folds: int, *, seed: int = 0, jobs: Jobs = ONE_JOB
) -> Treebank:
    """Return the same sentences and trees with predicted lemmas and tags, without source text.

    Parameters
    ----------
    trainer : TaggerTrainer
    treebank : Treebank
    n_folds : int
        Sentence ``i`` is in fold ``i % n_folds``, and is tagged by a tagger of all other folds.
    seed : int, default=0
    jobs : Jobs, optional
        The result does not depend on them.

    Raises
    ------
    ConfigError
        If there are fewer than two folds, or more than sentences.

    Examples
    --------
    >>> from treevote.corpus.sentence import Word
    >>> words = [Word("dogs", "dog", "NOUN", "_", "_"), Word("bark", "bark", "VERB", "_", "_")]
    >>> toy = Treebank.of([(words, [2, 0], ["nsubj", "root"])] * 6)
    >>> cross_tagged(TaggerTrainer(), toy, 2).sentence(5).words[2].upos
    'VERB'
    """
    if not 2 <= n_folds <= treebank.n_sentences:
        raise ConfigError(f"the folds of tags should be in 2..{treebank.n_sentences}, found {n_folds}")
    fold_of = np.arange(treebank.n_sentences) % n_folds
    parts, held_out = [], []
    for fold in range(n_folds):
        own = np.flatnonzero(fold_of == fold)
        named = jobs.renamed(_named(fold + 1, n_folds))
        tagger = trainer.train(treebank.select(np.flatnonzero(fold_of != fold)), seed=seed, jobs=named)
        parts.append(tagger.tag(treebank.select(own)))
        held_out.append(own)
    return Treebank.concatenate(parts, treebank.name).select(np.argsort(np.concatenate(held_out)))


def _named(fold: int, n_folds: int) -> Callable[[str], str]:
    return lambda name: f"{name} {fold}/{n_folds}"
