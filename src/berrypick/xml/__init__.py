"""XML documents: their text as a line of characters, collections, their index, and paths resolved to offsets."""
