"""Which memories a question may be answered from: of its session, time, subject and filters, as known or believed at a moment.

In: a store, a snapshot, the options of a question. Out: masks by position, and the facts as they stood. What the caller holds already and what
rests is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from zeromem.asking import Options
from zeromem.facts import USER, FactRow
from zeromem.ports import Store
from zeromem.recall.relations import chains
from zeromem.recall.understand import asker
from zeromem.route import about
from zeromem.structures.facts import FactBook, grow
from zeromem.structures.snapshot import Bools, Floats, Longs, Snapshot
from zeromem.text.words import terms
from zeromem.types import Scope

_CHUNK = 2000


def known(store: Store, snapshot: Snapshot, asked: Options) -> Bools:
    """The cards that were known at the moment asked for."""
    if asked.known_at is None:
        return np.ones(len(snapshot), np.bool_)
    out = np.zeros(len(snapshot), np.bool_)
    out[snapshot.positions(store.known_rows(asked.scope.without_session(), asked.known_at))] = True
    return out


def believed(store: Store, snapshot: Snapshot, asked: Options, then_known: Bools) -> tuple[FactBook, Floats]:
    """The facts as they stand, or as they stood at the moment asked for, and how far each card is outdated by them."""
    if asked.as_of is None and asked.known_at is None:
        return snapshot.facts, snapshot.outdated
    rows = {int(row) for row in snapshot.columns.rows[then_known]}
    then = [fact for row, some in snapshot.facts.rows.items() if row in rows for fact in some]
    if asked.known_at is not None:
        then = store.facts_of_rows(sorted({fact.row for fact in then}), asked.known_at)
    if asked.as_of is not None:
        then = [told for fact in then if (told := fact.until(asked.as_of)) is not None]
    book, weighed = grow(FactBook(), then, ())
    outdated = np.zeros(len(snapshot), np.float32)
    outdated[snapshot.positions(sorted(weighed))] = [book.outdated(row) for row in sorted(weighed)]
    return book, outdated


def allowed(store: Store, snapshot: Snapshot, asked: Options, facts: FactBook) -> Bools:
    """Which cards may be shown: living ones that no condition takes out."""
    columns = snapshot.columns
    shown = snapshot.alive.copy()
    if asked.within_session:
        shown &= _told_in(store, snapshot, asked.scope)
    if asked.exclude_session is not None:
        shown &= ~_told_in(store, snapshot, replace(asked.scope, session=asked.exclude_session))
    if asked.after is not None:
        shown &= columns.at >= asked.after
    if asked.before is not None:
        shown &= columns.at < asked.before
    if asked.as_of is not None:
        told = columns.at <= asked.as_of
        told[snapshot.positions(list(facts.rows))] = True  # also what was said before in words that came late
        shown &= told
    if asked.subject is not None:
        shown &= _spoken_of(store, snapshot, asked.subject, facts)
    if asked.matches is not None:
        shown = _filtered(store, snapshot, asked, shown)
    return shown


def _spoken_of(store: Store, snapshot: Snapshot, subject: str, facts: FactBook) -> Bools:
    """Cards that state something of a subject ("Ben", "Ana's brother"), or that it said itself."""

    def clause(fact: FactRow) -> str:
        card = store.cards([fact.row]).get(fact.row)
        return "" if card is None else card.text[fact.start : fact.end]

    words, columns = terms(subject), snapshot.columns
    followed = chains(facts, words, (USER, *asker(snapshot)), clause)
    names = {about(subject), *(name for chain in followed if chain.end == len(words) for name in chain.names)}
    codes = [code for speaker, code in snapshot.names.items() if about(speaker) in names]
    out = np.isin(columns.speaker, codes)
    if USER in names:
        out |= columns.role == snapshot.code(USER)
    rows = {fact.row for name in names for matter in facts.matters.get(name, ()) for fact in facts.groups[name, matter]}
    out[snapshot.positions(sorted(rows))] = True
    return np.asarray(out, np.bool_)


def _told_in(store: Store, snapshot: Snapshot, session: Scope) -> Bools:
    """Cards that the session says, whichever session said them first."""
    told = np.zeros(len(snapshot), np.bool_)
    told[snapshot.positions(store.session_rows(session))] = True
    return told


def window(store: Store, snapshot: Snapshot, asked: Options, said: Sequence[bytes]) -> Longs:
    """Positions of what the caller holds: the messages passed in, else the last turns of the named session."""
    if said:
        cards = list(store.same(said, asked.scope).values())
    elif asked.scope.session is not None and asked.window:
        events = store.session_events(asked.scope, asked.window)
        cards = [card for event in events for card in store.cards_of(event.id)]
    else:
        cards = []
    return snapshot.positions([card.row for card in cards])


def _filtered(store: Store, snapshot: Snapshot, asked: Options, allowed: Bools) -> Bools:
    out = np.zeros_like(allowed)
    positions = np.flatnonzero(allowed)
    for start in range(0, len(positions), _CHUNK):
        places = {int(snapshot.columns.rows[i]): int(i) for i in positions[start : start + _CHUNK]}
        for row, card in store.cards(list(places)).items():
            out[places[row]] = asked.matches is None or asked.matches(card)
    return out
