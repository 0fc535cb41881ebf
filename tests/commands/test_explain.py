"""``treevote explain`` and ``inspect --rules``: the rules of each decision list, behind the tree that a parse has."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import fails, invoke, run
from tests.commands.test_train_annotator import without_tags
from tests.paths import TOY


def test_each_of_several_decision_lists_is_shown_and_explained(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(
        'members = ["d", "e"]\n[member.d]\nlike = "decision-list"\n[member.e]\nlike = "d"\nmax_rules = 1\n'
    )
    run("train", "--train", TOY, "-o", tmp_path / "model", "--config", tmp_path / "two.toml", "--folds", 0)
    lines = run("inspect", tmp_path / "model", "--rules").splitlines()
    assert [line for line in lines if not line.startswith("pass ")] == ["d:", "e:"]
    assert "has several decision lists (d, e); name one of them by --member" in fails(
        "explain", tmp_path / "model", TOY
    )
    assert "unknown decision list 'f'; known: d, e" in fails("explain", tmp_path / "model", TOY, "--member", "f")
    first, second = (run("explain", tmp_path / "model", TOY, "--member", name) for name in ("d", "e"))
    assert first != second


def test_sentences_without_tags_are_tagged_before_they_are_explained(tmp_path: Path) -> None:
    bare = without_tags(TOY, tmp_path / "bare.conllu")
    own = "--train", TOY, "--members", "decision-list", "--folds", 0
    run("train", *own, "-o", tmp_path / "tags", "--from-tokens")
    run("train", *own, "-o", tmp_path / "model")
    run("parse", tmp_path / "tags", bare, "-o", tmp_path / "tagged.conllu", "--member", "decision-list")
    explained = run("explain", tmp_path / "tags", bare)
    assert explained == run("explain", tmp_path / "tags", tmp_path / "tagged.conllu")
    assert "bare.conllu: 100% of the tokens have no known UPOS" in invoke("explain", tmp_path / "model", bare).stderr
