"""The page of an adaptation: its report, and the sentences that were added, by round and by agreement."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from treevote.adaptation.silver import COMMITTEE, TAGGERS, agree, read_silver
from treevote.corpus.sentence import comment
from treevote.corpus.treebank import Treebank
from treevote.drawing import svg
from treevote.report import adaptation
from treevote.report.page import write_page
from treevote.report.trees import for_all_widths
from treevote.visibility import visible

SHOWN, DRAWN, MAX_WORDS = 12, 2, 20
"""Sentences of a group that are quoted, that are drawn, and the maximum number of words of a drawn one."""


def write_report(
    facts: Mapping[str, Any],
    silver: str | os.PathLike[str] | None,
    path: str | os.PathLike[str],
    *,
    promoted: bool,
    command: str = "",
    date: str = "",
) -> None:
    """Write the page to a file; the same facts, sentences, command and date give the same bytes.

    The facts are those of `treevote.adaptation.adapt.AdaptationResult.report`; the added sentences are in the file
    ``silver``, as `treevote.adaptation.silver.write_silver` writes them.
    """
    judges = COMMITTEE if "rounds" in facts else TAGGERS
    found = groups(read_silver(Path(silver)), judges) if silver is not None else []
    told = {"report": adaptation.as_text(facts), "closing": adaptation.closing(facts, promoted=promoted)}
    content = {"groups": found, "judges": judges, "shown": SHOWN, "command": command, "date": date}
    write_page("adaptation.html", path, **told, **content)


def groups(silver: Treebank, judges: str = COMMITTEE) -> list[dict[str, Any]]:
    """Return the sentences of a silver file by round and by range of agreement of the judges, the highest first.

    The ``quoted`` ones of each group are evenly spread: their words, the place in the text, the agreement, a drawing.
    """
    members: dict[tuple[int, int], list[int]] = {}
    comments = [silver.comments(i) for i in range(silver.n_sentences)]
    agreed = [float(comment("agreement", lines) or 0) for lines in comments]
    for i, lines in enumerate(comments):
        members.setdefault((int(comment("round", lines) or 1), -min(int(10 * agreed[i]), 10)), []).append(i)
    lengths = silver.lengths
    found = []
    for (number, tenth), own in sorted(members.items()):
        low = -10 * tenth
        reason = agree(judges) if low >= 100 else f"{agree(judges)} on {low} to {low + 10} % of the tokens"
        quoted: list[dict[str, object]] = []
        n_drawn = 0
        for i in own[:: -(-len(own) // SHOWN)]:
            sentence = silver.sentence(i)
            forms, drawing = " ".join(word.form for word in sentence.words[1:]), ""
            if judges == COMMITTEE and n_drawn < DRAWN and 3 < lengths[i] <= MAX_WORDS:  # with a tree
                drawing, n_drawn = for_all_widths(partial(svg.draw, sentence, title=visible(forms))), n_drawn + 1
            told = {"text": forms, "source": comment("source", comments[i]), "agreement": agreed[i]}
            quoted.append(told | {"drawing": drawing})
        sizes = {"sentences": len(own), "tokens": int(lengths[own].sum())}
        found.append({"round": number, "reason": reason, **sizes, "quoted": quoted})
    return found
