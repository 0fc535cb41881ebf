"""JSON answers of commands: schema and version first, then what made them, then the results.

A change that a program must know of, such as a key that has another meaning or is gone, gives the schema another
version; new keys do not.
"""

from __future__ import annotations

from collections.abc import Mapping

from treevote import visibility
from treevote.version import __version__

VERSION = 1
"""Version of all schemas."""

WIDTH = 160
"""Maximum length of a line that holds a whole object."""


def answer(schema: str, content: Mapping[str, object], command: str = "") -> str:
    """Return a JSON answer of a kind, see ``docs/commands.md``, with the command line unless it is empty."""
    import numpy as np  # not needed to import a command

    head = {
        "schema": f"treevote/{schema}",
        "schema_version": VERSION,
        **({"command": command} if command else {}),
        "versions": {"treevote": __version__, "numpy": np.__version__},  # its random numbers are those of the tests
    }
    return visibility.as_json(head | dict(content), width=WIDTH)
