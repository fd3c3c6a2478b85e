"""Options, preparation, scoring, signatures, notes, protocols."""
