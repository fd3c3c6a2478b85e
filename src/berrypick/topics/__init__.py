"""One judged topic: targets, ranking, reach, effort, evidence sets."""
