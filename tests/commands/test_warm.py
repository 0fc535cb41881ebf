"""``treevote warm`` compiles ahead, parsing needs no kernel of training, and what is compiled is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import fails, run
from tests.paths import TOY
from treevote import compilation
from treevote.commands.warm import WarmingResult, made_up
from treevote.compilation import CompilationState
from treevote.corpus.trees import are_trees, non_projective

TRAINING = (
    "treevote.models.parsers.transition.training",
    "treevote.models.parsers.transition.calibration",
    "treevote.models.parsers.transition.log_linear",
    "treevote.models.parsers.transition.structured_training",
    "treevote.models.parsers.pipeline.oracle",
    "treevote.models.parsers.graph.update",
    "treevote.models.parsers.labelling.rows",
    "treevote.models.learning.learners.coordinate_descent",
    "treevote.models.learning.learners.pairs",
)
"""Modules whose kernels belong to training alone."""

_LOADED = """
import sys
from treevote.commands.parse import parse_files
parse_files(sys.argv[1], [sys.argv[2]], sys.argv[3])
for name in sys.argv[4:]:
    for kernel in vars(sys.modules.get(name, sys)).values():
        if getattr(kernel, "types", None):
            print(kernel)
"""


def treevote(*arguments: object, cache: Path | str, **environment: str) -> tuple[int, str]:
    """Run a command in a new process that keeps kernels in a folder; return the exit code and what it said."""
    command = [sys.executable, "-m", "treevote", *map(str, arguments)]
    own = {**os.environ, "TREEVOTE_CACHE_DIR": str(cache), **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
    return done.returncode, done.stderr + done.stdout


def test_the_sentence_of_warm_names_kernels_members_and_folder() -> None:
    assert str(WarmingResult(("a", "b"), 3, 1.0, "/x")) == "compiled 3 kernels for a, b in 1.0 s; they are kept in /x"
    assert str(WarmingResult(("a",), 3, 1.0, "")).endswith("; they are not kept")
    assert "compiled already for a" in str(WarmingResult(("a",), 0, 1.0, "/x"))


def test_warm_names_an_unknown_member() -> None:
    assert "did you mean 'lr-svm-forward'" in fails("warm", "lr-svm-forwards")


def test_the_made_up_sentences_are_trees_and_some_cross() -> None:
    toy = made_up()
    assert are_trees(toy).all()
    assert non_projective(toy).any()


def test_parsing_needs_no_kernel_of_training(tmp_path: Path) -> None:
    run("train", "--train", TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward,pipeline")
    command = [sys.executable, "-c", _LOADED, str(tmp_path / "model"), str(TOY), str(tmp_path / "out"), *TRAINING]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == ""


def test_listeners_hear_of_the_compilation() -> None:
    heard: list[CompilationState] = []
    with compilation.listened(heard.append):
        compilation.tell("/folder")
        compilation.tell("/folder", 1)
    compilation.tell("/folder")
    assert [state.done - heard[0].done for state in heard] == [0, 1]
    assert compilation.state().folder == "/folder"


@pytest.mark.slow
def test_after_warm_nothing_is_compiled(tmp_path: Path) -> None:
    cache, model, voting = (tmp_path / name for name in ("cache", "model", "voting"))
    twice = "--members", "lr-svm-forward,lr-svm-forward"
    code, said = treevote("warm", "lr-svm-forward", cache=cache)
    assert code == 0
    assert f"they are kept in {cache}" in said
    for arguments in (
        ("warm", "lr-svm-forward"),
        ("clusters", TOY, "-o", cache.parent / "words.paths", "--classes", 4),
        ("train", "--train", TOY, "--dev", TOY, "-o", model, "--members", "lr-svm-forward"),
        ("parse", model, TOY, "-o", os.devnull, "--confidence"),
        ("train", "--train", TOY, "--dev", TOY, "-o", voting, *twice, "--weights", "learned"),
        ("parse", voting, TOY, "-o", os.devnull, "--confidence"),
    ):
        code, said = treevote(*arguments, cache=cache)
        assert code == 0
        assert "compiling" not in said
