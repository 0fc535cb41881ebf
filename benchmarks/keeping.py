"""Parses around given heads: what the other words gain, and whether all that is given is kept.

Words have a random number each, from 0 to 1. Those from 0.9 on are asked for, and the heads of those below 0.1, 0.3,
0.6 and 0.9 are given. This is done ten times, each time with numbers that are larger by 0.1 (those over 1 begin again),
so that each word is asked for once.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import treevote
from benchmarks.measure import run
from benchmarks.systems import TREEVOTE, part, short, treebank_files
from benchmarks.tables import Table
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, is_single_rooted
from treevote.corpus.vocabulary import common_labels
from treevote.kernels import Doubles

KEPT = ("UD_Greek-GDT", "UD_Hungarian-Szeged", "UD_Spanish-AnCora_resplit")  # folders of the treebanks
TRAINED_ON, PARSED = 500, 300  # first sentences of the training and of the development data

SHARES, DRAWS, TIMED = (0.0, 0.1, 0.3, 0.6, 0.9), 10, 3
"""Shares of given heads, numbers for each word, and runs of a parse: the quickest is the one that counts."""


def keep(data: Path, work: Path) -> Mapping[str, Table]:
    """Measure all members and the default vote: LAS of the same words by the share of given heads, and the cost."""
    rows: list[list[object]] = []
    for own in KEPT:
        folder = treebank_files(data, own, work)
        once = treevote.read(part(folder, "dev"))[:PARSED]
        drawn = np.random.default_rng(0).random(len(once.tokens))
        gold = Treebank.concatenate([once] * DRAWS)
        numbers = np.concatenate([(drawn + draw / DRAWS) % 1 for draw in range(DRAWS)])
        for settings in (("--members", "all", "--folds", "0"), ()):
            model = treevote.load(_trained(folder, settings))
            for member in model.members if settings else (None,):
                _measured(model, member, once, drawn, 0.5)  # kernels are compiled
                found = [_measured(model, member, gold, numbers, share) for share in SHARES]
                las, kept, trees, seconds = zip(*found, strict=True)
                title = f"`{member}`" if member else "default vote"
                rows.append([own, title, *las, min(kept), min(trees), max(seconds[1:]) / seconds[0]])
    columns = {f"{share:.0%}".replace("%", " %"): 2 for share in SHARES} | {"kept, %": 0, "trees, %": 0, "time": 2}
    return {
        f"keep-{short(own)}": {"columns": {"": 0, **columns}, "rows": [row[1:] for row in rows if row[0] == own]}
        for own in KEPT
    }


def _trained(folder: Path, settings: tuple[str, ...]) -> Path:
    model, file = folder / f"keep{len(settings)}", folder / "keep.conllu"
    if not model.exists():
        treevote.write(treevote.read(part(folder, "train"))[:TRAINED_ON], file)
        run([*TREEVOTE, "train", str(file), "-o", str(model), *settings])
    return model


def _measured(
    model: treevote.EnsembleParser, member: str | None, gold: Treebank, numbers: Doubles, share: float
) -> tuple[float, float, float, float]:
    """Return the LAS of the words asked for, the percentages of kept heads and of trees, and processor seconds."""
    given = gold.is_token & (numbers < share)
    half_done = gold.with_trees(np.where(given, gold.heads, np.int32(-1)), gold.deprels, gold.labels)
    parse, seconds = half_done, []
    for _ in range(TIMED):
        start = time.process_time()
        parse = treevote.parse(model, half_done, member=member, keep="heads" if share else None, progress=False)
        seconds.append(time.process_time() - start)
    _, (labels, own) = common_labels([gold, parse])
    asked = gold.is_token & (numbers >= 1 - 1 / DRAWS)
    right = (parse.heads == gold.heads) & (labels == own)
    kept = (parse.heads == gold.heads)[given].mean() if share else 1.0
    trees = are_trees(parse).mean() if is_single_rooted(parse) else 0.0
    return 100 * float(right[asked].mean()), 100 * float(kept), 100 * float(trees), min(seconds)
