"""The benchmark measures every member and the vote, over all sizes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.paths import TOY
from treevote.commands import benchmark as module
from treevote.commands.benchmark import as_json, benchmark
from treevote.conll.reader import read
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import InputError


def refuse() -> dict[str, Any]:
    raise InputError("no such thing")


def test_a_measurement_in_a_process_of_its_own_has_a_peak_of_memory_or_an_error() -> None:
    assert module._apart(dict).keys() == {"peak_mb"}
    with pytest.raises(InputError, match="no such thing"):
        module._apart(refuse)


def test_benchmark_measures_members_and_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    def here(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
        return {**function(*arguments), "peak_mb": module._peak()}

    monkeypatch.setattr(module, "_apart", here)
    steps: list[tuple[int, int]] = []
    report = json.loads(
        as_json(
            benchmark(
                str(TOY),
                str(TOY),
                members=["lr-svm-forward"],
                scales=(1, 2),
                progress=lambda _, done, total: steps.append((done, total)),
            )
        )
    )
    assert (report["schema"], report["schema_version"]) == ("treevote/benchmark", 1)
    (sizes,) = report["training"].values()
    assert [size["share"] for size in sizes] == ["1/2", "1/1"]
    assert sizes[0]["tokens"] < sizes[1]["tokens"] == report["train"]["tokens"]
    for side in ("as configured", "greedy"):
        assert set(report["parsing"][side]) == {"lr-svm-forward", "vote"}
        for cost in report["parsing"][side].values():
            tokens = cost["arrays"]["tokens"]
            assert [size["tokens"] for size in cost["files"]] == [tokens, 2 * tokens]
            assert all(size["peak_mb"] > 0 and size["tokens_per_second"] > 0 for size in cost["files"])
    assert report["model_mb"] > 0
    assert steps[-1] == (len(steps), len(steps))


def test_a_time_that_the_clock_cannot_tell_has_no_speed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    save(EnsembleTrainer(members_of(["lr-svm-forward"])).train(read(TOY)), tmp_path / "model")
    monkeypatch.setattr(time, "process_time", lambda: 1.0)
    for cost in (
        module._parse_arrays(str(tmp_path / "model"), "vote", str(TOY)),
        module._parse_file(str(tmp_path / "model"), "vote", str(TOY), str(TOY), str(tmp_path)),
    ):
        assert cost == {"tokens": read(TOY).n_tokens, "tokens_per_second": None}
