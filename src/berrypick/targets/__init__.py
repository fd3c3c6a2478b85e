"""What is relevant for whom: targets, gains, idealism, places."""
