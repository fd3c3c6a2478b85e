"""Files of traces, samples and client responses as runs."""
