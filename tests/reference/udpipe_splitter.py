"""The slow twin of the splitter: the tokenizer of `ufal.udpipe` itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from treevote.models.text.tokenization.splitter import Token


def sentences(data: bytes, text: str) -> list[list[Token]]:
    """Return the tokens of each sentence, without the spaces that the library leaves around some."""
    import ufal.udpipe

    udpipe: Any = ufal.udpipe
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer")
        path.write_bytes(data)
        model = udpipe.Model.load(str(path))
    tokenizer = model.newTokenizer("ranges")
    tokenizer.setText(text)
    fault, sentence = udpipe.ProcessingError(), udpipe.Sentence()
    found = []
    while tokenizer.nextSentence(sentence, fault):
        found.append(_tokens(sentence, text))
    return [tokens for tokens in found if tokens]


def _tokens(sentence: Any, text: str) -> list[Token]:
    words, multiword = sentence.words, {token.idFirst: token for token in sentence.multiwordTokens}
    tokens, first = [], 1
    while first < len(words):
        token = multiword.get(first, words[first])
        last = token.idLast if first in multiword else first
        forms = tuple(words[i].form for i in range(first, last + 1)) if first in multiword else ()
        form = text[token.getTokenRangeStart() : token.getTokenRangeEnd()]
        start = token.getTokenRangeStart() + len(form) - len(form.lstrip())
        tokens.append(Token(start, start + len(form.strip()), forms))
        first = last + 1
    return tokens
