"""The best tree by the scores of its arcs, and the long sentences whose trees are found in pieces."""
