"""Libraries of single features: extras of the installation, imported when the feature is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treevote.errors import ConfigError


@contextmanager
def extra(name: str, need: str) -> Iterator[None]:
    """Import the library of an extra, as ``pyproject.toml`` names it, in the block; ConfigError if that fails."""
    try:
        yield
    except ImportError as error:
        raise ConfigError(f"{need}, which cannot be loaded ({error}); pip install 'treevote[{name}]'") from None
