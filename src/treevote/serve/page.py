"""The files of the page: they are read at the start, and no path of a request leads to a file."""

from __future__ import annotations

from importlib.resources import files as resources

from treevote.drawing.svg import COLOURS, STYLE
from treevote.serve.answers import Answer

FILES = {"": "page.html", "page.js": "page.js", "page.css": "page.css"}
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


def files() -> dict[str, Answer]:
    """Return the files by their paths; the style sheet begins with that of the drawings."""
    folder = resources("treevote.serve") / "files"
    found = {path: (folder / name).read_bytes() for path, name in FILES.items()}
    dark = f"@media (prefers-color-scheme: dark) {{:root{{{COLOURS['dark']}}}}}"
    found["page.css"] = f":root{{{COLOURS['light']}}}\n{dark}\n{STYLE}\n".encode() + found["page.css"]
    types = {path: TYPES[name.rpartition(".")[2]] for path, name in FILES.items()}
    return {path: Answer(content, f"{types[path]}; charset=utf-8") for path, content in found.items()}
