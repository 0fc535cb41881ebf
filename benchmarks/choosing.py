"""Annotation in rounds, with the gold trees in place of an annotator: what the choice of the next sentences is worth.

A round trains the parser of ``--fast`` on all sentences until then, chooses sentences of a pool, and adds their gold
trees. Start and pool are drawn at random from the training data, or the pool from a part of the data of a new domain;
the development data, or the rest of that part, are for the score. A curve is the mean of several draws,
each with its own seed of the training: a single one goes up and down by some tenths of LAS.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import treevote
from benchmarks.systems import part, short, treebank_files
from benchmarks.tables import Table
from treevote.annotation.selection import doubts
from treevote.commands.next import next_sentences
from treevote.corpus.treebank import Treebank
from treevote.evaluation.counts import evaluate
from treevote.kernels import Longs

START, ROUND, ENOUGH, SHOWN = 200, 50, 650, (200, 300, 400, 500, 650, 1000)
"""Sentences at the start, in a round, and at the end of a choice; numbers that are shown, the last at random alone."""

POOL, MEASURED = 3000, 361  # most sentences of a pool, and those of a new domain that are measured on
POOLS = ("UD_Greek-GDT", "UD_English-EWT", "wsj-to-bio")  # folders of treebanks and of a pair of domains


class Annotation(NamedTuple):
    """What there is to annotate: a start with trees, a pool whose trees are hidden, sentences to measure on."""

    start: Treebank
    pool: Treebank
    measured: Treebank

    @classmethod
    def of(cls, folder: Path, seed: int) -> Annotation:
        """Draw start and pool, whose sentences are in random order."""
        random = np.random.default_rng(seed)
        train, dev = (treevote.read(part(folder, name)) for name in ("train", "dev"))
        drawn = random.permutation(len(train))
        pool, measured = train.select(drawn[START : START + POOL]), dev
        if (folder / "target.dev.conll").exists():
            new = treevote.read(folder / "target.dev.conll")
            pool, measured = new.select(MEASURED + random.permutation(len(new) - MEASURED)), new[:MEASURED]
        return cls(train.select(drawn[:START]), pool, measured)


ROUNDING = 1e-9  # difference of two means of LAS below which they are equal
Curve = dict[int, tuple[float, int]]  # LAS and tokens by the number of annotated sentences

Choice = Callable[[treevote.EnsembleParser, Treebank, int], Longs]
"""Numbers of the sentences of a pool to annotate next, given the tokens that so many random ones have."""


def uncertain(model: treevote.EnsembleParser, pool: Treebank, tokens: int) -> Longs:
    """Choose the sentences with the most words that are expected to be wrong."""
    doubt = doubts(treevote.parse(model, pool, progress=False))
    return np.argsort(-np.add.reduceat(doubt, pool.offsets[:-1]), kind="stable")[:ROUND]


def valuable(model: treevote.EnsembleParser, pool: Treebank, tokens: int) -> Longs:
    """Choose as ``treevote next -k``."""
    return next_sentences(model, [pool], sentences=ROUND).numbers


def cheap(model: treevote.EnsembleParser, pool: Treebank, tokens: int) -> Longs:
    """Choose as ``treevote next --tokens``."""
    return next_sentences(model, [pool], tokens=tokens).numbers


CHOICES: Mapping[str, tuple[Choice | None, int]] = {
    "random": (None, 3),
    "`next`": (valuable, 3),
    "uncertainty": (uncertain, 1),
    "`next --tokens`": (cheap, 1),
}
"""What is chosen, by its name, and the number of draws."""


def choosing(data: Path, work: Path) -> Mapping[str, Table]:
    """Measure LAS by the number of annotated sentences, of random ones and of several choices."""
    rows: list[list[object]] = []
    for own in POOLS:
        name, folder = short(own), treebank_files(data, own, work)
        curves: dict[str, list[Curve]] = {}
        for title, (choice, n_draws) in CHOICES.items():
            for seed in range(n_draws):
                print(f"{name}, {title}, draw {seed + 1} of {n_draws}", file=sys.stderr, flush=True)
                made = folder / f"rounds-{re.sub('[^a-z]+', '-', title).strip('-')}-{seed}.json"
                curves.setdefault(title, []).append(_made_once(made, partial(_curve, folder, choice, seed)))
        aim = _mean(curves["random"])[SHOWN[-1]][0]
        for title, several in curves.items():
            mean = _mean(several)
            spread = float(np.std([curve[ENOUGH][0] for curve in several])) if len(several) > 1 else "–"
            las = [mean[n][0] if n in mean else "–" for n in SHOWN]
            rows.append([name, title, str(len(several)), *las, spread, reached(mean, aim), mean[ENOUGH][1]])
    columns = {"": 0, "choice": 0, "draws": 0, **{f"{n:,}": 2 for n in SHOWN}}
    columns |= {f"± at {ENOUGH}": 2, "as good from": 0, f"tokens of {ENOUGH}": 0}
    return {"next": {"columns": columns, "rows": rows}}


def reached(curve: Mapping[int, tuple[float, float]], aim: float) -> int | str:
    """Return the number of sentences from which on a curve never falls below an aim; a dash if there is none."""
    below = [n for n, (las, _) in curve.items() if las < aim - ROUNDING]
    return next((n for n in sorted(curve) if n > max(below, default=0)), "–")


def _mean(several: Sequence[Curve]) -> dict[int, tuple[float, float]]:
    points = {n: np.mean([curve[n] for curve in several], axis=0).tolist() for n in several[0]}
    return {n: (las, tokens) for n, (las, tokens) in points.items()}


def _curve(folder: Path, choice: Choice | None, seed: int) -> Curve:
    """Annotate the first sentences of a pool, whose order is random, or those of a choice."""
    one = Annotation.of(folder, seed)
    if choice is not None:
        return _by_rounds(one, choice, seed)
    found = {}
    for n in SHOWN:
        known = Treebank.concatenate([one.start, one.pool[: n - START]])
        found[n] = _las(treevote.train(known, preset="fast", folds=0, seed=seed, progress=False), one), known.n_tokens
    return found


def _by_rounds(one: Annotation, choice: Choice, seed: int) -> Curve:
    """Return LAS and tokens of each round, by the number of sentences that rounds until then have at random."""
    known, left, found = one.start, one.pool, {}
    tokens = round(ROUND * left.n_tokens / len(left))
    for n in range(START, ENOUGH + 1, ROUND):
        model = treevote.train(known, preset="fast", folds=3, seed=seed, progress=False)
        found[n] = _las(model, one), known.n_tokens
        chosen = choice(model, left, tokens)
        known = Treebank.concatenate([known, left.select(chosen)])
        left = left.select(np.setdiff1d(np.arange(len(left)), chosen))
    return found


def _made_once(file: Path, make: Callable[[], Curve]) -> Curve:
    """Return a curve from its file, which is written if there is none: the rounds take long."""
    if not file.exists():
        text = json.dumps([[n, *point] for n, point in make().items()])
        file.write_text(text, "utf-8")
    return {n: (las, tokens) for n, las, tokens in json.loads(file.read_text("utf-8"))}


def _las(model: treevote.EnsembleParser, one: Annotation) -> float:
    return evaluate(one.measured, treevote.parse(model, one.measured, progress=False)).las
