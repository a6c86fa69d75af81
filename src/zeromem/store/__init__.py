"""Stores: adapters behind the `Store` port, with their SQL in `sql/`."""
