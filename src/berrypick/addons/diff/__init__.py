"""What changed between two saved evaluations, topic by topic."""
