"""treevote: several dependency parsers, one vote, and a new domain."""

__version__ = "0.1.0"
