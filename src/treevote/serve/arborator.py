"""The parser's interface of Arborator-Grew: models listed and removed, samples trained on and parsed, states asked for.

``/parser/models/list``, ``train/start``, ``train/status``, ``parse/start`` and ``parse/status`` take and give JSON:
``{"status": "success", "data": …}``, or ``{"status": "failure", "error": sentence}``, since its backend reads no other
answer. A model is ``{"project_name", "model_id"}``: one that the server was started with has its name and the front of
its checksum, one that was trained the name of the project and the time. A training or a parse goes on while the client
asks for its state; of parses the last `KEPT` are known.
"""

from __future__ import annotations

import asyncio
import datetime
import itertools
import json
from collections.abc import Mapping
from typing import Any, get_args

from treevote.ensemble.stored import StoredParser
from treevote.serve.answers import Answer, RequestError, as_json
from treevote.serve.catalogue import Catalogue, ServedModel
from treevote.serve.queue import Queue
from treevote.serve.samples import COLUMNS, Kept, SampleWork, joined
from treevote.serve.texts import Parse, ParsedText
from treevote.serve.trainings import Trainings

KEPT = 16
"""Number of parses whose result can be asked for."""

NOT_MEASURED = -1.0
"""LAS of a model that was trained without a measurement: its readers need a number."""

MAX_NAME = 200


class Arborator:
    """The answers to all requests; used by the thread of the event loop alone."""

    def __init__(self, catalogue: Catalogue, queue: Queue, parse: Parse, trainings: Trainings) -> None:
        self.catalogue, self.queue, self.trainings = catalogue, queue, trainings
        self._parse = parse
        self._parses: dict[str, tuple[tuple[str, str], asyncio.Future[ParsedText]]] = {}
        self._count = itertools.count(1)

    def models(self) -> Answer:
        """Return all models that can parse, with their scores."""
        known = {name: _scores(model.parser.facts) for name, model in self._served.items()}
        for name, training in self.trainings.named.items():
            if not training.has_failed and (model := training.model) is not None:
                known[name] = _scores(model.facts)
        return _success([{"model_info": _info(name), "scores_best": scores} for name, scores in known.items()])

    def remove(self, project: str, model_id: str) -> Answer:
        """Remove a model that was trained here, or end its training."""
        name = project, model_id
        if name in self._served:
            raise RequestError(403, "The server was started with this model, and keeps it.")
        if name not in self.trainings.named:
            raise _no_model(name)
        self.trainings.remove(name)
        return as_json({"status": "success"})

    async def start_training(self, request: Mapping[str, Any]) -> Answer:
        """Check the samples, and start a training on all of them; ``max_epoch`` has no meaning here."""
        project, samples = request.get("project_name"), _samples(request, "train_samples")
        if not isinstance(project, str) or not 0 < len(project) <= MAX_NAME:
            raise RequestError(400, f"Expected as 'project_name' a name of at most {MAX_NAME} characters.")
        if request.get("base_model"):
            raise RequestError(400, "Every model is trained anew, on all its samples; choose no base model.")
        project.encode()  # what cannot be UTF-8 is refused before the training
        self.trainings.require_room()
        text: bytes = await self.queue.run(lambda tasks, run: [joined(samples)], b"".join(samples.values()))
        name = project, datetime.datetime.now().isoformat("_", "milliseconds")
        training = self.trainings.start(name, text)
        return _success({"model_info": _info(name), "train_task_id": f"train-{training.number}"})

    async def training(self, request: Mapping[str, Any]) -> Answer:
        """Return the state of a training, with the scores at its end."""
        for name, training in self.trainings.named.items():
            if request.get("train_task_id") == f"train-{training.number}":
                model = training.model
                scores = None if model is None else _scores(model.facts)
                found = {"ready": model is not None, "scores_best": scores, "scores_history": scores and [scores]}
                return _success(found if model is None else found | {"model_info": _info(name)})
        raise RequestError(404, "There is no such training: the model was removed, or the server started again.")

    async def start_parse(self, request: Mapping[str, Any]) -> Answer:
        """Start to parse samples with a model."""
        name, samples, kept = _name(request), _samples(request, "to_parse_samples"), _kept(request)
        stored = self._stored(name)
        if "NONE" in [kept[column] for column in COLUMNS[:4]] and "tagger" not in stored().annotator.parts:
            raise RequestError(400, "The model has no tagger; keep lemmas, upos, xpos and feats.")
        ended = [task for task, (_, parse) in self._parses.items() if parse.done()]
        for task in ended[: max(len(self._parses) - KEPT + 1, 0)]:
            del self._parses[task]
        if len(self._parses) >= KEPT:
            raise RequestError(429, f"{KEPT} parses are under way already; try again later.")
        parse = asyncio.ensure_future(self._parse(SampleWork(stored, samples, kept), b"".join(samples.values())))
        parse.add_done_callback(lambda task: task.cancelled() or task.exception())  # which nobody may ask for
        task = f"parse-{next(self._count)}"
        self._parses[task] = name, parse
        await asyncio.sleep(0)  # a full queue refuses it here
        if parse.done() and parse.exception() is not None:
            del self._parses[task]
            parse.result()
        return _success({"model_info": _info(name), "parse_task_id": task})

    async def parse(self, request: Mapping[str, Any]) -> Answer:
        """Return the state of a parse, with the samples at its end."""
        found = self._parses.get(str(request.get("parse_task_id")))
        if found is None:
            raise RequestError(404, "There is no such parse: others came after it, or the server started again.")
        name, parse = found
        if not parse.done():
            return _success({"ready": False})
        front = json.dumps({"ready": True, "model_info": _info(name)}, ensure_ascii=False).encode()
        return Answer(b'{"status": "success", "data": %s, "parsed_samples": %s}}' % (front[:-1], parse.result().json))

    @property
    def _served(self) -> dict[tuple[str, str], ServedModel]:
        return {(name, model.stored.sha256[:12]): model for name, model in self.catalogue.models.items()}

    def _stored(self, name: tuple[str, str]) -> StoredParser:
        """Return a model that can parse."""
        if (served := self._served.get(name)) is not None:
            return served.stored
        if (training := self.trainings.named.get(name)) is None:
            raise _no_model(name)
        if (model := training.model) is None:
            raise RequestError(409, "The model is not ready yet.")
        return model.stored


def failure(refusal: RequestError) -> Answer:
    """Return a refusal as its readers expect it."""
    return as_json({"status": "failure", "error": str(refusal)})._replace(status=refusal.status, wait=refusal.wait)


def _success(data: object) -> Answer:
    return as_json({"status": "success", "data": data})


def _info(name: tuple[str, str]) -> dict[str, str]:
    return dict(zip(("project_name", "model_id"), name, strict=True))


def _name(request: Mapping[str, Any]) -> tuple[str, str]:
    match request.get("model_info"):
        case {"project_name": str(project), "model_id": str(model_id)}:
            return project, model_id
    raise RequestError(400, "Expected as 'model_info' an object with 'project_name' and 'model_id'.")


def _no_model(name: tuple[str, str]) -> RequestError:
    return RequestError(404, f"There is no model '{name[1][:80]}' of '{name[0][:80]}'.")


def _samples(request: Mapping[str, Any], key: str) -> dict[str, bytes]:
    given = request.get(key)
    if not isinstance(given, dict) or not all(isinstance(sample, str) for sample in given.values()):
        raise RequestError(400, f"Expected as '{key}' an object of texts in CoNLL-U.")
    return {name: sample.encode() for name, sample in given.items()}


def _kept(request: Mapping[str, Any]) -> dict[str, Kept]:
    """Return for each column what is kept; nothing of those that the request does not name."""
    given = request.get("parsing_settings", {})
    kept = {column: given.get(f"keep_{column}", "NONE") for column in COLUMNS} if isinstance(given, dict) else {}
    if not kept or not all(value in get_args(Kept) for value in kept.values()):
        names = ", ".join(f"keep_{column}" for column in COLUMNS)
        raise RequestError(400, f"Expected as 'parsing_settings' {names}, each NONE, EXISTING or ALL.")
    return kept


def _scores(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of a model as shares, and the number of its sentences."""
    try:
        las, uas = (round(float(facts["scores"]["vote"][name]) / 100, 4) for name in ("las", "uas"))
    except (LookupError, TypeError, ValueError):
        las = uas = NOT_MEASURED
    training = facts.get("training")
    sentences = training.get("sentences", 0) if isinstance(training, dict) else 0
    counts = {"n_train_sents": sentences, "n_test_sents": 0}
    return {
        "LAS_epoch": las,
        "LAS_chuliu_epoch": las,
        "acc_head_epoch": uas,
        "training_diagnostics": {"epoch": 0, "data_description": counts},
    }
