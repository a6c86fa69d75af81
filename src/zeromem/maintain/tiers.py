"""Upkeep of the tiers: weighs every memory of a scope and moves what has outlived its tier.

In: the store, a scope, the route table, a moment. Out: the moves, each a mark with its reason; `standing` tells the same of one card.
Recall never writes: it only notes what it showed, and this folds it. Idempotent: run again at the same moment it moves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from zeromem.clock import micros
from zeromem.facts import FactRow
from zeromem.kinds import Route, Tier
from zeromem.ledger import UPKEEP
from zeromem.policy import DAY, Limits, Weight, place, weigh
from zeromem.ports import TIERS, Mark, Progress, Store, Usage, is_pinned
from zeromem.types import Card

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Standing:
    """How a memory stands: its kind and tier, importance and strength (0 to 1), how often it was said, shown and used, and why."""

    pointer: str
    kind: str
    tier: Tier
    importance: float
    strength: float
    pinned: bool
    said: int
    shown: int
    used: int
    half_life: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What a scope's snapshot says of its cards, by row: those that as a whole no longer hold, those that ended another, and all of them,
    the newest said first."""

    outdated: frozenset[int] = frozenset()
    surprising: frozenset[int] = frozenset()
    newest: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """One card with all that its place follows from."""

    card: Card
    weight: Weight
    row: Route
    usage: Usage
    tier: Tier
    pinned: bool
    needed: bool  # said or used since it went to the archive


def judged(store: Store, cards: Sequence[Card], table: Sequence[Route], held: Held, now: int) -> Iterator[Judged]:
    """Each card weighed, with the tier that it is in (by its last move, else by its kind)."""
    ids = [card.id for card in cards]
    usage = store.usage(ids)
    marks = store.marks_of(ids)
    facts: dict[int, list[FactRow]] = {}
    for fact in store.facts_of_rows([card.row for card in cards]):
        facts.setdefault(fact.row, []).append(fact)
    for card in cards:
        own, used = marks.get(card.id, ()), usage[card.id]
        pinned = is_pinned(own)
        weight, row = weigh(
            card, facts.get(card.row, ()), table, used, now, pinned=pinned, surprising=card.row in held.surprising,
            outdated=card.row in held.outdated,
        )  # fmt: skip
        moves = [mark for mark in own if mark.mark in TIERS]
        tier: Tier = cast(Tier, moves[-1].mark) if moves else row.tier
        yield Judged(card, weight, row, used, tier, pinned, bool(moves) and used.last > moves[-1].at)


def move(
    store: Store,
    table: Sequence[Route],
    held: Held,
    limits: Limits,
    now: int,
    progress: Progress | None = None,
) -> Counter[str]:
    """Move the cards of a scope to where they belong; how many went to each tier."""
    moved: Counter[str] = Counter()
    total = len(held.newest)
    short = 0  # cards of the short tier that were met, newest first
    for first in range(0, total, _CHUNK):
        cards = store.cards(held.newest[first : first + _CHUNK])
        marks = []
        there = [cards[row] for row in held.newest[first : first + _CHUNK] if row in cards]
        for one in judged(store, there, table, held, now):
            rank, short = short, short + (one.tier == "short")
            age = (now - micros(one.card.at)) / DAY
            was: Tier = "long" if one.tier == "archive" and one.needed else one.tier
            tier, why = place(one.weight, one.row, was, one.usage, age, rank, limits, pinned=one.pinned)
            if tier != one.tier and tier != "working":
                marks.append(Mark(one.card.id, tier, now, "needed again" if was != one.tier else why, UPKEEP))
        with store.write():
            found = store.marks_of([mark.card_id for mark in marks])
            pinned = {id_ for id_, some in found.items() if is_pinned(some)}  # by somebody, meanwhile
            marks = [mark for mark in marks if mark.mark != "archive" or mark.card_id not in pinned]
            store.add_marks(marks)
        moved.update(mark.mark for mark in marks)
        if progress:
            progress(min(first + _CHUNK, total), total)
    return moved


def standing(store: Store, card: Card, table: Sequence[Route], held: Held, now: int, *, working: bool) -> Standing:
    """How one card stands at a moment; `working`: it was said in the last turns of its session."""
    one = next(judged(store, [card], table, held, now))
    tier: Tier = "working" if working and one.tier != "archive" else one.tier
    weight, usage = one.weight, one.usage
    return Standing(
        card.pointer, weight.kind, tier, weight.importance, weight.strength, one.pinned, usage.said, usage.shown, usage.used,
        one.row.half_life, weight.why,
    )  # fmt: skip
