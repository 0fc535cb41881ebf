"""``treevote text``: the plain text of a treebank."""

from __future__ import annotations

import os
from dataclasses import dataclass

from treevote.commands.parse import name_of
from treevote.conll.plain_text import PlainText, text_of
from treevote.errors import InputError
from treevote.files.streams import writing


@dataclass(frozen=True, slots=True)
class TextSummary:
    """Result of `write_text`.

    Attributes
    ----------
    sentences : int
        Number of sentences.
    different : int
        Number of sentences whose comment ``# text`` says something else than their tokens.
    first_different : str
        The first of them: its ``sent_id``, else its number.
    """

    sentences: int
    different: int = 0
    first_different: str = ""


def write_text(
    source: str | os.PathLike[str], output: str | os.PathLike[str] = "-", *, lines: bool = False
) -> TextSummary:
    """Write the text of a CoNLL-U file; of one that `parse` made of running text, that text byte for byte.

    Parameters
    ----------
    source : path or "-"
    output : path or "-"
        Written whole or not at all.
    lines : bool, default=False
        Whether each sentence is on a line of its own.

    Raises
    ------
    InputError
        If the file has a fault or no sentence, or a file cannot be read or written.
    """
    text = PlainText(lines)
    size = 0
    with writing(output) as stream:
        for part in text_of(source, text):
            stream.write(part)
            size += len(part)
        if not text.sentences and not size:
            problem = "expected sentences, found none"
            raise InputError(problem, path=name_of(source), remedy="give a file with sentences")
    return TextSummary(text.sentences, text.different, text.first_different)
