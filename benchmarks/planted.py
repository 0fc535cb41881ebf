"""Errors planted into a treebank, and how many of them a ranking of its tokens finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.systems import answer, sentences_of, short, treebank_files, write_sentences
from benchmarks.tables import Table
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.folds import rejoined
from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import common_labels
from treevote.ensemble.candidate_model import Examples
from treevote.kernels import Bools, Doubles, Ints

DOCTORED = ("UD_Greek-GDT", "UD_Swedish-LinES", "UD_English-EWT")  # folders of treebanks
SHARE = 0.01  # share of the tokens that get a wrong head, and of those that get a wrong label
LOOKED_AT = 0.05  # share of the tokens that an annotator looks at


def doctor(data: Path, work: Path) -> Mapping[str, Table]:
    """Plant errors into treebanks, and count how many of them several rankings find."""
    rows: list[list[object]] = []
    for own in DOCTORED:
        name, folder = short(own), treebank_files(data, own, work)
        clean, wrong_file = folder / "clean.conllu", folder / "planted.conllu"
        write_sentences(clean, sentences_of(folder / "train.conllu"))
        members = answer("doctor", clean, "--work", folder / "doctor-clean")["members"]
        changed, wrong = planted(read(clean), parses_by_folds(folder / "doctor-clean", members))
        write(changed, wrong_file)
        tokens = changed.is_token
        rows.append([name, "random order", *[100 * float(wrong.sum()) / changed.n_tokens] * 2, 100 * LOOKED_AT])
        for title, options, is_first in (("`doctor --fast`", ("--fast",), True), ("`doctor`", (), False)):
            steps = folder / f"doctor{'-fast' if is_first else ''}"
            diagnosis = answer("doctor", wrong_file, "--work", steps, "--least", "0", *options)
            if is_first:
                single = confidence_against(changed, parses_by_folds(steps, diagnosis["members"]))
                rows.append([name, "confidence of one parser", *found(single, wrong, tokens)])
            rows.append([name, title, *found(_scores(changed, diagnosis["suspects"]), wrong, tokens)])
    columns = {"": 0, "ranking": 0, "first 100, %": 0, "first 1,000, %": 1, "found in 5 %": 1}
    return {"doctor": {"columns": columns, "rows": rows}}


def _scores(treebank: Treebank, suspects: Sequence[Mapping[str, Any]]) -> Doubles:
    """Return the probability of each suspect by slot."""
    starts = {sent_id(treebank.comments(i)): int(treebank.offsets[i]) for i in range(len(treebank))}
    scores = np.zeros(len(treebank.tokens))
    for one in suspects:
        scores[starts[one["sent_id"]] + one["token"]] = one["probability"]
    return scores


def parses_by_folds(folder: Path, members: Sequence[str]) -> list[Treebank]:
    """Return the parses in the work folder of ``treevote doctor``."""
    return [
        rejoined([read(folder / f"{name}-{fold}.conllu", trees="optional") for fold in (1, 2, 3)]) for name in members
    ]


def planted(treebank: Treebank, parses: Sequence[Treebank], seed: int = 0) -> tuple[Treebank, Bools]:
    """Return a treebank with wrong heads and labels, and a mask of them; its sentences stay trees.

    Half of both are what one of the parsers says, by chance; half are random, labels by their frequency.
    """
    random = np.random.default_rng(seed)
    labels, numbers = common_labels([treebank, *parses])
    heads, deprels = treebank.heads.copy(), numbers[0].copy()
    wrong, half = np.zeros(len(heads), np.bool_), round(SHARE * treebank.n_tokens / 2)
    proposed = np.stack([parse.heads for parse in parses])
    of_label = np.bincount(deprels[treebank.is_token], minlength=len(labels)).astype(np.float64)
    starts, lengths = treebank.starts, np.repeat(treebank.lengths, treebank.lengths + 1)
    for by_parsers in (True, False):
        left = {"head": half, "label": half}
        for slot in random.permutation(np.flatnonzero(treebank.is_token)).tolist():
            heads_of_others = set(proposed[:, slot].tolist()) if by_parsers else range(1, int(lengths[slot]) + 1)
            others = [h for h in sorted(heads_of_others) if _fits(heads, int(starts[slot]), slot, h)]
            if left["head"] and not wrong[slot] and others:
                heads[slot], wrong[slot], left["head"] = random.choice(others), True, left["head"] - 1
                continue
            same = proposed[:, slot] == heads[slot]
            names = np.unique(numbers[1:, slot][same]) if by_parsers else np.arange(len(labels))
            names = names[names != deprels[slot]]
            if left["label"] and not wrong[slot] and len(names):
                weights = None if by_parsers else of_label[names] / of_label[names].sum()
                deprels[slot], wrong[slot], left["label"] = random.choice(names, p=weights), True, left["label"] - 1
    return treebank.with_trees(heads, deprels, list(labels)), wrong


def _fits(heads: Ints, start: int, slot: int, head: int) -> bool:
    """Tell whether a token can have another head: it is no root, and the head is neither ROOT nor below the token."""
    if head < 1 or heads[slot] in (0, head):
        return False
    while head > 0 and start + head != slot:
        head = int(heads[start + head])
    return head == 0


def confidence_against(treebank: Treebank, parses: Sequence[Treebank]) -> Doubles:
    """Return the calibrated confidence of a parse where it differs from a treebank, else 0; shape (n_slots,)."""
    parse = Examples.of(treebank, parses, convention="conllx").crossed().vote(single_root=True)
    _, deprels = common_labels([treebank, parse])
    differs = (parse.heads != treebank.heads) | (deprels[0] != deprels[1])
    assert parse.label_confidence is not None
    return np.where(differs, parse.label_confidence, 0.0)


def found(scores: Doubles, wrong: Bools, is_token: Bools) -> list[float]:
    """Return the percentage of errors among the first 100 and 1,000 tokens, and that of the errors that are found."""
    slots = np.flatnonzero(is_token)
    hits = wrong[slots[np.argsort(-scores[slots], kind="stable")]]
    looked_at = hits[: round(LOOKED_AT * len(hits))]
    shares = hits[:100].mean(), hits[:1000].mean(), looked_at.sum() / max(1, hits.sum())
    return [100 * float(share) for share in shares]
