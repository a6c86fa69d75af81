"""Follows relations from one to the next: "Ana's brother" is Ben, where that is known, and "Ana's brother's wife" somebody else.

In: the words of a question or of `subject=`, and the facts. Out: who is meant. It only reads: nothing that is followed ends or states a fact,
and what is said of Ben stays said of Ben. Nobody is guessed: where a step leads nowhere, there is no chain.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import cache

from zeromem.facts import FactRow
from zeromem.route import about
from zeromem.rules import LANGUAGES, spoken, table
from zeromem.structures.facts import FactBook
from zeromem.text.words import terms

_LONGEST = 6  # words of a name
_OF = ("的", "s")
Clause = Callable[[FactRow], str]  # the words that state a fact


@dataclass(frozen=True, slots=True)
class Chain:
    """`steps`: those on the way, each with the slot that leads on; `names`: who stands at the end; `start`, `end`: its words,
    of which `base` end the name that it begins with."""

    steps: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    start: int
    base: int
    end: int


def chains(facts: FactBook, words: Sequence[str], me: Sequence[str], clause: Clause) -> list[Chain]:
    """Every chain in these words that leads to somebody; `me` are the names of the one who asks, as subjects."""
    out, i = [], 0
    while i < len(words):
        found = [_walked(facts, words, names, (i, base), clause) for names, base in _starts(facts, words, i, me)]
        best = max((chain for chain in found if chain is not None), key=lambda chain: chain.end, default=None)
        i = best.end if best is not None else i + 1
        out += [best] if best is not None else []
    return out


def named_at(known: Container[str], words: Sequence[str], i: int) -> list[tuple[str, int]]:
    """The known subjects whose words begin at a place, and where each ends. 小李 may have been cut into 小 and 李."""
    out = []
    for end in range(i + 1, min(i + _LONGEST, len(words)) + 1):
        some = words[i:end]
        out += [(name, end) for name in dict.fromkeys((" ".join(some), "".join(some))) if name in known]
    return out


def _starts(facts: FactBook, words: Sequence[str], i: int, me: Sequence[str]) -> list[tuple[Sequence[str], int]]:
    if _relation(words[i]) == "me":
        return [(me, i + 1)]
    return [((name,), end) for name, end in named_at(facts.matters, words, i)]


def _walked(
    facts: FactBook, words: Sequence[str], names: Sequence[str], base: tuple[int, int], clause: Clause
) -> Chain | None:
    steps: list[tuple[str, str]] = []
    i = end = base[1]
    while True:
        while i < len(words) and words[i] in _OF:
            i += 1
        slot = (_relation(words[i]) if i < len(words) else None) or "me"
        found = [] if slot == "me" else [fact for name in names for fact in facts.of(name, (slot,))]
        if not found:
            return Chain(tuple(steps), tuple(names), *base, end) if steps else None
        found = _meant(found, words[i], clause)
        if not found:
            return None
        steps += [(name, slot) for name in names]
        names = list(dict.fromkeys(about(fact.value) for fact in found))
        i = end = i + 1


def _meant(found: list[FactRow], word: str, clause: Clause) -> list[FactRow]:
    """A sister is no brother, though both are siblings, nor is 哥哥 弟弟: where the words tell, they decide."""
    said = [(fact, terms(clause(fact))) for fact in found]
    exact = [fact for fact, words in said if word in words]
    other = _other_sex().get(word, frozenset())
    return exact or [fact for fact, words in said if other.isdisjoint(words)]


@cache
def _other_sex() -> dict[str, frozenset[str]]:
    """For each word that tells a sex, the words of the other one."""
    told = [table(language, "asks")["sexes"] for language in LANGUAGES]
    female, male = (frozenset(terms(word)[0] for sexes in told for word in sexes[sex]) for sex in ("female", "male"))
    return {**dict.fromkeys(female, male), **dict.fromkeys(male, female)}


def _relation(word: str) -> str | None:
    """The slot that a word names, "me" for the one who asks."""
    return next((slot for language in spoken(word) if (slot := _relations(language).get(word)) is not None), None)


@cache
def _relations(language: str) -> dict[str, str]:
    """The slot of each word that names a relation."""
    rows = table(language, "asks")["relations"].items()
    return {terms(word)[0]: slot for slot, some in rows for word in some}
