"""spaCy as a command: ``train`` a pipeline for tokens without tags, or ``parse`` the tokens of a file.

The pipeline is that of ``spacy init config`` for processors (tagger, morphologizer, lemmatizer, parser; no vectors). It
is trained until spaCy itself stops.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import conllu

PIPELINE = "tagger,morphologizer,trainable_lemmatizer,parser"
SENTENCES = 10
"""Sentences of a document of the training data, as in the documentation of spaCy."""


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spacy_pipeline", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for command, *names in (("train", "train", "dev", "model"), ("parse", "model", "input", "output")):
        added = commands.add_parser(command)
        for name in names:
            added.add_argument(name, type=Path)
    asked = parser.parse_args()
    if asked.command == "train":
        train(asked.train, asked.dev, asked.model)
    else:
        parse(asked.model, asked.input, asked.output)


def train(train: Path, dev: Path, model: Path) -> None:
    """Train a pipeline; of its states spaCy keeps the best by ``dev``."""
    with tempfile.TemporaryDirectory() as folder:
        config, paths = f"{folder}/config.cfg", []
        for name, treebank in (("train", train), ("dev", dev)):
            _spacy("convert", treebank, folder, "--n-sents", SENTENCES, "--converter", "conllu")
            paths += [f"--paths.{name}", f"{folder}/{treebank.stem}.spacy"]
        _spacy("init", "config", config, "--lang", "xx", "--pipeline", PIPELINE)
        _spacy("train", config, *paths, "--output", folder)
        Path(folder, "model-best").rename(model)


def parse(model: Path, input: Path, output: Path) -> None:
    """Parse the sentences of a CoNLL-U file by their tokens alone."""
    spacy: Any = importlib.import_module("spacy")
    nlp = spacy.load(model)
    sentences = conllu.parse(input.read_text("utf-8"))
    for doc, sentence in nlp.pipe(_documents(spacy, nlp.vocab, sentences), as_tuples=True):
        words = [word for word in sentence if isinstance(word["id"], int)]
        for word, token in zip(words, doc, strict=True):
            word["head"] = 0 if token.head.i == token.i else token.head.i + 1
            word["deprel"] = token.dep_.lower() if token.dep_ == "ROOT" else token.dep_
    output.write_text("".join(sentence.serialize() for sentence in sentences), "utf-8")


def _documents(spacy: Any, vocabulary: Any, sentences: list[Any]) -> Iterator[tuple[Any, Any]]:
    for sentence in sentences:
        forms = [word["form"] for word in sentence if isinstance(word["id"], int)]
        yield spacy.tokens.Doc(vocabulary, forms, sent_starts=[True, *[False] * (len(forms) - 1)]), sentence


def _spacy(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "spacy", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
