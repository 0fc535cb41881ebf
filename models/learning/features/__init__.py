"""Shared parts of all models over features: words as numbers, features as rows, linear weights packed for parsing."""
