"""Projectivisation and its inverse word for word after Nivre & Nilsson (2005), on one sentence as lists."""

from __future__ import annotations

from tests.reference.trees import non_projective_arcs


def lift(heads: list[int]) -> tuple[list[int], set[int]]:
    """Projective heads, and the tokens whose arc is on a lifting path."""
    heads, path = list(heads), set()
    while any(non_projective_arcs(heads)):
        arcs = [(abs(heads[token] - token), token) for token, bad in enumerate(non_projective_arcs(heads)) if bad]
        lifted = min(arcs)[1]
        path.add(heads[lifted])
        heads[lifted] = heads[heads[lifted]]
    return heads, path


def encode(heads: list[int], deprels: list[str], encoding: str) -> tuple[list[int], list[str]]:
    """Lifted heads and marked labels; no label may contain an arrow."""
    lifted_heads, path = lift(heads)
    marked = list(deprels)
    for token in range(1, len(heads)):
        if lifted_heads[token] != heads[token]:
            marked[token] += {"none": "", "path": "↑"}.get(encoding, "↑" + deprels[heads[token]])
        if token in path and encoding in ("path", "head+path"):
            marked[token] += "↓"
    return lifted_heads, marked


def decode(heads: list[int], marked: list[str], encoding: str) -> tuple[list[int], list[str]]:
    """Heads that the marks point to, and labels without marks."""
    new, down = list(heads), [label.endswith("↓") for label in marked]
    bare = [label.removesuffix("↓") for label in marked]
    deprels = [label.split("↑")[0] for label in bare]
    if encoding == "none":
        return new, marked
    for token in breadth_first(heads, 0):
        if "↑" in bare[token]:
            sought = bare[token].split("↑")[1]
            paths = breadth_first(new, new[token], without=token, only=down)
            arcs = breadth_first(new, new[token], without=token)
            labelled = [arc for arc in arcs if sought and deprels[arc] == sought]
            ends = [arc for arc in paths if not any(down[c] for c, head in enumerate(new) if head == arc)]
            targets = {
                "head": labelled,
                "path": ends,
                "head+path": [arc for arc in paths if sought and deprels[arc] == sought] or labelled,
            }[encoding]
            if targets:
                new[token] = targets[0]
    return new, deprels


def breadth_first(heads: list[int], top: int, without: int = -1, only: list[bool] | None = None) -> list[int]:
    """The descendants of ``top``, level by level, along the arcs in ``only`` and never into ``without``."""
    order = [top]
    for position in order:
        order += [
            token
            for token, head in enumerate(heads)
            if head == position and token != without and (only is None or only[token])
        ]
    return order[1:]
