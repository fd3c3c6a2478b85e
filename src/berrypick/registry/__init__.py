"""Discovery of measures, user models, formats, protocols, panels and commands, ours and other packages'."""
