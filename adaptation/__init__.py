"""Domain adaptation: sentences of an unlabelled domain on which different parsers agree join the training data."""
