"""Annotation in rounds, with the gold trees in place of an annotator: what the choice of the next sentences is worth.

A round trains the parser of ``--fast`` on all sentences until then, chooses sentences of a pool, and adds their gold
trees. Start and pool are drawn at random from the training data, or the pool from a part of the data of a new domain;
the development data, or the rest of that part, are for the score.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import treevote
from benchmarks.systems import part, treebank_files
from benchmarks.tables import Table
from treevote.annotation.selection import doubts
from treevote.commands.next import next_sentences
from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import evaluate
from treevote.kernels import Longs

START, ROUND, ENOUGH, SHOWN = 200, 50, 650, (200, 300, 400, 500, 650, 1000)
"""Sentences at the start, in a round, and at the end of a choice; numbers that are shown, the last at random alone."""

POOL, MEASURED, SEEDS = 3000, 361, 3
"""Most sentences of a pool, those of a new domain that are measured on, and seeds of the random sentences."""

POOLS = {"Greek-GDT": "UD_Greek-GDT", "English-EWT": "UD_English-EWT", "wsj-to-bio": "wsj-to-bio"}
"""Names of treebanks and of a pair of domains, and their folders."""


class Annotation(NamedTuple):
    """What there is to annotate: a start with trees, a pool whose trees are hidden, sentences to measure on."""

    start: Treebank
    pool: Treebank
    measured: Treebank

    @classmethod
    def of(cls, folder: Path) -> Annotation:
        """Draw start and pool."""
        random = np.random.default_rng(0)
        train, dev = (treevote.read(part(folder, name)) for name in ("train", "dev"))
        drawn = random.permutation(len(train))
        pool, measured = train.select(drawn[START : START + POOL]), dev
        if (folder / "target.dev.conll").exists():
            new = treevote.read(folder / "target.dev.conll")
            pool, measured = new[MEASURED:], new[:MEASURED]
        return cls(train.select(drawn[:START]), pool, measured)


Choice = Callable[[treevote.EnsembleParser, Treebank], Longs]
"""Numbers of the sentences of a pool to annotate next."""


def uncertain(model: treevote.EnsembleParser, pool: Treebank) -> Longs:
    """Choose the sentences with the most words that are expected to be wrong."""
    doubt = doubts(treevote.parse(model, pool, progress=False))
    return np.argsort(-np.add.reduceat(doubt, pool.offsets[:-1]), kind="stable")[:ROUND]


def valuable(model: treevote.EnsembleParser, pool: Treebank) -> Longs:
    """Choose as ``treevote next -k``."""
    return next_sentences(model, [pool], sentences=ROUND).numbers


def cheap(model: treevote.EnsembleParser, pool: Treebank, tokens: int) -> Longs:
    """Choose as ``treevote next --tokens``."""
    return next_sentences(model, [pool], tokens=tokens).numbers


def choosing(data: Path, work: Path) -> Mapping[str, Table]:
    """Measure LAS by the number of annotated sentences, of random ones and of several choices."""
    rows: list[list[object]] = []
    for name, own in POOLS.items():
        one = Annotation.of(treebank_files(data, own, work))
        print(f"rounds in {name}", file=sys.stderr, flush=True)
        several = [_at_random(one, seed) for seed in range(SEEDS)]
        las, tokens = (np.mean([[curve[n][i] for n in SHOWN] for curve in several], axis=0).tolist() for i in (0, 1))
        per_round = round(ROUND * one.pool.n_tokens / len(one.pool))
        rows.append([name, "random", *las, tokens[SHOWN.index(ENOUGH)]])
        choices: Mapping[str, Choice] = {
            "uncertainty": uncertain,
            "`next`": valuable,
            "`next --tokens`": partial(cheap, tokens=per_round),
        }
        for title, choice in choices.items():
            curve = _by_rounds(one, choice)
            rows.append([name, title, *(curve[n][0] if n in curve else "–" for n in SHOWN), curve[ENOUGH][1]])
    columns = {"": 0, "choice": 0, **{f"{n:,}": 2 for n in SHOWN}, f"tokens of {ENOUGH}": 0}
    return {"next": {"columns": columns, "rows": rows}}


def _at_random(one: Annotation, seed: int) -> dict[int, tuple[float, int]]:
    """Return LAS and tokens by the number of sentences, the start and random ones."""
    order, found = np.random.default_rng(seed).permutation(len(one.pool)), {}
    for n in SHOWN:
        known = Treebank.concatenate([one.start, one.pool.select(order[: n - START])])
        found[n] = _las(treevote.train(known, preset="fast", folds=0, progress=False), one), known.n_tokens
    return found


def _by_rounds(one: Annotation, choice: Choice) -> dict[int, tuple[float, int]]:
    """Return LAS and tokens of each round, by the number of sentences that rounds until then have at random."""
    known, left, found = one.start, one.pool, {}
    for n in range(START, ENOUGH + 1, ROUND):
        model = treevote.train(known, preset="fast", folds=3, progress=False)
        found[n] = _las(model, one), known.n_tokens
        chosen = choice(model, left)
        known = Treebank.concatenate([known, left.select(chosen)])
        left = left.select(np.setdiff1d(np.arange(len(left)), chosen))
    return found


def _las(model: treevote.EnsembleParser, one: Annotation) -> float:
    return evaluate(one.measured, treevote.parse(model, one.measured, progress=False)).las
