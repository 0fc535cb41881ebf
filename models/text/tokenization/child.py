"""Training in a process of its own, run by path with three files and options: the library holds the interpreter lock.

Standard error gets a line after each pass, from the library itself. Needs nothing of treevote.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any


def main(train: str, dev: str, model: str, options: str) -> None:
    """Train on a file, and write a model, or the reason why there is none into its place, with another suffix."""
    import ufal.udpipe

    udpipe: Any = ufal.udpipe
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody waits for the result any more
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fault, none = udpipe.ProcessingError(), udpipe.Trainer.NONE
    texts = [_sentences(udpipe, Path(path).read_text("utf-8"), fault) for path in (train, dev)]
    made = b""
    if not fault.occurred():
        made = udpipe.Trainer.train("morphodita_parsito", *texts, options, none, none, fault)
    if fault.occurred():
        Path(model + ".fault").write_text(fault.message, "utf-8")
    else:
        try:
            Path(model).write_bytes(made)
        except OSError as error:
            sys.exit(f"cannot write {model} ({error.strerror}); set TMPDIR to a folder with more space")


def _sentences(udpipe: Any, text: str, fault: Any) -> list[Any]:
    reader, sentences = udpipe.InputFormat.newConlluInputFormat(), []
    reader.setText(text)
    while reader.nextSentence(sentence := udpipe.Sentence(), fault):
        sentences.append(sentence)
    return sentences


if __name__ == "__main__":
    main(*sys.argv[1:])
