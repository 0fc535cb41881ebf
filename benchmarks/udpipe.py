"""UDPipe 1 as a command: ``train`` a parser on gold tags, or ``parse`` a tokenised and tagged file.

With ``--from-text`` it trains a tokenizer and a tagger, too, and parses running text.

``ufal.udpipe`` (Straka & Straková 2017) trains and parses in process. Its own parser options are those of
``--options``; the default is all of its defaults.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ufal import udpipe

METHOD = "morphodita_parsito"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.udpipe", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, files in (("train", ("train", "dev", "model")), ("parse", ("model", "input", "output"))):
        command = commands.add_parser(name)
        for file in files:
            command.add_argument(file, type=Path)
        command.add_argument("--from-text", action="store_true", help="with tokenizer and tagger")
    commands.choices["train"].add_argument("--options", default="", help="of its parser, for example iterations=1")
    asked = parser.parse_args()
    if asked.command == "train":
        train(asked.train, asked.dev, asked.model, asked.options, asked.from_text)
    else:
        parse(asked.model, asked.input, asked.output, asked.from_text)


def train(train: Path, dev: Path, model: Path, options: str, from_text: bool) -> None:
    """Train a parser, alone or with tokenizer and tagger; the network of the best pass, by ``dev``, is kept."""
    fault, default = udpipe.ProcessingError(), udpipe.Trainer.DEFAULT
    texts = [_sentences(path.read_text("utf-8")) for path in (train, dev)]
    others = default if from_text else udpipe.Trainer.NONE
    with _quiet():
        made = udpipe.Trainer.train(METHOD, *texts, others, others, options or default, fault)
    _check(fault)
    model.write_bytes(made)


def parse(model: Path, input: Path, output: Path, from_text: bool) -> None:
    """Parse a CoNLL-U file with its own tokens and tags, or running text."""
    fault, default = udpipe.ProcessingError(), udpipe.Pipeline.DEFAULT
    loaded = udpipe.Model.load(str(model))
    if loaded is None:
        sys.exit(f"{model}: not a model of UDPipe 1")
    how = ("tokenize", default) if from_text else ("conllu", udpipe.Pipeline.NONE)
    pipeline = udpipe.Pipeline(loaded, *how, default, "conllu")
    parsed = pipeline.process(input.read_text("utf-8"), fault)
    _check(fault)
    output.write_text(parsed, "utf-8")


def _sentences(text: str) -> list[Any]:
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
