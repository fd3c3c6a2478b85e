"""Features beyond the core, each in a folder of its own: they import the core, which does not import them."""
