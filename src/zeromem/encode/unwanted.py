"""Messages that ask not to be remembered ("don't remember this", 别记下来), or that take back what was said ("just kidding").

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
from zeromem.text.segment import sentences
from zeromem.text.words import content, terms
from zeromem.types import Event

TAKEN_BACK = "taken back by its speaker"
_TAKEN = 300  # characters; of a longer message only a part may be meant
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


@lru_cache(64)
def takes_back(text: str) -> bool:
    """Whether a message says nothing but that what was said before it is not so."""
    text = plain(text) if len(text) < _TAKEN else ""
    return any(weighing(key, "policy").search(text) is not None for key in ("joke", "untrue"))


def disowned(before: Sequence[Item | Event], item: Item) -> int | None:
    """The place of the message before that its speaker takes back in one that says nothing else ("just kidding", "I made that up").

    "Not really" and "that's wrong" may be meant for an assistant that spoke between, and then take back nothing; nor do they a question.
    """
    if item.role != "user" or item.kind != "message" or not takes_back(item.text):
        return None
    joke, place = weighing("joke", "policy").search(plain(item.text)), meant(before, item)
    if place is None or not (joke or place == len(before) - 1) or len(before[place].text) > _TAKEN:
        return None
    said = before[place].text.rstrip()
    return None if said.endswith(("?", "？")) or len(sentences(said)) > 1 else place  # of several, it may mean one


def meant(before: Sequence[Item | Event], asking: Item | Event) -> int | None:
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
