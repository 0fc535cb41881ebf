"""A training as text and JSON."""

from __future__ import annotations

import os
from typing import Any

from treevote.commands.train import TrainingResult
from treevote.ensemble.parser import score_tags
from treevote.report.answer import answer
from treevote.report.scores import scores
from treevote.terminal import duration, size


def as_text(trained: TrainingResult) -> str:
    """Return scores, time and size for a person to read."""
    last = f"trained in {duration(trained.seconds)}, {size(trained.n_bytes)} on disk"
    return f"{scores(trained.parser.facts, trained.parser.members, trained.milliseconds)}\n\n{last}"


def as_json(trained: TrainingResult, output: str | os.PathLike[str], command: str = "") -> str:
    """Return the facts of the model, with time and size, as JSON."""
    measured: dict[str, Any] = {"score_tags": score_tags(trained.parser.facts), "seconds": round(trained.seconds, 1)}
    measured |= {"bytes": trained.n_bytes, "milliseconds": trained.milliseconds}
    facts = {"model": os.fspath(output), "members": list(trained.parser.members), **trained.parser.facts}
    return answer("training", facts | measured, command)
