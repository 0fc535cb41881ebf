"""``treevote reliability``: calibration of the confidence in a parse."""

from __future__ import annotations

from pathlib import Path
from reprlib import repr as short
from typing import Any

import numpy as np

from treevote.conll.reader import read, read_parse
from treevote.corpus.treebank import Treebank
from treevote.ensemble.reliability import table
from treevote.errors import InputError
from treevote.evaluation.agreement import right_arcs
from treevote.evaluation.counts import convention_of
from treevote.kernels import Floats


def reliability(gold: str | Path, system: str | Path) -> dict[str, Any]:
    """Compare the confidence of arcs and labels with gold trees.

    Parameters
    ----------
    gold : path
        Sentences with trees.
    system : path
        The same sentences, parsed with ``treevote parse --confidence``.

    Returns
    -------
    dict
        As `treevote.ensemble.reliability.cross_fitted` returns it.

    Raises
    ------
    InputError
        If a file cannot be read, sentences differ, or no confidence is found.
    """
    trees, parse = read(gold), read_parse(system, "auto")
    rights = right_arcs(trees, parse, convention=convention_of(trees))
    tokens = parse.is_token
    columns = [confidence_of(parse, name)[tokens] for name in ("Confidence", "LabelConfidence")]
    return {
        key: table(column, right[tokens]) for key, column, right in zip(("arc", "label"), columns, rights, strict=True)
    }


def confidence_of(parse: Treebank, name: str) -> Floats:
    """Return the number of each token in MISC under a name, shape (n_slots,); 0 in ROOT slots.

    Raises
    ------
    InputError
        At the first token without such a number from 0 to 1.
    """
    source = parse.source
    assert source is not None, "read from a file"
    column = np.zeros(len(parse.tokens), np.float32)
    for slot in np.flatnonzero(parse.is_token).tolist():
        line = int(source.line_of[slot])
        misc = source.lines[line].rstrip("\r").rpartition("\t")[2]
        text = next((value for key, _, value in (item.partition("=") for item in misc.split("|")) if key == name), "")
        try:
            number = float(text)
        except ValueError:
            number = np.nan
        if not 0 <= number <= 1:
            raise InputError(
                f"expected {name}=NUMBER in MISC, a number from 0 to 1, found {short(misc)}",
                path=source.path,
                line=source.first_line + line,
                remedy="parse with --confidence",
            )
        column[slot] = number
    return column
