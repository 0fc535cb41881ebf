"""Sentences of a system that are no trees: they are scored as they are, and reported."""

from __future__ import annotations

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_partial, mask_of_trees, roots
from treevote.evaluation.results import Finding

FIRST = 10  # maximum number of sentences named for each finding


def ill_formed(system: Treebank, *, single_root: bool) -> tuple[Finding, ...]:
    """Return the ways in which sentences are no trees; several roots are one of them if every tree must have one."""
    unknown = are_partial(system)
    heads = np.where(system.is_token, np.maximum(system.heads, 0), -1).astype(np.int32)  # without a head: may be roots
    cyclic = ~mask_of_trees(heads, system.offsets)
    several = (roots(system) > 1) & single_root
    found = [
        ("cycle", "words that do not reach ROOT along their heads", cyclic),
        ("several roots", "more than one word on ROOT, where the gold trees have one", several),
        ("missing heads", "words without a head, which count as wrong", unknown),
    ]
    return tuple(
        Finding(name, description, len(numbers), tuple(numbers[:FIRST]))
        for name, description, sentences in found
        if (numbers := (np.flatnonzero(sentences) + 1).tolist())
    )
