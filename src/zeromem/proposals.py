"""What a model proposed and what became of it, and what it answered: frozen values.

In: nothing. Out: `Quarantined`, `Proposed` (of a run of upkeep) and `Answer` (of `ask`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from zeromem.replies import Spent
from zeromem.types import Citation, Context, ReceiptItem, Scope

Verdict = Literal["waiting", "accepted", "rejected"]
MODEL = "@"  # in `made_by` of what a model proposed, between the prompt and its hash, and nowhere else


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory that a model proposed and its source does not support: kept, never recalled. `events` are those that the model was shown,
    `source` is the one that it says the memory is from; `made_by` is prompt, hash and model, `at` when it was proposed."""

    id: str
    scope: Scope
    text: str
    reason: str
    made_by: str
    at: str
    role: str
    speaker: str | None = None
    source: str | None = None
    events: tuple[str, ...] = ()
    verdict: Verdict = "waiting"


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a chat model did in a run of upkeep: messages read, each proposal with what became of it, and what the calls cost.

    `reason` says why there are no facts, where there are none; `waiting` counts messages that are tried again next time.
    """

    read: int = 0
    items: tuple[ReceiptItem, ...] = ()
    spent: Spent = field(default_factory=Spent)
    waiting: int = 0
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def count(self, status: str) -> int:
        return sum(item.status == status for item in self.items)


@dataclass(frozen=True, slots=True)
class Answer:
    """What `ask` answers. `citations` are of the memories that the text names, each in the context that the model saw; `unknown` are
    pointers that it made up, which were taken out of the text. `reason` says why there is no text, where there is none."""

    text: str
    citations: tuple[Citation, ...]
    unknown: tuple[str, ...]
    context: Context
    spent: Spent = field(default_factory=Spent)
    model: str = ""
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)
