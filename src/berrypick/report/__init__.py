"""What people look at: tables, explanations."""
