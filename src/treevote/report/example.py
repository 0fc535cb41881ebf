"""One sentence on which the members of an ensemble differ, with the tree of their vote, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from treevote.corpus.sentence import Sentence
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.drawing.text import DIFFERS, draw
from treevote.evaluation.agreement import unanimous
from treevote.kernels import Bools
from treevote.visibility import visible

FEWEST, MOST = 4, 12
"""Lengths of an example, in tokens."""


def example(gold: Treebank, members: Mapping[str, Treebank], vote: Treebank) -> list[str]:
    r"""Return the lines of a sentence that the vote parses without a mistake, and some member does not.

    Sentences that more members parse wrongly come first, then shorter ones, then earlier ones. The drawing of the
    vote's tree is followed by a line for each member. There are no lines if there is no such sentence.

    >>> words, labels = ["she", "saw", "old", "stars"], ["nsubj", "root", "amod", "obj"]
    >>> gold, one = (Treebank.of([(words, heads, labels)]) for heads in ([2, 0, 4, 2], [2, 0, 2, 2]))
    >>> print(*example(gold, {"greedy": one, "beam": gold}, gold), sep="\n")
    1  ╭── she    _  nsubj
    2 ─┤ saw      _  root
    3  │ ╭── old  _  amod
    4  ╰─╯ stars  _  obj
    <BLANKLINE>
    greedy  ≠ 3 old: amod of 2 saw
    beam    the same tree
    """
    lengths = gold.lengths
    fits = (lengths >= FEWEST) & (lengths <= MOST) & _same(gold, vote)
    wrong = np.sum([~_same(gold, member) for member in members.values()], axis=0)
    found = np.flatnonzero(fits & (wrong > 0))
    if not len(found):
        return []
    number = int(min(found, key=lambda i: (-wrong[i], lengths[i], i)))
    tree = vote.sentence(number)
    width = max(map(len, members))
    told = [
        f"{name:{width}}  {', '.join(_arcs(tree, parse.sentence(number))) or 'the same tree'}"
        for name, parse in members.items()
    ]
    return [*draw(tree), "", *told]


def _same(gold: Treebank, parse: Treebank) -> Bools:
    """Return a mask of the sentences with the gold heads and labels, shape (n_sentences,)."""
    return np.equal(per_sentence(gold.is_token & ~unanimous([gold, parse]), gold.offsets), 0)


def _arcs(tree: Sentence, parse: Sentence) -> Iterator[str]:
    """Yield the arcs in which a parse differs from a tree, in words."""
    forms = [visible(word.form) for word in tree.words]
    for word in range(1, len(forms)):
        head, label = int(parse.heads[word]), parse.deprels[word]
        if (head, label) != (tree.heads[word], tree.deprels[word]):
            to = f"of {head} {forms[head]}" if head else "on ROOT"
            yield f"{DIFFERS} {word} {forms[word]}: {visible(label)} {to}"
