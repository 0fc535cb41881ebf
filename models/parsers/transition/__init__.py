"""Transition-based parsers: configurations, transition systems, templates, search."""
