"""How memories are made shorter without lying: summaries, shortening, judging, verifying. Pure: no store, no clock, no model."""
