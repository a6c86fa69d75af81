"""Decides what goes when an event is forgotten, and takes it out: every table, every version, every pointer.

In: a store, ids of events and cards, inside the caller's transaction. Out: a `Plan`, then counts of rows. A card goes with all its
versions unless an event that is kept says its words too; then only what the forgotten event brought to it goes: versions, metadata,
session, source, time, and a pointer that is a word of it. A kept event whose only card went is made into a card anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from zeromem.clock import iso, micros
from zeromem.encode.cards import Cut, pieces
from zeromem.encode.digests import digest
from zeromem.encode.messages import Item
from zeromem.encode.pointers import stems
from zeromem.ids import split_pointer
from zeromem.intake import Intake
from zeromem.kinds import SUMMARY
from zeromem.ledger import Ledger, Origin
from zeromem.ports import Op, Store
from zeromem.text.words import fold, terms
from zeromem.types import Card, Event

Version = tuple[Card, Op, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What goes: events, cards by id with their versions, and what stays of cards that kept events say too (None: all of it)."""

    events: Mapping[str, Event]
    cards: Mapping[str, Sequence[Version]]
    kept: Mapping[str, Sequence[Version] | None]
    stray: Sequence[Event]  # kept, and about to lose their only card

    def texts(self) -> list[str]:
        """Every text that is to be gone, each once: of events, of card versions, of metadata, and the pointers."""
        found: dict[str, None] = {}
        for event in self.events.values():
            found.update(dict.fromkeys([event.text, event.raw or "", *_strings(event.metadata)]))
        for versions in self.cards.values():
            for card, *_ in versions:
                found.update(dict.fromkeys([card.text, card.pointer, *_strings(card.metadata)]))
        return [text for text in found if text]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(one)


def plan(store: Store, event_ids: Iterable[str], card_ids: Iterable[str] = ()) -> Plan:
    """Everything that goes with these events, and with every event of these cards."""
    dying = dict.fromkeys(card_ids)
    going = dict.fromkeys(event_ids)
    for id_ in dying:
        if not _summary(store, id_):  # it only says again what others say
            going.update((span.event.id, None) for span in store.spans(id_))
    kept: dict[str, None] = {}
    todo = list(going)
    while todo:
        more: dict[str, None] = {}
        for id_ in store.linked_cards(todo):
            if id_ in dying:
                continue
            left = _left(store, id_, going)
            if any(_says(left, card, edits=False) for card, op, _ in store.versions(id_) if op != "delete"):
                kept[id_] = None
                continue
            dying[id_] = None
            # An edit by hand is of this card alone, and mostly repeats what it changed.
            more.update((event.id, None) for event in left if event.kind == "edit")
        todo = [id_ for id_ in more if id_ not in going]
        going.update(more)
    events = {event.id: event for event in store.events(list(going))}
    return Plan(
        events,
        {id_: store.versions(id_) for id_ in dying},
        {id_: _rest(store, id_, events) for id_ in kept if id_ not in dying},
        _stray(store, dying, going),
    )


def _summary(store: Store, card_id: str) -> bool:
    found = store.card(card_id)
    return found is not None and found[0].kind == SUMMARY


def _left(store: Store, card_id: str, going: Mapping[str, Any]) -> list[Event]:
    return list({span.event.id: span.event for span in store.spans(card_id) if span.event.id not in going}.values())


def _says(events: Iterable[Event], card: Card, *, edits: bool) -> bool:
    """Whether the events hold every word of a card. By words, for a card may be headed, joined or cut."""
    held = [event.text for event in events if edits or event.kind != "edit"]
    words = set(terms(card.text))
    if not words:
        return any(fold(card.text) in fold(text) for text in held)
    return words <= {word for text in held for word in terms(text)}


def _stray(store: Store, dying: Iterable[str], going: Mapping[str, Any]) -> list[Event]:
    gone = set(dying)
    left: dict[str, Event] = {}
    for id_ in gone:
        newest = store.card(id_)
        if newest is not None and newest[1] != "delete":
            left.update((e.id, e) for e in _left(store, id_, going) if e.kind != "edit")
    retired = {id_ for id_, _, _ in store.retired(None)} if left else set()
    return [e for e in left.values() if e.id not in retired and not {c.id for c in store.cards_of(e.id)} - gone]


def _rest(store: Store, card_id: str, going: Mapping[str, Event]) -> list[Version] | None:
    """The versions of a card without what only forgotten events say; None if nothing of it changes."""
    left, versions = _left(store, card_id, going), store.versions(card_id)
    gone = [span.event for span in store.spans(card_id) if span.event.id in going]
    rest: list[Version] = []
    for card, op, reason in versions:
        if op == "delete" and (not rest or rest[-1][1] == "delete"):
            continue
        if op == "delete" or _says(left, card, edits=True):
            rest.append((_without(card, gone, left), op, _reason(op, reason, gone)))
    (first, _, reason), *later = rest
    words = fold(" ".join(card.text for card, *_ in rest))
    stem = (split_pointer(first.pointer) or (first.pointer, 1))[0]
    pointer = first.pointer if len(rest) == len(versions) or stem in words else ""
    rest = [(replace(card, pointer=pointer), op, why) for card, op, why in [(first, "add", reason), *later]]
    return None if rest == versions else rest


def _without(card: Card, gone: Sequence[Event], left: Sequence[Event]) -> Card:
    """A version with session, source, time and metadata of events that stay."""
    said = sorted((event for event in left if event.kind != "edit"), key=lambda event: micros(event.at))
    first = said[0]
    session = card.session if any(card.session == event.scope.session for event in said) else first.scope.session
    source = card.source_id if any(card.source_id == event.source_id for event in said) else first.source_id
    at = card.at if any(card.at == event.at for event in said) else first.at
    metadata = {}
    for name, value in card.metadata.items():
        if any(name in event.metadata and event.metadata[name] == value for event in left):
            metadata[name] = value
        elif not any(name in event.metadata and event.metadata[name] == value for event in gone):
            metadata[name] = value  # given by hand
    created = max(micros(card.created_at), min(micros(event.stored_at) for event in said))
    scope = replace(card.scope, session=session)
    return replace(
        card, scope=scope, source_id=source, at=at, metadata=metadata, created_at=iso(created),
        updated_at=iso(max(created, micros(card.updated_at))),
    )  # fmt: skip


def _reason(op: Op, reason: str, gone: Sequence[Event]) -> str:
    """A reason may name the source that is forgotten."""
    named = any(event.source_id is not None and repr(event.source_id) in reason for event in gone)
    return f"{op} by a forgotten source" if named else reason


def erase(ledger: Ledger, plan: Plan, now: int, cut: Cut) -> dict[str, int]:
    """Take out what the plan names; return the rows that went, by table."""
    store, rows = ledger.store, Counter[str]()
    owners = {id_: versions[-1][0].scope for id_, versions in plan.cards.items() if versions}
    rows.update(store.erase_cards(list(plan.cards)))
    rows.update(store.erase_events(list(plan.events)))
    store.mark_forgotten(owners.items(), iso(now))
    changed = [id_ for id_, versions in plan.kept.items() if versions is not None]
    store.mark_erased([*plan.events, *plan.cards, *changed])
    for versions in plan.kept.values():
        if versions is not None:
            _keep(ledger, versions)
    for event in plan.stray:
        _again(ledger, event, now, cut)
    return {table.replace("_of_", " of "): count for table, count in rows.items() if count}


def sift(ledger: Ledger, card_ids: Iterable[str], event_ids: Iterable[str], now: int, cut: Cut) -> tuple[int, int]:
    """Take out of what an import brought what descends from forgotten things; how many events and card versions went.

    `card_ids` are new cards that a forgotten event said too: one that no other event says in all its words goes. `event_ids` are new events
    that said a forgotten card or a card that goes: an edit goes with its card, any other that is left without one is made into cards anew.
    """
    store = ledger.store
    lost: dict[str, Sequence[Version]] = {}
    told = dict.fromkeys(event_ids)
    for id_ in dict.fromkeys(card_ids):
        versions, left = store.versions(id_), _left(store, id_, {})
        said = any(event.kind != "edit" for event in left)
        if not said or not all(_says(left, card, edits=True) for card, op, _ in versions if op != "delete"):
            lost[id_] = versions
            told.update((event.id, None) for event in left)
    linked = {event.id: set(store.linked_cards([event.id])) - set(lost) for event in store.events(list(told))}
    edits = [event.id for event in store.events(list(told)) if event.kind == "edit" and not linked[event.id]]
    if lost or edits:
        owners = [(id_, versions[-1][0].scope) for id_, versions in lost.items()]
        store.erase_cards(list(lost))
        store.erase_events(edits)
        store.mark_forgotten(owners, iso(now))
        store.mark_erased([*lost, *edits])
    retired = {id_ for id_, _, _ in store.retired(None)} if told else set()
    for event in store.events(list(told)):
        if event.kind != "edit" and event.id not in retired and not linked[event.id]:
            _again(ledger, event, now, cut)
    return len(edits), sum(map(len, lost.values()))


def _keep(ledger: Ledger, versions: Sequence[Version]) -> None:
    first = versions[0][0]
    if not first.pointer:  # it was a word of what goes
        store = ledger.store
        store.spend([first.id])
        for key, card_id in list(store.all_pointers()):
            if card_id == first.id:
                store.set_pointer(key, None)
        pointer = store.claim_pointer(stems(first.text, ledger.count), first.scope, first.id)
        versions = [(replace(card, pointer=pointer), op, reason) for card, op, reason in versions]
    ledger.rewrite(versions)


def _again(ledger: Ledger, event: Event, now: int, cut: Cut) -> None:
    """Cards of a stored event, which has none any more."""
    item = Item(cast(Any, event.kind), event.role, event.speaker, event.text, event.raw, tool=event.speaker)
    origin = Origin(event.scope, now, event.source_id, event.metadata)
    intake = Intake(ledger, origin, [item], [event.at])
    for piece in pieces([item], cut):
        keys = [digest(d.kind, d.role, d.speaker, d.text) for d in piece.drafts]
        known = ledger.store.same(keys, event.scope)
        for draft, key in zip(piece.drafts, keys, strict=True):
            intake.draft(draft, key, {0: event}, known)
