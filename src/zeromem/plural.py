"""Numbers with their nouns: `1 card`, `2 cards`, `1,204 memories`. In: a count and the noun. Out: both as text."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """The count with thousands marked, and the noun in the plural where it is not one."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"
