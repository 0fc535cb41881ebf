"""Studies: the tables of the founding papers, repeated on any treebank and written beside the paper's figures."""
