"""The facts of a scope in memory: how each stands, and which cards say only what no longer holds.

In: stored facts, and card versions that came and went. Out: a `FactBook`, or the next one, where only the matters that were touched are
weighed anew. Immutable as the snapshot that holds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from zeromem.facts import HAND, FactRow
from zeromem.route import Held, standings
from zeromem.structures.kin import is_way
from zeromem.text.words import terms

Key = tuple[str, str]  # see FactRow.key
_ONCE, _UNSURE = 0.5, 0.3  # confidence of what is told once
_AGAIN = 0.3  # of the doubt goes with each further telling
_DOUBTED = 0.5  # of the confidence is left where two facts contradict each other
_HOLDS = ("current", "temporary", "conflicting", "planned")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: of whom and in which slots, and its words, which may name a slot themselves."""

    whom: tuple[tuple[str, tuple[str, ...]], ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answers:
    """Rows of cards that state what is asked for: as it holds or is planned (with the confidence), as the one value there is, and only
    as it was."""

    now: Mapping[int, float] = field(default_factory=dict)
    single: frozenset[int] = frozenset()
    before: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class FactBook:
    """Facts of living cards by matter and by card row; `held` says how each stands."""

    groups: Mapping[Key, tuple[FactRow, ...]] = field(default_factory=dict)
    rows: Mapping[int, tuple[FactRow, ...]] = field(default_factory=dict)
    held: Mapping[int, Held] = field(default_factory=dict)
    matters: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by subject
    bars: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # by subject, of them those of what it must not have

    def outdated(self, row: int) -> float:
        """The share of a card's text that states what no longer holds; 0 where anything that it states still does."""
        told = self.rows.get(row, ())
        over = self.superseded(row)
        # The same words may be read in two ways; both go with the one that was overtaken.
        left = [
            fact
            for fact in told
            if self.held[fact.id].standing in _HOLDS
            and not any(fact.sense == old.sense and fact.start < old.end and old.start < fact.end for old in over)
        ]
        return 0.0 if left else min(1.0, sum({(fact.start, fact.end): fact.share for fact in over}.values()))

    def superseded(self, row: int) -> list[FactRow]:
        """What a card states that no longer holds."""
        return [fact for fact in self.rows.get(row, ()) if self.held[fact.id].standing == "superseded"]

    def ended(self, row: int) -> tuple[str, ...]:
        """The slots of which a card states what no longer holds, and nothing else that does."""
        told = self.rows.get(row, ())
        left = {fact.key for fact in told if self.held[fact.id].standing in _HOLDS}
        over = (f.slot for f in told if self.held[f.id].standing == "superseded" and f.key not in left)
        return tuple(dict.fromkeys(over))

    def overtaken_by(self, row: int) -> int | None:
        """The row of the card that ended what a card states: the newest, where there are several."""
        ids = {by for fact in self.rows.get(row, ()) if (by := self.held[fact.id].by) is not None}
        keys = {fact.key for fact in self.rows.get(row, ())}
        return max((fact.row for key in keys for fact in self.groups[key] if fact.id in ids), default=None)

    def of(self, subject: str, slots: Iterable[str]) -> list[FactRow]:
        """What is affirmed of a subject in these slots and was not ended."""
        what = set(slots)
        rows = (
            [fact for matter in self.matters.get(subject, ()) for fact in self.groups[subject, matter]] if what else []
        )
        return [f for f in rows if f.slot in what and f.sign > 0 and self.held[f.id].standing != "superseded"]

    def barred(self, subject: str, now: int) -> list[FactRow]:
        """What a subject is allergic to or may not have."""
        groups = (self.groups.get((subject, matter), ()) for matter in self.bars.get(subject, ()))
        told = [fact for group in groups for fact in group if forbids(fact)]
        return [fact for fact in told if holds(fact, self.held[fact.id], now)]

    def answers(self, asked: Asked, now: int) -> Answers:
        """Rows of the cards that answer: with what holds now, with the one value of a slot, and those that say what it was before."""
        said = set(asked.words)
        holding: dict[int, float] = {}
        single: set[int] = set()
        before: set[int] = set()
        for subject, what in asked.whom:
            asks = cache(lambda slot, what=what: slot in what or said.issuperset(terms(slot)))
            for matter in self.matters.get(subject, ()):
                group = self.groups[subject, matter]
                if not any(asks(fact.slot) for fact in group):
                    continue
                # Most matters hold one fact, told once.
                told = {(f.row, f.sense, f.sign) for f in group} if len(group) > 1 else ()
                times = Counter((sense, sign) for _, sense, sign in told)
                hand = {(fact.sense, fact.sign) for fact in group if fact.made_by == HAND} if told else ()
                for fact in group:
                    named, how, kind = fact.slot in what, self.held[fact.id], (fact.sense, fact.sign)
                    if holds(fact, how, now) or (fact.single and fact.sign > 0 and how.standing == "planned"):
                        sure = confidence(fact, how.standing, times[kind] or 1, by_hand=kind in hand)
                        holding[fact.row] = max(sure, holding.get(fact.row, 0.0))
                        if named and fact.single and fact.sign > 0:
                            single.add(fact.row)
                    elif how.standing == "superseded":
                        before.add(fact.row)
        return Answers(holding, frozenset(single), frozenset(before - holding.keys()))


def forbids(fact: FactRow) -> bool:
    """Whether a fact says what its subject must not have: an allergy, what is not eaten, a way of eating that leaves things out."""
    if fact.slot == "allergy" or fact.sign < 0:
        return fact.slot == "allergy" if fact.sign > 0 else fact.slot == "diet" and not is_way(fact.value)
    return fact.slot in ("diet", "illness") and is_way(fact.value)


def confidence(fact: FactRow, standing: str, times: int, *, by_hand: bool = False) -> float:
    """How sure a fact is, between 0 and 1: half so when told once, surer with each of the `times` that it was told or confirmed, less
    so where it was told as uncertain or is contradicted. What was told by hand is sure."""
    if by_hand or fact.made_by == HAND:
        sure = 1.0
    else:
        doubt = 1 - (_UNSURE if fact.modality in ("uncertain", "conditional", "planned") else _ONCE)
        sure = 1 - doubt * (1 - _AGAIN) ** (times - 1)
    return round(sure * (_DOUBTED if standing == "conflicting" else 1), 3)


def holds(fact: FactRow, held: Held, now: int) -> bool:
    """Whether a fact holds at a moment: it is current, and a temporary one has not run out."""
    if held.standing == "temporary":
        last = max((at for at in fact.again if at <= now), default=fact.at)
        return (fact.valid_from or fact.at) <= now < (fact.valid_to or last + _WHILE)
    ended = fact.made_by == HAND and fact.valid_to is not None and fact.valid_to <= now
    return held.standing in ("current", "conflicting") and fact.begin <= now and not ended


_WHILE = 7 * 86_400_000_000  # microseconds that "for now" lasts where no end is told


def grow(book: FactBook, new: Iterable[FactRow], gone: Iterable[int]) -> tuple[FactBook, set[int]]:
    """The book with the facts of new rows, and without those of rows that were replaced or deleted; and the rows whose facts were
    weighed anew. The very same book where nothing is touched."""
    new, gone = list(new), [row for row in gone if row in book.rows]
    if not new and not gone:
        return book, set()
    groups, rows, held, matters = dict(book.groups), dict(book.rows), dict(book.held), dict(book.matters)
    bars = dict(book.bars)
    touched: set[Key] = set()
    for row in gone:
        for fact in rows.pop(row, ()):
            key = fact.key
            groups[key] = tuple(other for other in groups[key] if other.id != fact.id)
            held.pop(fact.id, None)
            touched.add(key)
    for fact in new:
        key = fact.key
        groups[key] = (*groups.get(key, ()), fact)
        rows[fact.row] = (*rows.get(fact.row, ()), fact)
        if forbids(fact):
            bars[key[0]] = bars.get(key[0], frozenset()) | {key[1]}
        touched.add(key)
    weighed: set[int] = set()
    for key in touched:
        if groups[key]:
            held.update(standings(groups[key]))
            weighed.update(fact.row for fact in groups[key])
            if key[1] not in matters.get(key[0], ()):
                matters[key[0]] = matters.get(key[0], frozenset()) | {key[1]}
        else:
            del groups[key]
            matters[key[0]] -= {key[1]}
            if not matters[key[0]]:
                del matters[key[0]]
    return FactBook(groups, rows, held, matters, bars), weighed
