"""Messages that ask not to be remembered: "don't remember this", 别记下来.

In: a message. Out: whether it asks that, and whether it says nothing else, so that it means what was said right before it. The words stand
in the tables `rules/*/policy.toml`. In doubt it asks nothing: a memory too many can be deleted, one that was not made is missed.
"""

from __future__ import annotations

from functools import lru_cache

from zeromem.encode.plain import plain
from zeromem.rules import words_of_policy
from zeromem.text.noise import silent
from zeromem.text.words import content, terms

_ENDS = 4000  # characters at either end of a message that are looked at


@lru_cache(64)
def unwanted(text: str) -> bool:
    """Whether a message asks not to be remembered."""
    return words_of_policy("unwanted").search(_read(text)) is not None


def retracts(text: str) -> bool:
    """Whether a message says nothing else than that: then it means what was said before it."""
    read = _read(text)
    match = words_of_policy("unwanted").search(read)
    if match is None:
        return False
    rest = words_of_policy("last").sub(" ", read[: match.start()] + " " + read[match.end() :])
    return not content(terms(rest)) or silent(rest) is not None


def _read(text: str) -> str:
    return plain(text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}")
