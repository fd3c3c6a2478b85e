"""Pages and boxes of visual document retrieval."""
