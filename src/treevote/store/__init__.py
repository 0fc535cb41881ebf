"""A model on disk: data, never code."""
