"""The report as an HTML page: `berrypick report`."""
