"""The REST interface of UDPipe: ``/models`` and ``/process``, with its arguments, answers and errors.

Of its formats CoNLL-U is there, and running text; of the options of its tokenizer ``presegmented`` (a sentence on each
line). Three arguments are additions: ``keep``, ``confidence`` and ``lights``, as of ``treevote parse``. Without ``nfc``
the text comes back as it was sent; UDPipe normalizes it to NFC.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any, cast, get_args

from treevote.batch.joint import ParseJob
from treevote.conll.text_chunks import TextFormat
from treevote.corpus.given import Keep
from treevote.corpus.treebank import Format
from treevote.errors import TreevoteError
from treevote.models.text.text_annotator import Tags
from treevote.serve.answers import Answer, RequestError, as_json
from treevote.serve.catalogue import Catalogue, ServedModel
from treevote.serve.texts import Parse, TextWork
from treevote.version import __version__

ACKNOWLEDGEMENT = f"treevote {__version__}"

CONLLU = ("conllu", "conllu=v2")
OTHERS = ("generic_tokenizer", "horizontal", "vertical", "epe", "matxin", "plaintext", "conllu=v1")
"""Formats of UDPipe that are not there."""


def models(catalogue: Catalogue) -> Answer:
    """Return the names of all models with their steps, and the default model."""
    found = {model.name: model.steps for model in catalogue.models.values()}
    return as_json({"models": found, "default_model": catalogue.default.name})


async def process(catalogue: Catalogue, parse: Parse, arguments: Mapping[str, str], *, nfc: bool) -> Answer:
    """Tokenize, tag and parse a text, each if it is asked for."""
    model = catalogue.find(arguments.get("model", ""))
    work, data = request(model, arguments)
    parsed = await parse(work, (unicodedata.normalize("NFC", data) if nfc else data).encode())
    acknowledgements = [ACKNOWLEDGEMENT, *filter(None, [model.licence])]
    front = json.dumps({"model": model.name, "acknowledgements": acknowledgements})
    return Answer(b'%s, "result": %s}' % (front[:-1].encode(), parsed.json))


def request(model: ServedModel, arguments: Mapping[str, str]) -> tuple[TextWork, str]:
    """Return the work that is asked for, and the text; RequestError if an argument is missing or wrong."""
    if "data" not in arguments:
        raise RequestError(400, "Required argument 'data' is missing.")
    format = _input_format(model, arguments)
    tag, parse = (arguments.get(step, "none") != "none" for step in ("tagger", "parser"))
    if tag and "tagger" not in model.steps:
        raise RequestError(400, "The required model does not contain a tagger!")
    _require_conllu("Output", arguments.get("output", "conllu"), "ask for conllu")
    keep = arguments.get("keep")
    if keep is not None and keep not in get_args(Keep):
        raise RequestError(400, f"Unknown value '{keep[:80]}' of 'keep'; expected {', '.join(get_args(Keep))}.")
    options: dict[str, Any] = {name: arguments.get(name, "no") != "no" for name in ("confidence", "lights")}
    tags: Tags = "predict" if tag else "keep"
    work = ParseJob(model.stored, tags=tags, keep=cast("Any", keep), compare=False, **options)
    try:
        work.check()
    except TreevoteError as fault:
        raise RequestError(400, f"{fault}.") from None
    return TextWork(work, format, parse), arguments["data"]


def _input_format(model: ServedModel, arguments: Mapping[str, str]) -> Format | TextFormat:
    tokenizer = arguments.get("tokenizer")
    if tokenizer is None:
        remedy = "send conllu, or running text with 'tokenizer'"
        _require_conllu("Input", arguments.get("input", "conllu"), remedy)
        return "conllu"
    if "tokenizer" not in model.steps:
        raise RequestError(400, "The required model does not contain a tokenizer!")
    options = {option.strip() for option in tokenizer.split(";")} - {"", "none"}
    if options - {"presegmented"}:
        raise RequestError(400, "Cannot construct a tokenizer instance: of its options only 'presegmented' is there.")
    return "lines" if options else "text"


def _require_conllu(where: str, format: str, remedy: str) -> None:
    if format in OTHERS:
        raise RequestError(400, f"{where} format '{format}' is not there; {remedy}.")
    if format not in CONLLU:
        raise RequestError(400, f"Unknown {where.lower()} format '{format[:80]}'.")
