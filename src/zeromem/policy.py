"""Decides how much a memory weighs, how strong it still is, and in which tier it belongs. Pure.

In: a card, the facts that it states, how often it was said and used, and a row of the route table (`rules/kinds.toml`). Out: a
`Weight` with its reasons, and a place. Nothing of it is stored but the moves: a new table weighs old memories anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from zeromem.facts import FactRow
from zeromem.kinds import Route, Tier
from zeromem.ports import Usage
from zeromem.rules import weighing
from zeromem.types import Card

DAY = 86_400_000_000  # microseconds
# What a text's own signs take away of the doubt whether it matters (1 - importance), by reasoning.
_SIGNS = (
    ("remember", 0.8, "asked to be remembered"),
    ("done", 0.2, "something was brought to an end"),
    ("feeling", 0.25, "felt strongly"),
)
_NUMBERS, _SURPRISE, _AGAIN = 0.15, 0.3, 0.25
_NUMBER = re.compile(r"\d{3,}|\d[.,:/-]\d")
_SIGNS_READ = 2000  # characters of a text in which signs are looked for
_OUTDATED = 0.25  # of its strength is left to what no longer holds
IMPORTANT = 0.75  # from here on a memory is for long
LASTING = 0.2  # strength that a short memory must have left to become a long one
WEAK = 0.1  # below it a memory goes to the archive


@dataclass(frozen=True, slots=True)
class Weight:
    """What a memory weighs: its kind, importance and strength from 0 to 1, and the reasons beyond its kind."""

    kind: str
    importance: float
    strength: float
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """How long the short tier holds a memory: days, and how many of the newest."""

    days: float = 7
    cards: int = 1000


def route_for(card: str, role: str, text: str, slots: Iterable[str], table: Sequence[Route]) -> Route:
    """The row of the table for a text, by its kind of card, who says it, and the slots of what it states."""
    stated = frozenset(slots)
    return next((row for row in table if row.fits(card, role, stated, text)), table[-1])


def weigh(
    card: Card,
    facts: Sequence[FactRow],
    table: Sequence[Route],
    usage: Usage,
    now: int,
    *,
    pinned: bool = False,
    surprising: bool = False,
    outdated: bool = False,
) -> tuple[Weight, Route]:
    """The weight of a card at a moment, and its row of the table. Strength halves in `half_life` days since it was last said or used;
    each further saying adds one such time, each use by an answer two, each showing a quarter (after the reinforced
    forgetting curve of MemoryBank, arXiv 2305.10250)."""
    row = route_for(card.kind, card.role, card.text, (fact.slot for fact in facts), table)
    doubt, why = 1 - row.importance, []
    for sign, share, reason in _SIGNS:
        if weighing(sign, "policy").search(card.text[:_SIGNS_READ]):
            doubt *= 1 - share
            why.append(reason)
    if card.role == "user" and _NUMBER.search(card.text[:_SIGNS_READ]):
        doubt *= 1 - _NUMBERS
        why.append("bears a number")
    if surprising:
        doubt *= 1 - _SURPRISE
        why.append("changed what was known")
    if usage.said > 1:
        doubt *= (1 - _AGAIN) ** (usage.said - 1)
        why.append(f"said {usage.said} times")
    if usage.used:
        why.append(f"used {usage.used} times")
    importance = 1 - doubt
    strength = importance
    if row.half_life:
        growth = max(1, usage.said) + 2 * usage.used + usage.shown / 4
        strength *= float(2 ** (-max(0, now - usage.last) / DAY / (row.half_life * growth)))
    if outdated:
        strength *= _OUTDATED
        why.append("no longer so")
    if pinned:
        strength = 1.0
        why.append("pinned")
    return Weight(row.name, round(importance, 3), round(strength, 3), tuple(why)), row


def place(
    weight: Weight, row: Route, tier: Tier, usage: Usage, age: float, rank: int, limits: Limits, *, pinned: bool = False
) -> tuple[Tier, str]:
    """Where a memory that is in `tier` belongs, and why. `age` is in days, `rank` counts from the newest of the short tier."""
    if pinned:
        return "long", "pinned"
    if row.lifetime and age > row.lifetime:
        return "archive", f"older than the {row.lifetime:g} days of a {row.name}"
    if tier == "archive":
        return "archive", "rests"
    if tier == "short":
        if usage.used:
            return "long", "used by an answer"
        if usage.said > 1:
            return "long", f"said {usage.said} times"
        if weight.importance >= IMPORTANT:
            return "long", "important"
        if age <= limits.days and rank < limits.cards:
            return "short", "new"
        past = f"past {limits.days:g} days" if age > limits.days else f"beyond the newest {limits.cards:,}"
        if weight.strength >= LASTING:
            return "long", f"{past}, and still strong ({weight.strength:.2f})"
        return "archive", f"{past}, and weak ({weight.strength:.2f})"
    if weight.strength < WEAK:
        return "archive", f"faded to {weight.strength:.2f}"
    return "long", "lasting"
