"""Values: truths, runs, results, scores, collections, navigation, spans and boxes, labels, errors."""
