"""``/parse`` and ``/draw``: the vote is that of the parser, given arcs stay, and wrong requests get one sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

import treevote
from tests.command_line import run
from tests.serve.test_udpipe import GOLD, HALF, TEXT
from treevote.ensemble.familiarity import known_labels
from treevote.serve.page import NAMES
from treevote.serve.votes import MAX_LENGTH

DRAWING: dict[str, Any] = {
    "words": {"form": ["<b>", "bark"], "upos": ["NOUN", "VERB"]},
    "trees": [{"head": [2, 0], "deprel": ["nsubj", "root"]}, {"head": [0, 1], "deprel": ["root", "dep"]}],
    "confidence": [0.5, 1],
    "width": 600,
}


def test_the_vote_and_its_members_are_those_of_the_parser(client: TestClient, text_model: Path) -> None:
    answer = client.post("/parse", json={"data": TEXT, "model": "toy"}).json()
    parser = treevote.load(text_model)
    treebank = parser.annotator.read(TEXT)
    vote, parses = parser.parse(treebank), parser.parse_members(treebank)
    assert answer["model"] == "toy-text-250101"
    assert answer["members"] == list(parser.members)
    assert {*answer["labels"]} == known_labels(parser)
    text = "".join(sentence["conllu"] for sentence in answer["sentences"])
    assert text == run("parse", text_model, "-", "--format", "text", stdin=TEXT.encode())
    for found, tree in zip(answer["sentences"], vote, strict=True):
        words = found["words"]
        assert words["form"] == [word.form for word in tree.words[1:]]
        assert words["head"] == tree.heads[1:].tolist()
        assert words["deprel"] == list(tree.deprels[1:])
        assert all(0 <= value <= 1 for value in words["confidence"])
    for name, parse in parses.items():
        heads = [head for found in answer["sentences"] for head in found["members"][name]["head"]]
        assert heads == parse.heads[parse.is_token].tolist()


def test_given_arcs_stay(client: TestClient) -> None:
    for name in ("toy", "plain-one"):
        answer = client.post("/parse", json={"data": HALF, "model": name, "keep": "all"}).json()
        assert "".join(sentence["conllu"] for sentence in answer["sentences"]) == GOLD
        assert [sentence["id"] for sentence in answer["sentences"]] == ["1", "2", "3"]
    assert answer["sentences"][0]["words"]["confidence"][0] is None  # the model has none
    assert client.post("/parse", json={"data": ""}).json()["sentences"] == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_no_byte_of_a_text_is_lost(end: str, client: TestClient) -> None:
    odd = f"\ufeff# before\n\n{GOLD}# between\n\n{GOLD}\n\n# \x85\u2028 after".replace("\n", end)
    answer = client.post("/parse", json={"data": odd, "model": "toy", "keep": "all"}).json()
    assert "".join(sentence["conllu"] for sentence in answer["sentences"]) == odd
    assert len(answer["sentences"]) == 6


LONE = "1\tThe\t_\tDET\t_\t_\t2\t_\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t_\todd\t_\t_\n\n"


@pytest.mark.parametrize(
    ("keep", "given"),
    [
        ("all", {"head": [2, None], "deprel": [None, "odd"]}),
        ("heads", {"head": [2, None], "deprel": [None, None]}),
        ("labels", {"head": [None, None], "deprel": [None, "odd"]}),
        (None, {"head": [None, None], "deprel": [None, None]}),
    ],
)
def test_what_was_given_is_told(keep: str | None, given: dict[str, Any], client: TestClient) -> None:
    answer = client.post("/parse", json={"data": LONE + LONE.replace("\t2\t_\t", "\t_\t_\t"), "keep": keep}).json()
    one, other = answer["sentences"]
    assert one["given"] == given
    assert other["given"] == given | {"head": [None, None]}


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (b"", "Cannot read the request: expected an object in JSON."),
        (b"[]", "Cannot read the request: expected an object in JSON."),
        (b"[" * 100_000, "Cannot read the request: expected an object in JSON."),
        (b"{}", "Expected strings 'data' and 'model'"),
        (b'{"data": 1}', "Expected strings 'data' and 'model'"),
        (b'{"data": "x", "keep": "trees"}', "Expected strings 'data' and 'model'"),
        (b'{"data": "x", "model": "klingon"}', "Requested model 'klingon' does not exist."),
        (b'{"data": "\\ud800"}', "Expected a text that can be UTF-8, found half of a character."),
        (b'{"data": "x\\ty"}', "Cannot read input data: line 1, sentence 1: expected 10 columns"),
        (b'{"data": "x", "model": "plain-one"}', "Cannot read input data: expected sentences in CoNLL-U"),
    ],
)
def test_a_wrong_request_is_told(request_: bytes, sentence: str, client: TestClient) -> None:
    response = client.post("/parse", content=request_)
    assert response.status_code == 400
    assert response.text.startswith(sentence)


def test_a_long_text_is_left_to_another_address(client: TestClient) -> None:
    response = client.post("/parse", json={"data": "x" * (MAX_LENGTH + 1)})
    assert response.status_code == 413
    assert response.text == "The page takes texts of at most 512 KiB; send longer ones to /process.\n"


def test_trees_are_drawn(client: TestClient) -> None:
    one, other = client.post("/draw", json=DRAWING).json()["pictures"]
    root = ElementTree.fromstring(one)
    words = {node.get("data-word"): node.text for node in root.iter() if node.get("data-word")}
    assert words == {"1": "<b>", "2": "bark"}
    assert ">0.50<" in one
    assert 'class="gold"' in other
    assert 'class="system"' in other
    file = client.post("/draw", json=DRAWING | {"caption": "<i>"}).json()["file"]
    assert "&lt;i&gt;" in file
    ElementTree.fromstring(file)
    assert "0.50" not in client.post("/draw", json=DRAWING | {"confidence": [None, None]}).text


@pytest.mark.parametrize(
    "change",
    [
        {"width": "wide"},
        {"width": 1e9},
        {"width": 10**400},
        {"words": {"form": ["a"], "upos": []}},
        {"trees": []},
        {"trees": [{"head": [3, 0], "deprel": ["a", "b"]}]},
        {"trees": [{"head": [2], "deprel": ["a"]}]},
        {"trees": [{"head": ["2", "0"], "deprel": ["a", "b"]}]},
        {"trees": {"head": [2, 0]}},
        {"confidence": [2, 0]},
        {"confidence": [1]},
        {"confidence": "11"},
        {"words": None},
    ],
)
def test_what_cannot_be_drawn_is_told(change: dict[str, Any], client: TestClient) -> None:
    response = client.post("/draw", json=DRAWING | change)
    assert response.status_code == 400
    assert response.text.startswith("Cannot draw: expected 'words' with lists 'form' and 'upos' of 1 to 500")


@pytest.mark.parametrize(
    "change", [{"words": {"form": ["a"] * 501, "upos": ["_"] * 501}}, {"trees": DRAWING["trees"] * 11}]
)
def test_what_is_too_large_for_a_picture_is_told_in_plain_words(change: dict[str, Any], client: TestClient) -> None:
    response = client.post("/draw", json=DRAWING | change)
    assert (response.status_code, response.text) == (400, "Cannot draw more than 500 words, or 20 trees.\n")


def test_the_page_is_served_with_all_that_it_imports(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script>" not in page.text
    assert "style=" not in page.text
    assert '"page.css"' in page.text
    assert client.get("/page.css").headers["content-type"].startswith("text/css")
    found, todo = set[str](), re.findall(r'src="(.*?)"', page.text)
    assert todo == ["page.js"]
    while todo:
        found.add(name := todo.pop())
        script = client.get(f"/{name}")
        assert script.headers["content-type"].startswith("text/javascript"), name
        assert "innerHTML" not in script.text
        todo += set(re.findall(r'from "\./(.*?)"', script.text)) - found
    assert found == {name for name in NAMES if name.endswith(".js")}
