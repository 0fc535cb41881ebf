"""The quickstart as text: scores, an example, the files, and the commands for a treebank of the user; and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from treevote.commands.quickstart import ADAPTED, ADAPTED_TOO, MODEL, PARSED, TEST, UNLABELLED, VOTE, Quickstart
from treevote.corpus.sentence import Sentence
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import per_sentence
from treevote.drawing.text import DIFFERS, draw
from treevote.evaluation.agreement import unanimous
from treevote.evaluation.counts import count_by_sentence
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.paired import paired
from treevote.evaluation.verdict import signed
from treevote.kernels import Bools
from treevote.report.evaluation import cascade_text
from treevote.report.page import write_report
from treevote.report.scores import percentage
from treevote.terminal import duration, size, table
from treevote.visibility import visible

REPORT = "test.html"
"""Name of the page in the output folder."""

METRICS = "LAS", "UAS", "MLAS", "BLEX"
"""Figures of the parses of raw text."""

FEWEST, MOST = 4, 12
"""Lengths of an example, in tokens."""


def write_page(result: Quickstart) -> None:
    """Write the page of all parses of the test set."""
    write_report(evaluate_systems(result.test, result.parses, training=result.training), result.folder / REPORT)


def as_text(result: Quickstart) -> str:
    """Return the table, and the commands for a treebank of the user."""
    return "\n".join(_lines(result))


def _gain(result: Quickstart, first: str, second: str) -> str:
    """Return the LAS that the second parse has more than the first, with its interval."""
    counts = (count_by_sentence(result.test, result.parses[name]) for name in (first, second))
    gain = paired(*(np.stack([columns["arcs"], columns["tokens"]], axis=1) for columns in counts))
    points, low, high = (signed(value) for value in (gain.points, gain.low, gain.high) if value is not None)
    return f"{points} LAS (95 % interval {low} to {high})"


def _lines(result: Quickstart) -> Iterator[str]:
    yield f"trained on {_sizes(result.training)} of web text"
    yield f"tested on {_sizes(result.test)} of an encyclopedia\n"
    speeds = {name: f"{result.test.n_tokens / seconds:,.0f}" for name, seconds in result.seconds.items()}
    rows = [
        [name, f"{count.las:.2f}", f"{count.uas:.2f}", f"{result.seconds[name]:.2f}", speeds[name]]
        for name, count in result.counts.items()
    ]
    yield table(["", "LAS", "UAS", "seconds", "tokens/s"], rows) + "\n"
    members = {name: parse for name, parse in result.parses.items() if not name.endswith((VOTE, ADAPTED_TOO))}
    las = {name: count.las for name, count in result.counts.items()}
    best = max(members, key=lambda name: las[name])
    yield "LAS is the share of words with the right head and label, UAS with the right head, in percent."
    gain = _gain(result, best, VOTE)
    yield f"The vote takes the tree whose arcs have most votes: {gain} against its best member, {best}."
    if (adapted := VOTE + ADAPTED_TOO) in las:
        gain = _gain(result, VOTE, adapted)
        yield f"The adapted members also learned from text without trees, where parsers agreed: {gain}."
    if shown := example(result.test, members, result.parses[VOTE]):
        yield "\nA sentence of the test set on which members differ: the tree of the vote, and the members."
        yield from shown
    if result.from_text is not None:
        yield "\nThe same from raw text: a model with a tokenizer and a tagger, on the text of the test set alone."
        raw, stages = result.from_text
        rows = [[system.name, *(percentage(system.rates[name].value) for name in METRICS)] for system in raw.systems]
        yield f"\n{table(['', *METRICS], rows)}\n\n{cascade_text(stages)}\n"
    else:
        yield "\nThe words and tags of the test set were given. From raw text: treevote quickstart --from-text\n"
    if not result.reasons:
        yield f"adapted to {UNLABELLED} in {duration(result.adapting_seconds)}"
    yield from (f"the adapted model was not kept: {reason}" for reason in result.reasons)
    yield f"model   {result.folder / MODEL} ({size(result.n_bytes)})"
    if not result.reasons:
        yield f"adapted {result.folder / ADAPTED}"
    yield f"parses  {result.folder / PARSED}"
    yield f"gold    {result.folder / TEST}"
    yield f"report  {result.folder / REPORT}, for a browser\n"
    yield "The parts of the treebank are in that folder, too, to try other commands on. With your own, or with these:"
    yield f"  cd {result.folder}"
    yield "  treevote train train.conllu --dev dev.conllu -o my-model -j 2"
    yield "  treevote parse my-model test.conllu -o parsed.conllu"
    yield "  treevote evaluate test.conllu parsed.conllu"
    yield "  treevote adapt my-model new-domain.conllu --train train.conllu --dev dev.conllu -o my-adapted -j 2"


def _sizes(treebank: Treebank) -> str:
    return f"{treebank.n_sentences:,} sentences ({treebank.n_tokens:,} tokens)"


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
    examples = np.flatnonzero(fits & (wrong > 0))
    if not len(examples):
        return []
    number = int(min(examples, key=lambda i: (-wrong[i], lengths[i], i)))
    tree = vote.sentence(number)
    width = max(map(len, members))
    lines = [
        f"{name:{width}}  {', '.join(_arcs(tree, parse.sentence(number))) or 'the same tree'}"
        for name, parse in members.items()
    ]
    return [*draw(tree), "", *lines]


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
