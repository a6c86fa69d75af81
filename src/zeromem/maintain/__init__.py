"""Upkeep: work that the hot path leaves behind, idempotent and resumable."""
