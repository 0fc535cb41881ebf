"""Learning: features, learners and word clusters."""
