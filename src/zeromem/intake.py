"""Writes the pieces of one `add`: events first, then cards, duplicates and the reasons, in the caller's transaction.

In: items, the pieces they come to, and where they belong. Out: receipt items in order. Also replaces a source: what it still
says stays as it is, what it no longer says is retired, and cards that nothing says any more are deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from zeromem.clock import iso, micros
from zeromem.encode.cards import UNWANTED, Draft, Piece
from zeromem.encode.digests import digest
from zeromem.encode.masking import told
from zeromem.encode.messages import Item
from zeromem.encode.unwanted import TAKEN_BACK, disowned, meant, retracts, takes_back
from zeromem.facts import FactRow
from zeromem.ids import new_id
from zeromem.ledger import HAND, Ledger, Origin
from zeromem.ports import Mark, is_pinned
from zeromem.restating import restated
from zeromem.types import Card, Event, ReceiptItem, Scope

_SHOWN = 80  # characters of a text in a receipt
_LOOKED_BACK = 8  # events of the session
_UNCHANGED = "unchanged in its source"
Known = dict[bytes, Card]  # the card that holds these words


@dataclass(frozen=True, slots=True)
class Intake:
    """One `add` under way; `times` holds the ISO time of each item.

    Where a source is replaced, `own` are the ids of its cards so far, and `barred` the digests of what was deleted by hand and is
    to stay so.
    """

    ledger: Ledger
    origin: Origin
    items: Sequence[Item]
    times: Sequence[str]
    own: frozenset[str] = frozenset()
    barred: frozenset[bytes] = frozenset()
    new: list[Card] = field(default_factory=list)  # stored by this add
    said: list[str] = field(default_factory=list)  # ids of the events of this add

    def write(self, pieces: Sequence[Piece]) -> list[ReceiptItem]:
        keys = [[digest(d.kind, d.role, d.speaker, d.text) for d in piece.drafts] for piece in pieces]
        same = self.ledger.store.same([key for some in keys for key in some], self.origin.scope)
        out: list[ReceiptItem] = []
        for piece, some in zip(pieces, keys, strict=True):
            first, *more = self._piece(piece, some, same)
            out += [self._told(piece, first), *more]
            asking = self.items[piece.items[0]]
            unwanted = piece.ignored == UNWANTED and retracts(asking.text)
            out += self._take_back(asking, str(first.event_id), unwanted=unwanted)
        return out

    def _take_back(self, asking: Item, asked: str, *, unwanted: bool) -> list[ReceiptItem]:
        """Delete what the message takes back of what the session said before this add, unless it was said elsewhere too."""
        store, scope = self.ledger.store, self.origin.scope
        if scope.session is None or self.said[:1] != [asked]:  # what this add said is looked after by `taken_back`
            return []
        if not (unwanted or takes_back(asking.text)):
            return []
        before = [event for event in store.session_events(scope, _LOOKED_BACK) if event.id not in self.said]
        place = meant(before, asking) if unwanted else disowned(before, asking)
        if place is None or before[place].scope != scope:
            return []
        out, reason = [], UNWANTED if unwanted else TAKEN_BACK
        for card in store.cards_of(before[place].id):
            if {span.event.id for span in store.spans(card.id)} == {before[place].id}:
                self.ledger.delete(card, self.origin.now, reason)
                out.append(
                    ReceiptItem("superseded", reason, before[place].id, card.id, card.pointer, card.text[:_SHOWN])
                )
        return out

    def _piece(self, piece: Piece, keys: Sequence[bytes], known: Known) -> list[ReceiptItem]:
        shown = self.items[piece.items[0]].text[:_SHOWN]
        if not piece.event:
            return [ReceiptItem("ignored", piece.ignored, text=shown)]
        events = {index: self._event(index) for index in piece.items}
        first = events[piece.items[0]]
        if not piece.drafts:
            return [ReceiptItem("ignored", piece.ignored or "nothing to remember", first.id, text=shown)]
        return [self.draft(draft, key, events, known) for draft, key in zip(piece.drafts, keys, strict=True)]

    def _told(self, piece: Piece, first: ReceiptItem) -> ReceiptItem:
        """Tells of memory blocks that were taken out of what the piece was made of, and of secrets that were masked."""
        cut = sum(self.items[index].cut for index in piece.items)
        kinds = tuple(kind for index in piece.items for kind in self.items[index].masked)
        if not (cut or kinds):
            return first
        reasons = (first.reason, f"{cut} characters of injected memory cut out" if cut else "", told(kinds))
        return replace(first, reason="; ".join(filter(None, reasons)), masked=kinds)

    def _event(self, index: int) -> Event:
        item, origin = self.items[index], self.origin
        event = Event(
            new_id("e", origin.now), origin.scope, item.kind, item.role, item.speaker, item.text, self.times[index],
            iso(origin.now), origin.source_id, item.raw, origin.metadata,
        )  # fmt: skip
        self.ledger.store.add_event(event)
        self.said.append(event.id)
        return event

    def draft(self, draft: Draft, key: bytes, events: dict[int, Event], known: Known) -> ReceiptItem:
        first = events[draft.spans[0][0]]
        shown = draft.text[:_SHOWN]
        at = self.times[draft.spans[0][0]]
        if key in known and not self._is_news(known[key], at, known):
            card = known[key] = self._said_again(known[key])
            self.ledger.link(card.id, draft, events)
            self.ledger.bring_back([card], self.origin.now, "said again")
            reason = _UNCHANGED if card.id in self.own else f"already known as [m:{card.pointer}]"
            return ReceiptItem("duplicate", reason, first.id, card.id, card.pointer, shown)
        if key in self.barred:
            return ReceiptItem("ignored", "deleted by hand before", first.id, text=shown)
        if again := restated(self.ledger.store, self.origin.scope, draft, at):
            return ReceiptItem("ignored", f"restates [m:{again.pointer}]", first.id, text=shown)
        card = known[key] = self.ledger.add(draft, key, self.origin, at, events)
        self.new.append(card)
        return ReceiptItem("stored", f"new {card.kind}", first.id, card.id, card.pointer, shown)

    def _is_news(self, card: Card, at: str, known: Known) -> bool:
        """Whether words that are known tell of a return: something since ended what they state, and is not told again with them."""
        if card.id in self.own or card.kind in ("document", "tool"):
            return False
        enders = self.ledger.overtaken(card, micros(at))
        return bool(enders) and not any(other.row in enders for other in known.values())

    def _said_again(self, card: Card) -> Card:
        """Metadata that the card has not yet is added, so that filters find it; what it has stays (each event has its own)."""
        more = {name: value for name, value in self.origin.metadata.items() if name not in card.metadata}
        if not more:
            return card
        return self.ledger.update(card, card.text, {**card.metadata, **more}, self.origin.now, "said again")


def by_hand(ledger: Ledger, kind: str, text: str, scope: Scope, now: int, begin: int) -> tuple[Event, Card, bool]:
    """A text that a caller tells outright, as a card of that kind: its event, the card, and whether it was known. What was so, then was
    not, and is told to be again from `begin` on is a card of its own."""
    event = Event(new_id("e", now), scope, kind, "user", None, text, iso(now), iso(now))
    draft = Draft(kind, "user", None, text, ((0, 0, len(text)),))
    key = digest(draft.kind, draft.role, draft.speaker, text)
    ledger.store.add_event(event)
    known = ledger.store.same([key], scope).get(key)
    if known and ledger.overtaken(known, begin):
        known = None
    if known:
        ledger.link(known.id, draft, {0: event})
        ledger.bring_back([known], now, "said again")
    return event, known or ledger.add(draft, key, Origin(scope, now, None, {}), iso(now), {0: event}), known is not None


def ended(ledger: Ledger, cards: Sequence[Card]) -> list[ReceiptItem]:
    """What new cards end of what earlier ones stated, an item for each fact."""
    found = ledger.ended(cards)
    there = ledger.store.cards(list({old.row for old, _ in found}))
    return [
        ReceiptItem("superseded", _ended(old, new), None, card.id, card.pointer, card.text[:_SHOWN])
        for old, new in found
        if (card := there.get(old.row))
    ]


def _ended(old: FactRow, new: FactRow) -> str:
    now = (
        new.value if new.sign > 0 and new.sense != old.sense else f"{'' if new.polarity == '+' else 'not '}{new.value}"
    )
    return f"{old.subject}'s {old.slot}: {old.value} → {now}"


Said = tuple[str, str, str | None, str, str]


def says(item: Item | Event) -> Said:
    """What makes two mentions the same within a source: words, and what stands beside them (an image, hidden thinking)."""
    return item.kind, item.role, item.speaker, item.text, item.raw or ""


def add_source(intake: Intake, existing: Sequence[Event], pieces: Sequence[Piece]) -> list[ReceiptItem]:
    """Add to a source that is stored already: only what was deleted by hand since; a difference is named."""
    reason = f"source {intake.origin.source_id!r} is already stored"
    kept, receipts = _by_words(existing), []
    for piece in pieces:
        events = _taken(kept, intake, piece)
        if events:
            receipts += _again(intake, piece, events, reason)
        elif piece.event:
            other = f"{reason} with other content; mode='replace' takes the new content over"
            receipts.append(ReceiptItem("duplicate", other, text=intake.items[piece.items[0]].text[:_SHOWN]))
    return receipts or [ReceiptItem("duplicate", reason, existing[0].id, text=existing[0].text[:_SHOWN])]


def replace_source(
    intake: Intake, existing: Sequence[Event], pieces: Sequence[Piece], *, revive: bool
) -> list[ReceiptItem]:
    """Make a source say what `pieces` say: unchanged items stay (with the metadata given now), new ones are added, missing ones go.

    What was deleted by hand and is said again comes back with `revive`, and stays deleted without.
    """
    store, ids = intake.ledger.store, [event.id for event in existing]
    own = frozenset(card.id for id_ in ids for card in store.cards_of(id_))
    intake = replace(intake, own=own, barred=frozenset() if revive else frozenset(store.deleted_hashes(ids)))
    kept, receipts = _by_words(existing), []
    for piece in pieces:
        events = _taken(kept, intake, piece)
        if events:
            _renew(intake, events[0])
            receipts += _again(intake, piece, events, _UNCHANGED)
        else:
            receipts += intake.write([piece])
    _pin_again(intake)
    left = [event for events in kept.values() for event in events]
    receipts += retire(intake.ledger, left, intake.origin.now, f"source {intake.origin.source_id!r} was replaced")
    return receipts


def _pin_again(intake: Intake) -> None:
    """What was pinned when its source took it back is pinned now that the source says it again."""
    store = intake.ledger.store
    cards = {digest(card.kind, card.role, card.speaker, card.text): card for card in intake.new}
    before = store.withdrawn(list(cards), intake.origin.scope)
    marks = store.marks_of(list(before.values()))
    for key, id_ in before.items():
        if is_pinned(marks.get(id_, ())):
            why = "pinned before its source took it back"
            store.add_marks([Mark(cards[key].id, name, intake.origin.now, why, HAND) for name in ("pinned", "long")])


def _by_words(existing: Sequence[Event]) -> dict[Said, list[Event]]:
    kept: dict[Said, list[Event]] = {}
    for event in existing:
        kept.setdefault(says(event), []).append(event)
    return kept


def _taken(kept: dict[Said, list[Event]], intake: Intake, piece: Piece) -> list[Event]:
    """The events that a piece was stored as, taken out of `kept`; none if one of them is not there."""
    told = Counter(says(intake.items[i]) for i in piece.items)
    if not piece.event or any(len(kept.get(key, ())) < count for key, count in told.items()):
        return []
    return [kept[says(intake.items[i])].pop(0) for i in piece.items]


def _again(intake: Intake, piece: Piece, events: Sequence[Event], reason: str) -> list[ReceiptItem]:
    """A piece whose events are stored: what was deleted of it by hand becomes a card again, the rest is as it was."""
    store = intake.ledger.store
    said = store.said_spans([event.id for event in events])
    by_index = dict(zip(piece.items, events, strict=True))
    gone = [d for d in piece.drafts if not all((by_index[i].id, start, end) in said for i, start, end in d.spans)]
    if gone:
        keys = [digest(d.kind, d.role, d.speaker, d.text) for d in gone]
        known = store.same(keys, intake.origin.scope)
        if known:  # an event that was there already says them too, which readers would not see
            store.next_epoch()
        return [intake.draft(draft, key, by_index, known) for draft, key in zip(gone, keys, strict=True)]
    cards = store.cards_of(events[0].id)
    id_, pointer = (cards[0].id, cards[0].pointer) if cards else (None, None)
    return [ReceiptItem("duplicate", reason, events[0].id, id_, pointer, events[0].text[:_SHOWN])]


def _renew(intake: Intake, event: Event) -> None:
    """Metadata that is given with a source is that of all its cards."""
    origin = intake.origin
    for card in intake.ledger.store.cards_of(event.id) if origin.metadata else ():
        if dict(card.metadata) != dict(origin.metadata):
            intake.ledger.update(
                card, card.text, origin.metadata, origin.now, f"metadata of source {origin.source_id!r}"
            )


def retire(
    ledger: Ledger, events: Sequence[Event], now: int, reason: str, made_by: str | None = None
) -> list[ReceiptItem]:
    """Retire events of a source; delete the cards that no other event says. `made_by` is HAND where a caller asks for just that."""
    ids = [event.id for event in events]
    ledger.store.retire(ids, iso(now), reason)
    receipts = []
    for card in {card.id: card for card in ledger.store.orphans(ids)}.values():
        ledger.delete(card, now, reason, made_by=made_by)
        receipts.append(ReceiptItem("superseded", reason, None, card.id, card.pointer, card.text[:_SHOWN]))
    return receipts
