"""The official scorers on mutated trees and segmentations: the same figures, to the last count."""

from __future__ import annotations

import io
import re
from random import Random
from typing import Any

from tests.campaigns.bench import RANGES, TOY, Bench
from tests.campaigns.campaign import Fault, Material, settings, with_settings
from tests.reference import metrics as twin
from tests.reference.planted_errors import plant
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.evaluation.alignment import align, project
from treevote.evaluation.counts import evaluate
from treevote.evaluation.scores import count_scores

NAMES: tuple[str, ...] = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
NAMES += ("UAS", "LAS", "CLAS", "MLAS", "BLEX")


class Scorers:
    """Compares with udeval, and the figures of CoNLL-X with a plain twin of its scorer."""

    limit = 120.0
    memory: int | None = None

    def __init__(self, bench: Bench) -> None:
        self.texts = [text for text in bench.texts if is_ud(text)] or [TOY.read_bytes(), RANGES]

    def make(self, rng: Random) -> Material:
        text = rng.choice(self.texts).replace(b"\r\n", b"\n").decode("utf-8", "replace").removeprefix("\ufeff")
        rates = rng.choice((0.0, 0.05, 0.2, 0.6)), rng.choice((0.0, 0.0, 0.05, 0.3))
        gold = plant(text, rng.randrange(2**32), 0.2, rng.choice((0.0, 0.2))) if rng.random() < 0.3 else text
        system = plant(text, rng.randrange(2**32), *rates)
        return with_settings(
            {"gold": gold.encode(), "system": system.encode()}, same=not rates[1], punctuation=rng.random() < 0.5
        )

    def check(self, material: Material) -> list[Fault]:
        asked = settings(material)
        gold, system = (read(io.BytesIO(material[name]), format="conllu") for name in ("gold", "system"))
        faults = []
        expected = official(material["gold"].decode(), material["system"].decode())
        try:
            found: dict[str, Any] | None = figures(gold, system)
        except InputError:
            found = None
        if found != expected:
            faults.append(Fault("difference", "the figures are those of the official scorer", f"{found}\n{expected}"))
        same = gold.offsets.tolist() == system.offsets.tolist() and all(
            one.words == other.words for one, other in zip(gold.sentences(), system.sentences(), strict=True)
        )
        if same:
            for convention in ("ud", "conllx"):
                ours = evaluate(gold, system, convention=convention, punctuation=asked["punctuation"])
                theirs = twin.counts(gold, system, convention, asked["punctuation"])
                if any(getattr(ours, name) != count for name, count in theirs.items()):
                    faults.append(Fault("difference", f"the figures of {convention} are those of the twin", f"{ours}"))
        return faults


NO_RELATION = re.compile(r"^((?:[^\t\n]*\t){8})[0-9.|]+(\t)", re.MULTILINE)
"""DEPS that name heads without relations, as some treebanks have: the official scorer ends in a traceback on them."""


def figures(gold: Treebank, system: Treebank) -> dict[str, tuple[int, ...]]:
    """Return the counts of treevote: right, gold, system."""
    alignment = align(gold, system)
    scores = count_scores(gold, system, alignment, project(gold, system, alignment))
    return {name: tuple(scores[name].sum(axis=0).tolist()) for name in NAMES}


def official(gold: str, system: str) -> dict[str, tuple[int, ...]] | None:
    """Return the counts of the official scorer, None if it refuses the files."""
    from udtools import udeval  # type: ignore[import-untyped]

    kinds = {"multiple_roots_okay": True}
    try:
        both = [
            udeval.load_conllu(io.StringIO(NO_RELATION.sub(r"\1_\2", text)), name, kinds)
            for name, text in (("gold", gold), ("system", system))
        ]
        scores = udeval.evaluate(*both)
    except udeval.UDError:
        return None
    return {name: (scores[name].correct, scores[name].gold_total, scores[name].system_total) for name in NAMES}


def is_ud(text: bytes) -> bool:
    """Tell whether a text is one that errors can be planted in: CoNLL-U with one root in each sentence."""
    try:
        treebank = read(io.BytesIO(text.replace(b"\r\n", b"\n")), format="conllu")
    except InputError:
        return False
    return bool(
        treebank.n_sentences
        and all((s.heads == 0).sum() == 1 for s in treebank.sentences())
        and b"\t_\t0\tROOT" not in text
    )
