"""The bridge to the conllu package, which is imported only when it is asked for: sentences as ``conllu.TokenList``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treevote.conll.writer import dumps, lines_of
from treevote.corpus.source import BLANK, BOM
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError

if TYPE_CHECKING:
    from conllu import TokenList


def to_tokenlists(treebank: Treebank) -> list[TokenList]:
    """Return the sentences as ``conllu.TokenList``, with their ranges, empty nodes and comments.

    Every token serialises to its line: a column that the package could not write back as it was stays a
    string. Its metadata has no place for comments without a value, nor for all but the last of one key.

    Parameters
    ----------
    treebank : Treebank
        With or without source; the trees are those it has now.

    Examples
    --------
    >>> to_tokenlists(Treebank.of([(["dogs"], [0], ["root"])]))
    [TokenList<dogs>]
    """
    from conllu import Metadata, Token, TokenList
    from conllu.exceptions import ParseException
    from conllu.parser import DEFAULT_FIELD_PARSERS, DEFAULT_FIELDS, parse_comment_line
    from conllu.serializer import serialize_field

    def value(field: str, column: str) -> object:
        try:
            found = DEFAULT_FIELD_PARSERS[field]([column], 0)
        except (KeyError, ParseException):
            return column
        return found if serialize_field(found) == column else column

    lines = dumps(treebank).removeprefix(BOM.decode()).split("\n")
    tokenlists = []
    for first in lines_of(treebank)[1][treebank.offsets[:-1]].tolist():
        tokens, metadata = [], Metadata()
        below = map(lines.__getitem__, range(first, len(lines)))
        for line in itertools.takewhile(lambda line: line.strip(BLANK), below):
            if line.startswith("#"):
                metadata.update(parse_comment_line(line))
            else:
                columns = zip(DEFAULT_FIELDS, line.rstrip("\r").split("\t"), strict=True)
                tokens.append(Token((field, value(field, column)) for field, column in columns))
        tokenlists.append(TokenList(tokens, metadata, DEFAULT_FIELDS))
    return tokenlists


def serialize(sentences: Sequence[TokenList]) -> bytes:
    """Return the text of sentences of the conllu package; InputError when the package cannot write one of them."""
    try:
        return "".join(sentence.serialize() for sentence in sentences).encode()
    except Exception as error:  # the package raises whatever it runs into
        problem = f"expected a list of conllu.TokenList, found one that conllu cannot serialise ({error})"
        remedy = "give a path, a binary file, or sentences as conllu.parse makes them"
        raise InputError(problem, remedy=remedy) from error
