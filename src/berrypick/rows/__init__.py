"""The table of field names, and the parsers of rows for every carrier."""
