"""Counts tokens exactly, as o200k does (GPT-4o and later); any callable from text to int may stand in for it.

In: text. Out: a count. The vocabulary takes over a second to load, so it is loaded at the first count, which happens when
something is written: recall only adds up counts that were stored then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

Counter = Callable[[str], int]
_LONGEST = 100_000  # characters; the encoder refuses texts above some hundred thousand


@cache
def _encoding() -> Any:
    return import_module("bpe_openai").get_encoding("o200k_base")


def count(text: str) -> int:
    """Tokens of `text` in o200k. Text is always data here: special token names count as the characters they are."""
    total = start = 0
    while len(text) - start > _LONGEST:
        # Cut before a space, where no token crosses; a text without any is cut where it may be a token too many.
        cut = text.rfind(" ", start + 1, start + _LONGEST)
        cut = cut if cut > 0 else start + _LONGEST
        total += len(_encoding().encode_ordinary(text[start:cut]))
        start = cut
    return total + len(_encoding().encode_ordinary(text[start:]))
