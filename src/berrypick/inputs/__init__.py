"""What a person passes as truth or runs: files, data frames, records, dictionaries, objects, hits."""
