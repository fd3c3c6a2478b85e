"""Whatever a person passes as a truth or as runs: files, values, data frames, records, dictionaries, traces."""
