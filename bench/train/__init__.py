"""Makes the numbers that ship in `src/zeromem/weights/`: `python -m bench train` reproduces them from the MIT and Apache sets."""
