"""What a message corrects of the one before it: "typo, her name is Karla", "not Tuesday, Wednesday", 打错了，是卡拉.

In: a card that is being stored, what it states, and the store. Out: facts of the card: those that its speaker stated right before, with the
right value, and denials of the wrong one. Nothing else is touched; where two facts may be meant, or none is of the value's kind, nothing is
corrected. The words stand in the tables `rules/*/corrections.toml`. Facts made here bear `made_by` FOLLOWS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache

from zeromem.encode.plain import HAN, plain
from zeromem.encode.unwanted import meant
from zeromem.facts import USER, Claim, FactRow
from zeromem.kinds import slot
from zeromem.ports import Store
from zeromem.route import FOLLOWS, about, alike, by_role, denied, filed, sense
from zeromem.rules import expand, table
from zeromem.text.times import find, parse_time
from zeromem.text.words import content, fold, terms
from zeromem.types import Card, Event

_LONGEST = 80  # characters of a message that does nothing but correct
_NEAR = 16  # events among which it is looked for first
_ALIKE = 0.5  # of the characters, from which two spellings are taken for one word: Carla, Karla; 卡拉, 卡娜
_DIGIT = re.compile(r"\d")
_TIMES = ("date", "birthday")
# Slots whose values are deeds and views, told in words of their own: only one that is spelled nearly so is a slip of the pen.
_DEEDS = ("plan", "todo", "goal", "habit", "skill", "opinion", "rule_always", "rule_never", "format_wish")
_WORD = re.compile(r"[^\W\d_][\w'-]+")


@dataclass(frozen=True, slots=True)
class Correction:
    """The right value, where it stands, the wrong one if it is named, and whether the words alone say that something was wrong."""

    value: str
    start: int
    end: int
    old: str
    sure: bool


@cache
def _rows(language: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    rules = table(language, "corrections")
    return tuple(
        (re.compile(expand(row["pattern"], rules["macros"]), re.IGNORECASE), row.get("sure", True))
        for row in rules["row"]
    )


@cache
def _parts(language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in table(language, "corrections")["parts"].values())


def correction(text: str) -> Correction | None:
    """What a message corrects that does nothing else; None for any other."""
    if len(text) > _LONGEST:
        return None
    told = plain(text).rstrip()
    for pattern, sure in _rows(_language(told)):
        if (match := pattern.fullmatch(told)) is not None:
            value, old = match["value"].rstrip(" ."), match.groupdict().get("old") or ""
            if content(terms(value)) or _DIGIT.search(value):
                return Correction(value, *match.span("value"), old.rstrip(" ."), sure or bool(old))
    return None


def _language(text: str) -> str:
    return "zh" if HAN.search(text) else "en"


def corrected(store: Store, told: Sequence[FactRow], card: Card) -> Iterator[FactRow]:
    """The facts that follow from a card that corrects what was said right before it."""
    if card.kind != "message" or card.role != USER or (found := correction(card.text)) is None:
        return
    before, text = _said_before(store, card) if not told or found.sure else ([], "")
    if told:  # it names the slot itself: of many values, the one told before goes
        for old in before:
            if not old.single and any((old.about, old.slot) == (new.about, new.slot) for new in told):
                yield denied(old, found.start, found.end, len(card.text))
        return
    for old in _meant(before, found, card.at) if not _unread(text, before, found.value) else ():
        yield from _replaced(old, found, card)
        for other in before:
            if slot(old.slot).person and other.about == about(old.value):
                yield denied(other, found.start, found.end, len(card.text))
                yield replace(
                    other, id=0, row=0, start=found.start, end=found.end, subject=found.value, about=about(found.value),
                    made_by=FOLLOWS, at=0,
                )  # fmt: skip


def _said_before(store: Store, card: Card) -> tuple[list[FactRow], str]:
    """What the message right before this one affirms, if the same speaker said it, and its words."""
    for limit in (_NEAR, None):
        events = [event for event in store.session_events(card.scope, limit) if event.scope == card.scope]
        own = next((i for i in reversed(range(len(events))) if _says(events[i], card)), None)
        if own is not None:
            break
    else:
        return [], ""
    place = meant(events[:own], events[own])
    cards = [] if place is None else store.cards_of(events[place].id)
    facts = store.facts_of_rows([one.row for one in cards])
    told = [fact for fact in facts if fact.sign > 0 and fact.polarity == "+"]
    return told, "" if place is None else events[place].text


def _unread(text: str, facts: Sequence[FactRow], value: str) -> bool:
    """Whether a word of the text that is no part of a fact is spelled like the right one, and no fact is: then it was that word."""
    for known in sorted({known for fact in facts for known in (fact.value, fact.when or "")}, key=len, reverse=True):
        if _near(known, value):
            return False
        text = text.replace(known, " ") if known else text
    if HAN.search(value):
        size = len(value)
        parts = (text[at : at + size] for at in range(len(text) - size + 1) if text[at] == value[0])
    else:
        parts = (word[0] for word in _WORD.finditer(text) if word[0][0].isupper() == value[0].isupper())
    return not _DIGIT.search(value) and any(_near(part, value) for part in parts)


def _says(event: Event, card: Card) -> bool:
    return event.at == card.at and event.role == card.role and card.text in event.text


def _meant(facts: Sequence[FactRow], found: Correction, at: str) -> list[FactRow]:
    """The facts whose value is corrected: all with one value, or none where several values may be meant."""
    fitting = [fact for fact in facts if _fits(fact, found, at)]
    values = {_target(fact, found, at) for fact in fitting}
    if len(values) > 1:
        close = [value for value in values if _near(value, found.value)]
        values = set(close) if len(close) == 1 else set()
    return [fact for fact in fitting if _target(fact, found, at) in values]


def _target(fact: FactRow, found: Correction, at: str) -> str:
    """The words that are corrected: the time of a plan where a time is told, else the value."""
    if fact.when is not None and (_is_time(found.value, at) or _spliced(fact.when, found.value)):
        return fact.when
    return fact.value


def _fits(fact: FactRow, found: Correction, at: str) -> bool:
    old = _target(fact, found, at)
    if fold(old) == fold(found.value):
        return False
    if found.old:
        return fold(found.old) in fold(old) or set(sense(found.old).split()) <= set(sense(old).split())
    timed = fact.slot in _TIMES or old is fact.when
    if timed or _DIGIT.search(old):
        alike = _is_time(found.value, at) if timed and not _spliced(old, found.value) else True
        return alike and bool(_spliced(old, found.value) or timed or _DIGIT.search(found.value))
    if _DIGIT.search(found.value) or (_is_time(found.value, at) and not _is_time(old, at)):
        return False
    if _size(found.value) > 2 * _size(old) + 1:
        return False
    named = slot(fact.slot).person or slot(fact.slot).shape == "name"
    if named and found.value.isascii() and found.value[:1].islower() and old[:1].isupper():
        return False
    return _near(old, found.value) or (found.sure and fact.slot not in _DEEDS)


def _is_time(words: str, at: str) -> bool:
    spans = find(words, parse_time(at))
    return bool(spans) and sum(len(span.text) for span in spans) >= len(words.strip()) / 2


def _near(one: str, other: str) -> bool:
    return SequenceMatcher(None, fold(one), fold(other), autojunk=False).ratio() >= _ALIKE


def _size(words: str) -> int:
    return len(words) if HAN.search(words) else len(words.split())


def _spliced(old: str, new: str) -> str:
    """The old words with the part changed that the new ones are of the kind of ("Tuesday at 4" and "Wednesday"); "" where there is none."""
    for pattern in _parts(_language(new)) if new.isascii() == old.isascii() else ():
        if pattern.fullmatch(new) and (match := pattern.search(old)) is not None:
            return old[: match.start()] + new + old[match.end() :]
    return ""


def _replaced(old: FactRow, found: Correction, card: Card) -> Iterator[FactRow]:
    """The fact with the right value, and, where many hold, a denial of the wrong one."""
    words = _target(old, found, card.at)
    at = fold(words).find(fold(found.old)) if found.old else -1
    cut = words[:at] + found.value + words[at + len(found.old) :] if at >= 0 and len(fold(words)) == len(words) else ""
    right = cut or _spliced(words, found.value) or found.value
    told: Mapping[str, str | None] = (
        {"value": old.value, "when": right} if words is old.when else {"value": right, "when": old.when}
    )
    claim = Claim(
        old.subject, old.slot, str(told["value"]), "+", old.modality, told["when"], found.start, found.end, True, FOLLOWS, old.single
    )  # fmt: skip
    row = filed(claim, card.speaker, parse_time(card.at), card.text)
    matter = old.matter if old.single or by_role(old) else row.matter
    new = replace(row, subject=old.subject, slot=old.slot, about=old.about, matter=matter, single=old.single)
    if new.sense != old.sense and (not old.single or alike(new, old)):
        yield denied(old, found.start, found.end, len(card.text))
    yield new
