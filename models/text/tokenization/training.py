"""Training of the tokenizer of UDPipe 1 on the text of a treebank, in another process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from treevote.conll.writer import lines_of
from treevote.corpus.source import is_new_paragraph, new_document
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError, TreevoteError, extra
from treevote.models.text.tokenization import child
from treevote.parallel import Jobs

# Minimum share of tokens of punctuation alone in a treebank of which no token says that no space follows: then the
# treebank does not tell where spaces are. Of 22 UD treebanks, those that tell have 0.04 or more, Gothic has none.
NO_SPACES = 0.01

_EPOCH = re.compile(r"Epoch ([0-9]+),")


def require_library() -> None:
    """Raise a ConfigError if ufal.udpipe, which trains, cannot be imported."""
    with extra("text", "the training of a tokenizer needs ufal.udpipe"):
        import ufal.udpipe  # noqa: F401


@contextmanager
def training(train: Treebank, dev: Treebank | None, options: Mapping[str, Any]) -> Iterator[Callable[[Jobs], bytes]]:
    """Start the training; the process ends with the block. Yield a function that waits for the model of the library.

    The pass with the best tokens and sentences on ``dev`` is kept, without it the last one. ``options`` are those of
    the library. The progress is told after each pass. InputError if the treebank does not tell where spaces are, or is
    too small; ConfigError if there is no library; TreevoteError if the process ends without a result.
    """
    require_library()
    texts = ["".join(_blocks(train)), "" if dev is None else "".join(_blocks(dev))]
    _require_spaces(train, texts[0])
    with tempfile.TemporaryDirectory(prefix="treevote-") as folder:
        paths = [os.path.join(folder, name) for name in ("train", "dev", "model")]
        try:
            for path, text in zip(paths, texts, strict=False):
                Path(path).write_text(text, "utf-8", newline="\n")
        except OSError as error:
            problem = f"{folder}: cannot write the text for the tokenizer ({error.strerror})"
            raise TreevoteError(f"{problem}; set TMPDIR to a folder with more space") from error
        joined = ";".join(f"{name}={value}" for name, value in options.items())
        command = [sys.executable, str(child.__file__), *paths, joined]
        nothing = subprocess.DEVNULL
        with subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield lambda jobs: _result(process, Path(paths[2]), train.title, options["epochs"], jobs)
            finally:
                process.kill()


def _result(process: subprocess.Popen[str], model: Path, title: str, epochs: int, jobs: Jobs) -> bytes:
    """Tell the progress of a process until its end, and return its model."""
    said = ""
    assert process.stderr is not None, "a pipe"
    for line in process.stderr:
        if found := _EPOCH.match(line):
            jobs.tell("tokenizer", int(found[1]), epochs)
        else:
            said += line
    process.wait()
    problem = Path(f"{model}.fault")
    if problem.exists():
        raise InputError(
            f"a tokenizer cannot be trained: {problem.read_text('utf-8')}",
            path=title,
            remedy="give more sentences, or train without --from-text",
        )
    if process.returncode or not model.exists():
        *_, last = "", *said.splitlines()
        raise TreevoteError(f"the training of the tokenizer ended without a result: {last[-400:]}")
    return model.read_bytes()


def _blocks(treebank: Treebank) -> Iterator[str]:
    """Yield the sentences in CoNLL-U: forms, paragraphs and the spaces between tokens, and nothing else."""
    source = treebank.source
    lines = lines_of(treebank)[0] if source is None else source.lines
    has_spaces = source is None or source.format == "conllu"
    block: list[str] = []
    has_tokens = False
    for line in (*lines, ""):
        bare = line.strip("\ufeff\r")
        columns = bare.split("\t")
        if not bare.strip():
            if has_tokens:
                yield "\n".join([*block, "", ""])
                block, has_tokens = [], False
        elif is_new_paragraph([bare]):
            block.append("# newpar" if new_document([bare]) is None else "# newdoc")
        elif not bare.startswith("#") and "." not in columns[0] and len(columns) == 10:
            together = has_spaces and "SpaceAfter=No" in columns[9].split("|")
            form = columns[1].encode("utf-8", "replace").decode().replace("\0", "\ufffd")
            block.append(f"{columns[0]}\t{form}" + "\t_" * 7 + f"\t{'SpaceAfter=No' if together else '_'}")
            has_tokens = True


def _require_spaces(treebank: Treebank, text: str) -> None:
    """Refuse a treebank that does not tell where spaces are."""
    if "SpaceAfter=No" in text or not treebank.n_tokens:
        return
    marks = [all(unicodedata.category(letter)[0] == "P" for letter in word.form) for word in treebank.words]
    number = sum(marks[word] for word in treebank.tokens[treebank.is_token].tolist())
    if number >= NO_SPACES * treebank.n_tokens:
        raise InputError(
            f"expected SpaceAfter=No in MISC where no space follows a token, found none, and {number:,} tokens are "
            "punctuation: a tokenizer would never split it off",
            path=treebank.title,
            remedy="take a release of the treebank with SpaceAfter, or train without --from-text",
        )
