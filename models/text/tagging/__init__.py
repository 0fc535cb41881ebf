"""Taggers and the lemmatizer: parts of speech, features and lemmas by a vote of linear taggers."""
