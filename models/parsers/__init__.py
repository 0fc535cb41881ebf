"""Parsers: families of trainers and parsers over one contract."""
