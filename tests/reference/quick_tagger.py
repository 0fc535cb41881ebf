"""A tagger that is trained in no time, and a language whose forms spell out their features."""

from __future__ import annotations

import numpy as np

from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.models.text.tagging.classifier import ClassifierTrainer
from treevote.models.text.tagging.neural_tagger import NeuralTaggerTrainer
from treevote.models.text.tagging.tagger import TaggerTrainer

SMALL = TaggerTrainer(
    {
        "upos": (
            ClassifierTrainer(templates=("0.form", "0.suffix1", "-1.upos", "1.lower"), epochs=2, cutoff=1),
            ClassifierTrainer(
                templates=("0.suffix2", "-1.upos+0.shape"), losses=("margin",), direction="backward", epochs=2
            ),
        ),
        "feats": (
            ClassifierTrainer(
                templates=("0.suffix1", "0.prefix1", "1.upos", "-1.feats", "-2.feats+0.suffix1"),
                losses=("maxent", "margin"),
                epochs=2,
                cutoff=1,
            ),
            ClassifierTrainer(templates=("0.suffix1", "-1.feats+0.prefix1"), direction="backward", epochs=2, cutoff=1),
        ),
        "xpos": (ClassifierTrainer(templates=("0.suffix1", "0.feats", "-1.xpos"), epochs=2, cutoff=1),),
        "lemma": (ClassifierTrainer(templates=("0.suffix1", "0.upos", "0.xpos"), epochs=2, cutoff=1),),
    }
)
"""A quick trainer that has both losses and directions, and every kind of template."""

TINY = NeuralTaggerTrainer(attributes=("lower", "suffix1", "prefix1"), passes=3, layers=1, units=8, hidden=8)
"""A small network."""


def inflected(n_sentences: int, seed: int) -> Treebank:
    """Return sentences of forms whose letters are their features, most combinations of which are rare."""
    rng, sentences = np.random.default_rng(seed), []
    for _ in range(n_sentences):
        words = []
        for _ in range(int(rng.integers(1, 6))):
            first, last = rng.choice(list("aab")), rng.choice(list("abbbA1"))
            form = first + "".join(rng.choice(list("xy"), 2)) + last
            upos = "NOUN" if last in "ab" else "X"
            feats = f"Case={first}|Number={last}" if upos == "NOUN" else "Case=a|Case=b" if last == "A" else "Case=a"
            words.append(Word(form, form[:-1] if last == "a" else form.lower(), upos, last.upper(), feats))
        sentences.append((words, [-1] * len(words), [""] * len(words)))
    return Treebank.of(sentences)
