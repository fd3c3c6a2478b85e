"""What a person passes as a truth or a run: the names of its fields."""
