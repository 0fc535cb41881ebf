"""Word vectors, from files of word2vec, fastText and GloVe."""
