"""The version of treevote."""

__version__ = "0.1.0"
