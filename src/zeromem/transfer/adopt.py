"""Takes checked records of an export into a store: new ones in, known ones compared, strange ones refused.

In: checked records in the order of the file, inside the caller's write transaction. Out: stored events, versions, links and
retirements, marks, and a report. What a record may be by itself is said in `records.py`; here it must also fit what is there: an id
stands for one thing, versions follow each other, links stay within one owner and within the event's text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from zeromem.clock import micros
from zeromem.encode.cards import Cut
from zeromem.encode.masking import masked, masked_json
from zeromem.errors import InvalidInput
from zeromem.ledger import Ledger
from zeromem.maintain.erasing import sift
from zeromem.ports import Mark, Op, Store
from zeromem.scoping import sees, unmasked
from zeromem.text.redact import Level, Mask, moved, redact
from zeromem.transfer.records import card_of, event_of
from zeromem.types import Card, Event, Scope

_Version = tuple[Card, Op, str]
# What this file makes anew, or may name otherwise because the pointer was taken.
_DERIVED = {"pointer", "tokens", "head_tokens", "parts", "row", "born"}
_COUNTED = {"event": "events", "card": "versions", "link": "links", "retired": "retirements", "mark": "marks"}


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How many records were new and how many were there already; `added` and `skipped` count events and card versions.

    `new` and `known` count by kind: events, versions, links, retirements, marks; `masked` counts the secrets in new events,
    `forgotten` the records that were left out because something of their event or card was forgotten here.
    """

    added: int
    skipped: int
    new: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    masked: int = 0
    forgotten: int = 0


class Adoption:
    """One import under way. `scope` narrows whose records are taken; None takes everybody's."""

    def __init__(self, store: Store, ledger: Ledger, scope: Scope | None, redact: Level = "off") -> None:
        self._store = store
        self._ledger = ledger
        self._scope = scope
        self._redact = redact
        self._masks: dict[str, tuple[Mask, ...]] = {}  # of the whole import: what moves the spans of an event
        self._masked = self._forgotten = 0
        self._new: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._events: dict[str, Event] = {}  # of this chunk, by id
        self._cards: dict[str, _Version | None] = {}  # of this chunk: the newest version
        self._links: dict[str, dict[tuple[str, int], int]] = {}  # of the whole import, see `_spans`
        self._unlinked: dict[str, str] = {}  # new cards that nothing leads to yet, and where they stand
        self._fresh: set[str] = set()  # new events
        self._edits: set[str] = set()  # of them edits that nothing leads to yet
        self._cut_off: set[str] = set()  # new cards that a forgotten event said too
        self._bereft: dict[str, str] = {}  # new events that said a forgotten card, and which
        self._ended: set[str] = set()  # forgotten cards that the export holds as deleted
        self._retired: set[str] | None = None
        self._returned: set[tuple[str, str]] = set()

    def take(self, records: Sequence[tuple[str, str, Mapping[str, Any]]]) -> None:
        """The next records: each is where it stands, its type, and its fields."""
        named = [values[key] for _, kind, values in records for key in _names(kind, "event") if key in values]
        self._events = {event.id: event for event in self._store.events(list(dict.fromkeys(named)))}
        cards = [values[key] for _, kind, values in records for key in _names(kind, "card") if key in values]
        self._cards = {id_: self._newest(id_) for id_ in dict.fromkeys(cards)}
        takers = {
            "event": self._event,
            "card": self._card,
            "link": self._link,
            "retired": self._retire,
            "mark": self._mark,
        }
        gone = self._store.erased([*self._cards, *dict.fromkeys(named)])
        for where, kind, values in records:
            if gone and any(values.get(key) in gone for of in ("event", "card") for key in _names(kind, of)):
                self._forgotten += 1
                self._leave(kind, values, gone)
            elif kind in takers:
                try:
                    new = takers[kind](where, values)
                except InvalidInput as error:
                    raise InvalidInput(f"{where}: {error}") from None
                (self._new if new else self._known)[_COUNTED[kind]] += 1

    def _leave(self, kind: str, values: Mapping[str, Any], gone: set[str]) -> None:
        """Keep in mind whom a record that is left out would have led to."""
        if kind == "card":
            (self._ended.add if values["op"] == "delete" else self._ended.discard)(values["id"])
        elif kind == "link" and values["card"] not in gone:
            self._cut_off.add(values["card"])
        elif kind == "link" and values["event"] in self._fresh:
            self._bereft[values["event"]] = values["card"]

    def finish(self, now: int, cut: Cut) -> bool:
        """Nothing more comes: every card must lead back to its words, what descends from forgotten things goes, and readers must see
        what known cards lead to now. Whether something that was written went again."""
        for id_, where in self._unlinked.items():
            if id_ not in self._cut_off:
                raise InvalidInput(f"{where}: no link leads from the card {id_} to an event; export again")
        bereft = [id_ for id_, card in self._bereft.items() if card not in self._ended]
        events, versions = sift(self._ledger, self._cut_off, [*bereft, *self._edits], now, cut)
        self._new["events"] -= events
        self._new["versions"] -= versions
        self._forgotten += events + versions
        if self._new["links"]:
            self._store.next_epoch()
        return events + versions > 0

    def report(self) -> ImportReport:
        new, known = ({name: count[name] for name in _COUNTED.values()} for count in (self._new, self._known))
        added, skipped = (count["events"] + count["versions"] for count in (new, known))
        return ImportReport(added, skipped, new, known, self._masked, self._forgotten)

    def _newest(self, id_: str) -> _Version | None:
        found = self._store.card(id_)
        return (*found, "") if found else None

    def _event(self, where: str, values: Mapping[str, Any]) -> bool:
        event, kinds = self._safe_event(event_of(values))
        self._visible(event.scope)
        there = self._events.get(event.id)
        if there is not None:
            _same(there, event, "event", set())
            return False
        self._store.add_event(event)
        self._events[event.id] = event
        (self._edits if event.kind == "edit" else self._fresh).add(event.id)
        self._masked += len(kinds)
        return True

    def _safe_event(self, event: Event) -> tuple[Event, tuple[str, ...]]:
        """The event masked as an `add` would mask it: this memory may hold less than the one that wrote the export."""
        text, masks = redact(event.text, self._redact)
        if masks:
            self._masks[event.id] = masks
        rest = (event.speaker, event.source_id, dict(event.metadata))
        (speaker, source_id, metadata), kinds = masked(rest, self._redact)
        raw, more = (None, ()) if event.raw is None else masked_json(event.raw, self._redact)
        kinds += tuple(mask.kind for mask in masks) or more
        if not (kinds or more):
            return event, ()
        return replace(event, text=text, raw=raw, speaker=speaker, source_id=source_id, metadata=metadata), kinds

    def _safe_card(self, card: Card) -> Card:
        held = (card.text, card.speaker, card.source_id, dict(card.metadata))
        (text, speaker, source_id, metadata), kinds = masked(held, self._redact)
        return replace(card, text=text, speaker=speaker, source_id=source_id, metadata=metadata) if kinds else card

    def _card(self, where: str, values: Mapping[str, Any]) -> bool:
        card, op, reason = self._safe_card(card_of(values)), values["op"], values["reason"]
        self._visible(card.scope)
        newest = self._cards[card.id]
        if newest is None:
            if card.version != 1:
                raise InvalidInput(f"field 'version': version {card.version} of {card.id} comes before version 1")
            self._unlinked[card.id] = where
            self._links[card.id] = {}
        else:
            there = newest[0]
            if there.scope.without_session() != card.scope.without_session():
                raise InvalidInput(f"field 'id': {card.id} is a card of another owner here")
            if there.version >= card.version:
                self._compare(card, op, reason)
                return False
            if there.version != card.version - 1:
                raise InvalidInput(
                    f"field 'version': version {card.version} of {card.id} comes before version {card.version - 1}"
                )
        stored = self._ledger.adopt(card, op, reason, newest[0] if newest else None)
        self._cards[card.id] = (stored, op, reason)
        return True

    def _compare(self, card: Card, op: Op, reason: str) -> None:
        there = next(version for version in self._store.versions(card.id) if version[0].version == card.version)
        _same(there[0], card, f"version {card.version} of the card", _DERIVED)
        if there[1:] != (op, reason):
            name = "op" if there[1] != op else "reason"
            raise InvalidInput(f"field {name!r}: version {card.version} of the card {card.id} is another one here")

    def _link(self, where: str, values: Mapping[str, Any]) -> bool:
        card, event = self._cards[values["card"]], self._events.get(values["event"])
        if card is None or event is None:
            name = "card" if card is None else "event"
            raise InvalidInput(f"field {name!r} of the link: {values[name]} is not here; it stands before its links")
        if card[0].scope.without_session() != event.scope.without_session():
            raise InvalidInput(f"field 'event' of the link: {event.id} belongs to another owner than its card")
        self._visible(event.scope)
        start, end = (moved(self._masks.get(event.id, ()), values[place]) for place in ("start", "end"))
        if not start <= end <= len(event.text):
            raise InvalidInput(f"field 'end' of the link: {start} to {end} is no part of {len(event.text)} characters")
        there = self._spans(card[0].id).get((event.id, start))
        if there is not None and there != end:
            raise InvalidInput(f"field 'end' of the link: it ends at {there} here, not at {end}")
        self._unlinked.pop(card[0].id, None)
        self._edits.discard(event.id)
        if there is None:
            self._links[card[0].id][event.id, start] = end
            self._store.link(card[0].id, event.id, start, end)
        return there is None

    def _spans(self, card_id: str) -> dict[tuple[str, int], int]:
        """The ends of a card's links by event and start, as they are by now."""
        if card_id not in self._links:
            self._links[card_id] = {(span.event.id, span.start): span.end for span in self._store.spans(card_id)}
        return self._links[card_id]

    def _retire(self, where: str, values: Mapping[str, Any]) -> bool:
        event = self._events.get(values["event"])
        if event is None:
            raise InvalidInput(f"field 'event' of the retirement: {values['event']} is not here; it stands before it")
        self._visible(event.scope)
        if self._retired is None:
            known = self._store.retirements(None)
            self._retired = {one.event_id for one in known if one.returned is None}
            self._returned = {(one.event_id, one.at) for one in known}
        if event.id in self._retired or (event.id, values["at"]) in self._returned:
            return False
        self._store.retire([event.id], values["at"], values["reason"])
        if values["returned"] is None:
            self._retired.add(event.id)
        else:
            self._store.unretire([event.id], values["returned"])
        self._returned.add((event.id, values["at"]))
        return True

    def _mark(self, where: str, values: Mapping[str, Any]) -> bool:
        card = self._cards[values["card"]]
        if card is None:
            raise InvalidInput(f"field 'card' of the mark: {values['card']} is not here; it stands before its marks")
        self._visible(card[0].scope)
        mark = Mark(values["card"], values["mark"], micros(values["at"]), values["why"], values["who"])
        if mark in self._store.marks_of([mark.card_id]).get(mark.card_id, ()):
            return False
        self._store.add_marks([mark])
        return True

    def _visible(self, scope: Scope) -> None:
        unmasked(scope, self._redact)
        if not sees(self._scope, scope):
            raise InvalidInput(
                f"it belongs to {_told(scope)}, not to {_told(self._scope)}; an export keeps its owners: "
                "name the right one, or leave user, agent and tenant out to take in everybody's"
            )


def _names(kind: str, of: str) -> tuple[str, ...]:
    """The field of a record that names an event or a card."""
    return ("id",) if kind == of else (of,) if kind in ("link", "retired", "mark") else ()


def _same(there: Event | Card, given: Event | Card, what: str, but: set[str]) -> None:
    for one in fields(there):
        old, new = getattr(there, one.name), getattr(given, one.name)
        same = old == new or (one.name == "at" and micros(old) == micros(new))  # an older zeromem kept no offset
        if one.name not in but and not same:
            raise InvalidInput(f"field {one.name!r}: the {what} {given.id} is another one here; nothing was taken in")


def _told(scope: Scope | None) -> str:
    ids = {"tenant": scope.tenant, "user": scope.user, "agent": scope.agent} if scope else {}
    return " ".join(f"{name}={value!r}" for name, value in ids.items() if value is not None)
