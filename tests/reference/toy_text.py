"""A treebank with spaces, paragraphs and a multiword token, from which a tokenizer can be trained in two seconds."""

from __future__ import annotations

import functools
import io

from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.models.text.tokenization.tokenizer import Tokenizer, TokenizerTrainer
from treevote.parallel import ONE_JOB, Jobs

_SENTENCE = (
    ("1", "Dogs", "NOUN", "2", "nsubj", "_"),
    ("2-3", "can't", "_", "_", "_", "_"),
    ("2", "ca", "AUX", "0", "root", "_"),
    ("3", "n't", "PART", "2", "advmod", "_"),
    ("4", "bark", "VERB", "2", "xcomp", "SpaceAfter=No"),
    ("5", ".", "PUNCT", "2", "punct", "_"),
)
CONLLU = "".join(
    ("# newpar\n" if i % 3 == 0 else "")
    + "".join(
        f"{n}\t{form}\t_\t{upos}\t_\t_\t{head}\t{rel}\t_\t{misc}\n" for n, form, upos, head, rel, misc in _SENTENCE
    )
    + "\n"
    for i in range(12)
)
QUICK = TokenizerTrainer(epochs=1, dimension=16)


def toy() -> Treebank:
    """Return the treebank."""
    return read(io.BytesIO(CONLLU.encode()))


@functools.cache
def toy_tokenizer() -> Tokenizer:
    """Return a tokenizer, trained once in each process."""
    return learned(toy())


def learned(train: Treebank, dev: Treebank | None = None, *, jobs: Jobs = ONE_JOB) -> Tokenizer:
    """Return a tokenizer that learned from a treebank."""
    with QUICK.training(train, dev) as finish:
        return finish(jobs)
