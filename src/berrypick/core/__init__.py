"""Values only: runs, truths, targets, reach, the judged ranking, results. Imports nothing else of berrypick."""
