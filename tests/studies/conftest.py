"""Studies without the time of their trainings."""

from __future__ import annotations

import pytest

from treevote.studies.jobs import Parsing


@pytest.fixture
def untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the right trees in place of those of a parser: none is trained."""

    def right(job: Parsing, progress: object) -> dict[str, object]:
        tokens = job.test.is_token
        heads, deprels = job.test.heads[tokens].tolist(), job.test.deprels[tokens].tolist()
        return {"heads": heads, "deprels": deprels, "labels": list(job.test.labels)}

    monkeypatch.setattr(Parsing, "compute", right)
