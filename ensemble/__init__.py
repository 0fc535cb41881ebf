"""Votes of several parsers, their weights, and the ensemble as a parser."""
