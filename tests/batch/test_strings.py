"""Laws of `parse_strings`: the result of a text is that of its file, and no text is a reason for an exception."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treevote
from tests.reference.toy_grammar import toy_treebank
from treevote import ConfigError, EnsembleParser, StoredParser, dumps, parse_files, parse_folder, parse_strings
from treevote.batch import strings
from treevote.batch.data import running_texts
from treevote.batch.joint import ParseJob
from treevote.batch.reading import tasks
from treevote.corpus.given import Keep
from treevote.ensemble import stored as storing

LINES = (
    "1\tdog\t_\tNOUN\t_\t_\t9\tx\t_\ta=b",
    "2\té漢\t_\tX\t_\t_\t_\t_\t_\t_",
    "# text = a",
    "",
    "\r",
    "1\tone",
    "1-2" + "\t_" * 9,
)

texts = st.lists(st.sampled_from(LINES), max_size=9).map("\n".join) | st.text(max_size=20)


def alone(model: Path, text: str, **options: Any) -> str:
    """Return what ``treevote parse`` writes for a text."""
    path = model.parent / "alone.conllu"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    parse_files(model, [path], model.parent / "alone.out", **options)
    return (model.parent / "alone.out").read_bytes().decode("utf-8", "surrogateescape")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(several=st.lists(texts, max_size=6))
def test_each_text_has_the_result_that_it_has_alone(model: Path, several: list[str]) -> None:
    found = parse_strings(model, several)
    assert len(found) == len(several)
    for text, result in zip(several, found, strict=True):
        assert bool(result.text) != bool(result.error)
        assert result == parse_strings(model, [text])[0]
        if result.text:
            assert result.text == alone(model, text)


def test_a_text_of_many_tasks(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = dumps(toy_treebank(30, seed=3)), dumps(toy_treebank(1, seed=4))
    expected = [alone(model, text) for text in (short, long, short)]
    monkeypatch.setattr(strings, "TASK_BYTES", 500)
    found = parse_strings(model, [short, long, short])
    assert [each.text for each in found] == expected
    assert found[1].sentences == 30


def test_what_is_no_text_is_an_error_as_a_value(model: Path) -> None:
    good = dumps(toy_treebank(1, seed=5))
    bad: list[object] = [
        None,
        3.5,
        b"1\ta",
        "",
        "# only\n\n",
        "\ud800",
        "Dogs bark.",
        "1\tné".encode("utf-16").decode("latin-1"),
    ]
    found = parse_strings(model, [good, *bad, good])
    assert found[0] == found[-1]
    assert found[0].text
    assert all(each.error for each in found[1:-1])
    assert {(each.text, each.sentences, each.tokens, each.doubt) for each in found[1:-1]} == {("", 0, 0, "")}
    assert found[1].error == "expected a text, found NoneType; give a string"
    assert "format='text' in Python" in found[7].error


@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_faulty_sentences_are_left_out_or_kept(model: Path, on_error: str) -> None:
    good = dumps(toy_treebank(1, seed=5))
    (result,) = parse_strings(model, ["1\tone\n\n" + good], on_error=on_error)  # type: ignore[arg-type]
    assert result.text == ("1\tone\n\n" if on_error == "keep" else "") + alone(model, good)
    assert result.error.startswith("line 1, sentence 1: expected 10 columns")
    assert result.sentences == 1


def test_options_are_those_of_the_command(model: Path) -> None:
    good = dumps(toy_treebank(1, seed=5))
    assert "LabelConfidence=" in parse_strings(model, [good], support=True, confidence=True)[0].text
    assert parse_strings(model, [good], lights=True)[0].text == alone(model, good, lights=True) != good
    assert parse_strings(model, [good], member="lr-svm-forward")[0].text
    options: list[Any] = [{"support": True}, {"confidence": True}, {"lights": True}]
    for option in options:
        with pytest.raises(ConfigError, match="belong to a vote, not to lr-svm-forward alone"):
            parse_strings(model, [good], member="lr-svm-forward", **option)
    with pytest.raises(ConfigError, match="unknown member"):
        parse_strings(model, [good], member="x")
    for n in 1, 2:
        results = parse_strings(model, [good] * n, support=True, format="conllx")
        assert ["no MISC" in each.error for each in results] == [True] * n


@pytest.mark.parametrize("function", [parse_files, parse_folder, parse_strings])
def test_each_option_of_a_parse_job_is_one_of_every_function(function: Callable[..., object]) -> None:
    options = {field.name for field in fields(ParseJob)} - {"stored", "compare"}
    assert {"member", *options} <= {*inspect.signature(function).parameters}


@pytest.mark.parametrize("keep", [None, "labels", "heads", "all"])
def test_heads_that_are_not_kept_need_not_be_trees(model: Path, keep: Keep | None) -> None:
    tree = dumps(toy_treebank(2, seed=5))
    circle = re.sub(r"^((?:[^\t\n]*\t){6})\d+", r"\g<1>1", tree, flags=re.MULTILINE)
    plain, other = parse_strings(model, [tree, circle], keep=keep)
    if keep is None or keep == "labels":
        assert other == plain
    else:
        assert other.error


def test_threads_share_one_model(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[object] = []

    def load(path: str) -> EnsembleParser:
        loads.append(path)
        return treevote.load(path)

    monkeypatch.setattr(storing, "load", load)
    monkeypatch.setattr(storing, "_PLACES", {})
    text = dumps(toy_treebank(3, seed=6))
    stored = StoredParser.of(model)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: parse_strings(stored, [text])[0].text, range(16)))
    assert len(set(found)) == 1
    assert len(loads) == 1


def test_parsing_strings_loads_no_library_of_training(model: Path) -> None:
    slow = ["sklearn", "networkx", "joblib", "pandas", "spacy"]
    code = (
        "import json, sys, treevote; treevote.parse_strings(sys.argv[1], []); "
        f"print(json.dumps([name for name in {slow} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code, model], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_texts_are_taken_a_batch_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strings, "TASK_BYTES", 100)
    text = "1\tdog" + "\t_" * 8 + "\n\n"
    batches = list(tasks(strings._pieces([text] * 40, [], "conllu"), 100))
    assert all(sum(len(piece.content) for piece in batch) < 100 + len(text) for batch in batches)
    assert sum(map(len, batches)) == 40
    assert len(batches) > 4


def test_a_string_is_running_text_if_it_has_no_tab_and_the_model_a_tokenizer() -> None:
    (found,) = running_texts("Dogs bark.", has_tokenizer=True)
    assert found.text == b"Dogs bark."
    assert not running_texts("Dogs bark.", has_tokenizer=False)
    assert not running_texts("1\tdogs", has_tokenizer=True)
    assert not running_texts(["Dogs bark."], has_tokenizer=True)
