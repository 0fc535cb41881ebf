"""A tagger: parts of speech and morphological features for texts that have none."""
