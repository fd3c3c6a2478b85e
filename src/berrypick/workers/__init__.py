"""Worker processes and threads, and their progress."""
