"""What is enough: measures of evidence sets and hops, and which of them were completed."""
