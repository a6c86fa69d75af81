"""The values of refinement: what upkeep made of a card's words, and what that lost.

Frozen, slotted, without behaviour beyond reading, as in `types.py`. A refinement lies over a card version: the card, its events, facts and
indexes stay as they were said, so that it is undone by taking it away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from zeromem.types import Card

Refining = Literal["shorten", "merge", "inside", "undo"]
Sentences = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Refinement:
    """What is shown in place of a card version's words: `text`, or where that is None the card version `inside`, which says them too.

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
