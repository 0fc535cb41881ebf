"""Diversity of the members of an ensemble: disagreement, uniquely correct arcs, and the oracle above the vote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from treevote.corpus.treebank import Treebank
from treevote.evaluation.agreement import agreement, arcs_of, oracle, right_arcs, uniquely_correct
from treevote.evaluation.counts import Convention
from treevote.kernels import Bools


@dataclass(frozen=True, slots=True)
class Diversity:
    """Differences of several systems on the same gold trees; all rates are percentages of the tokens, to two decimals.

    Attributes
    ----------
    names : tuple of str, length k
    las, uas : tuple of float, length k
    alone : tuple of float, length k
        Uniquely correct arcs, see `treevote.evaluation.agreement`.
    disagreement : tuple of tuple of float, shape (k, k)
        Tokens to which two systems give different heads or labels.
    oracle_las, oracle_uas : float
        Tokens that at least one system has right.
    """

    names: tuple[str, ...]
    las: tuple[float, ...]
    uas: tuple[float, ...]
    alone: tuple[float, ...]
    disagreement: tuple[tuple[float, ...], ...]
    oracle_las: float
    oracle_uas: float

    @staticmethod
    def of(gold: Treebank, parses: Mapping[str, Treebank], *, convention: Convention = "ud") -> Diversity:
        """Compare systems by name; the convention is that of `treevote.evaluation.counts`.

        Raises
        ------
        InputError
            If there is no system, the sentences differ, or a gold head is not known.

        Examples
        --------
        >>> gold = Treebank.of([(["a", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"])])
        >>> other = Treebank.of([(["a", "dog", "barks"], [3, 3, 0], ["det", "nsubj", "root"])])
        >>> both = Diversity.of(gold, {"good": gold, "bad": other})
        >>> both.las[0], both.alone[0], both.disagreement[0][1], both.oracle_las
        (100.0, 33.33, 33.33, 100.0)
        """
        tokens = gold.is_token
        right = [right_arcs(gold, parse, convention=convention) for parse in parses.values()]
        heads, arcs = [of.heads for of in right], [of.arcs for of in right]
        analyses = arcs_of(list(parses.values()))

        def share(mask: Bools) -> float:
            return round(100 * int(np.count_nonzero(mask)) / max(1, gold.n_tokens), 2)

        return Diversity(
            names=tuple(parses),
            las=tuple(map(share, arcs)),
            uas=tuple(map(share, heads)),
            alone=tuple(map(share, uniquely_correct(arcs))),
            disagreement=tuple(
                tuple(share(tokens & ~agreement(one, other).arcs) for other in analyses) for one in analyses
            ),
            oracle_las=share(oracle(arcs)),
            oracle_uas=share(oracle(heads)),
        )
