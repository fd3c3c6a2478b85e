"""Words, places and pictures of pages."""
