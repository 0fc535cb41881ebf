"""The files of the page: they are read at the start, and no path of a request leads to a file."""

from __future__ import annotations

from importlib.resources import files as resources

from treevote.drawing.svg import COLOURS, STYLE
from treevote.serve.answers import Answer

NAMES = ("page.html", "page.css", "page.js", "elements.js", "requests.js", "sentences.js", "trees.js", "words.js")
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


def files() -> dict[str, Answer]:
    """Return the files by their paths; the style sheet begins with that of the drawings."""
    folder = resources("treevote.serve") / "files"
    found = {name: (folder / name).read_bytes() for name in NAMES}
    dark = f"@media (prefers-color-scheme: dark) {{:root{{{COLOURS['dark']}}}}}"
    found["page.css"] = f":root{{{COLOURS['light']}}}\n{dark}\n{STYLE}\n".encode() + found["page.css"]
    types = {name: f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8" for name in NAMES}
    return {"" if name == "page.html" else name: Answer(content, types[name]) for name, content in found.items()}
