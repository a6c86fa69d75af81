"""Benchmarks beside the code: public data sets in, one JSON object out. Run `python -m bench --help`."""
