"""Keeps one summary card for each session that has come to rest, made of what the session says.

In: a ledger, a scope, a moment. Out: how many were made, renewed and taken away; each session is one short transaction, so this can be cut
short at any point and goes on where it was. A summary names in `made_by` what it was made of: where the session says something else since,
it is made anew. It goes with what it was made of (`Ledger.delete`, `erasing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from zeromem.clock import micros
from zeromem.encode.cards import Draft
from zeromem.encode.digests import digest
from zeromem.kinds import SUMMARY
from zeromem.ledger import HAND, Ledger, Origin, is_derived, who
from zeromem.ports import Progress
from zeromem.refine.coverage import Saying
from zeromem.refine.summary import summarise
from zeromem.types import Card, Event, Scope

LEAST, LONG = 3, 120  # cards, and tokens of them, of a session that is worth a summary
QUIET = 3_600_000_000  # microseconds after which a session has come to rest
RULE = "summary:1"
_MOST = 2000  # cards of a session that are read


def summaries(
    ledger: Ledger, scope: Scope, now: int, progress: Progress | None = None, *, session: str = ""
) -> Counter[str]:
    """Make what is missing and renew what is outdated, of a scope without a session; of `session` alone, also where it was just heard."""
    store, done = ledger.store, Counter[str]()
    known = {card.session: card for card in store.cards_of_kind(scope, SUMMARY)}
    unwanted = store.deleted_of_kind(scope, SUMMARY)
    told = [one for one in store.sessions(scope) if not session or one[0] == session]
    for number, (name, count, length, rows, heard) in enumerate(told, 1):
        old, made_by = known.get(name), f"{RULE}:{count}.{rows}"
        worth = count >= LEAST and length >= LONG and name not in unwanted
        rests = worth and (session or heard <= now - QUIET)
        if rests and (old is None or old.made_by not in (made_by, HAND)):
            done[_made(ledger, replace(scope, session=name), now, made_by)] += 1
        if progress:
            progress(number, len(told))
    done.pop("", None)
    return done


def _made(ledger: Ledger, scope: Scope, now: int, made_by: str) -> str:
    """Make and write the summary of a session; what was done, or nothing where it fits in no room or something was changed meanwhile."""
    store = ledger.store
    cards = _own(ledger, scope)
    facts = store.facts_of_rows([card.row for card in cards])
    said = [
        Saying(who(card), card.role == "assistant", card.text, [(f.start, f.end) for f in facts if f.row == card.row])
        for card in cards
    ]
    made = summarise(said)
    if made is None:
        return ""
    with store.write():
        chosen = [cards[number] for number in made.made_of]
        there = all((found := store.card(card.id)) and found[0].row == card.row for card in chosen)
        return _written(ledger, scope, now, made_by, made.text, chosen) if there else ""


def _written(ledger: Ledger, scope: Scope, now: int, made_by: str, text: str, made_of: Sequence[Card]) -> str:
    """In the caller's transaction: a new summary, or a new version of the one there is."""
    store, events, spans = ledger.store, dict[int, Event](), list[tuple[int, int, int]]()
    for span in (span for card in made_of for span in store.spans(card.id)):
        spans.append((len(events), span.start, span.end))
        events[len(events)] = span.event
    draft = Draft(SUMMARY, "memory", None, text, tuple(spans))
    at = max((card.at for card in made_of), key=micros)
    known = store.cards_of_kind(scope.without_session(), SUMMARY)
    old = next((card for card in known if card.session == scope.session), None)
    if old is None:
        key = digest(draft.kind, draft.role, draft.speaker, draft.text)
        ledger.add(draft, key, Origin(scope, now, None, {}, made_by), at, events)
        return "made"
    ledger.update(replace(old, at=at), text, old.metadata, now, "the session went on", made_by=made_by)
    ledger.link(old.id, draft, events)
    return "renewed"


def _own(ledger: Ledger, scope: Scope) -> list[Card]:
    """The cards that a session said first, in the order of time; the last of very many."""
    found = ledger.store.cards(ledger.store.session_rows(scope)).values()
    own = [card for card in found if card.session == scope.session and not is_derived(card)]
    return sorted(own, key=lambda card: (micros(card.at), card.born))[-_MOST:]
