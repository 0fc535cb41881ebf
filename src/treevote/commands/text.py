"""``treevote text``: the plain text of a treebank."""

from __future__ import annotations

import os

from treevote.commands.parse import name_of
from treevote.conll.plain_text import PlainText, text_of
from treevote.errors import InputError
from treevote.files.streams import writing


def write_text(source: str | os.PathLike[str], output: str | os.PathLike[str], *, lines: bool) -> PlainText:
    """Write the text of a CoNLL-U file; of one that `parse` made of running text, that text byte for byte."""
    text = PlainText(lines)
    size = 0
    with writing(output) as stream:
        for part in text_of(source, text):
            stream.write(part)
            size += len(part)
        if not text.sentences and not size:
            raise InputError(
                "expected sentences, found none", path=name_of(source), remedy="give a file with sentences"
            )
    return text
