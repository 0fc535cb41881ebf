"""Tables of the founding papers, repeated on a treebank beside the papers' figures."""
