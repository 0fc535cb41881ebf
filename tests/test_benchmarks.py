"""The benchmark beside UDPipe: one small run fills every cell of its tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.__main__ import plain, run
from benchmarks.estimates import as_text, rows
from benchmarks.measure import cost
from benchmarks.systems import VOTE, System, systems

from tests.paths import TOY
from tests.reference.toy_grammar import toy_treebank
from treevote.conll.writer import write
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import save
from treevote.ensemble.trainer import EnsembleTrainer


def test_a_run_measures_each_system_and_the_vote(tmp_path: Path) -> None:
    udpipe, *_ = systems(("iterations=1", "hidden_layer=10"))
    small = [udpipe, System(VOTE, ("--members", "lr-svm-forward,lr-svm-backward"))]
    result = run(TOY, TOY, TOY, tmp_path, small, rounds=1, repeat=2, growth=[1, 2])
    assert result == json.loads((tmp_path / "benchmark.json").read_text(), object_hook=_numbers)
    assert result["systems"]["UDPipe 1"]["ratio"] == 1
    assert result["systems"][VOTE]["las"] > result["systems"]["UDPipe 1"]["las"] > 0
    assert all(found["cpu"] > 0 for part in ("growth", "jobs", "start") for found in result[part].values())
    assert "| default vote |" in (tmp_path / "benchmark.md").read_text()


def test_files_of_the_folder_itself_are_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "train.conllu"
    file.write_bytes(TOY.read_bytes())
    assert plain(file, file).read_bytes() == TOY.read_bytes()
    assert plain(TOY, tmp_path / "dev.conllu").read_bytes() == TOY.read_bytes()


def _numbers(found: dict[str, object]) -> dict[object, object]:
    """Turn keys that are numbers back into numbers."""
    return {int(key) if key.isdigit() else key: value for key, value in found.items()}


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="ended with"):
        cost(["false"])
    assert cost(["false"], fails=True).code == 1


def test_the_range_of_a_text_like_the_source_holds(tmp_path: Path) -> None:
    write(toy_treebank(60, 1), tmp_path / "like.conllu")
    trainers = {name: members_of([name])[name] for name in ("lr-maxent-forward", "pipeline")}
    save(EnsembleTrainer(trainers).train(toy_treebank(60, 2), toy_treebank(60, 3)), tmp_path / "model")
    for basis in ("agreement", "confidence"):
        (row,) = rows([tmp_path / "model"], [tmp_path / "like.conllu"], basis=basis)
        assert (row.model, row.text) == ("model", "like")
        assert 0 <= row.calibration_error <= 1
        assert f"the range holds in {int(row.holds)} of 1" in as_text([row])
