"""What the members of an ensemble get right together and alone: what a vote can gain from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treevote.metrics import Convention, right_arcs
from treevote.treebank import Treebank


@dataclass(frozen=True, slots=True)
class Diversity:
    """How several systems differ on the same gold trees; all rates are percentages of the tokens, to two decimals.

    Attributes
    ----------
    names : tuple of str, length k
    las, uas : tuple of float, length k
    alone : tuple of float, length k
        Arcs, labels included, that this system alone has right.
    disagreement : tuple of tuple of float, shape (k, k)
        Tokens to which two systems give another head or label.
    oracle_las, oracle_uas : float
        Tokens that some system has right: no choice among the systems can do better.
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
        """Compare systems.

        Parameters
        ----------
        gold : Treebank
            Every token has a head.
        parses : mapping of str to Treebank
            The same sentences as each system parsed them.
        convention : {"ud", "conllx"}, default="ud"
            What counts of a label, see `treevote.metrics`.

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
        n_tokens = max(1, gold.n_tokens)
        right = [right_arcs(gold, parse, convention=convention) for parse in parses.values()]
        heads, arcs = (np.stack([pair[i][tokens] for pair in right]) for i in (0, 1))
        hits = arcs.sum(0)

        def share(mask: Any) -> float:
            return round(100 * int(np.count_nonzero(mask)) / n_tokens, 2)

        return Diversity(
            names=tuple(parses),
            las=tuple(map(share, arcs)),
            uas=tuple(map(share, heads)),
            alone=tuple(share(own & (hits == 1)) for own in arcs),
            disagreement=tuple(
                tuple(share(~_same(one, other)[tokens]) for other in parses.values()) for one in parses.values()
            ),
            oracle_las=share(arcs.any(0)),
            oracle_uas=share(heads.any(0)),
        )


def _same(one: Treebank, other: Treebank) -> Any:
    """Return the mask of slots to which two systems give the same head and label."""
    numbers: dict[str, int] = {}
    columns = [
        np.array([*(numbers.setdefault(label, len(numbers)) for label in treebank.labels), -1], np.int32)[
            treebank.deprels
        ]
        for treebank in (one, other)
    ]
    return (one.heads == other.heads) & (columns[0] == columns[1])
