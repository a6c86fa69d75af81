"""The values of facts: what a text states of somebody or something, and whether it still holds.

A `Claim` is what extraction reads from a text, a `FactRow` is how it is stored, a `Fact` what the verbs hand out. A fact belongs to
the card version whose words state it: it makes no card of its own, goes when those words go and comes back with them. Whether a
fact holds is never stored; it follows from the facts beside it (`route.py`). Nothing here touches a store or a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Polarity = Literal["+", "-"]
HAND = "hand"  # what made a fact that was told as one
USER = "user"  # the subject of "I" where the speaker has no name


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement read from a text. `start` and `end` bound its clause; `when` are its time words as they stand there.

    `single`: its wording implies one value (None: the table of slots says it). `change`: it says that something became different.
    """

    subject: str
    slot: str
    value: str
    polarity: str = "+"
    modality: str = "asserted"
    when: str | None = None
    start: int = 0
    end: int = 0
    change: bool = False
    rule: str = ""
    single: bool | None = None


@dataclass(frozen=True, slots=True)
class FactRow:
    """A stored fact. `row` is the version of the card that states it; times are microseconds, `at` is when it was first said, `again`
    when else.

    `about`, `matter` and `sense` are the folded subject, what is spoken of, and the folded value: facts with equal `about` and
    `matter` are weighed against each other. `sign` is 1 where the matter is affirmed and -1 where it is denied; `share` is the
    part of the card's text that its clause is, `owner` the user whose memory it is in.
    """

    id: int
    row: int
    start: int
    end: int
    subject: str
    slot: str
    value: str
    polarity: str
    modality: str
    about: str
    matter: str
    sense: str
    sign: int
    single: bool
    change: bool
    when: str | None
    valid_from: int | None
    valid_to: int | None
    share: float
    made_by: str
    at: int = 0
    owner: str = ""
    again: tuple[int, ...] = ()

    def tellings(self) -> list[FactRow]:
        """The fact as it was told each time, first to last. After the stretch that its time words mean they would mean another one."""
        bound = None if self.made_by == HAND else self.valid_to
        later = [at for at in self.again if bound is None or at <= bound]
        return [self, *(replace(self, at=at, again=()) for at in later)]

    def until(self, moment: int) -> FactRow | None:
        """The fact as it had been told by a moment; None: not at all."""
        if self.begin > moment:
            return None
        return replace(self, again=tuple(at for at in self.again if at <= moment)) if self.again else self

    @property
    def begin(self) -> int:
        """From when on it is weighed: as it was told by hand (of one that is over already: when it ended), or with a change long past
        ("in 2012 I moved"), else when it was said."""
        if self.made_by == HAND:
            return self.valid_from if self.valid_from is not None else min(self.at, self.valid_to or self.at)
        long_past = self.change and self.modality == "asserted" and self.valid_from is not None
        return min(self.at, self.valid_from or self.at) if long_past else self.at

    @property
    def key(self) -> tuple[str, str]:
        """What it is weighed against: facts of the same user's memory about the same subject, on the same matter."""
        return self.about, f"{self.owner}\n{self.matter}"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it stands: who or what, which slot, which value, said by whom and when, and whether it holds.

    `valid_from` and `valid_to` bound when it held (None: not known, or still), `stored_at` is when we learned it. `confidence` (how sure) and
    `importance` (how much it matters, see `policy.py`) lie between 0 and 1. `modality` is how it was said: asserted, planned, conditional,
    temporary, past or uncertain; `standing` is that, but of what was asserted current, superseded or conflicting. `pointer` names the card that
    states it, `superseded_by` the one that ended it; `text` is its clause, `span` where that stands in the card.
    """

    subject: str
    slot: str
    value: str
    polarity: str
    modality: str
    standing: str
    speaker: str | None
    at: str
    stored_at: str
    when: str | None
    valid_from: str | None
    valid_to: str | None
    confidence: float
    pointer: str
    card_id: str
    text: str
    superseded_by: str | None = None
    made_by: str = "rule"
    importance: float = 0.0
    span: tuple[int, int] = (0, 0)

    @property
    def object(self) -> str:
        """The value, as it is called where a fact is a relation between two."""
        return self.value

    @property
    def current(self) -> bool:
        """Whether it holds now (or did at the moment asked for)."""
        return self.standing in ("current", "temporary", "conflicting")


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question that only its owner can answer: two facts that cannot both be so, and the memories that state them."""

    question: str
    subject: str
    slot: str
    values: tuple[str, str]
    pointers: tuple[str, str]


@dataclass(frozen=True, slots=True)
class EventTime:
    """A time that a memory speaks of: its words, the stretch that they mean, and how exact they are ("day", "month", …).

    `start` and `end` are written no finer than `precision` ("2026-04" for a month), `end` is the last day or unit of the stretch.
    """

    text: str
    start: str
    end: str
    precision: str
