"""Domain adaptation by agreement."""
