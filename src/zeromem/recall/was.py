"""Puts what was so first, where the question asks for it: what held in a slot before, or at the time that is named.

In: the ranking of a question whose slots of facts are known. Out: `ranked` with the cards that state how it was in front, the last first,
then the cards that ended them; `led` says how many these are. A question for what is so now is left alone, and so is what was a slip
of the pen: nobody lived in a typo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from zeromem.clock import LAST, micros
from zeromem.facts import FactRow
from zeromem.plural import counted
from zeromem.recall.state import Question, Recall
from zeromem.route import FOLLOWS
from zeromem.text.times import TimeSpan

_MOST = 3  # values that a slot had before


def was(recall: Recall) -> Recall:
    """Lead with the facts of how it was."""
    question = recall.question
    if question is None or not recall.ranked or recall.scores is None or not question.whom:
        return replace(recall, note="nothing that was is asked for")
    pairs = sorted(_were(recall, question), key=lambda pair: (-pair[0].begin, -pair[0].row))
    old = _positions(recall, [one.row for one, _ in pairs])[:_MOST]
    new = [position for position in _positions(recall, [by.row for _, by in pairs]) if position not in old][:_MOST]
    if not old:
        return replace(recall, note="nothing that was is asked for")
    first = (*old, *new)
    scores, best = recall.scores.copy(), float(recall.scores[list(recall.ranked)].max())
    scores[list(first)] = best
    cards = {**recall.cards, **recall.fetch([position for position in first if position not in recall.cards])}
    ranked = (*first, *(position for position in recall.ranked if position not in first))
    note = f"{counted(len(old), 'memory')} of how it was first"
    return replace(recall, ranked=ranked, scores=scores, cards=cards, led=len(first), note=note)


def _positions(recall: Recall, rows: list[int]) -> list[int]:
    """Where these rows stand, in their order, each once, of those that may be shown."""
    found = {int(recall.snapshot.columns.rows[i]): int(i) for i in recall.snapshot.positions(sorted(set(rows)))}
    return [found[row] for row in dict.fromkeys(rows) if row in found and recall.allowed[found[row]]]


def _were(recall: Recall, question: Question) -> Iterator[tuple[FactRow, FactRow]]:
    """What was so, with what ended it: at the time that the question names, if it names one that is over, else ever."""
    spans = [_bounds(span) for span in question.times if span.start <= recall.now]
    pairs = list(_ended(recall, question))
    then = [(one, by) for one, by in pairs if any(one.begin <= end and by.begin > start for start, end in spans)]
    yield from then or (pairs if question.past else ())


def _ended(recall: Recall, question: Question) -> Iterator[tuple[FactRow, FactRow]]:
    """What is asked for and no longer holds; where a slot has many values, of those that the question's words name."""
    facts, line = recall.facts, recall.snapshot.line
    hit = recall.arms["keyword"]["hit"] if "keyword" in recall.arms else None
    for name, slots in question.whom:
        for matter in facts.matters.get(name, ()):
            group = facts.groups[name, matter]
            by_id = {fact.id: fact for fact in group}
            for fact in group:
                by = by_id.get(facts.held[fact.id].by or 0)
                if (
                    fact.slot not in slots
                    or fact.sign < 0
                    or by is None
                    or facts.held[fact.id].standing != "superseded"
                ):
                    continue
                if any(
                    other.made_by == FOLLOWS and other.sign > 0 and other.slot == fact.slot
                    for other in facts.rows.get(by.row, ())
                ):
                    continue
                places = line.place[recall.snapshot.positions([fact.row])]
                if fact.single or (hit is not None and (hit[places] > 0).any()):
                    yield fact, by


def _bounds(span: TimeSpan) -> tuple[int, int]:
    """The stretch that is meant, in microseconds: "before May" is all that lies before it."""
    if span.direction == "before":
        return 0, micros(span.start) - 1
    return micros(span.start), LAST if span.direction == "after" else micros(span.end) - 1
