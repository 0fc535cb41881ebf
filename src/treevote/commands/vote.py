"""``treevote vote``: one tree from the files of any parsers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from treevote.conll.reader import read, read_parse
from treevote.conll.writer import write
from treevote.corpus.treebank import Format, Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.corpus.trees import roots as count_roots
from treevote.ensemble.confidence import Confidence
from treevote.ensemble.selection import fit_weights
from treevote.ensemble.selection import select as choose
from treevote.ensemble.vote import vote as combine
from treevote.errors import ConfigError
from treevote.evaluation.counts import convention_of


def vote(
    systems: Sequence[str | Path],
    output: str | Path,
    *,
    weights: Literal["equal", "accuracy", "pos"] = "equal",
    select: bool = False,
    gold: str | Path | None = None,
    dev: Sequence[str | Path] = (),
    roots: Literal["one", "several", "auto"] = "auto",
    support: bool = False,
    confidence: bool = False,
    format: Format | Literal["auto"] = "auto",
) -> tuple[Treebank, bool, tuple[str, ...]]:
    """Write the trees with most votes in place of those of the first system that votes.

    Parameters
    ----------
    systems : sequence of path
        The same sentences as each system parsed them, the best first: it decides ties, and its text is kept.
    output : path or "-"
        Written whole or not at all.
    weights : {"equal", "accuracy", "pos"}, default="equal"
        Weights of the systems, see `treevote.ensemble.weights`.
    select : bool, default=False
        Whether to select the systems with the best vote, their order and their weights (``weights`` is then ignored);
        see `treevote.ensemble.selection`.
    gold : path, optional
        Sentences with trees to measure on; not those that are voted on.
    dev : sequence of path
        The sentences of ``gold`` as each system parsed them, in the order of ``systems``.
    roots : {"one", "several", "auto"}, default="auto"
        Number of roots of a sentence, see `one_root`.
    support : bool, default=False
        Write the share of the votes for each arc and label into MISC.
    confidence : bool, default=False
        Write the probability that each arc is right, alone and with its label, into MISC.
    format : {"auto", "conllu", "conllx"}, default="auto"
        Format of all files.

    Returns
    -------
    parse : Treebank
        The written parse.
    single_root : bool
        Whether every sentence has one root.
    voters : tuple of str
        The systems that voted, in the order that decides ties.

    Raises
    ------
    InputError
        If a file cannot be read or written, or the sentences differ.
    ConfigError
        If the files to measure on are not given, or given for other systems.
    """
    measured = select or confidence or weights != "equal"
    if measured and (gold is None or len(dev) != len(systems)):
        asked = "the choice of systems" if select else "confidence" if confidence else f"weight by {weights}"
        raise ConfigError(
            f"{asked} is measured on a development set; give its gold trees with --gold, "
            f"and with --dev the parses of each of the {len(systems)} systems"
        )
    parses = [read_parse(path, format) for path in systems]
    trees = None if gold is None else read(gold, format=format)
    single_root = one_root(parses, trees) if roots == "auto" else roots == "one"
    voters = list(range(len(parses)))
    if trees is None or not measured:
        parse = combine(parses, single_root=single_root)
    else:
        convention = convention_of(trees)
        known = [read_parse(path, format) for path in dev]
        if select:
            named = {str(i): system for i, system in enumerate(known)}
            choice = choose(trees, named, single_root=single_root, convention=convention)
            voters, weights = [int(name) for name in choice.members], choice.weights
        parses, known = ([those[i] for i in voters] for those in (parses, known))
        by = fit_weights(weights, trees, known)
        parse = combine(parses, by, single_root=single_root)
        if confidence:
            voted = combine(known, by, single_root=single_root)
            fitted = Confidence.fit(trees, known, voted, convention=convention)
            arc, label = fitted.of(parses, parse)
            parse = replace(parse, confidence=arc, label_confidence=label)
    kept = ("support", "label_support") if support else ()
    parse = parse.only(*kept, "confidence", "label_confidence")
    write(parse, output)
    return parse, single_root, tuple(str(systems[i]) for i in voters)


def one_root(systems: Sequence[Treebank], gold: Treebank | None = None) -> bool:
    """Tell whether the systems follow an annotation with one root in each sentence.

    Gold trees settle it. Without them, parses in CoNLL-U have one root unless every system has a sentence
    with several, for a parser may well break a rule of the annotation; parses in CoNLL-X have one root
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
