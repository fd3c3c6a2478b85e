"""User models estimated from logs."""
