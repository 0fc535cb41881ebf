"""Sentences, treebanks and trees in memory."""
