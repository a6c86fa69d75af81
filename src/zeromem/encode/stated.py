"""What the words of a card state, as facts to store; and the form in which a fact given by hand is written.

In: a card. Out: `FactRow`s. A card of kind "fact" has one line, `Ana · role: lead (from 2026-01-01 to 2026-05-01)`, that reads back as
the very fact it was written from; any other text is read by the rules. Derived from the card alone, so an index can always be rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import islice

from zeromem.clock import micros
from zeromem.encode.cards import Draft
from zeromem.encode.facts import extract
from zeromem.encode.statements import statements
from zeromem.errors import InvalidInput
from zeromem.facts import HAND, USER, Claim, FactRow
from zeromem.kinds import SUMMARY, slot
from zeromem.proposals import MODEL
from zeromem.route import filed
from zeromem.rules import weighing
from zeromem.text.times import find, parse_time
from zeromem.types import Card

_KEPT = 256  # texts whose claims are kept
_NOT = "not: "
_LEAD = 16  # characters before a clause that may say at what times
_BREAK = re.compile(r"[.!?;,]\s+|\n|[。！？；，]")
_SHAPES = {
    "digit": re.compile(
        r"[\d一二三四五六七八九十百千两半]|^(?:one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|eleven|\w+ty)\b",
        re.I,
    ),
    "mail": re.compile("@"),
}
_CAPITAL = re.compile(r"[A-Z]")
_LINE = re.compile(
    r"(?P<subject>[^\n]+?) · (?P<slot>[^\n:]+?): (?P<not>not: )?(?P<value>.+?)(?: \((?:from (?P<from>\S+))?(?:(?(from) )to (?P<to>\S+))?\))?",
    re.DOTALL,
)


def stated(card: Card) -> list[FactRow]:
    """The facts of a card's text; none for what an assistant said, and for what was made of other cards."""
    if card.role == "assistant" or card.kind == SUMMARY or MODEL in card.made_by:
        return []
    at = datetime.fromisoformat(card.at)
    if card.kind == "fact":
        return [row] if (row := _written(card, at)) else []
    claims = [_weighed(claim, card.text, at) for claim in claims_of(card.kind, card.role, card.speaker, card.text)]
    return [filed(claim, card.speaker, at, card.text) for claim in claims]


@lru_cache(_KEPT)
def claims_of(kind: str, role: str, speaker: str | None, text: str) -> tuple[Claim, ...]:
    """What a text states, whenever it is said. Kept, so that it can be read before the file is locked for writing."""
    if role == "assistant" or kind == "fact":
        return ()
    role = kind if kind in ("tool", "document") else role
    claims = [claim for claim in extract(text, role=role, speaker=speaker) if _sound(claim, role, text)]
    # A sentence that the table of slots can read is not read once more as an open relation; an identifier is, for its noun ("port").
    read = [(claim.start, claim.end) for claim in claims if claim.slot != "identifier"]
    claims += [
        claim
        for claim in statements(text, role=role)
        if _sound(claim, role, text) and not any(start < claim.end and claim.start < end for start, end in read)
    ]
    return tuple(claims)


def read_ahead(drafts: Iterable[Draft]) -> None:
    """Read drafts before their transaction: the first ones load tables and compile rules, for which no other writer need wait."""
    for draft in islice(drafts, _KEPT):
        claims_of(draft.kind, draft.role, draft.speaker, draft.text)


def _sound(claim: Claim, role: str, text: str) -> bool:
    """Whether a claim can be what it says: "I" in a document or a tool's text is not the user, a code holds a digit, and a place bears
    a capital where the text has any ("I live in jeans")."""
    if role in ("document", "tool") and claim.subject == USER and ".keys." not in claim.rule:
        return False
    form = slot(claim.slot).shape
    if claim.slot == "home" and weighing("no_home").search(claim.value):
        return False
    if form == "name" and claim.value == claim.value.lower() and claim.value.isascii() and _CAPITAL.search(text):
        return False
    shape = _SHAPES.get(form)
    return not weighing("no_value").search(claim.value) and (shape is None or bool(shape.search(claim.value)))


def _weighed(claim: Claim, text: str, at: datetime) -> Claim:
    """What is said of some times or purposes only ("not on Sundays", "not for Java") neither denies nor replaces the whole."""
    if claim.modality != "asserted" or claim.slot in ("date", "habit", "plan", "todo"):
        return claim
    clause = text[claim.start : claim.end]
    lead = _BREAK.split(text[max(0, claim.start - _LEAD) : claim.start])[-1]  # "in winter I live in Malaga"
    if claim.polarity == "+" and slot(claim.slot).sign > 0:
        return (
            replace(claim, modality="conditional")
            if claim.single and weighing("sometimes").search(lead + clause)
            else claim
        )
    head, _, tail = clause.rpartition(claim.value) if claim.value in clause else (clause, "", "")
    limited = bool(weighing("limited").match(tail)) or any(map(weighing("sometimes").search, (head, tail)))
    limited = limited or (not claim.change and bool(find(clause, at)))
    return replace(claim, modality="conditional") if limited else claim


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
    row = filed(claim, card.speaker, at, card.text)
    return replace(row, valid_from=_micros(match["from"]), valid_to=_micros(match["to"]))


def _micros(stamp: str | None) -> int | None:
    return None if stamp is None else micros(parse_time(stamp))
