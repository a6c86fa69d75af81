"""Finds what must not be overlooked: what those whom a question is about are allergic to or may not have.

In: the understood question and the facts. Out: `dangers`, and of them the `urgent` ones whose thing the question itself names. The card
that states one travels with every shown card that names the thing (`select.py`), whatever the gate thinks of it. A thing is named by
its own words and by the table `rules/kin.toml`; what neither links ("satay" in a language that the table lacks) is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from zeromem.clock import micros
from zeromem.plural import counted
from zeromem.recall.state import Danger, Recall
from zeromem.rules import kin
from zeromem.text.words import content, fold, terms


@dataclass(frozen=True, slots=True)
class Thing:
    """How a thing is named: stems of Latin words, and words of other scripts, which may stand anywhere."""

    words: frozenset[str]

    def named_in(self, text: str) -> bool:
        """Whether a text names it. 奶 is in 奶茶 but not in 奶奶."""
        folded, stems = _read(text)
        return not self.words.isdisjoint(stems) or any(
            word in (folded if len(word) > 1 else folded.replace(word * 2, ""))
            for word in self.words
            if not word.isascii()
        )


@lru_cache(1024)
def _read(text: str) -> tuple[str, frozenset[str]]:
    """A text as things are looked for in it; kept, for the same cards are shown again and again."""
    return _but().sub(" ", fold(text)), frozenset(terms(text))


@cache
def _but() -> re.Pattern[str]:
    """Words that hold the name of a thing and are none of it: 酒店 is no alcohol."""
    return re.compile("|".join(re.escape(word) for word in sorted(kin()["but"], key=len, reverse=True)))


def beware(recall: Recall) -> Recall:
    """Look up the dangers of those whom the question is about; the newest card of each thing."""
    facts, now = recall.facts, micros(recall.now)
    if recall.question is None or not facts.matters:
        return replace(recall, note="no facts")
    people = dict.fromkeys((*recall.question.me, *(name for name, _ in recall.question.whom)))
    newest: dict[tuple[str, str], Danger] = {}
    told = [fact for name in people for fact in facts.barred(name, now)]
    for fact in sorted(told, key=lambda fact: (fact.at, fact.row)):
        for position in recall.snapshot.positions([fact.row]):
            if recall.allowed[position]:
                key = fact.about, fact.sense
                rows = newest[key].rows if key in newest else frozenset()
                newest[key] = Danger(int(position), fact.value, (fact.start, fact.end), rows | {fact.row})
    dangers = tuple(newest.values())
    urgent = tuple(danger for danger in dangers if thing(danger.value).named_in(recall.query))
    cards = recall.fetch([danger.position for danger in dangers]) if dangers else {}
    note = counted(len(dangers), "danger") + (f", {len(urgent)} named in the question" if urgent else "")
    return replace(recall, dangers=dangers, urgent=urgent, cards={**recall.cards, **cards}, note=note)


@lru_cache(4096)
def thing(value: str) -> Thing:
    """How a thing is named that a fact's value means: by its own words, and by those of what it is in."""
    own = content(terms(value))
    names = {word for word in own if word not in _weak()} or set(own)
    for known, within in _kin():
        if not names.isdisjoint(known.words) or any(word in fold(value) for word in known.words if not word.isascii()):
            names |= known.words | within.words
    return Thing(frozenset(names))


@cache
def _weak() -> frozenset[str]:
    return frozenset(term for word in kin()["weak"] for term in terms(word))


@cache
def _kin() -> tuple[tuple[Thing, Thing], ...]:
    return tuple((_named(entry["is"]), _named(entry.get("in", ()))) for entry in kin()["things"].values())


def _named(words: Iterable[str]) -> Thing:
    return Thing(frozenset(term for word in words for term in (terms(word) if word.isascii() else [word])))
