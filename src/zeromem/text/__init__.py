"""Pure text tools: words, time expressions, noise, segments, atoms, tokens, rendering. No store, no clock, no model."""
