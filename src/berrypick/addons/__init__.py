"""Features beyond the core, a folder each. They import the core; the core finds them by entry points."""
