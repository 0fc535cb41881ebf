"""Recurrent networks: vectors of words, letters and tags, bidirectional LSTMs, and their training by Adam."""
