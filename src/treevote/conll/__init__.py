"""CoNLL-U and CoNLL-X: reading, checking, writing."""
