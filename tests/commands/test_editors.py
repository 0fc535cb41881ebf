"""Half-done trees as editors of CoNLL-U write them: ConlluEditor, Arborator-Grew, INCEpTION.

The peculiarities are those of their sources and of reports by their users; the sentences are our own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import content, run
from tests.paths import TOY
from treevote import TreevoteWarning, read, train

CONLLU_EDITOR = """\
# newdoc id = one
# sent_id = s-1
# text = The dogs bark.
# highlight tokens = 2
# highlight deprels = 3
1\tThe\tthe\tDET\t_\t_\t_\t_\t_\t_
2\tdogs\tdog\tNOUN\t_\tNumber=Plur\t3\tnsubj\t_\tDoubt=0.41
3\tbark\tbark\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_

"""
"""A word without a head has neither head nor label; highlights are comments."""

ARBORATOR_GREW = """\
# sent_id = s-1
# text = dogs
# user_id = someone
# timestamp = 1738964031593
1\tdogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_
2\t=\t=\tSYM\t_\t_\t0\troot\t_\t_
3\tanimals\tanimal\tNOUN\t_\t_\t2\t_\t_\t_"""
"""The text may end at an equals sign; no empty line follows the last sentence; a head may be there without a label."""

INCEPTION = """\
# text = Don't bark
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\t_\t_\t3\taux\t_\tSpaceAfter=No
2\tn't\tnot\tPART\t_\t_\t_\t_\t_\t_
3\tbark\tbark\tVERB\t_\t_\t0\troot\t0:root\t_

"""
"""Sentences have no id; of MISC only SpaceAfter is left; the root has a self-loop, which is written as 0."""

EDITORS = {"ConlluEditor": CONLLU_EDITOR, "Arborator-Grew": ARBORATOR_GREW, "INCEpTION": INCEPTION}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("editors") / "model"
    run("train", TOY, "--members", "lr-svm-forward", "-o", folder)
    return folder


@pytest.mark.parametrize("name", EDITORS)
def test_open_words_alone_change(name: str, model: Path, tmp_path: Path) -> None:
    (tmp_path / "half.conllu").write_text(EDITORS[name], "utf-8")
    run("parse", model, tmp_path / "half.conllu", "--keep", "all", "-o", tmp_path / "whole.conllu")
    before, after = EDITORS[name].split("\n"), (tmp_path / "whole.conllu").read_text("utf-8").split("\n")
    for one, other in zip(before, after, strict=False):
        open_columns = [i for i in (6, 7) if one[:1].isdigit() and "-" not in one[:3] and one.split("\t")[i] == "_"]
        expected, found = one.split("\t"), other.split("\t")
        assert all((found[i] != "_") if i in open_columns else (found[i] == expected[i]) for i in range(len(expected)))
    assert not "".join(after[len(before) :]).strip()


@pytest.mark.parametrize("name", EDITORS)
def test_half_done_sentences_are_learned_from(name: str, tmp_path: Path) -> None:
    (tmp_path / "half.conllu").write_text(EDITORS[name], "utf-8")
    with pytest.warns(TreevoteWarning, match="no head"):
        parser = train([TOY, tmp_path / "half.conllu"], output=tmp_path / "model", members=("lr-svm-forward",))
    assert parser.facts["training"]["sentences"] == read(TOY).n_sentences + 1  # type: ignore[index,call-overload]
    assert "_" not in parser.parse(read(TOY)).labels
    train(TOY, output=tmp_path / "without", members=("lr-svm-forward",))
    assert content(tmp_path / "model") != content(tmp_path / "without")
