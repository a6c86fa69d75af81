"""Adapters to models: local CPU embedders, and scripted ones for tests."""
