"""UDPipe 1 as a command: ``train`` a parser, or ``parse`` a file with tokens, and with tags if it has no tagger.

``ufal.udpipe`` (Straka & Straková 2017) trains and parses in process. Its own parser options are those of
``--options``; the default is all of its defaults.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

METHOD = "morphodita_parsito"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.udpipe", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    train_parser = commands.add_parser("train")
    train_parser.add_argument("train", type=Path)
    train_parser.add_argument("dev", type=Path)
    train_parser.add_argument("model", type=Path)
    train_parser.add_argument("--options", default="", help="of its parser, for example iterations=1")
    train_parser.add_argument("--tagger", action="store_true", help="train its tagger, too; then it parses tokens")
    parse_parser = commands.add_parser("parse")
    parse_parser.add_argument("model", type=Path)
    parse_parser.add_argument("input", type=Path)
    parse_parser.add_argument("output", type=Path)
    asked = parser.parse_args()
    if asked.command == "train":
        train(asked.train, asked.dev, asked.model, asked.options, tagger=asked.tagger)
    else:
        parse(asked.model, asked.input, asked.output)


def train(train: Path, dev: Path, model: Path, options: str, *, tagger: bool) -> None:
    """Train a parser, and a tagger if wanted; of the passes over the training data the best by ``dev`` is kept."""
    udpipe = _udpipe()
    fault = udpipe.ProcessingError()
    texts = [_sentences(udpipe, path.read_text("utf-8")) for path in (train, dev)]
    none, default = udpipe.Trainer.NONE, udpipe.Trainer.DEFAULT
    with _quiet():
        made = udpipe.Trainer.train(METHOD, *texts, none, default if tagger else none, options or default, fault)
    _check(fault)
    model.write_bytes(made)


def parse(model: Path, input: Path, output: Path) -> None:
    """Parse a CoNLL-U file with its own tokens, and its own tags if the model has no tagger."""
    udpipe = _udpipe()
    fault = udpipe.ProcessingError()
    loaded = udpipe.Model.load(str(model))
    if loaded is None:
        sys.exit(f"{model}: not a model of UDPipe 1")
    default = udpipe.Pipeline.DEFAULT
    has_tagger = loaded.tag(udpipe.Sentence(), loaded.DEFAULT, udpipe.ProcessingError())
    tags = default if has_tagger else udpipe.Pipeline.NONE
    pipeline = udpipe.Pipeline(loaded, "conllu", tags, default, "conllu")
    parsed = pipeline.process(input.read_text("utf-8"), fault)
    _check(fault)
    output.write_text(parsed, "utf-8")


def _udpipe() -> Any:
    """Return the library, which knows no types."""
    return importlib.import_module("ufal.udpipe")


def _sentences(udpipe: Any, text: str) -> list[Any]:
    fault, reader, sentences = udpipe.ProcessingError(), udpipe.InputFormat.newConlluInputFormat(), []
    reader.setText(text)
    while reader.nextSentence(sentence := udpipe.Sentence(), fault):
        sentences.append(sentence)
    _check(fault)
    return sentences


def _check(fault: Any) -> None:
    if fault.occurred():
        sys.exit(f"UDPipe: {fault.message}")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence standard error, to which UDPipe writes each pass."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


if __name__ == "__main__":
    main()
