"""The only module that calls ufal.udpipe: loading a tokenizer, and splitting a text."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any, NamedTuple

from treevote.errors import ModelError
from treevote.extras import extra


class Token(NamedTuple):
    """A token, as ``text[start:end]``, and the words of a multiword token; none if it is one word."""

    start: int
    end: int
    words: tuple[str, ...] = ()


_RANGE = re.compile(r"TokenRange=([0-9]+):([0-9]+)")


def library() -> Any:
    """Return ufal.udpipe, which knows no types.

    Raises
    ------
    ConfigError
        If it cannot be imported.
    """
    with extra("text", "raw text needs ufal.udpipe"):
        import ufal.udpipe
    return ufal.udpipe


class Splitter:
    """A loaded tokenizer.

    Parameters
    ----------
    data : bytes
        A model of UDPipe 1, checked by `treevote.models.tokenization.model_file`: the library trusts what it loads.

    Raises
    ------
    ModelError
        If the library refuses the model.
    ConfigError
        If there is no library.
    """

    def __init__(self, data: bytes) -> None:
        self._library = library()
        with tempfile.TemporaryDirectory(prefix="treevote-") as folder:  # it reads files alone
            path = os.path.join(folder, "tokenizer")
            with open(path, "wb") as file:
                file.write(data)
            self._model = self._library.Model.load(path)
        if self._model is None or self._model.newTokenizer("ranges") is None:
            raise ModelError("the tokenizer of the model cannot be loaded by ufal.udpipe; update it: pip install -U")

    def sentences(self, text: str) -> list[list[Token]]:
        """Return the tokens of each sentence.

        Parameters
        ----------
        text : str
            Without zero characters and half surrogates, see `treevote.conll.plain_text.plain`.
        """
        tokenizer, written = self._model.newTokenizer("ranges"), self._library.OutputFormat.newConlluOutputFormat()
        tokenizer.setText(text)
        fault, sentence = self._library.ProcessingError(), self._library.Sentence()
        found = []
        while tokenizer.nextSentence(sentence, fault):
            if tokens := _tokens(written.writeSentence(sentence)):
                found.append(tokens)
        return found


def _tokens(text: str) -> list[Token]:
    """Return the tokens of a sentence in CoNLL-U with ranges."""
    tokens: list[Token] = []
    words: list[str] = []  # that are still to come in a multiword token
    missing = 0
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        number, form, *_, misc = line.split("\t")
        if missing:
            words.append(form or "_")
            missing -= 1
            if not missing:
                tokens[-1] = tokens[-1]._replace(words=tuple(words))
            continue
        place = _RANGE.search(misc)
        assert place is not None, "the option ranges gives one to each token"
        tokens.append(Token(int(place[1]), int(place[2])))
        first, dash, last = number.partition("-")
        if dash:
            words, missing = [], int(last) - int(first) + 1
    return tokens
