"""What the words of a card state, as facts to store; and the form in which a fact given by hand is written.

In: a card. Out: `FactRow`s. A card of kind "fact" has one line, `Ana · role: lead (from 2026-01-01 to 2026-05-01)`, that reads back as
the very fact it was written from; any other text is read by the rules. Derived from the card alone, so an index can always be rebuilt.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from zeromem.clock import micros
from zeromem.encode.facts import extract
from zeromem.encode.statements import statements
from zeromem.errors import InvalidInput
from zeromem.facts import HAND, Claim, FactRow
from zeromem.route import filed
from zeromem.text.times import parse_time
from zeromem.types import Card

_NOT = "not: "
# A value that holds a person's pronoun was cut wrongly ("咖啡我早就"), and so was one that begins with a contrast ("only tea").
_NO_VALUE = re.compile(r"^(?:only|just|after all|but)\b|\bafter all$|^.{1,8}[我你您].{1,4}$", re.IGNORECASE)
_LINE = re.compile(
    r"(?P<subject>[^\n]+?) · (?P<slot>[^\n:]+?): (?P<not>not: )?(?P<value>.+?)(?: \((?:from (?P<from>\S+))?(?:(?(from) )to (?P<to>\S+))?\))?",
    re.DOTALL,
)


def stated(card: Card) -> list[FactRow]:
    """The facts of a card's text; none for what an assistant said."""
    if card.role == "assistant":
        return []
    at = datetime.fromisoformat(card.at)
    if card.kind == "fact":
        return [row] if (row := _written(card, at)) else []
    role = card.kind if card.kind in ("tool", "document") else card.role
    claims = [
        claim for claim in extract(card.text, role=role, speaker=card.speaker) if not _NO_VALUE.search(claim.value)
    ]
    # A sentence that the table of slots can read is not read once more as an open relation; an identifier is, for its noun ("port").
    read = [(claim.start, claim.end) for claim in claims if claim.slot != "identifier"]
    claims += [
        claim
        for claim in statements(card.text, role=role)
        if not any(start < claim.end and claim.start < end for start, end in read)
    ]
    return [filed(claim, card.speaker, at, len(card.text)) for claim in claims]


def write(subject: str, slot: str, value: str, *, denied: bool, valid_from: str | None, valid_to: str | None) -> str:
    """The line of a fact given by hand. Raises InvalidInput for words that would not read back as they are."""
    bounds = " ".join(
        f"{word} {moment}" for word, moment in (("from", valid_from), ("to", valid_to)) if moment is not None
    )
    text = f"{subject} · {slot}: {_NOT if denied else ''}{value}" + (f" ({bounds})" if bounds else "")
    match = _LINE.fullmatch(text)
    read = match and (match["subject"], match["slot"], match["value"], bool(match["not"]), match["from"], match["to"])
    if read != (subject, slot, value, denied, valid_from, valid_to):
        raise InvalidInput(
            f"the fact {text!r:.120} cannot be written in one line 'subject · slot: value'; use words without ' · ' and ': '"
        )
    return text


def _written(card: Card, at: datetime) -> FactRow | None:
    match = _LINE.fullmatch(card.text)
    if match is None:
        return None
    claim = Claim(
        match["subject"], match["slot"], match["value"], "-" if match["not"] else "+", end=len(card.text), rule=HAND
    )
    row = filed(claim, card.speaker, at, len(card.text))
    return replace(row, valid_from=_micros(match["from"]), valid_to=_micros(match["to"]))


def _micros(stamp: str | None) -> int | None:
    return None if stamp is None else micros(parse_time(stamp))
