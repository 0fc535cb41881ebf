"""The heaviest tree over the arcs with votes; the only module that uses networkx.

A *tree* is a *spanning arborescence* in the terms of networkx: every token has one head, and heads lead to
ROOT. The algorithm of Edmonds (1967), "Optimum branchings", finds the heaviest one. In networkx it takes milliseconds
for a sentence, so exact reductions leave to it only the few tokens with real conflicts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set

from treevote.ensemble.branching import heaviest_arborescence

MAX_TRIED = 300_000
"""Maximum of tokens times tokens tried as the root of a sentence; it matters only beyond 500 tokens."""

MAX_NETWORKX = 60
"""Tokens of the longest sentence that goes to networkx (40 s for 190 tokens at worst); longer ones get the same."""


def spanning_tree(arcs: Sequence[Mapping[int, int]], *, single_root: bool) -> list[int]:
    """Return the heads of the heaviest tree; ties go to the smallest sequence of heads.

    The tree is sought among the given arcs. If they hold none (a token may have no arc, or several tokens no
    head but ROOT where one root is demanded), arcs with score 0 are added: from ROOT to every token and, with
    a single root, from ROOT's dependent to every other token. More are not needed: where a tree has another
    arc that was not given, its dependent can as well hang on ROOT (on ROOT's dependent), with all that is
    below it.

    Parameters
    ----------
    arcs : sequence of mapping from int to int, length n + 1
        ``arcs[d]`` maps heads of token ``d``, other than ``d``, to the score of the arc, an integer >= 0;
        ``arcs[0]`` is empty.
    single_root : bool
        Whether ROOT must have exactly one dependent.

    Returns
    -------
    list of int, length n + 1
        The head of each token; -1 for ROOT.

    Notes
    -----
    One root is enforced by trying the tokens that have an arc from ROOT: the token tried keeps this arc
    alone, all others lose theirs. The sum of the best heads is an upper bound of each trial, so few are made.
    In a sentence of more than 500 tokens only the most promising roots are tried, see ``MAX_TRIED``.

    Examples
    --------
    Tokens 1 and 2 are each other's best head; the tree enters the cycle where it costs least.

    >>> spanning_tree([{}, {0: 1, 2: 5}, {1: 5, 3: 2}, {0: 4}], single_root=False)
    [-1, 2, 3, 0]
    >>> spanning_tree([{}, {0: 3}, {0: 3, 1: 1}], single_root=True)
    [-1, 0, 1]
    >>> spanning_tree([{}, {0: 3}, {0: 4}], single_root=True)
    [-1, 2, 0]
    """
    if not single_root:
        return _heaviest(arcs) or _heaviest([{}, *({0: 0, **into} for into in arcs[1:])]) or []
    return _heaviest_with_one_root(arcs, unvoted=False) or _heaviest_with_one_root(arcs, unvoted=True) or []


def _heaviest_with_one_root(arcs: Sequence[Mapping[int, int]], *, unvoted: bool) -> list[int] | None:
    """Return the heaviest tree in which ROOT has one dependent, or None if there is none."""
    inner = [{h: score for h, score in into.items() if h} for into in arcs]
    best = [max(into.values(), default=0) for into in inner]
    as_root = {d: arcs[d].get(0, 0) for d in range(1, len(arcs)) if unvoted or 0 in arcs[d]}
    alone = [] if unvoted else [d for d in range(1, len(arcs)) if not inner[d]]  # without a head but ROOT
    if len(alone) > 1:
        return None
    all_best = sum(best)
    bound = {r: all_best - best[r] + score for r, score in as_root.items() if r in alone or not alone}
    found: tuple[int, list[int]] | None = None
    for r in sorted(bound, key=lambda r: (-bound[r], r))[: max(1, MAX_TRIED // len(arcs))]:
        if found and bound[r] < -found[0]:
            break
        trial = [{r: 0, **into} for into in inner] if unvoted else list(inner)
        trial[r] = {0: as_root[r]}
        heads = _heaviest(trial)
        if heads:
            total = sum(trial[d][heads[d]] for d in range(1, len(heads)))
            found = min(found or (-total, heads), (-total, heads))
    return found[1] if found else None


def _heaviest(arcs: Sequence[Mapping[int, int]]) -> list[int] | None:
    """Return the heaviest tree over the arcs, with any number of roots, or None if there is none.

    If the best heads of all tokens make a tree, that is the one. If not, they have cycles, and each cycle of
    any choice of heads lies within one strongly connected component of the arcs. Hence:

    - A token whose component holds no cycle of best heads keeps its best head. Heads that make no cycle
      within any component make a tree together.
    - Of the arcs to a token from outside its component only the best counts, as none of them closes a cycle.
      For the same reason it dominates every worse arc from inside. Without those the component may fall
      apart, so it is determined again until nothing is left to drop.
    - What remains is a problem of its own: the tokens of the component, the arcs among them, and one virtual
      root for all nodes outside.
    """
    if not all(arcs[1:]):
        return None
    if len(arcs) > MAX_NETWORKX + 1:  # the reductions take quadratic time, too
        whole = _edmonds(dict(enumerate(arcs[1:], start=1)), {d: 0 for d, into in enumerate(arcs) if 0 in into})
        return [-1, *(whole[d] for d in sorted(whole))] if whole else None
    left = [dict(into) for into in arcs]
    heads = [-1, *(min(into, key=lambda h: (-into[h], h)) for into in left[1:])]
    while token := _token_on_a_cycle(heads):
        component = _strongly_connected(left, token)
        kept = {d: _undominated(left[d], component) for d in sorted(component)}
        entry = {d: ranked[-1] for d, ranked in kept.items() if ranked[-1] not in component}
        if not entry:
            return None
        settled = all(h in kept[d] for d in kept for h in left[d] if h in component)
        for d, ranked in kept.items():
            left[d] = {h: left[d][h] for h in ranked}
        if settled:
            for d, h in _edmonds({d: left[d] for d in kept}, entry).items():
                heads[d], left[d] = h, {h: left[d][h]}
    return heads


def _undominated(into: Mapping[int, int], component: Set[int]) -> list[int]:
    """Return the heads of a token, best first, up to the first one from outside its component."""
    ranked = sorted(into, key=lambda h: (-into[h], h))
    last = next((i for i, h in enumerate(ranked) if h not in component), len(ranked))
    return ranked[: last + 1]


def _edmonds(arcs: Mapping[int, Mapping[int, int]], entry: Mapping[int, int]) -> dict[int, int]:
    """Return the heaviest heads for the tokens of one component.

    Parameters
    ----------
    arcs : mapping from token to mapping from head to score
        The arcs that compete, tokens ascending.
    entry : mapping from token to head
        The heads outside the component, one for each token that has any; they become one node, 0.

    Notes
    -----
    Ties are broken in the scores: the ranks of the heads of all tokens are the digits of a number in mixed
    radix, taken off a score that was raised by more than this number can be. Python's integers keep that
    exact. All scores are then lifted so far that an arc more outweighs whatever the others gain, so that the
    maximum branching spans all tokens, and that none falls below zero when cycles are contracted.
    """
    scale = math.prod(len(into) for into in arcs.values())
    radix = scale
    scores: dict[tuple[int, int], int] = {}
    for d, into in arcs.items():
        radix //= len(into)
        for rank, h in enumerate(sorted(into)):
            scores[0 if entry.get(d) == h else h, d] = into[h] * scale - rank * radix
    if len(arcs) > MAX_NETWORKX:
        large = heaviest_arborescence(scores) or {}
        return {d: h or entry[d] for d, h in large.items()}
    low, high = min(scores.values()), max(scores.values())
    rise = (high - low + 1) * (len(arcs) + 1) - low
    import networkx as nx  # slow to import, and many votes have no real conflict

    graph = nx.DiGraph()
    graph.add_weighted_edges_from((h, d, score + rise) for (h, d), score in scores.items())
    return {d: h or entry[d] for h, d in nx.maximum_branching(graph).edges}


def _token_on_a_cycle(heads: Sequence[int]) -> int:
    """Return a token on a cycle of heads, 0 if there is none."""
    seen_from = [0] * len(heads)
    seen_from[0] = -1
    for start in range(1, len(heads)):
        d = start
        while not seen_from[d]:
            seen_from[d] = start
            d = heads[d]
        if seen_from[d] == start:
            return d
    return 0


def _strongly_connected(arcs: Sequence[Mapping[int, int]], token: int) -> set[int]:
    """Return the strongly connected component of a token: all tokens that reach it and that it reaches."""
    dependents: list[list[int]] = [[] for _ in arcs]
    for d, into in enumerate(arcs):
        for h in into:
            dependents[h].append(d)
    return _reachable(token, arcs) & _reachable(token, dependents)


def _reachable(token: int, neighbours: Sequence[Iterable[int]]) -> set[int]:
    """Return all tokens that can be reached from ``token``, itself included."""
    found, pending = {token}, [token]
    while pending:
        for neighbour in neighbours[pending.pop()]:
            if neighbour not in found:
                found.add(neighbour)
                pending.append(neighbour)
    return found
