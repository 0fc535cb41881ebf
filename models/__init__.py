"""Parsers, one folder a family, and the learners they share."""
