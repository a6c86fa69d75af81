"""Messages that ask not to be remembered: "don't remember this", 别记下来.

In: a message. Out: whether it asks that, and whether it says nothing else, so that it means what was said right before it. The words stand
in the tables `rules/*/policy.toml`. In doubt it asks nothing: a memory too many can be deleted, one that was not made is missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from zeromem.encode.messages import Item
from zeromem.encode.plain import plain
from zeromem.rules import weighing
from zeromem.text.noise import silent
from zeromem.text.words import content, terms
from zeromem.types import Event

_ENDS = 4000  # characters at either end of a message that are looked at


@lru_cache(64)
def unwanted(text: str) -> bool:
    """Whether a message asks not to be remembered."""
    return weighing("unwanted", "policy").search(_read(text)) is not None


def retracts(text: str) -> bool:
    """Whether a message says nothing else than that: then it means what was said before it."""
    read = _read(text)
    match = weighing("unwanted", "policy").search(read)
    if match is None:
        return False
    rest = weighing("last", "policy").sub(" ", read[: match.start()] + " " + read[match.end() :])
    return not content(terms(rest)) or silent(rest) is not None


def meant(before: Sequence[Item | Event], asking: Item) -> int | None:
    """The place of the message that such a request means, among those before it: the last one, if the same speaker said it. An assistant's
    turn may stand between; where that asks something, the request is an answer to it."""
    place = len(before) - 1
    while place >= 0 and before[place].role == "assistant" and not before[place].text.rstrip().endswith(("?", "？")):
        place -= 1
    if place < 0:
        return None
    said = before[place]
    same = (said.kind, said.role, said.speaker) == ("message", asking.role, asking.speaker)
    return place if same else None


def _read(text: str) -> str:
    return plain(text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}")
