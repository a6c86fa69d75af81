"""The values of refinement: what upkeep made of a card's words, and what that lost.

Frozen, slotted, without behaviour beyond reading, as in `types.py`. A refinement lies over a card version: the card, its events, facts and
indexes stay as they were said, so that it is undone by taking it away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from zeromem.types import Card

Refining = Literal["shorten", "merge", "inside", "rest", "undo"]
Sentences = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Refinement:
    """What is shown in place of a card version's words: `text`, or where that is None the card version `inside`, which says them too; where
    both are None it rests, and is found while nothing else answers.

    `tokens` and `parts` are those of the text, as of a card. `lost` tells what of the words stands in the source alone, one pointer away.
    `id`, `change` (the first id of those made together) and `at` are given by the store.
    """

    row: int
    op: Refining
    text: str | None
    inside: int | None
    tokens: int
    parts: Sentences
    why: str
    made_by: str
    lost: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0
    change: int = 0
    at: int = 0


def refined(card: Card, how: Refinement | None) -> Card:
    """The card as search shows it."""
    if how is None or how.text is None:
        return card
    return replace(card, text=how.text, tokens=how.tokens, parts=how.parts, full=card.text)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What upkeep would make, or made, of a memory: the text that was shown before and after (None: another memory, `by`, says it, or it
    rests), why, and what stands in the source alone then."""

    pointer: str
    op: Refining
    before: str
    after: str | None
    why: str
    by: str = ""
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A proposal that was not taken, and why: the memory stays as it was."""

    pointer: str
    op: Refining
    reason: str


@dataclass(frozen=True, slots=True)
class Refined:
    """What refinement did: characters that search can show before and after, out of `said` and against the budget; how many of each
    operation; the numbers of the changes, for `undo(change=…)`; what was refused. After a dry run `proposals` holds what would be done."""

    said: int = 0
    before: int = 0
    after: int = 0
    budget: int = 0
    made: Mapping[str, int] = field(default_factory=dict)
    tokens_saved: int = 0
    changes: tuple[int, ...] = ()
    refused: tuple[Refusal, ...] = ()
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """What is known of somebody, as the opening of a prompt: the block, its exact tokens, the pointers of its lines, and how many lines did
    not fit."""

    text: str
    tokens: int
    budget: int
    pointers: tuple[str, ...]
    left: int = 0

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True, slots=True)
class Compressed:
    """A text in fewer of its own words. `ref` expands to the source; `ok`: no atom that may not go went; `lost` lists those that stand in the
    source alone; tokens `before` and `after`; `why` it is no shorter, where it is not."""

    text: str
    ref: str
    ok: bool
    lost: tuple[str, ...]
    before: int
    after: int
    why: str = ""
