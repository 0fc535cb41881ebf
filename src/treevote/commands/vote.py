"""``treevote vote``: one tree from the files of any parsers."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from treevote.conll.reader import read, read_parse
from treevote.conll.writer import without_marks, write
from treevote.corpus.given import Given
from treevote.corpus.treebank import Format
from treevote.ensemble.selection import VoteKind
from treevote.ensemble.system_vote import SystemVote, one_root, vote_systems
from treevote.errors import ConfigError, require_known
from treevote.evaluation.counts import check_same_sentences
from treevote.evaluation.development import misplaced, same_sentences
from treevote.evaluation.names import named
from treevote.files.streams import paths_of, require_apart, require_writable

MEASURED = {"accuracy": "weight by accuracy", "pos": "weight by pos", "learned": "a learned vote"}
"""Kinds of weights that are measured on a development set, and their names in a message."""


def vote_files(
    systems: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    weights: VoteKind | Literal["agreement"] | None = None,
    select: bool = False,
    gold: str | os.PathLike[str] | None = None,
    dev: Sequence[str | os.PathLike[str]] = (),
    roots: Literal["one", "several", "auto"] = "auto",
    keep: str | os.PathLike[str] | None = None,
    support: bool = False,
    confidence: bool = False,
    format: Format | Literal["auto"] = "auto",
    warn: Callable[[str], None] = lambda sentence: None,
) -> SystemVote:
    """Write the trees whose arcs have most votes in place of those of the first system, as ``treevote vote`` does.

    Parameters
    ----------
    systems : sequence of path or "NAME=FILE"
        The same sentences as each system parsed them, the best first: it decides ties, and its text is kept.
    output : path or "-"
    weights : {"equal", "agreement", "accuracy", "pos", "learned"}, optional
        Weights of the votes, by default equal; all but the first two are measured on the development set.
    select : bool, default=False
        Choose the systems with the best vote, their order and their weights, see `treevote.ensemble.selection`.
    gold : path, optional
        Trees of the development set: sentences that are not voted on.
    dev : sequence of path, optional
        The sentences of ``gold`` as each system parsed them, one file for each.
    roots : {"one", "several", "auto"}, default="auto"
        Roots of a sentence; by default as in ``gold``, else as in the parses.
    keep : path, optional
        The same sentences with heads and labels to keep, some or all, ``_`` where there is none: the trees are the
        heaviest of those that hold them.
    support, confidence : bool, default=False
        Write into MISC the share of the votes for each arc and label; the probability that each is right.
    format : {"auto", "conllu", "conllx"}, default="auto"
    warn : callable, optional
        Called with warnings about development files that do not belong to the systems.

    Returns
    -------
    SystemVote
        ``parse``, ``voters`` in the order that decides ties, and ``facts``: the weights, and on the development set the
        scores of the systems, of the vote, and its gain.

    Raises
    ------
    ConfigError
        For one system alone, for weights beside a selection, or where a development set is needed and not given.
    InputError
        If a file cannot be read or written, has other sentences, gold trees are none, or no tree has the heads to keep.
    """
    systems, dev = paths_of(systems), paths_of(dev)
    if len(systems) < 2:
        raise ConfigError(f"expected two systems or more to vote, found {len(systems)}; one alone has no vote")
    if select and weights is not None:
        raise ConfigError("a selection of systems chooses their weights as well; leave the weights out")
    weights = weights or "equal"
    require_known("weights", weights, (*get_args(VoteKind), "agreement"))
    paths, dev_paths = named(systems), list(named(dev).values())
    require_apart([output], [*paths.values(), *dev_paths, gold, keep])
    require_writable([output])
    measured = "the choice of systems" if select else "confidence" if confidence else MEASURED.get(weights)
    if (measured or dev) and (gold is None or len(dev) != len(systems)):
        raise ConfigError(
            f"{measured or 'a vote'} is measured on a development set; give its gold trees with --gold, "
            f"and with --dev the parses of each of the {len(systems)} systems"
        )
    parses = [read_parse(path, format) for path in paths.values()]
    trees = None if gold is None else read(gold, format=format)
    dev_parses = [] if trees is None else [read_parse(path, format) for path in dev_paths]
    check_same_sentences(parses)
    development = None
    if trees is not None:
        check_same_sentences([trees, *dev_parses])
        if dev_parses:
            development = trees, dev_parses
            places = misplaced(list(paths.values()), dev_paths, parses, dev_parses)
            for warning in (*places, *same_sentences(trees, parses[0])):
                warn(warning)
    require_known("roots", roots, ("one", "several", "auto"))
    single_root = one_root(parses, trees) if roots == "auto" else roots == "one"
    given = None
    if keep is not None:
        half_done = read(keep, format=format, trees="partial-rooted" if single_root else "partial")
        check_same_sentences([parses[0], half_done])
        given = Given.of(half_done, "all", single_root=single_root)
    voted = vote_systems(
        dict(zip(paths, parses, strict=True)),
        development,
        weights=weights,
        selected=select,
        single_root=single_root,
        given=given,
        confidence=confidence,
    )
    marks = ("support", "label_support") if support else ()
    parse = without_marks(voted.parse.only(*marks, *(("confidence", "label_confidence") if confidence else ())))
    write(parse, output)
    rows = [{"name": row["name"], "path": paths[row["name"]], **row} for row in voted.facts["systems"]]
    return dataclasses.replace(voted, parse=parse, facts=voted.facts | {"systems": rows})
