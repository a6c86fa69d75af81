"""Chinese rules: tables of words and patterns with examples."""
