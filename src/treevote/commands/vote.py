"""``treevote vote``: one tree from the files of any parsers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from treevote.commands.evaluate import convention_of, read_parse
from treevote.conll import read
from treevote.ensemble.vote import vote as combine
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError
from treevote.formats import Format
from treevote.rendering import write
from treevote.treebank import Treebank
from treevote.trees import is_single_rooted
from treevote.trees import roots as count_roots


def vote(
    systems: Sequence[str | Path],
    output: str | Path,
    *,
    weights: Literal["equal", "accuracy", "pos"] = "equal",
    gold: str | Path | None = None,
    dev: Sequence[str | Path] = (),
    roots: Literal["one", "several", "auto"] = "auto",
    support: bool = False,
    format: Format | Literal["auto"] = "auto",
) -> tuple[Treebank, bool]:
    """Write the trees with most votes in place of those of the first system.

    Parameters
    ----------
    systems : sequence of path
        The same sentences as each system parsed them, the best first: it decides ties, and its text is kept.
    output : path or "-"
        Written whole or not at all.
    weights : {"equal", "accuracy", "pos"}, default="equal"
        How much each system counts, see `treevote.ensemble.weights`.
    gold : path, optional
        Sentences with trees to measure weights on; not those that are voted on.
    dev : sequence of path
        The sentences of ``gold`` as each system parsed them, in the order of ``systems``.
    roots : {"one", "several", "auto"}, default="auto"
        How many roots a sentence may have, see `one_root`.
    support : bool, default=False
        Write the share of the votes for each arc and label into MISC.
    format : {"auto", "conllu", "conllx"}, default="auto"
        Format of all files.

    Returns
    -------
    parse : Treebank
        What was written.
    single_root : bool
        Whether every sentence has one root.

    Raises
    ------
    InputError
        If a file cannot be read or written, or the sentences differ.
    ConfigError
        If the files to measure weights on are not given, or given for other systems.
    """
    if weights != "equal" and (gold is None or len(dev) != len(systems)):
        raise ConfigError(
            f"weights by {weights} are measured on a development set; give its gold trees with --gold, "
            f"and with --dev the parses of each of the {len(systems)} systems"
        )
    parses = [read_parse(path, format) for path in systems]
    trees = None if gold is None else read(gold, format=format)
    measured = Weights.equal(len(parses))
    if weights != "equal" and trees is not None:
        by = Weights.by_accuracy if weights == "accuracy" else Weights.by_pos
        measured = by(trees, [read_parse(path, format) for path in dev])
    single_root = one_root(parses, trees) if roots == "auto" else roots == "one"
    parse = combine(parses, measured, single_root=single_root)
    if not support:
        parse = replace(parse, support=None, label_support=None)
    write(parse, output)
    return parse, single_root


def one_root(systems: Sequence[Treebank], gold: Treebank | None = None) -> bool:
    """Tell whether the systems speak of an annotation with one root in each sentence.

    Gold trees settle it. Without them, parses in CoNLL-U have one root unless every system has a sentence
    with several, for a parser may well fail at what the annotation demands; parses in CoNLL-X have one root
    only if no system has such a sentence.

    Examples
    --------
    >>> one = Treebank.of([(["a", "b"], [0, 1], ["root", "x"])])
    >>> two = Treebank.of([(["a", "b"], [0, 0], ["root", "root"])])
    >>> one_root([one, two]), one_root([two, two]), one_root([one, one], gold=two)
    (True, False, False)
    """
    if gold is not None:
        return is_single_rooted(gold)
    single = [bool((count_roots(system) <= 1).all()) for system in systems]
    return any(single) if convention_of(systems[0]) == "ud" else all(single)
