"""The study of domain adaptation (Sagae & Tsujii 2007, section 4): retraining on sentences on which two parsers agree.

The steps are those of the paper: a forward MaxEnt and a backward SVM model are trained on the labelled source; both
parse unlabelled text of the target; sentences with identical analyses join the training data; the forward MaxEnt model
is trained again. Beside them stands the vote of the paper's three models, which sees no unlabelled text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treevote.adaptation.annotation import agreement
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import is_single_rooted
from treevote.ensemble.vote import vote
from treevote.errors import InputError
from treevote.evaluation.verdict import signed
from treevote.studies.jobs import Parsing, compact
from treevote.studies.report import Outcome, Table, Value, outcome, percent, printed, rate
from treevote.studies.sagae_tsujii import PAIR, PAPER, PAPER_SETTINGS, THREE, VOTE_OF_THREE, agreed
from treevote.studies.study import METRICS, Claim, Context, Results, Study
from treevote.terminal import plural

BASE, ADAPTED = PAIR[0], f"{PAIR[0]}, retrained"

FIGURES: dict[str, tuple[Value, ...]] = dict.fromkeys(PAIR, ("78 to 79", None, None))
FIGURES |= {VOTE_OF_THREE: (*printed("81.9"), None, None), ADAPTED: printed("82.1 81.06 83.42")}
"""LAS on the biomedical development set, LAS and UAS on the chemical test set (sections 4 and 5)."""


class AdaptationStudy(Study):
    """A study whose last system is trained on sentences of the text on which two others agree."""

    def trainers(self, context: Context) -> dict[str, Any]:
        """Return the trainers of the pair and of the paper's three."""
        return context.trainers(tuple(dict.fromkeys((*PAIR, *THREE))))

    def described(self, context: Context) -> dict[str, str]:
        """Return what is run: the settings of each parser, and who votes, agrees and is trained again."""
        voters, agree = f"equal weights: {', '.join(THREE)}", f"{' and '.join(PAIR)}, identical analyses"
        return {**super().described(context), VOTE_OF_THREE: voters, "agreement": agree, "retrained": BASE}

    def results(self, context: Context) -> Results:
        """Train, parse test set and text, and train again; InputError if the pair agrees on no sentence of the text."""
        assert context.text is not None
        test, text = compact(context.test), context.text
        both = compact(Treebank.concatenate([context.test, text], "test set and text"))
        training, trainers = compact(context.training), self.trainers(context)
        texts = {name: both if name in PAIR else test for name in trainers}
        work = [Parsing(name, own, training, texts[name], context.seed) for name, own in trainers.items()]
        found = dict(zip(trainers, context.run(work), strict=True))
        n_test = context.test.n_sentences
        parses = {name: parse.select(np.arange(n_test)) for name, parse in found.items()}
        of_text = [found[name].select(np.arange(n_test, both.n_sentences)) for name in PAIR]
        added = of_text[0].select(agreement(of_text) == 1)
        if not added.n_tokens:
            problem = f"expected sentences on which {' and '.join(PAIR)} agree, found none"
            remedy = "give more text, or text in the language of the treebank"
            raise InputError(problem, path=text.name, remedy=remedy)
        larger = compact(Treebank.concatenate([context.training, added], f"{context.training.name} + {text.name}"))
        (retrained,) = context.run([Parsing(ADAPTED, trainers[BASE], larger, test, context.seed)])
        voters = [parses[name] for name in THREE]
        parses[VOTE_OF_THREE] = vote(voters, single_root=is_single_rooted(context.training)).only()
        return Results(context, {}, {"": {**parses, ADAPTED: retrained}}, {"added": added})


def _accuracy(results: Results) -> Table:
    rows: list[tuple[Value, ...]] = []
    for name, figures in FIGURES.items():
        p: list[Value] = [None, None]
        if name not in PAIR:
            base, other = results.systems[BASE], results.systems[name]
            p = [results.context.p_value(base, other, metric).entry for metric in METRICS]
        las, uas = results.scores(name)
        rows.append((name, las, p[0], uas, p[1], *figures))
    columns = ("", "LAS", "p (LAS)", "UAS", "p (UAS)", "paper: biomedical dev LAS")
    return Table(
        "Accuracy on the target",
        (*columns, "paper: chemical test LAS", "paper: chemical test UAS"),
        tuple(rows),
        "sections 4 and 5, CoNLL 2007 domain adaptation track",
        "The paper's data are other abstracts with other guidelines than yours, unless yours are the sets of the "
        "shared task.",
        {
            f"p ({metric})": f"chance of such a difference in {metric} from {BASE}, which is trained on the source "
            "alone, by the randomization test"
            for metric in ("LAS", "UAS")
        },
    )


def _sentences(results: Results) -> Table:
    test, text, training = results.context.test, results.context.text, results.context.training
    added: Treebank = results.others["added"]
    assert text is not None
    (n_agreed, there), before = agreed(results, PAIR), (training.n_sentences, training.n_tokens)
    share = percent(added.n_sentences, text.n_sentences)
    after = before[0] + added.n_sentences, before[1] + added.n_tokens
    rows: tuple[tuple[Value, ...], ...] = (
        (test.name, n_agreed, there.tokens, percent(n_agreed, test.n_sentences), rate(there.las), rate(there.uas)),
        (f"{text.name}, added", added.n_sentences, added.n_tokens, share, None, None),
        ("training data before", *before, None, None, None),
        ("training data after", *after, None, None, None),
        ("paper: development set", None, None, None, "just above 90", None),
        ("paper: added", None, "about 200k", None, None, None),
    )
    return Table(
        "Sentences on which the two agree",
        ("", "sentences", "tokens", "% of sentences", "LAS", "UAS"),
        rows,
        "section 4",
        "LAS and UAS are those of these sentences.",
        {"% of sentences": "percent of the sentences of that file on which the two give the same analysis"},
    )


def _agreement_is_correct(results: Results) -> tuple[Outcome, str]:
    (n_agreed, there), (one, other) = agreed(results, PAIR), map(results.score, PAIR)
    if not n_agreed:
        return outcome(False), "they agree on no sentence of the test set"
    return outcome(there.las > max(one, other)), (
        f"{there.las:.2f} LAS on the {plural(n_agreed, 'sentence')} of the test set on which they agree, "
        f"against {one:.2f} and {other:.2f} on all"
    )


def _adapted_is_better(results: Results) -> tuple[Outcome, str]:
    adapted, gain = results.score(ADAPTED), results.score(ADAPTED) - results.score(BASE)
    p = results.context.p_value(results.systems[BASE], results.systems[ADAPTED], "las")
    return outcome(gain > 0, p.p), f"{adapted:.2f} LAS, {signed(gain)} ({p})"


def _as_good_as_the_vote(results: Results) -> tuple[Outcome, str]:
    voted, adapted = results.score(VOTE_OF_THREE), results.score(ADAPTED)
    p = results.context.p_value(results.systems[VOTE_OF_THREE], results.systems[ADAPTED], "las")
    as_good = outcome(adapted >= voted or not p.significant)
    return as_good, f"{adapted:.2f} LAS, {VOTE_OF_THREE} {voted:.2f} ({p})"


adaptation = AdaptationStudy(
    "retraining on sentences on which two parsers agree (Sagae & Tsujii 2007, section 4)",
    PAPER,
    lambda results: [_accuracy(results), _sentences(results)],
    (
        Claim("Agreement of the two models is an indication of correctness", "section 5", _agreement_is_correct),
        Claim("The adapted parser is a significant improvement", "section 5", _adapted_is_better),
        Claim("It is as good as the vote of three models without unlabelled text", "section 5", _as_good_as_the_vote),
    ),
    paper_settings=PAPER_SETTINGS,
    needs_text=True,
)
