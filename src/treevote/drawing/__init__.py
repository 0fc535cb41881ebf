"""Drawings of dependency trees: for a terminal as text, for a page as SVG; one tree, or a gold tree and a system's."""
