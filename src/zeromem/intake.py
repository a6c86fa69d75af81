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
from zeromem.types import Event, ReceiptItem

_SHOWN = 80  # characters of a text in a receipt
Known = dict[bytes, tuple[str, str]]  # id and pointer of the card that holds these words


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
        known = {key: (card.id, card.pointer) for key, card in same.items()}
        out: list[ReceiptItem] = []
        for piece, some in zip(pieces, keys, strict=True):
            first, *more = self._piece(piece, some, known)
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
            id_, pointer = known[key]
            self.ledger.link(id_, draft, events)
            return ReceiptItem("duplicate", f"already known as [m:{pointer}]", first.id, id_, pointer, shown)
        card = self.ledger.add(draft, key, self.origin, self.times[draft.spans[0][0]], events)
        known[key] = card.id, card.pointer
        return ReceiptItem("stored", f"new {card.kind}", first.id, card.id, card.pointer, shown)


def says(item: Item | Event) -> tuple[str, str, str | None, str]:
    """What makes two mentions the same within a source."""
    return item.kind, item.role, item.speaker, item.text if item.text.strip() else item.raw or ""


def known_source(existing: Sequence[Event], items: Sequence[Item], source_id: str) -> list[ReceiptItem]:
    """The receipt of a source that is stored already: nothing is added, and a difference is named."""
    same = Counter(map(says, existing)) == Counter(map(says, (item for item in items if not item.empty)))
    reason = f"source {source_id!r} is already stored"
    if not same:
        reason += " with other content; mode='replace' takes the new content over"
    return [ReceiptItem("duplicate", reason, event.id, text=event.text[:_SHOWN]) for event in existing]


def replace_source(intake: Intake, existing: Sequence[Event], pieces: Sequence[Piece]) -> list[ReceiptItem]:
    """Make a source say what `pieces` say: unchanged items stay, new ones are added, missing ones go."""
    kept = Counter(map(says, existing))
    receipts: list[ReceiptItem] = []
    for piece in pieces:
        told = [says(intake.items[i]) for i in piece.items]
        if all(kept[key] > 0 for key in told):
            kept.subtract(told)
            shown = intake.items[piece.items[0]].text[:_SHOWN]
            receipts.append(ReceiptItem("duplicate", "unchanged in its source", text=shown))
        else:
            receipts.extend(intake.write([piece]))
    gone = []
    for event in existing:
        if kept[says(event)] > 0:
            kept[says(event)] -= 1
            gone.append(event)
    receipts.extend(retire(intake.ledger, gone, intake.origin.now, f"source {intake.origin.source_id!r} was replaced"))
    return receipts


def retire(ledger: Ledger, events: Sequence[Event], now: int, reason: str) -> list[ReceiptItem]:
    """Retire events of a source; delete the cards that no other event says."""
    ids = [event.id for event in events]
    ledger.store.retire(ids, iso(now), reason)
    receipts = []
    for card in {card.id: card for card in ledger.store.orphans(ids)}.values():
        ledger.delete(card, now, reason)
        receipts.append(ReceiptItem("superseded", reason, None, card.id, card.pointer, card.text[:_SHOWN]))
    return receipts
