"""Writes the pieces of one `add`: events first, then cards, duplicates and the reasons, in the caller's transaction.

In: items, the pieces they come to, and where they belong. Out: receipt items in order. Also replaces a source: what it still
says stays as it is, what it no longer says is retired, and cards that nothing says any more are deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from zeromem.clock import iso
from zeromem.encode.cards import Draft, Piece
from zeromem.encode.digests import digest
from zeromem.encode.messages import Item
from zeromem.ids import new_id
from zeromem.ledger import Ledger, Origin
from zeromem.types import Card, Event, ReceiptItem

_SHOWN = 80  # characters of a text in a receipt
Known = dict[bytes, Card]  # the card that holds these words


@dataclass(frozen=True, slots=True)
class Intake:
    """One `add` under way; `times` holds the ISO time of each item."""

    ledger: Ledger
    origin: Origin
    items: Sequence[Item]
    times: Sequence[str]

    def write(self, pieces: Sequence[Piece]) -> list[ReceiptItem]:
        keys = [[digest(d.kind, d.role, d.speaker, d.text) for d in piece.drafts] for piece in pieces]
        same = self.ledger.store.same([key for some in keys for key in some], self.origin.scope)
        out: list[ReceiptItem] = []
        for piece, some in zip(pieces, keys, strict=True):
            first, *more = self._piece(piece, some, same)
            cut = self._cut(piece)
            out += [replace(first, reason=first.reason + cut) if cut else first, *more]
        return out

    def _piece(self, piece: Piece, keys: Sequence[bytes], known: Known) -> list[ReceiptItem]:
        shown = self.items[piece.items[0]].text[:_SHOWN]
        if not piece.event:
            return [ReceiptItem("ignored", piece.ignored, text=shown)]
        events = {index: self._event(index) for index in piece.items}
        first = events[piece.items[0]]
        if not piece.drafts:
            return [ReceiptItem("ignored", piece.ignored or "nothing to remember", first.id, text=shown)]
        return [self._draft(draft, key, events, known) for draft, key in zip(piece.drafts, keys, strict=True)]

    def _cut(self, piece: Piece) -> str:
        """Tells of memory blocks that were taken out of what the piece was made of."""
        cut = sum(self.items[index].cut for index in piece.items)
        return f"; {cut} characters of injected memory cut out" if cut else ""

    def _event(self, index: int) -> Event:
        item, origin = self.items[index], self.origin
        event = Event(
            new_id("e", origin.now), origin.scope, item.kind, item.role, item.speaker, item.text, self.times[index],
            iso(origin.now), origin.source_id, item.raw, origin.metadata,
        )  # fmt: skip
        self.ledger.store.add_event(event)
        return event

    def _draft(self, draft: Draft, key: bytes, events: dict[int, Event], known: Known) -> ReceiptItem:
        first = events[draft.spans[0][0]]
        shown = draft.text[:_SHOWN]
        if key in known:
            card = known[key] = self._said_again(known[key])
            self.ledger.link(card.id, draft, events)
            return ReceiptItem(
                "duplicate", f"already known as [m:{card.pointer}]", first.id, card.id, card.pointer, shown
            )
        card = known[key] = self.ledger.add(draft, key, self.origin, self.times[draft.spans[0][0]], events)
        return ReceiptItem("stored", f"new {card.kind}", first.id, card.id, card.pointer, shown)

    def _said_again(self, card: Card) -> Card:
        """Metadata that the card has not yet is added, so that filters find it; what it has stays (each event has its own)."""
        more = {name: value for name, value in self.origin.metadata.items() if name not in card.metadata}
        if not more:
            return card
        return self.ledger.update(card, card.text, {**card.metadata, **more}, self.origin.now, "said again")


def says(item: Item | Event) -> tuple[str, str, str | None, str]:
    """What makes two mentions the same within a source."""
    return item.kind, item.role, item.speaker, item.text if item.text.strip() else item.raw or ""


def add_source(intake: Intake, existing: Sequence[Event], pieces: Sequence[Piece]) -> list[ReceiptItem]:
    """Add to a source that is stored already: only what was deleted by hand since; a difference is named."""
    source_id, again = intake.origin.source_id, _take_back(intake, existing)
    same = Counter(map(says, existing)) == Counter(says(intake.items[i]) for p in pieces if p.event for i in p.items)
    reason = f"source {source_id!r} is already stored"
    if not same:
        reason += " with other content; mode='replace' takes the new content over"
    receipts: list[ReceiptItem] = []
    for piece in pieces:
        told = [says(intake.items[i]) for i in piece.items]
        if piece.event and all(again[key] > 0 for key in told):
            again.subtract(told)
            receipts.extend(intake.write([piece]))
        elif piece.event:
            receipts.append(ReceiptItem("duplicate", reason, text=intake.items[piece.items[0]].text[:_SHOWN]))
    return receipts or [ReceiptItem("duplicate", reason, existing[0].id, text=existing[0].text[:_SHOWN])]


def replace_source(intake: Intake, existing: Sequence[Event], pieces: Sequence[Piece]) -> list[ReceiptItem]:
    """Make a source say what `pieces` say: unchanged items stay (with the metadata given now), new ones are added, missing ones go."""
    kept: dict[tuple[str, str, str | None, str], list[Event]] = {}
    gone = set(_unsaid(intake, existing))
    for event in existing:
        if event.id not in gone:
            kept.setdefault(says(event), []).append(event)
    receipts: list[ReceiptItem] = []
    for piece in pieces:
        told = Counter(says(intake.items[i]) for i in piece.items)
        if all(len(kept.get(key, ())) >= count for key, count in told.items()):
            same = [kept[key].pop(0) for key in told.elements()]
            receipts.append(_unchanged(intake, same))
        else:
            receipts.extend(intake.write([piece]))
    left = [event for events in kept.values() for event in events] + [event for event in existing if event.id in gone]
    receipts.extend(retire(intake.ledger, left, intake.origin.now, f"source {intake.origin.source_id!r} was replaced"))
    return receipts


def _unchanged(intake: Intake, same: Sequence[Event]) -> ReceiptItem:
    """What a source still says keeps its cards; metadata that is given now is the source's."""
    ledger, origin = intake.ledger, intake.origin
    shown = same[0].text[:_SHOWN]
    cards = ledger.store.cards_of(same[0].id)
    stale = [card for card in cards if origin.metadata and dict(card.metadata) != dict(origin.metadata)]
    for card in stale:
        ledger.update(card, card.text, origin.metadata, origin.now, f"metadata of source {origin.source_id!r}")
    reason = "unchanged in its source" + (", with new metadata" if stale else "")
    if not cards:
        return ReceiptItem("duplicate", reason, same[0].id, text=shown)
    return ReceiptItem("duplicate", reason, same[0].id, cards[0].id, cards[0].pointer, shown)


def _take_back(intake: Intake, existing: Sequence[Event]) -> Counter[tuple[str, str, str | None, str]]:
    """What a source said and was deleted by hand. Its events are retired, for it is said anew."""
    gone = set(_unsaid(intake, existing))
    back = [event for event in existing if event.id in gone]
    offered = Counter(says(item) for item in intake.items)
    taken = [event for event in back if offered[says(event)] > 0]
    intake.ledger.store.retire([event.id for event in taken], iso(intake.origin.now), "deleted, and said again")
    return Counter(map(says, taken))


def _unsaid(intake: Intake, existing: Sequence[Event]) -> list[str]:
    return intake.ledger.store.unsaid([event.id for event in existing])


def retire(ledger: Ledger, events: Sequence[Event], now: int, reason: str) -> list[ReceiptItem]:
    """Retire events of a source; delete the cards that no other event says."""
    ids = [event.id for event in events]
    ledger.store.retire(ids, iso(now), reason)
    receipts = []
    for card in {card.id: card for card in ledger.store.orphans(ids)}.values():
        ledger.delete(card, now, reason)
        receipts.append(ReceiptItem("superseded", reason, None, card.id, card.pointer, card.text[:_SHOWN]))
    return receipts
