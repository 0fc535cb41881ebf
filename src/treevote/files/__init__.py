"""Files as bytes: read, written whole or not at all, exchanged."""
