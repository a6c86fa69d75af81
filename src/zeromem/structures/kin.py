"""What holds what: how things are named that somebody may be allergic to or may not have, and what they are in.

In: a fact's value ("shellfish", "vegan", "乳糜泻"). Out: a `Thing`, which knows a text that names it; whether the value is a way of eating that
bars things by itself. The table is `rules/kin.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

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

    def called(self, value: str, names: Iterable[str]) -> bool:
        """Whether a value, whose words are `names`, is a name of it."""
        return not self.words.isdisjoint(names) or any(word in fold(value) for word in self.words if not word.isascii())


@lru_cache(1024)
def _read(text: str) -> tuple[str, frozenset[str]]:
    """A text as things are looked for in it; kept, for the same cards are shown again and again."""
    plain = _but().sub(" ", fold(text))
    return plain, frozenset(terms(plain))


@cache
def _but() -> re.Pattern[str]:
    """Words that hold the name of a thing and are none of it: 酒店 is no alcohol."""
    return re.compile("|".join(re.escape(word) for word in sorted(kin()["but"], key=len, reverse=True)))


@lru_cache(4096)
def thing(value: str) -> Thing:
    """How a thing is named that a fact's value means: by its own words, and by those of what it is in."""
    own = _whole(value)
    names = {word for word in own if word not in _weak()} or set(own)
    for known, within, _ in _kin():
        if known.called(value, names):
            names |= known.words | within.words
    return Thing(frozenset(names))


@lru_cache(4096)
def is_way(value: str) -> bool:
    """Whether a value is a way of eating, or an illness, that bars things by itself ("vegan", "celiac disease")."""
    own = set(_whole(value))
    return any(known.called(value, own) for known, _, way in _kin() if way)


@lru_cache(1024)
def sort(value: str) -> Thing:
    """How a thing is named that is what a value means or a sort of it: 美式 is coffee, while tiramisu only holds some."""
    names = {word for word in _whole(value) if word not in _weak()}
    for first, *more in kin()["sorts"].values():
        heads = _named(word for word in (first, *more[:1]))
        if heads.called(value, names):
            names |= _named((first, *more)).words
    return Thing(frozenset(names))


@cache
def _weak() -> frozenset[str]:
    return frozenset(term for word in kin()["weak"] for term in terms(word))


@cache
def _kin() -> tuple[tuple[Thing, Thing, bool], ...]:
    tables = ((entry, way) for table, way in (("things", False), ("ways", True)) for entry in kin()[table].values())
    return tuple((_named(entry["is"]), _named(entry.get("in", ())), way) for entry, way in tables)


def _named(words: Iterable[str]) -> Thing:
    return Thing(frozenset(term for word in words for term in (_whole(word) if word.isascii() else [word])))


def _whole(name: str) -> list[str]:
    """Its words of topic, compounds whole: "gluten-free" is not "free"."""
    found = content(terms(name))
    compounds = [word for word in found if "-" in word]
    return [word for word in found if "-" in word or not any(word in compound for compound in compounds)]
