"""Chooses the set that fills the budget: best first, what only restates a chosen card last, whole cards where they fit.

In: ranked positions with their cards. Out: `chosen` under the exact budget, and why the rest was dropped. The best card always
gets in: whole, shortened, or as a bare pointer. Costs are the counts stored with each card; nothing is tokenised.
"""

from __future__ import annotations

from dataclasses import replace

from zeromem.context import group
from zeromem.recall.state import Chosen, Recall
from zeromem.text.words import content, terms
from zeromem.types import Card

_SHARE = 0.6  # of the budget that one shortened card may take
_SAME = 0.9  # share of a card's words that stand in a better card, from which it restates it


def select(recall: Recall) -> Recall:
    """Greedy by rank, restatements after the rest; a card that does not fit is dropped and the next one tried."""
    chosen: list[Chosen] = []
    dropped: list[tuple[int, str]] = []
    headed: set[tuple[str, str]] = set()
    left = recall.budget - recall.frame_tokens
    for position in _fresh_first(recall):
        card = recall.cards[position]
        if len(chosen) >= recall.most:
            dropped.append((position, "enough already"))
            continue
        head = 0 if group(card) in headed else card.head_tokens
        score = float(recall.scores[position]) if recall.scores is not None else 0.0
        item = _fitted(card, score, left - head, int(_SHARE * recall.budget), best=not chosen)
        if item is None:
            dropped.append((position, f"{card.tokens + head} tokens, {max(left, 0)} left"))
            continue
        left -= head + (item.room or card.tokens)
        headed.add(group(card))
        chosen.append(item)
    note = f"{len(chosen)} cards in {recall.budget - left} of {recall.budget} tokens"
    silent = "" if chosen else f"nothing fits into {recall.budget} tokens"
    why = {recall.cards[position].pointer: reason for position, reason in dropped}
    return replace(
        recall, chosen=tuple(chosen), dropped=tuple(dropped), silent=silent, note=note, detail={"dropped": why}
    )


def _fresh_first(recall: Recall) -> list[int]:
    """Positions by rank, but a card whose words nearly all stand in a better one after all others."""
    fresh: list[int] = []
    again: list[int] = []
    told: list[set[str]] = []
    for position in recall.ranked:
        if position not in recall.cards:
            continue
        words = set(content(terms(recall.cards[position].text)))
        if words and any(len(words & other) >= _SAME * len(words) for other in told):
            again.append(position)
        else:
            fresh.append(position)
            told.append(words)
    return [*fresh, *again]


def _fitted(card: Card, score: float, left: int, share: int, *, best: bool) -> Chosen | None:
    if card.tokens <= left:
        return Chosen(card, score)
    if not card.parts or card.parts[0][2] > left:
        return None
    room = min(left, max(share, card.parts[0][2]))
    shortest = min(tokens for _, _, tokens in card.parts[1:]) if len(card.parts) > 1 else 0
    if best or card.parts[0][2] + shortest <= room:
        return Chosen(card, score, (), room)
    return None
