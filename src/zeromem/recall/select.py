"""Chooses the set that fills the budget: best first, what only restates a chosen card last, whole cards where they fit.

In: ranked positions with their cards. Out: `chosen` under the exact budget, and why the rest was dropped. The best card always
gets in: whole, shortened, or as a bare pointer. Costs are the counts stored with each card; nothing is tokenised.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from zeromem.context import group
from zeromem.kinds import SUMMARY
from zeromem.plural import counted
from zeromem.recall.doubts import asked, clarification, doubts
from zeromem.recall.notes import doubt, partly, past
from zeromem.recall.refined import clause
from zeromem.recall.state import Chosen, Danger, Note, Recall
from zeromem.structures.kin import thing
from zeromem.text.words import language
from zeromem.types import Card

_SHARE = 0.6  # of the budget that one shortened card may take
_UNITS = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|\w+"
)  # words, or single characters where words have no spaces: cheap
_SAME = 0.9  # share of a card's words that stand in a better card, from which it restates it


def select(recall: Recall) -> Recall:
    """Greedy by rank, restatements after the rest; a card that does not fit is dropped and the next one tried.

    What the question or a chosen card names as a danger to those it is about comes first, with the card that says so.
    """
    beside = dict.fromkeys(recall.urgent, "the question")
    while True:
        out, left = _filled(recall, tuple(beside))
        shown = {item.card.row for item in out.chosen}
        more = {
            danger: f"[m:{item.card.pointer}]"
            for danger in recall.dangers
            if danger not in beside and danger.position in recall.cards
            for item in out.chosen
            if danger.rows.isdisjoint(shown) and thing(danger.value).named_in(item.card.source)
        }
        if not more:
            break
        beside |= more
    out, left = _doubted(out, left)
    note = f"{counted(len(out.chosen), 'card')} in {recall.budget - left} of {recall.budget} tokens"
    if out.clarifications:
        note += f"; in doubt: {out.clarifications[0].question}"
    silent = "" if out.chosen else f"nothing fits into {recall.budget} tokens"
    detail: dict[str, Any] = {"dropped": {recall.cards[position].pointer: reason for position, reason in out.dropped}}
    if beside:
        told = {recall.cards[danger.position].pointer: (danger.value, by) for danger, by in beside.items()}
        detail["beside"] = {pointer: f"must not have {value}, named in {by}" for pointer, (value, by) in told.items()}
    return replace(out, silent=silent, note=note, detail=detail)


def _filled(recall: Recall, beside: Sequence[Danger]) -> tuple[Recall, int]:
    """Cards chosen, those of the dangers first, and the tokens left."""
    chosen: list[Chosen] = []
    dropped: list[tuple[int, str]] = []
    headed: set[tuple[str, str]] = set()
    told: list[set[str]] = []
    query = _words(recall.query)
    again: list[int] = []  # grows while the first pass runs, and is walked after it
    left = recall.budget - recall.frame_tokens
    keep = {d.position: clause(recall.cards[d.position], d) for d in beside if d.position in recall.cards}
    fresh = [*keep, *(position for position in recall.ranked if position in recall.cards and position not in keep)]
    most = min(recall.limit, recall.most + len(keep))
    for turn, position in enumerate(chain(fresh, again)):
        card = recall.cards[position]
        if len(chosen) >= most:
            dropped.append((position, "enough already"))
            continue
        head = 0 if group(card) in headed else card.head_tokens
        score = float(recall.scores[position]) if recall.scores is not None else 0.0
        notes = _notes(recall, position, card)
        mark = sum(tokens for _, tokens in notes)
        if recall.question is not None and recall.question.recap and len(card.parts) > 1 and card.kind != SUMMARY:
            brief = card.parts[0][2] + card.parts[1][2]  # its first sentence says what it was about
            item = Chosen(card, score, (), brief) if brief <= left - head - mark else None
        else:
            item = _fitted(card, score, left - head - mark, int(_SHARE * recall.budget), best=not chosen)
        if item is None:
            dropped.append((position, f"{card.tokens + head} tokens, {max(left, 0)} left"))
            continue
        words = _words(card.text)
        # Also the same question, asked before: it knows no more than this one.
        others = [*told, query] if card.text.rstrip().endswith(("?", "？")) else told
        if (
            turn < len(fresh)
            and position not in keep
            and any(len(words & other) >= _SAME * len(words) for other in others)
        ):
            again.append(position)
            continue
        left -= head + mark + (item.room or card.tokens)
        headed.add(group(card))
        told.append(words)
        chosen.append(replace(item, notes=notes, keep=keep.get(position, (0, 0))))
    return replace(recall, chosen=tuple(chosen), dropped=tuple(dropped)), left


def _notes(recall: Recall, position: int, card: Card) -> tuple[Note, ...]:
    """That a card no longer holds, or a part of it."""
    if recall.past(position):
        return (past(language(card.text), recall.count),)
    slots = recall.facts.ended(card.row)
    return (partly(slots, language(card.text), recall.count),) if slots else ()


def _doubted(recall: Recall, left: int) -> tuple[Recall, int]:
    """The newest doubt about what is asked, where both cards are shown: a note under the later one, if there is room."""
    cards = {item.card.row: item.card for item in recall.chosen}
    rows = [fact for row in cards for fact in recall.facts.rows.get(row, ())]
    if not recall.clarify or recall.question is None or not rows:
        return recall, left
    pairs = [pair for pair in doubts(rows, recall.facts.held) if pair[0].row != pair[1].row]
    for pair in reversed([pair for pair in pairs if asked(pair, recall.question)]):
        under = max(pair, key=lambda fact: (fact.begin, fact.row)).row
        note = doubt(pair[0].slot, language(cards[under].text), recall.count)
        if note[1] <= left:
            chosen = tuple(
                replace(item, notes=(*item.notes, note)) if item.card.row == under else item for item in recall.chosen
            )
            return replace(recall, chosen=chosen, clarifications=(clarification(pair, cards),)), left - note[1]
    return recall, left


def _words(text: str) -> set[str]:
    return set(_UNITS.findall(text.casefold()))


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
