"""The decoder of a parser that scores single arcs, and the rule by which it is chosen."""

from __future__ import annotations

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import non_projective
from treevote.kernels import Floats, Ints, kernel, leaf
from treevote.models.parsers.decoding.chu_liu_edmonds import decode as edmonds_decode
from treevote.models.parsers.decoding.eisner import NEVER
from treevote.models.parsers.decoding.eisner import decode as eisner_decode

SOME_CROSSING, MANY_CROSSING = 0.02, 0.05
"""Minimum shares of non-projective arcs for the decoder "auto": for a choice on development data, and for the
non-projective decoder without such data."""


def crossing(treebank: Treebank) -> float:
    """Return the share of non-projective arcs."""
    return float(non_projective(treebank).sum() / max(1, treebank.n_tokens))


@leaf
def restrict(scores: Floats, heads: Ints) -> None:
    """Prune all other heads of the tokens whose head is given, that is not -1, in ``heads``."""
    for d in range(1, len(scores)):
        for h in range(len(scores)):
            if heads[d] >= 0 and h != heads[d]:
                scores[d, h] = np.float32(NEVER)


@kernel
def decode(scores: Floats, projective: bool, single_root: bool, heads: Ints) -> None:
    """Write the best tree: projective, or without this restriction."""
    if projective:
        eisner_decode(scores, single_root, heads)
    else:
        edmonds_decode(scores, single_root, heads)
