"""From a question to a context: gate, understand, propose, fuse, select, compress. Stages with one signature."""
