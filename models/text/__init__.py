"""Text: words, tags and lemmas of raw text."""
