"""What a scope's cards look like in memory, and how candidates are found in it."""
