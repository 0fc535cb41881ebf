"""From a labelled domain to an unlabelled one: sentences on which different parsers agree join the training data."""
