"""The second stage of parsers that find heads first: a label for every arc."""
