"""The decision-list parser of Yuret (2006)."""
