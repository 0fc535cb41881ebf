"""Parsers, what they learn with, and what makes words of a text."""
