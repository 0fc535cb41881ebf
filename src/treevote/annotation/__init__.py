"""The loop of an annotator: errors of a treebank, and the sentences to annotate next."""
