"""Word clusters from raw text: a tree over the words, from how often each follows each."""
