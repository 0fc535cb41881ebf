"""Tests of treevote.serve."""
