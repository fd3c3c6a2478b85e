"""What reads and writes bytes, lines, JSON, tables and XML for the formats."""
