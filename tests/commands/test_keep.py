"""``parse --keep`` and ``vote --keep``: half-done trees come back with what was decided; errors name their place."""

from __future__ import annotations

from pathlib import Path

import pytest

import treevote
from tests.command_line import fails, invoke, run
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import SMALL
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.errors import TreevoteWarning

ROWS = (
    ("1", "the", "DET", "3", "det"),
    ("2", "big", "ADJ", "_", "_"),
    ("3", "dog", "NOUN", "_", "_"),
    ("4", "saw", "VERB", "0", "_"),
)


def conllu(rows: tuple[tuple[str, ...], ...] = ROWS, name: str = "s1") -> str:
    lines = ["\t".join((i, form, "_", upos, "_", "_", head, deprel, "_", "_")) for i, form, upos, head, deprel in rows]
    return "\n".join([f"# sent_id = {name}", *lines, "", ""])


def changed(number: int, head: str, deprel: str = "dep") -> tuple[tuple[str, ...], ...]:
    return tuple((*row[:3], head, deprel) if row[0] == str(number) else row for row in ROWS)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keep") / "model"
    parser = treevote.EnsembleTrainer({"forward": SMALL}).train(toy_treebank(60, 1), toy_treebank(20, 3))
    treevote.save(parser, folder)
    return folder


def columns(path: Path) -> list[list[str]]:
    return [line.split("\t")[6:8] for line in path.read_text("utf-8").splitlines() if line[:1].isdigit()]


def test_what_is_given_comes_back(model: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "half.conllu", tmp_path / "out.conllu"
    text.write_text(conllu(changed(1, "4", "strange")) + conllu(name="s2"), "utf-8")
    run("parse", model, text, "--keep", "all", "-o", out)
    assert columns(out)[0] == ["4", "strange"]
    assert [head for head, _ in columns(out)][3] == "0"
    assert columns(out)[4] == ["3", "det"]
    warned = invoke("parse", model, text, "--keep", "all", "-o", out).stderr
    assert "labels that the model does not know are kept as they are: strange" in warned
    run("parse", model, text, "--keep", "heads", "-o", out)
    assert columns(out)[0][0] == "4"
    assert columns(out)[0][1] != "strange"
    for jobs, member in (("2", ()), ("1", ("--member", "forward"))):
        run("parse", model, text, "--keep", "heads", "--jobs", jobs, *member, "-o", tmp_path / "other.conllu")
        assert [head for head, _ in columns(tmp_path / "other.conllu")][::4] == ["4", "3"]
    assert treevote.parse(model, text, keep="heads")[0].heads[[1, 4]].tolist() == [4, 0]


def test_with_nothing_given_the_bytes_are_those_without_the_option(model: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.conllu"
    bare.write_text(conllu(tuple((*row[:3], "_", "_") for row in ROWS)), "utf-8")
    for option in ((), ("--keep", "all")):
        run("parse", model, bare, *option, "-o", tmp_path / f"{len(option)}.conllu")
    assert (tmp_path / "0.conllu").read_bytes() == (tmp_path / "2.conllu").read_bytes()


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (changed(3, "1"), "line 2, sentence s1: expected a tree, found the cycle 1 -> 3 -> 1"),
        (changed(2, "0"), "line 5, sentence s1: expected one root, as all trees have here, found a second one"),
        (changed(2, "9"), "line 3, sentence s1: expected a HEAD in 0..4, found '9'"),
    ],
)
def test_heads_that_no_tree_has_are_one_plain_error(
    rows: tuple[tuple[str, ...], ...], problem: str, model: Path, tmp_path: Path
) -> None:
    text, out = tmp_path / "half.conllu", tmp_path / "out.conllu"
    text.write_text(conllu(rows) + conllu(name="s2"), "utf-8")
    assert problem in fails("parse", model, text, "--keep", "heads", "-o", out)
    assert not out.exists()
    run("parse", model, text, "--keep", "heads", "--on-error", "skip", "-o", out)
    assert len(columns(out)) == len(ROWS)


@pytest.mark.filterwarnings("ignore::treevote.TreevoteWarning")
@pytest.mark.parametrize("chunk", [1, 2, 10])
def test_heads_that_no_tree_has_are_at_their_place_in_any_chunk(chunk: int, model: Path, tmp_path: Path) -> None:
    text = tmp_path / "half.conllu"
    text.write_text("".join(conllu(name=f"s{i}") for i in range(5)) + conllu(changed(3, "1"), name="bad"), "utf-8")
    treebank = read(text, trees="optional")
    with pytest.raises(treevote.InputError, match=r"half\.conllu, line 32, sentence bad: .*a cycle"):
        treevote.parse(model, treebank, keep="heads", chunk=chunk)
    half = treebank[:5]
    parses = [treevote.parse(model, half, keep="heads", chunk=n) for n in (chunk, 1000)]
    assert treevote.dumps(parses[0]) == treevote.dumps(parses[1])


def test_the_vote_keeps_what_a_file_gives(tmp_path: Path) -> None:
    gold = toy_treebank(20, 1)
    wrong = gold.with_trees(gold.heads, gold.deprels, tuple(f"x{label}" for label in gold.labels))
    for name, treebank in (("gold", gold), ("one", wrong), ("two", wrong)):
        write(treebank, tmp_path / f"{name}.conllu")
    run("vote", *(tmp_path / f"{name}.conllu" for name in ("one", "two")), "-o", tmp_path / "out.conllu",
        "--keep", tmp_path / "gold.conllu")  # fmt: skip
    voted = read(tmp_path / "out.conllu")
    assert [sentence.deprels for sentence in voted] == [sentence.deprels for sentence in gold]


def test_a_label_without_a_head_is_kept(model: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "half.conllu", tmp_path / "out.conllu"
    rows = (*(changed(2, "_", "strange")[i] for i in (0, 1, 2)), ("4", "saw", "VERB", "_", "_"))
    text.write_text(conllu(rows), "utf-8")
    for keep in ("labels", "all"):
        run("parse", model, text, "--keep", keep, "-o", out)
        assert columns(out)[1][1] == "strange"
        assert "_" not in columns(out)[1]
    run("parse", model, text, "--keep", "heads", "-o", out)
    assert columns(out)[1][1] != "strange"
    run("parse", model, text, "-o", tmp_path / "plain.conllu")
    run("vote", tmp_path / "plain.conllu", tmp_path / "plain.conllu", "--keep", text, "-o", out)
    assert columns(out)[1][1] == "strange"
    half_done = read(text, trees="partial")
    with pytest.warns(TreevoteWarning, match="does not know are kept as they are: strange"):
        assert treevote.parse(model, half_done, keep="labels")[0].deprels[2] == "strange"
    assert treevote.dumps(half_done) == text.read_text("utf-8")


def test_every_fault_is_counted_with_the_roots_of_the_model(model: Path, tmp_path: Path) -> None:
    text = tmp_path / "half.conllu"
    text.write_text(conllu(changed(2, "0")) + conllu(changed(3, "9"), "s2"), "utf-8")
    words = ["parse", str(model), str(text), "--keep", "all", "--all-faults", "-o", str(tmp_path / "out.conllu")]
    assert "found 2 faults" in invoke(*words).stderr


@pytest.mark.parametrize("keep", ["head", "label", "everything"])
def test_another_word_for_what_is_kept_is_refused(keep: str, model: Path) -> None:
    half_done = treevote.loads(conllu(), trees="partial")
    for call in (
        lambda: treevote.parse(model, half_done, keep=keep),  # type: ignore[arg-type]
        lambda: treevote.parse_strings(model, [conllu()], keep=keep),  # type: ignore[arg-type]
    ):
        with pytest.raises(treevote.ConfigError, match=f"unknown keep '{keep}'; .*known: heads, labels, all"):
            call()
