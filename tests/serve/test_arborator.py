"""The parser's interface of Arborator-Grew: the calls of its backend in their order, columns kept, refusals, limits."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.command_line import run
from tests.reference.toy_grammar import toy_treebank
from tests.serve.test_udpipe import BARE, GOLD, HALF
from treevote import dumps
from treevote.serve import arborator, trainings
from treevote.serve.answers import RequestError
from treevote.serve.app import Server
from treevote.serve.catalogue import Catalogue
from treevote.serve.limits import Limits
from treevote.serve.queue import Work

BASE = "/parser/models"
COLUMNS = ("form", "lemmas", "upos", "xpos", "feats", "heads", "deprels")
NOTHING = {f"keep_{column}": "NONE" for column in COLUMNS[1:]}
SAMPLES = {"first": dumps(toy_treebank(50, 3)), "a/../second": dumps(toy_treebank(30, 4)), "of nobody": ""}
TRAINING = {"project_name": "../Toy project", "train_samples": SAMPLES, "max_epoch": 5, "base_model": None}
GAPS = HALF.replace("\tNOUN\t", "\t_\t", 2)


def asked(client: TestClient, path: str, request: Any, status: int = 200) -> Any:
    """Return the answer to a request, as its reader takes it: JSON, whatever the status."""
    response = client.post(f"{BASE}/{path}", json=request)
    assert response.status_code == status, response.text
    answer = response.json()
    assert answer["status"] == ("success" if status == 200 else "failure")
    return answer["data"] if status == 200 else answer["error"]


def ended(client: TestClient, path: str, request: Any) -> Any:
    """Ask for a state until it is an end."""
    while True:
        response = client.post(f"{BASE}/{path}/status", json=request)
        answer = response.json()
        if answer["status"] == "failure" or answer["data"]["ready"]:
            return answer
        time.sleep(0.05)


def models(client: TestClient) -> dict[str, Any]:
    """Return the models of the list by their projects."""
    return {one["model_info"]["project_name"]: one for one in client.get(f"{BASE}/list").json()["data"]}


def parsed(client: TestClient, project: str, samples: dict[str, str], **settings: str) -> dict[str, str]:
    """Return samples parsed by a model of the list."""
    info = models(client)[project]["model_info"]
    request = {"model_info": info, "to_parse_samples": samples, "parsing_settings": NOTHING | settings}
    started = asked(client, "parse/start", request)
    assert started["model_info"] == info
    answer = ended(client, "parse", {"parse_task_id": started["parse_task_id"]})
    assert answer["status"] == "success", answer
    assert answer["data"]["model_info"] == info
    found: dict[str, str] = answer["data"]["parsed_samples"]
    return found


@pytest.fixture
def trainer(catalogue: Catalogue) -> Iterator[tuple[Server, TestClient]]:
    server = Server(catalogue, Limits(models=1))
    with TestClient(server.application()) as client:
        yield server, client
    server.trainings.close()


def test_the_calls_of_the_backend_in_their_order(trainer: tuple[Server, TestClient]) -> None:
    server, client = trainer
    assert set(models(client)) == {"toy-text-250101", "plain-one"}
    started = asked(client, "train/start", TRAINING)
    info = started["model_info"]
    assert info["project_name"] == "../Toy project"
    assert asked(client, "train/status", started) == {"ready": False, "scores_best": None, "scores_history": None}
    waiting = {"model_info": info, "to_parse_samples": {}, "parsing_settings": NOTHING}
    assert asked(client, "parse/start", waiting, 409) == "The model is not ready yet."
    assert asked(client, "train/start", TRAINING, 429).startswith("A model is being trained already")
    assert set(models(client)) == {"toy-text-250101", "plain-one"}

    answer = ended(client, "train", started)
    assert answer["data"]["model_info"] == info
    scores = answer["data"]["scores_best"]
    assert answer["data"]["scores_history"] == [scores]
    assert 0.5 < scores["LAS_epoch"] == scores["LAS_chuliu_epoch"] <= scores["acc_head_epoch"] <= 1
    assert scores["training_diagnostics"]["data_description"]["n_train_sents"] == 80
    assert models(client)[info["project_name"]] == {"model_info": info, "scores_best": scores}
    assert asked(client, "train/start", TRAINING, 429).startswith("The server keeps 1 trained models at most")

    (training,) = server.trainings.named.values()
    samples = {"a": BARE, "b": GOLD, "c/../d": ""}
    command = {
        name: run("parse", training.folder, "-", "--format", "conllu", "--tags", "predict", stdin=sample.encode())
        for name, sample in samples.items()
        if sample
    }
    assert parsed(client, info["project_name"], samples) == command | {"c/../d": ""}

    removal = f"{BASE}/list/{info['project_name']}/{info['model_id']}".replace("..", "%2E%2E")
    assert client.delete(removal).json() == {"status": "success"}
    assert not training.folder.exists()
    assert set(models(client)) == {"toy-text-250101", "plain-one"}
    assert client.delete(removal).status_code == 404
    assert asked(client, "parse/start", waiting, 404).startswith("There is no model '20")
    assert asked(client, "train/status", started, 404).startswith("There is no such training")


def columns_of(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]


@pytest.mark.parametrize(("column", "kept"), [*itertools.product(COLUMNS[1:], ["EXISTING", "ALL"])])
def test_a_column_is_kept_where_it_is_filled_or_as_a_whole(column: str, kept: str, client: TestClient) -> None:
    place = COLUMNS.index(column) + 1
    lines = [line.split("\t") for line in GOLD.split("\n")]
    for fields in lines[::3] + lines[1::3]:
        fields[place : place + 1] = ["_"] if len(fields) > 1 else []
    sample = "\n".join(map("\t".join, lines))
    found = parsed(client, "toy-text-250101", {"s": sample}, **{f"keep_{column}": kept})["s"]
    before, after = columns_of(sample), columns_of(found)
    assert {fields[place] == "_" for fields in before} == {True, False}
    for own, fields in zip(before, after, strict=True):
        assert fields[:2] == own[:2]
        if kept == "ALL" or own[place] != "_":
            assert fields[place] == own[place]
        elif column not in ("xpos", "feats"):  # which the toy treebank has not on all words
            assert fields[place] != "_"
    others = [line for line in found.splitlines() if not line[:1].isdigit()]
    assert others == [line for line in sample.splitlines() if not line[:1].isdigit()]


@pytest.mark.parametrize(
    ("sample", "settings", "options"),
    [
        (GOLD, {}, ["--tags", "predict"]),
        (GAPS, {"keep_heads": "EXISTING"}, ["--tags", "predict", "--keep", "heads"]),
        (GAPS, {"keep_deprels": "EXISTING"}, ["--tags", "predict", "--keep", "labels"]),
        (GAPS, dict.fromkeys(list(NOTHING)[:4], "ALL"), ["--tags", "keep"]),
        (GOLD, dict.fromkeys(list(NOTHING)[:4], "EXISTING"), ["--tags", "keep"]),
        (GAPS, dict.fromkeys(list(NOTHING)[:4], "ALL") | dict.fromkeys(list(NOTHING)[4:], "EXISTING"),
         ["--tags", "keep", "--keep", "all"]),
    ],
)  # fmt: skip
def test_settings_are_options_of_the_command(
    sample: str, settings: dict[str, str], options: list[str], client: TestClient, text_model: Path
) -> None:
    samples = {"s": sample, "t": sample * (300 if len(settings) < 2 else 3)}
    found = parsed(client, "toy-text-250101", samples, **settings)
    for name, text in samples.items():
        assert found[name] == run("parse", text_model, "-", *options, stdin=text.encode())


def test_all_columns_kept_are_the_sample(client: TestClient) -> None:
    loop = "1\ta\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    samples = {"gold": GOLD, "half": HALF, "loop": loop}
    for project, kept in (("toy-text-250101", "ALL"), ("plain-one", "ALL")):
        assert parsed(client, project, samples, **dict.fromkeys(NOTHING, kept)) == samples


PARSE = {"model_info": {"project_name": "toy-text-250101", "model_id": "0"}, "to_parse_samples": {"s": GOLD},
         "parsing_settings": NOTHING}  # fmt: skip
REFUSED: dict[str, tuple[str, Any, int, str]] = {
    "no training here": ("train/start", TRAINING, 403, "This server trains no models"),
    "a base model": ("train/start", TRAINING | {"base_model": {"project_name": "a"}}, 400, "Every model is trained"),
    "no samples": ("train/start", {"project_name": "a"}, 400, "Expected as 'train_samples' an object of texts"),
    "samples in a list": ("train/start", TRAINING | {"train_samples": [GOLD]}, 400, "Expected as 'train_samples'"),
    "no project": ("train/start", {"train_samples": SAMPLES}, 400, "Expected as 'project_name' a name"),
    "half of a character": ("train/start", TRAINING | {"project_name": "\ud800"}, 400, "Expected a text that can be"),
    "half in a sample": ("train/start", TRAINING | {"train_samples": {"a": "\ud800"}}, 400, "Expected a text that"),
    "an unknown training": ("train/status", {"train_task_id": "train-9"}, 404, "There is no such training"),
    "a training without a name": ("train/status", {}, 404, "There is no such training"),
    "half in a model": ("parse/start", PARSE | {"model_info": {"project_name": "\ud800", "model_id": "0"}}, 404, "The"),
    "an unknown model": ("parse/start", PARSE, 404, "There is no model '0' of 'toy-text-250101'."),
    "a path as model": ("parse/start", PARSE | {"model_info": {"project_name": "..", "model_id": ".."}}, 404, "There"),
    "no model": ("parse/start", PARSE | {"model_info": None}, 400, "Expected as 'model_info' an object"),
    "a wrong setting": ("parse/start", PARSE | {"parsing_settings": {"keep_upos": "SOME"}}, 400, "Expected as"),
    "settings as words": ("parse/start", PARSE | {"parsing_settings": "NONE"}, 400, "Expected as 'parsing_settings'"),
    "an unknown parse": ("parse/status", {"parse_task_id": "parse-0"}, 404, "There is no such parse"),
    "no object": ("parse/status", [1], 400, "Cannot read the request: expected an object in JSON."),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_a_failure_in_json(name: str, client: TestClient) -> None:
    path, request, status, sentence = REFUSED[name]
    response = client.post(f"{BASE}/{path}", content=json.dumps(request))
    assert response.status_code == status
    assert set(response.json()) == {"status", "error"}
    assert response.json()["status"] == "failure"
    assert response.json()["error"].startswith(sentence)


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "train/start", 405), ("POST", "nothing", 404)])
def test_an_unknown_call_is_a_failure_in_json(method: str, path: str, status: int, client: TestClient) -> None:
    response = client.request(method, f"{BASE}/{path}")
    assert response.status_code == status
    assert response.json()["status"] == "failure"


def test_the_models_of_the_server_stay(client: TestClient) -> None:
    info = models(client)["plain-one"]["model_info"]
    response = client.delete(f"{BASE}/list/{info['project_name']}/{info['model_id']}")
    assert (response.status_code, response.json()["status"]) == (403, "failure")
    assert models(client)["plain-one"]["scores_best"]["LAS_epoch"] == arborator.NOT_MEASURED
    assert 0 < models(client)["toy-text-250101"]["scores_best"]["LAS_epoch"] <= 1


@pytest.mark.parametrize(
    ("project", "sample", "settings", "sentence"),
    [
        ("plain-one", GOLD, {}, "The model has no tagger; keep lemmas, upos, xpos and feats."),
        ("toy-text-250101", "The dog.", {}, "Cannot read input data: my sample, line 1, sentence 1: expected 10"),
        ("toy-text-250101", "1\ta\t_\tDET\t_\t_\t1\tdep\t_\t_\n\n", {"keep_heads": "EXISTING"},
         "Cannot read input data: my sample, line 1, sentence 1: "),
    ],
)  # fmt: skip
def test_a_sample_that_cannot_be_parsed_is_told(
    project: str, sample: str, settings: dict[str, str], sentence: str, client: TestClient
) -> None:
    request = {"model_info": models(client)[project]["model_info"], "to_parse_samples": {"my sample": sample},
               "parsing_settings": NOTHING | settings}  # fmt: skip
    response = client.post(f"{BASE}/parse/start", json=request).json()
    if response["status"] == "success":
        response = ended(client, "parse", response["data"])
    assert response["status"] == "failure"
    assert response["error"].startswith(sentence)


def test_samples_that_cannot_be_learned_from_are_told(trainer: tuple[Server, TestClient]) -> None:
    server, client = trainer
    bad = TRAINING | {"train_samples": {"my sample": "The dog."}}
    assert asked(client, "train/start", bad, 400).startswith("Cannot read input data: my sample, line 1, sentence 1: ")
    bare = TRAINING | {"train_samples": {"a": BARE, "b": ""}}
    assert asked(client, "train/start", bare, 400).startswith("Cannot read input data: expected trees")
    assert not server.trainings.named
    one = TRAINING | {"train_samples": {"a": "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"}}
    answer = ended(client, "train", asked(client, "train/start", one))
    assert answer["status"] == "failure"
    assert "\n" not in answer["error"]
    assert "<stdin>" not in answer["error"]
    assert str(server.trainings.named.popitem()[1].folder) not in answer["error"]


@pytest.mark.parametrize("place", ["<stdin>: ", "<stdin>, line 3: ", ""])
def test_a_reason_names_no_stream_of_the_command(place: str) -> None:
    said = f"treevote: a note\ntreevote: {place}expected trees\n".encode()
    assert trainings._reason(said) == f"{place.removeprefix('<stdin>').lstrip(':, ')}expected trees."


def test_a_training_has_a_limit_of_time_and_size(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(catalogue, Limits(models=1, training=1))
    with TestClient(server.application()) as client:
        answer = ended(client, "train", asked(client, "train/start", TRAINING))
        assert answer["error"] == "The training did not end within 1 seconds; train on less text."
        monkeypatch.setattr(server.trainings, "limits", Limits(models=1))
        monkeypatch.setattr(trainings, "MAX_MODEL", 1 << 10)
        few = TRAINING | {"train_samples": {"a": dumps(toy_treebank(9, 3))}}
        answer = ended(client, "train", asked(client, "train/start", few))
        assert answer["error"].startswith("The model has ")
        assert [training.folder.exists() for training in server.trainings.named.values()] == [False, False]
        monkeypatch.setattr(trainings, "COMMAND", ("text", "-", "--output"))  # a file where a model should be
        answer = ended(client, "train", asked(client, "train/start", few))
        assert answer["error"] == "The training made no model that can be read; the log tells why."
    server.trainings.close()


def test_a_training_that_is_removed_ends(trainer: tuple[Server, TestClient]) -> None:
    server, client = trainer
    started = asked(client, "train/start", TRAINING)
    (training,) = server.trainings.named.values()
    path = f"{BASE}/list/%2E%2E/Toy%20project/{started['model_info']['model_id']}"
    assert client.delete(path).json() == {"status": "success"}
    assert asked(client, "train/status", started, 404).startswith("There is no such training")
    while not training.task.done():
        client.get("/health")
    assert training.has_failed
    server.trainings.require_room()


def test_the_last_parses_are_kept(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arborator, "KEPT", 2)
    info = models(client)["toy-text-250101"]["model_info"]
    request = {"model_info": info, "to_parse_samples": {"s": GOLD}, "parsing_settings": NOTHING}
    tasks = []
    for _ in range(4):
        tasks.append(asked(client, "parse/start", request))
        assert ended(client, "parse", tasks[-1])["status"] == "success"
    assert [client.post(f"{BASE}/parse/status", json=task).status_code for task in tasks] == [404, 404, 200, 200]


def test_samples_count_in_the_queue_as_their_text(
    trainer: tuple[Server, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, client = trainer
    sizes = []

    async def refused(work: Work, data: bytes) -> None:
        sizes.append(len(data))
        raise RequestError(503, "Busy.")

    monkeypatch.setattr(server.queue, "run", refused)
    info = models(client)["toy-text-250101"]["model_info"]
    assert asked(client, "train/start", TRAINING, 503) == "Busy."
    assert asked(client, "parse/start", {"model_info": info, "to_parse_samples": SAMPLES}, 503) == "Busy."
    assert sizes == [sum(map(len, SAMPLES.values()))] * 2


def test_calls_at_once_start_no_more_parses_than_are_kept(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arborator, "KEPT", 2)

    async def statuses() -> list[int]:
        server, go_on = Server(catalogue, Limits()), asyncio.Event()
        monkeypatch.setattr(server.queue, "run", lambda *work: go_on.wait())
        (info,) = [model["model_info"] for model in json.loads(server.arborator.models().body)["data"]][:1]
        request = {
            "model_info": info,
            "to_parse_samples": {"s": GOLD},
            "parsing_settings": dict.fromkeys(NOTHING, "ALL"),
        }

        async def status() -> int:
            try:
                return (await server.arborator.start_parse(request)).status
            except RequestError as refusal:
                return refusal.status

        found = await asyncio.gather(*(status() for _ in range(5)))
        go_on.set()
        return found

    assert sorted(asyncio.run(statuses())) == [200, 200, 429, 429, 429]
