"""Models and finished steps on disk: data, never code."""
