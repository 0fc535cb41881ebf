"""Silver data: the selected sentences of the new domain, with predicted trees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from treevote.adaptation.annotation import Annotation
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.files.streams import writing
from treevote.kernels import Bools, Ints
from treevote.store.manifest import JSON

COMMITTEE, TAGGERS = "the committee", "the taggers"  # those who agree on sentences


def write_silver(annotation: Annotation, kept: Bools, entered: Ints, path: Path, *, judges: str = COMMITTEE) -> None:
    """Write the ``kept`` sentences as CoNLL-U, each with its source, the round it ``entered`` in, and the reason."""
    blocks = (block for file in annotation.files for block in file.read_bytes().split(b"\n\n")[:-1])
    with writing(path) as stream:
        for i, block in enumerate(blocks):
            if kept[i]:
                share = annotation.agreed[i]
                reason = agree(judges) + (f" on {100 * share:.1f} % of the tokens" if share < 1 else "")
                stream.write(f"# round = {entered[i]}\n# reason = {reason}\n".encode() + block + b"\n\n")


def agree(judges: str) -> str:
    """Return that judges agree, in words."""
    return f"{judges} agree{'s' if judges == COMMITTEE else ''}"


def read_silver(path: Path) -> Treebank:
    """Return the sentences of a silver file as `write_silver` leaves it; those of taggers have no trees."""
    return read(path, format="conllu", trees="optional") if path.stat().st_size else Treebank.of([], path.name)


def joined(gold: Sequence[Treebank], silver: Path | None) -> Treebank:
    """Return the labelled sentences as often as they are given, followed by those of a silver file."""
    parts = [*gold, *([] if silver is None else [read_silver(silver)])]
    if len(parts) == 1:
        return parts[0]
    return Treebank.concatenate(parts, " + ".join(dict.fromkeys(part.name for part in parts)))


def label_profile(gold: Treebank, silver: Treebank, most: int = 8) -> list[JSON]:
    """Return the labels whose shares in the silver and in the labelled sentences differ most, in percent."""
    shares = []
    for treebank in (gold, silver):
        known = treebank.deprels[treebank.deprels >= 0]  # half-done trees have words without a label
        counts = np.bincount(known, minlength=len(treebank.labels))
        percent = 100 * counts / max(1, treebank.n_tokens)
        shares.append(dict(zip(treebank.labels, percent.tolist(), strict=True)))
    rows = [(label, *(share.get(label, 0.0) for share in shares)) for label in shares[0] | shares[1]]
    rows.sort(key=lambda row: (-abs(row[2] - row[1]), row[0]))
    return [{"label": label, "source": round(own, 2), "added": round(new, 2)} for label, own, new in rows[:most]]


def profile(annotation: Annotation, kept: Bools) -> dict[str, float]:
    """Return number, share and length of the selected sentences, and the agreement on the whole text."""
    lengths = annotation.lengths
    return {
        "sentences": int(kept.sum()),
        "tokens": int(lengths[kept].sum()),
        "share_of_sentences": round(100 * float(kept.mean()), 2),
        "share_of_tokens": round(100 * float(lengths[kept].sum() / max(1, lengths.sum())), 2),
        "identical": round(100 * float((annotation.agreed >= 1).mean()), 2),
        "agreed_tokens": round(100 * float((annotation.agreed * lengths).sum() / max(1, lengths.sum())), 2),
        "length": round(float(lengths[kept].mean()), 1) if kept.any() else 0.0,
        "length_of_all": round(float(lengths.mean()), 1),
    }
