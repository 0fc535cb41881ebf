"""The study of domain adaptation (Sagae & Tsujii 2007, section 4): retraining on sentences on which two parsers agree.

The steps are those of the paper: a forward MaxEnt and a backward SVM model are trained on the labelled source; both
parse unlabelled text of the target; sentences with identical analyses join the training data; the forward MaxEnt model
is trained again. Beside them stands the vote of the paper's three models, which sees no unlabelled text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treevote.adaptation.annotation import agreement
from treevote.config import to_mapping
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.ensemble.vote import vote
from treevote.errors import InputError
from treevote.evaluation.verdict import Probability
from treevote.report.settings import described
from treevote.studies.jobs import Parsing, compact
from treevote.studies.report import Finding, Report, Table, Value, outcome, percent, printed, rate
from treevote.studies.sagae_tsujii import PAIR, PAPER, PAPER_SETTINGS, THREE
from treevote.studies.study import Context

ADAPTED = f"{PAIR[0]}, retrained"
VOTE = "vote of the paper's three"

DEV: dict[str, Value] = dict(zip((*PAIR, VOTE, ADAPTED), ("78 to 79", "78 to 79", *printed("81.9 82.1")), strict=True))
"""LAS on the biomedical development set (sections 4 and 5)."""

TEST = {ADAPTED: printed("81.06 83.42")}
"""LAS and UAS on the chemical test set (section 4)."""

ADDED = "about 200k"
"""Words of the added sentences (section 4)."""


@dataclass(frozen=True)
class AdaptationStudy:
    """The study, with the interface of `treevote.studies.study.Study`; it has members of its own."""

    summary: str = "retraining on sentences on which two parsers agree (Sagae & Tsujii 2007, section 4)"
    members: tuple[str, ...] = ()
    fewest: int = 1
    needs_text: bool = True

    @property
    def paper_settings(self) -> Mapping[str, Mapping[str, Any]]:
        """Learners, features and search of the paper."""
        return PAPER_SETTINGS

    def described(self, context: Context) -> dict[str, str]:
        """Return what is run: the settings of each parser, and who votes, agrees and is trained again."""
        told = {name: described(to_mapping(trainer)) for name, trainer in _trainers(context).items()}
        agreed = f"{' and '.join(PAIR)}, identical analyses"
        return {**told, VOTE: f"equal weights: {', '.join(THREE)}", "agreement": agreed, "retrained": PAIR[0]}

    def run(self, context: Context) -> Report:
        """Run the study.

        Raises
        ------
        InputError
            If they agree on no sentence of the text, or the folder of the jobs cannot be written to.
        """
        assert context.text is not None
        test, text = compact(context.test), context.text
        both = compact(Treebank.concatenate([context.test, text], "test set and text"))
        training, trainers = compact(context.training), _trainers(context)
        work = [
            Parsing(name, trainer, training, both if name in PAIR else test, context.seed)
            for name, trainer in trainers.items()
        ]
        found = dict(zip(trainers, context.run(work), strict=True))
        n_test = context.test.n_sentences
        parses = {name: parse.select(np.arange(n_test)) for name, parse in found.items()}
        of_text = [found[name].select(np.arange(n_test, both.n_sentences)) for name in PAIR]
        added = of_text[0].select(np.flatnonzero(agreement(of_text) == 1))
        if not added.n_tokens:
            raise InputError(
                f"expected sentences on which {' and '.join(PAIR)} agree, found none",
                path=text.name,
                remedy="give more text, or text in the language of the treebank",
            )
        larger = compact(Treebank.concatenate([context.training, added], f"{context.training.name} + {text.name}"))
        (retrained,) = context.run([Parsing(ADAPTED, trainers[PAIR[0]], larger, test, context.seed)])
        parses[VOTE] = vote([parses[name] for name in THREE], single_root=is_single_rooted(context.training)).only()
        parses[ADAPTED] = retrained
        return _report(context, parses, added)


def _trainers(context: Context) -> dict[str, Any]:
    return context.trainers(tuple(dict.fromkeys((*PAIR, *THREE))))


def _report(context: Context, parses: Mapping[str, Treebank], added: Treebank) -> Report:
    counts = {name: context.counts(parse) for name, parse in parses.items()}
    base = parses[PAIR[0]]
    chance: dict[str, tuple[Probability, Probability]] = {
        name: (context.p_value(base, parses[name], "las"), context.p_value(base, parses[name], "uas"))
        for name in (VOTE, ADAPTED)
    }
    rows: list[tuple[Value, ...]] = []
    for name in (*PAIR, VOTE, ADAPTED):
        own = counts[name]
        p: list[Value] = [str(value).removeprefix("p ").removeprefix("= ") for value in chance.get(name, ())]
        p = p or [None, None]
        rows.append((name, rate(own.las), p[0], rate(own.uas), p[1], DEV[name], *TEST.get(name, (None, None))))
    columns = (
        *("", "LAS", "p (LAS)", "UAS", "p (UAS)", "paper: biomedical dev LAS"),
        *("paper: chemical test LAS", "paper: chemical test UAS"),
    )
    agreed = agreement([parses[name] for name in PAIR]) == 1
    there = context.counts(base, agreed)
    text = context.text
    assert text is not None
    test = context.test
    share = percent(int(agreed.sum()), test.n_sentences)
    sentences: tuple[tuple[Value, ...], ...] = (
        (test.name, int(agreed.sum()), there.tokens, share, rate(there.las), rate(there.uas)),
        (f"{text.name}, added", *_size(added), percent(added.n_sentences, text.n_sentences), None, None),
        ("training data before", *_size(context.training), None, None, None),
        (
            "training data after",
            *(a + b for a, b in zip(_size(context.training), _size(added), strict=True)),
            *[None] * 3,
        ),
        ("paper: development set", None, None, None, "just above 90", None),
        ("paper: added", None, ADDED, None, None, None),
    )
    tables = (
        Table(
            "Accuracy on the target",
            columns,
            tuple(rows),
            f"{PAPER}, sections 4 and 5, CoNLL 2007 domain adaptation track",
            "The paper's data are other abstracts with other guidelines than yours, unless yours are the sets of the "
            "shared task.",
            {
                f"p ({metric})": f"chance of such a difference in {metric} from {PAIR[0]}, which is trained on the "
                "source alone, by the randomization test"
                for metric in ("LAS", "UAS")
            },
        ),
        Table(
            "Sentences on which the two agree",
            ("", "sentences", "tokens", "% of sentences", "LAS", "UAS"),
            sentences,
            f"{PAPER}, section 4",
            "LAS and UAS are those of these sentences.",
            {"% of sentences": "percent of the sentences of that file on which the two give the same analysis"},
        ),
    )
    one, other = (counts[name].las for name in PAIR)
    gain = counts[ADAPTED].las - one
    p_vote = context.p_value(parses[VOTE], parses[ADAPTED], "las")
    findings = (
        Finding(
            f"Agreement of the two models is an indication of correctness ({PAPER}, section 5).",
            outcome(there.tokens > 0 and there.las > max(one, other)),
            f"{rate(there.las)} LAS on the {int(agreed.sum()):,} sentences of the test set on which they agree, "
            f"against {one:.2f} and {other:.2f} on all",
        ),
        Finding(
            f"The adapted parser is a significant improvement ({PAPER}, section 5).",
            outcome(gain > 0, chance[ADAPTED][0].p),
            f"{counts[ADAPTED].las:.2f} LAS, {gain:+.2f} ({chance[ADAPTED][0]})",
        ),
        Finding(
            f"It is as good as the vote of three models without unlabelled text ({PAPER}, section 5).",
            outcome(counts[ADAPTED].las >= counts[VOTE].las or not p_vote.significant),
            f"{counts[ADAPTED].las:.2f} LAS, {VOTE} {counts[VOTE].las:.2f} ({p_vote})",
        ),
    )
    return Report(tables, findings)


def _size(treebank: Treebank) -> tuple[int, int]:
    return treebank.n_sentences, treebank.n_tokens


adaptation = AdaptationStudy()
