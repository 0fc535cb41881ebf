"""The figures of the documentation: how they are measured, and that the pages have those that were measured."""

from __future__ import annotations

import functools
import json
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from benchmarks import choosing, experiments, keeping, packages
from benchmarks import systems as systems_of_benchmarks
from benchmarks.__main__ import main
from benchmarks.experiments import EXPERIMENTS
from benchmarks.measure import Run, run
from benchmarks.packages import Origin
from benchmarks.planted import SHARE, found, planted
from benchmarks.systems import TREEVOTE, System, compared, plain, systems
from benchmarks.tables import MARKED, PAGES, STORE, rendered, stored
from benchmarks.trade_offs import BOTTOM, HEIGHT, LEFT, PICTURE, RIGHT, TOP, WIDTH, picture

import treevote
from tests import command_line
from tests.ensemble.test_selection import noisy
from tests.pages import write_treebank
from tests.paths import ROOT, TOY
from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.trees import are_trees
from treevote.corpus.vocabulary import common_labels
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.models.text.tokenization.tokenizer import TokenizerTrainer

SMALL = System("default vote", ("--members", "lr-svm-forward,lr-svm-backward"))


def test_a_comparison_measures_each_system(tmp_path: Path) -> None:
    for name in ("train", "dev", "test"):
        shutil.copy(TOY, tmp_path / f"{name}.conllu")
    udpipe, *_ = systems("iterations=1;hidden_layer=10")
    table = compared(tmp_path, [udpipe, SMALL], rounds=1, repeat=2)
    first, second = (dict(zip(table["columns"], row, strict=True)) for row in table["rows"])
    assert (first[""], first["speed"], second[""]) == ("UDPipe 1", 1, "default vote")
    assert second["LAS"] > first["LAS"] > 0
    assert all(found[name] > 0 for found in (first, second) for name in ("speed", "training, CPU s", "model, MB"))


def in_this_process(command: Sequence[str]) -> Run:
    """Run a command of treevote without the start of a process."""
    assert tuple(command[:3]) == TREEVOTE
    return Run(1.0, 1.0, command_line.run(*command[3:]))


def test_figures_of_a_treebank_are_stored_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (experiments, systems_of_benchmarks):
        monkeypatch.setattr(module, "run", in_this_process)
    monkeypatch.setattr(experiments, "TREEBANKS", ("UD_Toy",))
    monkeypatch.setattr(experiments, "VOTE", SMALL)
    folder = tmp_path / "data" / "ud" / "UD_Toy"
    folder.mkdir(parents=True)
    for name in ("train", "dev", "test"):
        shutil.copy(TOY, folder / f"xx-{name}.conllu")
    work, store = tmp_path / "work", tmp_path / "store"
    main(["figures", "--data", str(tmp_path), "--only", "results", "-o", str(work), "--store", str(store)])
    content = json.loads((store / "results.json").read_text("utf-8"))
    assert set(content) == {"treebanks", "versions", "tables"}
    assert str(tmp_path) not in json.dumps(content)
    tables = stored(store)
    assert [name for name, _ in tables["results"]["rows"]] == [
        "`lr-svm-forward`",
        "`lr-svm-backward`",
        "default vote",
        "`--fast`",
    ]
    assert all(50 < las <= 100 for _, las in tables["results"]["rows"])
    ((name, *errors),) = tables["confidence"]["rows"]
    assert name == "Toy"
    assert all(0 <= error <= 1 for error in errors[:2])
    assert "| default vote | " in rendered("<!-- figures: results -->\n<!-- end -->\n", tables)


def test_packages_are_made_of_a_folder_of_treebanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (packages, systems_of_benchmarks):
        monkeypatch.setattr(module, "run", in_this_process)
    monkeypatch.setattr(packages, "PACKAGED", {"xx-toy": Origin("UD_Toy", "xx", "CC0-1.0", "nobody")})
    folder = tmp_path / "data" / "UD_Toy_half"
    folder.mkdir(parents=True)
    for size, name in ((60, "train"), (20, "dev"), (15, "test")):
        write_treebank(toy_treebank(size, size), folder / f"{name}.conllu")
    quick = functools.partial(AnnotatorTrainer, tokenizer=TokenizerTrainer(epochs=1))
    monkeypatch.setattr(packages, "AnnotatorTrainer", quick)
    made = tmp_path / "work" / "UD_Toy_half" / "small"
    packages.train_small(str(folder / "train.conllu"), str(folder / "dev.conllu"), str(made))
    made.with_name("small.cost.json").write_text('{"cpu": 7}')
    (table,) = packages.packages(tmp_path / "data", tmp_path / "work").values()
    (row,) = table["rows"]
    found = dict(zip(table["columns"], row, strict=True))
    assert found[""] == "`xx-toy`"
    assert found["UPOS"] > 90
    assert found["training, CPU s"] == 7
    assert found["tokens a CPU s"] > 0
    wheel = tmp_path / "work" / "dist" / "treevote_xx_toy-1.0-py3-none-any.whl"
    assert found["MB"] == wheel.stat().st_size / 1e6
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("treevote_xx_toy-1.0.dist-info/METADATA").decode()
    assert "\nRequires-Dist: treevote>=" in metadata
    assert f"LAS {found['LAS']:.2f} |" in metadata


def test_the_picture_shows_each_system_once_and_is_that_of_the_figures() -> None:
    table = stored()["trade-offs"]
    drawn = picture(table)
    assert PICTURE.read_text("utf-8") == drawn
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(drawn)
    names = [text.text for text in root.iter(f"{space}text")]
    assert all(names.count(name) == 1 for name in {row[1] for row in table["rows"]})
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in root.iter(f"{space}circle")]
    assert all(LEFT <= left <= WIDTH - RIGHT and TOP <= top <= HEIGHT - BOTTOM for left, top in dots)


def small_treebank(folder: Path) -> Path:
    """Write the files of a treebank, and return the folder of all treebanks."""
    (folder / "UD_Toy").mkdir()
    for size, name in ((50, "train"), (10, "dev")):
        write_treebank(toy_treebank(size, size), folder / "UD_Toy" / f"{name}.conllu")
    return folder


def test_given_heads_are_measured_on_words_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = treevote.train(toy_treebank(50, 50), members=["lr-svm-forward"], folds=0, progress=False)
    treevote.save(model, tmp_path / "model")
    monkeypatch.setattr(keeping, "_trained", lambda folder, settings: tmp_path / "model")
    monkeypatch.setattr(keeping, "KEPT", ("UD_Toy",))
    monkeypatch.setattr(keeping, "PARSED", 5)
    (table,) = keeping.keep(small_treebank(tmp_path), tmp_path / "work").values()
    assert [row[0] for row in table["rows"]] == ["`lr-svm-forward`", "default vote"]
    for row in table["rows"]:
        found = dict(zip(table["columns"], row, strict=True))
        assert (found["kept, %"], found["trees, %"]) == (100, 100)
        assert found["time"] > 0
        assert 50 < found["0 %"] <= found["90 %"] <= 100


def test_rounds_of_annotation_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"START": 8, "ROUND": 4, "ENOUGH": 16, "SHOWN": (8, 16, 20), "POOLS": ("UD_Toy",)}
    for name, value in small.items():
        monkeypatch.setattr(choosing, name, value)
    data, work = small_treebank(tmp_path), tmp_path / "work"
    first = (lambda model, pool, tokens: np.arange(4)), 2
    choices = {"random": (None, 2), "first": first, "doubt": (choosing.uncertain, 1)}
    monkeypatch.setattr(choosing, "CHOICES", choices)
    (table,) = choosing.choosing(data, work).values()
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert [row["choice"] for row in rows] == list(choices)
    assert [rows[0][n] == rows[1][n] for n in ("8", "16", "tokens of 16")] == [True] * 3  # the pool has a random order
    assert [(row["20"] == "–", row["± at 16"] == "–") for row in rows] == [(False, False), (True, False), (True, True)]
    monkeypatch.setattr(treevote, "train", None)
    assert choosing.choosing(data, work) == {"next": table}


@pytest.mark.parametrize(
    ("las", "expected"), [([1, 3, 2, 3], 400), ([3, 1, 3, 3], 300), ([3] * 4, 100), ([1] * 4, "–")]
)
def test_an_aim_is_reached_where_a_curve_stays_above_it(las: list[float], expected: int | str) -> None:
    assert choosing.reached({100 * n: (each, 0) for n, each in enumerate(las, start=1)}, 2.5) == expected


def test_planted_errors_leave_trees_and_are_as_many_as_asked_for() -> None:
    gold = toy_treebank(300, 1)
    parses = [noisy(gold, 0.2, seed) for seed in range(2)]
    changed, wrong = planted(gold, parses)
    assert are_trees(changed).all()
    heads = gold.heads != changed.heads
    names, deprels = common_labels([gold, changed])
    assert names.keys() == set(gold.labels)
    assert (wrong == (heads | (deprels[0] != deprels[1]))).all()
    half = round(SHARE * gold.n_tokens / 2)
    assert (heads.sum(), wrong.sum()) == (2 * half, 4 * half)
    assert (planted(gold, parses)[0].heads == changed.heads).all()


def test_a_ranking_that_knows_finds_all_errors() -> None:
    wrong, tokens = np.zeros(2000, np.bool_), np.ones(2000, np.bool_)
    wrong[::100] = True
    assert found(wrong.astype(np.float64), wrong, tokens) == pytest.approx([20.0, 2.0, 100.0])


def test_files_are_copied_once(tmp_path: Path) -> None:
    copy = plain(TOY, tmp_path / "new" / "train.conllu")
    assert copy.read_bytes() == TOY.read_bytes()
    copy.write_bytes(b"another")
    assert plain(TOY, copy).read_bytes() == b"another"


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="ended with"):
        run(["false"])


def test_data_without_the_treebank_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="expected a folder UD_Greek-GDT"):
        main(["figures", "--data", str(tmp_path), "--only", "results", "-o", str(tmp_path / "work")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_have_the_figures_that_were_measured(page: Path) -> None:
    text = page.read_text("utf-8")
    assert rendered(text, stored()) == text
    assert text.count("<!-- figures: ") == text.count("<!-- end -->") == len(MARKED.findall(text))


def test_every_table_is_in_a_page_and_comes_from_an_experiment() -> None:
    assert {name for page in PAGES for name, _ in MARKED.findall(page.read_text("utf-8"))} == set(stored())
    assert {path.stem for path in STORE.glob("*.json")} <= set(EXPERIMENTS)


FIGURE = re.compile(r"(?<![\d.])(?:\d{2,3}\.\d+(?![\d.])|(?!0\.001)\d\.\d{3,}|\d\.\d+ \|)")
"""A score in per cent, a number with three decimals (but 0.001, a limit), or a decimal number at the end of a cell."""

SCRIPT = re.compile(r"^```(?:sh|python|toml)$.*?^```$", re.DOTALL | re.MULTILINE)
COMMIT = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_measured_figure_stands_elsewhere(page: Path) -> None:
    prose = SCRIPT.sub("", MARKED.sub("", page.read_text("utf-8")))
    assert FIGURE.findall(prose) == []
    assert COMMIT.findall(prose) == []
