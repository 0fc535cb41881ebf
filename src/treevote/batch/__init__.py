"""Parsing of many texts: stored parsers, several texts at once, folders that can be resumed."""
