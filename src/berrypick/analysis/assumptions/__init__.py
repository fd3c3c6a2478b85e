"""What a comparison rests on besides the data."""
