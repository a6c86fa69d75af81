"""Finds what cannot both be so, and puts it as a question: two values of what has one, and a liking against an allergy.

In: facts with their standings. Out: pairs of facts, the older first, and `Clarification`s with the memories that state them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from zeromem.facts import USER, Clarification, FactRow
from zeromem.kinds import slot as slot_of
from zeromem.recall.notes import named
from zeromem.recall.state import Question
from zeromem.route import Held, grouped
from zeromem.structures.kin import thing
from zeromem.text.words import language
from zeromem.types import Card

Pair = tuple[FactRow, FactRow]


def doubts(rows: Sequence[FactRow], held: Mapping[int, Held]) -> list[Pair]:
    """Pairs among these facts that cannot both be so; the same two values once, as they were told last."""
    return [*_contradictions(rows, held), *_dangers(rows, held)]


def asked(pair: Pair, question: Question) -> bool:
    """Whether a question is about one of the two: its slot, or words of its value."""
    slots = [(name, slot) for name, some in question.whom for slot in some]
    words = set(question.terms)
    return question.open or any((f.about, f.slot) in slots or words.intersection(f.sense.split()) for f in pair)


def clarification(pair: Pair, cards: Mapping[int, Card]) -> Clarification:
    """The pair as a short question; `cards` by row."""
    one, other = pair
    first, second = (f"{row.value} [m:{cards[row.row].pointer}]" for row in pair)
    return Clarification(
        _question(one, other, first, second, language(cards[other.row].text)), one.subject, one.slot, (one.value, other.value),
        (cards[one.row].pointer, cards[other.row].pointer),
    )  # fmt: skip


def _contradictions(rows: Sequence[FactRow], held: Mapping[int, Held]) -> Iterator[Pair]:
    by_id = {row.id: row for row in rows}
    for some in grouped(rows).values():
        pairs: dict[frozenset[str], Pair] = {}
        for row in sorted(some, key=lambda row: (row.begin, row.row, row.id)):
            how = held[row.id]
            if how.standing == "conflicting" and how.by in by_id:
                one, other = sorted((row, by_id[how.by]), key=lambda row: (row.begin, row.row, row.id))
                pairs[frozenset((one.sense, other.sense))] = one, other
        yield from pairs.values()


def _dangers(rows: Sequence[FactRow], held: Mapping[int, Held]) -> Iterator[Pair]:
    """What somebody likes though it is told that they are allergic to it."""
    now = [row for row in rows if held[row.id].standing == "current"]
    allergies = [row for row in now if row.slot == "allergy" and row.sign > 0]
    for row in now:
        if slot_of(row.slot).family == "taste" and row.sign > 0 and row.slot != "diet":
            for allergy in allergies:
                if allergy.about == row.about and thing(allergy.value).named_in(row.value):
                    yield allergy, row


def _question(one: FactRow, other: FactRow, first: str, second: str, language: str) -> str:
    """As it may be put to the user, in the language of the memory that was told last."""
    me, same = one.subject == USER, one.slot == other.slot
    if language == "zh":
        who = "你" if me else one.subject + " " * one.subject.isascii()
        if same:
            return f"{who}的{named(one.slot, 'zh')}：是{first}，还是{second}？"
        return f"{who}对{first}过敏，却又喜欢{second}，哪个对？"
    whose = "your" if me else f"{one.subject}'s"
    if same:
        return f"{whose} {named(one.slot, 'en')}: is it {first} or {second}?"
    told = f"you are allergic to {first} and yet like" if me else f"{one.subject} is allergic to {first} and yet likes"
    return f"{told} {second}: which is right?"
