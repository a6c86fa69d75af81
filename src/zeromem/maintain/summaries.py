"""Keeps one summary card for each session that has come to rest, made of what the session says.

In: a ledger, a scope, a moment. Out: how many were made, renewed and taken away; each session is one short transaction, so this can be cut
short at any point and goes on where it was. A summary names in `made_by` what it was made of: where the session says something else since,
it is made anew. It goes with what it was made of (`Ledger.delete`, `erasing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from zeromem.clock import micros
from zeromem.encode.cards import Draft
from zeromem.encode.digests import digest
from zeromem.kinds import SUMMARY
from zeromem.ledger import HAND, Ledger, Origin, is_derived, who
from zeromem.ports import Progress
from zeromem.refine.summary import Saying, summarise
from zeromem.types import Card, Event, Scope

LEAST = 6  # cards of a session that is worth a summary
QUIET = 3_600_000_000  # microseconds after which a session has come to rest
RULE = "summary@1"
_MOST = 2000  # cards of a session that are read


def summaries(
    ledger: Ledger, scope: Scope, now: int, progress: Progress | None = None, *, session: str = ""
) -> Counter[str]:
    """Make what is missing and renew what is outdated, of a scope without a session; of `session` alone, also where it was just heard."""
    store, done = ledger.store, Counter[str]()
    known = {card.session: card for card in store.cards_of_kind(scope, SUMMARY)}
    unwanted = store.deleted_of_kind(scope, SUMMARY)
    told = [one for one in store.sessions(scope) if not session or one[0] == session]
    for number, (name, count, _, rows, heard) in enumerate(told, 1):
        old, made_by = known.get(name), f"{RULE}:{count}.{rows}"
        rests = count >= LEAST and (session or heard <= now - QUIET) and name not in unwanted
        if rests and (old is None or old.made_by not in (made_by, HAND)):
            with store.write():
                done[_written(ledger, replace(scope, session=name), now, made_by)] += 1
        if progress:
            progress(number, len(told))
    done.pop("", None)
    return done


def _written(ledger: Ledger, scope: Scope, now: int, made_by: str) -> str:
    """Write the summary of a session as it is in this transaction; what was done."""
    store = ledger.store
    old = next(
        (card for card in store.cards_of_kind(scope.without_session(), SUMMARY) if card.session == scope.session), None
    )
    cards = _own(ledger, scope)
    facts = store.facts_of_rows([card.row for card in cards])
    said = [
        Saying(who(card), card.role == "assistant", card.text, [(f.start, f.end) for f in facts if f.row == card.row])
        for card in cards
    ]
    made = summarise(said)
    if made is None:
        return ""
    events: dict[int, Event] = {}
    spans: list[tuple[int, int, int]] = []
    for number in made.made_of:
        for span in store.spans(cards[number].id):
            spans.append((len(events), span.start, span.end))
            events[len(events)] = span.event
    draft = Draft(SUMMARY, "memory", None, made.text, tuple(spans))
    at = max((card.at for card in cards), key=micros)
    if old is None:
        key = digest(draft.kind, draft.role, draft.speaker, draft.text)
        ledger.add(draft, key, Origin(scope, now, None, {}), at, events, made_by)
        return "made"
    ledger.update(replace(old, at=at), made.text, old.metadata, now, "the session went on", made_by=made_by)
    ledger.link(old.id, draft, events)
    return "renewed"


def _own(ledger: Ledger, scope: Scope) -> Sequence[Card]:
    """The cards that a session said first, in the order of time."""
    found: list[Card] = []
    after = (-(2**62), 0)
    while len(found) < _MOST and (cards := ledger.store.cards_after(scope, "time", after, 500)):
        after = (micros(cards[-1].at), cards[-1].born)
        found += [card for card in cards if card.session == scope.session and not is_derived(card)]
    return list(islice(found, _MOST))
