"""Shows what belongs together: an answer with its question, a correction with what it corrects.

In: the ranking, and how many of its first are shown. Out: the same with what belongs to the first few beside them, as far as eight go.
A question is followed by what another said next, where a person said it, or else by what came of it ("Booked: Sukhothai, 19:30"). A
correction ("typo, her name is Karla") is preceded by what it corrects, and something corrected is followed by its correction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from zeromem.correcting import correction
from zeromem.recall.state import Recall

_FIRST = 3  # cards that are looked at
_STEPS = (-2, -1, 1, 2)  # turns within which an answer or a correction follows


def together(recall: Recall, most: int, limit: int) -> Recall:
    """Put beside the first cards what belongs to them; `limit` cards at most. What it shows is in `most`."""
    if not recall.ranked or most >= limit:
        return replace(recall, most=most)
    shown, rest = list(recall.ranked[:most]), recall.ranked[most:]
    first = shown[:_FIRST]
    near = {
        position: {at: i for at in _STEPS if (i := _beside(recall, position, at)) is not None} for position in first
    }
    unread = {i for found in near.values() for i in found.values()} - recall.cards.keys()
    recall = replace(recall, cards={**recall.cards, **recall.fetch(sorted(unread))})
    scores = recall.scores.copy() if recall.scores is not None else None
    for position in first:
        for other, after in _belongs(recall, position, near[position]):
            if other not in shown and len(shown) < limit:
                shown.insert(shown.index(position) + after, other)
                if scores is not None:
                    scores[other] = max(scores[other], scores[position])
    kept = tuple(position for position in rest if position not in shown)
    return replace(recall, ranked=(*shown, *kept), scores=scores, most=len(shown))


def _beside(recall: Recall, position: int, step: int) -> int | None:
    """The card so many places on in the same session, if it may be shown."""
    line = recall.snapshot.line
    place = int(line.place[position]) + step
    if not 0 <= place < len(line) or line.group[place] != line.group[line.place[position]]:
        return None
    found = int(line.order[place])
    return found if recall.allowed[found] else None


def _belongs(recall: Recall, position: int, near: dict[int, int]) -> Iterator[tuple[int, bool]]:
    """What belongs to a card, and whether it comes after it."""
    line, shape = recall.snapshot.line, recall.arms["shape"]

    def speaker(i: int) -> int:
        return int(line.speaker[line.place[i]])

    def asks(i: int) -> bool:
        return bool(shape["question"][line.place[i]])

    def person(i: int) -> bool:
        return bool(line.answers[line.place[i]])

    said, one, two = recall.cards[position].source, near.get(1), near.get(2)
    before = next((near[i] for i in (-1, -2) if i in near and speaker(near[i]) == speaker(position)), None)
    if before is not None and before in recall.cards and correction(said) and not _matched(recall, position):
        yield before, False
    after = next((i for i in (one, two) if i is not None and speaker(i) == speaker(position)), None)
    corrects = after is not None and after in recall.cards and correction(recall.cards[after].source)
    if after is not None and corrects and not recall.past(position):
        yield after, True
    if ("?" in said or "？" in said) and one is not None:
        if speaker(one) != speaker(position) and person(one) and not asks(one):
            yield one, True
        elif two is not None and person(two) and not asks(two) and speaker(two) == speaker(position) != speaker(one):
            yield two, True


def _matched(recall: Recall, position: int) -> bool:
    """Whether a card says by itself what the question is about."""
    return "keyword" in recall.arms and bool(recall.arms["keyword"]["hit"][recall.snapshot.line.place[position]] > 0)
