"""Counts tokens exactly, as o200k does (GPT-4o and later); any callable from text to int may stand in for it.

In: text. Out: a count. The vocabulary takes over a second to load, so it is loaded at the first count, which happens when
something is written: recall only adds up counts that were stored then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

Counter = Callable[[str], int]
_SIZE = 200_000  # entries of the vocabulary, about
_LONGEST = 100_000  # characters; the encoder refuses texts above some hundred thousand


@cache
def _encoding() -> Any:
    return import_module("bpe_openai").get_encoding("o200k_base")


@lru_cache(maxsize=65_536)
def rank(word: str) -> int:
    """How rare a word is: its place in the vocabulary, which was built from the most frequent on; the last place for one of many tokens.

    In running text a word opens with a space (" coffee").
    """
    tokens = _encoding().encode_ordinary(word)
    return int(tokens[0]) if len(tokens) == 1 else _SIZE


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
