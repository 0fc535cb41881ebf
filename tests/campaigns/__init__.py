"""Campaigns: random attacks on the whole program, for as long as they are given; see CONTRIBUTING.md."""
