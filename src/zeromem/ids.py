"""The shapes of names: opaque ids of events, cards and contexts; and the grammar of pointers such as `coffee2`.

In: a letter and microseconds since 1970; words and pointers. Out: 27 characters that sort by time, so that indexes grow at their
end, and cannot be guessed; whether a word may be a handle, and a pointer's word and number. Whoever makes a pointer, keeps one
or takes one in asks here.
"""

from __future__ import annotations

import os
import unicodedata

from zeromem.errors import InvalidInput

MOST_NUMBER = 999_999  # so that a handle has its most tokens, see `encode/pointers.py`
_MOST_LETTERS = 16
_END = 16**14  # the first microsecond of the year 4253 that has no room in an id


def new_id(letter: str, now: int) -> str:
    """Raises InvalidInput for a time whose ids would not sort behind the others."""
    if now >= _END:
        raise InvalidInput("the clock is past the year 4253, which is the last that an id can hold; set it right")
    return f"{letter}{max(0, now):014x}{os.urandom(6).hex()}"


def is_stem(word: str) -> bool:
    """Whether a word may be a pointer without a number: 1 to 16 letters of any script, as `pointer_name` would write them.

    Letters only: a pointer can neither leave its brackets in a prompt nor look like another.
    """
    return word.isalpha() and len(word) <= _MOST_LETTERS and unicodedata.normalize("NFKC", word).casefold() == word


def split_pointer(pointer: str) -> tuple[str, int] | None:
    """`coffee2` is stem `coffee`, number 2; `coffee` is number 1. None for what is never made (`coffee1`, `coffee02`, `a b`)."""
    stem = pointer.rstrip("0123456789")
    digits = pointer[len(stem) :]
    number = int(digits) if 0 < len(digits) <= len(str(MOST_NUMBER)) else 1
    return (stem, number) if is_stem(stem) and stem + (str(number) if number > 1 else "") == pointer else None
