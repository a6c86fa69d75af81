"""What a chat model proposes off the hot path: read tolerantly, checked against the source, then stored or set apart."""
