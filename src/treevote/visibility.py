"""Text of a treebank or model, harmless wherever it is shown.

Text that would move the cursor of a terminal, turn the direction of writing, or be a formula in a spreadsheet, is made
visible.
"""

from __future__ import annotations

import json
import re
import unicodedata

INVISIBLE = ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp")
"""Unicode categories without a visible form, or without a representation in XML."""

JOINERS = "\u200c\u200d"
"""Invisible, but letters depend on them."""


def visible(text: str) -> str:
    r"""Return a text with a sign in place of each control character, and without invisible formatting.

    >>> visible("a\x1b[31mb\u202ec\nd")
    'a␛[31mbc␊d'
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_visible, text))


def visible_lines(text: str) -> str:
    """Return several lines, each as `visible` does."""
    return "\n".join(map(visible, text.split("\n")))


def as_json(value: object, *, width: int) -> str:
    r"""Return JSON for people and programs: letters of all scripts unchanged, invisible characters as ``\uXXXX``.

    An object or a list without another in it is one line if that is at most ``width`` characters long.
    """
    return re.sub(r"[^\n -~]", lambda found: _escaped(found[0]), _lines(value, width, ""))


def _lines(value: object, width: int, indent: str) -> str:
    items = list(value.values() if isinstance(value, dict) else value) if isinstance(value, (dict, list, tuple)) else []
    flat = json.dumps(value, ensure_ascii=False)
    if not items or (len(flat) <= width and not any(isinstance(item, (dict, list, tuple)) for item in items)):
        return flat
    more = f"{indent}  "
    inner = [_lines(item, width, more) for item in items]
    if isinstance(value, dict):
        keys = (json.dumps(str(key), ensure_ascii=False) for key in value)
        inner = [f"{key}: {item}" for key, item in zip(keys, inner, strict=True)]
    start, end = "{}" if isinstance(value, dict) else "[]"
    return f"{start}\n{more}" + f",\n{more}".join(inner) + f"\n{indent}{end}"


def as_cell(value: object) -> object:
    """Return a value as a spreadsheet should get it: text that would be a formula gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    return ("'" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else "") + visible(value)


def _visible(character: str) -> str:
    if _is_visible(character):
        return character
    if character < " ":
        return chr(0x2400 + ord(character))  # its picture
    return "" if unicodedata.category(character) == "Cf" else "\ufffd"


def _escaped(character: str) -> str:
    if _is_visible(character):
        return character
    return re.sub("(....)", r"\\u\1", character.encode("utf-16-be", "surrogatepass").hex())


def _is_visible(character: str) -> bool:
    return character in JOINERS or unicodedata.category(character) not in INVISIBLE


def printable(text: str) -> str:
    """Return a text with escapes for bytes of file names that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()
