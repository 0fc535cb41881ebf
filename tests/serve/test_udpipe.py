"""The REST interface of UDPipe: each argument and each error; answers are the bytes of ``treevote parse``."""

from __future__ import annotations

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.command_line import run
from tests.reference.toy_grammar import toy_treebank
from treevote import Treebank, dumps
from treevote.batch.joint import ParseJob
from treevote.ensemble.stored import StoredParser
from treevote.serve.app import Server
from treevote.serve.catalogue import Catalogue
from treevote.serve.form import arguments
from treevote.serve.limits import Limits
from treevote.serve.queue import Task
from treevote.serve.texts import TextWork
from treevote.version import __version__

ALL = {"tokenizer": "", "tagger": "", "parser": ""}
TEXT = "The old dog saw cats near the tree. The cat liked fishs.\n\n\nthe fish found the big tree today ."
GOLD = dumps(toy_treebank(3, 5))
BARE = "\n".join("\t".join([*line.split("\t")[:2], *"________"]) if line else "" for line in GOLD.split("\n"))
HALF = GOLD.replace("\t0\troot", "\t_\t_", 1)

SAME = {
    "text": (ALL | {"data": TEXT}, ["--format", "text"]),
    "text of spaces around": (ALL | {"data": f"\n\n  {TEXT} \t\n\n"}, ["--format", "text"]),
    "text with carriage returns": (ALL | {"data": TEXT.replace("\n", "\r\n")}, ["--format", "text"]),
    "text not in NFC": (ALL | {"data": "The cafe\u0301 saw \u212b."}, ["--format", "text"]),
    "presegmented text": (
        ALL | {"tokenizer": "presegmented", "data": "the dog saw.\nCats. Dogs."},
        ["--format", "lines"],
    ),
    "text, word none as tokenizer": (ALL | {"tokenizer": "none", "data": TEXT}, ["--format", "text"]),
    "any word switches a step on": (ALL | {"tagger": "x", "parser": "y", "data": TEXT}, ["--format", "text"]),
    "text without tags": ({"tokenizer": "", "parser": "", "data": TEXT}, ["--format", "text", "--tags", "keep"]),
    "tagged sentences": ({"parser": "", "data": GOLD}, ["--tags", "keep"]),
    "tagged sentences, tagger none": ({"parser": "", "tagger": "none", "data": GOLD}, ["--tags", "keep"]),
    "sentences tagged again": ({"parser": "", "tagger": "", "data": GOLD}, ["--tags", "predict"]),
    "sentences without tags": ({"parser": "", "tagger": "", "data": BARE}, ["--tags", "predict"]),
    "input conllu": ({"parser": "", "input": "conllu", "data": GOLD}, ["--tags", "keep"]),
    "input conllu=v2": ({"parser": "", "input": "conllu=v2", "data": GOLD}, ["--tags", "keep"]),
    "output conllu": ({"parser": "", "output": "conllu", "data": GOLD}, ["--tags", "keep"]),
    "output conllu=v2": ({"parser": "", "output": "conllu=v2", "data": GOLD}, ["--tags", "keep"]),
    "no line end at the end": ({"parser": "", "data": GOLD.rstrip("\n")}, ["--tags", "keep"]),
    "a byte order mark": ({"parser": "", "data": f"\ufeff{GOLD}"}, ["--tags", "keep"]),
    "given heads": ({"parser": "", "keep": "heads", "data": HALF}, ["--tags", "keep", "--keep", "heads"]),
    "given arcs": ({"parser": "", "keep": "all", "data": HALF}, ["--tags", "keep", "--keep", "all"]),
    "confidence": (ALL | {"confidence": "", "data": TEXT}, ["--format", "text", "--confidence"]),
    "lights": (ALL | {"lights": "yes", "data": TEXT}, ["--format", "text", "--lights"]),
    "unknown arguments": (ALL | {"colour": "red", "data": TEXT}, ["--format", "text"]),
    "a long text": (ALL | {"data": f"{TEXT}\n\n" * 1500}, ["--format", "text"]),
    "many sentences": ({"parser": "", "data": GOLD * 500}, ["--tags", "keep"]),
}
"""Arguments of a request, and the options of ``treevote parse`` that give the same bytes."""

PLAIN = {"model": "plain-one", "parser": "", "data": GOLD}
ERRORS: dict[str, tuple[dict[str, str], str]] = {
    "no data": ({"parser": ""}, "Required argument 'data' is missing."),
    "no arguments": ({}, "Required argument 'data' is missing."),
    "unknown model": ({"model": "klingon", "data": "x"}, "Requested model 'klingon' does not exist."),
    "control": ({"model": "kling\x1b[31mon", "data": "x"}, "Requested model 'kling␛[31mon' does not exist."),
    "the model is looked at first": ({"model": "klingon"}, "Requested model 'klingon' does not exist."),
    "no tokenizer": (PLAIN | {"tokenizer": ""}, "The required model does not contain a tokenizer!"),
    "no tagger": (PLAIN | {"tagger": ""}, "The required model does not contain a tagger!"),
    "no confidence": (PLAIN | {"confidence": ""}, "the model has no confidence"),
    "no lights": (PLAIN | {"lights": ""}, "the model has no lights"),
    "option of the tokenizer": (ALL | {"tokenizer": "ranges", "data": "x"}, "Cannot construct a tokenizer instance"),
    "input horizontal": ({"input": "horizontal", "data": "x"}, "Input format 'horizontal' is not there; send conllu"),
    "input vertical": ({"input": "vertical", "data": "x"}, "Input format 'vertical' is not there; send conllu"),
    "unknown input": ({"input": "xml", "data": "x"}, "Unknown input format 'xml'."),
    "output matxin": ({"output": "matxin", "data": GOLD}, "Output format 'matxin' is not there; ask for conllu."),
    "output plaintext": ({"output": "plaintext", "data": GOLD}, "Output format 'plaintext' is not there"),
    "unknown output": ({"output": "xml", "data": GOLD}, "Unknown output format 'xml'."),
    "unknown keep": ({"keep": "trees", "data": GOLD}, "Unknown value 'trees' of 'keep'; expected heads, labels, all."),
    "no columns": (
        {"parser": "", "data": "The dog."},
        "Cannot read input data: line 1, sentence 1: expected 10 columns",
    ),
    "no columns, no parser": ({"data": "The dog."}, "Cannot read input data: line 1, sentence 1: expected 10 columns"),
    "a cycle of given heads": (
        {"parser": "", "keep": "heads", "data": "1\ta\t_\tDET\t_\t_\t1\tdep\t_\t_\n\n"},
        "Cannot read input data: line 1",
    ),
}
"""Arguments of a request, and the beginning of the sentence with which it is refused."""


def posted(client: TestClient, form: dict[str, str]) -> Any:
    """Return the answer to a form, as JSON."""
    response = client.post("/process", data=form)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("application/json")
    return response.json()


@pytest.mark.parametrize("name", SAME)
def test_an_answer_is_what_the_command_line_writes(name: str, client: TestClient, text_model: Path) -> None:
    given_arguments, options = SAME[name]
    answer = posted(client, given_arguments)
    assert list(answer) == ["model", "acknowledgements", "result"]
    assert answer["model"] == "toy-text-250101"
    assert answer["acknowledgements"] == [f"treevote {__version__}"]
    assert answer["result"] == run("parse", text_model, "-", *options, stdin=given_arguments["data"].encode())


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_one_sentence(name: str, client: TestClient) -> None:
    wrong, sentence = ERRORS[name]
    response = client.post("/process", data=wrong)
    assert response.status_code == 400
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text.startswith(sentence)
    assert response.text.count("\n") == 1


def test_the_ways_of_a_request_are_the_same(client: TestClient) -> None:
    form = ALL | {"data": TEXT, "model": "toy"}
    answer = posted(client, form)
    assert client.get("/process", params=form).json() == answer
    assert client.post("/process", params=form).json() == answer
    assert client.post("/process", params=ALL, data={"data": TEXT}).json() == answer
    parts: Any = {name: (None, value) for name, value in form.items()}
    assert client.post("/process", files=parts).json() == answer
    assert client.post("/process", files=parts | {"data": ("a.txt", TEXT.encode(), "text/plain")}).json() == answer
    assert client.post("/process?data=other", data=form).json() == answer  # the body counts


def test_the_form_that_the_client_of_udpipe_sends(client: TestClient, text_model: Path) -> None:
    message = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in (ALL | {"input": "conllu", "output": "conllu", "data": "Dogs saw the café."}).items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    body = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    answer = client.post("/process", content=body, headers={"Content-Type": message["Content-Type"]}).json()
    assert answer["result"] == run("parse", text_model, "-", "--format", "text", stdin="Dogs saw the café.".encode())


@pytest.mark.parametrize("name", ["", "toy", "toy-text", "toy-text-250101"])
def test_a_model_has_shorter_names(name: str, client: TestClient) -> None:
    assert posted(client, ALL | {"data": TEXT, "model": name})["model"] == "toy-text-250101"
    assert posted(client, {"parser": "", "data": GOLD, "model": "plain"})["model"] == "plain-one"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_models_are_listed_with_their_steps(method: str, client: TestClient) -> None:
    answer = client.request(method, "/models").json()
    assert answer["models"] == {"toy-text-250101": ["tokenizer", "tagger", "parser"], "plain-one": ["parser"]}
    assert answer["default_model"] == "toy-text-250101"


def test_a_text_is_tokenized_and_tagged_alone(client: TestClient) -> None:
    tokens = posted(client, {"tokenizer": "", "data": TEXT})["result"]
    tagged = posted(client, {"tokenizer": "", "tagger": "", "data": TEXT})["result"]
    rows = [[line.split("\t") for line in text.splitlines() if line[:1].isdigit()] for text in (tokens, tagged)]
    assert [row[:2] + row[8:] for row in rows[0]] == [row[:2] + row[8:] for row in rows[1]]
    assert {row[7] for row in [*rows[0], *rows[1]]} == {"_"}
    assert {row[3] for row in rows[0]} == {"_"} != {row[3] for row in rows[1]}
    assert posted(client, {"tagger": "", "data": tokens})["result"] == tagged
    assert posted(client, {"data": GOLD})["result"] == GOLD


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_nothing_gives_nothing(text: str, client: TestClient) -> None:
    lines = posted(client, ALL | {"data": text})["result"].splitlines()
    assert [line for line in lines if line and not line.startswith("# spaces")] == []


def test_a_normalizing_server_gives_back_nfc(catalogue: Catalogue) -> None:
    client = TestClient(Server(catalogue, Limits(), nfc=True).application())
    assert "café" in posted(client, ALL | {"data": "The cafe\u0301."})["result"]
    assert "café" in client.post("/parse", json={"data": "The cafe\u0301."}).text


BODIES = {
    "another type": ("text/plain", b"x", "Unsupported content type 'text/plain'"),
    "no type": ("", b"x", "Unsupported content type ''"),
    "parts without a border": ("multipart/form-data", b"x", "Unsupported content type 'multipart/form-data'"),
    "parts that break off": ("multipart/form-data; boundary=b", b"--b\r\nContent-Dis", "Cannot read the form"),
    "parts without names": (
        "multipart/form-data; boundary=b",
        b"--b\r\nA: b\r\n\r\nx\r\n--b--\r\n",
        "Cannot read the form",
    ),
    "parts without a name": (
        "multipart/form-data; boundary=b",
        b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n",
        "Cannot read the form",
    ),
    "parts of Latin-1": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n\xe9\r\n--b--\r\n',
        "Cannot read the form: expected UTF-8, found the byte 0xE9; convert the text.",
    ),
    "many parts": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n' * 101 + b"--b--\r\n",
        "Cannot read the form",
    ),
    "many arguments": ("application/x-www-form-urlencoded", b"a=1&" * 101, "Cannot read the form"),
    "Latin-1": (
        "application/x-www-form-urlencoded",
        b"data=%E9",
        "Cannot read the form: expected UTF-8, found the byte",
    ),
    "no ASCII": (
        "application/x-www-form-urlencoded",
        "data=café".encode(),
        "Cannot read the form: expected percent-encoded text, found other bytes; send it with --data-urlencode",
    ),
}
"""Type and bytes of a body that cannot be read, and the beginning of the answer."""


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_cannot_be_read(name: str, client: TestClient) -> None:
    kind, body, sentence = BODIES[name]
    response = client.post("/process", content=body, headers={"Content-Type": kind})
    assert response.status_code == 400
    assert response.text.startswith(sentence)


def test_a_packed_body_is_told(client: TestClient) -> None:
    packed = {"Content-Encoding": "gzip", "Content-Type": "application/x-www-form-urlencoded"}
    response = client.post("/process", content=gzip.compress(b"data="), headers=packed)
    assert (response.status_code, response.text) == (
        415,
        "Unsupported content encoding 'gzip'; send the content as it is.\n",
    )


def test_a_query_that_cannot_be_read(client: TestClient) -> None:
    assert client.get("/process?data=%FF").text.startswith("Cannot read the query")


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters='\r\n"\\'), min_size=1),
        st.text(),
        min_size=1,
        max_size=5,
    )
)
def test_parts_come_back(values: dict[str, str]) -> None:
    try:
        encoded = {name.encode(): value.encode() for name, value in values.items()}
    except UnicodeEncodeError:
        return
    body = b"".join(
        b'--||\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % pair for pair in encoded.items()
    )
    if any(b"--||" in part for pair in encoded.items() for part in pair):
        return
    assert arguments(b"", "multipart/form-data; boundary=||", body + b"--||--\r\n") == values


@settings(max_examples=25)
@given(
    st.lists(
        st.sampled_from(["the dog saw the cat .", "Cats, cats", "<b>\u202e\x1b[31m</b>", "ß \u00a0 x"]), max_size=6
    )
)
def test_text_comes_back(client: TestClient, lines: list[str]) -> None:
    text = "\n\n".join(lines)
    result = posted(client, ALL | {"data": text})["result"]
    assert run("text", "-", stdin=result.encode()) == text if text else result == ""
    assert json.loads(json.dumps(result)) == result


def here(function: Callable[..., Any], *arguments: object) -> Any:
    """Run a function in this process."""
    return function(*arguments)


@pytest.mark.parametrize(
    ("format", "texts"),
    [
        ("conllu", [GOLD, "x", dumps(Treebank.of([])), GOLD * 2, "1\tx\n\n", GOLD * 800]),
        (
            "text",
            ["Cats, cats", "", " \n\n ", "\ufeffthe dog .\r\n\r\nthe dog", "the cat .\n\n" * 8000, "\n\nß \u00a0 x"],
        ),
        ("lines", ["Cats, cats\nthe dog", " \n", "a\nb"]),
        ("text", [" ", "\n\n"]),
    ],
)
def test_requests_of_many_are_answered_each(text_model: Path, format: Any, texts: list[str]) -> None:
    """Tasks that are done together have the results that each has alone, faults included."""
    work = TextWork(ParseJob(StoredParser.of(text_model), tags="keep" if format == "conllu" else "predict"), format)
    together = work([Task(work, text.encode()) for text in texts], here)
    alone = [work([Task(work, text.encode())], here)[0] for text in texts]
    assert list(map(repr, together)) == list(map(repr, alone))
