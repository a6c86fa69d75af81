"""Shortens the cards that did not fit whole: the sentences that say most about the question, as many as there is room for.

In: chosen cards, some with `room`. Out: the same with the sentences named. What is left out stays one pointer away.
"""

from __future__ import annotations

import math
from dataclasses import replace

from zeromem.recall.state import Chosen, Question, Recall
from zeromem.text.words import hashes, terms


def compress(recall: Recall) -> Recall:
    """Fill every shortened card's room with its most telling sentences, in their order."""
    chosen = tuple(item if item.parts is None else _shortened(item, recall.question) for item in recall.chosen)
    short = [f"[m:{item.card.pointer}] {item.card.tokens} tokens" for item in chosen if item.parts is not None]
    return replace(recall, chosen=chosen, note=f"shortened {', '.join(short)}" if short else "all cards whole")


def _shortened(item: Chosen, question: Question | None) -> Chosen:
    weights = dict(zip(question.hashes, question.weights, strict=True)) if question else {}
    left = item.room - item.card.parts[0][2]
    worth = []
    for i, (start, end, tokens) in enumerate(item.card.parts[1:], 1):
        found = {int(number) for number in hashes(terms(item.card.text[start:end]))}
        kept = math.inf if start < item.keep[1] and item.keep[0] < end else 0.0
        worth.append((kept + sum(weights.get(number, 0.0) for number in found), -i, tokens))
    taken: list[int] = []
    for value, place, tokens in sorted(worth, reverse=True):
        if tokens <= left and (value > 0 or not taken):
            taken.append(-place)
            left -= tokens
    return replace(item, parts=tuple(sorted(taken)))
