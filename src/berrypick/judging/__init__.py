"""One topic judged: its targets, the ranking, and what a reader of it sees."""
