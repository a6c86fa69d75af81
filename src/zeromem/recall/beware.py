"""Finds what must not be overlooked: what those whom a question is about are allergic to or may not have.

In: the understood question and the facts. Out: `dangers`, and of them the `urgent` ones whose thing the question itself names. The card
that states one travels with every shown card that names the thing (`select.py`), whatever the gate thinks of it. A thing is named by
its own words and by the table `rules/kin.toml`; what neither links ("satay" in a language that the table lacks) is not found.
"""

from __future__ import annotations

from dataclasses import replace

from zeromem.clock import micros
from zeromem.plural import counted
from zeromem.recall.state import Danger, Recall
from zeromem.structures.kin import thing


def beware(recall: Recall) -> Recall:
    """Look up the dangers of those whom the question is about; the newest card of each thing."""
    facts, now = recall.facts, micros(recall.now)
    if recall.question is None or not facts.matters:
        return replace(recall, note="no facts")
    people = dict.fromkeys((*recall.question.me, *(name for name, _ in recall.question.whom)))
    newest: dict[tuple[str, str], Danger] = {}
    told = [fact for name in people for fact in facts.barred(name, now)]
    for fact in sorted(told, key=lambda fact: (fact.at, fact.row)):
        for position in recall.snapshot.positions([fact.row]):
            if recall.allowed[position]:
                key = fact.about, fact.sense
                rows = newest[key].rows if key in newest else frozenset()
                newest[key] = Danger(int(position), fact.value, (fact.start, fact.end), rows | {fact.row})
    dangers = tuple(newest.values())
    urgent = tuple(danger for danger in dangers if thing(danger.value).named_in(recall.query))
    cards = recall.fetch([danger.position for danger in dangers]) if dangers else {}
    note = counted(len(dangers), "danger") + (f", {len(urgent)} named in the question" if urgent else "")
    return replace(recall, dangers=dangers, urgent=urgent, cards={**recall.cards, **cards}, note=note)
