"""Puts chosen cards into the block that goes into a prompt: by date and session, with pointers, under an exact budget.

In: chosen cards with the token counts that were stored when they were written. Out: the text, its exact token count and the
citations. Pure; loads no tokenizer. The count is exact because every piece ends in a newline and the next one begins with a
character that no token joins to a newline.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from zeromem.clock import micros
from zeromem.recall.state import Chosen
from zeromem.text.render import CLOSE, OPEN, SHORTENED, heading, line, part_line
from zeromem.types import Card, Citation

FRAME_TOKENS = 15  # of OPEN and CLOSE in o200k; a test counts them anew


def cost(chosen: Chosen) -> int:
    """Tokens of a chosen card's lines, without the heading of its group."""
    notes = sum(tokens for _, tokens in chosen.notes)
    if chosen.parts is None:
        return chosen.card.tokens + notes
    return sum(chosen.card.parts[i][2] for i in (0, *chosen.parts)) + notes


def group(card: Card) -> tuple[str, str]:
    """Cards of one day and session stand under one heading."""
    return card.at[:10], card.session or ""


def total(chosen: Sequence[Chosen], frame_tokens: int) -> int:
    """Exact tokens of the whole block."""
    if not chosen:
        return 0
    heads = {group(item.card): item.card.head_tokens for item in chosen}
    return frame_tokens + sum(heads.values()) + sum(cost(item) for item in chosen)


def render(chosen: Sequence[Chosen]) -> str:
    """The block; empty for no cards."""
    if not chosen:
        return ""
    out = [OPEN]
    for _, items in groupby(_ordered(chosen), key=lambda item: group(item.card)):
        for i, item in enumerate(items):
            if i == 0:
                out.append(heading(item.card.at, item.card.session))
            out.extend(_lines(item))
    return "".join([*out, CLOSE])


def _ordered(chosen: Sequence[Chosen]) -> list[Chosen]:
    """Groups by their first instant, cards within them by theirs: where offsets differ, dates alone are no order."""
    by_time = sorted(chosen, key=lambda item: (micros(item.card.at), item.card.born))
    first: dict[tuple[str, str], int] = {}
    for item in by_time:
        first.setdefault(group(item.card), len(first))
    return sorted(by_time, key=lambda item: first[group(item.card)])


def _lines(item: Chosen) -> list[str]:
    card = item.card
    name = card.speaker or card.role
    notes = [text for text, _ in item.notes]
    if item.parts is None:
        return [line(card.pointer, name, card.text), *notes]
    parts = [card.parts[i] for i in sorted(item.parts)]
    return [line(card.pointer, name, SHORTENED), *(part_line(card.text[start:end]) for start, end, _ in parts), *notes]


def citations(chosen: Sequence[Chosen]) -> tuple[Citation, ...]:
    return tuple(
        Citation(item.card.pointer, item.card.id, item.card.at, cost(item), item.parts is not None) for item in chosen
    )
