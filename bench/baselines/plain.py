"""Contexts without a memory: turns as dated lines, filled into a budget in a given order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.data import Turn
from zeromem.text.tokens import count


def line(turn: Turn) -> str:
    """One turn as a reader would see it."""
    when = f"[{turn.time:%Y-%m-%d}] " if turn.time else ""
    return f"{when}{turn.speaker or turn.role}: {turn.text}\n"


def token_counts(turns: Sequence[Turn]) -> list[int]:
    """Tokens of each turn's line; lines end in a newline, so their counts add up."""
    return [count(line(turn)) for turn in turns]


def filled(order: Iterable[int], costs: Sequence[int], budget: int) -> list[int]:
    """The turns of an order that fit whole into a budget; what does not fit is passed over."""
    taken = []
    for i in order:
        if costs[i] <= budget:
            taken.append(i)
            budget -= costs[i]
        if budget <= 0:
            break
    return taken
