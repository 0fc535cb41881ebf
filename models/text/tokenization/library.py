"""Loading a tokenizer of ufal.udpipe, and splitting a text."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from treevote.errors import ModelError
from treevote.extras import extra


class Token(NamedTuple):
    """A token, as ``text[start:end]``, and the words of a multiword token; none if it is one word."""

    start: int
    end: int
    words: tuple[str, ...] = ()


def library() -> Any:
    """Return ufal.udpipe, which knows no types; ConfigError if it cannot be imported."""
    with extra("text", "raw text needs ufal.udpipe"):
        import ufal.udpipe
    return ufal.udpipe


class Splitter:
    """A loaded tokenizer of UDPipe 1; ModelError if the library refuses its bytes.

    They are checked by `treevote.models.text.tokenization.model_file` before: the library trusts what it loads.
    """

    def __init__(self, data: bytes) -> None:
        self._library = library()
        with tempfile.TemporaryDirectory(prefix="treevote-") as folder:  # it reads files alone
            path = Path(folder, "tokenizer")
            path.write_bytes(data)
            self._model = self._library.Model.load(str(path))
        if self._model is None or self._model.newTokenizer("ranges") is None:
            raise ModelError("the tokenizer of the model cannot be loaded by ufal.udpipe; update it: pip install -U")

    def sentences(self, text: str) -> list[list[Token]]:
        """Return the tokens of each sentence of a text as `treevote.conll.plain_text.plain` gives it."""
        tokenizer = self._model.newTokenizer("ranges")
        tokenizer.setText(text)
        fault, sentence = self._library.ProcessingError(), self._library.Sentence()
        found = []
        while tokenizer.nextSentence(sentence, fault):
            if tokens := _tokens(sentence):
                found.append(tokens)
        return found


def _tokens(sentence: Any) -> list[Token]:
    """Return the tokens of a sentence of the library; its word 0 is ROOT."""
    words, multiword = sentence.words, {token.idFirst: token for token in sentence.multiwordTokens}
    tokens, first, n_words = [], 1, len(words)
    while first < n_words:
        token = multiword.get(first, words[first])
        last = token.idLast if first in multiword else first
        forms = tuple(words[i].form or "_" for i in range(first, last + 1)) if first in multiword else ()
        tokens.append(Token(token.getTokenRangeStart(), token.getTokenRangeEnd(), forms))
        first = last + 1
    return tokens
