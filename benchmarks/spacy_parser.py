"""spaCy as a command: ``train`` a pipeline for a processor without GPU, or ``parse`` the tokens of a file with it.

The configuration is that of ``spacy init config --optimize efficiency``: no word vectors, an early stop by the
development data. The pipeline sees tokens alone; it predicts tags, features, lemmas and trees.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMPONENTS = "morphologizer,trainable_lemmatizer,parser"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spacy_parser", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, files in (("train", ("train", "dev", "model")), ("parse", ("model", "input", "output"))):
        command = commands.add_parser(name)
        for file in files:
            command.add_argument(file, type=Path)
    training = commands.choices["train"]
    training.add_argument("--language", default="xx", help="code of the language (default xx: any)")
    training.add_argument("--seconds", type=int, default=0, help="of the processor, at most (default: no limit)")
    asked = parser.parse_args()
    if asked.command == "train":
        train(asked.train, asked.dev, asked.model, asked.language, asked.seconds)
    else:
        parse(asked.model, asked.input, asked.output)


def train(train: Path, dev: Path, model: Path, language: str, seconds: int) -> None:
    """Train a pipeline to its early stop or a limit; the best one until then stays, ``model-best`` in the folder."""
    model.mkdir(parents=True, exist_ok=True)
    _spacy("init", "config", model / "config.cfg", "--lang", language, "--pipeline", COMPONENTS, "--force")
    for file in (train, dev):
        _spacy("convert", file, model, "--converter", "conllu", "--n-sents", "10")
    paths = [f"--paths.{name}={model / file.stem}.spacy" for name, file in (("train", train), ("dev", dev))]
    _spacy("train", model / "config.cfg", "--output", model, *paths, seconds=seconds)
    shutil.rmtree(model / "model-last", ignore_errors=True)
    for file in model.glob("*.spacy"):
        file.unlink()


def parse(model: Path, input: Path, output: Path) -> None:
    """Write HEAD and DEPREL of a CoNLL-U file; sentences are those of the file."""
    import spacy  # slow, and a command of its own trains
    from spacy.tokens import Doc

    pipeline = spacy.load(model / "model-best")
    sentences = list(_sentences(input))
    words = [[line.split("\t")[1] for line in sentence if _is_word(line)] for sentence in sentences]
    texts = (Doc(pipeline.vocab, own, sent_starts=[True] + [False] * (len(own) - 1)) for own in words)
    with output.open("w", encoding="utf-8") as stream:
        for sentence, parsed in zip(sentences, pipeline.pipe(texts), strict=True):
            arcs = iter(parsed)
            filled = (_filled(line, next(arcs)) if _is_word(line) else line for line in sentence)
            stream.write("".join(f"{line}\n" for line in filled) + "\n")


def _filled(line: str, token: Any) -> str:
    """Return the line of a word with the head and the label of a token of spaCy; its root is its own head."""
    columns = line.split("\t")
    is_root = token.head.i == token.i
    columns[6:8] = ["0", "root"] if is_root else [str(token.head.i + 1), token.dep_]
    return "\t".join(columns)


def _is_word(line: str) -> bool:
    return line.partition("\t")[0].isdecimal()


def _sentences(file: Path) -> Iterator[list[str]]:
    for block in file.read_text("utf-8").rstrip("\n").split("\n\n"):
        yield block.split("\n")


def _spacy(*words: str | Path, seconds: int = 0) -> None:
    """Run a command of spaCy, for some processor seconds at most if they are not 0; its progress is not shown."""
    process = subprocess.Popen(
        [sys.executable, "-m", "spacy", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if seconds:
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 60))
    output = process.communicate()[0]
    if process.returncode not in (0, -signal.SIGXCPU):
        sys.exit(f"spacy {words[0]}: {output[-1000:]}")


if __name__ == "__main__":
    main()
