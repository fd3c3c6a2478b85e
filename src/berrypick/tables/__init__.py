"""Values as text: tables for the terminal, LaTeX, Markdown, CSV, TSV and JSON."""
