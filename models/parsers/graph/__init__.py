"""Graph-based parsers: arcs scored one by one or in pairs, and the best tree found by a decoder."""
