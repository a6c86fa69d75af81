"""Learned numbers, as JSON; `recall/weights.py` loads them."""
