"""Running texts that are hard to cut into tokens, and the text that an output was made of."""

from __future__ import annotations

import io

from hypothesis import strategies as st

from treevote.conll.plain_text import PlainText, encoded, text_of
from treevote.conll.text_chunks import TextFormat, text_chunk
from treevote.conll.writer import dumps
from treevote.models.text.tokenization.tokenizer import Tokenizer


def tokenize(tokenizer: Tokenizer, text: str | bytes, *, format: TextFormat = "text") -> str:
    """Return a text as CoNLL-U without tags and trees."""
    return dumps(tokenizer.read(text_chunk(text if isinstance(text, bytes) else encoded(text), format=format)))


PIECES = (
    "Dogs can't bark.",
    "Dogs",
    "DOGS CAN'T",
    ".",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\n\n",
    "\n \t\n",
    "\t",
    "\x00",
    "\x0c",
    "\x1f",
    "\x85",
    "\u2028",
    "\ufeff",
    "\xa0",
    "|",
    "\\",
    "\\x41",
    "#",
    "_",
    "http://a.b/c?d=e",
    "\u200f\u05d0\u05d1",
    "\u4e2d\u6587\u3002",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a\u0301",
    "\udcff",
    "\ud800",
    "\uffff",
    "x" * 70,
)
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=40)


def rebuilt(conllu: str) -> tuple[bytes, PlainText]:
    text = PlainText()
    return b"".join(text_of(io.BytesIO(conllu.encode()), text)), text
