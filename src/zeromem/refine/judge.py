"""Judges a pair of memories: one may go, both may become one, or both stay.

In: two texts with their speakers and when they were said. Out: a `Verdict`: DELETE one that the other holds, MERGE two of one speaker with the
same atoms and near words, else PRESERVE, always with the reason (MemRefine, arXiv 2606.13177, Algorithm 1). By rules: it deletes only what stands
word for word, in order, in what stays, and bound alike, so nothing is lost; where in doubt both stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from zeromem.refine.reading import Reading, read
from zeromem.refine.verify import verify

NEAR = 0.6  # share of the words of both that two texts to be merged have in common


_TURNS = ("negation", "modal", "safety")  # atoms without which the same words say another thing


class Action(Enum):
    """What becomes of a pair."""

    DELETE = "delete"
    MERGE = "merge"
    PRESERVE = "preserve"


@dataclass(frozen=True, slots=True)
class Side:
    """One memory of a pair. `standing` is False for one that no longer holds, which is history and never merged into what does."""

    text: str
    speaker: str | None = None
    standing: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do and why. `goes` is 0 or 1 for the side that DELETE removes; `text` what MERGE puts in the place of both."""

    action: Action
    reason: str
    goes: int | None = None
    text: str | None = None


def judge(one: Side, two: Side) -> Verdict:
    """DELETE, MERGE or PRESERVE for a pair; which side comes first makes no difference but which index goes."""
    if one.speaker != two.speaker:
        return Verdict(Action.PRESERVE, "said by two persons")
    if one.standing != two.standing:
        return Verdict(Action.PRESERVE, "one holds and the other no longer does")
    first, second = read(one.text), read(two.text)
    if any(first.asks) != any(second.asks):
        return Verdict(Action.PRESERVE, "one asks and the other tells")
    holds = [_holds(second, first), _holds(first, second)]
    if any(holds):
        # Where each holds the other, the longer wording stays, and of equal ones the later.
        goes = int(holds == [False, True] or (all(holds) and len(one.text) > len(two.text)))
        return Verdict(Action.DELETE, "the other says all of it", goes=goes)
    if _bonds(first) != _bonds(second) or _soft(first) != _soft(second):
        return Verdict(Action.PRESERVE, "their atoms differ")
    mine, yours = _words(first), _words(second)
    shared = len(mine & yours) / max(1, len(mine | yours))
    if shared < NEAR:
        return Verdict(Action.PRESERVE, f"{shared:.0%} of their words are shared")
    return Verdict(Action.MERGE, f"same atoms, {shared:.0%} of their words", text=_merged(first, second))


def _words(reading: Reading) -> set[str]:
    return {token.key for token in reading.tokens if token.sort == "word" and not token.filler}


def _soft(reading: Reading) -> set[str]:
    return {held.atom.text.casefold() for held in reading.held if held.atom.kind in ("name", "quote", "code")}


def _bonds(reading: Reading) -> set[tuple[str, tuple[str, ...]]]:
    """The hard atoms; what times and codes happen to stand beside makes no difference."""
    return {
        (form, binds if held.atom.kind in (*_TURNS, "number") else ())
        for (form, binds), held in reading.bonds().items()
    }


def _holds(whole: Reading, part: Reading) -> bool:
    """Whether one text says all that another does: its words in order, its atoms with what they bind."""
    if (
        not _words(part) <= _words(whole)
        or not _soft(part) <= _soft(whole)
        or not part.bonds().keys() <= whole.bonds().keys()
    ):
        return False
    for (form, binds), held in whole.bonds().items():  # "eat meat" is not held by "don't eat meat"
        if held.atom.kind in _TURNS and (form, binds) not in part.bonds() and not _words(part).isdisjoint(binds):
            return False
    loss = verify(whole.text, part.text)
    return not (loss.added or loss.moved or loss.bent)


def _merged(one: Reading, two: Reading) -> str:
    """The longer text with the sentences of the other that say a word more."""
    longer, other = (one, two) if len(one.text) >= len(two.text) else (two, one)
    known, parts = _words(longer), [longer.text.rstrip()]
    for number in range(len(other.asks)):
        tokens = [token for token in other.tokens if token.sentence == number]
        if any(token.sort == "word" and not token.filler and token.key not in known for token in tokens):
            parts.append(other.text[tokens[0].start : tokens[-1].end])
    return "\n".join(parts)
