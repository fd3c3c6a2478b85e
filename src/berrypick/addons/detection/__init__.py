"""Results matched with targets as detection does it: average precision, and the best intersection over union."""
