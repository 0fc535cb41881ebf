"""``treevote warm`` compiles ahead, parsing needs no kernel of training, and what is compiled is told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.command_line import fails, run
from tests.paths import ROOT, TOY
from treevote import compilation
from treevote.commands.warm import WarmingResult, made_up
from treevote.compilation import CompilationState
from treevote.corpus.trees import are_trees, non_projective
from treevote.kernels import Kernel

TRAINING = (
    "treevote.models.parsers.transition.training",
    "treevote.models.parsers.transition.calibration",
    "treevote.models.parsers.transition.log_linear",
    "treevote.models.parsers.transition.structured_training",
    "treevote.models.parsers.pipeline.oracle",
    "treevote.models.parsers.graph.update",
    "treevote.models.learning.learners.coordinate_descent",
    "treevote.models.learning.features.pairs",
    "treevote.models.parsers.labelling.labeller label_gold",
)
"""Modules, or kernels of modules, that belong to training alone."""

_CALLED = """
import json, sys
from tests.command_line import run
from treevote.kernels import Kernel
for command in json.loads(sys.argv[1]):
    run(*command)
for name, module in sorted(sys.modules.items()):
    for kernel in vars(module).values() if name.startswith("treevote.") else ():
        if isinstance(kernel, Kernel) and kernel.__module__ == name and hasattr(kernel._outer, "signatures"):
            for types in kernel._outer.signatures:
                print(name, kernel.__name__, types)
"""


def called(*commands: Sequence[object]) -> set[str]:
    """Run commands in a new process; return the kernels that they called, each with the types of its arguments."""
    words = json.dumps([[str(word) for word in command] for command in commands])
    script = [sys.executable, "-c", _CALLED, words]
    return {*subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()}


def test_the_sentence_of_warm_names_kernels_members_and_folder() -> None:
    assert str(WarmingResult(("a", "b"), 3, 1.0, "/x")) == "compiled 3 kernels for a, b in 1.0 s, kept in /x"
    assert str(WarmingResult(("a",), 1, 1.0, "")) == "compiled 1 kernel for a in 1.0 s, not kept"
    assert "; 2 of them could not be kept in /x; make space" in str(WarmingResult(("a",), 3, 1.0, "/x", 2))
    assert "compiled already for a" in str(WarmingResult(("a",), 0, 1.0, "/x"))


def test_warm_names_an_unknown_member() -> None:
    assert "did you mean 'lr-svm-forward'" in fails("warm", "lr-svm-forwards")


def test_the_made_up_sentences_are_trees_and_some_cross() -> None:
    toy = made_up()
    assert are_trees(toy).all()
    assert non_projective(toy).any()


def test_parsing_needs_no_kernel_of_training(tmp_path: Path) -> None:
    for name in TRAINING:
        assert any(isinstance(kernel, Kernel) for kernel in vars(import_module(name.partition(" ")[0])).values())
    run("train", "--train", TOY, "-o", tmp_path / "model", "--members", "lr-svm-forward,pipeline")
    needed = called(("parse", tmp_path / "model", TOY, "-o", tmp_path / "out"))
    modules = {kernel.split()[0] for kernel in needed}
    assert modules >= {"treevote.models.parsers.transition.search", "treevote.models.parsers.pipeline.look_ahead"}
    assert not [kernel for kernel in needed if kernel.startswith(tuple(f"{name} " for name in TRAINING))]


def test_listeners_hear_of_the_compilation() -> None:
    heard: list[CompilationState] = []
    with compilation.listened(heard.append):
        compilation.tell("/folder")
        compilation.tell("/folder", 1)
    compilation.tell("/folder")
    assert [state.done - heard[0].done for state in heard] == [0, 1]
    assert compilation.state().folder == "/folder"


def test_after_warm_nothing_is_compiled(tmp_path: Path) -> None:
    model, voting, tagging = tmp_path / "model", tmp_path / "voting", tmp_path / "tagging"
    twice = "--members", "lr-svm-forward,lr-svm-forward"
    needed = called(
        ("clusters", TOY, "-o", tmp_path / "words.paths", "--classes", 4),
        ("train", "--train", TOY, "--dev", TOY, "-o", model, "--members", "lr-svm-forward"),
        ("parse", model, TOY, "-o", tmp_path / "parse", "--confidence"),
        ("parse", model, TOY, "-o", tmp_path / "plain"),
        ("parse", model, TOY, "-o", tmp_path / "lights", "--lights"),
        ("parse", model, TOY, "-o", tmp_path / "given", "--keep", "all"),
        ("evaluate", TOY, tmp_path / "parse", tmp_path / "plain"),
        ("train", "--train", TOY, "--dev", TOY, "-o", tagging, "--from-tokens", "--members", "lr-svm-forward"),
        ("parse", tagging, TOY, "-o", tmp_path / "tagged", "--tags", "predict"),
        ("train", "--train", TOY, "--dev", TOY, "-o", voting, *twice, "--weights", "learned"),
        ("parse", voting, TOY, "-o", tmp_path / "vote", "--confidence"),
    )
    assert len({kernel.split()[1] for kernel in needed}) > 10
    assert not needed - called(("warm", "lr-svm-forward"))
    again = [sys.executable, "-m", "treevote", "warm", "lr-svm-forward"]
    done = subprocess.run(again, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "compiled already for lr-svm-forward" in done.stdout + done.stderr
