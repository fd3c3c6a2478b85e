"""What a comparison rests on besides the data: for which readers a run is better, and what a verdict depends on."""
