"""An evaluation as a value: options, inputs, measures, scores, results."""
